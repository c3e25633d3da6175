// The original evaluated in double: the user's unit is compiled once more with `double` where it says
// `float`, and its kernel run on the same numbers in buffers twice as wide. That gives an output's true
// value, the original's own error, and by slightly moved inputs how much rounding an honest order of the same
// work may show (research verification.md 3.2). For kernels with more than sums of products in which many
// terms meet: softmax, norms, log-sum-exp; for long sums, and for products of many factors.
//
// Nothing of it is trusted more than what it agrees with: a unit that does not compile so, integers that differ, or
// an eighth of an output far from the original's leave the element-wise tolerance, and a note.
#ifndef KS_WIDE_H
#define KS_WIDE_H

#include "source/closure.h"
#include "verify/vector.h"

// Names of the classes that stand for 16-bit types, and for pairs of them.
#define KS_WIDE_HALF "ks_w16"
#define KS_WIDE_PAIR "ks_w16x2"

// Larger vectors have few moves, unless they are `thrown`.
#define KS_FEW_MOVES_BYTES (32 << 20)
// Fills outputs[].reference where that can be done; expected[0] is here. The oracle's buffers are other ones
// afterwards. A failure status is the tool's.
enum ks_status ks_wide_vector(struct ks_judge *judge, struct ks_arena *arena,
                              struct ks_vector *vector, struct ks_err *err);
// Fills outputs[].reference.nearby, where there is a reference and the mark says tol(sum=F). The oracle's buffers are other
// ones afterwards. A failure status is the tool's.
enum ks_status ks_wide_nearby(struct ks_judge *judge, struct ks_arena *arena,
                              struct ks_vector *vector, struct ks_err *err);
// Widens outputs[].reference.scale where the original bends (a ReLU about 0), as far away as any order of a sum may err: on its
// flat side moves change nothing. `leaps`: by all of what that changes, for a sum that another order takes across a threshold; else
// by no more than a small move changes elsewhere. The oracle's buffers are other ones afterwards. A failure status is the tool's.
enum ks_status ks_wide_bent(struct ks_judge *judge, struct ks_arena *arena, bool leaps,
                            struct ks_vector *vector, struct ks_err *err);
// Fills outputs[].reference.shaken, where there is a reference in double. The oracle's buffers are other ones afterwards. A
// failure status is the tool's.
enum ks_status ks_wide_shaken(struct ks_judge *judge, struct ks_arena *arena,
                              struct ks_vector *vector, struct ks_err *err);
// On odd numbers (KS_FAMILY_ODD), where there is a reference and it knows the original's own errors: whether who rounds a few
// factors to TF32 would be seen by it. The oracle's buffers are other ones afterwards. A failure status is the tool's.
enum ks_status ks_wide_shows(struct ks_judge *judge, struct ks_arena *arena, struct ks_vector *vector, bool *shows,
                             struct ks_err *err);
// Whether that says of any element that more is rounding than was taken for it.
bool ks_wide_stirs(const struct ks_vector *vector);
// Builds it and loads it into the oracle; false with judge->wide.absent where there is none.
enum ks_status ks_wide_ready(struct ks_judge *judge, bool *ready, struct ks_err *err);

// Begins to build it where it is likely to be asked for and there are processors to spare: a compile that candidates need
// not wait for. One that was begun is the session's from here on.
void ks_wide_begin(struct ks_judge *judge);
// Waits for one that was begun.
void ks_wide_await(struct ks_judge *judge);
// At the session's end. Idempotent.
void ks_wide_free(struct ks_judge *judge);

// The text to compile: what stands in angle brackets in `files` first, then the names of fp32 as those of
// fp64, then `text`. Files without text are read again.
enum ks_status ks_wide_text(struct ks_arena *arena, const struct ks_source_list *files,
                            struct ks_slice text, struct ks_buf *out, struct ks_err *err);
// `text` of a unit, as long as it is, without the bodies of functions of the device that the kernel of this plain name does
// not reach: what they hold need not compile in double.
struct ks_slice ks_wide_alone(struct ks_arena *arena, struct ks_slice text, const char *kernel);
// "ns::k<float, 4>" as it is called there.
const char *ks_wide_name(struct ks_arena *arena, const char *name);

#endif
