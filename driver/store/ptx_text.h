// Canonical PTX of kernels that were compiled here, by digest: a key names only the digest, and
// `ks explain` shows in what the code differs. A convenience: the oldest go, nothing depends on it.
#ifndef KS_PTX_TEXT_H
#define KS_PTX_TEXT_H

#include "cfg/config.h"
#include "fmt/hash.h"

// Does nothing where nothing may be written, or where it is there already.
void ks_ptx_text_keep(const struct ks_config *config, const struct ks_digest *digest,
                      struct ks_slice text);
// False where it is not known here. `digest` in hexadecimal.
bool ks_ptx_text_find(struct ks_arena *arena, const struct ks_config *config, const char *digest,
                      struct ks_slice *text);

#endif
