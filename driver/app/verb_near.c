#include "app/verb_near.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/diff.h"
#include "store/ptx_text.h"

#define MOST_CHANGES 600
#define CONTEXT 2

struct search {
    struct ks_verb_context *context;
    const struct ks_tu_kernel *kernel;
    struct verb_near_list *list;
};

// Values of one field of a key's text, a line each.
static const char *values_of(struct ks_arena *arena, const char *text, const char *name)
{
    struct ks_buf out = KS_BUF((size_t)4 << 20);
    size_t n = strlen(name);
    while (*text != '\0') {
        size_t len = strcspn(text, "\n");
        if (strncmp(text, name, n) == 0 && text[n] == ':')
            ks_buf_printf(&out, "%.*s\n", (int)(len - n - 1 - (text[n + 1] == ' ')),
                          text + n + 1 + (text[n + 1] == ' '));
        text += len + (text[len] == '\n');
    }
    const char *values = ks_arena_strdup(arena, ks_buf_text(&out));
    ks_buf_free(&out);
    return values;
}

// --- PTX ---

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '.';
}

// Behind a register ("%rd12"), an ordinal ("#7") or the count of a declaration ("%f<12>"): numbers
// that shift when a line comes or goes.
static const char *skip_number(const char *at, const char *begin, const char *end)
{
    const char *back = at;
    while (back > begin && isalpha((unsigned char)back[-1]))
        back--;
    bool counted = back > begin && (back[-1] == '%' || back[-1] == '#') &&
                   (back - 1 == begin || !is_name(back[-2]));
    bool count = at > begin && at[-1] == '<';
    if (!counted && !count)
        return at;
    while (at < end && isdigit((unsigned char)*at))
        at++;
    return at;
}

static bool same_instruction(struct ks_slice a, struct ks_slice b)
{
    const char *x = a.at, *y = b.at, *x_end = a.at + a.len, *y_end = b.at + b.len;
    while (x < x_end && y < y_end) {
        if (isdigit((unsigned char)*x) && isdigit((unsigned char)*y)) {
            const char *next_x = skip_number(x, a.at, x_end), *next_y = skip_number(y, b.at, y_end);
            if (next_x > x && next_y > y) {
                x = next_x;
                y = next_y;
                continue;
            }
        }
        if (*x++ != *y++)
            return false;
    }
    return x == x_end && y == y_end;
}

// Changed lines with some around them, "..." between.
static const char *hunks(struct ks_arena *arena, const struct ks_diff *diff)
{
    struct ks_buf out = KS_BUF((size_t)4 << 20);
    size_t shown = 0;
    for (size_t i = 0; i < diff->n; i++) {
        bool near = false;
        size_t from = i > CONTEXT ? i - CONTEXT : 0;
        for (size_t k = from; k <= i + CONTEXT && k < diff->n; k++)
            near |= diff->at[k].kind != KS_DIFF_BOTH;
        if (!near)
            continue;
        if (i > shown && out.len > 0)
            ks_buf_puts(&out, "...\n");
        shown = i + 1;
        ks_buf_printf(&out, "%c%.*s\n", " -+"[diff->at[i].kind], (int)diff -> at[i].text.len,
                      diff->at[i].text.at);
    }
    const char *text = ks_arena_strdup(arena, ks_buf_text(&out));
    ks_buf_free(&out);
    return text;
}

static const char *ptx_diff(struct search *search, const char *digest)
{
    struct ks_arena *arena = search->context->arena;
    struct ks_slice there, here = search->kernel->ptx->canonical;
    struct ks_diff diff;
    char hex[KS_HASH_TEXT];
    ks_digest_hex(&search->kernel->ptx->digest, hex);
    const char *known = ks_arena_strndup(arena, digest, strcspn(digest, "\n"));
    if (!ks_ptx_text_find(arena, &search->context->config, known, &there))
        return NULL;
    ks_diff_lines(arena, there, here, same_instruction, MOST_CHANGES, &diff);
    if (diff.changed == 0) // the same instructions on other registers
        ks_diff_lines(arena, there, here, NULL, MOST_CHANGES, &diff);
    return hunks(arena, &diff);
}

// --- fields ---

static void only_in(struct ks_buf *out, const struct ks_diff *diff, enum ks_diff_kind kind)
{
    for (size_t i = 0; i < diff->n; i++)
        if (diff->at[i].kind == kind)
            ks_buf_printf(out, "%s%.*s", out->len > 0 ? "\n" : "", (int)diff->at[i].text.len,
                          diff->at[i].text.at);
}

static const char *lines_of(struct ks_arena *arena, const struct ks_diff *diff,
                            enum ks_diff_kind kind)
{
    struct ks_buf out = KS_BUF((size_t)1 << 20);
    only_in(&out, diff, kind);
    const char *text = ks_arena_strdup(arena, ks_buf_text(&out));
    ks_buf_free(&out);
    return text;
}

static bool has_name(const struct ks_strv *names, const char *name)
{
    for (size_t i = 0; i < names->len; i++)
        if (strcmp(names->at[i], name) == 0)
            return true;
    return false;
}

static void add_names(struct ks_arena *arena, const char *text, struct ks_strv *names)
{
    while (*text != '\0') {
        size_t len = strcspn(text, "\n");
        const char *name = ks_arena_strndup(arena, text, strcspn(text, ":\n"));
        if (!has_name(names, name))
            ks_strv_add(arena, names, name);
        text += len + (text[len] == '\n');
    }
}

static void compare_field(struct search *search, const char *name, const char *there,
                          struct verb_near *near)
{
    struct ks_arena *arena = search->context->arena;
    const char *old = values_of(arena, there, name);
    const char *new = values_of(arena, search->kernel->key_text, name);
    struct ks_diff diff;
    if (strcmp(old, new) == 0)
        return;
    ks_diff_lines(arena, ks_slice_of(old), ks_slice_of(new), NULL, MOST_CHANGES, &diff);
    struct verb_near_field *field = ks_vec_push(arena, &near->fields);
    *field = (struct verb_near_field){.name = name,
                                      .there = lines_of(arena, &diff, KS_DIFF_OLD),
                                      .here = lines_of(arena, &diff, KS_DIFF_NEW)};
    field->diff = strcmp(name, "ptx") == 0 ? ptx_diff(search, old) : hunks(arena, &diff);
}

// A field that one of the two has not got differs as well: its name is in one of the texts.
static void compare(struct search *search, const char *there, struct verb_near *near)
{
    struct ks_strv names = {0};
    add_names(search->context->arena, search->kernel->key_text, &names);
    add_names(search->context->arena, there, &names);
    for (size_t i = 0; i < names.len; i++)
        compare_field(search, names.at[i], there, near);
}

static const char *first_difference(struct ks_arena *arena, const struct verb_near *near)
{
    if (near->fields.len == 0)
        return "fields agree, the key's format differs";
    const struct verb_near_field *field = &near->fields.at[0];
    int here = (int)strcspn(field->here, "\n"), there = (int)strcspn(field->there, "\n");
    return ks_arena_printf(arena, "here `%s: %.*s`, there `%s: %.*s`", field->name, here,
                           field->here, field->name, there, field->there);
}

static void look_near(void *data, const struct ks_tier *tier, const struct ks_digest *key,
                      const char *path)
{
    struct search *search = data;
    struct ks_arena *arena = search->context->arena;
    struct ks_lookup lookup;
    if (ks_digest_eq(key, &search->kernel->key))
        return;
    ks_store_read(arena, tier, &search->context->config, key, path, &lookup);
    bool variant = lookup.reason == KS_R_APPLIED;
    if (!variant && lookup.reason != KS_R_ORIGINAL_WINS)
        return;
    const struct ks_variant *v = variant ? &lookup.variants[0].variant : NULL;
    const char *kernel = variant ? v->kernel : lookup.original.kernel;
    const char *text = variant ? v->key_text : lookup.original.key_text;
    if (strcmp(kernel, verb_kernel_name(search->kernel)) != 0)
        return;
    struct verb_near *near = ks_vec_push(arena, search->list);
    *near = (struct verb_near){.variant = variant ? v->id : NULL,
                               .path = path,
                               .arch = variant ? v->arch : lookup.original.arch};
    ks_digest_hex(key, near->key);
    compare(search, text, near);
    near->first = first_difference(arena, near);
}

static size_t distance(const struct verb_near *near)
{
    size_t other_arch = 0;
    for (size_t i = 0; i < near->fields.len; i++)
        other_arch |= strcmp(near->fields.at[i].name, "arch") == 0;
    return near->fields.len + 100 * other_arch;
}

static int nearest_first(const void *a, const void *b)
{
    const struct verb_near *x = a, *y = b;
    size_t dx = distance(x), dy = distance(y);
    return dx != dy ? (dx < dy ? -1 : 1) : strcmp(x->path, y->path);
}

void verb_near_find(struct ks_verb_context *context, const struct verb_tu *tu,
                    const struct ks_tu_kernel *kernel, struct verb_near_list *list)
{
    struct search search = {context, kernel, list};
    ks_store_each(context->arena, &tu->store, look_near, &search, NULL);
    if (list->len > 0)
        qsort(list->at, list->len, sizeof *list->at, nearest_first);
}
