// Numbers that stand in machine text: what a kernel compares its sizes and its data with. No family of random
// values contains 0.375 or 1777; whoever branches on them has written them down. Those of the original are
// looked at as well: a candidate may have left such a branch out.
#ifndef KS_LITERALS_H
#define KS_LITERALS_H

#include "workload/fill.h"

#define KS_LITERALS 1152 // a table of 4096 bytes (verify/gate.h) has 1024 floats

struct ks_literals {
    double values[KS_LITERALS]; // floating ones, and the bits of such as integers
    size_t n_values;
    int64_t wholes[KS_LITERALS]; // without sign
    size_t n_wholes;
    double limit;   // of what is planted; 0: none
    bool scattered; // among other values alone
};

// Adds what canonical PTX holds: first what is compared, then the rest, then what constant tables of words hold. What
// does not fit is left out.
void ks_literals_read(struct ks_literals *literals, struct ks_slice ptx);
// Adds those of `other`, turn about, so that neither crowds out the other's first ones.
void ks_literals_join(struct ks_literals *literals, const struct ks_literals *other);
// A value near a literal, chosen by `which`: itself, either neighbour among floats, twice as much, of either sign.
// 1 in place of what is beyond the limit; 0 where there are none.
double ks_literals_near(const struct ks_literals *literals, uint64_t which);
// The same in turn: each literal, then twice each, then their neighbours, then all of the other sign.
double ks_literals_turn(const struct ks_literals *literals, uint64_t turn);
// Which of the first literals a seed multiplies all values by where they are scattered, as many kinds as
// ks_literals_kinds says; or that all are steps up to one, or that runs of several kinds are planted.
enum { KS_LITERALS_MIXED = -1, KS_LITERALS_STEPS = -2 };
size_t ks_literals_kinds(const struct ks_literals *literals);
int ks_literals_kind(const struct ks_literals *literals, uint64_t seed);
// What the free scalars of a launch are.
struct ks_scalars {
    double at[8]; size_t n;
};
// Plants them among `count` elements, for each run of 64 values by `seed`: scattered (beside small multiples of them and of
// `scalars`, NULL: none, and halves of those), or else all equal, rising (also in the last place alone) or alternating. Integers
// stay within what their initialiser promises, and come in steps (as sorted indices do, up or down by one or a few), as the
// ends of their range, as zeros, as powers of two and their neighbours, and halfway between floats too.
void ks_literals_plant(const struct ks_literals *literals, const struct ks_scalars *scalars, struct ks_elem elem,
                       const struct ks_init *init, uint64_t seed, int64_t count, void *data);

// The same of integers, but for runs of `length`, most of them one value: of the literals, an end of the range, or any.
void ks_literals_runs(const struct ks_literals *literals, struct ks_elem elem, const struct ks_init *init, int64_t length,
                      uint64_t seed, int64_t count, void *data);

// Lattices: numbers 0, +-1 and +-b, so few that what is computed of several (a distance, a norm, a difference, a product) is
// in many places the very number that it is compared with. `which` says what b is: one of the first literals or of
// `scalars`, or its square root where that is exact. 0 where there is no such b, or an earlier one is the same.
#define KS_LITERALS_LATTICES 20
double ks_literals_base(const struct ks_literals *literals, const struct ks_scalars *scalars, unsigned which,
                        enum ks_scalar scalar);
// Puts such numbers in place of `count` floating elements.
void ks_literals_lattice(double base, struct ks_elem elem, uint64_t seed, int64_t count, void *data);

#endif
