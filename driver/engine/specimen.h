// Private to the template engine: small runs of the original on the emulated device, in double. What
// a template's formula is held against.
#ifndef KS_SPECIMEN_H
#define KS_SPECIMEN_H

#include "engine/bind.h"

// Three of declared data, behind them one with round sizes alone, and behind each kind five of other data; or two of each of
// what one array holds in place of numbers.
#define KS_SPECIMENS 16
// What one array of floats has in place of numbers.
enum ks_specimen_beyond {
    KS_BEYOND_NOTHING,
    KS_BEYOND_ALL_NAN,
    KS_BEYOND_ALL_BELOW, // -infinity
    KS_BEYOND_ALL_ABOVE,
    KS_BEYOND_SOME_BELOW, // the first and about a third are NaN, others are numbers below zero
    KS_BEYOND_SOME_ABOVE,
    KS_BEYOND_ONE_ABOVE, // the first is an infinity: whether that meets parts of a sum or the sum shows
    KS_BEYOND_LAST_BELOW, // those are the last number of fp32
    KS_BEYOND_LAST_ABOVE,
    KS_BEYOND_KINDS
};
// What arrays hold: a kernel may treat numbers apart that declared data have none of.
struct ks_specimen_data {
    bool low;     // negative all, whole and often alike: what begins with zero, or takes the last of equal ones, shows
    bool signs;   // either sign where the initialiser has no number below zero: fewer than a sum tells of magnitudes
    double size;  // times that: beside small numbers an epsilon shows; 1
    bool assumed; // the text has no epsilon: for who would say that it has
    enum ks_specimen_beyond beyond;
    size_t array; // parameter that has that
};
struct ks_specimen {
    struct ks_problem problem;
    struct ks_specimen_data data;
    double **before, **after; // by argument: NULL for what is no buffer
    bool **written;           // elements that the kernel changed
    double *scale;            // root of the mean square of what was written
    double *scalar;           // by argument: value of a scalar
    int round; // what sizes that the launch hangs on are multiples of: all that n / 32 blocks
               // serve; 0: of nothing
};
struct ks_specimens {
    struct ks_specimen at[KS_SPECIMENS];
    size_t n;
    bool tried;
    const char *why; // there are none
    struct ks_bound { // what templates were found to bind
        const char *template_;
        struct ks_binding_list bindings;
        const char *refusal;
        struct ks_bound *next;
    } *bound;
    struct ks_beyond { // what ks_specimens_beyond has made
        size_t array;
        struct ks_specimens *runs;
        struct ks_beyond *next;
    } *beyond;
    struct ks_specimens *fixed; // those of the mark with its windows as constants (engine/fixed.h); NULL: none asked
};

// Those of the first workload, made at the first call and kept in brief->specimens where there is one. Never NULL.
const struct ks_specimens *ks_specimens_of(struct ks_arena *arena, const struct ks_brief *brief);
// On the sizes of the last ones of declared data, and of the last round ones, runs of an array (a parameter) that holds no
// numbers. None where it has no floats or nothing could be run. Kept as the others.
const struct ks_specimens *ks_specimens_beyond(struct ks_arena *arena, const struct ks_brief *brief, size_t array);
// Whether the last ones have round sizes.
bool ks_specimens_have_round(const struct ks_specimens *specimens);
// What that size is a multiple of there.
int ks_specimens_round(const struct ks_specimens *specimens, const struct ks_brief *brief,
                       const char *size);
// Value of an expression's name: sizes, integer parameters, template values, grid and block.
bool ks_specimen_lookup(void *problem, const char *name, int64_t *value);

#endif
