// A CUDA runtime without a GPU: devices, launches, streams, graphs and errors as far as launches of
// a dispatch table can see them. Every launch is recorded, and played by the host if a player is
// set; failures come on request. Programs compiled by nvcc link against it instead of cudart.
#ifndef MOCK_CUDART_H
#define MOCK_CUDART_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct mock_dims {
    unsigned x, y, z;
};

// What happened since mock_reset: a launch (name: as registered), or "memset", "malloc", "free".
struct mock_event {
    const char *name;
    const char *api;
    struct mock_dims grid, block;
    size_t shared;
    void *stream;
    void *at;     // malloc, memset, free
    size_t bytes; // malloc, memset
    int value;    // memset
};
extern struct mock_event mock_log[1024];
extern int mock_n;

// What the next calls answer. The environment's MOCK_DEVICES="90,80" (compute capabilities) says
// which devices there are, before the first call.
extern int mock_ptx_version; // of every kernel; 0: the device's capability
extern int mock_max_threads; // of every kernel
extern int mock_fail_malloc, mock_fail_attribute, mock_fail_query, mock_fail_device;
extern int mock_fail_launch;       // the launch with this ordinal from now on, 1-based, fails once
extern int mock_attribute_sets;    // cudaFuncSetAttribute calls
extern void (*mock_instead)(void); // what every launch does, and nothing else: for benchmarks
// Of the calling thread.
int *mock_last_error_place(void);
#define mock_last_error (*mock_last_error_place())
// Runtime calls of this thread since mock_reset: launches, and everything else but what every stub
// makes itself (push and pop of the configuration, its handle).
int mock_launches(void), mock_other_calls(void);
void mock_reset(void); // events, counts and answers; what was registered stays

// What plays a launch: copies its arguments, runs the copy, drops it. NULL plays nothing.
extern void *(*mock_copy)(const char *name, const void *host, void **args);
extern void (*mock_run)(void *copy, struct mock_dims grid, struct mock_dims block, size_t shared);
extern void (*mock_drop)(void *copy);

// --- between the mock's own files ---

struct mock_launch {
    void *copy;
    struct mock_dims grid, block;
    size_t shared;
};
int mock_fail(int error); // sets the thread's last error, returns it
void mock_called(void);   // counts a call
struct mock_event *mock_record(const char *name, const char *api);
void mock_lock(void), mock_unlock(void);
int mock_captured(void *stream, struct mock_launch launch); // false if the stream is not capturing
int mock_prepare(const void *host, struct mock_dims grid, struct mock_dims block, size_t shared,
                 void **args, struct mock_launch *launch); // checks and copies; an error code

// The same function under the name it has with a default stream for each thread.
#define MOCK_ALSO(name, suffix) __typeof__(name) name##suffix __attribute__((alias(#name)))

#ifdef __cplusplus
}
#endif
#endif
