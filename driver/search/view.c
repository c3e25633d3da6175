// What `ks tune` shows while it searches.
#include <stdio.h>

#include "base/log.h"
#include "os/clock.h"
#include "os/term.h"
#include "search/tuner.h"

static void best_of(const struct ks_tuner *t, struct ks_buf *out)
{
    ks_buf_printf(out, "best %.2fx", t->best);
    if (t->best > 1 && t->bound > 0)
        ks_buf_printf(out, " (over %.2fx)", t->bound);
    else if (t->promised > 1) // nothing was judged in full yet
        ks_buf_printf(out, " (%.2fx at a look)", t->promised);
    double ceiling = t->result->profiled ? ks_profile_share(&t->result->profile) * t->best : 0;
    if (ceiling > 0)
        ks_buf_printf(out, ", %.0f %% of speed of light", ceiling < 100 ? ceiling : 100.0);
}

void ks_view(const struct ks_tuner *t, const char *what, const struct ks_candidate *candidate)
{
    const char *kernel = t->kernel->signature->instance;
    double left = t->deadline - ks_now();
    struct ks_buf line = KS_BUF(2048);
    ks_buf_printf(&line, "ks: %s: %s", kernel, what);
    if (candidate != NULL)
        ks_buf_printf(&line, " %s: %s %s", candidate->direction, candidate->skill,
                      candidate->params);
    ks_buf_printf(&line, "; %s%s", t->last, t->last[0] != '\0' ? ", " : "");
    best_of(t, &line);
    ks_buf_printf(&line, "; %d screened, %d judged, %d correct, %.0f s left", t->looked,
                  t->result->judged, t->result->correct, left > 0 ? left : 0);
    ks_progress(kernel, "%s", ks_buf_text(&line));
    ks_buf_free(&line);
}

void ks_view_verdict(struct ks_tuner *t, const struct ks_candidate *candidate,
                     const struct ks_verdict *verdict, bool screened)
{
    const char *kernel = t->kernel->signature->instance;
    bool right = verdict->correctness == KS_C_CORRECT;
    if (right && verdict->geomean > 0)
        snprintf(t->last, sizeof t->last, "last %s %.2fx", screened ? "looked at" : ks_speed_name(verdict->speed),
                 verdict->geomean);
    else
        snprintf(t->last, sizeof t->last, "last %s", ks_correctness_name(verdict->correctness));
    if (screened && verdict->geomean > t->promised)
        t->promised = verdict->geomean;
    if (screened)
        ks_info("%s: %s %s: screened at %.3f", kernel, candidate->skill, candidate->params,
                verdict->geomean);
    else
        ks_info("%s: %s %s: %s %s %.3f %s", kernel, candidate->skill, candidate->params,
                ks_correctness_name(verdict->correctness), ks_speed_name(verdict->speed),
                verdict->geomean, verdict->reason);
}
