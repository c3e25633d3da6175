#include "agent/digest.h"

#include <string.h>

#define DOCUMENT_MOST ((size_t)1 << 20)

const char *ks_outcome_text(struct ks_arena *arena, const struct ks_outcome *o)
{
    if (!o->correct)
        return o->reason;
    if (o->ratio <= 0)
        return ks_arena_printf(arena, "right, but no time of it counts%s%s", o->reason[0] != '\0' ? ": " : "",
                               o->reason);
    if (!o->gains)
        return ks_arena_printf(arena, "right, but not faster: %.2f times as fast as the original", o->ratio);
    if (o->modelled)
        return ks_arena_printf(arena, "right, modelled as %.2f times as fast as the original", o->ratio);
    return ks_arena_printf(arena, "right, %.2f times as fast as the original in a first timing, at least %.2f; not "
                           "confirmed yet", o->ratio, o->lower);
}

static const char *line_of(struct ks_arena *arena, const struct ks_tried *t)
{
    const struct ks_candidate *c = t->candidate;
    const char *who = c->proposer != NULL ? "model" : "engine";
    const char *what = c->proposer != NULL ? c->rationale : c->params;
    return ks_arena_printf(arena, "- %s, %s: %.200s: %s: %.300s\n", who, c->skill, what, t->outcome.correctness,
                           ks_outcome_text(arena, &t->outcome));
}

const char *ks_digest_text(struct ks_arena *arena, const struct ks_digest_list *tried, size_t most)
{
    struct ks_buf out = KS_BUF(most + 4096);
    size_t first = tried->len, bytes = 0;
    while (first > 0) {
        size_t n = strlen(line_of(arena, &tried->at[first - 1]));
        if (bytes + n > most)
            break;
        bytes += n;
        first--;
    }
    if (tried->len == 0)
        return "nothing yet";
    if (first > 0)
        ks_buf_printf(&out, "(%zu earlier ones are left out)\n", first);
    for (size_t i = first; i < tried->len; i++)
        ks_buf_puts(&out, line_of(arena, &tried->at[i]));
    const char *text = ks_arena_strdup(arena, ks_buf_text(&out));
    ks_buf_free(&out);
    return text;
}

const struct ks_tried *ks_digest_best(const struct ks_digest_list *tried)
{
    const struct ks_tried *best = NULL;
    for (size_t i = 0; i < tried->len; i++)
        if (tried->at[i].outcome.gains && tried->at[i].outcome.ratio > (best != NULL ? best->outcome.ratio : 1))
            best = &tried->at[i];
    return best;
}

const char *ks_digest_code(struct ks_arena *arena, const struct ks_candidate *candidate)
{
    struct ks_buf out = KS_BUF(DOCUMENT_MOST);
    struct ks_yaml_writer w = {.out = &out};
    ks_proposal_write(&w, &candidate->proposal);
    const char *text = ks_arena_strdup(arena, ks_buf_text(&out));
    ks_buf_free(&out);
    return text;
}
