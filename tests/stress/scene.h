// One compile by ks-nvcc, run over and over from the same state (world.h) and held against the real nvcc
// run alone and against an ordinary run. A check that fails ends the program with what it was about.
#ifndef KS_SCENE_H
#define KS_SCENE_H

#include "world.h"

enum object { NONE, STALE, PLAIN, SUBSTITUTED, CUT, OTHER }; // which recorded compile made a.o

struct scene {
    bool strict, tunes, may_substitute;
    bool killed; // one draft may be left in the cache, where `ks gc` finds it
    const char *root;           // where runs take place; they begin with a copy of `state`
    const char *state;
    const char *const *ks_nvcc; // with the words, NULL-terminated
    const char *const *nvcc;
    int nvcc_status, own_status; // as of waitpid
    char what[320];              // is being tried, for messages
    long runs;
};
extern struct scene scene;

// Takes SCENE KS_NVCC NVCC WORDS... as hammer.c describes them; false: they are wrong.
bool scene_words(int argc, char **argv);
// Runs nvcc and ks-nvcc once each; what they do is what is expected from here on.
void scene_reference(void);

_Noreturn void scene_fail(const char *why);
const char *scene_path(const char *name); // below root; good for some calls
void scene_restore(void);
int scene_run(const char *const *argv); // in root, with streams in `out` and `err`; wait status

enum object scene_object(void);
void scene_check_text(void);
// nvcc's prerequisites all, and of ours none that an ordinary run does not name.
void scene_check_depfile(void);
void scene_check_store(void);
bool scene_is_empty(const char *dir);
// Strict mode may refuse, with a word and without an object.
bool scene_refused(int status);
// An ordinary run, from what lies there: as every ordinary run, and it tidies up.
void scene_check_next(void);

#endif
