// What models earned and cost, question by question, summed up in the memory.
#ifndef KS_MODEL_RECORD_H
#define KS_MODEL_RECORD_H

#include "memory/outcomes.h"

struct ks_model_record {
    int64_t questions;
    double reward;                       // of all of them, each 0 to 1
    int64_t tokens_in, tokens_out, told; // of the `told` questions whose usage is known
};
// All zero where nothing is known. `evidence` as in struct ks_attempt: what was modelled and what
// was measured are two records.
enum ks_status ks_model_record_get(struct ks_outcomes *outcomes, const char *model,
                                   const char *evidence, struct ks_model_record *record,
                                   struct ks_err *err);
enum ks_status ks_model_record_add(struct ks_outcomes *outcomes, const char *model,
                                   const char *evidence, const struct ks_model_record *more,
                                   struct ks_err *err);

#endif
