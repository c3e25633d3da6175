// The group's value of a reduced variable, in every lane: by shuffles, and through shared memory
// where a group is more than a warp or lies across it.
#include "engine/dealer.h"
#include "engine/placed.h"

// Bytes of one value of a local; the widest there is, where its type is not known here.
static int64_t bytes_of(const struct ks_dealer *d, const struct ks_loop *l, const char *name)
{
    const struct ks_node *decl = ks_loop_declaration(d->s->body.block, name, l->node->begin);
    struct ks_type type = ks_type_parse(d->s->arena, ks_slice_of(decl ? decl->text : ""));
    return type.elem.size ? (int64_t)type.elem.size : 8;
}

// The same with the place of the best, the least of those of equal ones: two variables go together.
static const char *join_placed(struct ks_dealer *d, const struct ks_loop *l, const struct ks_reduction *r)
{
    struct ks_arena *arena = d->s->arena;
    int lanes = d->out->count, warp = lanes < 32 ? lanes : 32, part = d->parts;
    const char *mask = lanes < 32 ? "opt_mask" : "0xffffffffu", *m = r->name, *at = r->place;
    const char *meet = ks_placed_meet(arena, r);
    const char *dims = d->out->across ? ks_arena_printf(arena, "[%d][%d]", lanes, d->out->across)
                                      : ks_arena_printf(arena, "[%d]", lanes / 32);
    const char *column = d->out->across ? "[threadIdx.x]" : "", *own = d->out->across ? "opt_lane" : "opt_lane / 32";
    const char *who = d->out->across ? "" : "if (opt_lane % 32 == 0) ";
    const char *text = d->out->across
                           ? ""
                           : ks_arena_printf(arena,
                                             "for (int opt_step = %d; opt_step > 0; opt_step /= 2) { const decltype(%s) "
                                             "opt_other = __shfl_xor_sync(%s, %s, opt_step); const decltype(%s) opt_place = "
                                             "__shfl_xor_sync(%s, %s, opt_step); %s }",
                                             warp / 2, m, mask, m, at, mask, at, meet);
    if (!d->out->across && lanes <= 32)
        return text;
    d->parts += 2;
    d->shared += (d->out->across ? lanes * d->out->across : lanes / 32) * (bytes_of(d, l, m) + bytes_of(d, l, at));
    return ks_arena_printf(arena,
                           "%s { __shared__ decltype(%s) opt_part%d%s; __shared__ decltype(%s) opt_part%d%s; %s{ "
                           "opt_part%d[%s]%s = %s; opt_part%d[%s]%s = %s; } __syncthreads(); %s = opt_part%d[0]%s; "
                           "%s = opt_part%d[0]%s; for (int opt_i = 1; opt_i < %d; opt_i++) { const decltype(%s) opt_other = "
                           "opt_part%d[opt_i]%s; const decltype(%s) opt_place = opt_part%d[opt_i]%s; %s } "
                           "__syncthreads(); }",
                           text, m, part, dims, at, part + 1, dims, who, part, own, column, m, part + 1, own, column, at,
                           m, part, column, at, part + 1, column, d->out->across ? lanes : lanes / 32, m, part, column,
                           at, part + 1, column, meet);
}

const char *ks_lanes_join(struct ks_dealer *d, const struct ks_loop *l,
                          const struct ks_reduction *r)
{
    if (r->place)
        return join_placed(d, l, r);
    struct ks_arena *arena = d->s->arena;
    int lanes = d->out->count, warp = lanes < 32 ? lanes : 32, part = d->parts++;
    d->shared += (d->out->across ? lanes * d->out->across
                  : lanes > 32   ? lanes / 32
                                 : 0) *
                 bytes_of(d, l, r->name);
    const char *mask = lanes < 32 ? "opt_mask" : "0xffffffffu";
    const char *both = ks_reduction_text(arena, r, "opt_other");
    if (d->out->across)
        return ks_arena_printf(
            arena,
            "{ __shared__ decltype(%s) opt_part%d[%d][%d]; opt_part%d[opt_lane][threadIdx.x] = %s; "
            "__syncthreads(); %s = opt_part%d[0][threadIdx.x]; for (int opt_i = 1; opt_i < %d; "
            "opt_i++) { const decltype(%s) opt_other = opt_part%d[opt_i][threadIdx.x]; %s = %s; } "
            "__syncthreads(); }",
            r->name, part, lanes, d->out->across, part, r->name, r->name, part, lanes, r->name,
            part, r->name, both);
    const char *text = ks_arena_printf(
        arena,
        "for (int opt_step = %d; opt_step > 0; opt_step /= 2) { const decltype(%s) opt_other = "
        "__shfl_xor_sync(%s, %s, opt_step); %s = %s; }",
        warp / 2, r->name, mask, r->name, r->name, both);
    if (r->pick) // which of two equal values it is, may differ
        text = ks_arena_printf(arena, "%s %s = __shfl_sync(%s, %s, 0, %d);", text, r->name, mask,
                               r->name, warp);
    if (lanes <= 32)
        return text;
    return ks_arena_printf(arena,
                           "%s { __shared__ decltype(%s) opt_part%d[%d]; if (opt_lane %% 32 == 0) "
                           "opt_part%d[opt_lane / 32] = %s; "
                           "__syncthreads(); %s = opt_part%d[0]; for (int opt_i = 1; opt_i < %d; "
                           "opt_i++) { const decltype(%s) "
                           "opt_other = opt_part%d[opt_i]; %s = %s; } __syncthreads(); }",
                           text, r->name, part, lanes / 32, part, r->name, r->name, part,
                           lanes / 32, r->name, part, r->name, both);
}
