// ks show: everything that is known of a kernel, key by key: profile, decisions, attempts.
#include <stdio.h>
#include <string.h>

#include "app/verb_decision.h"
#include "app/verb_tree.h"
#include "base/log.h"
#include "memory/outcomes.h"
#include "os/file.h"

#define FILE_MAX ((size_t)16 << 20)

struct subject {
    char key[KS_HASH_TEXT];
    const char *kernel; // "?" when only a file that is not used speaks of it
    int arch;           // 0 likewise
};
struct showing {
    struct ks_verb_context *context;
    struct verb_decision_list decisions;
    struct {
        struct subject *at;
        size_t len, cap;
    } subjects;
    struct ks_outcomes *outcomes; // NULL: no memory here
    bool unread;                  // there is one, and it cannot be read
    struct ks_tried_kernels tried;   // what it holds attempts of
    json_t *rows;                 // NULL: text
    size_t n_stored, n_attempts;
    bool tree;                    // attempts alone, as a tree
};

static void add_subject(struct showing *s, const char *key, const char *kernel, int arch)
{
    ks_vec_each(struct subject, other, &s->subjects)
        if (strcmp(other->key, key) == 0)
            return;
    struct subject *one = ks_vec_push(s->context->arena, &s->subjects);
    snprintf(one->key, sizeof one->key, "%s", key);
    one->kernel = kernel[0] != '\0' ? kernel : "?";
    one->arch = arch;
}

static bool is_known(const struct showing *s, const struct subject *subject)
{
    ks_vec_each(struct ks_tried_kernel, t, &s->tried)
        if (strcmp(t->key, subject->key) == 0)
            return true;
    ks_vec_each(struct verb_decision, d, &s->decisions)
        if (strcmp(d->key, subject->key) == 0)
            return true;
    return false;
}

// Architectures that nobody named are there for what is known of them: where that is something, the others go.
static void drop_unknown(struct showing *s)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->subjects.len; i++) {
        const struct subject one = s->subjects.at[i];
        bool other = false;
        ks_vec_each(struct subject, k, &s->subjects)
            other |= strcmp(k->kernel, one.kernel) == 0 && is_known(s, k);
        if (!other || is_known(s, &one))
            s->subjects.at[kept++] = one;
    }
    s->subjects.len = kept;
}

static enum ks_status subjects_of_file(struct showing *s, const char *file, const char *kernel,
                                       const char *const *words, struct ks_err *err)
{
    struct verb_tu tu;
    const char *how;
    bool guessed = words == NULL;
    if (words == NULL)
        words = verb_stored_archs(s->context, file, &s->tried);
    if (words == NULL) // nothing is stored
        words = verb_known_words(s->context, &file, &how);
    enum ks_status status = verb_tu_open(s->context, file, words, &tu, err);
    for (size_t i = 0; status == KS_OK && i < tu.tu.n_kernels; i++) {
        const struct ks_tu_kernel *k = &tu.tu.kernels[i];
        char hex[KS_HASH_TEXT];
        if (k->signature == NULL || !verb_kernel_is(s->context->arena, k, kernel))
            continue;
        ks_digest_hex(&k->key, hex);
        add_subject(s, hex, verb_kernel_name(k), k->arch);
    }
    if (status == KS_OK && s->subjects.len == 0)
        status = verb_no_kernel(&tu, kernel, err);
    verb_tu_close(&tu);
    if (guessed)
        drop_unknown(s);
    return status;
}

static enum ks_status find_subjects(struct showing *s, const char *target,
                                    const char *const *words, struct ks_err *err)
{
    const char *file, *kernel;
    verb_split_target(s->context->arena, target, &file, &kernel);
    bool is_file = ks_file_exists(file);
    KS_TRY(verb_decisions_load(s->context, is_file ? file : ".", &s->decisions, err));
    if (is_file)
        return subjects_of_file(s, file, kernel, words, err);
    ks_vec_each(struct verb_decision, d, &s->decisions)
        if (verb_decision_goes_by(s->context->arena, d, target))
            add_subject(s, d->key, d->kernel, d->arch);
    ks_vec_each(struct ks_tried_kernel, t, &s->tried)
        if (strcmp(ks_instance_normalise(s->context->arena, target), t->kernel) == 0 ||
            (strlen(target) >= KS_VERB_PREFIX && ks_starts_with(t->key, target)))
            add_subject(s, t->key, t->kernel, t->arch);
    if (s->subjects.len == 0)
        KS_FAIL(err, KS_E_USER, "%s: no such file, and no stored kernel, key or variant of that name, nor one that "
                "was tried; `ks list` has what is stored", target);
    return KS_OK;
}

static json_t *profile_of(struct ks_verb_context *context, const char *key)
{
    struct ks_slice text;
    if (context->config.state_dir == NULL)
        return NULL;
    const char *path =
        ks_arena_printf(context->arena, "%s/profiles/%s.json", context->config.state_dir, key);
    if (ks_file_read(context->arena, path, FILE_MAX, &text, NULL) != KS_OK)
        return NULL;
    struct ks_err err = {0};
    json_t *profile = ks_json_parse(text, &err);
    if (profile == NULL)
        ks_warn("%s: %s; delete it and tune again", path, err.text);
    return profile;
}

static void print_evidence(const struct ks_evidence *e)
{
    for (size_t i = 0; i < e->n_timings; i++)
        printf("  %s: %.1f us -> %.1f us (%.3fx, lower bound %.3fx, %d pairs, %s)\n",
               e->timings[i].workload, e->timings[i].original_us, e->timings[i].variant_us,
               e->timings[i].ratio, e->timings[i].lower, e->timings[i].pairs, e->timings[i].method);
    printf("  evidence: %s on %s, driver %s, nvcc %s, %s\n", e->level, e->device, e->driver,
           e->nvcc, e->date);
    printf("  verified: %d shapes, %d input families, %d runs, %s\n", e->shapes, e->families,
           e->runs, e->deterministic ? "bitwise repeatable" : "not bitwise repeatable");
    printf("  largest difference: %.3g ulp, %.3g relative\n", e->max_ulp, e->max_rel);
    for (size_t i = 0; i < e->n_notes; i++)
        printf("  note: %s\n", e->notes[i]);
}

static void print_against(const struct ks_variant *v)
{
    for (size_t i = 0; i < v->n_against; i++) {
        const struct ks_against *a = &v->against[i];
        printf("  stored %s %s", a->before ? "before" : "behind", a->variant);
        if (a->ratio > 0)
            printf(": %.3fx against it, at least %.3fx", a->ratio, a->lower);
        printf("\n");
    }
}

static void print_variant(const struct verb_decision *d)
{
    const struct ks_found *found = d->found;
    const struct ks_variant *v = &found->variant;
    struct ks_buf domain = KS_BUF(64u << 10);
    ks_expr_print(&domain, v->domain, NULL, NULL);
    printf("variant %s: %.2fx, at least %.2fx\n", v->id, v->geomean, v->lower);
    if (v->rationale[0] != '\0')
        printf("  %s\n", v->rationale);
    for (size_t i = 0; i < v->n_skills; i++)
        printf("  skill: %s\n", v->skills[i]);
    print_evidence(&v->evidence);
    print_against(v);
    if (d->behind[0] != '\0')
        printf("  where both hold, %s goes first\n", d->behind);
    printf("  domain: %s\n", ks_buf_text(&domain));
    printf("  signed by %s\n  %s\n", found->signer, found->path);
    ks_buf_free(&domain);
}

static void print_decision(const struct verb_decision *d)
{
    if (d->found != NULL)
        print_variant(d);
    else if (d->original != NULL)
        printf("the original stays: %d judged, %d correct, %s, on %s, %s; at most %.2fx %s\n"
               "  %s\n",
               d->original->tried, d->original->correct,
               d->original->complete ? "search complete" : "budget spent", d->original->device,
               d->original->date, d->original->upper_bound,
               d->original->tried == 0 && d->original->upper_bound > 1 ? "is left by the floor of a launch" : "was seen",
               d->path);
    else
        printf("not used (%s): %s\n  %s\n", ks_reason_name(d->reason), d->text,
               ks_reason_text(d->reason));
}

static json_t *attempts_json(const struct ks_attempt *attempts, size_t n)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < n; i++) {
        const struct ks_attempt *a = &attempts[i];
        json_array_append_new(
            rows, json_pack("{s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:i,s:s,s:s,s:f,s:f,s:s}", "proposal", a->proposal,
                            "skill", a->skill, "params", a->params, "correctness", a->correctness,
                            "speed", a->speed, "reason", a->reason, "evidence", a->evidence, "moved",
                            a->moved, "move", a->move, "mechanism", a->mechanism, "ratio", a->ratio, "lower",
                            a->lower, "date", a->date));
    }
    return rows;
}

static void print_attempts(const struct ks_attempt *attempts, size_t n)
{
    if (n > 0)
        printf("attempts\n");
    for (size_t i = 0; i < n; i++) {
        const struct ks_attempt *a = &attempts[i];
        printf("  %-16s %-28s %-24s %-10s %-12s ", a->proposal, a->skill, a->params,
               a->correctness, a->speed);
        if (a->ratio > 0)
            printf("%6.3fx %s\n", a->ratio, a->reason);
        else
            printf("%7s %s\n", "-", a->reason);
    }
}

static void show_json(struct showing *s, const struct subject *subject, json_t *profile,
                      const struct ks_attempt *attempts, size_t n)
{
    json_t *row = json_object(), *decisions = json_array();
    ks_vec_each(struct verb_decision, d, &s->decisions)
        if (strcmp(d->key, subject->key) == 0)
            json_array_append_new(decisions, verb_decision_json(d));
    json_object_set_new(row, "kernel", json_string(subject->kernel));
    json_object_set_new(row, "key", json_string(subject->key));
    json_object_set_new(row, "arch", subject->arch > 0 ? json_sprintf("sm_%d", subject->arch)
                                                       : json_null());
    json_object_set_new(row, "decisions", decisions);
    json_object_set_new(row, "profile", profile != NULL ? json_incref(profile) : json_null());
    json_object_set_new(row, "attempts", attempts_json(attempts, n));
    json_array_append_new(s->rows, row);
}

static void show_text(struct showing *s, const struct subject *subject, const json_t *profile,
                      const struct ks_attempt *attempts, size_t n)
{
    size_t stored = 0;
    printf("kernel %s", subject->kernel);
    if (subject->arch > 0)
        printf(" for sm_%d", subject->arch);
    printf(", key %s\n%s", subject->key,
           profile != NULL ? ks_json_str(profile, "page", "") : "no profile kept on this machine\n");
    ks_vec_each(struct verb_decision, d, &s->decisions)
        if (strcmp(d->key, subject->key) == 0) {
            print_decision(d);
            stored++;
        }
    if (stored == 0)
        printf("nothing is stored; `ks explain` says why, `ks tune` decides\n");
    print_attempts(attempts, n);
}

// Why there is no tree, and how to one.
static const char *no_attempt(const struct showing *s, const struct subject *subject)
{
    struct ks_arena *arena = s->context->arena;
    const char *others = "";
    ks_vec_each(struct ks_tried_kernel, t, &s->tried)
        if (strcmp(t->kernel, subject->kernel) == 0)
            others = ks_arena_printf(arena, "%s%s %.12s for sm_%d", others, others[0] != '\0' ? "," : "", t->key,
                                     t->arch);
    if (others[0] != '\0')
        return ks_arena_printf(arena, "under other options there are, with the key%s: give those behind --, or the key",
                               others);
    return s->unread              ? "the memory cannot be read"
           : s->outcomes == NULL ? "there is no memory here (KS_STATE_DIR); `ks tune` makes it"
                                 : "`ks tune` tries, and `ks explain` says what stands in its way";
}

static void show_tree(const struct showing *s, const struct subject *subject, const struct ks_attempt *attempts,
                      size_t n)
{
    if (n > 0)
        verb_tree_print(s->context->arena, subject->kernel, attempts, n);
    else
        printf("%s for sm_%d, key %.12s: no attempt is remembered; %s\n", subject->kernel, subject->arch, subject->key,
               no_attempt(s, subject));
}

static void show(struct showing *s, const struct subject *subject)
{
    struct ks_attempt *attempts = NULL;
    size_t n = 0;
    struct ks_err err = {0};
    if (s->outcomes != NULL &&
        ks_outcomes_for_key(s->context->arena, s->outcomes, subject->key, &attempts, &n, &err) !=
            KS_OK)
        ks_warn("%s; attempts are left out", err.text);
    ks_vec_each(struct verb_decision, d, &s->decisions)
        s->n_stored += strcmp(d->key, subject->key) == 0;
    s->n_attempts += n;
    json_t *profile = profile_of(s->context, subject->key);
    if (s->tree && s->rows == NULL)
        show_tree(s, subject, attempts, n);
    else if (s->rows != NULL)
        show_json(s, subject, profile, attempts, n);
    else
        show_text(s, subject, profile, attempts, n);
    json_decref(profile);
}

static void open_memory(struct showing *s)
{
    struct ks_err err = {0};
    enum ks_status status = ks_outcomes_look(&s->context->config, &s->outcomes, &err);
    if (s->outcomes != NULL)
        status = ks_outcomes_tried(s->context->arena, s->outcomes, &s->tried, &err);
    if (status == KS_OK)
        return;
    ks_warn("%s; attempts are left out", err.text);
    ks_outcomes_close(s->outcomes);
    s->outcomes = NULL;
    s->unread = true;
}

int verb_show(struct ks_verb_context *context)
{
    const char *tree = NULL;
    const struct verb_option options[] = {{.name = "--trajectory", .value = &tree}};
    const struct verb_syntax syntax = {
        .options = options, .n_options = 1,
        .expects = "give one FILE.cu, FILE.cu:KERNEL, kernel, key or variant", .least = 1,
        .most = 1, .nvcc = true};
    struct verb_words words;
    struct showing s = {.context = context};
    struct ks_err err = {0};
    int exit_code = verb_read_words(context, &syntax, &words);
    if (exit_code != EXIT_OK)
        return exit_code;
    open_memory(&s);
    if (find_subjects(&s, words.targets.at[0], words.nvcc, &err) != KS_OK) {
        ks_outcomes_close(s.outcomes);
        return verb_fail(context, &err);
    }
    s.tree = tree != NULL;
    s.rows = context->json ? json_array() : NULL;
    ks_vec_each(struct subject, subject, &s.subjects)
        show(&s, subject);
    ks_outcomes_close(s.outcomes);
    if (context->json) {
        json_t *report = ks_json_report("ks.show");
        json_object_set_new(report, "kernels", s.rows);
        ks_json_print(report);
    }
    return (s.tree ? s.n_attempts : s.n_stored) > 0 ? EXIT_OK : EXIT_NEGATIVE;
}
