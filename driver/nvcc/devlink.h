// Device linking: a cubin compiled for separate compilation (-rdc=true, -dc) is an object. A program
// holds what nvlink makes of it; a driver may link it when it loads it (580 does, tried on an H100),
// but nothing promises that. And assembling, of text that is ours.
#ifndef KS_DEVLINK_H
#define KS_DEVLINK_H

#include "nvcc/toolkit.h"

struct ks_sandbox;

// Links `cubin`, compiled for `target` ("sm_90a"), into `image`. Kernels whose registered names hold
// none of `kernels` (NULL-terminated) are left out, and what they call in other units is not missed.
// `sandbox`: nvlink is confined, or NULL. KS_E_CHILD: nvlink refused; its first words are in err.
enum ks_status ks_device_link(struct ks_arena *arena, const struct ks_toolkit *toolkit,
                              const char *cubin, const char *target, const char *const *kernels,
                              const struct ks_sandbox *sandbox, const char *image, struct ks_err *err);

// Assembles a file of PTX for `target` into `cubin`, with at most `registers` a thread; `object`: to be linked
// as above. `sandbox` likewise. KS_E_CHILD: ptxas refused; its first words are in err.
enum ks_status ks_device_assemble(struct ks_arena *arena, const struct ks_toolkit *toolkit, const char *ptx,
                                  const char *target, bool object, int registers,
                                  const struct ks_sandbox *sandbox, const char *cubin, struct ks_err *err);

#endif
