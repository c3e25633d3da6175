// Private to transcripts: the file, a line of JSON for each question with its answer
// (docs/agents.md).
#ifndef KS_TRANSCRIPT_LINES_H
#define KS_TRANSCRIPT_LINES_H

#include "agent/backend.h"
#include "agent/redact.h"
#include "base/vec.h"
#include "fmt/hash.h"
#include "fmt/json.h"

#define KS_LINE_MOST (8 * KS_ANSWER_MOST)

struct ks_line { // what is long stays in the file
    char id[KS_ASK_ID], prompt[KS_HASH_TEXT];
    off_t at;
    size_t len;
};
struct ks_lines {
    struct ks_line *at;
    size_t len, cap;
};

// Notes where each line of the file lies, and the model of the last. A last line without its end is
// of a run that was killed: with `cut` it is cut off. KS_E_USER file:line for what is no question
// and answer.
enum ks_status ks_lines_scan(struct ks_arena *arena, int fd, const char *path, bool cut,
                             struct ks_lines *lines, char model[128], struct ks_err *err);
// The answer that a line holds.
void ks_line_answer(int fd, const struct ks_line *line, struct ks_answer *answer);
// Appends question (an object of which it takes the texts) and answer with one write(2); false,
// with errno: it is not written.
bool ks_line_append(int fd, json_t *question, const struct ks_answer *answer,
                    const struct ks_redaction *redaction);
// A text without what must not stay in a file.
json_t *ks_line_text(const struct ks_redaction *redaction, const char *text, size_t len);

#endif
