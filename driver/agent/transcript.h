// Questions and answers as JSON lines (docs/agents.md), so that a run can be gone on with, and repeated
// without asking anybody.
#ifndef KS_TRANSCRIPT_H
#define KS_TRANSCRIPT_H

#include "agent/backend.h"
#include "agent/redact.h"

// Stands in front of `inner` (taken over) and appends each question with its answer to the file, redacted, as
// it comes. A question that the file answers already, word for word, is not asked again.
enum ks_status ks_record_open(const char *path, const struct ks_redaction *redaction,
                              struct ks_backend *inner, struct ks_backend *backend, struct ks_err *err);

// Answers from the file alone. Questions go by their id: one whose words have changed since is answered too,
// with a warning.
enum ks_status ks_replay_open(const char *path, struct ks_backend *backend, struct ks_err *err);

#endif
