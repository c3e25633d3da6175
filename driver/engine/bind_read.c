// Reading a template's description.
#include <string.h>

#include "base/vec.h"
#include "engine/bind.h"

void ks_names_add(struct ks_arena *arena, struct ks_names *names, const char *name,
                  const char *value)
{
    size_t n = names->n;
    ks_vec_grow_(arena, (void **)&names->name, &n, &names->cap, sizeof *names->name);
    ks_vec_grow_(arena, (void **)&names->value, &names->n, &names->cap_value, sizeof *names->value);
    names->name[names->n - 1] = name;
    names->value[names->n - 1] = value;
}

static enum ks_status read_role(const struct ks_template *t, const char *name,
                                const struct ks_yaml *map, struct ks_role *role, struct ks_err *err)
{
    static const char *const kinds[] = {"in", "out", "inout", "int", "scalar", NULL};
    static const char *const known[] = {"kind", "elem", "extent", "default", NULL};
    if (map->kind != KS_YAML_MAP)
        KS_FAIL(err, KS_E_USER, "%s:%d: role %s is no map", t->file, map->line, name);
    KS_TRY(ks_yaml_known(t->file, map, known, err));
    const char *kind = ks_yaml_text(map, "kind", "");
    *role = (struct ks_role){.name = name,
                             .elem = ks_yaml_text(map, "elem", NULL),
                             .extent = ks_yaml_text(map, "extent", NULL),
                             .fallback = ks_yaml_text(map, "default", NULL)};
    for (int i = 0; kinds[i]; i++)
        if (strcmp(kinds[i], kind) == 0) {
            role->kind = (enum ks_role_kind)i;
            bool pointer = i <= KS_ROLE_KIND_INOUT;
            if ((pointer && !role->extent) || (i != KS_ROLE_KIND_INT && !role->elem))
                KS_FAIL(err, KS_E_USER, "%s:%d: role %s needs %s", t->file, map->line, name,
                        pointer && !role->extent ? "extent" : "elem");
            return KS_OK;
        }
    KS_FAIL(err, KS_E_USER, "%s:%d: role %s: kind is in, out, inout, int or scalar", t->file,
            map->line, name);
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

static enum ks_status read_forms(struct ks_arena *arena, struct ks_template *t,
                                 const struct ks_yaml *forms, struct ks_err *err)
{
    t->n_forms = forms ? forms->len : 1;
    t->forms = KS_NEW_ARRAY(arena, struct ks_names, t->n_forms);
    if (!forms) {
        ks_names_add(arena, &t->forms[0], "form", "plain");
        return KS_OK;
    }
    for (size_t i = 0; i < forms->len; i++) {
        const struct ks_yaml *map = &forms->items[i];
        if (map->kind != KS_YAML_MAP || !ks_yaml_get(map, "form"))
            KS_FAIL(err, KS_E_USER, "%s:%d: a form is a map with its name as `form`", t->file,
                    map->line);
        for (size_t k = 0; k < map->len; k++)
            ks_names_add(arena, &t->forms[i], map->keys[k], map->items[k].text);
    }
    return KS_OK;
}

enum ks_status ks_template_read(struct ks_arena *arena, struct ks_template *t, struct ks_err *err)
{
    static const char *const known[] = {"title", "roles",     "types",  "settings", "forms", "when",
                                        "plan",  "workspace", "source", "includes", NULL};
    struct ks_yaml *root;
    KS_TRY(ks_yaml_parse(arena, t->file, ks_slice_of(t->text), &root, err));
    if (root->kind != KS_YAML_MAP)
        KS_FAIL(err, KS_E_USER, "%s:1: a template is a map", t->file);
    KS_TRY(ks_yaml_known(t->file, root, known, err));
    t->source_file = ks_yaml_text(root, "source", NULL);
    if (!t->source_file)
        KS_FAIL(err, KS_E_USER, "%s:%d: a template names its source", t->file, root->line);
    const struct ks_yaml *roles = ks_yaml_get(root, "roles"),
                         *params = ks_yaml_get(root, "settings");
    if (!roles || roles->kind != KS_YAML_MAP)
        KS_FAIL(err, KS_E_USER, "%s:%d: a template needs roles", t->file, root->line);
    t->n_roles = roles->len;
    t->roles = KS_NEW_ARRAY(arena, struct ks_role, roles->len);
    for (size_t i = 0; i < roles->len; i++)
        KS_TRY(read_role(t, roles->keys[i], &roles->items[i], &t->roles[i], err));
    t->n_params = params && params->kind == KS_YAML_MAP ? params->len : 0;
    t->param_names = KS_NEW_ARRAY(arena, const char *, t->n_params);
    t->param_values = KS_NEW_ARRAY(arena, const char *, t->n_params);
    for (size_t i = 0; i < t->n_params; i++) {
        t->param_names[i] = params->keys[i];
        t->param_values[i] = params->items[i].text;
    }
    KS_TRY(read_types(arena, t, ks_yaml_get(root, "types"), err));
    return read_forms(arena, t, ks_yaml_get(root, "forms"), err);
}
