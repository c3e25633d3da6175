// What `ks tune` shows while it searches.
#include <stdio.h>
#include <string.h>

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

// What a narrow terminal goes without, in this order. What stands at the line's end, the best and the time left, stays.
enum { COUNTS = 1, SETTINGS = 2, DIRECTION = 4, LAST = 8, STEPS = 5 };
static const int without[STEPS] = {0, COUNTS, COUNTS | SETTINGS, COUNTS | SETTINGS | DIRECTION,
                                   COUNTS | SETTINGS | DIRECTION | LAST};

// `settings`: how much of them there is room for, where they are cut.
static void write_line(const struct ks_tuner *t, const char *what, const struct ks_candidate *c, double left, int less,
                       int settings, struct ks_buf *out)
{
    ks_buf_printf(out, "ks: %s: %s", t->kernel->signature->instance, what);
    if (c != NULL && !(less & DIRECTION))
        ks_buf_printf(out, " %s:", c->direction);
    if (c != NULL)
        ks_buf_printf(out, " %s", c->skill);
    if (c != NULL && !(less & SETTINGS))
        ks_buf_printf(out, " %s", c->params);
    else if (c != NULL && settings > 0)
        ks_buf_printf(out, " %.*s...", settings, c->params);
    bool last = t->last[0] != '\0' && !(less & LAST);
    ks_buf_printf(out, "; %s%s", last ? t->last : "", last ? ", " : "");
    best_of(t, out);
    ks_buf_puts(out, less & COUNTS ? ", " : "; ");
    if (!(less & COUNTS))
        ks_buf_printf(out, "%d screened, %d judged, %d correct, ", t->looked, t->result->judged, t->result->correct);
    ks_buf_printf(out, "%.0f s left", left > 0 ? left : 0);
}

void ks_view_line(const struct ks_tuner *t, const char *what, const struct ks_candidate *candidate, double left,
                  int width, struct ks_buf *out)
{
    enum { SOME = 6, DOTS = 4 }; // fewer letters of settings say nothing; " " and "..."
    for (int i = 0; i < STEPS; i++) {
        ks_buf_clear(out);
        write_line(t, what, candidate, left, without[i], 0, out);
        int room = width - (int)out->len - DOTS;
        if (room < -DOTS)
            continue;
        if (candidate != NULL && without[i] & SETTINGS && room >= SOME) {
            bool whole = (size_t)room + DOTS > strlen(candidate->params);
            ks_buf_clear(out);
            write_line(t, what, candidate, left, whole ? without[i] & ~SETTINGS : without[i], room, out);
        }
        return;
    }
}

void ks_view(const struct ks_tuner *t, const char *what, const struct ks_candidate *candidate)
{
    struct ks_buf line = KS_BUF(1 << 16);
    ks_view_line(t, what, candidate, t->deadline - ks_now_own(), ks_term_is_tty() ? ks_term_width() - 1 : 1023, &line);
    ks_progress(t->kernel->signature->instance, "%s", ks_buf_text(&line));
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
