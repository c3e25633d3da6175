// The policy's constants, fitted to recorded searches, so that kernels can be judged by constants that were chosen without
// them.
#ifndef SEARCH_FIT_H
#define SEARCH_FIT_H

#include "search/replay.h"

// Which half of the kernels one is in: 0 or 1, by a hash of its name.
int fit_half(const char *kernel);
// The constants, each from a short list of its own, with which searches of the kernels of `half` need the
// fewest candidates, the geometric mean over kernels: one constant after the other, from the middle of its list, and
// moved only where that saves 3 %.
void fit_constants(const struct ks_replay_log *log, int half, const struct ks_replay_options *options, long seeds,
                   struct ks_policy_constants *constants);
void fit_print(const char *what, const struct ks_policy_constants *constants);

#endif
