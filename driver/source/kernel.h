// Kernel definitions in one file's text: extents, qualified names, template and function parameters.
#ifndef KS_KERNEL_H
#define KS_KERNEL_H

#include "base/vec.h"
#include "source/lex.h"
#include "source/type.h"

struct ks_param {
    const char *name; // "" when unnamed
    struct ks_type type; // from the text; ks_signature has the compiler's word
};

struct ks_kernel_decl {
    const char *name;      // "relax"
    const char *qualified; // "ns::relax"; an anonymous namespace adds nothing
    // Enclosing namespaces, outermost first, "" for an anonymous one; `inline_` not distinguished.
    const char **scopes;
    size_t n_scopes;
    bool extern_c;
    bool is_template;
    const char *template_head;        // text "template <class T, int B>", "" if none
    const char **template_params;     // "T", "B"
    size_t n_template_params;
    const char *specialization;       // "<int>" of `template <> ... k<int>(...)`, normalised; else ""
    struct ks_param *params;
    size_t n_params;
    const char *launch_bounds;        // text inside __launch_bounds__(...), "" if none
    int line;                         // of the first token (template head or __global__)
    size_t begin, body, end;          // byte offsets: first token, '{', one past '}'
    const char *problem;              // NULL, or why it cannot be served: "conditional parameter list", ...
};

struct ks_kernel_list {
    struct ks_kernel_decl *at;
    size_t len, cap;
};

// Finds every __global__ definition with a body (declarations are skipped). Never fails: what is
// not understood carries `problem`. KS_E_USER only for "kernel never closed" and the like, with line.
enum ks_status ks_kernels_find(struct ks_arena *arena, const char *file, struct ks_slice text,
                               struct ks_kernel_list *kernels, struct ks_err *err);

#endif
