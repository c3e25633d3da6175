// What other verbs ask of `ks agent`.
#ifndef KS_VERB_AGENT_H
#define KS_VERB_AGENT_H

#include "app/verb.h"

// Who is configured to be asked, in a line, found out as a tuner would but without calling anybody
// or making a folder.
enum verb_agent_health { AGENT_GOOD, AGENT_SILENT, AGENT_WRONG };
const char *verb_agent_health(struct ks_verb_context *context, enum verb_agent_health *is);

// verb_agent_evolve.c: evolve ROLE.SECTION FILE.cu:KERNEL ...
int verb_agent_evolve(struct ks_verb_context *context, const struct verb_words *words,
                      const char *budget, const char *device);

#endif
