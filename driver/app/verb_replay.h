// ks tune --replay LOG: a search plays on a recorded log in place of judge and device.
#ifndef KS_VERB_REPLAY_H
#define KS_VERB_REPLAY_H

#include "app/verb.h"

struct verb_replay {
    const char *log, *kernel;      // kernel NULL: all of the log
    const char *seed;              // NULL: 1
    struct ks_strv without;        // names of parts
};
int verb_replay(struct ks_verb_context *context, const struct verb_replay *replay);

#endif
