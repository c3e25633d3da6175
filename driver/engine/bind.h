// Private to the template engine: a template's description, and the ways to bind its roles.
#ifndef KS_BIND_H
#define KS_BIND_H

#include "engine/brief.h"
#include "engine/formula.h"
#include "engine/tail.h"

struct ks_names { // placeholders and what stands for them
    const char **name, **value;
    size_t n, cap, cap_value;
};
void ks_names_add(struct ks_arena *arena, struct ks_names *names, const char *name,
                  const char *value);

// A literal is a number of the kernel's text: a window's width, a stride, an epsilon. A launch's is
// one of its geometry.
enum ks_role_kind {
    KS_ROLE_KIND_IN,
    KS_ROLE_KIND_OUT,
    KS_ROLE_KIND_INOUT,
    KS_ROLE_KIND_INT,
    KS_ROLE_KIND_SCALAR,
    KS_ROLE_KIND_LITERAL,
    KS_ROLE_KIND_LAUNCH
};
struct ks_role {
    const char *name;
    enum ks_role_kind kind;
    const char *elem; // type placeholder, "T"; pointers, scalars and literals that are no integers
    const char *extent;      // elements, over @roles@; pointers
    struct ks_expr *count;   // the same, over roles
    const char *fallback;    // plan text when nothing is bound, or NULL: must be bound
    const char *otherwise;   // int: expression over @roles@ where no parameter says it, or NULL
    struct ks_expr *derived; // the same, over roles
    struct ks_strv values;   // literal: what it can be besides, first; launch: what it can be
    bool of_text;            // literal with elem: never a parameter
};
#define KS_ROLE_LETTER 33 // expressions over roles name role r by the letter of this code and r
#define KS_MOST_ROLES 48
// What of the kernel goes with a form, and which element each read is.
struct ks_kept {
    const struct ks_tail *what; // or NULL
    size_t kinds[KS_TAIL_READS];
};
struct ks_form {
    struct ks_names names;    // with "form"
    struct ks_formula *means; // NULL: only the judge can tell
    const char *meaning;      // its text
    const char *altered;      // with a tail: the same of another sum
    const struct ks_formula *own; // with a tail: what it means, as it is; where `means` is another, that is the altered one
    const char *says;         // for people, over @roles@; NULL: its name
    struct ks_kept tail, head; // behind the sum, and in front of it
    const char *factor_of;     // the role whose elements `head` makes into factors; or NULL
    const char *asks;          // what it asks of a launch beside all else, or NULL
    struct ks_strv passes;     // parameters of the kernel behind the last step's arguments
};
// Elements that may be read behind the sum, or in front of it, as a template knows them.
struct ks_tail_kind {
    const char *index;     // in the formula
    const char *extent;    // of the array, over @roles@
    const char *code; // the index in `finished`; in front: what reads `wide` elements `from` there
    struct ks_expr *count; // the extent, over roles; NULL: it is the role's
    size_t role;           // in front: of the array that is read, where it is a role's
    bool no_product;       // in front: it is none where nothing but a product of two elements is added
};
struct ks_tail_kinds {
    struct ks_tail_kind *at;
    size_t n;
};
struct ks_template {
    const char *name, *title, *file, *text;
    const char *as; // what its candidates are called: the name, behind that of one that stands for it with code of its own
    struct ks_strv any; // names of templates that this one stands for; its sources, if any, errs, settings and plan are theirs then
    bool first; // of those, that computes what the kernel does is enough
    const struct ks_template *planned; // one that stands for it and has a plan, or NULL
    bool has_plan;
    const char *fits; // NULL, or which sizes a setting is for, with placeholders
    struct ks_strv source_files, sources; // read one after the other
    struct ks_role *roles;
    size_t n_roles;
    const char **param_names, **param_values;
    size_t n_params; // defaults
    struct ks_form *forms;
    size_t n_forms; // at least one
    const char **type_names;
    struct ks_strv *types;
    size_t n_types; // allowed scalars, "f32"
    struct ks_expr **needs;
    size_t n_needs;          // over roles: relations of sizes
    const char *domain_text; // over @roles@: sizes that are not served elsewhere; or NULL
    struct ks_expr *domain;  // the same, over roles
    struct ks_tail_kinds tails; // none: nothing may follow
    bool cut;                   // what follows may begin at any value of the kernel's (ks_tail_cut)
    struct ks_tail_kinds heads; // none: nothing stands in front; else something must
    bool tallies;               // that is what the kernel counts (ks_tally_find)
    struct ks_tail_kinds factors; // roles' elements that something may be made of on the way
    int stencil; // axes of a stencil (engine/stencil.h), of sizes `w`, `h` and `d`, which is then kept; or 0
    bool one_array; // the first two roles that are read may have one
    bool float_values; // of 16-bit elements nothing is rounded on the way, and kernels that compute in 16 bits are another thing
    bool float_sums; // of 16-bit elements sums are of float, and kernels that add in 16 bits are another thing
    double errs; // of the sum of an element's magnitudes, by rounding factors: for marks whose tol(sum=F) admits that
};
// Reads t->text; KS_E_USER file:line.
enum ks_status ks_template_read(struct ks_arena *arena, struct ks_template *t, struct ks_err *err);

// An expression over @roles@, as one over their letters. KS_E_USER with `line` of the template.
enum ks_status ks_template_expr(struct ks_arena *arena, const struct ks_template *t, int line, const char *text,
                                struct ks_expr **out, struct ks_err *err);

struct ks_binding_choice;
// The same template with forms that go on as the kernel does, or begin so, one for each way to tell
// which elements are read.
enum ks_status ks_tail_forms(struct ks_arena *arena, const struct ks_template *t,
                             const struct ks_tail *tail, struct ks_template *out,
                             struct ks_err *err);
// The same template with forms of which one factor is what the kernel makes of it: of what a turn adds
// the share that is left where the other is 1.
enum ks_status ks_factor_forms(struct ks_arena *arena, const struct ks_template *t,
                               const struct ks_tail *head, struct ks_template *out,
                               struct ks_err *err);
// Placeholders @tail@, @tail_takes@, @tail_parameters@ and @tail_arguments@ of a form's code;
// without a tail what gives the sum back. In front @head@ and so on, @head_type@, @head_loads@ and
// @head_values@; without a head the product of in_a and in_b. @x_factor@ of a role x of `factor`.
void ks_tail_names(struct ks_arena *arena, const struct ks_brief *brief,
                   const struct ks_template *t, const struct ks_form *form,
                   struct ks_binding_choice *choice);

// What an integer role can be: text of a plan, and its value in each probe.
#define KS_PROBES 5
struct ks_integer {
    const char *text;
    struct ks_expr *expr;
    int64_t value[KS_PROBES];
};
struct ks_integer_list {
    struct ks_integer *at;
    size_t len, cap;
};
// What a text is in the probes; false where it is nothing.
bool ks_integer_read(struct ks_arena *arena, const struct ks_problem probes[KS_PROBES],
                     const char *text, struct ks_integer *out);
// Parameters, members of structs, template arguments, and sizes that the launch's geometry alone shows, in that
// order;
// `products` adds those of two, `constants` numbers: of the text, the mark's formulas and the launch.
enum ks_integers { KS_INTEGERS_SAID, KS_INTEGERS_PRODUCTS, KS_INTEGERS_CONSTANTS };
void ks_integers_find(struct ks_arena *arena, const struct ks_brief *brief,
                      const struct ks_problem probes[KS_PROBES], enum ks_integers which,
                      struct ks_integer_list *out);
// Numbers of the kernel's text and its mark's formulas and settings, in order: integers; those, and what windows come to of
// which they are the radius; larger ones, too, as sizes; or what is no integer.
enum ks_literals { KS_LITERALS_WHOLE, KS_LITERALS_WIDTHS, KS_LITERALS_SIZES, KS_LITERALS_OTHERS };
void ks_literals_find(struct ks_arena *arena, const struct ks_brief *brief, enum ks_literals which,
                      struct ks_strv *out);

// One assignment, by role: the parameter or -1, and the text of what is no pointer (NULL: not
// bound).
struct ks_assignment {
    const int *parameter;
    const char *const *text;
};
// Holds a form's formula against the specimens, those of round sizes or the others. UNKNOWN: there
// are none at all.
enum ks_recognised { KS_NOT_RECOGNISED, KS_RECOGNISED, KS_RECOGNISED_UNKNOWN };
struct ks_near_miss {
    double share;     // of the looked-at elements that are right, of the best form so far
    const char *text; // how it differs
};
enum ks_recognised ks_recognise(struct ks_arena *arena, const struct ks_brief *brief,
                                const struct ks_template *t, const struct ks_form *form,
                                const struct ks_assignment *assignment, bool round,
                                struct ks_near_miss *near);
// Text over @roles@ and the form's names (form may be NULL) with what the assignment puts for them
// (new).
const char *ks_assigned_text(struct ks_arena *arena, const struct ks_template *t,
                             const struct ks_form *form, const struct ks_assignment *assignment,
                             const char *text);

struct ks_binding_choice {
    struct ks_names names; // roles, types and the form's placeholders
    const char *text;      // "in=a out=b rows=n cols=n T=f32 form=plain"
    const char *says;      // for people
    bool guessed;          // by types and extents alone, for there was no specimen
    size_t beside;         // arrays that are no role's, and are read in front of the sum or behind it
    const char *guard;     // relations between parameters that every workload has, or ""
    struct ks_strv more;   // parameters behind the last step's arguments: of what follows
    struct ks_strv first;  // behind the first step's: of what stands in front
};
struct ks_binding_list {
    struct ks_binding_choice *at;
    size_t len, cap;
};
// All bindings that types, directions, the workloads' extents and, where the original runs on the
// emulated device, what it computes allow; exact extents first.
enum ks_status ks_bind(struct ks_arena *arena, const struct ks_brief *brief,
                       const struct ks_template *t, struct ks_binding_list *out,
                       const char **refusal, struct ks_err *err);

#endif
