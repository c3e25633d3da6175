#include "memory/structure.h"

static bool above(const struct ks_fact_list *facts, const char *name, double least)
{
    double value;
    return ks_fact_get(facts, name, &value) && value > least;
}

const char *ks_structure_of(const struct ks_fact_list *facts)
{
    if (!above(facts, "understood", 0))
        return "unknown";
    if (above(facts, "atomics(param)", 0))
        return "scatter";
    if (above(facts, "barriers", 0) || above(facts, "warp_ops", 0))
        return "cooperative";
    if (above(facts, "elementwise", 0))
        return "elementwise";
    if (!above(facts, "map", 0))
        return "other";
    if (above(facts, "loops", 0))
        return "loop";
    return above(facts, "strided_writes", 0) ? "permutation" : "grid";
}
