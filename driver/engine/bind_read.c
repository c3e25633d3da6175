// Reading a template's description.
#include <string.h>

#include "base/vec.h"
#include "engine/bind.h"
#include "engine/template.h"

void ks_names_add(struct ks_arena *arena, struct ks_names *names, const char *name,
                  const char *value)
{
    size_t n = names->n;
    ks_vec_grow_(arena, (void **)&names->name, &n, &names->cap, sizeof *names->name);
    ks_vec_grow_(arena, (void **)&names->value, &names->n, &names->cap_value, sizeof *names->value);
    names->name[names->n - 1] = name;
    names->value[names->n - 1] = value;
}

static bool name_roles(struct ks_arena *arena, const struct ks_template *t, struct ks_expr *e)
{
    if (e == NULL)
        return true;
    for (size_t r = 0; e->op == KS_X_NAME && r < t->n_roles; r++)
        if (strcmp(t->roles[r].name, e->name) == 0) {
            e->name = ks_arena_printf(arena, "%c", (char)(KS_ROLE_LETTER + r));
            return true;
        }
    bool known = e->op != KS_X_NAME;
    for (int i = 0; known && i < 4; i++)
        known = name_roles(arena, t, e->kid[i]);
    return known;
}

enum ks_status ks_template_expr(struct ks_arena *arena, const struct ks_template *t, int line, const char *text,
                                struct ks_expr **out, struct ks_err *err)
{
    struct ks_buf buf = KS_BUF(4096);
    for (const char *at = text; *at; at++)
        if (*at != '@')
            ks_buf_putc(&buf, *at);
    const char *where = ks_arena_printf(arena, "%s:%d", t->file, line);
    enum ks_status status = ks_expr_parse(arena, where, ks_slice_of(ks_buf_text(&buf)), out, err);
    if (status == KS_OK && !name_roles(arena, t, *out))
        status = ks_err_set(err, KS_E_USER, "%s: \"%s\" names what is no role", where, text);
    ks_buf_free(&buf);
    return status;
}

static enum ks_status read_flag(const struct ks_template *t, const struct ks_yaml *map, const char *name, bool *flag,
                                struct ks_err *err)
{
    const char *text = ks_yaml_text(map, name, "false");
    *flag = strcmp(text, "true") == 0;
    if (!*flag && strcmp(text, "false") != 0)
        KS_FAIL(err, KS_E_USER, "%s:%d: %s is true or false", t->file, map->line, name);
    return KS_OK;
}

static enum ks_status read_role(struct ks_arena *arena, const struct ks_template *t,
                                const char *name, const struct ks_yaml *map, struct ks_role *role,
                                struct ks_err *err)
{
    static const char *const kinds[] = {"in",     "out",     "inout",  "int",
                                        "scalar", "literal", "launch", NULL};
    static const char *const known[] = {"kind", "elem", "extent", "default", "or", "values", "of_text", NULL};
    if (map->kind != KS_YAML_MAP)
        KS_FAIL(err, KS_E_USER, "%s:%d: role %s is no map", t->file, map->line, name);
    KS_TRY(ks_yaml_known(t->file, map, known, err));
    const char *kind = ks_yaml_text(map, "kind", "");
    *role = (struct ks_role){.name = name,
                             .elem = ks_yaml_text(map, "elem", NULL),
                             .extent = ks_yaml_text(map, "extent", NULL),
                             .fallback = ks_yaml_text(map, "default", NULL),
                             .otherwise = ks_yaml_text(map, "or", NULL)};
    KS_TRY(read_flag(t, map, "of_text", &role->of_text, err));
    const struct ks_yaml *values = ks_yaml_get(map, "values");
    for (size_t i = 0; values && values->kind == KS_YAML_LIST && i < values->len; i++)
        ks_strv_add(arena, &role->values, values->items[i].text);
    for (int i = 0; kinds[i]; i++)
        if (strcmp(kinds[i], kind) == 0) {
            role->kind = (enum ks_role_kind)i;
            bool pointer = i <= KS_ROLE_KIND_INOUT;
            bool typed = i != KS_ROLE_KIND_INT && i < KS_ROLE_KIND_LITERAL;
            if ((pointer && !role->extent) || (typed && !role->elem))
                KS_FAIL(err, KS_E_USER, "%s:%d: role %s needs %s", t->file, map->line, name,
                        pointer && !role->extent ? "extent" : "elem");
            return KS_OK;
        }
    KS_FAIL(err, KS_E_USER, "%s:%d: role %s: kind is in, out, inout, int, scalar, literal or launch",
            t->file, map->line, name);
}

static enum ks_status read_types(struct ks_arena *arena, struct ks_template *t,
                                 const struct ks_yaml *types, struct ks_err *err)
{
    if (!types || types->kind != KS_YAML_MAP)
        KS_FAIL(err, KS_E_USER, "%s: a template needs types", t->file);
    t->n_types = types->len;
    t->type_names = KS_NEW_ARRAY(arena, const char *, types->len);
    t->types = KS_NEW_ARRAY(arena, struct ks_strv, types->len);
    for (size_t i = 0; i < types->len; i++) {
        t->type_names[i] = types->keys[i];
        const struct ks_yaml *list = &types->items[i];
        for (size_t k = 0; list->kind == KS_YAML_LIST && k < list->len; k++) {
            struct ks_elem elem;
            if (!ks_elem_parse(list->items[k].text, &elem))
                KS_FAIL(err, KS_E_USER, "%s:%d: \"%s\" is no element type", t->file,
                        list->items[k].line, list->items[k].text);
            ks_strv_add(arena, &t->types[i], list->items[k].text);
        }
    }
    return KS_OK;
}

// What all forms mean alike may hold placeholders of the form: @combine@.
static enum ks_status read_meaning(struct ks_arena *arena, struct ks_template *t, int line,
                                   const char *means, struct ks_form *form, struct ks_err *err)
{
    const char *own = NULL;
    for (size_t i = 0; i < form->names.n; i++) {
        if (strcmp(form->names.name[i], "means") == 0)
            own = form->names.value[i];
        if (strcmp(form->names.name[i], "says") == 0)
            form->says = form->names.value[i];
    }
    means = own ? own : means;
    if (!means)
        return KS_OK;
    char *text;
    for (int depth = 0; depth < 2; depth++) {
        KS_TRY(ks_template_expand(arena, t->file, means, form->names.name, form->names.value,
                                  form->names.n, &text, err));
        means = text;
    }
    const char *where = ks_arena_printf(arena, "%s:%d", t->file, line);
    form->meaning = means;
    return ks_formula_parse(arena, where, means, &form->means, err);
}

static enum ks_status read_forms(struct ks_arena *arena, struct ks_template *t,
                                 const struct ks_yaml *forms, const char *means, const char *says,
                                 struct ks_err *err)
{
    t->n_forms = forms ? forms->len : 1;
    t->forms = KS_NEW_ARRAY(arena, struct ks_form, t->n_forms);
    if (!forms) {
        t->forms[0] = (struct ks_form){.says = says};
        ks_names_add(arena, &t->forms[0].names, "form", "plain");
        return read_meaning(arena, t, 1, means, &t->forms[0], err);
    }
    for (size_t i = 0; i < forms->len; i++) {
        const struct ks_yaml *map = &forms->items[i];
        if (map->kind != KS_YAML_MAP || !ks_yaml_get(map, "form"))
            KS_FAIL(err, KS_E_USER, "%s:%d: a form is a map with its name as `form`", t->file,
                    map->line);
        t->forms[i] = (struct ks_form){.says = says};
        for (size_t k = 0; k < map->len; k++)
            ks_names_add(arena, &t->forms[i].names, map->keys[k], map->items[k].text);
        KS_TRY(read_meaning(arena, t, map->line, means, &t->forms[i], err));
    }
    return KS_OK;
}

static enum ks_status read_needs(struct ks_arena *arena, struct ks_template *t,
                                 const struct ks_yaml *needs, struct ks_err *err)
{
    t->n_needs = needs && needs->kind == KS_YAML_LIST ? needs->len : 0;
    t->needs = KS_NEW_ARRAY(arena, struct ks_expr *, t->n_needs + 1);
    for (size_t i = 0; i < t->n_needs; i++)
        KS_TRY(ks_template_expr(arena, t, needs->items[i].line, needs->items[i].text, &t->needs[i], err));
    return KS_OK;
}

static enum ks_status read_kinds(struct ks_arena *arena, struct ks_template *t,
                                 const struct ks_yaml *kinds, struct ks_tail_kinds *out,
                                 struct ks_err *err)
{
    static const char *const known[] = {"index", "extent", "code", "role", "product", NULL};
    out->n = kinds && kinds->kind == KS_YAML_LIST ? kinds->len : 0;
    out->at = KS_NEW_ARRAY(arena, struct ks_tail_kind, out->n + 1);
    for (size_t i = 0; i < out->n; i++) {
        const struct ks_yaml *map = &kinds->items[i];
        struct ks_tail_kind *kind = &out->at[i];
        if (map->kind != KS_YAML_MAP)
            KS_FAIL(err, KS_E_USER, "%s:%d: what is kept is a list of maps", t->file, map->line);
        KS_TRY(ks_yaml_known(t->file, map, known, err));
        const char *role = ks_yaml_text(map, "role", NULL);
        *kind = (struct ks_tail_kind){.index = ks_yaml_text(map, "index", NULL),
                                      .extent = ks_yaml_text(map, "extent", NULL),
                                      .code = ks_yaml_text(map, "code", NULL),
                                      .no_product = strcmp(ks_yaml_text(map, "product", "true"), "false") == 0};
        if (!kind->code || !kind->extent == !role || (!kind->index && out != &t->factors))
            KS_FAIL(err, KS_E_USER, "%s:%d: what is kept needs index, code, and extent or role",
                    t->file, map->line);
        if (kind->extent)
            KS_TRY(ks_template_expr(arena, t, map->line, kind->extent, &kind->count, err));
        while (role && kind->role < t->n_roles && strcmp(t->roles[kind->role].name, role) != 0)
            kind->role++;
        if (kind->role == t->n_roles)
            KS_FAIL(err, KS_E_USER, "%s:%d: no role %s", t->file, map->line, role);
    }
    return KS_OK;
}

// Whether a guard asks that two arrays lie apart: `overlap(@a@, BYTES, @b@, BYTES)`, in either order.
static bool asks_apart(struct ks_arena *arena, const char *when, const char *a, const char *b)
{
    const char *second = ks_arena_printf(arena, ", @%s@, ", b);
    const char *first = ks_arena_printf(arena, "!overlap(@%s@, ", a);
    for (const char *at = when; (at = strstr(at, first)) != NULL; at++) {
        const char *found = strstr(at, second), *end = strstr(at + 1, "!overlap(");
        if (found && (!end || found < end))
            return true;
    }
    return false;
}

// What a template writes must not be what it reads: where they overlap, the original alone says what comes of it.
static enum ks_status check_apart(struct ks_arena *arena, const struct ks_template *t, int line, const char *when,
                                  struct ks_err *err)
{
    for (size_t i = 0; i < t->n_roles; i++)
        for (size_t k = 0; k < i; k++) {
            const struct ks_role *a = &t->roles[i], *b = &t->roles[k];
            bool arrays = a->kind <= KS_ROLE_KIND_INOUT && b->kind <= KS_ROLE_KIND_INOUT;
            bool read_only = a->kind == KS_ROLE_KIND_IN && b->kind == KS_ROLE_KIND_IN;
            if (arrays && !read_only && !asks_apart(arena, when, a->name, b->name) &&
                !asks_apart(arena, when, b->name, a->name))
                KS_FAIL(err, KS_E_USER, "%s:%d: `when` does not ask !overlap(@%s@, ..., @%s@, ...)", t->file, line,
                        b->name, a->name);
        }
    return KS_OK;
}

enum ks_status ks_template_read(struct ks_arena *arena, struct ks_template *t, struct ks_err *err)
{
    static const char *const known[] = {"title", "roles",     "types",  "settings", "forms", "when",
                                        "plan",  "workspace", "source", "includes", "means", "says",
                                        "needs", "domain",    "more",   "any",      "tail",  "head",
                                        "factor", "errs",      "cut",    "tally",    "stencil",  "float_sums",
                                        "float_values", "one_array", "fits",  "first", NULL};
    struct ks_yaml *root;
    KS_TRY(ks_yaml_parse(arena, t->file, ks_slice_of(t->text), &root, err));
    if (root->kind != KS_YAML_MAP)
        KS_FAIL(err, KS_E_USER, "%s:1: a template is a map", t->file);
    KS_TRY(ks_yaml_known(t->file, root, known, err));
    t->title = ks_yaml_text(root, "title", t->name);
    const char *source = ks_yaml_text(root, "source", NULL), *errs = ks_yaml_text(root, "errs", NULL);
    const struct ks_yaml *more = ks_yaml_get(root, "more"), *params = ks_yaml_get(root, "settings");
    if (source)
        ks_strv_add(arena, &t->source_files, source);
    if (more && more->kind == KS_YAML_SCALAR)
        ks_strv_add(arena, &t->source_files, more->text);
    for (size_t i = 0; more && more->kind == KS_YAML_LIST && i < more->len; i++)
        ks_strv_add(arena, &t->source_files, more->items[i].text);
    t->n_params = params && params->kind == KS_YAML_MAP ? params->len : 0;
    t->param_names = KS_NEW_ARRAY(arena, const char *, t->n_params);
    t->param_values = KS_NEW_ARRAY(arena, const char *, t->n_params);
    for (size_t i = 0; i < t->n_params; i++) {
        t->param_names[i] = params->keys[i];
        t->param_values[i] = params->items[i].text;
    }
    if (errs && (!ks_parse_f64(errs, &t->errs) || t->errs <= 0 || t->errs >= 1))
        KS_FAIL(err, KS_E_USER, "%s:%d: errs is a number between 0 and 1", t->file, root->line);
    t->has_plan = ks_yaml_get(root, "plan") != NULL;
    t->fits = ks_yaml_text(root, "fits", NULL);
    KS_TRY(read_flag(t, root, "first", &t->first, err));
    const struct ks_yaml *any = ks_yaml_get(root, "any");
    for (size_t i = 0; any && any->kind == KS_YAML_LIST && i < any->len; i++)
        ks_strv_add(arena, &t->any, any->items[i].text);
    if (t->any.len > 0)
        return KS_OK;
    if (!source)
        KS_FAIL(err, KS_E_USER, "%s:%d: a template names its source", t->file, root->line);
    const struct ks_yaml *roles = ks_yaml_get(root, "roles");
    if (!roles || roles->kind != KS_YAML_MAP)
        KS_FAIL(err, KS_E_USER, "%s:%d: a template needs roles", t->file, root->line);
    t->n_roles = roles->len;
    t->roles = KS_NEW_ARRAY(arena, struct ks_role, roles->len);
    if (roles->len > KS_MOST_ROLES)
        KS_FAIL(err, KS_E_USER, "%s:%d: more than %d roles", t->file, roles->line, KS_MOST_ROLES);
    for (size_t i = 0; i < roles->len; i++)
        KS_TRY(read_role(arena, t, roles->keys[i], &roles->items[i], &t->roles[i], err));
    for (size_t i = 0; i < roles->len; i++) {
        struct ks_role *role = &t->roles[i];
        if (role->extent)
            KS_TRY(ks_template_expr(arena, t, roles->items[i].line, role->extent, &role->count, err));
        if (role->otherwise)
            KS_TRY(ks_template_expr(arena, t, roles->items[i].line, role->otherwise, &role->derived, err));
    }
    KS_TRY(check_apart(arena, t, root->line, ks_yaml_text(root, "when", ""), err));
    KS_TRY(read_types(arena, t, ks_yaml_get(root, "types"), err));
    KS_TRY(read_needs(arena, t, ks_yaml_get(root, "needs"), err));
    KS_TRY(read_kinds(arena, t, ks_yaml_get(root, "tail"), &t->tails, err));
    KS_TRY(read_kinds(arena, t, ks_yaml_get(root, "head"), &t->heads, err));
    KS_TRY(read_kinds(arena, t, ks_yaml_get(root, "factor"), &t->factors, err));
    KS_TRY(read_flag(t, root, "cut", &t->cut, err));
    KS_TRY(read_flag(t, root, "tally", &t->tallies, err));
    const char *stencil = ks_yaml_text(root, "stencil", "0");
    t->stencil = strlen(stencil) == 1 ? *stencil - '0' : -1;
    if (t->stencil < 0 || t->stencil > 3)
        KS_FAIL(err, KS_E_USER, "%s:%d: stencil is 1, 2 or 3, its axes", t->file, root->line);
    KS_TRY(read_flag(t, root, "float_sums", &t->float_sums, err));
    KS_TRY(read_flag(t, root, "one_array", &t->one_array, err));
    KS_TRY(read_flag(t, root, "float_values", &t->float_values, err));
    t->domain_text = ks_yaml_text(root, "domain", NULL);
    if (t->domain_text)
        KS_TRY(ks_template_expr(arena, t, root->line, t->domain_text, &t->domain, err));
    return read_forms(arena, t, ks_yaml_get(root, "forms"), ks_yaml_text(root, "means", NULL),
                      ks_yaml_text(root, "says", NULL), err);
}
