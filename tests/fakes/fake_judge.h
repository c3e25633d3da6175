// A judge session over the fake worker (which is the test program itself) without a compiler: every kernel of
// a proposal "compiles" to its own name. The test program compiles verify/defence.c with KS_TEST_BUILD.
#ifndef KS_FAKE_JUDGE_H
#define KS_FAKE_JUDGE_H

#include "fake_kernels.h"
#include "fmt/yaml.h"
#include "os/file.h"
#include "source/mark.h"
#include "verify/session.h"

struct setting {
    struct ks_arena arena;
    struct ks_source_file file;
    struct ks_kernel_list kernels;
    struct ks_mark_list marks;
    struct ks_signature signature;
    struct ks_tu_mark mark;
    struct ks_tu_kernel kernel;
    struct ks_config config;
    struct ks_tu tu;
    struct ks_judge_options options;
    struct ks_verify_defences off;
    const char *own_worker; // given: a program started as the worker, without a launcher
    bool seeds_of_os;      // given: else always the same
    struct ks_judge *judge;
};

// Stands in for the compiler: every kernel of a proposal "compiles" to its own name.
static enum ks_status fake_build(struct ks_judge *judge, struct ks_proposal *const *proposals, size_t n,
                                 enum ks_build_way way, struct ks_candidate **candidates, struct ks_err *err)
{
    (void)way;
    for (size_t i = 0; i < n; i++) {
        struct ks_candidate *c = candidates[i] = KS_NEW(judge->arena, struct ks_candidate);
        c->proposal = proposals[i];
        c->id = ks_proposal_id(judge->arena, proposals[i]);
        KS_TRY(ks_kernels_find(judge->arena, "proposal", ks_slice_of(proposals[i]->source),
                               &proposals[i]->kernels, err));
        c->failure = KS_C_CORRECT;
        // "_alone": compiled by itself after the others, so its image is another.
        bool alone = strstr(proposals[i]->source, "_alone") != NULL;
        c->cubin = ks_slice_of(alone ? "cubin of one" : "cubin");
        if (alone)
            c->cubin.at = ks_arena_strdup(judge->arena, c->cubin.at);
        c->n = proposals[i]->kernels.len;
        c->original = judge->kernel->signature->registered;
        c->names = KS_NEW_ARRAY(judge->arena, const char *, c->n);
        for (size_t k = 0; k < c->n; k++)
            c->names[k] = proposals[i]->kernels.at[k].name;
        c->ptx = KS_NEW_ARRAY(judge->arena, struct ks_digest, c->n);
        c->sass = KS_NEW_ARRAY(judge->arena, struct ks_digest, c->n);
    }
    return KS_OK;
}

#define VADD_MARK "#pragma ks optimize\n" VADD_WORKLOAD
#define VADD_WORKLOAD VADD_WORKLOAD_OF("4000")
#define VADD_WORKLOAD_OF(size)                                                                     \
    "#pragma ks workload let(n=" size ") in(a[n]=uniform(0,1)) "                  \
    "in(b[n]=uniform(0,1)) out(c[n]) grid((n+255)/256) block(256)\n"
#define VADD_SIGNATURE "(const float* a, const float* b, float* c, int n)"
#define SUM_PTX "ld.global.f32 %f1,[%rd1];\nadd.f32 %f3,%f1,%f2;\nst.global.f32[%rd2],%f3;\n"
#define COPY_PTX "ld.global.f32 %f1,[%rd1];\nst.global.f32[%rd2],%f1;\n"

static void check(enum ks_status status, const struct ks_err *err)
{
    if (status != KS_OK)
        fail_msg("%s: %s", ks_status_name(status), err->text);
}

static enum ks_status open_judge(struct setting *s, const char *marked, const char *ptx,
                                 struct ks_err *err)
{
    struct ks_arena *arena = &s->arena;
    check(ks_kernels_find(arena, "t.cu", ks_slice_of(marked), &s->kernels, err), err);
    check(ks_marks_find(arena, "t.cu", ks_slice_of(marked), &s->kernels, &s->marks, err), err);
    const struct ks_kernel_decl *decl = &s->kernels.at[0];
    s->signature = (struct ks_signature){.registered = decl->name, .qualified = decl->name,
                                         .instance = decl->name, .n_params = decl->n_params};
    s->signature.params = KS_NEW_ARRAY(arena, struct ks_type, decl->n_params);
    s->signature.offsets = KS_NEW_ARRAY(arena, size_t, decl->n_params);
    for (size_t i = 0; i < decl->n_params; i++)
        s->signature.params[i] = decl->params[i].type;
    s->mark = (struct ks_tu_mark){.mark = &s->marks.at[0], .decl = decl, .file = &s->file, .in_tu = true};
    s->kernel = (struct ks_tu_kernel){.mark = &s->mark, .signature = &s->signature, .arch = 90};
    s->config.runtime_dir = ks_arena_printf(arena, "%s/ks-test-judge-%d", "/tmp", (int)getpid());
    s->tu.config = &s->config;
    s->options.worker = "--worker"; // after the launcher's word: this program, as a worker
    s->options.launcher = "/proc/self/exe";
    if (s->own_worker != NULL) {
        s->options.worker = s->own_worker;
        s->options.launcher = NULL;
    }
    s->options.device = "cuda";
    s->options.max_shapes = 16;
    s->options.seed = s->seeds_of_os ? 0 : 7;
    s->options.off = &s->off;
    bool fault;
    return ks_judge_open_with(arena, &s->tu, &s->kernel, KS_SLICE("cubin"), KS_SLICE("cubin"), ks_slice_of(ptx),
                              &s->options, fake_build, &s->judge, &fault, err);
}

static void close_judge(struct setting *s)
{
    ks_judge_close(s->judge);
    ks_tree_remove(s->config.runtime_dir, NULL);
    ks_arena_free(&s->arena);
}

__attribute__((unused)) static struct ks_proposal *
make_proposal(struct setting *s, const char *kernel, const char *signature, const char *args,
              const char *when)
{
    struct ks_err err = {0};
    struct ks_yaml *root;
    struct ks_proposal *p = KS_NEW(&s->arena, struct ks_proposal);
    const char *text = ks_arena_printf(
        &s->arena,
        "source: \"__global__ void %s%s { }\"\nwhen: \"%s\"\nplan:\n"
        "  - {kernel: %s, grid: [\"ceildiv(%s,256)\"], block: [256], args: [%s]}\n",
        kernel, signature, when, kernel, strstr(args, "rows") != NULL ? "rows" : "n", args);
    check(ks_yaml_parse(&s->arena, "p.yaml", ks_slice_of(text), &root, &err), &err);
    check(ks_proposal_read(&s->arena, "p.yaml", root, p, &err), &err);
    // As ks_proposal_check would fill it.
    p->n_params = s->signature.n_params;
    p->params = KS_NEW_ARRAY(&s->arena, const char *, p->n_params);
    for (size_t i = 0; i < p->n_params; i++)
        p->params[i] = s->mark.decl->params[i].name;
    return p;
}

__attribute__((unused)) static void
expect(struct ks_verdict v, enum ks_correctness correctness, enum ks_speed speed, const char *reason)
{
    if (v.correctness != correctness || v.speed != speed || strstr(v.reason, reason) == NULL)
        fail_msg("got %s %s \"%s\", want %s %s \"%s\"", ks_correctness_name(v.correctness),
                 ks_speed_name(v.speed), v.reason, ks_correctness_name(correctness),
                 ks_speed_name(speed), reason);
}

#endif
