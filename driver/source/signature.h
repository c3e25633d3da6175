// The compiler's word on kernels: registered names and exact parameter types, read from the host
// stub nvcc leaves under --keep (NAME.cudafe1.stub.c), and from Itanium-mangled names.
#ifndef KS_SIGNATURE_H
#define KS_SIGNATURE_H

#include "source/kernel.h"

struct ks_signature {
    const char *registered;   // name given to __cudaRegisterEntry: "_ZN2ns5relaxIfLi256EEEvPfm", "cneg"
    const char *qualified;    // "ns::relax", anonymous namespaces dropped
    const char *instance;     // "ns::relax<float,256>"; equal to `qualified` if no template
    const char **template_args; // "float", "256"
    size_t n_template_args;
    struct ks_type *params;   // types resolved to builtin ones; names come from the declaration
    size_t *offsets;          // bytes in the parameter block
    size_t n_params;
};

struct ks_signature_list {
    struct ks_signature *at;
    size_t len, cap;
};

// Reads every kernel registered in a stub file's text, which need not outlive the call.
enum ks_status ks_signatures_read(struct ks_arena *arena, struct ks_slice stub,
                                  struct ks_signature_list *out, struct ks_err *err);
// "ns::relax<float, (int)256>" and "ns :: relax< float,256 >" become "ns::relax<float,256>".
const char *ks_instance_normalise(struct ks_arena *arena, const char *text);
// Whether two compiles of one unit may give one kernel these registered names: those of unnamed
// namespaces, of internal functions (around a lambda) and, with -rdc, of internal kernels carry a hash
// of path and unit. The dispatch table's own rule, which is text of the shadow.
bool ks_registered_same(const char *a, const char *b);
// Demangled text of a registered name, or a copy of the name when it is not mangled.
const char *ks_demangle(struct ks_arena *arena, const char *registered);
// Types of a mangled function's parameters; none where the name has none.
void ks_signature_types(struct ks_arena *arena, const char *registered, struct ks_type **types, size_t *n);
// Whether the signature carries the declaration's name: same qualified name, a template exactly where
// the declaration is one, an explicit specialization's own arguments.
bool ks_signature_names(const struct ks_signature *signature, const struct ks_kernel_decl *decl);
// Whether it is an instance of the declaration: the name, the parameter count, and no parameter whose
// written type is certainly another (overloads).
bool ks_signature_matches(const struct ks_signature *signature, const struct ks_kernel_decl *decl);

// Value of a template argument as expressions know it, by its parameter's name; false if it is no integer. The
// one reading for the judge and for dispatch.
bool ks_signature_value(const struct ks_kernel_decl *decl, const struct ks_signature *signature,
                        const char *name, int64_t *value);

#endif
