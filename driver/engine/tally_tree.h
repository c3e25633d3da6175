// Private to tally*.c: the parts of a kernel that counts.
#ifndef KS_TALLY_TREE_H
#define KS_TALLY_TREE_H

#include "engine/typed.h"

enum { KS_TALLY_DEPTH = 48, KS_TALLY_RANGES = 32, KS_TALLY_COUNTS = 8 };
struct ks_tally_atomic {
    struct ks_node *path[KS_TALLY_DEPTH]; // down to the statement
    size_t depth;
    const struct ks_node *call, *base, *index; // base: the array's name; index: the last one
    struct ks_type as;                         // what its address is converted to; without text: it is not
};
struct ks_tally {
    struct ks_typed_reader t;
    struct ks_tally_atomic count[KS_TALLY_COUNTS]; // statements of one block, in their order
    size_t n_counts;
    struct ks_tally_atomic merge; // of a block's counts into memory; its call may be NULL
    const struct ks_node *loop;   // the innermost round the counts
    struct ks_buf code;
    const char *conditions;       // formula, or NULL
    const char *values;           // what has been counted so far: formula
    enum ks_scalar place;         // the widest type of a place
    struct ks_subject s;
    struct { size_t begin, end; } allowed[KS_TALLY_RANGES]; // where arrays of counts may be named
    size_t n_allowed;
};

bool ks_tally_refuse(struct ks_tally *y, const struct ks_node *at, const char *what);
// Finds the atomics; false where there are others than those.
bool ks_tally_atomics(struct ks_tally *y);
// Whether it adds to elements of that type as they lie there.
bool ks_tally_keeps_width(const struct ks_tally_atomic *a, enum ks_scalar elem);
// Whether what is asked of a place is asked in small runs as well: it is compared with no number beyond those, unless that is an
// array's size. `of_loop`: it is a loop's condition.
bool ks_tally_shows(struct ks_tally *y, const struct ks_node *asked, bool of_loop);
// Whether all that the kernel does beside the count is to make room for it and to add it up.
bool ks_tally_is_all(struct ks_tally *y);

#endif
