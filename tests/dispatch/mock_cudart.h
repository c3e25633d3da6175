// A CUDA runtime without a GPU: two devices, every launch recorded, failures on request. Programs
// compiled by nvcc link against it instead of cudart.
#ifndef MOCK_CUDART_H
#define MOCK_CUDART_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct mock_dims {
    unsigned x, y, z;
};

// One launch (name: as registered), or "memset", "malloc", "free".
struct mock_event {
    const char *name;
    const char *api;
    struct mock_dims grid, block;
    size_t shared;
    void *stream;
    int n_args;                    // up to the terminating null pointer; variants only
    unsigned long long args[8];    // first 8 bytes of each
    size_t bytes;                  // malloc, memset
    int value;                     // memset
};
extern struct mock_event mock_log[256];
extern int mock_n;

// What the next calls answer.
extern int mock_devices;           // 2, of at most 2
extern int mock_capability[2];     // 90 and 80
extern int mock_ptx_version;       // of every kernel; 0: the device's capability
extern int mock_capturing;         // cudaStreamIsCapturing says so
extern int mock_optin;             // largest dynamic shared memory
extern int mock_max_threads;       // of every kernel
extern int mock_fail_malloc, mock_fail_attribute, mock_fail_query, mock_fail_device;
extern int mock_fail_launch;       // the launch with this ordinal from now on, 1-based, fails once
extern int mock_attribute_sets;    // cudaFuncSetAttribute calls
extern int mock_last_error;
extern int mock_silent;            // launches are not logged: for benchmarks
// Runtime calls since mock_reset: launches, and everything else but what every stub makes itself
// (push and pop of the configuration, its handle).
extern int mock_launches, mock_other_calls;
void mock_reset(void);             // log, counts and answers; what was registered stays

#ifdef __cplusplus
}
#endif
#endif
