// The tokens of a file with its conditionals resolved as far as text allows: what kernel extents
// and mark bindings are read from.
//
// Both arms of a conditional stay visible while their braces balance. Where an arm opens or closes
// more than it should, only the first arm is followed, so that braces duplicated across
// #if and #else count once.
#ifndef KS_STREAM_H
#define KS_STREAM_H

#include "source/lex.h"

struct ks_stream {
    const struct ks_token *at; // ends with KS_TOK_END, which `len` does not count
    const int *arm;            // innermost conditional arm of each token; 0: outside all of them
    const bool *uneven;        // of an #if: its arms differ in their net count of braces
    const size_t *match;       // of each opening bracket ( [ {, see ks_stream_match
    size_t len;
    const char *text; // start of the file, for offsets
};

// Lives in the arena; borrows the text. Comments are left out.
struct ks_stream ks_stream_read(struct ks_arena *arena, struct ks_slice text);

// The token that closes the bracket ( [ or { at i; `len` when it is never closed. Braces are what
// structure hangs on: a '}' closes its '{' whatever parentheses are left open between.
size_t ks_stream_match(const struct ks_stream *stream, size_t i);
// The token that holds the '>' closing the template bracket '<' at i, looking no further than
// `end`; `end` when it is no template bracket.
size_t ks_stream_angle(const struct ks_stream *stream, size_t i, size_t end);
size_t ks_stream_offset(const struct ks_stream *stream, size_t i); // byte offset of token i
bool ks_stream_is(const struct ks_stream *stream, size_t i, const char *text); // false beyond len

#endif
