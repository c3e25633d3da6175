// Reading, writing and naming proposals.
#include "source/proposal.h"

#include <string.h>

#include "fmt/hash.h"

enum { MAX_STEPS = 16, MAX_WORKSPACES = 16, MAX_ARGS = 256, MAX_PARAMS = 256 };

struct reader {
    struct ks_arena *arena;
    const char *name; // of the file, for messages
    struct ks_err *err;
};

#define FAIL_AT(r, node, ...)                                                                     \
    return ks_err_set((r)->err, KS_E_USER, "%s:%d: %s", (r)->name, (node)->line,                  \
                      ks_arena_printf((r)->arena, __VA_ARGS__))

static enum ks_status read_expr(const struct reader *r, const struct ks_yaml *node,
                                const char *text, struct ks_expr **expr)
{
    const char *where = ks_arena_printf(r->arena, "%s:%d", r->name, node->line);
    return ks_expr_parse(r->arena, where, ks_slice_of(text), expr, r->err);
}

static int open_brackets(const char *text)
{
    int open = 0;
    for (; *text != '\0'; text++)
        open += (*text == '(') - (*text == ')');
    return open;
}

// Texts of a list of expressions. YAML splits `[ceildiv(n,4), 1]` at every comma, so items are
// joined again until their brackets close. A scalar is a list of one.
static enum ks_status read_texts(const struct reader *r, const struct ks_yaml *node, size_t max,
                                 struct ks_strv *texts)
{
    if (node->kind == KS_YAML_SCALAR) {
        ks_strv_add(r->arena, texts, node->text);
        return KS_OK;
    }
    if (node->kind == KS_YAML_MAP)
        FAIL_AT(r, node, "a list of expressions is expected here");
    for (size_t i = 0; i < node->len; i++) {
        const char *text = "";
        do {
            const struct ks_yaml *item = &node->items[i];
            if (item->kind != KS_YAML_SCALAR)
                FAIL_AT(r, item, "an expression is expected here");
            text = *text == '\0' ? item->text
                                 : ks_arena_printf(r->arena, "%s,%s", text, item->text);
        } while (open_brackets(text) > 0 && ++i < node->len);
        ks_strv_add(r->arena, texts, text);
    }
    if (texts->len > max)
        FAIL_AT(r, node, "%zu items, at most %zu are possible here", texts->len, max);
    return KS_OK;
}

static enum ks_status read_dims(const struct reader *r, const struct ks_yaml *step, const char *key,
                                struct ks_expr *dims[3])
{
    const struct ks_yaml *node = ks_yaml_get(step, key);
    if (node == NULL)
        return KS_OK;
    struct ks_strv texts = {0};
    KS_TRY(read_texts(r, node, 3, &texts));
    for (size_t i = 0; i < texts.len; i++)
        KS_TRY(read_expr(r, node, texts.at[i], &dims[i]));
    return KS_OK;
}

static enum ks_status read_kernel_step(const struct reader *r, const struct ks_yaml *map,
                                       struct ks_step *step)
{
    static const char *const known[] = {"kernel", "grid", "block", "shared", "args", NULL};
    KS_TRY(ks_yaml_known(r->name, map, known, r->err));
    step->kind = KS_STEP_KERNEL;
    step->kernel = ks_yaml_text(map, "kernel", "");
    KS_TRY(read_dims(r, map, "grid", step->grid));
    KS_TRY(read_dims(r, map, "block", step->block));
    const char *shared = ks_yaml_text(map, "shared", NULL);
    if (shared != NULL)
        KS_TRY(read_expr(r, ks_yaml_get(map, "shared"), shared, &step->shared));
    const struct ks_yaml *args = ks_yaml_get(map, "args");
    struct ks_strv texts = {0};
    if (args != NULL)
        KS_TRY(read_texts(r, args, MAX_ARGS, &texts));
    step->n_args = texts.len;
    step->args = KS_NEW_ARRAY(r->arena, struct ks_expr *, texts.len);
    for (size_t i = 0; i < texts.len; i++)
        KS_TRY(read_expr(r, args, texts.at[i], &step->args[i]));
    return KS_OK;
}

static enum ks_status read_step(const struct reader *r, const struct ks_yaml *map,
                                struct ks_step *step)
{
    if (map->kind != KS_YAML_MAP)
        FAIL_AT(r, map, "a step of a plan is a map with `kernel:` or `memset:`");
    if (ks_yaml_get(map, "kernel") != NULL)
        return read_kernel_step(r, map, step);
    static const char *const known[] = {"memset", "value", NULL};
    KS_TRY(ks_yaml_known(r->name, map, known, r->err));
    step->kind = KS_STEP_MEMSET;
    step->workspace = ks_yaml_text(map, "memset", NULL);
    int64_t value;
    if (step->workspace == NULL)
        FAIL_AT(r, map, "a step of a plan needs `kernel:` or `memset:`");
    if (!ks_parse_i64(ks_yaml_text(map, "value", "0"), &value) || value < 0 || value > 255)
        FAIL_AT(r, map, "the value of a memset is a byte, 0..255");
    step->value = (int)value;
    return KS_OK;
}

static enum ks_status read_words(const struct reader *r, const struct ks_yaml *map, const char *key,
                                 size_t max, const char ***words, size_t *n)
{
    const struct ks_yaml *node = ks_yaml_get(map, key);
    *n = 0;
    *words = KS_NEW_ARRAY(r->arena, const char *, node == NULL ? 0 : node->len);
    if (node == NULL)
        return KS_OK;
    if (node->kind == KS_YAML_SCALAR && *node->text == '\0')
        return KS_OK;
    if (node->kind != KS_YAML_LIST || node->len > max)
        FAIL_AT(r, node, "`%s` is a list of at most %zu words", key, max);
    for (size_t i = 0; i < node->len; i++) {
        if (node->items[i].kind != KS_YAML_SCALAR)
            FAIL_AT(r, &node->items[i], "a word is expected here");
        (*words)[(*n)++] = node->items[i].text;
    }
    return KS_OK;
}

static enum ks_status read_workspaces(const struct reader *r, const struct ks_yaml *map,
                                      struct ks_proposal *proposal)
{
    const struct ks_yaml *node = ks_yaml_get(map, "workspace");
    if (node == NULL || (node->kind == KS_YAML_SCALAR && *node->text == '\0'))
        return KS_OK;
    if (node->kind != KS_YAML_MAP || node->len > MAX_WORKSPACES)
        FAIL_AT(r, node, "`workspace` maps at most %d names to sizes in bytes", MAX_WORKSPACES);
    proposal->workspaces = KS_NEW_ARRAY(r->arena, struct ks_workspace, node->len);
    for (size_t i = 0; i < node->len; i++) {
        const struct ks_yaml *size = &node->items[i];
        if (size->kind != KS_YAML_SCALAR)
            FAIL_AT(r, size, "the size of a workspace is an expression in bytes");
        struct ks_workspace *workspace = &proposal->workspaces[proposal->n_workspaces++];
        workspace->name = node->keys[i];
        KS_TRY(read_expr(r, size, size->text, &workspace->bytes));
    }
    return KS_OK;
}

enum ks_status ks_proposal_read(struct ks_arena *arena, const char *name,
                                const struct ks_yaml *map, struct ks_proposal *proposal,
                                struct ks_err *err)
{
    const struct reader r = {arena, name, err};
    *proposal = (struct ks_proposal){0};
    if (map == NULL || map->kind != KS_YAML_MAP)
        KS_FAIL(err, KS_E_USER, "%s: a proposal is a map with `source:` and `plan:`", name);
    KS_TRY(read_words(&r, map, "includes", 16, &proposal->includes, &proposal->n_includes));
    KS_TRY(read_words(&r, map, "params", MAX_PARAMS, &proposal->params, &proposal->n_params));
    proposal->source = ks_yaml_text(map, "source", NULL);
    if (proposal->source == NULL)
        FAIL_AT(&r, map, "a proposal needs `source:`");
    const struct ks_yaml *when = ks_yaml_get(map, "when");
    KS_TRY(read_expr(&r, when == NULL ? map : when, ks_yaml_text(map, "when", "1"),
                     &proposal->when));
    KS_TRY(read_workspaces(&r, map, proposal));
    const struct ks_yaml *plan = ks_yaml_get(map, "plan");
    if (plan == NULL || plan->kind != KS_YAML_LIST || plan->len == 0 || plan->len > MAX_STEPS)
        FAIL_AT(&r, plan == NULL ? map : plan, "`plan` is a list of 1 to %d steps", MAX_STEPS);
    proposal->steps = KS_NEW_ARRAY(arena, struct ks_step, plan->len);
    for (size_t i = 0; i < plan->len; i++)
        KS_TRY(read_step(&r, &plan->items[i], &proposal->steps[proposal->n_steps++]));
    return KS_OK;
}

static void put_expr(struct ks_yaml_writer *w, const char *key, const struct ks_expr *expr)
{
    struct ks_buf text = KS_BUF(1 << 16);
    ks_expr_print(&text, expr, NULL, NULL);
    ks_yaml_put(w, key, ks_buf_text(&text));
    ks_buf_free(&text);
}

static void put_dims(struct ks_yaml_writer *w, const char *key, struct ks_expr *const dims[3])
{
    if (dims[0] == NULL)
        return;
    ks_yaml_begin_list(w, key);
    for (int i = 0; i < 3 && dims[i] != NULL; i++)
        put_expr(w, NULL, dims[i]);
    ks_yaml_end(w);
}

static void put_step(struct ks_yaml_writer *w, const struct ks_step *step)
{
    ks_yaml_begin_map(w, NULL);
    if (step->kind == KS_STEP_MEMSET) {
        ks_yaml_put(w, "memset", step->workspace);
        ks_yaml_putf(w, "value", "%d", step->value);
    } else {
        ks_yaml_put(w, "kernel", step->kernel);
        put_dims(w, "grid", step->grid);
        put_dims(w, "block", step->block);
        if (step->shared != NULL)
            put_expr(w, "shared", step->shared);
        if (step->n_args > 0) {
            ks_yaml_begin_list(w, "args");
            for (size_t i = 0; i < step->n_args; i++)
                put_expr(w, NULL, step->args[i]);
            ks_yaml_end(w);
        }
    }
    ks_yaml_end(w);
}

static void put_words(struct ks_yaml_writer *w, const char *key, const char *const *words, size_t n)
{
    if (n == 0)
        return;
    ks_yaml_begin_list(w, key);
    for (size_t i = 0; i < n; i++)
        ks_yaml_put(w, NULL, words[i]);
    ks_yaml_end(w);
}

void ks_proposal_write(struct ks_yaml_writer *w, const struct ks_proposal *proposal)
{
    put_words(w, "includes", proposal->includes, proposal->n_includes);
    put_words(w, "params", proposal->params, proposal->n_params);
    ks_yaml_put(w, "source", proposal->source);
    put_expr(w, "when", proposal->when);
    if (proposal->n_workspaces > 0) {
        ks_yaml_begin_map(w, "workspace");
        for (size_t i = 0; i < proposal->n_workspaces; i++)
            put_expr(w, proposal->workspaces[i].name, proposal->workspaces[i].bytes);
        ks_yaml_end(w);
    }
    ks_yaml_begin_list(w, "plan");
    for (size_t i = 0; i < proposal->n_steps; i++)
        put_step(w, &proposal->steps[i]);
    ks_yaml_end(w);
}

// The canonical text is what the writer makes: equal proposals are equal there, whatever spacing or
// YAML style they were read from.
const char *ks_proposal_id(struct ks_arena *arena, const struct ks_proposal *proposal)
{
    struct ks_buf text = KS_BUF(16 << 20);
    struct ks_yaml_writer w = {.out = &text};
    ks_proposal_write(&w, proposal);
    struct ks_digest digest = ks_digest_of("proposal", ks_buf_text(&text), text.len);
    KS_ASSERT(!text.failed); // a proposal that was read is far smaller
    ks_buf_free(&text);
    char hex[KS_HASH_TEXT];
    ks_digest_hex(&digest, hex);
    return ks_arena_strndup(arena, hex, 16);
}
