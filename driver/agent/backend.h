// One question to a language model, its answer, and what carries them. A backend takes many questions
// and hands each answer over once, in any order; it understands neither prompts nor kernels.
#ifndef KS_BACKEND_H
#define KS_BACKEND_H

#include "agent/spend.h"

#define KS_ASK_ID 64                       // bytes of an id with its terminator
#define KS_ANSWER_MOST ((size_t)1 << 20)   // bytes of an answer's text; more is refused

struct ks_ask {
    const char *id;   // the same when the same question is asked again in another run; letters, digits and '-'
    const char *role, *kernel; // for people
    const char *system, *user;
    int max_tokens;   // of the answer
    double temperature;
    const char *model;      // who is asked, of several; NULL: the first
    struct ks_price price;  // his
    struct ks_spend *spend; // asked before each call; outlives the backend
};

enum ks_answer_end {
    KS_ANSWERED,
    KS_ANSWER_TOO_LONG,  // more than KS_ANSWER_MOST
    KS_ANSWER_CUT,       // the model came to its limit of tokens
    KS_ANSWER_OTHER,     // it answers another question
    KS_ANSWER_GARBAGE,   // not what the protocol asks for
    KS_ANSWER_NONE,      // nothing came: refused, unreachable, out of time or budget
};

struct ks_answer {
    char id[KS_ASK_ID];
    char model[64];          // who answered, of several; "": the backend's
    enum ks_answer_end end;
    char why[256];           // unless KS_ANSWERED: one line, no secret in it
    char *text; size_t len;  // KS_ANSWERED: terminated, may hold any byte; ks_answer_free
    int64_t tokens_in, tokens_out; // of all calls for it; -1: not told
    int calls;               // that were made for it, repetitions included
    double seconds;
};
void ks_answer_free(struct ks_answer *answer);

struct ks_backend {
    const char *model;    // for provenance: "MODEL", or the command's name
    void *self;
    bool patient;         // answers may take days: nobody waits for them
    // Copies what it keeps. One answer will come for it, whatever happens.
    enum ks_status (*submit)(void *self, const struct ks_ask *ask, struct ks_err *err);
    // Hands over one answer, after up to `seconds` of waiting; false: none yet.
    bool (*poll)(void *self, double seconds, struct ks_answer *answer);
    // Of patient ones, NULL elsewhere. An answer was made use of, and need not be looked at in another run.
    void (*done)(void *self, const char *id);
    // Whether there are answers nobody made use of to questions whose id begins so.
    bool (*fresh)(void *self, const char *prefix);
    void (*close)(void *self); // questions that are open are dropped, those of a mailbox stay there
};

// Fills `answer` for a question that nothing came of, or takes `text` (malloc'ed) over.
void ks_answer_fail(struct ks_answer *answer, const char *id, enum ks_answer_end end,
                    const char *format, ...) __attribute__((format(printf, 4, 5)));
void ks_answer_text(struct ks_answer *answer, const char *id, char *text, size_t len);

// ---- the backends. Words and paths are copied.

struct ks_command_options {
    const char *const *argv;
    double timeout;       // seconds for one answer
    int parallel;         // processes at a time
};
// A program started for each question: one JSON object on stdin, one on stdout (docs/agents.md).
enum ks_status ks_command_open(const struct ks_command_options *options, struct ks_backend *backend,
                               struct ks_err *err);



// A folder (docs/agents.md): questions are written into it, and answered by whoever, whenever. Made if absent.
enum ks_status ks_mailbox_open(const char *dir, struct ks_backend *backend, struct ks_err *err);

#endif
