// Kernels whose decisions are kept whatever happens: <cache_dir>/pinned, a key a line. `ks gc` does
// not drop them, `ks import` does not replace them.
#ifndef KS_PIN_H
#define KS_PIN_H

#include "cfg/config.h"
#include "fmt/hash.h"

struct ks_pins {
    struct ks_digest *at;
    size_t len, cap;
};

// Lines that are no key are skipped; no file, no pins.
void ks_pins_read(struct ks_arena *arena, const struct ks_config *config, struct ks_pins *pins);
bool ks_pins_have(const struct ks_pins *pins, const struct ks_digest *key);
// Pins a key, or lets it go. KS_E_IO where nothing may be written.
enum ks_status ks_pin_set(const struct ks_config *config, const struct ks_digest *key, bool pinned,
                          struct ks_err *err);

#endif
