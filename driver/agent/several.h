// Several backends as one: each question goes to the one whose model it names.
#ifndef KS_SEVERAL_H
#define KS_SEVERAL_H

#include "agent/backend.h"

// Takes the backends over, also where it fails; none may be patient. Their models' names differ.
enum ks_status ks_several_open(const struct ks_backend *backends, size_t n,
                               struct ks_backend *backend, struct ks_err *err);

#endif
