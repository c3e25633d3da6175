#include "workload/members.h"

#include <string.h>

#include "workload/fields.h"

// What the name in a clause says behind "p."; NULL: nothing about that parameter's members.
static const char *member_of(const char *name, const char *param)
{
    size_t n = strlen(param);
    return n > 0 && strncmp(name, param, n) == 0 && name[n] == '.' ? name + n + 1 : NULL;
}

struct expander {
    struct ks_arena *arena;
    const struct ks_workload_mark *mark;
    const char *param;
    const struct ks_type *type;
    struct ks_slice text_of_structs;
    struct ks_fields fields;
    struct ks_err *err;
};

// Calls `visit` for each member that a clause names; a pointer's has `pointer`, and only the first name of an alias
// gives a value.
static enum ks_status each_clause(const struct ks_workload_mark *w, const char *param,
                                  enum ks_status (*visit)(void *context, const char *clause, const char *member,
                                                          bool pointer),
                                  void *context)
{
    static const char *const roles[] = {"in", "inout", "out"};
    const char *member;
    for (size_t i = 0; i < w->n_settings; i++)
        if ((member = member_of(w->settings[i].name, param)) != NULL)
            KS_TRY(visit(context, "set", member,
                         w->settings[i].n_values == 1 && strcmp(w->settings[i].values[0], "nullptr") == 0));
    for (size_t i = 0; i < w->n_arrays; i++)
        if ((member = member_of(w->arrays[i].name, param)) != NULL)
            KS_TRY(visit(context, roles[w->arrays[i].role], member, true));
    for (size_t i = 0; i < w->n_aliases; i++)
        if ((member = member_of(w->aliases[i][0], param)) != NULL)
            KS_TRY(visit(context, "alias", member, true));
    return KS_OK;
}

static enum ks_status count(void *context, const char *clause, const char *member, bool pointer)
{
    (void)clause, (void)member, (void)pointer;
    ++*(size_t *)context;
    return KS_OK;
}

static size_t count_clauses(const struct ks_workload_mark *w, const char *param)
{
    size_t n = 0;
    each_clause(w, param, count, &n);
    return n;
}

static const struct ks_field *find_field(const struct expander *x, const char *member)
{
    ks_vec_each (const struct ks_field, f, &x->fields)
        if (strcmp(f->name, member) == 0)
            return f;
    return NULL;
}

static const char *all_members(const struct expander *x)
{
    const char *list = "";
    ks_vec_each (const struct ks_field, f, &x->fields)
        list = ks_arena_printf(x->arena, "%s%s%s", list, *list ? ", " : "", f->name);
    return list;
}

static enum ks_status check_clause(void *context, const char *clause, const char *member, bool pointer)
{
    const struct expander *x = context;
    const struct ks_field *f = find_field(x, member);
    if (f == NULL)
        KS_FAIL(x->err, KS_E_USER, "%s: %s(%s.%s): %s has no such member; it has %s", x->mark->where, clause,
                x->param, member, x->type->text, all_members(x));
    if (f->type.pointer != pointer)
        KS_FAIL(x->err, KS_E_USER, "%s: %s(%s.%s): the member is %s (%s); use %s", x->mark->where, clause, x->param,
                member, pointer ? "no pointer" : "a pointer", f->type.text,
                pointer ? "set" : "in, inout or out, or set it to nullptr");
    return KS_OK;
}

struct given {
    const char *member;
    bool found;
};

static enum ks_status note_given(void *context, const char *clause, const char *member, bool pointer)
{
    struct given *g = context;
    (void)clause, (void)pointer;
    g->found = g->found || strcmp(member, g->member) == 0;
    return KS_OK;
}

// The block's part in one member.
static enum ks_status add_member(struct expander *x, const struct ks_field *f, struct ks_block *block, bool *matters)
{
    struct given given = {f->name, false};
    const char *name = ks_arena_printf(x->arena, "%s.%s", x->param, f->name);
    each_clause(x->mark, x->param, note_given, &given);
    if (!given.found)
        KS_FAIL(x->err, KS_E_USER, "%s: member '%s' (%s) of %s is given nothing; add %s(%s%s)", x->mark->where, name,
                f->type.text, x->type->text, f->type.pointer ? "in" : "set", name, f->type.pointer ? "[...]" : "=...");
    if (f->type.pointer) {
        block->pointers[block->n_pointers++] = (struct ks_block_pointer){f->at, name, f->type};
        return KS_OK;
    }
    bool integer = !ks_scalar_is_float(f->type.elem.scalar) && f->type.elem.lanes == 1;
    block->values[block->n_values++] = (struct ks_block_value){f->at, name, f->type, integer};
    memset(matters + f->at, !integer, f->size);
    return KS_OK;
}

static enum ks_status add_block(struct expander *x, struct ks_block *block)
{
    if (!ks_fields_find(x->arena, x->text_of_structs, x->type->text, &x->fields))
        KS_FAIL(x->err, KS_E_USER, "%s: the members of '%s' (%s) are not known: clauses can name those of a plain "
                "struct that is defined once; capture a launch instead (ks record --capture)", x->mark->where,
                x->param, x->type->text);
    KS_TRY(each_clause(x->mark, x->param, check_clause, x));
    bool *matters = KS_NEW_ARRAY(x->arena, bool, x->fields.size);
    *block = (struct ks_block){.name = x->param, .size = x->fields.size, .matters = matters,
                               .bytes = KS_NEW_ARRAY(x->arena, unsigned char, x->fields.size)};
    block->pointers = KS_NEW_ARRAY(x->arena, struct ks_block_pointer, x->fields.len);
    block->values = KS_NEW_ARRAY(x->arena, struct ks_block_value, x->fields.len);
    ks_vec_each (const struct ks_field, f, &x->fields)
        KS_TRY(add_member(x, f, block, matters));
    return KS_OK;
}

static enum ks_status expand_one(struct expander *x, const struct ks_kernel_decl *decl,
                                 const struct ks_signature *signature, struct ks_workload_mark *out)
{
    KS_VEC(struct ks_block) blocks = {0};
    for (size_t i = 0; i < decl->n_params && i < signature->n_params; i++) {
        x->param = decl->params[i].name;
        x->type = &signature->params[i];
        if (count_clauses(x->mark, x->param) > 0)
            KS_TRY(add_block(x, ks_vec_push(x->arena, &blocks)));
    }
    out->blocks = blocks.at;
    out->n_blocks = blocks.len;
    return KS_OK;
}

static bool has_dot(const struct ks_workload_mark *w)
{
    bool dot = false;
    for (size_t i = 0; i < w->n_settings; i++)
        dot = dot || strchr(w->settings[i].name, '.') != NULL;
    for (size_t i = 0; i < w->n_arrays; i++)
        dot = dot || strchr(w->arrays[i].name, '.') != NULL;
    for (size_t i = 0; i < w->n_aliases; i++)
        dot = dot || strchr(w->aliases[i][0], '.') != NULL;
    return dot;
}

bool ks_members_named(const struct ks_mark *mark)
{
    for (size_t w = 0; w < mark->n_workloads; w++)
        if (has_dot(&mark->workloads[w]))
            return true;
    return false;
}

struct ks_mark *ks_members_expand(struct ks_arena *arena, const struct ks_mark *mark,
                                  const struct ks_kernel_decl *decl,
                                  const struct ks_signature *signature, struct ks_slice text)
{
    struct ks_mark *out = ks_arena_memdup(arena, mark, sizeof *mark);
    out->workloads = ks_arena_memdup(arena, mark->workloads, mark->n_workloads * sizeof *mark->workloads);
    for (size_t w = 0; w < mark->n_workloads; w++) {
        struct ks_err err = {0};
        struct expander x = {.arena = arena, .mark = &mark->workloads[w], .text_of_structs = text, .err = &err};
        if (has_dot(x.mark) && expand_one(&x, decl, signature, &out->workloads[w]) != KS_OK)
            out->workloads[w].capture_problem = ks_arena_strdup(arena, err.text);
    }
    return out;
}
