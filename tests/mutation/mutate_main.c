// Mutants of kernels before the judge: which of them it lets through.
//   ks-mutate [--limit=N] [--seed=N] [--device=NAME] FILE.cu[:KERNEL][=PROPOSAL.yaml]...
// Without a proposal the kernel itself is mutated, launched as it was. Of each, at most N mutants drawn by
// the seed, the classes in turn, are judged (correctness alone). A survivor is excused only if its canonical PTX is that of what
// was mutated, or the emulated device finds it equal to that on all small sizes (excuse.h). Exit 0: at least 95 % killed and no class of five or more below 85 %; 77: no device, nothing
// judged.
#include <stdio.h>
#include <string.h>

#include "app/verb_device.h"
#include "app/verb_verify.h"
#include "base/log.h"
#include "base/rng.h"
#include "excuse.h"
#include "mutate.h"
#include "os/clock.h"
#include "os/proc.h"
#include "source/lex.h"
#include "verify/session.h"

#define BATCH 16 // mutants in one compile

struct tally {
    int judged, killed, excused, survived, invalid;
    int left; // without a device, what the gates let through
};

struct run {
    struct ks_arena *arena;
    struct verifying v;
    int64_t limit, seed;
    struct tally by_class[MUT_CLASSES];
    double seconds;
};

// The kernel as a proposal: its own text, its own launch.
static void propose_itself(struct ks_arena *arena, const struct ks_tu_kernel *kernel,
                           struct ks_proposal *p, struct ks_err *err)
{
    const struct ks_kernel_decl *decl = kernel->mark->decl;
    struct ks_slice text = kernel->mark->file->text;
    struct ks_buf yaml = KS_BUF(1 << 16);
    struct ks_yaml *root;
    ks_buf_puts(&yaml, "source: x\nplan:\n  - {kernel: ");
    ks_buf_printf(&yaml, "%s, grid: [grid.x, grid.y, grid.z], block: [block.x, block.y, block.z], "
                         "shared: shared, args: [", decl->name);
    for (size_t i = 0; i < decl->n_params; i++)
        ks_buf_printf(&yaml, "%s%s", i > 0 ? ", " : "", decl->params[i].name);
    ks_buf_puts(&yaml, "]}\n");
    if (ks_yaml_parse(arena, "itself", ks_slice_of(ks_buf_text(&yaml)), &root, err) == KS_OK)
        ks_proposal_read(arena, "itself", root, p, err);
    p->source = ks_arena_strndup(arena, text.at + decl->begin, decl->end - decl->begin);
    ks_buf_free(&yaml);
}

static void name_params(struct ks_arena *arena, const struct ks_tu_kernel *kernel,
                        struct ks_proposal *p)
{
    const struct ks_kernel_decl *decl = kernel->mark->decl;
    p->n_params = decl->n_params;
    p->params = KS_NEW_ARRAY(arena, const char *, decl->n_params);
    for (size_t i = 0; i < decl->n_params; i++)
        p->params[i] = decl->params[i].name;
}

static void shuffle(struct run *r, struct mutant_list *mutants)
{
    struct ks_rng rng;
    ks_rng_seed(&rng, (uint64_t)r->seed);
    for (size_t i = mutants->len; i > 1; i--) {
        size_t k = (size_t)ks_rng_below(&rng, i);
        struct mutant swap = mutants->at[i - 1];
        mutants->at[i - 1] = mutants->at[k];
        mutants->at[k] = swap;
    }
}

// One of each class in turn, those of which there are few (fences, barriers) before the many indices, so that a
// small limit draws them too.
static void by_turns(struct run *r, struct mutant_list *mutants)
{
    struct mutant *sorted = KS_NEW_ARRAY(r->arena, struct mutant, mutants->len);
    size_t n = 0, next[MUT_CLASSES] = {0};
    while (n < mutants->len)
        for (int c = MUT_CLASSES - 1; c >= 0; c--) {
            while (next[c] < mutants->len && (int)mutants->at[next[c]].kind != c)
                next[c]++;
            if (next[c] < mutants->len)
                sorted[n++] = mutants->at[next[c]++];
        }
    mutants->at = sorted;
}

// Canonical PTX of all kernels of the plan, as one digest.
static bool same_code(const struct ks_candidate *a, const struct ks_candidate *b)
{
    if (a->n != b->n || a->failure != KS_C_CORRECT || b->failure != KS_C_CORRECT)
        return false;
    for (size_t i = 0; i < a->n; i++)
        if (!ks_digest_eq(&a->ptx[i], &b->ptx[i]))
            return false;
    return true;
}

static const struct ks_candidate *compiled(const struct ks_judge *judge, const struct ks_proposal *p)
{
    ks_vec_each (struct ks_candidate *, c, &judge->cache)
        if (strcmp((*c)->id, ks_proposal_id(judge->arena, p)) == 0)
            return *c;
    return NULL;
}

static void report(const struct mutant *m, const char *name, const char *ending,
                   const struct ks_verdict *v)
{
    printf("%-9s %-9s %s:%d: %s%s%s\n", ending, mutation_name(m->kind), name, m->line, m->what,
           v->reason[0] != '\0' ? ": " : "", v->reason);
    fflush(stdout);
}

static enum ks_status judge_mutant(struct run *r, struct ks_judge *judge, const char *name,
                                   const struct ks_candidate *base, const struct mutant *m,
                                   struct ks_proposal *p, struct ks_err *err)
{
    struct tally *t = &r->by_class[m->kind];
    struct ks_verdict verdict = {0};
    const struct ks_candidate *c = compiled(judge, p);
    if (c->checks.result[KS_CHECK_TEXT] == KS_CHECK_FAILED || c->failure == KS_C_COMPILE ||
        c->failure == KS_C_UNSUPPORTED) {
        t->invalid++;
        return KS_OK;
    }
    if (same_code(c, base)) {
        t->excused++;
        return KS_OK;
    }
    KS_TRY(r->v.absent != NULL ? ks_judge_gates(judge, p, &verdict, err)
                               : ks_judge_full(judge, p, &verdict, err));
    if (verify_undecided(&r->v, &verdict)) {
        t->left++;
        return KS_OK;
    }
    bool survived = verdict.correctness == KS_C_CORRECT || verdict.correctness == KS_C_VOID ||
                    verdict.correctness == KS_C_BASELINE_FAULT;
    const char *ending = survived ? "SURVIVED" : ks_correctness_name(verdict.correctness);
    struct excuse x = {0};
    struct ks_judge *emulated = strcmp(judge->device.kind, "emu") == 0 ? judge : judge->second;
    if (survived && emulated != NULL) {
        struct ks_arena scratch = {0};
        enum ks_status status = excuse_mutant(emulated, &scratch, base, c, &x, err);
        ks_arena_free(&scratch);
        KS_TRY(status);
        snprintf(verdict.reason, sizeof verdict.reason, "%s", x.text);
    }
    if (x.equal)
        ending = "EXCUSED";
    t->judged += !x.equal;
    t->excused += x.equal;
    t->survived += survived && !x.equal;
    t->killed += !survived;
    report(m, name, ending, &verdict);
    return KS_OK;
}

static enum ks_status mutate_kernel(struct run *r, const struct verb_tu *tu,
                                    const struct ks_tu_kernel *kernel, const char *name,
                                    struct ks_proposal *base, struct ks_err *err)
{
    struct ks_arena *arena = r->arena;
    struct mutant_list mutants = {0};
    struct ks_judge *judge;
    const char *finding;
    const struct verify_rules rules = {.untimed = true};
    KS_TRY(verify_open(&r->v, tu, kernel, &rules, &judge, &finding, err));
    if (judge == NULL)
        return ks_err_set(err, KS_E_USER, "%s", finding);
    enum ks_status status = ks_judge_prepare(judge, &base, 1, err);
    const struct ks_candidate *original = status == KS_OK ? compiled(judge, base) : NULL;
    if (status == KS_OK && original->failure != KS_C_CORRECT)
        status = ks_err_set(err, KS_E_USER, "%s: what is to be mutated is refused: %s", name,
                            original->reason);
    mutate(arena, base->source, &mutants);
    shuffle(r, &mutants);
    by_turns(r, &mutants);
    size_t n = mutants.len < (size_t)r->limit ? mutants.len : (size_t)r->limit;
    for (size_t at = 0; status == KS_OK && at < n && !ks_stop_requested(); at += BATCH) {
        struct ks_proposal *batch[BATCH];
        size_t k = 0;
        for (; k < BATCH && at + k < n; k++) {
            batch[k] = ks_arena_memdup(arena, base, sizeof *base);
            batch[k]->source = mutants.at[at + k].source;
        }
        status = ks_judge_prepare(judge, batch, k, err);
        for (size_t i = 0; status == KS_OK && i < k; i++)
            status = judge_mutant(r, judge, name, original, &mutants.at[at + i], batch[i], err);
    }
    ks_judge_close(judge);
    return status;
}

static enum ks_status mutate_file(struct run *r, const char *argument, struct ks_err *err)
{
    struct ks_arena *arena = r->arena;
    const char *file, *name, *equals = strchr(argument, '=');
    struct ks_proposal *base = KS_NEW(arena, struct ks_proposal);
    struct verb_tu tu;
    if (equals != NULL)
        KS_TRY(verify_read_proposal(arena, equals + 1, base, err));
    verb_split_target(arena, equals != NULL
                                 ? ks_arena_strndup(arena, argument, (size_t)(equals - argument))
                                 : argument, &file, &name);
    enum ks_status status = verb_tu_open(r->v.context, file, verify_words(&r->v), &tu, err);
    const struct ks_tu_kernel *kernel = NULL;
    for (size_t i = 0; status == KS_OK && i < tu.tu.n_kernels && kernel == NULL; i++)
        if (verb_kernel_is(arena, &tu.tu.kernels[i], name))
            kernel = &tu.tu.kernels[i];
    if (status == KS_OK && kernel == NULL)
        status = verb_no_kernel(&tu, name, err);
    if (status == KS_OK && equals == NULL)
        propose_itself(arena, kernel, base, err);
    if (status == KS_OK) {
        name_params(arena, kernel, base);
        status = mutate_kernel(r, &tu, kernel, equals != NULL ? equals + 1 : argument, base, err);
    }
    verb_tu_close(&tu);
    return status;
}

static double rate(const struct tally *t)
{
    int counted = t->killed + t->survived;
    return counted > 0 ? 100.0 * t->killed / counted : 100;
}

static int conclude(const struct run *r)
{
    struct tally all = {0};
    bool enough = true;
    printf("\n%-10s %7s %7s %9s %8s %8s %5s %7s\n", "class", "judged", "killed", "survived",
           "excused", "invalid", "left", "rate");
    for (int c = 0; c < MUT_CLASSES; c++) {
        const struct tally *t = &r->by_class[c];
        printf("%-10s %7d %7d %9d %8d %8d %5d %6.1f%%\n", mutation_name((enum mutation)c),
               t->judged, t->killed, t->survived, t->excused, t->invalid, t->left, rate(t));
        all.judged += t->judged;
        all.killed += t->killed;
        all.survived += t->survived;
        all.excused += t->excused;
        all.invalid += t->invalid;
        all.left += t->left;
        enough = enough && (t->judged < 5 || rate(t) >= 85);
    }
    printf("{\"mutants\": %d, \"killed\": %d, \"survived\": %d, \"excused\": %d, \"invalid\": %d, "
           "\"left\": %d, \"mutation_kill\": %.1f, \"seconds\": %.0f}\n", all.judged, all.killed,
           all.survived, all.excused, all.invalid, all.left, rate(&all), ks_now() - r->seconds);
    if (r->v.absent != NULL) {
        printf("nothing was run: %s\n", r->v.absent);
        return 77;
    }
    return enough && rate(&all) >= 95 ? 0 : 1;
}

int main(int argc, char **argv)
{
    struct ks_arena arena = {0};
    struct ks_verb_context context = {.arena = &arena, .verb = "mutate"};
    struct run r = {.arena = &arena, .v = {.context = &context}, .limit = 64, .seed = 1,
                    .seconds = ks_now()};
    static const char *const none[] = {NULL};
    struct ks_err err = {0};
    int i = 1, failed = 0;
    ks_log_init("ks-mutate", KS_LOG_WARN);
    ks_stop_on_signals();
    if (ks_config_load(&arena, none, &context.config, &err) != KS_OK)
        return verb_fail(&context, &err);
    for (; i < argc && strncmp(argv[i], "--", 2) == 0; i++) {
        const char *value = strchr(argv[i], '=');
        if (value != NULL && strncmp(argv[i], "--device=", 9) == 0)
            context.config.device = value + 1;
        else if (value == NULL || !ks_parse_i64(value + 1, argv[i][2] == 'l' ? &r.limit : &r.seed))
            return verb_usage(&context, "no option `%s`", argv[i]);
    }
    if (verify_ask_device(&r.v, &err) != KS_OK)
        return verb_fail(&context, &err);
    for (; i < argc; i++)
        if (mutate_file(&r, argv[i], &err) != KS_OK) {
            fprintf(stderr, "ks-mutate: %s: %s\n", argv[i], err.text);
            failed = 1;
        }
    int status = conclude(&r);
    ks_arena_free(&arena);
    return failed ? 1 : status;
}
