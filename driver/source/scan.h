// One fast pass over a text for what decides whether it concerns us at all: what it includes, and
// whether it may hold a mark, a kernel or other pragmas. Finds too much rather than too little: comments, strings
// and dead arms of #if are searched like code, and whoever lexes the text afterwards decides.
#ifndef KS_SCAN_H
#define KS_SCAN_H

#include "base/str.h"

enum ks_scan_kind {
    KS_SCAN_END,
    KS_SCAN_INCLUDE, // #include or #include_next with a name, not a macro
    KS_SCAN_MARK,    // `#pragma ks`, or `ks:` as a comment would hold it
    KS_SCAN_KERNEL,  // `__global__`
    KS_SCAN_PRAGMA,  // another #pragma
};

struct ks_scan {
    const char *begin, *at, *end; // of the text; what is left begins at `at`
    // Borrowed from the text:
    struct ks_slice name; // what is included; a pragma's first word
    bool quoted, next;    // of a KS_SCAN_INCLUDE
};

static inline struct ks_scan ks_scan_begin(struct ks_slice text)
{
    const char *end = text.len > 0 ? text.at + text.len : text.at; // an empty slice may have no bytes
    return (struct ks_scan){.begin = text.at, .at = text.at, .end = end};
}
// The next thing found, in the order of the text; KS_SCAN_END for ever after the last.
enum ks_scan_kind ks_scan_next(struct ks_scan *scan);

// Whether the text could hold a mark at all. False means no mark; true means look.
bool ks_text_may_have_mark(struct ks_slice text);

#endif
