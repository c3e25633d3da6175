#include "agent/retrieve.h"

#include <math.h>
#include <string.h>

#include "agent/bm25.h"
#include "memory/fact.h"

#define BY_WORDS 0.35
#define QUERY_MOST ((size_t)1 << 18)

// What the kernel's text and the facts that hold say.
static const char *query_of(struct ks_arena *arena, const struct ks_brief *brief)
{
    struct ks_buf query = KS_BUF(QUERY_MOST);
    ks_buf_puts(&query, brief->kernel_text);
    ks_vec_each(const struct ks_fact, fact, &brief->facts) {
        const struct ks_fact_name *name = fact->known && fact->value != 0 ? ks_fact_find(fact->name) : NULL;
        if (name != NULL)
            ks_buf_printf(&query, " %s %s", name->name, name->meaning);
    }
    const char *text = ks_arena_strdup(arena, ks_buf_text(&query));
    ks_buf_free(&query);
    return text;
}

static bool is_other(const struct ks_skill *skill, const struct ks_skill *const *chosen, size_t n, bool diverse)
{
    bool other = strcmp(skill->direction, "measurement") != 0;
    for (size_t i = 0; i < n; i++)
        other &= chosen[i] != skill && (!diverse || strcmp(chosen[i]->direction, skill->direction) != 0);
    return other;
}

size_t ks_retrieve(struct ks_arena *arena, const struct ks_brief *brief, const struct ks_retrieve_from *from,
                   size_t n, size_t most, bool diverse, const struct ks_skill **chosen)
{
    const char **texts = KS_NEW_ARRAY(arena, const char *, n + 1);
    double *values = KS_NEW_ARRAY(arena, double, n + 1), *scores = KS_NEW_ARRAY(arena, double, n + 1);
    size_t *found = KS_NEW_ARRAY(arena, size_t, n + 1), kept = 0;
    double best = 0;
    for (size_t i = 0; i < n; i++) {
        const struct ks_skill *s = from[i].skill;
        texts[i] = ks_arena_printf(arena, "%s %s %s %s", s->id, s->title, s->direction, s->how != NULL ? s->how : "");
        best = fmax(best, from[i].score);
    }
    const struct ks_bm25 *index = ks_bm25_make(arena, texts, n);
    size_t matched = ks_bm25_find(index, query_of(arena, brief), n, found, scores);
    for (size_t i = 0; i < n; i++)
        values[i] = (1 - BY_WORDS) * (best > 0 ? from[i].score / best : 0);
    for (size_t i = 0; i < matched; i++)
        values[found[i]] += BY_WORDS * scores[i] / scores[0];
    while (kept < most) {
        size_t top = n;
        for (size_t i = 0; i < n; i++)
            if (is_other(from[i].skill, chosen, kept, diverse) && (top == n || values[i] > values[top]))
                top = i;
        if (top == n)
            break;
        chosen[kept++] = from[top].skill;
    }
    return kept;
}
