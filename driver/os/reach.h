// Whether folders that may lie on a network answer at all, asked without getting stuck oneself.
#ifndef KS_REACH_H
#define KS_REACH_H

#include <stdbool.h>
#include <stddef.h>

enum ks_reach {
    KS_REACH_HERE,   // a folder that can be read
    KS_REACH_ABSENT, // answered at once: no such folder, or not for this user
    KS_REACH_AWAY,   // no answer in time
};

// Asks about all n at the same time, each by a child process that may hang in its place: a server that
// is gone blocks open(2), where no signal may reach it. `seconds` in all.
void ks_reach(const char *const *dirs, size_t n, double seconds, enum ks_reach *out);

#endif
