#include "memory/trial.h"

#include <string.h>

#include "base/stats.h"
#include "memory/database.h"
#include "os/clock.h"

#define ERROR 0.125

static size_t different(const struct ks_trial *trials, size_t n)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        bool seen = false;
        for (size_t k = 0; k < i; k++)
            seen |= strcmp(trials[k].key, trials[i].key) == 0;
        count += !seen;
    }
    return count;
}

void ks_trials_judge(struct ks_arena *arena, const struct ks_trial *trials, size_t n,
                     struct ks_trial_judgement *out)
{
    double *gains = KS_NEW_ARRAY(arena, double, n + 1);
    bool fewer = false;
    *out = (struct ks_trial_judgement){0};
    for (size_t i = 0; i < n; i++) {
        gains[i] = trials[i].with_ratio / trials[i].without_ratio;
        out->least = i == 0 || gains[i] < out->least ? gains[i] : out->least;
        fewer |= trials[i].with_correct == 0 && trials[i].without_correct > 0;
    }
    size_t rank = n > 0 ? ks_median_lower_rank(n, ERROR) : 0;
    out->lower = rank > 0 ? ks_kth_smallest(gains, n, rank) : 0;
    if (different(trials, n) < KS_TRIAL_KERNELS)
        out->reason = ks_arena_printf(arena, "shown on %zu kernels, and %d different ones are needed",
                                      different(trials, n), KS_TRIAL_KERNELS);
    else if (fewer)
        out->reason = "with it nothing verifies on a kernel where without it something does";
    else if (out->least < KS_TRIAL_NO_WORSE)
        out->reason = ks_arena_printf(arena, "a kernel gets %.2fx with it, below %.2f", out->least,
                                      KS_TRIAL_NO_WORSE);
    else if (out->lower <= KS_TRIAL_GAIN)
        out->reason = ks_arena_printf(arena, "%.2fx at least on %zu kernels, not above %.2f", out->lower, n,
                                      KS_TRIAL_GAIN);
    else
        out->reason = ks_arena_printf(arena, "%.2fx at least on %zu kernels, %s", out->lower, n,
                                      trials[0].evidence);
    out->adopt = different(trials, n) >= KS_TRIAL_KERNELS && !fewer && out->least >= KS_TRIAL_NO_WORSE &&
                 out->lower > KS_TRIAL_GAIN;
}

enum ks_status ks_trial_add(struct ks_outcomes *o, const char *skill, const struct ks_trial *t,
                            struct ks_err *err)
{
    sqlite3_stmt *stmt = NULL;
    char date[32];
    ks_utc_text(date);
    if (sqlite3_prepare_v2(o->db, "INSERT OR REPLACE INTO trials VALUES(?,?,?,?,?,?,?,?,?,?,?)", -1, &stmt,
                           NULL) != SQLITE_OK)
        return ks_database_fail(o, "a trial cannot be kept", err);
    sqlite3_bind_text(stmt, 1, skill, -1, SQLITE_STATIC);
    sqlite3_bind_text(stmt, 2, t->kernel, -1, SQLITE_STATIC);
    sqlite3_bind_text(stmt, 3, t->key, -1, SQLITE_STATIC);
    sqlite3_bind_int(stmt, 4, t->arch);
    sqlite3_bind_text(stmt, 5, t->toolkit, -1, SQLITE_STATIC);
    sqlite3_bind_text(stmt, 6, t->evidence, -1, SQLITE_STATIC);
    sqlite3_bind_double(stmt, 7, t->with_ratio);
    sqlite3_bind_double(stmt, 8, t->without_ratio);
    sqlite3_bind_int(stmt, 9, t->with_correct);
    sqlite3_bind_int(stmt, 10, t->without_correct);
    sqlite3_bind_text(stmt, 11, date, -1, SQLITE_STATIC);
    enum ks_status status = ks_database_step(o, stmt, "a trial was not kept", err);
    sqlite3_finalize(stmt);
    return status;
}
