// A finalist's runs repeated under the toolkit's compute-sanitizer: memcheck (accesses that end well by
// luck) and racecheck (hazards in shared memory), on small problems, since both slow kernels down tens of
// times. What the emulated device sees is more, but this is the machine code that ships.
#ifndef KS_SANITIZE_H
#define KS_SANITIZE_H

#include "verify/session.h"

enum ks_tool { KS_TOOL_MEMCHECK, KS_TOOL_RACECHECK, KS_TOOL_COUNT };
const char *ks_tool_name(enum ks_tool tool);

struct ks_sanitizing {
    char *dir;                               // of the tools' logs
    struct {
        struct ks_worker worker;
        const char *log;
        bool begun;
        enum ks_check_result result;         // NOT_MADE: a note of the judge says why
        double seconds;
    } tools[KS_TOOL_COUNT];
    enum ks_correctness verdict;             // KS_C_CORRECT unless a tool found something
    char reason[512];
};

// The toolkit's compute-sanitizer (toolkit NULL: any on PATH), or NULL.
const char *ks_sanitizer_find(struct ks_arena *arena, const struct ks_toolkit *toolkit);
// Starts the tools' workers, which take their time, in a session on a GPU.
void ks_sanitize_begin(struct ks_judge *judge, struct ks_arena *arena, struct ks_sanitizing *s);
// Runs the candidate under each. What a tool also finds in the original is no fault of the candidate's: a
// note. A tool that is absent or fails is a note; a failure status is KS_E_INTERRUPTED.
enum ks_status ks_sanitize_run(struct ks_judge *judge, struct ks_arena *arena,
                               const struct ks_candidate *candidate, struct ks_sanitizing *s,
                               struct ks_err *err);
// Ends what was begun. Idempotent.
void ks_sanitize_end(struct ks_sanitizing *s);

// What a tool's log says: whether the tool came to its end, and its first finding in a function whose name
// holds `part`, as "KIND in KERNEL", "" if none: the worker's own kernels run beside. Names lose namespaces
// and parameters, files their folders.
bool ks_sanitize_read(struct ks_slice log, const char *part, char finding[200]);

#endif
