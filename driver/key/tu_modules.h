// The PTX that a compile left under --keep, by module. Shared by tu_identify.c and tu_shadow.c only.
#ifndef KS_TU_MODULES_H
#define KS_TU_MODULES_H

#include "key/tu.h"

struct ks_ptx_modules {
    struct ks_ptx_module *at;
    size_t len, cap;
};
// Shared arrays of functions are declared where nvcc did, or at the module's end.
enum ks_ptx_place { KS_PTX_AS_IS, KS_PTX_PROMOTED };
// Of the files `names` in `dir`.
enum ks_status ks_tu_modules_read(struct ks_arena *arena, const char *dir, const struct ks_strv *names,
                                  enum ks_ptx_place place, struct ks_ptx_modules *modules, struct ks_err *err);

#endif
