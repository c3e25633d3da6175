#include "device/banks.h"

struct ks_banks ks_banks_take(uint32_t mask, const uint64_t addresses[KS_BANKS_LANES], uint32_t bytes)
{
    unsigned words = bytes < 4 ? 1 : bytes / 4, lanes = KS_BANKS_LANES / words;
    struct ks_banks taken = {0};
    if (lanes == 0)
        lanes = 1;
    for (unsigned from = 0; from < KS_BANKS_LANES; from += lanes) {
        uint64_t seen[KS_BANKS_LANES][8];
        unsigned n[KS_BANKS_LANES] = {0}, most = 0;
        for (unsigned l = from; l < from + lanes; l++) {
            for (unsigned w = 0; (mask >> l & 1) != 0 && w < words; w++) {
                uint64_t word = addresses[l] / 4 + w;
                unsigned bank = (unsigned)(word % 32), i = 0;
                while (i < n[bank] && i < 8 && seen[bank][i] != word)
                    i++;
                if (i == n[bank] && i < 8)
                    seen[bank][i] = word;
                n[bank] += i == n[bank] || i == 8;
                most = n[bank] > most ? n[bank] : most;
            }
        }
        taken.waves += most;
        taken.turns += most > 0;
    }
    return taken;
}
