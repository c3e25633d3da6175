// Whether what a fixture names is what rejected it.
#include <string.h>

#include "app/verb_suite.h"

// The gates in the order in which they are asked; a compile that fails is no defence's doing.
static const struct { enum ks_check_kind check; const char *defence; } gates[] = {
    {KS_CHECK_TEXT, "text-gate"},    {KS_CHECK_LIMITS, "plan-limits"}, {KS_CHECK_COMPILE, NULL},
    {KS_CHECK_IDENTITY, "identity"}, {KS_CHECK_STATIC, "static-gate"},
};
#define N_GATES (sizeof gates / sizeof *gates)

bool suite_is_fixed(const char *defence)
{
    static const char *const fixed[] = {"options", "fence", "comparison", "timing"};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        if (strcmp(defence, fixed[i]) == 0)
            return true;
    return false;
}

bool suite_by_gate(const struct suite_fixture *f)
{
    for (size_t i = 0; f->defence != NULL && i < N_GATES; i++)
        if (gates[i].defence != NULL && strcmp(gates[i].defence, f->defence) == 0)
            return true;
    return false;
}

const char *suite_blame(struct ks_arena *arena, const struct suite_fixture *f,
                        const struct suite_case *asked, const struct ks_verdict *verdict)
{
    size_t g = 0;
    while (g < N_GATES && verdict->checks.result[gates[g].check] != KS_CHECK_FAILED)
        g++;
    if (f->defence == NULL)
        return NULL;
    const char *said = g < N_GATES ? ks_check_kind_name(gates[g].check) : NULL;
    bool named = g < N_GATES && gates[g].defence != NULL && strcmp(gates[g].defence, f->defence) == 0;
    if (asked == &f->weakened) {
        if (named)
            return ks_arena_printf(arena, "the check `%s` rejects it although `%s` is off", said, f->defence);
        if (said != NULL && asked->expect.len == 0)
            return ks_arena_printf(arena, "the check `%s` rejects it as well, which no `expect` says", said);
        return NULL;
    }
    if (said == NULL && suite_by_gate(f))
        return ks_arena_printf(arena, "no gate rejects it, and `%s` is named", f->defence);
    if (said != NULL && !named)
        return ks_arena_printf(arena, "the check `%s` rejects it, and `%s` is named", said, f->defence);
    return NULL;
}
