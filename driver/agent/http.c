#include "agent/http.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <curl/curl.h>

#include "base/rng.h"
#include "os/clock.h"
#include "os/proc.h"

#define DELAY_MOST 30.0
#define RETRY_AFTER_MOST 60.0
#define CONNECT_SECONDS 15L
#define SILENT_SECONDS 90L // without a byte

struct call {
    struct call *next;
    char id[KS_ASK_ID];
    char *body;
    size_t prompt;
    int max_tokens, tries;
    struct ks_spend *spend;
    struct ks_price price;
    struct ks_hold hold;
    CURL *easy;            // NULL: not under way
    struct ks_stream stream;
    double begun, due;     // when it was asked first, and may be asked (again)
};
struct http {
    struct ks_http_options o;
    char *model, *url, *ca;
    CURLM *multi;
    struct curl_slist *headers;
    struct call *first;
    int running;
    bool direct;           // to this machine, whatever proxies there are
    struct ks_rng rng;
};

static enum ks_status submit(void *self, const struct ks_ask *ask, struct ks_err *err)
{
    struct http *http = self;
    char *body = ks_http_body(ask, http->model, http->o.anthropic);
    if (body == NULL)
        KS_FAIL(err, KS_E_INTERNAL, "the question %s is not UTF-8", ask->id);
    struct call *call = calloc(1, sizeof *call);
    KS_ASSERT(call != NULL);
    snprintf(call->id, sizeof call->id, "%s", ask->id);
    call->body = body;
    call->prompt = strlen(ask->system) + strlen(ask->user);
    call->max_tokens = ask->max_tokens;
    call->spend = ask->spend;
    call->price = ask->price;
    call->begun = ks_now();
    struct call **last = &http->first;
    while (*last != NULL)
        last = &(*last)->next;
    *last = call;
    return KS_OK;
}

static size_t on_bytes(char *bytes, size_t size, size_t n, void *context)
{
    struct call *call = context;
    return ks_stream_take(&call->stream, bytes, size * n) ? size * n : 0;
}

static void drop(struct http *http, struct call *call)
{
    struct call **at = &http->first;
    while (*at != call)
        at = &(*at)->next;
    *at = call->next;
    free(call->body);
    free(call);
}

// One attempt is over, however.
static void stop(struct http *http, struct call *call)
{
    curl_multi_remove_handle(http->multi, call->easy);
    curl_easy_cleanup(call->easy);
    call->easy = NULL;
    ks_stream_free(&call->stream);
    http->running--;
}

// Begins an attempt; false: `answer` says that the budget has no room. What calls under way have put aside may
// come free again, so while there are some it waits.
static bool start(struct http *http, struct call *call, struct ks_answer *answer)
{
    char why[128];
    if (!ks_spend_hold(call->spend, call->price, call->prompt, call->max_tokens, &call->hold, why)) {
        if (http->running > 0)
            return true;
        ks_answer_fail(answer, call->id, KS_ANSWER_NONE, "%s", why);
        return false;
    }
    CURL *easy = curl_easy_init();
    KS_ASSERT(easy != NULL);
    ks_stream_begin(&call->stream, http->o.anthropic);
    call->stream.redaction = http->o.redaction;
    curl_easy_setopt(easy, CURLOPT_URL, http->url);
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, http->headers);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)strlen(call->body));
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, call->body);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_bytes);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, call);
    curl_easy_setopt(easy, CURLOPT_PRIVATE, call);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT, CONNECT_SECONDS);
    curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, (long)(http->o.timeout * 1000));
    curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, 1L);
    curl_easy_setopt(easy, CURLOPT_LOW_SPEED_TIME, SILENT_SECONDS);
    curl_easy_setopt(easy, CURLOPT_USERAGENT, "ks-nvcc");
    // On a connection that was used before, curl repeats by itself what got no answer, and nobody would count it.
    curl_easy_setopt(easy, CURLOPT_FRESH_CONNECT, 1L);
    curl_easy_setopt(easy, CURLOPT_FORBID_REUSE, 1L);
    if (http->direct)
        curl_easy_setopt(easy, CURLOPT_PROXY, "");
    if (http->ca != NULL)
        curl_easy_setopt(easy, CURLOPT_CAINFO, http->ca);
    KS_ASSERT(curl_multi_add_handle(http->multi, easy) == CURLM_OK);
    call->easy = easy;
    call->tries++;
    http->running++;
    return true;
}

// What became of an attempt.
enum attempt { GOOD, AGAIN, LOST };

static enum attempt judge_attempt(struct call *call, CURLcode code, long status,
                                  struct ks_answer *answer)
{
    struct ks_stream *s = &call->stream;
    const char *id = call->id;
    ks_stream_end(s);
    if (s->too_long) {
        ks_answer_fail(answer, id, KS_ANSWER_TOO_LONG, "more than %zu bytes", KS_ANSWER_MOST);
        return LOST;
    }
    bool busy = status == 408 || status == 409 || status == 429 || status >= 500;
    if (status >= 400 || (code == CURLE_OK && status != 200 && status != 0)) {
        ks_answer_fail(answer, id, KS_ANSWER_NONE, "HTTP status %ld%s%.150s", status, s->refused ? ": " : "",
                       s->why);
        return busy ? AGAIN : LOST;
    }
    if (s->refused || s->garbage) {
        ks_answer_fail(answer, id, s->garbage ? KS_ANSWER_GARBAGE : KS_ANSWER_NONE, "%s",
                       s->garbage ? "the stream is not the protocol's" : s->why);
        return AGAIN;
    }
    if (code != CURLE_OK || !s->ended) {
        ks_answer_fail(answer, id, KS_ANSWER_NONE, "%s",
                       code != CURLE_OK ? curl_easy_strerror(code) : "the answer broke off");
        return AGAIN;
    }
    if (s->cut) {
        ks_answer_fail(answer, id, KS_ANSWER_CUT, "it came to its limit of tokens");
        return LOST;
    }
    size_t len = s->text.len;
    char *text = ks_buf_take(&s->text);
    if (text == NULL)
        KS_ASSERT((text = calloc(1, 1)) != NULL);
    ks_answer_text(answer, id, text, len);
    return GOOD;
}

// True once the call is over; else it will be asked again.
static bool finish(struct http *http, struct call *call, CURLcode code, struct ks_answer *answer)
{
    long status = 0;
    curl_off_t after = 0;
    curl_easy_getinfo(call->easy, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_getinfo(call->easy, CURLINFO_RETRY_AFTER, &after);
    enum attempt became = judge_attempt(call, code, status, answer);
    int64_t in = call->stream.tokens_in, out = call->stream.tokens_out;
    bool unasked = status == 429 || code == CURLE_COULDNT_CONNECT || code == CURLE_COULDNT_RESOLVE_HOST ||
                   code == CURLE_COULDNT_RESOLVE_PROXY;
    if (became != GOOD && out >= 0 && !call->stream.ended)
        out = -1; // told so far is not told in the end
    ks_spend_settle(call->spend, &call->hold, unasked ? 0 : in, unasked ? 0 : out);
    stop(http, call);
    if (became == AGAIN && call->tries < http->o.tries && !ks_stop_requested()) {
        double delay = fmin(DELAY_MOST, http->o.delay * pow(2, call->tries - 1));
        delay *= 0.5 + ks_rng_unit(&http->rng) / 2;
        call->due = ks_now() + fmax(delay, fmin((double)after, RETRY_AFTER_MOST));
        ks_answer_free(answer);
        return false;
    }
    answer->tokens_in = in;
    answer->tokens_out = out;
    answer->calls = call->tries;
    answer->seconds = ks_now() - call->begun;
    drop(http, call);
    return true;
}

static bool start_due(struct http *http, double *next, struct ks_answer *answer)
{
    double now = ks_now();
    *next = 0.1;
    for (struct call *call = http->first; call != NULL && http->running < http->o.parallel; call = call->next) {
        if (call->easy != NULL)
            continue;
        if (call->due > now) {
            *next = fmin(*next, call->due - now);
        } else if (!start(http, call, answer)) {
            answer->calls = call->tries;
            drop(http, call);
            return true;
        }
    }
    return false;
}

static bool poll_for(void *self, double seconds, struct ks_answer *answer)
{
    struct http *http = self;
    double until = ks_now() + seconds, next;
    for (;;) {
        int left_running, queued;
        if (start_due(http, &next, answer))
            return true;
        curl_multi_perform(http->multi, &left_running);
        CURLMsg *message;
        while ((message = curl_multi_info_read(http->multi, &queued)) != NULL) {
            struct call *call;
            if (message->msg != CURLMSG_DONE)
                continue;
            curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&call);
            if (finish(http, call, message->data.result, answer))
                return true;
        }
        double left = until - ks_now();
        if (left <= 0 || http->first == NULL || ks_stop_requested())
            return false;
        curl_multi_poll(http->multi, NULL, 0, (int)(fmin(left, next) * 1000) + 1, NULL);
    }
}

static void close_all(void *self)
{
    struct http *http = self;
    while (http->first != NULL) {
        if (http->first->easy != NULL)
            stop(http, http->first);
        drop(http, http->first);
    }
    curl_slist_free_all(http->headers);
    curl_multi_cleanup(http->multi);
    free(http->model);
    free(http->url);
    free(http->ca);
    free(http);
}

enum ks_status ks_http_open(const struct ks_http_options *options, struct ks_backend *backend,
                            struct ks_err *err)
{
    char *url;
    bool direct;
    if (options->model[0] == '\0')
        KS_FAIL(err, KS_E_USER, "agent: no model is named: openai:MODEL or anthropic:MODEL, with @URL behind for "
                "another server");
    if (options->key != NULL && strpbrk(options->key, "\r\n") != NULL)
        KS_FAIL(err, KS_E_USER, "agent: the key is more than one line");
    KS_TRY(ks_http_address(options, &url, &direct, err));
    curl_global_init(CURL_GLOBAL_DEFAULT);
    struct http *http = calloc(1, sizeof *http);
    KS_ASSERT(http != NULL);
    http->o = *options;
    http->o.key = NULL; // it is in the headers
    http->url = url;
    http->direct = direct;
    KS_ASSERT((http->model = strdup(options->model)) != NULL);
    if (options->ca != NULL)
        KS_ASSERT((http->ca = strdup(options->ca)) != NULL);
    http->multi = curl_multi_init();
    KS_ASSERT(http->multi != NULL);
    http->headers = ks_http_headers(options);
    ks_rng_seed(&http->rng, ks_seed_from_os());
    *backend = (struct ks_backend){.model = http->model, .self = http, .submit = submit, .poll = poll_for,
                                   .close = close_all};
    return KS_OK;
}
