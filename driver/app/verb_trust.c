// ks trust: whose decisions builds take, and how many there are of each.
#include <stdio.h>
#include <string.h>

#include "app/verb.h"
#include "fmt/json.h"
#include "fmt/table.h"

// A key that is trusted, or one that signed something and is not.
struct signer {
    char id[17];
    const struct ks_trusted *trusted; // or NULL
    int decisions;                    // that it signs where it counts
};

struct view {
    struct ks_verb_context *context;
    struct ks_project project;
    struct ks_store store;
    struct ks_trusted *trusted; size_t n_trusted;
    KS_VEC(struct signer) signers;
};

static bool counts_in(const struct signer *signer, enum ks_tier_kind kind)
{
    if (signer->trusted == NULL)
        return false;
    switch (signer->trusted->place) {
    case KS_TRUST_OWN:
        return true;
    case KS_TRUST_PROJECT:
        return kind == KS_TIER_PROJECT;
    default:
        return kind != KS_TIER_PROJECT;
    }
}

static void count(void *data, const struct ks_tier *tier, const struct ks_digest *key,
                  const char *path)
{
    struct view *view = data;
    const char *id = ks_store_signer(view->context->arena, path);
    bool known = false;
    (void)key;
    if (id == NULL)
        return;
    ks_vec_each(struct signer, signer, &view->signers) {
        if (strcmp(signer->id, id) != 0 || !counts_in(signer, tier->kind))
            continue;
        signer->decisions++;
        known = true;
    }
    if (known)
        return;
    ks_vec_each(struct signer, signer, &view->signers)
        if (signer->trusted == NULL && strcmp(signer->id, id) == 0) {
            signer->decisions++;
            return;
        }
    struct signer *stranger = ks_vec_push(view->context->arena, &view->signers);
    *stranger = (struct signer){.decisions = 1};
    memcpy(stranger->id, id, sizeof stranger->id);
}

static enum ks_status load(struct view *view, struct ks_err *err)
{
    struct ks_arena *arena = view->context->arena;
    const struct ks_config *config = &view->context->config;
    KS_TRY(ks_project_find(arena, config, ".", &view->project, err));
    ks_store_open(arena, config, &view->project, &view->store);
    view->n_trusted = ks_trust_all(arena, config, &view->project, &view->trusted);
    for (size_t i = 0; i < view->n_trusted; i++) {
        struct signer *signer = ks_vec_push(arena, &view->signers);
        *signer = (struct signer){.trusted = &view->trusted[i]};
        ks_key_id_text(view->trusted[i].key.id, signer->id);
    }
    return ks_store_each(arena, &view->store, count, view, err);
}

static const char *text_of(struct ks_arena *arena, const struct ks_pubkey *key)
{
    char *text = ks_arena_alloc(arena, KS_PUBKEY_TEXT);
    ks_pubkey_text(key, text);
    return text;
}

static void print(struct view *view)
{
    static const char *const header[] = {"trusted by", "id", ">decisions", "key"};
    struct ks_arena *arena = view->context->arena;
    struct ks_table table;
    ks_table_begin(&table, arena, header, 4);
    ks_vec_each(struct signer, s, &view->signers) {
        ks_table_cell(&table, "%s", s->trusted != NULL ? ks_trust_place_name(s->trusted->place)
                                                       : "nobody");
        ks_table_cell(&table, "%s", s->id);
        ks_table_cell(&table, "%d", s->decisions);
        ks_table_cell(&table, "%s", s->trusted != NULL ? text_of(arena, &s->trusted->key) : "");
    }
    if (view->signers.len > 0)
        ks_table_print(&table, stdout);
    else
        printf("no key is trusted here; the first `ks tune` makes your own\n");
}

static void print_json(struct view *view)
{
    json_t *report = ks_json_report("ks.trust"), *rows = json_array();
    ks_vec_each(struct signer, s, &view->signers) {
        const struct ks_trusted *t = s->trusted;
        json_t *row = json_object();
        json_object_set_new(row, "id", json_string(s->id));
        json_object_set_new(row, "key", t == NULL ? json_null()
                                        : json_string(text_of(view->context->arena, &t->key)));
        json_object_set_new(row, "place", json_string(t == NULL ? "nobody"
                                                                : ks_trust_place_name(t->place)));
        json_object_set_new(row, "file", t == NULL ? json_null() : json_string(t->file));
        json_object_set_new(row, "decisions", json_integer(s->decisions));
        json_array_append_new(rows, row);
    }
    json_object_set_new(report, "keys", rows);
    ks_json_print(report);
}

struct change {
    const char *action; // "add" or "remove"
    enum ks_trust_place place;
    struct ks_pubkey key;
    const char *file;
    bool done;          // the file is as was asked for
    const char *text;   // what else there is to say
};

static void report(const struct view *view, const struct change *change)
{
    char id[17];
    struct ks_arena *arena = view->context->arena;
    ks_key_id_text(change->key.id, id);
    bool add = strcmp(change->action, "add") == 0;
    if (!view->context->json) {
        if (change->done)
            printf("key %s is %s trusted %s (%s)%s%s\n", id, add ? "now" : "no longer",
                   change->place == KS_TRUST_PROJECT ? "in this project" : "by you", change->file,
                   change->text[0] != '\0' ? "; " : "", change->text);
        else
            fprintf(stderr, "ks trust: %s\n", change->text);
        return;
    }
    json_t *out = ks_json_report("ks.trust.change");
    json_object_set_new(out, "action", json_string(change->action));
    json_object_set_new(out, "id", json_string(id));
    json_object_set_new(out, "key", json_string(text_of(arena, &change->key)));
    json_object_set_new(out, "place", json_string(ks_trust_place_name(change->place)));
    json_object_set_new(out, "file", json_string(change->file));
    json_object_set_new(out, "done", json_boolean(change->done));
    json_object_set_new(out, "text", json_string(change->text));
    ks_json_print(out);
}

// A file that was not there is in nobody's depfile yet: the index beside it is.
static void stir(const struct view *view, enum ks_trust_place place)
{
    for (size_t i = 0; i < view->store.n_tiers; i++)
        if ((view->store.tiers[i].kind == KS_TIER_PROJECT) == (place == KS_TRUST_PROJECT) &&
            view->store.tiers[i].kind != KS_TIER_SHARED)
            ks_store_stir(&view->store.tiers[i]);
}

static bool lists_file(const struct ks_strv *files, const char *path)
{
    for (size_t i = 0; i < files->len; i++)
        if (strcmp(files->at[i], path) == 0)
            return true;
    return false;
}

static int apply(struct view *view, struct change *change)
{
    struct ks_verb_context *context = view->context;
    struct ks_err err = {0};
    bool add = strcmp(change->action, "add") == 0;
    enum ks_status status = (add ? ks_trust_add : ks_trust_remove)(
        context->arena, &context->config, &view->project, change->place, &change->key,
        &change->file, &err);
    change->done = status == KS_OK;
    change->text = "";
    if (status == KS_E_UNSUPPORTED) {
        change->text = ks_arena_printf(context->arena, "%s; %s the line `  - %s` %s `trust:`",
                                       err.text, add ? "add" : "remove",
                                       text_of(context->arena, &change->key), add ? "below" : "under");
        report(view, change);
        return EXIT_NEGATIVE;
    }
    if (status == KS_E_ABSENT && !add)
        err.status = KS_E_USER;
    if (status != KS_OK)
        return verb_fail(context, &err);
    if (!lists_file(&view->store.trust_files, change->file))
        stir(view, change->place);
    ks_vec_each(struct signer, s, &view->signers)
        if (!add && s->trusted != NULL && s->trusted->place == change->place &&
            memcmp(&s->trusted->key, &change->key, sizeof change->key) == 0 && s->decisions > 0)
            change->text = ks_arena_printf(context->arena, "builds take the %d decisions that it "
                                           "signs no more", s->decisions);
    report(view, change);
    return EXIT_OK;
}

// A key by its text, a file that holds it, or the id of one that is trusted there.
static enum ks_status find_key(const struct view *view, const char *said, struct change *change,
                               struct ks_err *err)
{
    for (size_t i = 0; i < view->n_trusted; i++) {
        char id[17];
        ks_key_id_text(view->trusted[i].key.id, id);
        if (view->trusted[i].place == change->place && strcasecmp(id, said) == 0) {
            change->key = view->trusted[i].key;
            return KS_OK;
        }
    }
    KS_TRY(ks_trust_read(said, &change->key, err));
    for (size_t i = 0; i < view->n_trusted; i++)
        if (view->trusted[i].place == KS_TRUST_OWN && strcmp(change->action, "remove") == 0 &&
            memcmp(&view->trusted[i].key, &change->key, sizeof change->key) == 0)
            KS_FAIL(err, KS_E_USER, "that is your own key, which always counts; to be rid of it move "
                    "key.sec and key.pub away (%s)", view->trusted[i].file);
    return KS_OK;
}

int verb_trust(struct ks_verb_context *context)
{
    const char *of_project = NULL, *of_user = NULL;
    const struct verb_option options[] = {{.name = "--project", .value = &of_project},
                                          {.name = "--user", .value = &of_user}};
    const struct verb_syntax syntax = {
        .expects = "give list, or add or remove and a key (its text, a file, or its id)",
        .options = options, .n_options = 2, .least = 0, .most = 2};
    struct verb_words words;
    struct view view = {.context = context};
    struct ks_err err = {0};
    int exit_code = verb_read_words(context, &syntax, &words);
    if (exit_code != EXIT_OK)
        return exit_code;
    const char *action = words.targets.len > 0 ? words.targets.at[0] : "list";
    bool list = strcmp(action, "list") == 0;
    if (!list && strcmp(action, "add") != 0 && strcmp(action, "remove") != 0)
        return verb_usage(context, "no action `%s`: %s", action, syntax.expects);
    if (list ? words.targets.len > 1 : words.targets.len != 2)
        return verb_usage(context, "%s", syntax.expects);
    if (!list && (of_project == NULL) == (of_user == NULL))
        return verb_usage(context, "say for what: --project (this project's .ks) or --user (your own "
                                   "store and shared folders)");
    if (load(&view, &err) != KS_OK)
        return verb_fail(context, &err);
    if (list) {
        context->json ? print_json(&view) : print(&view);
        return EXIT_OK;
    }
    struct change change = {.action = action,
                            .place = of_project != NULL ? KS_TRUST_PROJECT : KS_TRUST_USER};
    if (of_project != NULL && view.project.root == NULL)
        return verb_usage(context, "no project here; --project wants a folder with ks.yaml or .ks");
    if (find_key(&view, words.targets.at[1], &change, &err) != KS_OK)
        return verb_fail(context, &err);
    return apply(&view, &change);
}
