// ks-facts-of: which facts of counters follow from metrics of these names (lines of standard
// input)? Prints the facts that skills and classes ask for and that stay unknown; exits with their
// number.
#include <stdio.h>
#include <string.h>

#include "memory/fact.h"
#include "profile/facts.h"

// What is known without any counter.
static bool counted(const struct ks_fact_name *fact)
{
    static const char *const others[] = {"time_us", "roofline_pct", "registers", "static_shared"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(others[i], fact->name) == 0)
            return false;
    return fact->metric;
}

int main(void)
{
    struct ks_arena arena = {0};
    struct ks_fact_list facts = {0};
    json_t *metrics = json_object();
    char line[512];
    int unknown = 0;
    while (fgets(line, sizeof line, stdin) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        json_object_set_new(metrics, line, json_real(1));
    }
    ks_profile_facts(&arena, metrics, &facts);
    for (const struct ks_fact_name *fact = ks_fact_names(); fact->name != NULL; fact++) {
        double value;
        if (counted(fact) && !ks_fact_get(&facts, fact->name, &value)) {
            printf("%s\n", fact->name);
            unknown++;
        }
    }
    // What classes ask for, and no skill does.
    static const char *const further[] = {
        "instructions",    "red_sectors",      "atom_sectors",          "shared_conflicts",
        "dram_bytes_read", "dram_bytes_write", "stall_short_scoreboard"};
    for (size_t i = 0; i < sizeof further / sizeof *further; i++) {
        double value;
        if (!ks_fact_get(&facts, further[i], &value)) {
            printf("%s\n", further[i]);
            unknown++;
        }
    }
    json_decref(metrics);
    ks_arena_free(&arena);
    return unknown;
}
