// Tiles in shared memory round a jammed loop: filled by the block, some turns at a time.
#include <string.h>

#include "engine/emit.h"
#include "engine/jammer.h"

enum { SHARED_MAX = 48 << 10 }; // bytes of static shared memory

static int extent(const struct ks_jammer *j, int axis)
{
    return axis == KS_TILE_TURNS ? 1
           : axis == 0           ? j->jam->block[0] * j->jam->items
                                 : j->jam->block[1] * j->jam->rows;
}

// Whether more than one item of the block reads an element.
static bool pays(const struct ks_jammer *j, const struct ks_tile *t)
{
    return t->axis == 1 ? extent(j, 0) > 1
                        : extent(j, 1) > 1 || (t->axis == KS_TILE_TURNS && extent(j, 0) > 1);
}

// Whether rows lie side by side in the tile, so that a thread's neighbouring ones are read at once.
static bool is_turned(const struct ks_jammer *j, const struct ks_tile *t)
{
    return t->axis == 1 && j->jam->near && j->jam->rows > 1;
}

// Declares a tile and makes the read one of it; its number, or -1 where there is no room.
static int begin_tile(struct ks_jammer *j, const struct ks_tile *t)
{
    struct ks_arena *arena = j->s->arena;
    int turns = j->jam->tile, id = j->tiles;
    bool turned = is_turned(j, t);
    int rows = t->axis == 1 && !turned ? extent(j, 1) : turns;
    int columns = t->axis == 1 ? (turned ? extent(j, 1) : turns) : t->axis == 0 ? extent(j, 0) : 1;
    int pad = t->axis != 1 ? 0 : turned ? (t->bytes < 16 ? 16 / t->bytes : 1) : 1;
    bool copies = j->jam->ahead == KS_JAM_COPIES;
    int bytes = rows * (columns + pad) * t->bytes * (copies ? 2 : 1);
    if (copies && t->bytes != 4 && t->bytes != 8 && t->bytes != 16) {
        j->odd = t->bytes;
        return -1;
    }
    if (j->shared + bytes > SHARED_MAX) {
        j->lacking = j->lacking ? j->lacking : bytes;
        return -1;
    }
    j->shared += bytes;
    j->tiles++;
    j->jam->shared = ks_arena_printf(arena, "%s    __shared__ %s%s opt_tile%d%s[%d][%d];\n",
                                     j->jam->shared, j->jam->near ? "__align__(16) " : "", t->type, id, copies ? "[2]" : "", rows,
                                     columns + pad);
    return id;
}

static void read_tile(struct ks_jammer *j, const struct ks_tile *t, int id)
{
    const char *at = is_turned(j, t)  ? "[opt_c][opt_in_y]"
                     : t->axis == 1 ? "[opt_in_y][opt_c]"
                     : t->axis == 0 ? "[opt_c][opt_in_x]"
                                    : "[opt_c][0]";
    const char *text = ks_arena_printf(j->s->arena, "opt_tile%d%s%s", id,
                                       j->jam->ahead == KS_JAM_COPIES ? "[opt_buffer]" : "", at);
    ks_edit_add(j->s->arena, &j->edits, t->node->begin, t->node->end, text);
}

enum transfer {
    FILL,  // from memory to the tile
    FETCH, // from memory to registers
    STORE, // from registers to the tile
    COPY,  // from memory to the tile's other buffer, opt_other, under way when it returns
};

// Nothing, of a tile's type; one of two words is no name that can be called.
static const char *zero(const struct ks_jammer *j, const struct ks_tile *t)
{
    bool words = strchr(t->type, ' ') != NULL;
    return ks_arena_printf(j->s->arena, "%s%s%s", words ? "(" : "", t->type, words ? ")0" : "()");
}

static int shares(const struct ks_jammer *j, const struct ks_tile *t)
{
    int threads = j->jam->block[0] * j->jam->block[1];
    return (j->jam->tile * extent(j, t->axis) + threads - 1) / threads;
}

// A block's threads transfer a tile, along what is contiguous in memory; its first turn is
// opt_from.
static void put_transfer(struct ks_jammer *j, const struct ks_tile *t, int id, const char *type,
                         const char *inside, enum transfer how, int indent)
{
    struct ks_arena *arena = j->s->arena;
    const char *param = j->s->decl->params[t->param].name;
    int turns = j->jam->tile, items = extent(j, t->axis), all = turns * items;
    int threads = j->jam->block[0] * j->jam->block[1], fast = t->along ? turns : items;
    const char *a = t->along ? "opt_i / " : "opt_i % ", *c = t->along ? "opt_i % " : "opt_i / ";
    bool across = t->axis == 1 && !is_turned(j, t);
    const char *place =
        ks_arena_printf(arena, "opt_tile%d%s[%s][%s]", id, how == COPY ? "[opt_other]" : "",
                        across ? "opt_a" : "opt_c",
                        across                     ? "opt_c"
                        : t->axis == KS_TILE_TURNS ? "0"
                                                   : "opt_a");
    const char *next = ks_arena_printf(arena, "opt_next%d[opt_p]", id);
    const char *room = all % threads ? ks_arena_printf(arena, "opt_i < %d", all) : "";
    ks_buf_printf(&j->out,
                  "%*s_Pragma(\"unroll\") for (int opt_p = 0; opt_p < %d; opt_p++) {\n"
                  "%*s    const int opt_i = opt_thread + opt_p * %d, opt_a = %s%d, opt_c = %s%d;\n",
                  indent, "", shares(j, t), indent, "", threads, a, fast, c, fast);
    if (how != STORE) {
        ks_buf_printf(&j->out, "%*s    const %s opt_turn = opt_from + opt_c;\n", indent, "", type);
        if (t->axis != KS_TILE_TURNS)
            ks_buf_printf(&j->out, "%*s    const %s opt_at = opt_block_%c + opt_a;\n", indent, "",
                          j->s->map.axis[t->axis].wide ? "long long" : "int", 'x' + t->axis);
    }
    if (how == COPY) {
        const char *in = ks_arena_printf(arena, "%s%sopt_turn %s", room, *room ? " && " : "", inside);
        ks_buf_printf(&j->out,
                      "%*s    if (%s)\n%*s        __pipeline_memcpy_async(&%s, &%s[%s], %d);\n"
                      "%*s    else%s\n%*s        %s = %s;\n%*s}\n",
                      indent, "", in, indent, "", place, param, t->index, t->bytes, indent, "",
                      *room ? ks_arena_printf(arena, " if (%s)", room) : "", indent, "", place, zero(j, t),
                      indent, "");
        return;
    }
    const char *value =
        how == STORE ? next
                     : ks_arena_printf(arena, "%s%sopt_turn %s ? %s[%s] : %s", room,
                                       *room ? " && " : "", inside, param, t->index, zero(j, t));
    const char *test = *room && how != FETCH ? ks_arena_printf(arena, "if (%s) ", room) : "";
    ks_buf_printf(&j->out, "%*s    %s%s = %s;\n%*s}\n", indent, "", test,
                  how == FETCH ? next : place, value, indent, "");
}

// All tiles of a loop.
static void put_all(struct ks_jammer *j, const struct ks_tile_list *tiles, const int *id,
                    const char *type, const char *inside, enum transfer how, const char *from,
                    int indent)
{
    if (from)
        ks_buf_printf(&j->out, "%*s{\n%*s    const %s opt_from = %s;\n", indent, "", indent, "",
                      type, from);
    for (size_t i = 0; i < tiles->len; i++)
        if (id[i] >= 0 && tiles->at[i].same < 0)
            put_transfer(j, &tiles->at[i], id[i], type, inside, how, indent + (from ? 4 : 0));
    if (from)
        ks_buf_printf(&j->out, "%*s}\n", indent, "");
}

// The copies of a turn's tiles to a buffer, as one stage.
static void put_copies(struct ks_jammer *j, const struct ks_tile_list *tiles, const int *id,
                       const char *type, const char *inside, const char *from, const char *buffer,
                       int indent)
{
    ks_buf_printf(&j->out, "%*s{\n%*s    const int opt_other = %s;\n", indent, "", indent, "", buffer);
    put_all(j, tiles, id, type, inside, COPY, from, indent + 4);
    ks_buf_printf(&j->out, "%*s    __pipeline_commit();\n%*s}\n", indent, "", indent, "");
}

static void put_turns(struct ks_jammer *j, const struct ks_loop *l, const char *type, int indent)
{
    ks_buf_printf(&j->out, "%*s    const %s %s = opt_k + opt_c;\n", indent, "", type, l->var);
    ks_jam_body(j, l->body, indent + 4);
    ks_buf_printf(&j->out, "%*s}\n", indent, "");
}

// Limits of 32-bit counters as a plan condition.
static void limit_counter(struct ks_jammer *j, const struct ks_loop *l)
{
    const char *text = ks_map_plan_text(j->s->arena, j->s->decl, &j->s->env, ks_subject_constant,
                                        (void *)j->s, l->limit);
    if (text)
        j->jam->limits =
            ks_arena_printf(j->s->arena, "%s%s%s <= %d", j->jam->limits,
                            *j->jam->limits ? " && " : "", text, 2147483647 - 2 * j->jam->tile);
}

bool ks_jam_tiled(struct ks_jammer *j, struct ks_node *node, int indent)
{
    struct ks_arena *arena = j->s->arena;
    struct ks_loop l;
    struct ks_tile_list tiles;
    const char *why = NULL;
    ks_loop_read(arena, j->s->decl, &j->s->body, &j->env, node, &l);
    if (!l.declared || l.down || !l.by || strcmp(l.by, "1") != 0 || !l.compare) {
        if (!j->unshared)
            j->unshared = ks_arena_printf(arena, "line %d: only loops that count upwards by one are staged", node->line);
        return false;
    }
    ks_tiles_find(j->s, &j->env, &l, &tiles, &why);
    int *id = KS_NEW_ARRAY(arena, int, tiles.len + 1), n = 0;
    for (size_t i = 0; i < tiles.len; i++) {
        id[i] = tiles.at[i].same >= 0   ? id[tiles.at[i].same]
                : pays(j, &tiles.at[i]) ? begin_tile(j, &tiles.at[i])
                                        : -1;
        n += id[i] >= 0;
        if (id[i] < 0 && !why)
            why = ks_arena_printf(arena, "line %d: %.60s is not staged: no other item of the block reads it",
                                  tiles.at[i].node->line, ks_node_text(arena, &j->s->body, tiles.at[i].node));
    }
    if (n == 0) {
        j->unshared = j->unshared ? j->unshared : why;
        return false;
    }
    j->staged = true;
    const char *type =
        ks_starts_with(node->kid[0]->text, "const ") ? node->kid[0]->text + 6 : node->kid[0]->text;
    const char *limit = ks_jam_renamed(j, ks_jam_piece(j, l.limit->begin, l.limit->end), 0);
    const char *inside = ks_arena_printf(arena, "%s (%s)", l.compare, limit);
    const char *start = ks_jam_renamed(j, ks_jam_piece(j, l.start->begin, l.start->end), 0);
    int turns = j->jam->tile;
    bool copies = j->jam->ahead == KS_JAM_COPIES, registers = j->jam->ahead == KS_JAM_REGISTERS;
    for (size_t i = 0; registers && i < tiles.len; i++)
        if (id[i] >= 0 && tiles.at[i].same < 0)
            ks_buf_printf(&j->out, "%*s%s opt_next%d[%d];\n", indent, "", tiles.at[i].type, id[i],
                          shares(j, &tiles.at[i]));
    if (registers)
        put_all(j, &tiles, id, type, inside, FETCH, start, indent);
    if (copies)
        put_copies(j, &tiles, id, type, inside, start, "0", indent);
    ks_buf_printf(&j->out, "%*sfor (%s opt_k = %s%s; opt_k %s; opt_k += %d%s) {\n", indent, "", type,
                  start, copies ? ", opt_buffer = 0" : "", inside, turns,
                  copies ? ", opt_buffer ^= 1" : "");
    const char *next = ks_arena_printf(arena, "opt_k + %d", turns);
    if (copies) { // the next tile is on its way while this one is waited for and worked on
        put_copies(j, &tiles, id, type, inside, next, "opt_buffer ^ 1", indent + 4);
        ks_buf_printf(&j->out, "%*s    __pipeline_wait_prior(1);\n", indent, "");
    } else {
        put_all(j, &tiles, id, type, inside, registers ? STORE : FILL, registers ? NULL : "opt_k",
                indent + 4);
    }
    for (size_t i = 0; i < tiles.len; i++)
        if (id[i] >= 0)
            read_tile(j, &tiles.at[i], id[i]);
    struct ks_affine env = j->env;
    ks_loop_enter(&j->env, node);
    ks_buf_printf(&j->out, "%*s    __syncthreads();\n", indent, "");
    if (registers) // the next tile's loads are under way while this one is worked on
        put_all(j, &tiles, id, type, inside, FETCH, next, indent + 4);
    ks_buf_printf(&j->out, "%*s    if (opt_k + %d %s) {\n", indent, "", turns - 1, inside);
    if (j->jam->unroll > 0)
        ks_buf_printf(&j->out, "%*s        _Pragma(\"unroll %d\")", indent, "", j->jam->unroll);
    else
        ks_buf_printf(&j->out, "%*s        _Pragma(\"unroll\")", indent, "");
    ks_buf_printf(&j->out, " for (int opt_c = 0; opt_c < %d; opt_c++) {\n", turns);
    put_turns(j, &l, type, indent + 8);
    ks_buf_printf(&j->out,
                  "%*s    } else {\n%*s        for (int opt_c = 0; opt_k + opt_c %s; opt_c++) {\n",
                  indent, "", indent, "", inside);
    put_turns(j, &l, type, indent + 8);
    ks_buf_printf(&j->out, "%*s    }\n%*s    __syncthreads();\n%*s}\n", indent, "", indent, "",
                  indent, "");
    j->staged = false;
    j->env = env;
    j->env.cap = j->env.len;
    limit_counter(j, &l);
    j->jam->loops++;
    j->jam->tiled++;
    return true;
}
