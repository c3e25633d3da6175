// Whether a configuration or key file that was found, not named, may be believed.
#ifndef KS_OWNER_H
#define KS_OWNER_H

#include <sys/stat.h>

// Why not ("belongs to another user", "can be written by everybody"), or NULL. `also` is a further
// owner that is as good as the user; pass geteuid() for none.
const char *ks_owner_problem(const struct stat *st, uid_t also);

#endif
