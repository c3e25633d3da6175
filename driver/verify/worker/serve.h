// The worker's side of verify/protocol.h: answers requests until the input ends. Separate from
// main() and from CUDA, so that tests serve a device of their own.
#ifndef KS_SERVE_H
#define KS_SERVE_H

#include <stdio.h>

#include "device/device.h"

typedef enum ks_status ks_serve_open(struct ks_device *device, struct ks_err *err);

// Serves `in` to `out`, both borrowed. The device is opened at the first valid request and closed
// at the end. No request, however malformed, ends it: only end of input, or output that nobody
// reads any more (false).
bool ks_serve(FILE *in, FILE *out, ks_serve_open *open);

#endif
