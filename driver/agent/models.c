#include "agent/models.h"

#include <math.h>

#define USUAL_IN 4000.0 // tokens of a question about a kernel
#define USUAL_OUT 1500.0
#define PRIOR 0.5 // reward counted once to each

double ks_model_reward(bool correct, double gain)
{
    if (!correct)
        return 0;
    return gain > 1 ? 0.5 + 0.5 * fmin(1, log2(gain)) : 0.1;
}

static void add(struct ks_model_record *record, double reward, int64_t tokens_in,
                int64_t tokens_out)
{
    record->questions++;
    record->reward += reward;
    if (tokens_in < 0 || tokens_out < 0)
        return;
    record->tokens_in += tokens_in;
    record->tokens_out += tokens_out;
    record->told++;
}

void ks_model_earned(struct ks_asked_model *model, double reward, int64_t tokens_in,
                     int64_t tokens_out)
{
    add(&model->record, reward, tokens_in, tokens_out);
    add(&model->added, reward, tokens_in, tokens_out);
}

double ks_model_cost(const struct ks_asked_model *model, bool priced)
{
    const struct ks_model_record *r = &model->record;
    double in = r->told > 0 ? (double)r->tokens_in / (double)r->told : USUAL_IN;
    double out = r->told > 0 ? (double)r->tokens_out / (double)r->told : USUAL_OUT;
    return priced ? in * model->price.in + out * model->price.out : in + out;
}

size_t ks_models_choose(const struct ks_asked_model *models, size_t n)
{
    bool priced = true;
    double all = 0, dearest = 0, most = 0;
    size_t best = 0;
    for (size_t i = 0; i < n; i++) {
        priced &= models[i].price.in > 0 || models[i].price.out > 0;
        all += (double)models[i].record.questions;
    }
    for (size_t i = 0; i < n; i++)
        dearest = fmax(dearest, ks_model_cost(&models[i], priced));
    for (size_t i = 0; i < n; i++) {
        const struct ks_model_record *r = &models[i].record;
        double asked = (double)r->questions + 1, cost = ks_model_cost(&models[i], priced);
        double value = (r->reward + PRIOR) / asked + KS_MODEL_EXPLORE * sqrt(log(1 + all) / asked) -
                       KS_MODEL_COST * (dearest > 0 ? cost / dearest : 0);
        if (i == 0 || value > most) {
            most = value;
            best = i;
        }
    }
    return best;
}
