// `ks record`: verb_record.c runs the program, verb_record_capture.c has launches of it captured,
// verb_record_report.c says what a recording holds, verb_record_suggest.c which kernels to mark, and
// verb_record_clauses.c with what workloads.
#ifndef KS_VERB_RECORD_H
#define KS_VERB_RECORD_H

#include "app/verb.h"
#include "fmt/json.h"
#include "profile/recording.h"
#include "workload/capture.h"

struct record_run {
    const char *const *words; // of the program; NULL for a recording made earlier
    const char *path;         // of the recording; NULL: it is not kept
    int status;               // the program's own
    double seconds;           // wall clock
    const struct record_captures *captures;       // NULL: none were asked for
    const struct record_suggestions *suggestions; // likewise
};

// What --capture asks for, and what came of it.
struct record_captured {
    const char *id, *kernel, *path;
    int64_t grid[3], block[3], bytes; // bytes: of the allocations that it points into
    bool graph, cooperative;         // how it was launched
    int64_t inside;                   // pointers in structs by value, or in what the compiler calls numbers
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
// Makes captures of what was spooled. A launch that cannot be kept, as on a full disk, is left out, and a note of the
// recording says so.
enum ks_status record_captures_take(struct ks_arena *arena, struct record_captures *captures,
                                    struct ks_recording *recording, struct ks_err *err);

// Kernels in the project's files (verb_record_sources.c).
struct record_source {
    const char *path;
    const struct ks_kernel_decl *decl;
    struct ks_slice text;             // the file's
    bool marked;                      // there, or in ks.yaml
};
struct record_sources {
    struct record_source *at;
    size_t len, cap;
};
// Everything below the project's root (without one, the current folder), but for hidden folders and those of
// builds; returns that root.
const char *record_sources_find(struct ks_arena *arena, const struct ks_project *project,
                                struct record_sources *sources);
// Where a recorded kernel is defined; NULL: in no file of these.
const struct record_source *record_source_of(struct ks_arena *arena, const struct record_sources *sources,
                                             const char *kernel);

// Workloads of captured launches of one kernel, a line each, as clauses; false: *why, their shapes or values follow
// no rule that is simple and alone.
struct record_capture {
    struct ks_capture capture;
    const char *dir;                  // in which its contents are
};
bool record_clauses(struct ks_arena *arena, const struct ks_kernel_decl *decl,
                    const struct record_capture *const *captures, size_t n, struct ks_strv *lines, const char **why);

// Which kernels are worth a mark, by what they could save at most, and why the others are not.
enum record_worth {
    WORTH_TUNING, WORTH_MARKED, WORTH_VARIANT, WORTH_SHARE, WORTH_SOURCE, WORTH_CEILING,
};
struct record_suggestion {
    const struct ks_recorded_kernel *kernel;
    const struct record_source *source; // or NULL
    enum record_worth worth;
    double share;                     // of GPU time
    double memory;                    // its arrays' bytes in its time, of the memory's peak; 0: not known
    const char *why;                  // a sentence
    struct ks_strv lines;             // the mark to write; without a capture the workload is missing
    bool clauses;                     // its workloads are written out: shapes and values follow rules
    bool written;
};
struct record_suggestions {
    struct record_suggestion *at;
    size_t len, cap;
};
enum ks_status record_suggest(struct ks_verb_context *context, const struct ks_recording *recording,
                              struct record_suggestions *suggestions, struct ks_err *err);
// Inserts the lines of those worth tuning above their kernels.
enum ks_status record_suggest_write(struct ks_arena *arena, struct record_suggestions *suggestions,
                                    struct ks_err *err);
void record_suggest_print(const struct record_suggestions *suggestions);
json_t *record_suggest_json(const struct record_suggestions *suggestions); // NULL gives an empty array

// A program's environment `env` with libks-record and where it writes named in it. KS_E_ABSENT: no library.
enum ks_status record_environment(struct ks_arena *arena, const char *const *env, const char *path,
                                  const struct record_captures *captures, const char *const **watched,
                                  struct ks_err *err);

// Prints the table, or with --json the report; what stands in the way goes to stderr, a sentence each.
void record_report(struct ks_verb_context *context, const struct ks_recording *recording,
                   const struct record_run *run);

#endif
