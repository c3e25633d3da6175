// The profile points that skills can tell apart, and whether each yields a skill. A point gives every fact
// that a condition speaks of one of its ranges, or leaves it unknown; the bottleneck classes are one fact,
// of which one is true or none is known. A point is covered where a skill's gate lets it through (what is
// unknown shuts no gate), its score is 0.5 or more and at least one of its conditions is true.
#ifndef KS_LATTICE_H
#define KS_LATTICE_H

#include "memory/skill.h"

struct ks_lattice {
    size_t facts;         // that conditions speak of
    double points;        // product of the numbers of their ranges
    double uncovered;
    bool complete;        // false: given up after KS_LATTICE_STEPS, `uncovered` is what was found till then
    size_t steps;         // parts that were decided whole: no point of a part differs in whether it is covered
    const char *example;  // an uncovered point, in words, or NULL
    size_t sampled;       // points drawn at random,
    double with_action;   // share of them at which a skill with an action is among those that cover,
    double skills;        // and mean number of those that cover
};
#define KS_LATTICE_STEPS 200000

void ks_lattice_count(struct ks_arena *arena, const struct ks_skill_list *skills,
                      struct ks_lattice *lattice);

#endif
