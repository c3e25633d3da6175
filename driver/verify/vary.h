// How the values of one vector differ from another's of the same family: free scalars, integers, which of the inputs
// is special, and the seed.
#ifndef KS_VERIFY_VARY_H
#define KS_VERIFY_VARY_H

#include "verify/vector.h"

// A variation picks values of free float scalars (0: declared). Of special values it picks a pair of them and which input
// alone has those, or special ones; above KS_SPECIAL_SCALARS the kind of special values (ks_fill_palette), modulo their number. Of odd
// numbers it says whose have more bits than TF32, and 2^-exponent, all others' size. Of literals those from KS_LATTICE
// on are lattices: free scalars stay as they are. KS_INTEGERS times one of enum ks_integers, or of what follows that,
// added to it, also makes the integers of each input alike.
#define KS_ODD(arg, exponent) (32 * (int)(arg) + (exponent))
#define KS_ODD_BITS 13
#define KS_SPECIAL_VALUES 9 // pairs of them
#define KS_SPECIAL_INPUTS 3 // each of so many, or of more by chance, alone has special values beside a pair
#define KS_SPECIAL_PAIRS (KS_SPECIAL_VALUES * KS_SPECIAL_INPUTS)
#define KS_SPECIAL_SCALARS (KS_SPECIAL_PAIRS + 6) // every other scalar NaN, then infinite, of either sign
#define KS_LATTICE 40
#define KS_INTEGERS 64
enum ks_integers {
    KS_INTEGERS_DRAWN,
    KS_INTEGERS_EQUAL,    // one value of their range: everything collides
    KS_INTEGERS_HIGH,     // near its upper end: sums of them are as great as can be
    KS_INTEGERS_LOW,      // near its lower end
    KS_INTEGERS_HIGH_LOW, // the arrays by turns: so are differences
    KS_INTEGERS_LOW_HIGH,
    KS_INTEGERS_COUNT,
    KS_INTEGERS_OPEN = KS_INTEGERS_COUNT // any of their type, where nothing is declared of them
};
// KS_INTEGERS_OPEN for argument `arg` alone.
#define KS_INTEGERS_OPEN_ONE(arg) (KS_INTEGERS_OPEN + 1 + (int)(arg))
// One of those above KS_INTEGERS_DRAWN, of their type's range where nothing is declared of them.
#define KS_INTEGERS_OPEN_ALIKE(integers) (100000 + (int)(integers))
// As indices of an array, the k-th largest by its size, where nothing is declared of them.
#define KS_INTEGERS_INDEX(k) (200000 + (int)(k))
#define KS_INTEGERS_INDICES 3
// One array alone of nothing but one value, of any type: the ends of its range, of which infinities are those of floats, no
// number, or zero. Who begins a minimum with a number instead of an element is wrong there. Or one of the first literals
// (verify/literals.h), for who looks at one element alone; or numbers from the negative of one of the largest, at which a maximum may begin, to twice that.
#define KS_FLOOD_FIRST 6
#define KS_FLOOD_LITERALS (KS_FLOOD_FIRST + 3)
enum ks_flood {
    KS_FLOOD_HIGH, KS_FLOOD_LOW, KS_FLOOD_NO_NUMBER, KS_FLOOD_ZERO, KS_FLOOD_LITERAL,
    KS_FLOODS = KS_FLOOD_LITERAL + KS_FLOOD_LITERALS
};
#define KS_INTEGERS_FLOOD(arg, flood) (300000 + KS_FLOODS * (int)(arg) + (int)(flood))
// Arrays that are declared alike hold the same, but for few elements: who compares two, or adds up how they differ, sees little else
// than differences in what is drawn. One element in 16, 128 or 1024 is another; or the last of every other row, as long as one of
// the problem's sizes.
#define KS_TWINS_ROWS 3
enum ks_twins { KS_TWINS_16, KS_TWINS_128, KS_TWINS_1024, KS_TWINS_ROW, KS_TWINS_COUNT = KS_TWINS_ROW + KS_TWINS_ROWS };
#define KS_INTEGERS_TWINS(twins) (400000 + (int)(twins))
// Integers in runs of 256, 1024 and 4096, most of them one value: who looks back a little, in place of a serial loop over all
// elements, is wrong behind longer ones.
#define KS_RUNS 3
#define KS_INTEGERS_RUNS(k) (450000 + (int)(k))
int64_t ks_vary_run(int variation); // how long; 0: there are none
// Special values beside free scalars that are a literal or, of the first, its negative: who has a way of its own for one exponent or
// weight is wrong there for what no number comes of.
#define KS_NEAR_LITERALS 32
#define KS_NEAR_NEGATIVE 8
#define KS_INTEGERS_NEAR(k) (460000 + (int)(k)) // from KS_NEAR_LITERALS on negative
// Of special values: input k alone of them has the kind that the variation says.
#define KS_INTEGERS_WHOSE(k) (480000 + (int)(k))
// Of so many elements one stays what it is, and the others are so much less: who keeps a few of the largest for each lane loses some
// where one lane has them all.
#define KS_STRIPES 4
#define KS_INTEGERS_STRIPES(k) (470000 + (int)(k))
int64_t ks_vary_stripe(int variation); // how many; 0: there are none
void ks_vary_stripes(const struct ks_vector *vector, size_t slot, void *bytes);
// The values of argument `arg` lie where what the original decides turns (verify/brink.h).
#define KS_INTEGERS_BRINK(arg) (500000 + (int)(arg))
// The same beside other integers of any size, where nothing is declared of them: who compares two such.
#define KS_INTEGERS_BRINK_OPEN(arg) (600000 + (int)(arg))
int ks_vary_brink(int variation); // that argument; -1: there is none
bool ks_vary_leaves_integers(int variation); // it is of floats, or of what arrays share
int ks_vary_twins(int variation); // enum ks_twins; -1: it has none
// The stretch, or row, of which one element differs; 0: no such size, or no two arrays are declared alike.
int64_t ks_vary_twin_stretch(const struct ks_problem *problem, int twins);
// The first slot that is declared as this one is and lies before it, else this one itself.
size_t ks_vary_twin_of(const struct ks_vector *vector, size_t slot);
// Whether element i is another than its twin's.
bool ks_vary_twin_differs(const struct ks_vector *vector, uint64_t seed, int64_t i);
// Whether there is such a literal for the array.
bool ks_vary_literal(const struct ks_literals *literals, const struct ks_arg *arg, int flood);
// The argument that a variation floods; -1: none.
int ks_vary_flooded(int variation);
// Fills the buffer of the vector's flooded slot.
void ks_vary_flood(const struct ks_vector *vector, void *out);
bool ks_arg_is_float_input(const struct ks_arg *arg); // floats that are read
bool ks_arg_has_range(const struct ks_arg *arg); // integers that are read, of a declared range or of none
bool ks_arg_is_open(const struct ks_arg *arg);   // of none: drawn from a few, and any may come

// Sets what the variation says of a problem's scalars and initialisers.
void ks_vary_problem(struct ks_judge *judge, struct ks_problem *problem, enum ks_family family, int variation);
// Draws the vector's seed, once its layout and its literals are there, and which input alone is special.
void ks_vary_seed(struct ks_judge *judge, struct ks_vector *vector, int variation);

#endif
