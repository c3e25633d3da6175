// A problem: one workload with every number known. What the judge runs, the probe profiles and the
// emulator executes. Made from a mark's workload and the compiler's signature.
#ifndef KS_PROBLEM_H
#define KS_PROBLEM_H

#include "source/mark.h"
#include "source/signature.h"

struct ks_value { // a name in scope of the workload's expressions
    const char *name;
    int64_t value;
};

enum ks_arg_kind {
    KS_ARG_SCALAR,
    KS_ARG_BUFFER,
    KS_ARG_STRUCT, // by value: its bytes, with buffers' addresses in them
};

struct ks_arg {
    enum ks_arg_kind kind;                // a pointer that is a scalar is null: ks_arg_is_null
    const char *name;
    struct ks_type type;
    unsigned char bytes[64]; size_t size; // scalar: its value as the kernel takes it
    bool float_scalar;                    // a floating scalar, which the judge may vary
    // buffer
    enum ks_array_role role;
    struct ks_elem elem;                  // element type (void* resolved by the clause)
    int64_t count;
    struct ks_init init;
    int alias_of;                         // argument whose pointer this one shares, or -1
    const struct ks_block *block;         // struct: its bytes and which of them matter
    size_t parent, at;                    // what lies in a struct: in which argument, at which byte
};

static inline bool ks_arg_is_null(const struct ks_arg *arg)
{
    return arg->kind == KS_ARG_SCALAR && arg->type.pointer;
}

struct ks_problem {
    const char *name;       // workload's name, or the varied sizes "n=4096"
    const char *where;      // "file:line" of the workload
    double weight;
    size_t workload;        // index in the mark
    bool derived;           // sizes were changed from the declared ones
    bool resized;           // the mark has other sizes than those for which its files were made
    struct ks_value *values; size_t n_values; // lets, integer parameters, template values
    struct ks_arg *args; size_t n_params; // as the kernel takes them,
    size_t n_args;                        // and behind them the pointers and integers that lie in structs
    int64_t grid[3], block[3], shared;
};

// Builds problem `workload` of the mark. `overrides` replace the values of lets written as a plain
// integer literal (that is what makes a size). KS_E_USER with file:line for whatever does not fit:
// a parameter without array or value, an undefined size, an impossible grid or block, a negative
// count, more than 2^40 bytes in all.
enum ks_status ks_problem_make(struct ks_arena *arena, const struct ks_mark *mark,
                               size_t workload, const struct ks_signature *signature,
                               const struct ks_kernel_decl *decl, const struct ks_value *overrides,
                               size_t n_overrides, struct ks_problem *problem,
                               struct ks_err *err);

// Names of the lets that are sizes (plain literals) of one workload, with their declared values.
size_t ks_problem_sizes(struct ks_arena *arena, const struct ks_mark *mark, size_t workload,
                        struct ks_value **sizes);

// A copy of the mark in which one workload has these sizes; names that are none of its own count nothing.
struct ks_mark *ks_mark_resized(struct ks_arena *arena, const struct ks_mark *mark, size_t workload,
                                const struct ks_value *sizes, size_t n);

// Override sets for correctness, small to large: 1, 2, edges of 32 and of every constant in
// `constants` (w-1, w, w+1, 2w+3), primes, mixed values of several sizes, then the declared sizes
// less and plus one, then the declared ones (an empty set). Duplicates removed; the count is
// bounded by `max`. Deterministic under `seed`, which picks the mixed values.
#define KS_SMALL_SIZE 128 // sizes up to here are tried even where less is declared
struct ks_shape {
    struct ks_value *overrides; size_t n;
};
size_t ks_problem_shapes(struct ks_arena *arena, const struct ks_mark *mark, size_t workload,
                         const int64_t *constants, size_t n_constants, uint64_t seed, size_t max,
                         struct ks_shape **shapes);

// Override sets that show every residue of each size modulo `count` (a power of two): `count` values of it,
// `step` apart, a little above `around`, in another order for each size. Sizes that are declared smaller
// stay below. Deterministic under `seed`.
size_t ks_problem_residues(struct ks_arena *arena, const struct ks_mark *mark, size_t workload,
                           int64_t step, int64_t count, int64_t around, uint64_t seed,
                           struct ks_shape **shapes);

int64_t ks_problem_bytes(const struct ks_problem *problem); // all distinct buffers

// Compulsory traffic: each in read once, each out written once, inout both (bytes).
int64_t ks_problem_traffic(const struct ks_problem *problem);
// Value of a let, an integer parameter or a template parameter.
bool ks_problem_value(const struct ks_problem *problem, const char *name, int64_t *value);
// Integer value of a scalar argument; false for floats, structs and pointers.
bool ks_arg_integer(const struct ks_arg *arg, int64_t *value);

#endif
