// Recordings: what libks-record (cupti_probe/record) saw of a program's kernels, and who reads it.
//
// A recording is a file of JSON lines that every process of the program appends to, one write(2) a batch,
// so that what was written stays readable whatever becomes of the writer. Each write begins and ends with
// a newline: a line torn by a full disk spoils itself alone. "p" is the process id of the line's writer; a
// process that calls exec begins a new session under the same id. Times are nanoseconds.
//
// session    {"p":7,"ks":"recording","format":1,"program":"/abs/app","cupti":130001,"t":unix time}
// refused    {"p":7,"refused":"cupti-absent","text":"..."}   no kernels of this session are recorded
// note       {"p":7,"note":"...","text":"..."}               recorded, but not all that was asked for
// device     {"p":7,"device":0,"name":"NVIDIA H200","arch":90,"sms":132,"threads":2048,"blocks":32,
//            "registers":65536,"shared":233472,"memory":4814}  limits of one multiprocessor; bytes; GB/s
// kernel     {"p":7,"kernel":0,"name":"_Z5scalePf"}
// class      {"p":7,"class":0,"kernel":0,"grid":[1,1,1],"block":[256,1,1],"cluster":[1,1,1],"static":0,
//            "dynamic":0,"local":0,"registers":16,"device":0,"graph":false}   bytes; local a thread
// launches   {"p":7,"at":start,"launches":[class,stream,gap,duration, ...]}   `gap` from the start of the one
//            before (of the first: 0) to its own, may be negative; duration -1: not known, it never ended
// dropped    {"p":7,"dropped":3}                             records that CUPTI had no room for
// end        {"p":7,"end":12,"t":unix time}                  launches written by this session, which ended by exit
#ifndef KS_RECORDING_H
#define KS_RECORDING_H

#include "base/str.h"
#include "base/vec.h"

#define KS_RECORDING_FORMAT 1
#define KS_RECORDED_VARIANT 16 // digits that name a variant

struct ks_recorded_device {
    const char *name;
    int arch, sms;                        // 90 for sm_90
    int threads, blocks, registers, shared; // most on one multiprocessor; shared in bytes
    double memory_gbs;                    // the memory's peak; 0: not known
};

struct ks_recorded_class { // launches of one kernel alike in geometry and resources
    size_t kernel, device;                // indices below
    int64_t grid[3], block[3], cluster[3];
    int64_t static_shared, dynamic_shared, local; // bytes; local a thread
    int registers;                        // a thread
    bool graph;                           // nodes of CUDA graphs
    double occupancy;                     // most warps that fit, of those a multiprocessor holds; 0: not known
    const char *limit;                    // what bounds it: "registers", ...; "" not known
    int64_t launches, unfinished;         // unfinished ones have no time
    double total_ns, min_ns, max_ns;
};

struct ks_recorded_kernel {
    const char *symbol;                   // as registered, mangled
    const char *name;                     // demangled, without parameters
    const char *variant;                  // 16 hex digits of the variant whose kernel this is; or NULL
    int64_t launches;
    double total_ns;
    KS_VEC(size_t) classes;               // by time, the largest first
};

struct ks_recorded_session {
    int64_t pid;
    const char *program;                  // its path
    const char *refused, *text;           // a code (docs/json.md) and a sentence; or NULL
    int64_t cupti;                        // version, 0: none
    int64_t launches, dropped;
    double first_ns, last_ns;             // first start, last end; the first is above the last: none
    bool ended;                           // by exit; else it was killed, crashed, called exec or _exit
};

struct ks_recorded_note { // recorded, but not all that was asked for
    const char *code, *text;
};

struct ks_recording {
    KS_VEC(struct ks_recorded_session) sessions;
    KS_VEC(struct ks_recorded_device) devices;
    KS_VEC(struct ks_recorded_class) classes;
    KS_VEC(struct ks_recorded_kernel) kernels; // by time, the largest first
    KS_VEC(struct ks_recorded_note) notes;
    int64_t launches, unfinished, dropped, torn; // torn: lines that cannot be read
    int64_t streams;                      // distinct ones, over all sessions
    double total_ns;                      // sum of all kernels' times
    double span_ns;                       // from the first start to the last end, summed over sessions
};

// Reads a recording whole into the arena. KS_E_ABSENT: no such file; KS_E_FORMAT: not one, or of a newer
// format. Lines that cannot be read are counted, and the rest is read.
enum ks_status ks_recording_read(struct ks_arena *arena, const char *path, struct ks_recording *out,
                                 struct ks_err *err);

// Launches of variants' kernels, and their time in nanoseconds.
int64_t ks_recording_variants(const struct ks_recording *recording, double *ns);

// A mangled name without return type and parameters: "ns::scale<float>".
const char *ks_recorded_name(struct ks_arena *arena, const char *symbol);

// Occupancy, order and span, from launches that were counted. Part of ks_recording_read.
void ks_recording_conclude(struct ks_recording *out);

#endif
