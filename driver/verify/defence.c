#include "verify/defence.h"

#include <stddef.h>
#include <string.h>

bool ks_defence_on(const struct ks_verify_defences *switches, enum ks_defence which)
{
#ifdef KS_TEST_BUILD
    return switches == NULL || !switches->off[which];
#else
    (void)switches;
    (void)which;
    return true;
#endif
}

bool ks_defence_switchable(void)
{
#ifdef KS_TEST_BUILD
    return true;
#else
    return false;
#endif
}

const char *ks_defence_name(enum ks_defence which)
{
    static const char *const names[KS_DEFENCE_COUNT] = {
        [KS_D_STATIC_GATE] = "static-gate", [KS_D_UNSAFE] = "unsafe",
        [KS_D_PLACEMENT] = "placement",     [KS_D_POISON] = "poison",
        [KS_D_SHAPES] = "shapes",           [KS_D_FAMILIES] = "families",
        [KS_D_EXACT_PROBE] = "exact-probe", [KS_D_VACUITY] = "vacuity",
        [KS_D_UNWRITTEN] = "unwritten",     [KS_D_REPETITION] = "repetition",
        [KS_D_TIMED_OUTPUT] = "timed-output", [KS_D_FLOOR] = "floor",
        [KS_D_WATCHDOG] = "watchdog",       [KS_D_GUARD] = "guard",
        [KS_D_CONTROL] = "control",         [KS_D_UNSEEN] = "unseen",
        [KS_D_IDENTITY] = "identity",       [KS_D_TEXT] = "text-gate",
        [KS_D_SCRUB] = "scrub",             [KS_D_SEEDS] = "seeds",
        [KS_D_ROTATION] = "rotation",       [KS_D_CONFIRMATION] = "confirmation",
        [KS_D_TOLERANCE] = "tolerance",
        [KS_D_LIMITS] = "plan-limits",      [KS_D_PROCESS_SPLIT] = "process-split",
        [KS_D_EMULATION] = "emulation",
    };
    return which < KS_DEFENCE_COUNT ? names[which] : "unknown";
}

bool ks_defence_parse(const char *name, enum ks_defence *which)
{
    for (int d = 0; d < KS_DEFENCE_COUNT; d++)
        if (strcmp(name, ks_defence_name((enum ks_defence)d)) == 0) {
            *which = (enum ks_defence)d;
            return true;
        }
    return false;
}
