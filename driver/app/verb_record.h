// `ks record`: verb_record.c runs the program, verb_record_capture.c has launches of it captured,
// verb_record_report.c says what a recording holds.
#ifndef KS_VERB_RECORD_H
#define KS_VERB_RECORD_H

#include "app/verb.h"
#include "profile/recording.h"

struct record_run {
    const char *const *words; // of the program; NULL for a recording made earlier
    const char *path;         // of the recording; NULL: it is not kept
    int status;               // the program's own
    double seconds;           // wall clock
    const struct record_captures *captures; // NULL: none were asked for
};

// What --capture asks for, and what came of it.
struct record_captured {
    const char *id, *kernel, *path;
    int64_t grid[3], block[3], bytes; // bytes: of the allocations that it points into
};
struct record_captures {
    const char *folder;               // of captures
    struct ks_strv names;             // kernels, as asked; NULL-terminated
    struct ks_strv symbols;           // or their mangled names
    int64_t most;                     // bytes that may be spooled
    const char *spool;                // private folder
    KS_VEC(struct record_captured) made;
};
// "KERNEL", "marked" (those that the project's files mark) or "top:N", which is for the caller to resolve
// into symbols: *top is N, else 0. `most` may be NULL: 1G.
enum ks_status record_captures_read(struct ks_verb_context *context, const char *what, const char *most,
                                    struct record_captures *captures, int *top, struct ks_err *err);
// What the library is told: variables for the program's environment.
void record_captures_ask(struct ks_arena *arena, const struct record_captures *captures,
                         struct ks_strv *environment);
// Makes captures of what was spooled.
enum ks_status record_captures_take(struct ks_arena *arena, struct record_captures *captures,
                                    struct ks_err *err);

// Prints the table, or with --json the report; what stands in the way goes to stderr, a sentence each.
void record_report(struct ks_verb_context *context, const struct ks_recording *recording,
                   const struct record_run *run);

#endif
