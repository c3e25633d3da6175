// A finalist's runs repeated under the toolkit's compute-sanitizer: memcheck (accesses that end well by
// luck) and racecheck (hazards in shared memory), on small problems, since both slow kernels down tens of
// times. What the emulated device sees is more, but this is the machine code that ships.
#ifndef KS_SANITIZE_H
#define KS_SANITIZE_H

#include <pthread.h>
#include <stdatomic.h>

#include "verify/vector.h"

enum ks_tool { KS_TOOL_MEMCHECK, KS_TOOL_RACECHECK, KS_TOOL_COUNT };
const char *ks_tool_name(enum ks_tool tool);

#define KS_SANITIZE_VECTORS 16
struct ks_sanitizing;

// One tool, its worker, and the thread that asks it.
struct ks_tool_look {
    const struct ks_sanitizing *all;
    enum ks_tool tool;
    struct ks_worker worker;
    const char *log;
    bool begun, beside;                      // its worker was started; in a thread
    bool greeted;                            // its hello was waited for: `answer`
    pthread_t thread;
    struct ks_arena arena;
    bool answered;                           // its worker said hello, and is confined if it has to be
    enum ks_answer answer;                   // of the last request
    void **got[KS_SANITIZE_VECTORS][2];      // by vector and poison: outputs, malloc'ed; NULL: not run, not read
    enum ks_check_result result;             // NOT_MADE: a note of the judge says why
    const char *why;                         // it was not made; of the judge's arena
    double seconds;
};

struct ks_sanitizing {
    const struct ks_judge *judge;
    const struct ks_candidate *candidate;
    char *dir;                               // of the tools' logs
    struct ks_vector vectors[KS_SANITIZE_VECTORS]; // small problems, with what the original makes of them
    size_t n_vectors;
    struct ks_tool_look tools[KS_TOOL_COUNT];
    atomic_bool dropped;
    enum ks_correctness verdict;             // KS_C_CORRECT unless a tool found something
    char reason[512];
};

// The toolkit's compute-sanitizer (toolkit NULL: any on PATH), or NULL.
const char *ks_sanitizer_find(struct ks_arena *arena, const struct ks_toolkit *toolkit);
// A tool takes a second to start: begins that, where there is room for processes that wait, before anybody knows
// whether there will be a finalist.
void ks_sanitize_park(struct ks_judge *judge);
// Waits until what was begun is over, for the sake of times that are to be taken.
void ks_sanitize_settle(struct ks_judge *judge);
// Ends what was parked and not used.
void ks_sanitize_leave(struct ks_judge *judge);
// Runs a candidate under the tools, the parked ones if there are any, each in a thread beside whatever the caller
// does next. *s is new in the judge's arena and stays where it is until ks_sanitize_end.
enum ks_status ks_sanitize_begin(struct ks_judge *judge, struct ks_arena *arena,
                                 const struct ks_candidate *candidate, struct ks_sanitizing **s,
                                 struct ks_err *err);
// Waits for the tools, and says what follows. What a tool also finds in the original is no fault of the
// candidate's: a note. A tool that is absent or fails is a note; a failure status is KS_E_INTERRUPTED.
enum ks_status ks_sanitize_finish(struct ks_judge *judge, struct ks_arena *arena, struct ks_sanitizing *s,
                                  struct ks_err *err);
// Ends what was begun. Idempotent.
void ks_sanitize_end(struct ks_sanitizing *s);

// A tool's runs of the candidate on all vectors, to the end of its worker (verify/sanitize_run.c): a thread's body.
void *ks_sanitize_runs(void *tool_look);
// Waits for a tool's hello. Less long than for that of a GPU that may be cold: a tool that a machine does not
// support, or that hands no requests on, is to cost little, and once.
void ks_sanitize_greet(struct ks_tool_look *t);
// Seconds that the tool is given for its last words; times the deadline of a plain run.
#define KS_SANITIZE_END 10.0
#define KS_SANITIZE_PATIENCE 20.0

// What a tool's log says: whether the tool came to its end, and its first finding in a function whose name
// holds `part`, as "KIND in KERNEL", "" if none: the worker's own kernels run beside. Names lose namespaces
// and parameters, files their folders.
bool ks_sanitize_read(struct ks_slice log, const char *part, char finding[200]);

#endif
