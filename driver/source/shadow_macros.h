// Keeps the user's macros out of text of ours: #pragma push_macro and #undef for every word in it,
// and #pragma pop_macro afterwards. gcc and clang both act on them while preprocessing.
//
// Two reasons: `#define n 5` must not break a correct variant, and a proposal must not reach, through
// a macro of the user or of a system header, text that the gate never saw.
#ifndef KS_SHADOW_MACROS_H
#define KS_SHADOW_MACROS_H

#include "base/str.h"

enum ks_macro_policy {
    KS_MACROS_DEVICE,  // keep CUDA's qualifiers and the constants of <limits.h>, <float.h>, <math.h>
    KS_MACROS_RUNTIME, // keep "__", "cuda" and "CUDA": the API's own macros; and "ks_": ours
};

// Words of `text` that a macro could replace, once each, in order of appearance.
struct ks_strv ks_macro_words(struct ks_arena *arena, struct ks_slice text,
                              enum ks_macro_policy policy);
void ks_macros_hide(struct ks_buf *out, const struct ks_strv *words);
void ks_macros_restore(struct ks_buf *out, const struct ks_strv *words);
// Whether a word means its macro in device code of ours (__global__, INT_MAX, ...).
bool ks_macro_is_kept(const char *word);

#endif
