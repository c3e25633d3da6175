// One question alone, waited for.
#ifndef KS_ASK_ONE_H
#define KS_ASK_ONE_H

#include "agent/agents.h"

// Puts `ask`, of the strongest model, within ask->spend, or where that is NULL within a budget of its
// own like that of a kernel; `ask->id` is set. *answered false: a patient backend has no answer yet, or the time is over. Frees nothing:
// ks_answer_free where *answered.
enum ks_status ks_ask_one(struct ks_arena *arena, struct ks_agents *agents, struct ks_ask *ask,
                          struct ks_answer *answer, bool *answered, struct ks_err *err);

#endif
