#include "agent/digest.h"

#include <math.h>
#include <string.h>

#define DOCUMENT_MOST ((size_t)1 << 20)

const char *ks_outcome_text(struct ks_arena *arena, const struct ks_outcome *o)
{
    if (!o->correct)
        return o->reason;
    if (o->ratio <= 0)
        return ks_arena_printf(arena, "right, but no time of it counts%s%s",
                               o->reason[0] != '\0' ? ": " : "", o->reason);
    if (!o->gains)
        return ks_arena_printf(arena, "right, but not faster: %.2f times as fast as the original",
                               o->ratio);
    if (o->modelled)
        return ks_arena_printf(arena, "right, modelled as %.2f times as fast as the original",
                               o->ratio);
    return ks_arena_printf(
        arena,
        "right, %.2f times as fast as the original in a first timing, at least %.2f; not "
        "confirmed yet",
        o->ratio, o->lower);
}

static const char *line_of(struct ks_arena *arena, const struct ks_tried *t)
{
    const struct ks_candidate *c = t->candidate;
    const char *who = c->proposer != NULL ? "model" : "engine";
    const char *what = c->proposer != NULL ? c->rationale : c->params;
    return ks_arena_printf(arena, "- %s, %s: %.200s: %s: %.300s\n", who, c->skill, what,
                           t->outcome.correctness, ks_outcome_text(arena, &t->outcome));
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
        if (tried->at[i].outcome.gains &&
            tried->at[i].outcome.ratio > (best != NULL ? best->outcome.ratio : 1))
            best = &tried->at[i];
    return best;
}

// The share of the source's lines that another one has too; blanks around them do not count.
static double likeness(struct ks_arena *arena, const char *source, const char *other)
{
    size_t n = 0, same = 0;
    for (const char *at = source; *at != '\0';) {
        size_t len = strcspn(at, "\n");
        struct ks_slice line = ks_slice_trim((struct ks_slice){at, len});
        at += len + (at[len] == '\n');
        if (line.len < 3) // a brace tells nothing
            continue;
        n++;
        same += strstr(other, ks_arena_strndup(arena, line.at, line.len)) != NULL;
    }
    return n > 0 ? (double)same / (double)n : 1;
}

size_t ks_digest_others(struct ks_arena *arena, const struct ks_digest_list *tried,
                        const struct ks_tried *best, size_t most, const struct ks_tried **found)
{
    const struct ks_tried *shown[8] = {best};
    size_t n = 0, before = best != NULL;
    double largest = 0;
    for (size_t i = 0; i < tried->len; i++)
        largest =
            tried->at[i].outcome.correct ? fmax(largest, tried->at[i].outcome.ratio) : largest;
    while (n < most && before + n < 8) {
        const struct ks_tried *top = NULL;
        double most_worth = 0;
        for (size_t i = 0; i < tried->len; i++) {
            const struct ks_tried *t = &tried->at[i];
            double like = 0;
            if (!t->outcome.correct || t->outcome.ratio <= 0)
                continue;
            for (size_t k = 0; k < before + n; k++) {
                double now = t == shown[k] ? 1
                                           : likeness(arena, t->candidate->proposal.source,
                                                      shown[k]->candidate->proposal.source);
                like = fmax(like, now);
            }
            double worth = 0.7 * t->outcome.ratio / largest - 0.3 * like;
            if (like < 0.8 && (top == NULL || worth > most_worth)) {
                top = t;
                most_worth = worth;
            }
        }
        if (top == NULL)
            break;
        shown[before + n] = top;
        found[n++] = top;
    }
    return n;
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
