// Questions and answers as JSON lines (docs/agents.md), so that a run can be gone on with, and
// repeated without asking anybody.
#ifndef KS_TRANSCRIPT_H
#define KS_TRANSCRIPT_H

#include "agent/backend.h"
#include "agent/redact.h"
#include "fmt/json.h"

// Stands in front of `inner` (taken over) and appends each question with its answer to the file,
// redacted, as it comes. A question that the file answers already, word for word, is not asked
// again.
enum ks_status ks_record_open(const char *path, const struct ks_redaction *redaction,
                              struct ks_backend *inner, struct ks_backend *backend,
                              struct ks_err *err);

// Answers from the file alone. Questions go by their id: one whose words have changed since is
// answered too, with a warning.
enum ks_status ks_replay_open(const char *path, struct ks_backend *backend, struct ks_err *err);

// A transcript's questions by name, for whoever looks for what was said. KS_E_USER as above.
struct ks_said;
enum ks_status ks_said_open(struct ks_arena *arena, const char *path, struct ks_said **said,
                            struct ks_err *err);
// What was asked and answered under this name, the last time: {"role", "content"} of system, user
// and assistant, as trainers read conversations; a new reference. An empty array where nothing was.
json_t *ks_said_messages(const struct ks_said *said, const char *id);
void ks_said_close(struct ks_said *said);

#endif
