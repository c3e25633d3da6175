// Which lines two texts do not share: the shortest edit script (Myers 1986, "An O(ND) difference
// algorithm and its variations"), for texts of some thousand lines.
#ifndef KS_DIFF_H
#define KS_DIFF_H

#include "base/str.h"

enum ks_diff_kind { KS_DIFF_BOTH, KS_DIFF_OLD, KS_DIFF_NEW };

struct ks_diff_line {
    enum ks_diff_kind kind;
    struct ks_slice text; // without its newline; of the new text where both have it
};
struct ks_diff {
    struct ks_diff_line *at; size_t n;
    size_t changed; // lines that only one has
};

// Lines count as the same when `same` says so; NULL: byte for byte. Beyond `most` changed lines all of
// the old stands before all of the new. Lines are borrowed from the texts.
void ks_diff_lines(struct ks_arena *arena, struct ks_slice old, struct ks_slice new,
                   bool (*same)(struct ks_slice a, struct ks_slice b), size_t most,
                   struct ks_diff *diff);

#endif
