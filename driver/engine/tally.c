#include "engine/tally.h"

#include <string.h>

#include "engine/loop.h"
#include "engine/tally_tree.h"

bool ks_tally_refuse(struct ks_tally *y, const struct ks_node *at, const char *what)
{
    ks_typed_refuse(&y->t, at, what);
    return false;
}

static const char *code_of(struct ks_tally *y, const struct ks_node *e)
{
    return ks_edit_apply(y->t.arena, &y->t.edits, y->s.body.text, e->begin, e->end);
}

// ---- conditions

static void ask(struct ks_tally *y, const char *condition)
{
    const char *let = ks_typed_let(&y->t, condition);
    y->conditions = y->conditions ? ks_arena_printf(y->t.arena, "%s && %s", y->conditions, let) : let;
}

// What is asked of an element on the way, or, negated, what must not be; where it is asked of the place alone, the template
// has bounds of its own.
static bool condition(struct ks_tally *y, const struct ks_node *e, bool negated)
{
    if (ks_node_is(e, KS_N_BINARY, negated ? "||" : "&&"))
        return condition(y, e->kid[0], negated) && condition(y, e->kid[1], negated);
    const int on = ks_typed_hangs_on(&y->t, e);
    if (on == KS_TYPED_PLACE)
        return ks_tally_shows(y, e, false);
    if (on & ~KS_TYPED_VALUE)
        return ks_tally_refuse(y, e, "what is asked hangs on more than elements");
    const struct ks_typed value = ks_typed_formula(&y->t, e);
    if (!value.text)
        return false;
    ask(y, negated ? ks_arena_printf(y->t.arena, "!%s", value.text) : value.text);
    ks_buf_printf(&y->code, negated ? "    if (%s)\n        return false;\n" : "    if (!(%s))\n        return false;\n",
                  code_of(y, e));
    return true;
}

static bool leaves(const struct ks_node *s, bool by_return)
{
    return s->kind == KS_N_CONTINUE || (by_return && s->kind == KS_N_RETURN) ||
           (s->kind == KS_N_BLOCK && s->n == 1 && leaves(s->kid[0], by_return));
}

// ---- statements in front of the count

static bool in_turn(const struct ks_tally *y, const struct ks_node *decl)
{
    return y->loop == NULL || (decl->begin > y->loop->begin && decl->end <= y->loop->end);
}

static bool declare(struct ks_tally *y, const struct ks_node *decl, const struct ks_node *var)
{
    const int on = var->init ? ks_typed_hangs_on(&y->t, var->init) : 0;
    const bool changes = ks_node_changes(y->s.body.block, var->text) && in_turn(y, decl);
    enum ks_scalar type = ks_typed_of_words(&y->t, decl->text);
    if (!(on & KS_TYPED_VALUE) && (on != 0 || !changes || type == KS_T_NONE || var->n > 0))
        return true; // a place, or what is taken up where it is used
    if (on & ~KS_TYPED_VALUE || var->n > 0 || var->pointer || var->reference)
        return ks_tally_refuse(y, var, "a variable hangs on elements and on more");
    struct ks_typed value = {.text = "0", .type = type};
    if (var->init)
        value = ks_typed_formula(&y->t, var->init);
    if (strstr(decl->text, "auto"))
        type = value.type;
    if (!value.text || type == KS_T_NONE)
        return ks_tally_refuse(y, var, "a variable that hangs on elements is not understood");
    ks_buf_printf(&y->code, "    %s %s", decl->text, var->text);
    if (var->init)
        ks_buf_printf(&y->code, " = %s", code_of(y, var->init));
    ks_buf_puts(&y->code, ";\n");
    ks_typed_set(&y->t, var->text, ks_typed_as(&y->t, value, type));
    return true;
}

static bool assign(struct ks_tally *y, const struct ks_node *e)
{
    struct ks_typed_reader *t = &y->t;
    const struct ks_node *target = e->n > 0 ? e->kid[0] : e;
    struct ks_typed *slot = e->kind == KS_N_ASSIGN && target->kind == KS_N_NAME ? ks_typed_get(t, target->text) : NULL;
    const struct ks_node *decl = slot ? ks_loop_declaration(y->s.body.block, target->text, e->begin) : NULL;
    if (!slot || !decl || !in_turn(y, decl) || ks_typed_hangs_on(t, e->kid[1]) & ~KS_TYPED_VALUE)
        return ks_tally_refuse(y, e, "a value of elements goes on to others");
    const enum ks_scalar type = slot->type;
    struct ks_typed value;
    if (strcmp(e->text, "=") == 0) {
        value = ks_typed_formula(t, e->kid[1]);
    } else {
        struct ks_node operation = *e;
        operation.kind = KS_N_BINARY;
        operation.text = ks_arena_strndup(t->arena, e->text, strlen(e->text) - 1);
        value = ks_typed_formula(t, &operation);
    }
    if (value.text)
        ks_typed_set(t, target->text, ks_typed_as(t, value, type));
    return value.text != NULL;
}

static bool compute(struct ks_tally *y, struct ks_node *s);

// Both ways are reckoned, and each variable takes its value from one.
static bool choose(struct ks_tally *y, struct ks_node *s)
{
    struct ks_typed_reader *t = &y->t;
    if (ks_typed_hangs_on(t, s->kid[0]) & ~KS_TYPED_VALUE)
        return ks_tally_refuse(y, s, "what is asked hangs on more than elements");
    const struct ks_typed asked = ks_typed_formula(t, s->kid[0]);
    const char *let = asked.text ? ks_typed_let(t, asked.text) : NULL;
    for (size_t way = 1; let && way < s->n; way++) {
        const struct ks_typed_env before = t->env;
        if (!compute(y, s->kid[way]))
            return false;
        const struct ks_typed_env after = t->env;
        t->env = before;
        for (size_t i = 0; i < before.n; i++)
            if (before.value[i].text != after.value[i].text)
                ks_typed_set(t, before.name[i],
                             (struct ks_typed){.text = ks_arena_printf(t->arena, "(%s%s ? %s : %s)", way == 1 ? "" : "!", let,
                                                                       after.value[i].text, before.value[i].text),
                                               .type = before.value[i].type});
    }
    return let != NULL;
}

// What is made of elements, and nothing else.
static bool compute(struct ks_tally *y, struct ks_node *s)
{
    if (s->kind == KS_N_BLOCK) {
        for (size_t i = 0; i < s->n; i++)
            if (!compute(y, s->kid[i]))
                return false;
        return true;
    }
    if (s->kind == KS_N_EXPR)
        return assign(y, s->kid[0]);
    return s->kind == KS_N_EMPTY || (s->kind == KS_N_IF && choose(y, s)) ||
           ks_tally_refuse(y, s, "what is made of elements is more than expressions");
}

static bool in_front(struct ks_tally *y, struct ks_node *s)
{
    if (s->kind == KS_N_DECL) {
        for (size_t i = 0; i < s->n && !s->shared; i++)
            if (!declare(y, s, s->kid[i]))
                return false;
        return true;
    }
    if (s->kind == KS_N_IF && s->n == 2 && leaves(s->kid[1], y->loop == NULL && y->merge.call == NULL))
        return condition(y, s->kid[0], true);
    if (!(ks_typed_hangs_on(&y->t, s) & KS_TYPED_VALUE))
        return true; // places, and room for counts
    if (!compute(y, s))
        return false;
    ks_buf_printf(&y->code, "    %s\n", code_of(y, s));
    return true;
}

static bool put_count(struct ks_tally *y, const struct ks_tally_atomic *count);

// The block of the text that counts, to its end.
static bool walk_counts(struct ks_tally *y, const struct ks_node *block)
{
    const char *conditions = y->conditions;
    size_t next = 0;
    for (size_t i = 0; i < block->n; i++) {
        struct ks_node *s = block->kid[i];
        if (next < y->n_counts && s == y->count[next].path[y->count[next].depth - 1]) {
            if (next > 0 && y->conditions != conditions)
                return ks_tally_refuse(y, s, "counts of one element stand under several conditions");
            conditions = y->conditions;
            if (!put_count(y, &y->count[next++]))
                return false;
        } else if (next < y->n_counts) {
            if (!in_front(y, s))
                return false;
        } else if (ks_typed_hangs_on(&y->t, s) & KS_TYPED_VALUE) {
            return ks_tally_refuse(y, s, "more is made of elements than a count");
        }
    }
    return true;
}

static bool walk_down(struct ks_tally *y)
{
    const struct ks_tally_atomic *c = &y->count[0];
    for (size_t d = 0; d + 1 < c->depth; d++) {
        struct ks_node *outer = c->path[d], *next = c->path[d + 1];
        size_t at = 0;
        while (outer->kid[at] != next)
            at++;
        if (outer->kind == KS_N_IF) {
            if (at == 0 || !condition(y, outer->kid[0], at == 2))
                return false;
        } else if (ks_node_is_loop(outer)) {
            for (size_t i = 0; i < outer->n; i++)
                if (i != at && ks_typed_hangs_on(&y->t, outer->kid[i]) & KS_TYPED_VALUE)
                    return ks_tally_refuse(y, outer, "a loop's turns hang on elements");
                else if (i != at && !ks_tally_shows(y, outer->kid[i], true))
                    return false;
        } else if (d + 2 < c->depth) {
            for (size_t i = 0; i < at; i++)
                if (!in_front(y, outer->kid[i]))
                    return false;
        }
    }
    const struct ks_node *block = c->path[c->depth - 2];
    return block->kind == KS_N_BLOCK ? walk_counts(y, block) : put_count(y, c);
}

// Behind the counts nothing is made of elements any more.
static bool walk_on(struct ks_tally *y)
{
    const struct ks_tally_atomic *c = &y->count[0];
    for (size_t d = 0; d + 2 < c->depth; d++)
        for (size_t i = 0, behind = 0; c->path[d]->kind == KS_N_BLOCK && i < c->path[d]->n; i++) {
            if (behind && ks_typed_hangs_on(&y->t, c->path[d]->kid[i]) & KS_TYPED_VALUE)
                return ks_tally_refuse(y, c->path[d]->kid[i], "more is made of elements than a count");
            behind |= c->path[d]->kid[i] == c->path[d + 1];
        }
    return true;
}

// ---- the count

struct terms {
    struct ks_buf code, formula;
    bool dropped, value;
};

// The summands of a place, without those of the numbers of threads.
static bool take_terms(struct ks_tally *y, const struct ks_node *e, bool minus, struct terms *terms)
{
    const bool subtracts = ks_node_is(e, KS_N_BINARY, "-");
    if (subtracts || ks_node_is(e, KS_N_BINARY, "+"))
        return take_terms(y, e->kid[0], minus, terms) && take_terms(y, e->kid[1], minus != subtracts, terms);
    const int on = ks_typed_hangs_on(&y->t, e);
    if (on & KS_TYPED_OTHER || on == (KS_TYPED_VALUE | KS_TYPED_PLACE))
        return ks_tally_refuse(y, e, "the place of a count hangs on elements and threads at once");
    terms->value |= on == KS_TYPED_VALUE;
    terms->dropped |= on == KS_TYPED_PLACE;
    if (on == KS_TYPED_PLACE)
        return true;
    const struct ks_typed value = ks_typed_formula(&y->t, e);
    if (!value.text || ks_scalar_is_float(value.type))
        return ks_tally_refuse(y, e, "the place of a count is no whole number");
    ks_buf_printf(&terms->formula, " %c %s", minus ? '-' : '+', value.text);
    ks_buf_printf(&terms->code, " %c (%s)", minus ? '-' : '+', code_of(y, e));
    return true;
}

// Where it is counted: the formula, and in *code the same in C.
static const char *place_of(struct ks_tally *y, const struct ks_node *index, const char **code)
{
    struct terms terms = {.code = KS_BUF(1 << 14), .formula = KS_BUF(1 << 14)};
    const char *text = NULL;
    if (take_terms(y, index, false, &terms) && terms.value) {
        struct ks_typed whole = {.type = KS_T_I64};
        if (terms.dropped)
            whole.text = ks_arena_printf(y->t.arena, "(0%s)", ks_buf_text(&terms.formula));
        else
            whole = ks_typed_formula(&y->t, index);
        *code = terms.dropped ? ks_arena_printf(y->t.arena, "0%s", ks_buf_text(&terms.code)) : code_of(y, index);
        text = whole.text;
        y->place = ks_typed_common(y->place, whole.type);
    }
    if (!text)
        ks_tally_refuse(y, index, "the place of a count hangs on no element");
    ks_buf_free(&terms.code);
    ks_buf_free(&terms.formula);
    return text;
}

// A block's own counts of fewer bits than memory's are exact where each element is one.
static bool is_exact(struct ks_tally *y, enum ks_scalar type)
{
    const struct ks_node *base = y->count[0].base;
    const struct ks_node *decl = y->merge.call ? ks_loop_declaration(y->s.body.block, base->text, base->begin) : NULL;
    const enum ks_scalar own = decl ? ks_typed_of_words(&y->t, decl->text) : type;
    if (own < KS_T_I32 || own > KS_T_U64 || type < KS_T_I32 || type > KS_T_U64)
        return ks_tally_refuse(y, base, "counts are no whole numbers");
    bool kept = y->merge.call == NULL || ks_tally_keeps_width(&y->merge, type);
    for (size_t i = 0; i < y->n_counts; i++)
        kept &= ks_tally_keeps_width(&y->count[i], own);
    if (!kept)
        return ks_tally_refuse(y, base, "counts are taken for numbers of another width");
    return ks_scalar_size(own) == ks_scalar_size(type) || y->t.tail->once ||
           ks_tally_refuse(y, base, "a block counts in fewer bits than memory");
}

static bool put_count(struct ks_tally *y, const struct ks_tally_atomic *count)
{
    struct ks_typed_reader *t = &y->t;
    const struct ks_node *added = count->call->kid[2];
    const enum ks_scalar type = y->s.brief->signature->params[t->target].elem.scalar;
    const int nth = t->tail->n_counts++;
    const char *code, *place = place_of(y, count->index, &code);
    if (!place || ks_typed_hangs_on(t, added) & ~KS_TYPED_VALUE)
        return ks_tally_refuse(y, added, "what is added hangs on more than elements");
    const struct ks_typed weight = ks_typed_formula(t, added);
    if (!weight.text || ks_scalar_is_float(weight.type))
        return ks_tally_refuse(y, added, "what is added is no whole number");
    t->tail->once = (nth == 0 || t->tail->once) && strcmp(weight.text, "1") == 0;
    ks_buf_printf(&y->code, "    its_bin[%d] = %s;\n    its_weight[%d] = (%s)(%s);\n", nth, code, nth, ks_scalar_c_name(type),
                  code_of(y, added));
    y->values = ks_arena_printf(t->arena, "%s%s(%s%s%s == its_bin ? %s : 0)", y->values ? y->values : "", y->values ? " + " : "",
                                y->conditions ? y->conditions : "", y->conditions ? " && " : "", place,
                                ks_typed_as(t, weight, type).text);
    return true;
}

static bool read_all(struct ks_tally *y)
{
    const struct ks_tally_atomic *first = &y->count[0];
    const struct ks_node *memory = y->merge.call ? y->merge.base : first->base;
    struct ks_tail *head = y->t.tail;
    if (!ks_typed_param(&y->t, memory->text, &y->t.target))
        return ks_tally_refuse(y, memory, "counts go to no parameter");
    for (size_t d = 0; d < first->depth; d++)
        if (ks_node_is_loop(first->path[d]))
            y->loop = first->path[d];
    const enum ks_scalar type = y->s.brief->signature->params[y->t.target].elem.scalar;
    if (!walk_down(y) || !walk_on(y) || !is_exact(y, type) || !ks_tally_is_all(y))
        return false;
    head->type = ks_scalar_c_name(type);
    head->place = y->place == KS_T_I32 ? "int" : y->place == KS_T_U32 ? "unsigned" : "long long";
    head->value = ks_arena_printf(y->t.arena, "(%s)", y->values);
    head->lets = ks_arena_strdup(y->t.arena, ks_buf_text(&y->t.lets));
    head->code = ks_arena_printf(y->t.arena, "%s%s    return true;\n", ks_buf_text(&y->t.front), ks_buf_text(&y->code));
    return head->n_reads > 0 || ks_tally_refuse(y, first->call, "no element is read for it");
}

bool ks_tally_find(struct ks_arena *arena, const struct ks_brief *brief, struct ks_tail *head, const char **why)
{
    struct ks_tally *y = KS_NEW(arena, struct ks_tally);
    struct ks_err err = {0};
    *y = (struct ks_tally){.code = KS_BUF(1 << 16)};
    *head = (struct ks_tail){.in_front = true};
    *why = ks_arena_printf(arena, "line %d: the text is not understood", brief->decl->line);
    if (ks_subject_make(arena, brief, &y->s, &err) != KS_OK || y->s.brief->decl != brief->decl)
        return false; // or parameters are other ones by now
    y->t = (struct ks_typed_reader){.arena = arena, .s = &y->s, .tail = head, .lets = KS_BUF(1 << 16), .front = KS_BUF(1 << 16)};
    const bool found = ks_tally_atomics(y) && read_all(y);
    *why = y->t.why;
    ks_buf_free(&y->t.lets);
    ks_buf_free(&y->t.front);
    ks_buf_free(&y->code);
    return found;
}
