// Shared memory as hardware serves it: 32 banks of 4 bytes, one word of each in a wavefront.
#ifndef KS_BANKS_H
#define KS_BANKS_H

#include <stdint.h>

enum { KS_BANKS_LANES = 32 };

struct ks_banks {
    unsigned waves; // that the access takes
    unsigned turns; // of lanes, which wide accesses take in any case: waves above them are bank conflicts
};
// An access of `bytes` at each address by the lanes in `mask`.
struct ks_banks ks_banks_take(uint32_t mask, const uint64_t addresses[KS_BANKS_LANES], uint32_t bytes);

#endif
