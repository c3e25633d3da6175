// No network from here on, for this process and all that it starts: the kernel refuses sockets of the internet
// families (seccomp), so that nothing depends on anybody's good will. Needs no rights, and cannot be taken back.
#ifndef KS_OFFLINE_H
#define KS_OFFLINE_H

#include "base/status.h"

// KS_E_UNSUPPORTED: this kernel cannot. Sockets on this machine (AF_UNIX) stay possible: drivers use them.
enum ks_status ks_offline(struct ks_err *err);

#endif
