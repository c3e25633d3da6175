// Source-to-source operators by name. Each chooses options for the emitter (engine/subject.h) and
// refuses kernels it does not understand; the emitter writes the code. So transforms compose: the
// options of one are the start of the next.
#ifndef KS_TRANSFORM_H
#define KS_TRANSFORM_H

#include "engine/subject.h"

// Adds the transform's choice, with parameters as "block=256 items=4", to *options.
// KS_E_UNSUPPORTED: not for this kernel, by construct and line. KS_E_USER: no such transform or
// parameter.
enum ks_status ks_transform_apply(struct ks_subject *subject, const char *transform,
                                  const char *params, struct ks_options *options,
                                  struct ks_err *err);
// Names, NULL-terminated, and the parameters a transform takes (NULL: no such transform).
const char *const *ks_transform_names(void);
const char *const *ks_transform_params(const char *transform);

#endif
