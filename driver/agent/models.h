// Several models, cheap ones first: which is asked next. The record of what each earned decides,
// and a chain that does not get on goes to the next, stronger one. No chance is in it: the same
// record gives the same choice.
#ifndef KS_MODELS_H
#define KS_MODELS_H

#include "agent/spend.h"
#include "memory/model_record.h"

#define KS_MODELS_MOST 4

struct ks_asked_model {
    const char *name;
    struct ks_price price;
    struct ks_model_record record; // of all runs
    struct ks_model_record added;  // of it, what this run has not stored yet
};

// What a question earned, 0 to 1: nothing where the answer was refused or wrong, 0.1 where it was
// right, 0.5 and more where it is faster than the best before, `gain` times: all of it from 2 on.
double ks_model_reward(bool correct, double gain);
void ks_model_earned(struct ks_asked_model *model, double reward, int64_t tokens_in,
                     int64_t tokens_out);
// The model with the largest mean reward + KS_MODEL_EXPLORE x sqrt(ln(1 + N) / (1 + n)) -
// KS_MODEL_COST x cost over the dearest one's; where one reward of 1/2 is counted to each
// beforehand. The first of equals.
#define KS_MODEL_EXPLORE 0.3
#define KS_MODEL_COST 0.3
size_t ks_models_choose(const struct ks_asked_model *models, size_t n);
// In tokens or, where all have prices, money: of a question, as told so far; else as models do in
// general.
double ks_model_cost(const struct ks_asked_model *model, bool priced);

#endif
