// What asking may cost, and what it has cost: money, tokens, requests, seconds. Before each call the worst
// that it can cost is put aside; a call for which that is not left is not made. So no limit is ever passed.
// Not thread-safe.
#ifndef KS_SPEND_H
#define KS_SPEND_H

#include "base/str.h"

#define KS_CHAINS_MOST 8
#define KS_STEPS_MOST 9
#define KS_FRAMING 64 // tokens that protocols add around system and user text

struct ks_limits { // 0: none
    double money;          // in the currency of the prices
    int64_t tokens, requests;
    double seconds;        // of waiting for answers
    double gpu_seconds;    // of judging what came of them
    int64_t context;       // tokens of one question with its answer
    int64_t chains, steps; // lines of questions about a kernel, and questions in each
};
struct ks_price {          // per million tokens
    double in, out;
};

struct ks_spend {
    struct ks_limits limits;
    struct ks_spend *whole; // of all kernels, asked too; or NULL
    // used for certain, and put aside for calls under way
    double money, held_money, seconds, gpu_seconds;
    int64_t tokens_in, tokens_out, held_tokens, requests;
    int64_t untold;         // calls that did not tell their usage
};

struct ks_hold { // the worst of one call
    int64_t in, out;
    double money;
    struct ks_price price;
};

// One token is a byte at least, so a prompt has no more tokens than bytes; `framing` of the protocol included.
// False, with what would be passed in `why`: the call must not be made. Counts the request.
bool ks_spend_hold(struct ks_spend *spend, struct ks_price price, size_t prompt_bytes, int max_tokens,
                   struct ks_hold *hold, char why[128]);
// The call has ended; tokens -1: it did not tell, and the worst counts.
void ks_spend_settle(struct ks_spend *spend, const struct ks_hold *hold, int64_t in, int64_t out);
// Seconds that passed, of waiting and of judging. False from then on once a limit is reached.
void ks_spend_time(struct ks_spend *spend, double seconds, double gpu_seconds);
bool ks_spend_left(const struct ks_spend *spend, char why[128]);
double ks_spend_waiting(const struct ks_spend *spend); // seconds that may still be waited

// "requests=8,tokens=200k,money=0.5,seconds=10m,gpu=60s,chains=2,steps=4,all-requests=100,...": those with `all-` into
// *all. KS_E_USER names the word that is wrong.
enum ks_status ks_limits_parse(struct ks_arena *arena, const char *text, struct ks_limits *each,
                               struct ks_limits *all, struct ks_err *err);
// "3/15" for all models, or "MODEL=3/15,OTHER=0.5/2": false in *found where none is for `model`.
enum ks_status ks_price_parse(struct ks_arena *arena, const char *text, const char *model,
                              struct ks_price *price, bool *found, struct ks_err *err);

#endif
