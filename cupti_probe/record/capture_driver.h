// The CUDA driver's entries that capturing needs, taken from the library that the program has open. Streams of
// the program that are being captured into graphs stay unharmed: calls run in relaxed mode.
#ifndef KS_CAPTURE_DRIVER_H
#define KS_CAPTURE_DRIVER_H

#include "capture.h"

#define CAPTURE_PARAMS 128
#define CAPTURE_POINTERS 128

struct capture_param {
    size_t offset, size;
    const unsigned char *bytes; // borrowed from the launch
};
struct capture_pointer {
    size_t param, at, allocation, offset; // bytes
};
struct capture_allocation {
    CUdeviceptr base;
    size_t size;
};
struct capture_args {
    struct capture_param params[CAPTURE_PARAMS];
    size_t n_params;
    struct capture_pointer pointers[CAPTURE_POINTERS];
    size_t n_pointers;
    struct capture_allocation allocations[CAPTURE_POINTERS];
    size_t n_allocations;
};

bool capture_driver_open(void);
// The launch's parameters and what of them points into memory. False: the driver does not tell, or there are too many.
bool capture_read_args(const struct capture_call *call, struct capture_args *args);
// Whether the stream records a graph instead of launching.
bool capture_in_graph(CUstream stream);
// Waits until the stream has nothing to do; false after `seconds`, or on an error.
bool capture_wait(CUstream stream, int seconds);
// Copies memory to the host piece by piece, the next under way while `take` has one; false when a copy, or `take`,
// fails. For the holder of the capturing lock. Not more than CAPTURE_PIECE bytes a piece.
#ifndef CAPTURE_PIECE // tests take a small one
#define CAPTURE_PIECE ((size_t)16 << 20)
#endif
bool capture_copy(CUcontext context, CUdeviceptr from, size_t n,
                  bool (*take)(void *to, size_t at, const void *bytes, size_t n), void *to);
// A context ends and takes along what served it; NULL: which is not known. For the holder of that lock, too.
void capture_driver_gone(CUcontext context);

#endif
