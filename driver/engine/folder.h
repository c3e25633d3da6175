// Private to the folding of a block's threads: what its files share.
#ifndef KS_FOLDER_H
#define KS_FOLDER_H

#include "engine/loop.h"
#include "engine/subject.h"

enum ks_fold_op {
    KS_FOLD_ANY, // not known yet: of what a function is given
    KS_FOLD_SUM, KS_FOLD_PRODUCT, KS_FOLD_OR, KS_FOLD_XOR, KS_FOLD_AND, KS_FOLD_MAX, KS_FOLD_MIN,
};

// What is known of a variable from statement to statement. Of an array in shared memory: of its first element, or,
// where it is a part, of each thread's own.
struct ks_fold_value {
    enum {
        KS_FOLD_SAME,  // in all threads
        KS_FOLD_FIRST, // the first thread has it, for the others it is another
        KS_FOLD_PART,  // of what the threads have, `op` makes the value of the block
        KS_FOLD_WARP,  // of what the first lanes of the warps have, `op` makes it; of an array: its elements, by warps
        KS_FOLD_LANES, // of what the lanes of the first warp have, `op` makes it
        KS_FOLD_OWN,   // a thread's own
    } kind;
    const char *name;
    enum ks_fold_op op;
    enum ks_scalar type;
    const char *literal;  // the number that it was set to and still is, or NULL
    const char *reason;   // why it is a thread's own, or NULL
    bool shared, array;
    bool whole;           // in a function: what its threads gave, combined by `op`
};

struct ks_fold_function { // that combines what the threads of a block give it
    const char *name, *why; // why it is none, or NULL
    enum ks_fold_op op;
    enum ks_scalar type;
    int kind;               // of what it returns: KS_FOLD_SAME, FIRST or WARP
    bool warps;             // it asks for whole warps
    int64_t threads;        // it asks for, 0: any
};

struct ks_fold_functions {
    struct ks_fold_function *at;
    size_t len, cap;
};

struct ks_folder {
    struct ks_subject *s;
    struct ks_edit_list *edits;
    struct ks_affine env;      // declarations so far
    struct {
        struct ks_fold_value *at;
        size_t len, cap;
    } values;                  // of the same, inner ones behind outer ones
    struct ks_fold_functions *functions; // read so far
    int64_t threads;           // a block has to have, 0: any number
    int depth;                 // of functions in functions
    int externs;               // arrays in shared memory whose size the launch gives
    int folded;                // loops that were shared, and values that were combined
    bool first;                // for the first thread alone
    bool leads;                // for the first lane of each warp
    bool warp;                 // for the first warp alone
    bool warps;                // a block has to have whole warps
    bool rows;                 // each warp of a block is taken for a block of its own,
    bool lines;                // of blocks that are 32 wide and some high
    bool numbered;             // and by its number in the grid an item is chosen
    bool left;                 // nothing goes on from here
    bool alone;                // the statement is all that a branch or loop has
    const char *reason;        // why the last value is a thread's own
    const char *why;           // the refusal, or NULL
};

void ks_fold_refuse(struct ks_folder *folder, const struct ks_node *at, const char *why, ...)
    __attribute__((format(printf, 3, 4)));
// The variable, or NULL for what is none of the body's.
struct ks_fold_value *ks_fold_find(const struct ks_folder *folder, const char *name);
struct ks_fold_value *ks_fold_declare(struct ks_folder *folder, const char *name, enum ks_scalar type);
// The value of an expression. Where it can be no thread's own (SAME or FIRST) the edits that it needs are added.
struct ks_fold_value ks_fold_eval(struct ks_folder *folder, const struct ks_node *expr);
// Whether an expression has the one value for all, or for the first thread where it is that one's turn; refuses else.
bool ks_fold_same(struct ks_folder *folder, const struct ks_node *expr);
// What to say of a variable that has no one value.
const char *ks_fold_differs(const struct ks_folder *folder, const struct ks_fold_value *value);
// A thread's number in its block; in its warp, where each is taken for a block.
bool ks_fold_is_thread(const struct ks_folder *folder, const struct ks_node *expr);
// Puts a number in the place of an axis that blocks are one thread wide in: threadIdx.y is 0, blockDim.y is 1. That
// they are is asked of the launch in any case; false where the first workload's are not.
bool ks_fold_flat_axis(struct ks_folder *folder, const struct ks_node *node, const char *builtin);
// Takes a statement out.
void ks_fold_erase(struct ks_folder *folder, const struct ks_node *node);
// A loop that threads enter with their number; false where it is none.
bool ks_fold_shared_loop(struct ks_folder *folder, struct ks_node *loop);
// A tree in shared memory behind which the first element holds the block's value; false where it looks like none.
bool ks_fold_tree(struct ks_folder *folder, struct ks_node *loop);
// Conditions: the first lane of each warp, the first warp; and a thread's warp as an index (engine/fold_warp.c).
bool ks_fold_leads(const struct ks_folder *folder, const struct ks_node *test);
bool ks_fold_first_warp(const struct ks_folder *folder, const struct ks_node *test);
bool ks_fold_is_warp(const struct ks_folder *folder, const struct ks_node *expr);
bool ks_fold_is_lane(const struct ks_folder *folder, const struct ks_node *expr);
// A warp's number in the grid, as `blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32`; of lines, as
// `blockIdx.x * blockDim.y + threadIdx.y`.
bool ks_fold_is_row(struct ks_folder *folder, const struct ks_node *expr);
// `lane < warps ? array[lane] : NEUTRAL`, what the first warp goes on with; false where it is no such choice.
bool ks_fold_gather(struct ks_folder *folder, const struct ks_node *cond, struct ks_fold_value *value);
// A loop in which lanes of a warp combine; false where it is none.
bool ks_fold_shuffles(struct ks_folder *folder, const struct ks_node *loop);
// What two ways leave of a variable where they meet.
struct ks_fold_value ks_fold_join(const struct ks_fold_value *a, const struct ks_fold_value *b);
// Whether a value in all threads is also a part of what `op` makes of them all, the value itself.
bool ks_fold_is_neutral(const struct ks_fold_value *value, enum ks_fold_op op);
// The operation that combines two values in this text (engine/reduction.h); KS_FOLD_ANY for none known here.
enum ks_fold_op ks_fold_op_of(const char *front, const char *between, const char *pick);
// Whether a function of the program does the same in whatever thread.
bool ks_fold_is_quiet(const struct ks_folder *folder, const char *name);
// The program's function as one that combines; ->why where it is none.
const struct ks_fold_function *ks_fold_function(struct ks_folder *folder, const char *name);
// The statements of a block; ->why where one is not understood.
void ks_fold_statements(struct ks_folder *folder, struct ks_node *const *nodes, size_t n);
// A block has to have so many threads.
void ks_fold_ask(struct ks_folder *folder, const struct ks_node *at, int64_t threads);

#endif
