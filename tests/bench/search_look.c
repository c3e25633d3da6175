#include "search_look.h"

#include <math.h>

#include "os/clock.h"
#include "verify/screen.h"

static struct {
    KS_VEC(struct ks_candidate *) at;
} built;

static struct ks_candidate *find(const struct ks_proposal *proposal)
{
    for (size_t i = 0; i < built.at.len; i++)
        if (built.at.at[i]->proposal == proposal)
            return built.at.at[i];
    return NULL;
}

// Stands in for the compiler while the device is held.
static enum ks_status hand_out(struct ks_judge *judge, struct ks_proposal *const *proposals, size_t n,
                               enum ks_build_way way, struct ks_candidate **candidates, struct ks_err *err)
{
    (void)judge, (void)way;
    for (size_t i = 0; i < n; i++)
        if ((candidates[i] = find(proposals[i])) == NULL)
            KS_FAIL(err, KS_E_INTERNAL, "a proposal was not built before it is looked at");
    return KS_OK;
}

enum ks_status look_build(struct ks_judge *judge, struct ks_proposal *const *proposals, size_t n,
                          size_t batch, struct ks_err *err)
{
    for (size_t at = 0; at < n; at += batch) {
        size_t m = n - at < batch ? n - at : batch;
        struct ks_candidate **candidates = KS_NEW_ARRAY(judge->arena, struct ks_candidate *, m);
        KS_TRY(ks_judge_build(judge, proposals + at, m, KS_BUILD_SHARED, candidates, err));
        for (size_t i = 0; i < m; i++)
            *ks_vec_push(judge->arena, &built.at) = candidates[i];
    }
    return KS_OK;
}

static enum ks_status again(struct ks_judge *judge, struct ks_proposal *const *proposals, size_t n,
                            struct look *looks, int which, struct ks_err *err)
{
    struct ks_arena scratch = {0};
    const struct ks_candidate **alive = KS_NEW_ARRAY(&scratch, const struct ks_candidate *, n);
    size_t *index = KS_NEW_ARRAY(&scratch, size_t, n), m = 0;
    for (size_t i = 0; i < n; i++)
        if (looks[i].ratio[0] > 0) {
            alive[m] = find(proposals[i]);
            index[m++] = i;
        }
    double *ratios = KS_NEW_ARRAY(&scratch, double, m * judge->n_problems + 1);
    enum ks_status status = m == 0 ? KS_OK : ks_screen_run(judge, &scratch, alive, m, ratios, err);
    for (size_t i = 0; status == KS_OK && i < m; i++) {
        double sum = 0, weights = 0;
        for (size_t w = 0; w < judge->n_problems; w++) {
            sum += ks_judge_weight(judge, w) * log(ratios[i * judge->n_problems + w]);
            weights += ks_judge_weight(judge, w);
        }
        looks[index[i]].ratio[which] = exp(sum / weights);
    }
    ks_arena_free(&scratch);
    return status;
}

enum ks_status look_at(struct ks_judge *judge, struct ks_proposal *const *proposals, size_t n,
                       struct look *looks, struct ks_err *err)
{
    struct ks_verdict *verdicts = KS_NEW_ARRAY(judge->arena, struct ks_verdict, n);
    ks_build_fn *compiler = judge->build;
    double start = ks_now();
    judge->build = hand_out;
    enum ks_status status = ks_judge_screen(judge, proposals, n, verdicts, err);
    judge->build = compiler;
    for (size_t i = 0; status == KS_OK && i < n; i++)
        looks[i] = (struct look){.verdict = verdicts[i],
                                 .ratio = {verdicts[i].geomean},
                                 .run_ms = (ks_now() - start) * 1e3 / (double)n};
    for (int which = 1; status == KS_OK && which < LOOKS && ks_judge_times(judge); which++)
        status = again(judge, proposals, n, looks, which, err);
    return status;
}
