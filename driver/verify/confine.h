// What a proposal of unknown origin may touch while it is compiled and while it runs (os/sandbox.h).
#ifndef KS_CONFINE_H
#define KS_CONFINE_H

#include "key/tu.h"
#include "os/sandbox.h"

// A compile of a shadow of `tu` that writes to `keep` alone (made by the caller): it reads the system's
// folders, the toolkit, the host compiler, the shadow below `shadow_root`, and of the user's files those
// that the plain compile read and the folders it searches, or those `within` which a text from elsewhere is
// to stay. Never the configuration (private keys), stores or what was learned. `tu` NULL: the toolkit alone, to try it. KS_E_UNSUPPORTED: this machine
// cannot confine.
enum ks_status ks_confine_compile(struct ks_arena *arena, const struct ks_config *config,
                                  const struct ks_toolkit *toolkit, const struct ks_tu *tu,
                                  const char *shadow_root, const char *keep,
                                  struct ks_sandbox *sandbox, struct ks_err *err);

// This process, which is a worker and has no threads yet: reads the system's folders and what the CUDA
// driver asks for, writes nothing. The second once its device is open: no files but these, no
// processes, no network from here on.
enum ks_status ks_confine_worker(struct ks_err *err);
enum ks_status ks_confine_worker_open(struct ks_err *err);
// Whether both are done.
bool ks_confined(void);

#endif
