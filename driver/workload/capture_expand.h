// capture(ID) written out as the clauses of a workload: what capture_mark.c and capture_struct.c
// share.
#ifndef KS_CAPTURE_EXPAND_H
#define KS_CAPTURE_EXPAND_H

#include "workload/capture.h"

struct ks_capture_alias {
    const char *pair[2]; // as in struct ks_workload_mark
};

struct ks_capture_expander {
    struct ks_arena *arena;
    const struct ks_workload_mark *mark; // the one that says capture(ID)
    const struct ks_kernel_decl *decl;
    const struct ks_signature *signature;
    struct ks_slice text; // preprocessed, for the members of structs; may be empty
    const char *dir;      // in which the capture was found
    struct ks_capture capture;
    KS_VEC(struct ks_array) arrays;
    KS_VEC(struct ks_setting) settings;
    KS_VEC(struct ks_capture_alias) aliases;
    KS_VEC(struct ks_block) blocks;
    struct ks_err *err;
};

__attribute__((format(printf, 2, 3))) enum ks_status
ks_capture_refuse(const struct ks_capture_expander *x, const char *format, ...);
// The pointer at a byte of a parameter; NULL: into no memory that the driver knew.
const struct ks_capture_pointer *ks_capture_pointer_at(const struct ks_capture *capture,
                                                       size_t param, size_t at);
// What expressions and clauses call it: the parameter's name, or that of a member (fmt/expr.h).
const char *ks_capture_name(const struct ks_capture_expander *x,
                            const struct ks_capture_pointer *pointer);
// Type of the pointer: the kernel's, or where the struct's members are known theirs, else `void *`.
struct ks_type ks_capture_type(struct ks_capture_expander *x,
                               const struct ks_capture_pointer *pointer);
// Its array, or the alias of another pointer to the same place.
enum ks_status ks_capture_add_pointer(struct ks_capture_expander *x,
                                      const struct ks_capture_pointer *pointer);
// A parameter that no clause can give, with the arrays of what points in it.
enum ks_status ks_capture_add_struct(struct ks_capture_expander *x, size_t param);

#endif
