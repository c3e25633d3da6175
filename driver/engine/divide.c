// Divisions and remainders by numbers that are the same in the whole launch, as a multiplication
// and a shift: the launch computes M = ceil(2^63 / n) once, and for 0 <= x < 2^31 and 2 <= n < 2^31
// floor(x / n) = floor(x M / 2^63), since x (M n - 2^63) < 2^63 (Granlund, Montgomery, PLDI 1994).
#include <string.h>

#include "engine/loop.h"
#include "engine/reshape.h"

// The sum has 62 bits: 31 of the number by 31 of M's upper half.
static const char helpers[] =
    "template <class T, class N>\n"
    "__device__ __forceinline__ auto opt_quotient(T x, N n, unsigned long long by) -> decltype(x / "
    "n)\n"
    "{\n"
    "    const unsigned u = x;\n"
    "    return ((by >> 32) * u + __umulhi((unsigned)by, u)) >> 31;\n"
    "}\n"
    "template <class T, class N>\n"
    "__device__ __forceinline__ auto opt_remainder(T x, N n, unsigned long long by) -> decltype(x % n)\n"
    "{\n"
    "    return x - opt_quotient(x, n, by) * n;\n"
    "}\n";

struct divider {
    struct ks_subject *s;
    struct ks_edit_list *edits;
    struct ks_affine env;
    const char *why; // the first division's refusal
    int done;
};

static const char *refuse(const struct divider *d, const struct ks_node *at, const char *why)
{
    return ks_arena_printf(d->s->arena, "line %d: %s", at->line, why);
}

// The divisor as the launch knows it: an integer made of parameters; NULL for others, and for
// constants, which the compiler does itself.
static const char *divisor(const struct divider *d, const struct ks_node *e)
{
    bool param = false;
    for (size_t i = 0; i < d->s->decl->n_params; i++)
        param |= ks_node_count_name(e, d->s->decl->params[i].name) > 0;
    const char *text =
        ks_map_plan_text(d->s->arena, d->s->decl, &d->env, ks_subject_constant, d->s, e);
    const struct ks_affine_local *local =
        e->kind == KS_N_NAME ? ks_affine_find(&d->env, e->text) : NULL;
    return param || local ? text : NULL;
}

static bool is_small(const struct divider *d, const struct ks_node *e, int depth);

// A local that keeps its first value, which is from 0 to 2^31 - 1; or a loop's variable that counts
// up from such a value, an int.
static bool small_local(const struct divider *d, const struct ks_affine_local *local, int depth)
{
    const struct ks_node *var = local->var;
    if (!var->init || var->n > 0 || var->pointer || var->reference)
        return false;
    return !local->changes && is_small(d, var->init, depth + 1);
}

static bool small_global(const struct divider *d, const struct ks_node *e)
{
    struct ks_poly p = ks_affine_eval(&d->env, e);
    const char *block;
    for (char axis = 'x'; axis <= 'z'; axis++)
        if (ks_poly_is_global(&p, axis, &block)) {
            ks_reshape_ask(d->s,
                ks_arena_printf(d->s->arena, "%s * block.%c <= 2147483647", ks_subject_blocks(d->s, axis - 'x'), axis));
            return true;
        }
    return false;
}

// Whether the value is an integer from 0 to 2^31 - 1, under what is asked.
static bool is_small(const struct divider *d, const struct ks_node *e, int depth)
{
    if (depth > 8)
        return false;
    if (small_global(d, e))
        return true;
    if (e->kind == KS_N_NAME) {
        const struct ks_affine_local *local = ks_affine_find(&d->env, e->text);
        return local && small_local(d, local, depth);
    }
    if (e->kind == KS_N_CAST)
        return (strcmp(e->text, "int") == 0 || strstr(e->text, "unsigned") ||
                strstr(e->text, "long") || strstr(e->text, "size_t")) &&
               is_small(d, e->kid[0], depth + 1);
    bool part = ks_node_is(e, KS_N_BINARY, "/") || ks_node_is(e, KS_N_BINARY, "%");
    return part && divisor(d, e->kid[1]) && is_small(d, e->kid[0], depth + 1);
}

static bool visit(void *context, struct ks_node *node)
{
    struct divider *d = context;
    struct ks_arena *arena = d->s->arena;
    if (node->kind == KS_N_DECL)
        ks_affine_declare(&d->env, node, false);
    if (!ks_node_is(node, KS_N_BINARY, "/") && !ks_node_is(node, KS_N_BINARY, "%"))
        return true;
    const char *by = divisor(d, node->kid[1]);
    if (!by)
        return true;
    const char *asked = d->s->asks;
    if (!is_small(d, node->kid[0], 0)) {
        d->s->asks = asked;
        d->why = d->why
                     ? d->why
                     : refuse(d, node, "what is divided is not known to be from 0 to 2147483647");
        return true;
    }
    const char *magic = ks_subject_extra(
        d->s, "unsigned long long", ks_arena_printf(arena, "9223372036854775807 / (%s) + 1", by));
    if (!magic) {
        d->why = refuse(d, node, "more than four divisors");
        return true;
    }
    ks_reshape_ask(d->s, ks_arena_printf(arena, "%s >= 2", by));
    ks_reshape_ask(d->s, ks_arena_printf(arena, "%s <= 2147483647", by));
    ks_node_walk(node->kid[0], visit, d); // a division inside first
    const char *first =
        ks_edit_apply(arena, d->edits, d->s->body.text, node->kid[0]->begin, node->kid[0]->end);
    const char *n = ks_node_text(arena, &d->s->body, node->kid[1]);
    bool rest = node->text[0] == '%';
    ks_edit_add(arena, d->edits, node->begin, node->end,
                rest ? ks_arena_printf(arena, "opt_remainder(%s, %s, %s)", first, n, magic)
                     : ks_arena_printf(arena, "opt_quotient(%s, %s, %s)", first, n, magic));
    d->done++;
    return false;
}

enum ks_status ks_divide_numbers(struct ks_subject *s, struct ks_edit_list *edits,
                                 struct ks_err *err)
{
    struct divider d = {.s = s, .edits = edits};
    ks_affine_begin(s->arena, s->body.block, &d.env);
    ks_node_walk(s->body.block, visit, &d);
    if (d.done > 0)
        s->helpers = ks_arena_printf(s->arena, "%s%s", s->helpers ? s->helpers : "", helpers);
    if (d.done == 0)
        KS_FAIL(
            err, KS_E_UNSUPPORTED, "%s",
            d.why ? d.why
                  : ks_arena_printf(s->arena,
                                    "line %d: no division by a number that the whole launch shares",
                                    s->decl->line));
    return KS_OK;
}
