// Comparison of output bytes against the oracle's: the rules of research verification.md section 3.
// tol(sum=F) admits F times the sum of an element's absolute terms beside what is derived: the forward error of a sum of
// products whose factors are rounded (N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2002, section 3.1).
#ifndef KS_COMPARE_H
#define KS_COMPARE_H

#include "source/mark.h"

struct ks_comparison {
    int64_t compared, bad;      // elements (vector lanes count singly)
    int64_t first_bad, last_bad; // indices, -1 if none
    int64_t sure;               // of the bad: those that all there is to compare by was known of
    double max_ulp, max_rel;    // over good and bad finite pairs
    const char *pattern;        // "every 4th element", "a long tail", "": static text for feedback
};

// `scale` (may be NULL): per-element sum of absolute terms, from the kernel run on absolute values,
// for derived tolerances; `noise`: largest |difference| between two runs of the original itself in
// units of the tolerance base (0 if deterministic). Elements the original leaves unwritten hold the same
// poison on both sides and must stay bit-equal: give them as KS_LANE_BITS in `mask` (NULL: all KS_LANE_CLOSE).
enum {
    KS_LANE_BITS,  // equal bit by bit
    KS_LANE_CLOSE, // by the tolerance
    KS_LANE_EXACT, // equal values: zeros of either sign, any NaN
};
void ks_compare(const struct ks_tolerance *tolerance, struct ks_elem elem, const void *expected,
                const void *got, int64_t count, const float *scale, double noise,
                const unsigned char *mask, struct ks_comparison *out);

// What fp32's range makes of an element where inputs are moved as far as tol(sum=F) lets terms err: expf of such a sum is
// infinite, and a quotient by it 0.
struct ks_nearby {
    float error;      // the original's own there, the largest: of one that is a number
    float low, high;  // what it comes to there, in double: NaN where it is no number
    unsigned char is; // else that, though in double it is a number: which of these it was
    unsigned char comes; // which of these it comes to in double
};
enum { KS_NEARBY_NUMBER = 1, KS_NEARBY_ABOVE = 2, KS_NEARBY_BELOW = 4, KS_NEARBY_NAN = 8 };
unsigned char ks_nearby_is(double value);
struct ks_nearby *ks_nearby_new(int64_t n); // of so many lanes, that nobody has seen; malloc'ed

// What the original computes when it is evaluated in double, for outputs of fp32, fp16 and bf16: an element is also right
// that is as near to it as `scale` (the condition of each element, research verification.md 3.2) and twice the
// original's own error `noise` in units of that allow, or as four times the largest error `own` that the original
// was seen to make on this very element, run with random rounding (verify/rounding.h). scale 0: this element is not
// judged so. typical: root mean square of the values.
struct ks_reference {
    const double *value;
    const double *scale; // may leave fp32's range where the value does not: exp of a difference of large sums
    const float *own;
    double noise, typical;
    double unit; // roundoff of the arithmetic; 0: fp32's
    double inputs; // what size of floats the original reads: the largest of its arrays' medians; 0: not known
    const float *terms; // how many terms form an element, borrowed; NULL: few, or no sum of products
    const int64_t *lanes; int64_t n_lanes; // what value, scale and own are of, rising; NULL: of all lanes
    double others; // how far the other lanes may be from the original's; 0: nothing is known of them
    double sum; // of tol(sum=F), where `scale` stands for an element's terms; 0: nothing
    bool product; // of factors alone: an element is right by its value whatever the original's own order brings it to. A
                  // value beyond the type's end is infinite, and one that is none (NaN) has left double's range as well:
                  // zero, infinity and what they come to together are right then, and no other
    const struct ks_nearby *nearby; // of tol(sum=F), and of random rounding where that alone decides; NULL: nobody looked
    const float *shaken; // the largest error that rounding of intermediate results made on inputs nearby, no choice among
                         // them; NULL: nobody looked (verify/wide_shaken.c)
    bool between; // an element is also right between its value and what it comes to nearby, and somewhat beyond
    bool either; // terms of either sign meet, as far as is seen: beyond the type's end another order of them may leave no number
};
// What another order of the sums within an element may bring it off by, were its changes in proportion; 0: nobody looked.
double ks_reference_shaken(const struct ks_reference *reference, int64_t i);
// Whether that is about all of it: then of what the original itself gives nothing is rounding less.
bool ks_reference_swamped(const struct ks_reference *reference, int64_t i);
// What seven eighths of some lanes of the reference, `n` of them, are each allowed at least: for `others`. 0: nothing.
double ks_reference_usual(const struct ks_reference *reference, enum ks_scalar scalar, const int64_t *lanes, int64_t n);
// Where the reference has a lane; -1: nowhere.
int64_t ks_reference_at(const struct ks_reference *reference, int64_t lane);
// A long sum of terms of one sign, K of them in sequence, errs by about 0.5 sqrt(K) u |sum| at worst over 200 sums
// (research verification.md 3.2: 8.6 at K = 256, 35 at 4096); 1.5 covers millions, and the chains that halves of such a
// sum still are where all terms round alike (a million times 0.1 by 256 lanes: 646 units, of 1536).
#define KS_SEQUENCE 1.5
double ks_compare_sequence(float terms); // in units of u |sum|
// A tensor core cuts each product and each sum of a block of them where others round: terms of one sign lose by each step. By the
// model of Hopper's (blocks of 8 or 16, two bits more than fp32 has: F. A. Khattak, M. Mikaitis, Accurate Models of NVIDIA
// Tensor Cores, arXiv 2512.07004, 2025) sums of K uniform products are too small by up to 0.12 K u |sum|, by that of Ampere's
// (8, one bit) by 0.20 K; over 200 to 1000 sums each, K from 256 to 16384.
#define KS_CUT 0.25
#define KS_CUT_MOST 0x1p15f // terms: of more, what they lose is no longer told from 11 bits
// As a sum of absolute terms whose 16 units are that.
float ks_compare_cut(float terms, double value);
double ks_compare_factor(void); // units of a reference's `scale` that any order of its sums may err by
// Root mean square of what is finite.
double ks_reference_typical(const double *value, int64_t n);
// Whether an error of the original at the i-th of the reference's lanes is one that rounding makes; a larger one is a
// choice. What rounds may be measured by what went in, too: of numbers of their size that cancel, little is left. And by
// what rounding was seen to do in double, where no choice comes out otherwise.
bool ks_reference_rounds(const struct ks_reference *reference, int64_t i, double error);
// The same without the last of these.
bool ks_reference_trusts(const struct ks_reference *reference, int64_t i, double error);
// Lanes that are bad, every so many of them, rising.
struct ks_lanes {
    int64_t every;  // in
    int64_t *at, n; // out; malloc'ed
};
// ks_compare with more to compare by, each NULL where there is none: `sums`, the sum of absolute terms by itself, for
// tol(sum=F), and the reference. bad: NULL if nobody asks.
void ks_compare_to(const struct ks_tolerance *tolerance, struct ks_elem elem, const void *expected,
                   const void *got, int64_t count, const float *scale, const float *sums, double noise,
                   const unsigned char *mask, const struct ks_reference *reference,
                   struct ks_lanes *bad, struct ks_comparison *out);

// What storing a value in this type may change.
double ks_compare_rounding(enum ks_scalar scalar, double value);

// From here on it is infinity; of double nothing that can be stored is.
double ks_compare_end(enum ks_scalar scalar);

// The `noise` of two runs of the original, for ks_compare with the same `scale`.
double ks_compare_noise(struct ks_elem elem, const void *a, const void *b, int64_t count,
                        const float *scale, const unsigned char *mask);
// One floating element (a vector's lane) as a double; 0 for integers.
double ks_scalar_value(enum ks_scalar scalar, const void *data, int64_t index);
// Stores a number as one of that type.
void ks_scalar_put(enum ks_scalar scalar, void *at, double value);

#endif
