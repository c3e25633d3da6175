// Private to the reading of what functions do: what its files share.
#ifndef KS_CALLEE_READ_H
#define KS_CALLEE_READ_H

#include "source/callee.h"
#include "source/lex.h"

// A declaration's parameter list, its bracket at `open`, and the body behind it: false where it is
// a call.
bool ks_callee_read_params(struct ks_arena *arena, const char *front, const struct ks_token *open,
                           struct ks_callee *callee);
// The bracket that closes what `open` begins, or NULL.
const struct ks_token *ks_callee_closing(const struct ks_token *open);
// Adds what `text` calls by name, but for the names in `seen`.
void ks_callees_add(struct ks_arena *arena, const struct ks_callee_text *text, const struct ks_word_index *unit,
                    struct ks_strv *seen, struct ks_callee_list *callees);
// Adds calls of objects in `text` and in what it calls, each by the object's name, "T()" where it
// has none.
void ks_callees_objects(struct ks_arena *arena, struct ks_slice text, const struct ks_word_index *unit,
                        struct ks_strv *seen, struct ks_callee_list *callees);

#endif
