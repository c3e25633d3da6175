// From proposals to candidates: the shadow compile, the static gate, and the proof that the original
// in it is the user's.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "key/elf.h"
#include "os/clock.h"
#include "os/file.h"
#include "verify/build.h"

#define CUBIN_MAX (256u << 20)
#define PTX_MAX (256u << 20)

static void fail(struct ks_candidate *c, enum ks_correctness failure, const char *text)
{
    c->failure = failure;
    snprintf(c->reason, sizeof c->reason, "%.500s", text);
}

// Enters a check that was made since `since`.
static bool note(struct ks_candidate *c, enum ks_check_kind kind, double since, bool passed)
{
    c->checks.result[kind] = passed ? KS_CHECK_PASSED : KS_CHECK_FAILED;
    c->checks.seconds[kind] += ks_now() - since;
    return passed;
}

// Appends [p, end) to out, absolute paths cut to their last part, and gcc's typographic quotes as plain
// ones: what is cut off in the middle of a character is no text for JSON.
static void append_plain(struct ks_buf *out, const char *p, const char *end)
{
    for (bool word = true; p < end; p++) {
        if (word && *p == '/') {
            for (const char *q = p; q < end && !isspace((unsigned char)*q) && *q != '"'; q++)
                if (*q == '/')
                    p = q + 1;
            if (p >= end)
                break;
        }
        word = isspace((unsigned char)*p) || *p == '"' || *p == '(' || *p == '\'';
        if (((unsigned char)*p & 0xc0) != 0x80)
            ks_buf_putc(out, (unsigned char)*p < ' ' ? ' ' : (unsigned char)*p < 0x80 ? *p : '\'');
    }
}

// Compiler text for a proposer: the first errors, each "line N: error: ...", with N counted in the
// proposal's source.
static void shorten(struct ks_slice text, char out[512])
{
    struct ks_buf buf = KS_BUF(4096);
    int lines = 0;
    const char *end = text.at + text.len;
    for (const char *p = text.at, *eol; p < end && lines < 4; p = eol + 1) {
        eol = memchr(p, '\n', (size_t)(end - p));
        if (eol == NULL)
            eol = end;
        const char *error = memmem(p, (size_t)(eol - p), "error:", 6);
        if (error == NULL)
            error = memmem(p, (size_t)(eol - p), "error   :", 9); // ptxas
        if (error == NULL)
            error = memmem(p, (size_t)(eol - p), "fatal", 5);
        if (error == NULL)
            continue;
        ks_buf_puts(&buf, lines++ > 0 ? "; " : "");
        const char *paren = memrchr(p, '(', (size_t)(error - p));
        if (paren != NULL && isdigit((unsigned char)paren[1]))
            ks_buf_printf(&buf, "line %d: ", atoi(paren + 1));
        append_plain(&buf, error, eol - error > 200 ? error + 200 : eol);
    }
    snprintf(out, 512, "%.500s", lines > 0 ? ks_buf_text(&buf)
                                           : "the compiler failed without an error line");
    ks_buf_free(&buf);
}

// PTX of a compile: one entry in its canonical form, and the module that holds it.
static enum ks_status entry_text(struct ks_arena *arena, const struct ks_tu_compile *compile, int arch,
                                 const char *name, const struct ks_ptx_entry **entry,
                                 struct ks_slice *text, struct ks_err *err)
{
    struct ks_strv files = {0};
    struct ks_ptx_module both[2] = {0}; // the best so far, the next
    KS_TRY(ks_dir_list(arena, compile->keep_dir, &files, err));
    *entry = NULL;
    for (size_t i = 0; i < files.len; i++) {
        struct ks_slice next;
        const struct ks_ptx_entry *found;
        if (!ks_ends_with(files.at[i], ".ptx"))
            continue;
        KS_TRY(ks_file_read(arena, ks_path_join(arena, compile->keep_dir, files.at[i]), PTX_MAX, &next, err));
        KS_TRY(ks_ptx_read(arena, next, &both[1], err));
        if ((found = ks_ptx_find_same(&both[1], name)) == NULL || ks_ptx_of_arch(both, 2, arch) != &both[1])
            continue;
        both[0] = both[1];
        *entry = found;
        *text = next;
    }
    if (*entry == NULL)
        KS_FAIL(err, KS_E_ABSENT, "no PTX of %s", name);
    return KS_OK;
}

enum ks_status ks_judge_text(struct ks_arena *arena, const struct ks_tu_compile *compile, int arch,
                             const char **name, struct ks_slice *text, struct ks_err *err)
{
    const struct ks_ptx_entry *entry;
    KS_TRY(entry_text(arena, compile, arch, *name, &entry, text, err));
    *name = entry->name;
    return KS_OK;
}

enum ks_status ks_judge_image(struct ks_arena *arena, const struct ks_tu *tu,
                              const struct ks_tu_compile *compile, int arch,
                              const char *const *names, const struct ks_judge_options *options,
                              struct ks_slice *image, struct ks_err *err)
{
    const char *path, *name = names[0];
    if (options->device != NULL && ks_device_emulated(options->device))
        return ks_judge_text(arena, compile, arch, &name, image, err);
    KS_TRY(ks_tu_image(arena, tu, compile, arch, names, &path, err));
    return ks_file_read(arena, path, CUBIN_MAX, image, err);
}

static enum ks_status gate(struct ks_judge *judge, const struct ks_tu_compile *compile,
                           struct ks_candidate *c, struct ks_err *err)
{
    const struct ks_mark *mark = judge->kernel->mark->mark;
    const double start = ks_now();
    if (c->failure != KS_C_CORRECT)
        return KS_OK;
    c->literals = (struct ks_literals){0};
    c->cuts = c->tf32 = c->to_whole = false;
    const bool derived = mark->tolerance.kind == KS_TOL_DERIVED && !mark->fastmath && mark->tolerance.sum < KS_GATE_SUM;
    const bool sums = judge->arith.kind == KS_ARITH_MULADD, odd = derived && !sums && ks_arith_shows_tf32(&judge->arith);
    struct ks_gate rules = {.relaxed = mark->fastmath || mark->tolerance.kind == KS_TOL_ULP ||
                                       mark->tolerance.kind == KS_TOL_REL,
                            .probed = mark->tolerance.sum >= KS_GATE_SUM || odd ||
                                      (sums && mark->tolerance.kind == KS_TOL_DERIVED &&
                                       ks_judge_defends(judge, KS_D_EXACT_PROBE))};
    struct ks_adds adds = {false, false};
    for (size_t i = 0; i < c->n && c->failure == KS_C_CORRECT && ks_judge_defends(judge, KS_D_STATIC_GATE); i++) {
        const struct ks_ptx_entry *entry;
        struct ks_slice text;
        char reason[256];
        KS_TRY(entry_text(judge->arena, compile, judge->kernel->arch, c->names[i], &entry, &text, err));
        if (entry->ineligible != KS_R_APPLIED) {
            c->failure = KS_C_STATIC;
            snprintf(c->reason, sizeof c->reason, "the candidate contains %s: %s",
                     entry->ineligible_text, ks_reason_text(entry->ineligible));
            break;
        }
        ks_literals_read(&c->literals, entry->canonical);
        struct ks_adds own = ks_adds_of(entry->canonical);
        adds = (struct ks_adds){adds.single || own.single, adds.twice || own.twice};
        c->to_whole = c->to_whole || ks_goes_by_floats(entry->canonical);
        c->cuts = c->cuts || ks_sums_on_tensor_cores(entry->canonical);
        c->stops = c->stops || ks_gate_stops(entry->canonical);
        c->tf32 = c->tf32 || (odd && ks_gate_adds_tf32(judge->original_ptx, entry->canonical));
        if (!ks_gate_ptx(&rules, judge->original_ptx, entry->canonical, reason))
            fail(c, KS_C_STATIC, reason);
    }
    // Where terms meet they may cancel, and double was asked for so that something is left.
    if (c->failure == KS_C_CORRECT && !rules.relaxed && (sums || judge->arith.joins) &&
        ks_adds_fall_short(ks_adds_of(judge->original_ptx), adds))
        fail(c, KS_C_STATIC, "the candidate sums in fp32 what the original sums in double: say tol(...) if that is enough");
    note(c, KS_CHECK_STATIC, start, c->failure == KS_C_CORRECT);
    return KS_OK;
}

static enum ks_status read_built(struct ks_judge *judge, const struct ks_tu_compile *compile,
                                 struct ks_candidate *c, struct ks_err *err)
{
    struct ks_substitution sub = ks_candidate_substitution(judge, c);
    struct ks_tu_built built = {0};
    struct ks_err local = {0};
    enum ks_status status = ks_tu_built_read(judge->arena, judge->tu, compile, &sub, &built, &local);
    if (status == KS_E_ABSENT) {
        fail(c, KS_C_COMPILE, local.text); // compiled away, or hidden from this architecture
        return KS_OK;
    }
    if (status != KS_OK)
        return ks_err_set(err, status, "%s", local.text);
    c->names = built.names;
    c->ptx = built.ptx;
    c->sass = built.sass;
    c->n = built.n;
    c->registers = KS_NEW_ARRAY(judge->arena, int, built.n);
    return KS_OK;
}

// The originals beside all candidates of a compile together. Where several are in it, *alone asks for a
// compile of each: one changes them, and the others are none the worse for it.
static void keep_originals(struct ks_judge *judge, const struct ks_tu_compile *compile,
                           struct ks_candidate *const *candidates, size_t n, bool *alone)
{
    const char *which = "";
    double start = ks_now();
    bool same = !ks_judge_defends(judge, KS_D_IDENTITY) ||
                ks_tu_originals_unchanged(judge->arena, judge->tu, compile, &which) == KS_R_APPLIED;
    *alone = !same && n > 1;
    for (size_t i = 0; !*alone && i < n; i++)
        if (candidates[i]->failure == KS_C_CORRECT && !note(candidates[i], KS_CHECK_IDENTITY, start, same))
            fail(candidates[i], KS_C_STATIC,
                 ks_arena_printf(judge->arena, "kernel %s changes beside the candidate", which));
}

// The machine code of all candidates of a compile together. Where several are in it, *alone asks for a
// compile of each.
static enum ks_status gate_cubin(struct ks_judge *judge, const struct ks_tu_compile *compile,
                                 struct ks_candidate *const *candidates, size_t n, bool *alone,
                                 struct ks_err *err)
{
    const char *path = ks_tu_cubin(judge->arena, compile, judge->kernel->arch);
    struct ks_slice cubin;
    char reason[256];
    double start = ks_now();
    *alone = false;
    if (path == NULL || !ks_judge_defends(judge, KS_D_STATIC_GATE))
        return KS_OK;
    KS_TRY(ks_file_read(judge->arena, path, CUBIN_MAX, &cubin, err));
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < candidates[i]->n; k++)
            candidates[i]->registers[k] = ks_cubin_registers(cubin, candidates[i]->names[k]);
    if (ks_gate_cubin(judge->original_cubin, cubin, n, reason))
        return KS_OK;
    *alone = n > 1;
    if (n == 1 && candidates[0]->failure == KS_C_CORRECT) {
        note(candidates[0], KS_CHECK_STATIC, start, false);
        fail(candidates[0], KS_C_STATIC, reason);
    }
    return KS_OK;
}

// What the workers load: one image for all candidates of a compile that may run.
static enum ks_status read_image(struct ks_judge *judge, const struct ks_tu_compile *compile,
                                 struct ks_candidate *const *candidates, size_t n,
                                 struct ks_err *err)
{
    struct ks_strv names = {0};
    struct ks_slice image, text;
    const char *original = judge->kernel->signature->registered;
    KS_TRY(ks_judge_text(judge->arena, compile, judge->kernel->arch, &original, &text, err));
    ks_strv_add(judge->arena, &names, original);
    for (size_t i = 0; i < n; i++)
        if (candidates[i]->failure == KS_C_CORRECT)
            ks_strv_add(judge->arena, &names,
                        ks_shadow_namespace(judge->arena, candidates[i]->id,
                                            judge->kernel->mark->decl));
    if (names.len == 1)
        return KS_OK;
    KS_TRY(ks_judge_image(judge->arena, judge->tu, compile, judge->kernel->arch, names.at,
                          &judge->options, &image, err));
    for (size_t i = 0; i < n; i++) {
        candidates[i]->original = original;
        candidates[i]->cubin = image;
        candidates[i]->text = text;
    }
    return KS_OK;
}

// Why a compile made nothing, for the one candidate in it.
static void refuse_compile(struct ks_arena *arena, struct ks_candidate *c,
                           const struct ks_tu_compile *compile)
{
    static const char *const kept_out[] = {"Permission denied", "Operation not permitted"};
    struct ks_slice said = compile->err.len > 0 ? compile->err : compile->out;
    char text[512];
    if (compile->timed_out) {
        fail(c, KS_C_COMPILE, ks_arena_printf(arena, "the compiler did not finish within %g s",
                                              compile->limit_seconds));
        return;
    }
    if (compile->exceeded != NULL) {
        fail(c, KS_C_COMPILE, ks_arena_printf(arena, "the compiler was stopped: %s", compile->exceeded));
        return;
    }
    shorten(said, text);
    bool denied = false;
    for (size_t i = 0; compile->sandbox != NULL && i < sizeof kept_out / sizeof *kept_out; i++)
        denied |= memmem(said.at, said.len, kept_out[i], strlen(kept_out[i])) != NULL;
    fail(c, KS_C_COMPILE,
         denied ? ks_arena_printf(arena, "the sandbox kept something from the compiler: %.400s", text)
                : text);
}

// What became of each candidate of a compile. False in *compiled: nothing, and several were in it.
static enum ks_status read_build(struct ks_judge *judge, const struct ks_shadow_build *build, bool *compiled,
                                 struct ks_err *err)
{
    struct ks_candidate *const *candidates = build->candidates;
    const struct ks_tu_compile *compile = &build->compile;
    const size_t n = build->n;
    const bool ended = build->status == KS_OK && compile->exit_code == 0;
    *compiled = true;
    if (build->status != KS_OK && !(build->status == KS_E_UNSUPPORTED && n == 1))
        return ks_err_set(err, build->status, "%s", build->err.text);
    for (size_t i = 0; i < n; i++) {
        candidates[i]->checks.result[KS_CHECK_COMPILE] = ended ? KS_CHECK_PASSED : KS_CHECK_FAILED;
        candidates[i]->checks.seconds[KS_CHECK_COMPILE] += build->seconds;
        candidates[i]->ships = n == 1 && (!build->device || ks_judge_emulates(judge));
    }
    if (build->status != KS_OK) {
        fail(candidates[0], KS_C_UNSUPPORTED, build->err.text);
        return KS_OK;
    }
    if (!ended) {
        if (n == 1)
            refuse_compile(judge->arena, candidates[0], compile);
        *compiled = n == 1;
        return KS_OK;
    }
    for (size_t i = 0; i < n; i++) {
        KS_TRY(read_built(judge, compile, candidates[i], err));
        if (candidates[i]->failure == KS_C_COMPILE)
            candidates[i]->checks.result[KS_CHECK_COMPILE] = KS_CHECK_FAILED;
    }
    bool apart = false;
    keep_originals(judge, compile, candidates, n, &apart);
    for (size_t i = 0; !apart && i < n; i++)
        KS_TRY(gate(judge, compile, candidates[i], err));
    if (!apart)
        KS_TRY(gate_cubin(judge, compile, candidates, n, &apart, err));
    *compiled = !apart;
    return apart ? KS_OK : read_image(judge, compile, candidates, n, err);
}

// Compiles the candidates in so many shadows. Those of a shadow of several that comes to nothing are put into
// `apart`, from *n_apart on.
static enum ks_status compile_in(struct ks_judge *judge, struct ks_candidate *const *candidates, size_t n,
                                 size_t n_shadows, bool device, struct ks_candidate **apart, size_t *n_apart,
                                 struct ks_err *err)
{
    struct ks_shadow_build *builds = KS_NEW_ARRAY(judge->arena, struct ks_shadow_build, n_shadows);
    for (size_t i = 0, first = 0; i < n_shadows; first += builds[i++].n) {
        builds[i].candidates = candidates + first;
        builds[i].n = n / n_shadows + (i < n % n_shadows);
        // Where the textual gate is off a proposal may hold host code.
        builds[i].device = (device || builds[i].n > 1 || ks_judge_emulates(judge)) && ks_judge_defends(judge, KS_D_TEXT);
    }
    enum ks_status status = ks_shadow_builds_run(judge, builds, n_shadows, err);
    for (size_t i = 0; status == KS_OK && i < n_shadows; i++) {
        bool compiled;
        status = read_build(judge, &builds[i], &compiled, err);
        for (size_t k = 0; !compiled && k < builds[i].n; k++)
            apart[(*n_apart)++] = builds[i].candidates[k];
    }
    for (size_t i = 0; i < n_shadows; i++)
        ks_shadow_build_free(&builds[i]);
    return status;
}

// An earlier candidate of the same content: their names would clash in one shadow.
static const struct ks_candidate *twin_of(struct ks_candidate *const *candidates, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (strcmp(candidates[k]->id, candidates[i]->id) == 0)
            return candidates[k];
    return NULL;
}

// The textual gate, and the plan's numbers; kernels of the source are known afterwards.
static enum ks_status read_text(struct ks_judge *judge, struct ks_candidate *c, struct ks_err *err)
{
    struct ks_err local = {0};
    double start = ks_now();
    enum ks_status status =
        ks_proposal_check(judge->arena, c->proposal, judge->kernel->signature, &local);
    if (status != KS_OK && !ks_judge_defends(judge, KS_D_TEXT)) // weakened on purpose
        status = ks_kernels_find(judge->arena, "source", ks_slice_of(c->proposal->source),
                                 &c->proposal->kernels, &local);
    if (status == KS_E_USER || status == KS_E_LIMIT || status == KS_E_UNSUPPORTED)
        fail(c, KS_C_STATIC, local.text);
    else if (status != KS_OK)
        return ks_err_set(err, status, "%s", local.text);
    if (!note(c, KS_CHECK_TEXT, start, status == KS_OK))
        return KS_OK;
    char reason[256];
    start = ks_now();
    bool fits = !ks_judge_defends(judge, KS_D_LIMITS) ||
                ks_judge_limits(judge, judge->arena, c->proposal, reason);
    if (!note(c, KS_CHECK_LIMITS, start, fits))
        fail(c, KS_C_LAUNCH, reason);
    return KS_OK;
}

enum ks_status ks_judge_build(struct ks_judge *judge, struct ks_proposal *const *proposals, size_t n,
                              enum ks_build_way way, struct ks_candidate **candidates, struct ks_err *err)
{
    struct ks_candidate **ready = KS_NEW_ARRAY(judge->arena, struct ks_candidate *, n);
    struct ks_candidate **apart = KS_NEW_ARRAY(judge->arena, struct ks_candidate *, n);
    size_t n_ready = 0, n_apart = 0, n_more = 0;
    size_t most = way == KS_BUILD_TOGETHER ? 1 : ks_shadow_builds_at_once(judge);
    bool device = way == KS_BUILD_DEVICE;
    for (size_t i = 0; i < n; i++) {
        struct ks_candidate *c = candidates[i] = KS_NEW(judge->arena, struct ks_candidate);
        c->proposal = proposals[i];
        c->failure = KS_C_CORRECT;
        c->id = ks_proposal_id(judge->arena, proposals[i]);
        KS_TRY(read_text(judge, c, err));
        if (c->failure == KS_C_CORRECT && twin_of(candidates, i) == NULL)
            ready[n_ready++] = c;
    }
    if (n_ready > 0)
        KS_TRY(compile_in(judge, ready, n_ready, n_ready < most ? n_ready : most, device, apart, &n_apart, err));
    // One of several is at fault: each alone tells which.
    for (size_t i = 0; i < n_apart; i++) {
        apart[i]->failure = KS_C_CORRECT;
        apart[i]->reason[0] = '\0';
    }
    if (n_apart > 0)
        KS_TRY(compile_in(judge, apart, n_apart, n_apart, device, NULL, &n_more, err));
    for (size_t i = 0; i < n; i++) {
        const struct ks_candidate *twin = twin_of(candidates, i);
        if (twin != NULL && candidates[i]->failure == KS_C_CORRECT) {
            struct ks_proposal *own = candidates[i]->proposal;
            *candidates[i] = *twin;
            candidates[i]->proposal = own;
        }
    }
    return KS_OK;
}
