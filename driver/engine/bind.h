// Private to the template engine: a template's description, and the ways to bind its roles.
#ifndef KS_BIND_H
#define KS_BIND_H

#include "engine/brief.h"

struct ks_names { // placeholders and what stands for them
    const char **name, **value;
    size_t n, cap, cap_value;
};
void ks_names_add(struct ks_arena *arena, struct ks_names *names, const char *name,
                  const char *value);

enum ks_role_kind { KS_ROLE_KIND_IN, KS_ROLE_KIND_OUT, KS_ROLE_KIND_INOUT, KS_ROLE_KIND_INT,
                    KS_ROLE_KIND_SCALAR };
struct ks_role {
    const char *name;
    enum ks_role_kind kind;
    const char *elem;     // type placeholder, "T"; pointers and scalars
    const char *extent;   // elements, over @roles@; pointers
    const char *fallback; // plan text when nothing is bound, or NULL: must be bound
};
struct ks_template {
    const char *name, *file, *source_file, *text, *source;
    struct ks_role *roles; size_t n_roles;
    const char **param_names, **param_values; size_t n_params; // defaults
    struct ks_names *forms; size_t n_forms;                    // each with "form"; at least one
    const char **type_names; struct ks_strv *types; size_t n_types; // allowed scalars, "f32"
};
// Reads t->text; KS_E_USER file:line.
enum ks_status ks_template_read(struct ks_arena *arena, struct ks_template *t, struct ks_err *err);

struct ks_binding_choice {
    struct ks_names names; // roles, types and the form's placeholders
    const char *text;      // "in=a out=b rows=n cols=n T=f32 form=plain"
    const char *guard;     // relations between parameters that every workload has, or ""
};
struct ks_binding_list {
    struct ks_binding_choice *at;
    size_t len, cap;
};
// All bindings that types, directions and the workloads' extents allow, exact extents first.
enum ks_status ks_bind(struct ks_arena *arena, const struct ks_brief *brief,
                       const struct ks_template *t, struct ks_binding_list *out,
                       const char **refusal, struct ks_err *err);

#endif
