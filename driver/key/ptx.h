// Canonical PTX: what a kernel is, with names, comments and debug data taken off (DESIGN.md section 4).
#ifndef KS_PTX_H
#define KS_PTX_H

#include "base/vec.h"
#include "fmt/hash.h"
#include "key/reason.h"

struct ks_ptx_param {
    size_t size, align; // bytes
    bool scalar;        // .u64/.f32/... rather than .b8[]
    bool real;          // .f32/.f64
};

struct ks_ptx_entry {
    const char *name;             // as in the file, registered name
    struct ks_ptx_param *params; size_t n_params;
    struct ks_slice canonical;    // text: this entry and what it reaches
    struct ks_digest digest;      // of `canonical`
    enum ks_reason ineligible;    // KS_R_APPLIED when eligible
    const char *ineligible_text;  // the construct seen, "" if none
};

struct ks_ptx_module {
    const char *target;           // "sm_90"
    int arch;                     // 90
    struct ks_ptx_entry *entries; size_t n_entries;
};

// Of those for an architecture the most specific one, compute_90a before compute_90: what its devices run.
const struct ks_ptx_module *ks_ptx_of_arch(const struct ks_ptx_module *modules, size_t n, int arch);

// Reads the PTX nvcc leaves under --keep; the text need not outlive the call. KS_E_FORMAT on what is
// not PTX.
enum ks_status ks_ptx_read(struct ks_arena *arena, struct ks_slice text,
                           struct ks_ptx_module *module, struct ks_err *err);
// The text with the shared arrays that nvcc declares in the one function that uses them ("demoted variable") at the
// module's end; itself, borrowed, where there are none. For comparing modules: keys are of the text as it is.
struct ks_slice ks_ptx_promoted(struct ks_arena *arena, struct ks_slice text);
// The text with shared arrays of the module's that the entry uses declared in it, as nvcc does where no other uses them;
// itself, borrowed, where there are none.
struct ks_slice ks_ptx_demoted(struct ks_arena *arena, struct ks_slice text, const char *entry);
// Name of the entry or function that the line (from 1) stands in; empty: in none. ptxas complains of
// lines that are no PTX.
struct ks_slice ks_ptx_function_at(struct ks_slice text, int64_t line);
const struct ks_ptx_entry *ks_ptx_find(const struct ks_ptx_module *module, const char *name);
// Of another compile of the unit, which may give the kernel another registered name (source/signature.h).
const struct ks_ptx_entry *ks_ptx_find_same(const struct ks_ptx_module *module, const char *name);

#endif
