// Models behind HTTP: OpenAI-compatible chat completions and Anthropic Messages, streamed, many at a time.
#ifndef KS_HTTP_H
#define KS_HTTP_H

#include "agent/backend.h"
#include "agent/redact.h"

struct ks_http_options {
    bool anthropic;
    const char *model;
    const char *url;       // base, NULL: the maker's own
    const char *key;       // NULL: none is sent
    const char *ca;        // file of certificates, NULL: the system's
    double timeout;        // seconds of one call
    double delay;          // before the first repetition, doubled each time; with jitter, and at most 30 s
    int parallel, tries;
    const struct ks_redaction *redaction; // for what servers say of errors; outlives the backend; NULL: none
};
// Opens no connection. KS_E_USER: an address that is none, or that a key would travel to unencrypted.
enum ks_status ks_http_open(const struct ks_http_options *options, struct ks_backend *backend,
                            struct ks_err *err);

// ---- private to the parts

// Where a call goes, malloc'ed. *direct: to this machine and unencrypted, so that no proxy may see it.
enum ks_status ks_http_address(const struct ks_http_options *options, char **url, bool *direct, struct ks_err *err);
struct curl_slist;
struct curl_slist *ks_http_headers(const struct ks_http_options *options); // curl_slist_free_all

// What a server says, as it comes. Memory is bounded whatever comes.
struct ks_stream {
    bool anthropic;
    const struct ks_redaction *redaction; // for why
    struct ks_buf line, text;
    size_t bytes;
    bool whole;            // no stream: one JSON object, collected in `line`
    bool ended;            // the protocol's own end was seen
    bool cut, too_long, garbage, refused; // refused: the server says so, in why
    char why[200];
    int64_t tokens_in, tokens_out; // -1: not told
};
void ks_stream_begin(struct ks_stream *stream, bool anthropic);
bool ks_stream_take(struct ks_stream *stream, const char *bytes, size_t n); // false: enough
void ks_stream_end(struct ks_stream *stream); // no more comes
void ks_stream_free(struct ks_stream *stream);
// Body of a call, malloc'ed; NULL where a text is no UTF-8.
char *ks_http_body(const struct ks_ask *ask, const char *model, bool anthropic);

#endif
