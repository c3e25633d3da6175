// The worker's side of verify/protocol.h: answers requests until the input ends. Separate from
// main() and from CUDA, so that tests serve a device of their own.
#ifndef KS_SERVE_H
#define KS_SERVE_H

#include <stdio.h>

#include "device/device.h"

typedef enum ks_status ks_serve_open(struct ks_device *device, struct ks_err *err);

// A verb beside the protocol's own (serving.h has the type its function must have).
struct ks_serve_extra;

// Serves `in` to `out`, both borrowed. `extra` may be NULL. The device is opened at the first valid
// request and closed at the end. No request, however malformed, ends it: only end of input, or
// output that nobody reads any more (false).
bool ks_serve(FILE *in, FILE *out, ks_serve_open *open, const struct ks_serve_extra *extra);

// What a program that is nothing but a worker does: serves stdin to stdout, with whatever else
// prints sent to stderr, and ends when its supervisor is gone. Returns the exit status.
int ks_serve_main(ks_serve_open *open, const struct ks_serve_extra *extra);

#endif
