// What can run a kernel. Two implementations: `cuda` (driver API by dlopen) and `emu`
// (PTX emulator); the worker process hosts one of them and speaks for it.
//
// Not thread-safe; one device object a process. After KS_E_DEVICE the process is spoilt for CUDA
// (every later call says so): end it and start another.
#ifndef KS_DEVICE_H
#define KS_DEVICE_H

#include <time.h>

#include "base/str.h"
#include "device/counts.h"
#include "fmt/json.h"
#include "os/lock.h"
#include "workload/fill.h"

struct ks_device_info {
    char name[128], uuid[48], driver[32];
    char kind[16];            // of the device that answers: "cuda", "emu"
    int arch;                 // 90
    int sms, l2_bytes, smem_optin, max_threads_sm, regs_sm;
    int blocks_sm, smem_sm;   // that an SM holds; 0: not known
    int pageable_access;      // HMM or ATS: the GPU can read any host memory of the process
    int64_t memory_total, memory_free;
};

// Placement of a buffer between its two unmapped fences.
enum ks_flush { KS_FLUSH_END, KS_FLUSH_START };

struct ks_dev_buffer {
    uint64_t address;  // of the data
    int64_t bytes;
    int64_t slack;     // canary bytes between data and fence (alignment remainder)
};

struct ks_dev_damage {
    int64_t bytes;     // 0: intact
    size_t buffer;     // the first damaged buffer, and
    int64_t offset;    // its first changed byte, from the data's start; negative: before it
};

enum ks_dev_arg_kind { KS_DARG_BYTES, KS_DARG_BUFFER, KS_DARG_STRUCT };
struct ks_dev_arg {
    enum ks_dev_arg_kind kind;
    unsigned char bytes[64]; size_t size;
    size_t buffer;     // index as returned by alloc
    unsigned char *block;             // struct: `size` bytes, into which each launch writes
    struct ks_dev_pointer {           // the addresses of buffers
        size_t at, buffer;
    } *pointers;
    size_t n_pointers;
};
struct ks_dev_step {   // kernel launch, or memset when function is NULL
    void *function;
    unsigned grid[3], block[3], shared;
    struct ks_dev_arg *args; size_t n_args;
    size_t buffer; int value; // memset of a whole buffer
    const char *shown;        // what messages call it, borrowed for the run; NULL: nothing
};
struct ks_dev_plan {
    struct ks_dev_step *steps; size_t n_steps;
};


// One timed sample. `batch` runs of the plans in turn (run i is plans[i % n_plans]) as one graph
// launch, or plain launches when batch is 1; `cold` overwrites L2 first.
struct ks_dev_timing {
    const struct ks_dev_plan *plans; size_t n_plans;
    bool cold;
    int batch;
};
struct ks_dev_sample {
    double microseconds; // of one run
    double clock_mhz;    // SM clock over the window; 0 when the window is too short to tell
    bool late;           // the host was too slow: its launch latency is inside. Restore and repeat
};

struct ks_device {
    const char *kind; // "cuda", "emu"
    void *self;
    enum ks_status (*info)(void *self, struct ks_device_info *info, struct ks_err *err);
    // KS_E_FORMAT: not a loadable image; KS_E_UNSUPPORTED: for another architecture or driver.
    enum ks_status (*module)(void *self, struct ks_slice cubin, void **module, struct ks_err *err);
    // Returns the function and its parameter sizes; static facts in `facts` (registers, shared,
    // local, max threads, params: [[offset, size], ...]) as a JSON object the caller owns, when
    // facts is not NULL. KS_E_ABSENT: no such kernel in the module.
    enum ks_status (*function)(void *self, void *module, const char *name, void **function,
                               json_t **facts, struct ks_err *err);
    // The module of the device's own code that plans may launch (trusted.cu, ks_least). NULL where it has none.
    void *(*own_module)(void *self);
    // Fenced allocation: data flush with the end (aligned to `align` bytes, the remainder canaried)
    // or with the start of the mapping. Random address spacing. Contents are undefined.
    // KS_E_LIMIT: not enough memory.
    enum ks_status (*alloc)(void *self, int64_t bytes, size_t align, enum ks_flush flush,
                            size_t *buffer, struct ks_dev_buffer *out, struct ks_err *err);
    enum ks_status (*free_all)(void *self, struct ks_err *err); // all buffers
    void (*chance)(void *self, uint64_t seed); // the spacing of buffers follows from it from here on, not from the system; NULL: there is none
    // write and read: `n` bytes from a place of the buffer on.
    // copy and poison only enqueue: they are done before whatever is enqueued or read after them.
    enum ks_status (*write)(void *self, size_t buffer, int64_t to, const void *data, int64_t n, struct ks_err *err);
    enum ks_status (*read)(void *self, size_t buffer, int64_t from, void *data, int64_t n, struct ks_err *err);
    // The contents that ks_fill_range makes, from the buffer's first byte on, bit for bit; of what ks_filling_is_plain.
    // Enqueues. NULL where writing them costs nothing.
    enum ks_status (*generate)(void *self, size_t buffer, const struct ks_filling *filling, struct ks_err *err);
    // The elements of `size` bytes at n places, one behind another. NULL where reading what lies between costs nothing.
    enum ks_status (*gather)(void *self, size_t buffer, size_t size, const int64_t *places, size_t n, void *data,
                             struct ks_err *err);
    enum ks_status (*copy)(void *self, size_t to, size_t from, struct ks_err *err); // device to device
    // The word over the whole buffer, little endian, from its first byte whatever its alignment.
    enum ks_status (*poison)(void *self, size_t buffer, uint32_t word, struct ks_err *err);
    // From here on writing to the buffer is a fault of the kernel, until it is freed; where the hardware cannot
    // forbid it, nothing changes. Waits for what is enqueued.
    enum ks_status (*freeze)(void *self, size_t buffer, struct ks_err *err);
    // Looks for written bytes between data and fences of all buffers.
    enum ks_status (*check_slack)(void *self, struct ks_dev_damage *damage, struct ks_err *err);
    // 64-bit order-dependent fingerprints of the bytes of `n` buffers, computed on the device.
    enum ks_status (*fingerprints)(void *self, const size_t *buffers, size_t n, uint64_t *out,
                                   struct ks_err *err);
    // Fills shared memory, local frames and registers of the whole device with `word`. Enqueues.
    enum ks_status (*scrub)(void *self, uint32_t word, struct ks_err *err);
    // Blocks of our own hold a share of the multiprocessors, drawn anew each time, for about so long from the beginning of the next
    // run: its blocks are fewer side by side, and elsewhere. Enqueues; that run ends with both. NULL where nothing runs beside it.
    enum ks_status (*crowd)(void *self, double microseconds, struct ks_err *err);
    // Launches and waits; `microseconds` (may be NULL) receives the device's time for it, with
    // launch latency. KS_E_LIMIT: launch refused (configuration); KS_E_DEVICE: fault, named.
    enum ks_status (*run)(void *self, const struct ks_dev_plan *plan, double *microseconds,
                          struct ks_err *err);
    // One timed sample. The caller restores data before each. Failures as for run.
    enum ks_status (*time)(void *self, const struct ks_dev_timing *timing,
                           struct ks_dev_sample *sample, struct ks_err *err);
    // Leaves no data of the buffers in the L2 cache, and nothing in it that is still to be written to memory.
    // Waits for it and for what is enqueued. NULL where a device has no such cache.
    enum ks_status (*clean_cache)(void *self, struct ks_err *err);
    // Frees graphs cached by time() under the address of `plans`: call when plans change or go away.
    void (*forget_plans)(void *self);
    // Measured ceilings: device memory copy (bytes read + written, GB/s) and fp32 FMA (GFLOP/s).
    enum ks_status (*ceilings)(void *self, double *copy_gbs, double *fma_gflops,
                               struct ks_err *err);
    // Runs blocks of each step of the plan for what they cost, unchecked, and leaves the buffers spoilt;
    // counts[i] is of step i, of a memset nothing. NULL where a device cannot. KS_E_LIMIT: it would
    // take too long.
    enum ks_status (*count)(void *self, const struct ks_dev_plan *plan, struct ks_counts *counts,
                            struct ks_err *err);
    void (*close)(void *self);
};

// Opens the first (or KS_CUDA_DEVICE'th) GPU. KS_E_ABSENT: no driver or no GPU, said in a sentence.
enum ks_status ks_device_open_cuda(struct ks_device *device, struct ks_err *err);

// Opens the PTX emulator (device/emu/emu_device.h); no GPU is needed.
enum ks_status ks_device_open_emu(struct ks_device *device, struct ks_err *err);
// The same, every run of which takes one schedule.
enum ks_status ks_device_open_emu_at(struct ks_device *device, uint64_t seed, struct ks_err *err);

#define KS_DEVICE_EMU_SEED "emu:seed=" // and a number: what a worker is asked for to repeat a schedule
// Whether a name means the emulated device, under whatever schedule.
bool ks_device_emulated(const char *name);
// Opens the device of that name. KS_E_ABSENT also for a name that nobody knows.
enum ks_status ks_device_open(const char *name, struct ks_device *device, struct ks_err *err);
bool ks_device_known(const char *name);

// Limits of a device of that architecture, none being at hand: kind "none", memory as large as it gets.
struct ks_device_info ks_device_of_arch(int arch);

// Path of the lock file that keeps timing and profiling on the GPU with this uuid apart from all else that we run there.
const char *ks_device_lock_path(struct ks_arena *arena, const char *runtime_dir, const char *uuid);
// Takes it (os/lock.h), makes the folder where it lies, and says that it waits where it does.
enum ks_status ks_device_lock(struct ks_arena *arena, const char *runtime_dir, const char *uuid,
                              double wait_seconds, struct ks_lock *lock, struct ks_err *err);
// The same for what is not timed, beside others of its kind; whoever waits for the lock comes before those that ask later.
// Who shares it and wants it alone gives it back first.
enum ks_status ks_device_share(struct ks_arena *arena, const char *runtime_dir, const char *uuid,
                               double wait_seconds, struct ks_lock *lock, struct ks_err *err);
// Whether some process of this user measures on a GPU, or began to since then.
bool ks_device_measured(const char *runtime_dir, const struct timespec *since);

#endif
