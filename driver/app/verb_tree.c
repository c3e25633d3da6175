#include "app/verb_tree.h"

#include <stdio.h>
#include <string.h>

#define ROOT SIZE_MAX

struct tree {
    const struct ks_attempt *at;
    size_t n;
    size_t *parent;
    bool *hidden; // judged again later
};

static size_t words_in(const char *text)
{
    size_t n = 0;
    for (const char *at = text; *(at += strspn(at, " ")); at += strcspn(at, " "))
        n++;
    return n;
}

static bool has_word(const char *text, const char *word, size_t len)
{
    for (const char *at = text; *(at += strspn(at, " ")); at += strcspn(at, " "))
        if (strcspn(at, " ") == len && memcmp(at, word, len) == 0)
            return true;
    return false;
}

// All options of `base` and more.
static bool adds_to(const char *params, const char *base)
{
    for (const char *at = base; *(at += strspn(at, " ")); at += strcspn(at, " "))
        if (!has_word(params, at, strcspn(at, " ")))
            return false;
    return words_in(params) > words_in(base);
}

static size_t parent_of(const struct tree *t, size_t i)
{
    size_t best = ROOT, most = 0;
    for (size_t k = 0; k < t->n; k++) {
        size_t n = words_in(t->at[k].params);
        if (!t->hidden[k] && n > most && adds_to(t->at[i].params, t->at[k].params)) {
            best = k;
            most = n;
        }
    }
    return best;
}

static void print_attempt(const struct ks_attempt *a)
{
    if (a->ratio > 0)
        printf("%.3fx ", a->ratio);
    printf("%s  [%s: %s, %s] %s", a->params, a->direction, a->skill,
           a->ratio > 0 ? a->speed : a->correctness, a->reason);
    if (a->moved != 0)
        printf("; %s: %s", a->moved > 0 ? "as its skill says" : "not as its skill says", a->move);
    printf("\n");
}

static void print_below(const struct tree *t, size_t parent, const char *indent, struct ks_arena *arena)
{
    size_t left = 0;
    for (size_t i = 0; i < t->n; i++)
        left += !t->hidden[i] && t->parent[i] == parent;
    for (size_t i = 0; i < t->n; i++) {
        if (t->hidden[i] || t->parent[i] != parent)
            continue;
        left--;
        printf("%s+- ", indent);
        print_attempt(&t->at[i]);
        print_below(t, i, ks_arena_printf(arena, "%s%s", indent, left > 0 ? "|  " : "   "), arena);
    }
}

void verb_tree_print(struct ks_arena *arena, const char *kernel, const struct ks_attempt *attempts,
                     size_t n)
{
    struct tree t = {.at = attempts, .n = n, .parent = KS_NEW_ARRAY(arena, size_t, n + 1),
                     .hidden = KS_NEW_ARRAY(arena, bool, n + 1)};
    for (size_t i = 0; i < n; i++)
        for (size_t k = i + 1; k < n; k++)
            t.hidden[i] |= strcmp(attempts[i].proposal, attempts[k].proposal) == 0 &&
                           strcmp(attempts[i].evidence, attempts[k].evidence) == 0;
    for (size_t i = 0; i < n; i++)
        t.parent[i] = parent_of(&t, i);
    printf("%s as it stands\n", kernel);
    print_below(&t, ROOT, "", arena);
}
