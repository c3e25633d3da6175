// What must not leave this machine, or stay in a file: keys, and where things lie in it.
#ifndef KS_REDACT_H
#define KS_REDACT_H

#include "base/str.h"

struct ks_redaction {
    struct ks_strv secrets; // texts that become [secret]
    const char *home;       // becomes ~; or NULL
};

// Appends `text` to `out` with the secrets, what looks like an API key or a bearer token, and the home
// folder replaced. Text without any of them is copied byte for byte.
void ks_redact(const struct ks_redaction *redaction, struct ks_slice text, struct ks_buf *out);
// The same for a tool's message: of absolute paths only the last component is left.
void ks_redact_message(const struct ks_redaction *redaction, struct ks_slice text, struct ks_buf *out);

#endif
