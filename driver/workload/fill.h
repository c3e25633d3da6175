// Contents of buffers: a pure function of (init, element type, seed, index), so that oracle, runner
// and emulator make the same bytes on any machine and any number of threads.
#ifndef KS_FILL_H
#define KS_FILL_H

#include "workload/problem.h"

// Families of values that the judge runs besides the declared one; those unfit for a type fall back.
enum ks_family {
    KS_FAMILY_DECLARED,  // the workload's own initialiser
    KS_FAMILY_POSITIVE,  // uniform [0,1)
    KS_FAMILY_WIDE,      // sign * 2^uniform(-20,20); of halves (-8,8), in one buffer of four (-12,12)
    KS_FAMILY_POSITION,  // value = index mod 4093: reveals any misplaced element
    KS_FAMILY_IMPULSE,   // zero but one element
    KS_FAMILY_EXACT,     // small odd integers, so that sums and products are exact in fp32
    KS_FAMILY_SPECIAL,   // NaN, infinities, signed zeros and denormals among normal values: all, some, one, half zeros, or in stretches
    KS_FAMILY_LITERALS,  // as declared; the judge plants numbers that the kernels compare with (verify/literals.h)
    KS_FAMILY_TINY,      // small numbers, one in eight so small that its reciprocal is infinite
    KS_FAMILY_POWERS,    // +-1, 2, 4, 8: sums of quotients are exact too
    KS_FAMILY_EXTREME,   // sign * 2^uniform over all exponents of the type
    KS_FAMILY_GREAT,     // normal numbers, in fp32 and bfloat16 times 2^100, so that sums are finite and squares are not
    KS_FAMILY_SLIGHT,    // the same divided by it: squares are zero
    KS_FAMILY_ODD,       // +- an odd number of so many bits (`a` of the initialiser) times 2^-so much (`b`): sums of products
                         // of such of 13 bits and of 1 are exact in fp32 in any order, and TF32 rounds every one of 13
    KS_FAMILY_COUNT
};
const char *ks_family_name(enum ks_family family);
// Integers are always filled as declared (their range is a promise); only floats vary.
bool ks_family_applies(enum ks_family family, const struct ks_elem elem);

// A number of either sign whose reciprocal its type does not hold, though ordinary small numbers divided by it are finite.
double ks_fill_tiny(enum ks_scalar scalar, uint64_t chance);
// One of either sign and any exponent that its type has.
double ks_fill_extreme(enum ks_scalar scalar, uint64_t chance);

#define KS_FILL_GREAT 100 // great numbers are 2^100 times normal ones, slight ones 2^-100

// Which kind of special values a seed stands for, of so many.
#define KS_FILL_PALETTES 8
#define KS_FILL_LONE 3  // one special alone
#define KS_FILL_ZEROS 5 // half of them zeros, and nothing else that is special
#define KS_FILL_STRETCHES 6 // many infinities alike in a row, so that whole rows or windows are: as masks make them
#define KS_FILL_BLANKS 7 // the same of NaN
int ks_fill_palette(uint64_t seed);

// Of buffer `data` of floats, the numbers from `first` on: |x|, negative by chance where `pattern` is not 0. `data` is where
// number `first` lies.
void ks_fill_signs(void *data, enum ks_scalar scalar, uint64_t pattern, int64_t first, int64_t count);

// All of a buffer's contents, for who makes them elsewhere.
struct ks_filling {
    struct ks_elem elem;
    struct ks_init init;
    enum ks_family family;
    uint64_t seed;
    int64_t total;      // elements
    bool absolute;      // |x|,
    uint64_t signs;     // negative by chance where not 0 (ks_fill_signs)
    bool wide;          // floats are stored as doubles,
    uint64_t nudge;     // each moved a little by this pattern (ks_fill_moved); 0: not
    bool single;        // what is moved is rounded to fp32, and numbers of other types are not moved
};
// Whether a device makes the same bits by the same arithmetic (workload/number.h): floats of 32 and 16 bits, of which none is NaN.
bool ks_filling_is_plain(const struct ks_filling *filling);

// Fills `count` elements of `total`, starting at element `first`, into out[0] and on. normal() is Box-Muller on
// counter-based uniforms; permutation is a bijection by cycle-walking Feistel.
void ks_fill(void *out, struct ks_elem elem, const struct ks_init *init, enum ks_family family,
             uint64_t seed, int64_t total, int64_t first, int64_t count);
// The same on all cores.
enum ks_status ks_fill_range(void *out, struct ks_elem elem, const struct ks_init *init, enum ks_family family,
                             uint64_t seed, int64_t total, int64_t first, int64_t count, struct ks_err *err);
// The whole buffer.
enum ks_status ks_fill_all(void *out, struct ks_elem elem, const struct ks_init *init,
                           enum ks_family family, uint64_t seed, int64_t total,
                           struct ks_err *err);
// A number moved a little: times 1 +- 2^-30 times [0.5,1.5), a function of pattern and index. (Moves of one size would
// cancel where two terms do.) Pattern 0: as it is; KS_FILL_ALIKE: all are moved up alike; with KS_FILL_BACK half as far the
// other way; with KS_FILL_FAR(E) 2^-E in place of 2^-30, E in [1,31]; with KS_FILL_BY_NUMBER a function of the number's first 11
// bits in place of its index, as what fewer bits leave of it is. Patterns else are below KS_FILL_PATTERNS. And
// KS_FILL_UNITS: what is finite and not zero becomes 1 of its sign. KS_FILL_SHORT(N): one number in N becomes the nearest of 11
// bits, as TF32 has them.
#define KS_FILL_PATTERNS (UINT64_C(1) << 55)
#define KS_FILL_BY_NUMBER KS_FILL_PATTERNS
#define KS_FILL_FAR(exponent) ((uint64_t)(exponent) << 56)
#define KS_FILL_BACK (UINT64_C(1) << 62)
#define KS_FILL_UNITS (UINT64_C(1) << 61)
#define KS_FILL_SHORT(one_in) (KS_FILL_UNITS | (uint64_t)(one_in))
#define KS_FILL_ALIKE 1
#define KS_FILL_MOVE 0x1p-30
double ks_fill_moved(double value, uint64_t pattern, uint64_t index);
// On all cores, `count` numbers of f32, f16 or bf16, of which `from` has number `first` of the buffer: moved and stored as the
// filling says, in `out`, which may be `from` where they are not stored wide.
void ks_fill_keep(void *out, const void *from, const struct ks_filling *filling, int64_t first, int64_t count);
// Reads .npy (version 1 and 2, C order) for init file(); KS_E_USER when type or size do not fit.
enum ks_status ks_fill_file(void *out, const char *where, const char *path, struct ks_elem elem,
                            int64_t total, struct ks_err *err);
// How many elements such a file holds.
enum ks_status ks_fill_file_count(const char *where, const char *path, struct ks_elem elem, int64_t *total,
                                  struct ks_err *err);
// What ks_init_is_read: by ks_fill_file or, recorded contents, by ks_capture_fill (workload/capture.h).
enum ks_status ks_fill_read(void *out, const char *where, const struct ks_init *init, struct ks_elem elem,
                            int64_t total, struct ks_err *err);

#endif
