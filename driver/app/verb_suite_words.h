// The words for nvcc that a fixture of `ks verify --suite` may say.
#ifndef KS_VERB_SUITE_WORDS_H
#define KS_VERB_SUITE_WORDS_H

#include "base/str.h"

// Adds to `words` what of `given` nvcc may be told by a fixture in the folder `fixture` of `suite`; -I is relative to the
// fixture. NULL, or what is wrong with given->at[*at].
const char *suite_words_wrong(struct ks_arena *arena, const char *suite, const char *fixture,
                              const struct ks_strv *given, size_t *at, struct ks_strv *words);
// Whether the path, links followed, is `dir` or lies below it.
bool suite_inside(struct ks_arena *arena, const char *dir, const char *path);

#endif
