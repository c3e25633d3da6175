// Runs a proposal's device code and its original as host C++ (cuda_host.h) over many sizes and
// misalignments, and compares what they leave in memory. One g++ compile for all cases of a kernel.
#ifndef HOST_RUN_H
#define HOST_RUN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/engine.h"
#include "engine/subject.h"
#include "workload/fields.h"
#include "workload/members.h"

struct host_case {
    struct ks_brief brief;
    struct ks_kernel_list kernels;
    struct ks_mark_list marks;
    struct ks_signature signature;
    const char *text;
};

// Whether the text has a marked kernel number `n`.
static inline bool host_case_has(struct ks_arena *arena, const char *text, size_t n)
{
    struct ks_kernel_list kernels = {0};
    struct ks_mark_list marks = {0};
    struct ks_err err = {0};
    if (ks_kernels_find(arena, "t.cu", ks_slice_of(text), &kernels, &err) != KS_OK ||
        ks_marks_find(arena, "t.cu", ks_slice_of(text), &kernels, &marks, &err) != KS_OK)
        fail_msg("%s", err.text);
    return n < marks.len;
}

// What a parameter of that type takes in the launch; a struct by its members.
static inline struct ks_elem host_param(struct ks_arena *arena, const char *text,
                                        const struct ks_type *type)
{
    struct ks_fields fields = {0};
    if (type->pointer)
        return (struct ks_elem){.size = 8, .align = 8};
    if (type->elem.size > 0)
        return type->elem;
    if (!ks_fields_find(arena, ks_slice_of(text), type->text, &fields))
        fail_msg("the size of %s is not known", type->text);
    return (struct ks_elem){.size = fields.size, .align = fields.align};
}

// Brief of one marked kernel of a text; `types` are the instance's parameter types for a
// template (NULL: as declared), `args` its template arguments.
static inline void host_case_make_nth(struct ks_arena *arena, const char *text, size_t nth,
                                      const char *const *types, const char *const *args,
                                      size_t n_args, struct host_case *c)
{
    struct ks_err err = {0};
    *c = (struct host_case){.text = text};
    if (ks_kernels_find(arena, "t.cu", ks_slice_of(text), &c->kernels, &err) != KS_OK ||
        ks_marks_find(arena, "t.cu", ks_slice_of(text), &c->kernels, &c->marks, &err) != KS_OK)
        fail_msg("%s", err.text);
    struct ks_mark *mark = &c->marks.at[nth];
    const struct ks_kernel_decl *decl = mark->kernel;
    c->signature = (struct ks_signature){.registered = decl->name, .qualified = decl->qualified,
                                         .instance = decl->qualified, .n_params = decl->n_params,
                                         .template_args = (const char **)args,
                                         .n_template_args = n_args};
    c->signature.params = KS_NEW_ARRAY(arena, struct ks_type, decl->n_params);
    c->signature.offsets = KS_NEW_ARRAY(arena, size_t, decl->n_params);
    for (size_t i = 0, at = 0; i < decl->n_params; i++) {
        c->signature.params[i] =
            types ? ks_type_parse(arena, ks_slice_of(types[i])) : decl->params[i].type;
        struct ks_elem param = host_param(arena, text, &c->signature.params[i]);
        at = (at + param.align - 1) / param.align * param.align;
        c->signature.offsets[i] = at;
        at += param.size;
    }
    if (ks_members_named(mark))
        mark = ks_members_expand(arena, mark, decl, &c->signature, ks_slice_of(text));
    c->brief = (struct ks_brief){
        .kernel_text = ks_arena_strndup(arena, text + decl->begin, decl->end - decl->begin),
        .decl = decl,
        .signature = &c->signature,
        .mark = mark,
    };
    struct ks_word_index words;
    ks_word_index_make(arena, ks_slice_of(text), &words);
    ks_callees_find(arena, ks_slice_of(c->brief.kernel_text), &words, &c->brief.callees);
    ks_aliases_find(arena, ks_slice_of(c->brief.kernel_text), &words, &c->brief.aliases);
    struct ks_problem *problems = KS_NEW_ARRAY(arena, struct ks_problem, mark->n_workloads);
    for (size_t w = 0; w < mark->n_workloads; w++)
        if (ks_problem_make(arena, mark, w, &c->signature, decl, NULL, 0, &problems[w], &err) !=
            KS_OK)
            fail_msg("%s", err.text);
    c->brief.problems = problems;
    c->brief.n_problems = mark->n_workloads;
}

// The same of the only one.
static inline void host_case_make(struct ks_arena *arena, const char *text,
                                  const char *const *types, const char *const *args, size_t n_args,
                                  struct host_case *c)
{
    host_case_make_nth(arena, text, 0, types, args, n_args, c);
}

struct host_names {
    const struct ks_problem *problem;
    const struct ks_proposal *proposal;
    size_t skew; // elements
};

// Addresses are a page apart per argument as far as alignment goes; buffers never overlap.
static inline bool host_lookup(void *context, const char *name, int64_t *value)
{
    const struct host_names *n = context;
    static const char *const geometry[] = {"grid.x", "grid.y", "grid.z",
                                           "block.x", "block.y", "block.z"};
    for (int i = 0; i < 6; i++)
        if (strcmp(name, geometry[i]) == 0) {
            *value = i < 3 ? n->problem->grid[i] : n->problem->block[i - 3];
            return true;
        }
    if (strcmp(name, "shared") == 0) {
        *value = n->problem->shared;
        return true;
    }
    for (size_t i = 0; i < n->problem->n_args; i++)
        if (strcmp(n->problem->args[i].name, name) == 0 &&
            n->problem->args[i].kind == KS_ARG_BUFFER) {
            *value = (int64_t)((i + 1) << 40) + (int64_t)(n->skew * n->problem->args[i].elem.size);
            return true;
        }
    for (size_t i = 0; i < n->problem->n_values; i++)
        if (strcmp(n->problem->values[i].name, name) == 0) {
            *value = n->problem->values[i].value;
            return true;
        }
    return false;
}

static inline int64_t host_eval(const struct ks_expr *expr, struct host_names *names, int64_t none)
{
    int64_t value = none;
    if (expr && !ks_expr_eval(expr, host_lookup, names, &value))
        fail_msg("a plan's expression is undefined");
    return value;
}

static inline void host_dims(FILE *f, struct ks_expr *const *dims, struct host_names *names)
{
    fprintf(f, "dim3(%lld, %lld, %lld)", (long long)host_eval(dims[0], names, 1),
            (long long)host_eval(dims[1], names, 1), (long long)host_eval(dims[2], names, 1));
}

static inline void host_scalar(FILE *f, const struct ks_arg *arg)
{
    union {
        unsigned char bytes[64];
        float f;
        double d;
        long long i;
    } u = {{0}};
    memcpy(u.bytes, arg->bytes, sizeof u.bytes);
    if (arg->type.elem.scalar == KS_T_F32)
        fprintf(f, "(float)%.9g", (double)u.f);
    else if (arg->type.elem.scalar == KS_T_F64)
        fprintf(f, "%.17g", u.d);
    else if (arg->size == 4)
        fprintf(f, "(int)%d", (int)u.i);
    else
        fprintf(f, "%lldLL", u.i);
}

static inline const struct ks_arg *host_arg(const struct ks_problem *p, const char *name)
{
    for (size_t i = 0; i < p->n_args; i++)
        if (strcmp(p->args[i].name, name) == 0)
            return &p->args[i];
    return NULL;
}

// The buffers of one side of a case: 0 the original's, 1 the proposal's.
static inline void host_put_buffers(FILE *f, const struct ks_problem *p, int side, size_t skew)
{
    for (size_t i = 0; i < p->n_args; i++) {
        const struct ks_arg *a = &p->args[i];
        const char *type = ks_scalar_c_name(a->elem.scalar);
        if (a->kind != KS_ARG_BUFFER)
            continue;
        fprintf(f, "%s *%s_%d = buffer<%s>(%lld, %zu);\n", type, a->name, side, type,
                (long long)a->count, skew);
        if (a->role != KS_ROLE_OUT)
            fprintf(f, "fill(%s_%d, %lld, %zu);\n", a->name, side, (long long)a->count, i + 1);
    }
}

static inline void host_put_frees(FILE *f, const struct ks_problem *p, int side, size_t skew)
{
    for (size_t i = 0; i < p->n_args; i++)
        if (p->args[i].kind == KS_ARG_BUFFER)
            fprintf(f, "free((char *)(%s_%d - %zu));\n", p->args[i].name, side, skew);
}

// Runs the original of a size and a skew.
static inline void host_put_original(FILE *f, const struct ks_problem *p,
                                     const struct ks_kernel_decl *decl, size_t skew, bool meets)
{
    host_put_buffers(f, p, 0, skew);
    fprintf(f, "cuda_host::launch(dim3(%lld, %lld, %lld), dim3(%lld, %lld, %lld), %d, [=] { ::%s(",
            (long long)p->grid[0], (long long)p->grid[1], (long long)p->grid[2],
            (long long)p->block[0], (long long)p->block[1], (long long)p->block[2], meets,
            decl->name);
    for (size_t i = 0; i < p->n_args; i++) {
        fprintf(f, "%s", i ? ", " : "");
        if (p->args[i].kind == KS_ARG_BUFFER)
            fprintf(f, "%s_0", p->args[i].name);
        else
            host_scalar(f, &p->args[i]);
    }
    fprintf(f, "); });\n");
}

// Writes one case, beside its original; false when the guard says no.
static inline bool host_put_case(FILE *f, const struct ks_proposal *proposal,
                                 const struct ks_problem *p, const char *space, size_t skew,
                                 bool meets, double rel)
{
    struct host_names names = {p, proposal, skew};
    if (!ks_expr_holds(proposal->when, host_lookup, &names))
        return false;
    fprintf(f, "{\n");
    host_put_buffers(f, p, 1, skew);
    for (size_t w = 0; w < proposal->n_workspaces; w++)
        fprintf(f, "char *%s_1 = buffer<char>(%lld, 0);\n", proposal->workspaces[w].name,
                (long long)host_eval(proposal->workspaces[w].bytes, &names, 0));
    for (size_t s = 0; s < proposal->n_steps; s++) {
        const struct ks_step *step = &proposal->steps[s];
        if (step->kind == KS_STEP_MEMSET) {
            for (size_t w = 0; w < proposal->n_workspaces; w++)
                if (strcmp(proposal->workspaces[w].name, step->workspace) == 0)
                    fprintf(f, "memset(%s_1, %d, %lld);\n", step->workspace, step->value,
                            (long long)host_eval(proposal->workspaces[w].bytes, &names, 0));
            continue;
        }
        const struct ks_kernel_decl *kernel = NULL;
        for (size_t k = 0; k < proposal->kernels.len; k++)
            if (strcmp(proposal->kernels.at[k].name, step->kernel) == 0)
                kernel = &proposal->kernels.at[k];
        assert_non_null(kernel);
        fprintf(f, "cuda_host::launch(");
        host_dims(f, step->grid, &names);
        fprintf(f, ", ");
        host_dims(f, step->block, &names);
        fprintf(f, ", %d, [=] { %s::%s(", meets, space, step->kernel);
        for (size_t i = 0; i < step->n_args; i++) {
            const struct ks_expr *e = step->args[i];
            const struct ks_arg *arg = e->op == KS_X_NAME ? host_arg(p, e->name) : NULL;
            bool workspace = false;
            for (size_t w = 0; e->op == KS_X_NAME && w < proposal->n_workspaces; w++)
                workspace |= strcmp(proposal->workspaces[w].name, e->name) == 0;
            fprintf(f, "%s", i ? ", " : "");
            if (workspace)
                fprintf(f, "any_pointer{%s_1}", e->name);
            else if (arg && arg->kind == KS_ARG_BUFFER)
                fprintf(f, "%s_1", arg->name);
            else if (arg)
                host_scalar(f, arg);
            else
                fprintf(f, "%lldLL", (long long)host_eval(e, &names, 0));
        }
        fprintf(f, "); });\n");
    }
    for (size_t i = 0; i < p->n_args; i++)
        if (p->args[i].kind == KS_ARG_BUFFER)
            fprintf(f, "compare(\"%s of %s, %s skew %zu\", %s_0, %s_1, %lld, %g);\n",
                    p->args[i].name, space, p->name ? p->name : "", skew, p->args[i].name,
                    p->args[i].name, (long long)p->args[i].count, rel);
    host_put_frees(f, p, 1, skew);
    fprintf(f, "}\n");
    return true;
}

static inline const char *host_directory(struct ks_arena *arena)
{
    static char made[64];
    if (!*made) {
        strcpy(made, "/tmp/ks-host-run-XXXXXX");
        if (!mkdtemp(made))
            fail_msg("no directory for the test");
    }
    (void)arena;
    return made;
}

static inline void host_clean(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", host_directory(NULL));
    if (system(command) != 0)
        fail_msg("%s", command);
}

// Compiles the generated file and runs it; `marked` cases are those whose guard held.
static inline void host_compile_and_run(struct ks_arena *arena, const char *path, bool sanitize)
{
    char *command = ks_arena_printf(
        arena, "g++ -std=c++14 -O0 -w -fno-strict-aliasing -ffp-contract=off %s -I%s/tests/host_run "
               "-o %s.bin %s && ASAN_OPTIONS=detect_leaks=0 %s.bin",
        sanitize ? "-fsanitize=address" : "", KS_SOURCE_DIR, path, path, path);
    if (system(command) != 0)
        fail_msg("%s", command);
}

// Every size let of the workload takes each of `sizes` (all equal, and one shifted from the next).
// Returns the number of cases in which the guard held; the caller says how many it expects at least.
static inline int host_run(struct ks_arena *arena, const struct host_case *c,
                           struct ks_proposal *const *proposals, size_t n_proposals,
                           const int64_t *sizes, size_t n_sizes, bool meets, bool original_meets,
                           double rel)
{
    static int serial;
    const char *path = ks_arena_printf(arena, "%s/run%d.cpp", host_directory(arena), serial++);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    int held = 0;
    fprintf(f, "#include \"cuda_host.h\"\n"
               "%s\n", c->text);
    for (size_t i = 0; i < n_proposals; i++)
        fprintf(f, "namespace p%zu {\n%s\n}\n", i, proposals[i]->source);
    fprintf(f, "int main() {\n");
    struct ks_value *lets;
    size_t n_lets = ks_problem_sizes(arena, c->brief.mark, 0, &lets);
    for (size_t s = 0; s < n_sizes; s++)
        for (size_t skew = 0; skew < 2; skew++) {
            for (size_t l = 0; l < n_lets; l++)
                lets[l].value = sizes[(s + l) % n_sizes];
            struct ks_problem problem;
            struct ks_err err = {0};
            if (ks_problem_make(arena, c->brief.mark, 0, &c->signature, c->brief.decl, lets, n_lets,
                                &problem, &err) != KS_OK)
                continue; // a size that is no launch
            fprintf(f, "{\n");
            host_put_original(f, &problem, c->brief.decl, skew, original_meets);
            for (size_t i = 0; i < n_proposals; i++)
                held += host_put_case(f, proposals[i], &problem, ks_arena_printf(arena, "p%zu", i),
                                      skew, meets, rel);
            host_put_frees(f, &problem, 0, skew);
            fprintf(f, "}\n");
        }
    fprintf(f, "return failures != 0;\n}\n");
    fclose(f);
    host_compile_and_run(arena, path, !meets && !original_meets);
    return held;
}

// Compiles the original with the proposal behind it by nvcc; skipped where there is none.
static inline void host_nvcc(struct ks_arena *arena, const struct host_case *c,
                             const struct ks_proposal *proposal, const char *keep_ptx)
{
    const char *nvcc = access("/usr/local/cuda/bin/nvcc", X_OK) == 0 ? "/usr/local/cuda/bin/nvcc"
                                                                     : NULL;
    if (!nvcc)
        return;
    static int serial;
    const char *path = ks_arena_printf(arena, "%s/nvcc%d.cu", host_directory(arena), serial++);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    for (size_t i = 0; i < proposal->n_includes; i++)
        fprintf(f, "#include <%s>\n", proposal->includes[i]);
    fprintf(f, "%s\nnamespace ks_p {\n%s\n}\n", c->text, proposal->source);
    fclose(f);
    char *command = ks_arena_printf(arena, "%s -std=c++11 -arch=sm_90 %s -o %s %s", nvcc,
                                    keep_ptx ? "-ptx" : "-cubin",
                                    keep_ptx ? keep_ptx : ks_arena_printf(arena, "%s.cubin", path),
                                    path);
    if (system(command) != 0)
        fail_msg("%s", command);
}

#endif
