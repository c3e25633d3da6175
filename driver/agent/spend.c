#include "agent/spend.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cfg/config.h"

#define TOLD_MOST ((int64_t)1 << 40) // tokens of a call; what tells more is not believed

static double price_of(const struct ks_price *price, int64_t in, int64_t out)
{
    return ((double)in * price->in + (double)out * price->out) / 1e6;
}

bool ks_spend_left(const struct ks_spend *spend, char why[128])
{
    for (const struct ks_spend *s = spend; s != NULL; s = s->whole) {
        const char *of = s->whole == NULL && s != spend ? "in all" : "for this kernel";
        const char *what = s->limits.seconds > 0 && s->seconds >= s->limits.seconds ? "seconds"
                           : s->limits.gpu_seconds > 0 && s->gpu_seconds >= s->limits.gpu_seconds
                               ? "seconds of judging"
                               : NULL;
        if (what != NULL) {
            snprintf(why, 128, "the budget of %s %s is spent", what, of);
            return false;
        }
    }
    return true;
}

// What a call would pass of one budget, or NULL.
static const char *passed(const struct ks_spend *s, const struct ks_hold *hold)
{
    const struct ks_limits *l = &s->limits;
    if (l->requests > 0 && s->requests >= l->requests)
        return "requests";
    if (l->tokens > 0 &&
        s->tokens_in + s->tokens_out + s->held_tokens + hold->in + hold->out > l->tokens)
        return "tokens";
    if (l->money > 0 && s->money + s->held_money + hold->money > l->money)
        return "money";
    return NULL;
}

double ks_spend_waiting(const struct ks_spend *spend)
{
    double least = 1e9;
    for (const struct ks_spend *s = spend; s != NULL; s = s->whole)
        if (s->limits.seconds > 0)
            least = fmin(least, s->limits.seconds - s->seconds);
    return fmax(0, least);
}

bool ks_spend_hold(struct ks_spend *spend, struct ks_price price, size_t prompt_bytes,
                   int max_tokens, struct ks_hold *hold, char why[128])
{
    *hold = (struct ks_hold){
        .in = (int64_t)prompt_bytes + KS_FRAMING, .out = max_tokens, .price = price};
    hold->money = price_of(&price, hold->in, hold->out);
    if (!ks_spend_left(spend, why))
        return false;
    for (const struct ks_spend *s = spend; s != NULL; s = s->whole) {
        const char *what = passed(s, hold);
        if (what != NULL) {
            snprintf(why, 128, "the budget of %s %s has no room for another call", what,
                     s->whole == NULL && s != spend ? "in all" : "for this kernel");
            return false;
        }
    }
    for (struct ks_spend *s = spend; s != NULL; s = s->whole) {
        s->requests++;
        s->held_tokens += hold->in + hold->out;
        s->held_money += hold->money;
    }
    return true;
}

void ks_spend_settle(struct ks_spend *spend, const struct ks_hold *hold, int64_t in, int64_t out)
{
    bool told = in >= 0 && out >= 0 && in <= TOLD_MOST && out <= TOLD_MOST;
    if (!told) {
        in = hold->in;
        out = hold->out;
    }
    for (struct ks_spend *s = spend; s != NULL; s = s->whole) {
        s->held_tokens -= hold->in + hold->out;
        s->held_money -= hold->money;
        s->tokens_in += in;
        s->tokens_out += out;
        s->money += price_of(&hold->price, in, out);
        s->untold += !told;
    }
}

void ks_spend_time(struct ks_spend *spend, double seconds, double gpu_seconds)
{
    for (struct ks_spend *s = spend; s != NULL; s = s->whole) {
        s->seconds += seconds;
        s->gpu_seconds += gpu_seconds;
    }
}

// "200k", "1.5m" as a number of tokens or requests.
static bool parse_count(const char *text, int64_t *count)
{
    char number[32];
    size_t len = strlen(text);
    double unit = 1, value;
    if (len > 0 && (text[len - 1] == 'k' || text[len - 1] == 'm'))
        unit = text[--len] == 'k' ? 1e3 : 1e6;
    if (len == 0 || len >= sizeof number)
        return false;
    memcpy(number, text, len);
    number[len] = '\0';
    if (!ks_parse_f64(number, &value) || value <= 0 || value * unit > 1e15)
        return false;
    *count = (int64_t)(value * unit);
    return *count > 0;
}

static enum ks_status set_limit(const char *name, const char *value, struct ks_limits *limits,
                                struct ks_err *err)
{
    static const char *const names[] = {"money",   "tokens", "requests", "seconds", "gpu",
                                        "context", "chains", "steps",    NULL};
    bool good;
    if (strcmp(name, "money") == 0)
        good = ks_parse_f64(value, &limits->money) && limits->money > 0;
    else if (strcmp(name, "tokens") == 0)
        good = parse_count(value, &limits->tokens);
    else if (strcmp(name, "requests") == 0)
        good = parse_count(value, &limits->requests);
    else if (strcmp(name, "context") == 0)
        good = parse_count(value, &limits->context);
    else if (strcmp(name, "chains") == 0)
        good = parse_count(value, &limits->chains) && limits->chains <= KS_CHAINS_MOST;
    else if (strcmp(name, "steps") == 0)
        good = parse_count(value, &limits->steps) && limits->steps <= KS_STEPS_MOST;
    else if (strcmp(name, "seconds") == 0)
        good = ks_seconds_parse(value, &limits->seconds);
    else if (strcmp(name, "gpu") == 0)
        good = ks_seconds_parse(value, &limits->gpu_seconds);
    else {
        const char *near = ks_nearest_word(name, names);
        KS_FAIL(err, KS_E_USER,
                "agent budget: unknown limit %s%s%s%s; there are money, tokens, requests, "
                "seconds, gpu, context, chains and steps, all but the last three also with all- in "
                "front",
                name, near != NULL ? " (do you mean " : "", near != NULL ? near : "",
                near != NULL ? "?)" : "");
    }
    if (!good)
        KS_FAIL(err, KS_E_USER,
                "agent budget: %s=%s is no such limit: give a number above 0 (200k and 2m "
                "for counts, 90s and 5m for times)",
                name, value);
    return KS_OK;
}

enum ks_status ks_limits_parse(struct ks_arena *arena, const char *text, struct ks_limits *each,
                               struct ks_limits *all, struct ks_err *err)
{
    for (const char *at = text; *at != '\0'; at += *at == ',') {
        size_t n = strcspn(at, ",");
        char *word = ks_arena_strndup(arena, at, n);
        at += n;
        char *equals = strchr(word, '=');
        if (equals == NULL)
            KS_FAIL(err, KS_E_USER, "agent budget: `%s` is no NAME=VALUE", word);
        *equals = '\0';
        bool whole = ks_starts_with(word, "all-");
        KS_TRY(set_limit(word + (whole ? 4 : 0), equals + 1, whole ? all : each, err));
    }
    return KS_OK;
}

enum ks_status ks_price_parse(struct ks_arena *arena, const char *text, const char *model,
                              struct ks_price *price, bool *found, struct ks_err *err)
{
    *found = false;
    for (const char *at = text; *at != '\0'; at += *at == ',') {
        size_t n = strcspn(at, ",");
        char *word = ks_arena_strndup(arena, at, n);
        at += n;
        char *equals = strrchr(word, '='), *slash = strrchr(word, '/');
        char *number = equals != NULL ? equals + 1 : word;
        struct ks_price read;
        if (slash == NULL || slash < number)
            KS_FAIL(err, KS_E_USER, "agent price: `%s` is no MODEL=IN/OUT (per million tokens)",
                    word);
        *slash = '\0';
        if (!ks_parse_f64(number, &read.in) || !ks_parse_f64(slash + 1, &read.out) || read.in < 0 ||
            read.out < 0)
            KS_FAIL(err, KS_E_USER, "agent price: %s/%s is no price per million tokens", number,
                    slash + 1);
        if (equals != NULL)
            *equals = '\0';
        if (equals == NULL || strcmp(word, model) == 0) {
            *price = read;
            *found = true;
        }
    }
    return KS_OK;
}
