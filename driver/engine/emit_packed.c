// A map in one axis with 16-byte accesses: each thread loads packs of neighbouring elements, runs
// the original's item once per lane, and stores packs; the rest goes element by element.
#include <string.h>

#include "engine/emit.h"

struct packed_param {
    bool packed, load, store;
    const char *type; // "opt_f32x4"
};
struct packer {
    struct ks_subject *s;
    const struct ks_options *options;
    struct ks_access_list access; // of the item alone
    struct packed_param *param;
    int width, packs, block;
    size_t widest; // bytes of an element of a packed pointer
    bool mixed;    // packed elements of several sizes
    struct ks_buf *out;
};

static bool is_exact(const struct ks_access *a)
{
    const char *block;
    return ks_poly_is_global(&a->index, 'x', &block);
}

// The reason why a pointer's accesses cannot become packs; NULL when they can.
static const char *choose_param(struct packer *p, size_t i)
{
    const struct ks_subject *s = p->s;
    struct packed_param *q = &p->param[i];
    const struct ks_param_use *use = &s->access.use[i]; // of the whole body
    const char *name = s->decl->params[i].name, *elem = ks_subject_elem(s, i);
    bool surely = false, stores_surely = false, written = false;
    const struct ks_access *first = NULL;
    if (use->opaque)
        return ks_arena_printf(s->arena, "line %d: the pointer %s is used other than by subscript",
                               use->opaque->line, name);
    for (size_t k = 0; k < p->access.len; k++) {
        const struct ks_access *a = &p->access.at[k];
        if (a->param != i)
            continue;
        if (!is_exact(a) || a->atomic)
            return ks_arena_printf(s->arena, "line %d: %s is indexed by other than the element",
                                   a->node->line, name);
        first = first ? first : a;
        surely |= !a->conditional;
        written |= a->writes;
        stores_surely |= a->writes && !a->conditional;
    }
    if (!first || !elem)
        return ks_arena_printf(s->arena, "line %d: %s has no elements of a scalar type",
                               first ? first->node->line : s->decl->line, name);
    if (!surely || (written && !stores_surely))
        return ks_arena_printf(s->arena, "line %d: %s is not accessed for every element",
                               first->node->line, name);
    q->packed = true;
    q->store = written;
    q->load = first->reads || first->conditional;
    q->type = ks_arena_printf(s->arena, "opt_%sx%d",
                              ks_scalar_name(s->brief->signature->params[i].elem.scalar), p->width);
    size_t size = s->brief->signature->params[i].elem.size;
    p->mixed |= p->widest != 0 && p->widest != size;
    p->widest = size > p->widest ? size : p->widest;
    return NULL;
}

// A read through one pointer after a write through another would see it, were both the same memory:
// packs are loaded before any store.
static bool reads_follow_writes(const struct packer *p)
{
    for (size_t i = 0; i < p->access.len; i++)
        for (size_t k = 0; k < p->access.len; k++) {
            const struct ks_access *w = &p->access.at[i], *r = &p->access.at[k];
            if (w->writes && r->reads && w->param != r->param &&
                (w->order < r->order || w->in_loop))
                return true;
        }
    return false;
}

static struct ks_node *item_block(const struct ks_subject *s)
{
    struct ks_node *block = KS_NEW(s->arena, struct ks_node);
    *block = (struct ks_node){.kind = KS_N_BLOCK,
                              .text = "",
                              .kid = s->map.item,
                              .n = s->map.n_item,
                              .cap = s->map.n_item};
    return block;
}

static enum ks_status choose(struct packer *p, struct ks_buf *when, struct ks_err *err)
{
    struct ks_subject *s = p->s;
    const char *why = NULL;
    const char *refusal = ks_arena_printf(s->arena, "line %d: no pointer is accessed by element", s->decl->line);
    if (s->map.axis[1].used || s->map.axis[2].used)
        KS_FAIL(err, KS_E_UNSUPPORTED, "line %d: the kernel has more than one axis", s->decl->line);
    if (s->map.n_bounds > 0 && !s->map.limit)
        KS_FAIL(err, KS_E_UNSUPPORTED, "line %d: the guard is more than an upper bound",
                s->map.bounds[0].expr->line);
    struct ks_node *item = item_block(s);
    struct ks_node *leave = ks_node_find(item, KS_N_RETURN, NULL);
    leave = leave ? leave : s->map.stride ? ks_node_find(item, KS_N_CONTINUE, NULL) : NULL;
    if (leave)
        KS_FAIL(err, KS_E_UNSUPPORTED, "line %d: an element may be left early", leave->line);
    struct ks_affine env = s->env;
    ks_accesses_find(s->arena, s->decl, &env, item, &p->access);
    size_t chosen = 0;
    for (size_t i = 0; i < s->decl->n_params; i++) {
        if (!s->decl->params[i].type.pointer)
            continue;
        const char *one = choose_param(p, i);
        chosen += one == NULL;
        if (one && (s->access.use[i].written || s->access.use[i].opaque))
            why = one; // stores that stay single gain little, unknown ones might be anything
        refusal = one ? one : refusal;
    }
    if (why || chosen == 0)
        KS_FAIL(err, KS_E_UNSUPPORTED, "%s", why ? why : refusal);
    if (p->options->peel && p->mixed)
        KS_FAIL(err, KS_E_UNSUPPORTED, "line %d: elements of several sizes share no misalignment",
                s->decl->line);
    if (p->options->stream && p->widest * (size_t)p->width < 8)
        KS_FAIL(err, KS_E_UNSUPPORTED, "line %d: packs under 8 bytes cannot be streamed",
                s->decl->line);
    if (reads_follow_writes(p)) {
        const char *apart = ks_subject_apart(s);
        if (!apart)
            KS_FAIL(err, KS_E_UNSUPPORTED, "line %d: a read follows a write that it might see",
                    s->decl->line);
        ks_emit_when(when, apart);
    }
    return KS_OK;
}

static size_t pack_align(const struct packer *p, size_t i)
{
    size_t bytes = p->s->brief->signature->params[i].elem.size * (size_t)p->width;
    return bytes > 16 ? 16 : bytes;
}

static void put_types(const struct packer *p)
{
    const struct ks_subject *s = p->s;
    for (size_t i = 0; i < s->decl->n_params; i++) {
        bool seen = !p->param[i].packed;
        for (size_t k = 0; k < i && !seen; k++)
            seen = p->param[k].packed && strcmp(p->param[k].type, p->param[i].type) == 0;
        if (!seen)
            ks_buf_printf(p->out, "struct alignas(%zu) %s {\n    %s lane[%d];\n};\n",
                          pack_align(p, i), p->param[i].type, ks_subject_elem(s, i), p->width);
    }
    ks_buf_putc(p->out, '\n');
}

// Index variables that nothing uses once x[i] has become a lane would only draw warnings.
static bool visit_index_use(void *context, struct ks_node *node)
{
    const void **state = context;
    const struct packer *p = state[0];
    const char *name = state[1];
    if (node->kind == KS_N_INDEX && node->kid[0]->kind == KS_N_NAME)
        for (size_t i = 0; i < p->s->decl->n_params; i++)
            if (p->param[i].packed && strcmp(p->s->decl->params[i].name, node->kid[0]->text) == 0)
                return false;
    if (node->kind == KS_N_NAME && strcmp(node->text, name) == 0)
        state[2] = node;
    return true;
}

static bool uses(const struct packer *p, const char *name, const struct ks_node *except)
{
    const void *state[3] = {p, name, NULL};
    for (size_t i = 0; i < p->s->map.n_item; i++)
        ks_node_walk(p->s->map.item[i], visit_index_use, state);
    for (size_t i = 0; i < p->s->body.block->n && !state[2]; i++) {
        struct ks_node *node = p->s->body.block->kid[i];
        if (node != except && node->kind == KS_N_DECL && node->begin < p->s->map.item_begin)
            ks_node_walk(node, visit_index_use, state);
    }
    return state[2] != NULL;
}

static void lane_edits(const struct packer *p, struct ks_edit_list *edits)
{
    const struct ks_subject *s = p->s;
    for (size_t i = 0; i < p->access.len; i++) {
        const struct ks_access *a = &p->access.at[i];
        const char *name = s->decl->params[a->param].name;
        if (p->param[a->param].packed)
            ks_edit_add(s->arena, edits, a->node->begin, a->node->end,
                        p->packs > 1
                            ? ks_arena_printf(s->arena, "pack_%s[opt_pack].lane[opt_lane]", name)
                            : ks_arena_printf(s->arena, "pack_%s.lane[opt_lane]", name));
    }
    // Later declarations first: one may be the only user of another.
    const struct ks_node *block = s->body.block;
    for (size_t i = s->map.stride ? 0 : block->n; i > 0; i--) {
        const struct ks_node *decl = block->kid[i - 1];
        if (decl->kind == KS_N_DECL && decl->begin < s->map.item_begin && decl->n == 1 &&
            !uses(p, decl->kid[0]->text, decl))
            ks_edit_add(s->arena, edits, decl->begin, decl->end, "");
    }
}

static const char *raw_type(const struct packer *p, size_t i)
{
    size_t bytes = pack_align(p, i);
    return bytes == 16  ? "uint4"
           : bytes == 8 ? "uint2"
           : bytes == 4 ? "unsigned"
                        : "unsigned short";
}

static void put_load(const struct packer *p, size_t i, const char *indent)
{
    const char *name = p->s->decl->params[i].name, *type = p->param[i].type;
    const char *at = p->packs > 1 ? "[opt_pack]" : "";
    size_t bytes = p->s->brief->signature->params[i].elem.size * (size_t)p->width;
    if (p->options->stream < 2 || bytes > 16) {
        ks_buf_printf(p->out,
                      "%spack_%s%s = reinterpret_cast<const %s *>(%s + opt_head)[opt_index];\n",
                      indent, name, at, type, name);
        return;
    }
    ks_buf_printf(p->out,
                  "%sconst %s raw_%s =\n%s    __ldcs(reinterpret_cast<const %s *>(%s + opt_head) + "
                  "opt_index);\n%spack_%s%s = reinterpret_cast<const %s &>(raw_%s);\n",
                  indent, raw_type(p, i), name, indent, raw_type(p, i), name, indent, name, at,
                  type, name);
}

static void put_store(const struct packer *p, size_t i, const char *indent)
{
    const char *name = p->s->decl->params[i].name, *type = p->param[i].type;
    const char *at = p->packs > 1 ? "[opt_pack]" : "";
    size_t bytes = p->s->brief->signature->params[i].elem.size * (size_t)p->width;
    if (p->options->stream < 1 || bytes > 16)
        ks_buf_printf(p->out, "%sreinterpret_cast<%s *>(%s + opt_head)[opt_index] = pack_%s%s;\n",
                      indent, type, name, name, at);
    else
        ks_buf_printf(p->out,
                      "%s__stcs(reinterpret_cast<%s *>(%s + opt_head) + opt_index,\n"
                      "%s       reinterpret_cast<const %s &>(pack_%s%s));\n",
                      indent, raw_type(p, i), name, indent, raw_type(p, i), name, at);
}

static void put_lanes(const struct packer *p, const char *item, const char *indent)
{
    const struct ks_subject *s = p->s;
    const char *type = s->map.axis[0].wide ? "long long" : "unsigned";
    const char *index = ks_emit_index(s, item);
    bool uses_index = strstr(item, "opt_x") != NULL || *index;
    ks_buf_printf(p->out,
                  "%s_Pragma(\"unroll\") for (int opt_lane = 0; opt_lane < %d; opt_lane++) {\n",
                  indent, p->width);
    if (uses_index)
        ks_buf_printf(p->out, "%s    const %s opt_x = opt_head + opt_index * %d + opt_lane;\n",
                      indent, type, p->width);
    if (*index)
        ks_buf_printf(p->out, "%s    %s", indent, index);
    ks_buf_puts(p->out, ks_text_indent(s->arena, item, (int)strlen(indent) + 4));
    ks_buf_printf(p->out, "%s}\n", indent);
}

static void put_packs(const struct packer *p)
{
    const struct ks_subject *s = p->s;
    const char *type = s->map.axis[0].wide ? "long long" : "unsigned";
    struct ks_edit_list edits = {0};
    lane_edits(p, &edits);
    char *item = ks_emit_item(s, &edits, true, true, 0);
    bool several = p->packs > 1;
    const char *in = several ? "            " : "        ";
    for (size_t i = 0; i < s->decl->n_params; i++)
        if (p->param[i].packed)
            ks_buf_printf(p->out, "    %s pack_%s%s;\n", p->param[i].type, s->decl->params[i].name,
                          several ? ks_arena_printf(s->arena, "[%d]", p->packs) : "");
    if (!several) {
        ks_buf_printf(p->out,
                      "    const %s opt_index = opt_first;\n    if (opt_index < opt_packs) {\n",
                      type);
    } else {
        ks_buf_printf(
            p->out,
            "    _Pragma(\"unroll\") for (int opt_pack = 0; opt_pack < %d; opt_pack++) {\n"
            "        const %s opt_index = opt_first + opt_pack * %d;\n"
            "        if (opt_index < opt_packs) {\n",
            p->packs, type, p->block);
    }
    for (size_t i = 0; i < s->decl->n_params; i++)
        if (p->param[i].packed && p->param[i].load)
            put_load(p, i, in);
    if (several)
        ks_buf_printf(
            p->out,
            "        }\n    }\n"
            "    _Pragma(\"unroll\") for (int opt_pack = 0; opt_pack < %d; opt_pack++) {\n"
            "        const %s opt_index = opt_first + opt_pack * %d;\n"
            "        if (opt_index < opt_packs) {\n",
            p->packs, type, p->block);
    put_lanes(p, item, in);
    for (size_t i = 0; i < s->decl->n_params; i++)
        if (p->param[i].packed && p->param[i].store)
            put_store(p, i, in);
    ks_buf_puts(p->out, several ? "        }\n    }\n" : "    }\n");
}

// Elements in front of the first whole pack: all of them when the pointers' misalignments differ.
static void put_head(const struct packer *p)
{
    const struct ks_subject *s = p->s;
    const char *type = s->map.axis[0].wide ? "long long" : "unsigned", *first = NULL;
    size_t align = 0;
    if (!p->options->peel) {
        ks_buf_printf(p->out, "    const %s opt_head = 0;\n", type);
        return;
    }
    for (size_t i = 0; i < s->decl->n_params; i++) {
        if (!p->param[i].packed)
            continue;
        const char *name = s->decl->params[i].name;
        if (!first) {
            first = name;
            align = pack_align(p, i);
            ks_buf_printf(p->out,
                          "    const size_t opt_skew = reinterpret_cast<size_t>(%s) %% %zu;\n",
                          name, align);
            ks_buf_printf(p->out, "    bool opt_common = opt_skew %% %zu == 0;\n", p->widest);
        } else {
            ks_buf_printf(
                p->out,
                "    opt_common = opt_common && reinterpret_cast<size_t>(%s) %% %zu == opt_skew;\n",
                name, align);
        }
    }
    ks_buf_printf(p->out,
                  "    %s opt_head = (%zu - opt_skew) %% %zu / %zu;\n"
                  "    if (!opt_common || opt_head > opt_end_x)\n        opt_head = opt_end_x;\n",
                  type, align, align, p->widest);
}

static void put_rest(const struct packer *p)
{
    const struct ks_subject *s = p->s;
    const char *type = s->map.axis[0].wide ? "long long" : "unsigned";
    char *item = ks_emit_item(s, NULL, true, true, 8);
    const char *index = ks_emit_index(s, item);
    ks_buf_printf(p->out,
                  "    // What no pack covers.\n"
                  "    for (%s opt_rest = blockIdx.x * (%s)%d + threadIdx.x; opt_rest < opt_end_x "
                  "- opt_packs * %d;"
                  "\n         opt_rest += gridDim.x * (%s)%d) {\n"
                  "        const %s opt_x = %sopt_rest + opt_packs * %d;\n",
                  type, type, p->block, p->width, type, p->block, type,
                  p->options->peel ? "opt_rest < opt_head ? opt_rest : " : "", p->width);
    if (*index)
        ks_buf_printf(p->out, "        %s", index);
    ks_buf_printf(p->out, "%s    }\n", item);
}

static void put_source(const struct packer *p, const char *asserts)
{
    const struct ks_subject *s = p->s;
    const char *type = s->map.axis[0].wide ? "long long" : "unsigned";
    ks_emit_instance(s, p->out);
    put_types(p);
    ks_buf_printf(p->out, "__global__ void %s%s_packed(%s, %s opt_end_x)\n{\n%s",
                  ks_emit_bounds(s, p->options, ks_arena_printf(s->arena, "%d", p->block)),
                  s->decl->name, ks_emit_params(s, p->options->restrict_), type, asserts);
    if (s->map.stride) {
        const struct ks_node *block = s->body.block;
        char *front = ks_edit_apply(s->arena, &s->map.edits, s->body.text, block->begin + 1,
                                    block->kid[block->n - 1]->begin);
        ks_buf_puts(p->out, ks_text_indent(s->arena, front, 4));
    }
    put_head(p);
    ks_buf_printf(p->out, "    const %s opt_packs = (opt_end_x - opt_head) / %d;\n", type,
                  p->width);
    ks_buf_printf(p->out, "    const %s opt_first = blockIdx.x * (%s)%d + threadIdx.x;\n", type,
                  type, p->block * p->packs);
    put_packs(p);
    put_rest(p);
    ks_buf_puts(p->out, "}\n");
}

static enum ks_status build(const struct packer *p, const char *extent, const char *when,
                            struct ks_proposal *proposal, struct ks_err *err)
{
    const struct ks_subject *s = p->s;
    struct ks_plan_step step = {.kernel = ks_arena_printf(s->arena, "%s_packed", s->decl->name)};
    const char **args = KS_NEW_ARRAY(s->arena, const char *, s->decl->n_params + 5);
    step.n_args = ks_emit_args(s, args);
    args[step.n_args++] = extent;
    step.args = args;
    step.block[0] = ks_arena_printf(s->arena, "%d", p->block);
    step.grid[0] = ks_arena_printf(s->arena, "max(1, ceildiv(%s, %d))", extent,
                                   p->block * p->packs * p->width);
    return ks_emit_plan(s, ks_arena_strdup(s->arena, ks_buf_text(p->out)), when, NULL, 0, &step, 1,
                        proposal, err);
}

enum ks_status ks_emit_packed(struct ks_subject *s, const struct ks_options *options,
                              struct ks_proposal *proposal, struct ks_err *err)
{
    struct ks_buf when = KS_BUF(1 << 15), asserts = KS_BUF(4096), source = KS_BUF(1 << 20);
    struct packer p = {
        .s = s,
        .options = options,
        .param = KS_NEW_ARRAY(s->arena, struct packed_param, s->decl->n_params),
        .width = options->width ? options->width : 4,
        .packs = options->items ? options->items : 1,
        .block = options->block[0] ? options->block[0] : 256,
        .out = &source,
    };
    enum ks_status status;
    if (options->rows > 1 || options->block[1] > 1 || options->unroll) {
        status = ks_err_set(err, KS_E_UNSUPPORTED, "packs do not go with rows, flat blocks only");
        goto out;
    }
    KS_TRY_GOTO(choose(&p, &when, err), out);
    if (options->restrict_)
        KS_TRY_GOTO(ks_emit_apart(s, &when, err), out);
    const char *extent = ks_emit_extent(s, 0, &when, &asserts, err);
    status = KS_E_UNSUPPORTED;
    if (!extent)
        goto out;
    ks_emit_extent(s, 1, &when, &asserts, err);
    ks_emit_extent(s, 2, &when, &asserts, err);
    for (size_t i = 0; i < s->decl->n_params && !options->peel; i++)
        if (p.param[i].packed)
            ks_emit_when(&when, ks_arena_printf(s->arena, "aligned(%s, %zu)",
                                                s->decl->params[i].name, pack_align(&p, i)));
    put_source(&p, ks_buf_text(&asserts));
    status = build(&p, extent, ks_buf_text(&when), proposal, err);
out:
    ks_buf_free(&when);
    ks_buf_free(&asserts);
    ks_buf_free(&source);
    return status;
}
