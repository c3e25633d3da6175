// Questions and answers as the JSON objects that programs and mailboxes exchange (docs/agents.md).
#ifndef KS_WIRE_FORM_H
#define KS_WIRE_FORM_H

#include "agent/backend.h"

#define KS_REPLY_MOST (2 * KS_ANSWER_MOST) // bytes of JSON: escapes take up to as much again

// One line without its newline, malloc'ed; NULL where a text is no UTF-8. *len may be NULL.
char *ks_question_text(const struct ks_ask *ask, size_t *len);
// Reads such a line; strings are in the arena. KS_E_FORMAT: it is none.
enum ks_status ks_question_read(struct ks_arena *arena, struct ks_slice line, struct ks_ask *ask,
                                struct ks_err *err);
// An answer as one line, malloc'ed.
char *ks_reply_text(const struct ks_answer *answer);
// Reads a reply to the question `id`, whatever it is.
void ks_reply_read(const char *id, struct ks_slice reply, struct ks_answer *answer);

#endif
