// The table: one entry an original kernel, one function a variant.
#include "source/dispatch.h"

#include <inttypes.h>
#include <string.h>

#include "source/dispatch_runtime.h"
#include "source/proposal_plan.h"
#include "source/shadow_macros.h"

enum { MAX_TABLE = 64 << 20 };

struct table {
    struct ks_arena *arena;
    const struct ks_substitution *subs;
    size_t n_subs;
    struct ks_buf *out;
    const struct ks_substitution *sub; // whose function is being written
    const char *unknown;               // a name that no leaf could print
    struct ks_err *err;
};

// --- names in expressions ---

// A member of a struct that was passed by value, read where it lies.
static bool print_member(const struct table *t, struct ks_buf *out, const char *name)
{
    static const char *const types[] = {[1] = "signed char", [2] = "short", [4] = "int", [8] = "long long"};
    struct ks_struct_member member;
    int param = ks_plan_member(t->sub->proposal, t->sub->signature, name, &member);
    if (param < 0 || member.kind == 'f')
        return false;
    if (member.kind == 'p')
        ks_buf_printf(out, "ks_address_((const char *)c.args[%d] + %zu)", param, member.at);
    else
        ks_buf_printf(out, "ks_read_<%s>((const char *)c.args[%d] + %zu, &bad)",
                      member.kind == 'i'   ? types[member.size]
                      : member.size == 1 ? "unsigned char"
                                         : ks_arena_printf(t->arena, "unsigned %s", types[member.size]),
                      param, member.at);
    return true;
}

static void print_leaf(void *context, struct ks_buf *out, const char *name)
{
    struct table *t = context;
    int64_t value;
    if (print_member(t, out, name))
        return;
    int param = ks_plan_param(t->sub->proposal, name);
    if (param >= 0 && ks_plan_readable(&t->sub->signature->params[param]))
        ks_buf_printf(out, "ks_p%d_", param);
    else if (ks_plan_is_geometry(name))
        ks_buf_printf(out, "(ks_i_)c.%s", name);
    else if (param < 0 && ks_signature_value(t->sub->decl, t->sub->signature, name, &value))
        ks_buf_printf(out, "(%" PRId64 "LL)", value);
    else if (t->unknown == NULL)
        t->unknown = name;
}

static void put_expr(struct table *t, const struct ks_expr *expr, const char *otherwise)
{
    if (expr == NULL)
        ks_buf_puts(t->out, otherwise);
    else
        ks_expr_print_c(t->out, expr, print_leaf, t);
}

// Marks the original's parameters that expressions read.
struct uses {
    const struct ks_proposal *proposal;
    bool *param;
};

static void visit_use(void *context, const char *name)
{
    const struct uses *uses = context;
    int param = ks_plan_param(uses->proposal, name);
    if (param >= 0)
        uses->param[param] = true;
}

static void find_uses(struct uses *uses, const struct ks_substitution *sub)
{
    const struct ks_proposal *p = sub->proposal;
    if (sub->domain != NULL)
        ks_expr_names(sub->domain, visit_use, uses);
    ks_expr_names(p->when, visit_use, uses);
    for (size_t i = 0; i < p->n_workspaces; i++)
        ks_expr_names(p->workspaces[i].bytes, visit_use, uses);
    for (size_t i = 0; i < p->n_steps; i++) {
        const struct ks_step *step = &p->steps[i];
        for (int k = 0; k < 3; k++) {
            if (step->grid[k] != NULL)
                ks_expr_names(step->grid[k], visit_use, uses);
            if (step->block[k] != NULL)
                ks_expr_names(step->block[k], visit_use, uses);
        }
        if (step->shared != NULL)
            ks_expr_names(step->shared, visit_use, uses);
        for (size_t k = 0; k < step->n_args; k++)
            ks_expr_names(step->args[k], visit_use, uses);
    }
}

// --- one variant ---

static void put_reads(struct table *t)
{
    const struct ks_signature *s = t->sub->signature;
    struct uses uses = {t->sub->proposal, KS_NEW_ARRAY(t->arena, bool, s->n_params + 1)};
    find_uses(&uses, t->sub);
    for (size_t i = 0; i < s->n_params; i++) {
        if (!uses.param[i] || !ks_plan_readable(&s->params[i]))
            continue;
        if (s->params[i].pointer)
            ks_buf_printf(t->out, "    const ks_u_ ks_p%zu_ = ks_address_(c.args[%zu]);\n", i, i);
        else
            ks_buf_printf(t->out, "    const ks_i_ ks_p%zu_ = ks_read_<%s>(c.args[%zu], &bad);\n",
                          i, ks_scalar_c_name(s->params[i].elem.scalar), i);
    }
}

static void put_condition(struct table *t, const struct ks_expr *expr)
{
    ks_buf_puts(t->out, "    if (!(");
    put_expr(t, expr, "1");
    ks_buf_puts(t->out, ") || bad) return \"guard\";\n");
}

static void put_dims(struct table *t, size_t step)
{
    const struct ks_step *s = &t->sub->proposal->steps[step];
    ks_buf_printf(t->out, "    ks_dims_ ks_d%zu_;\n    {\n        const ks_i_ v[7] = {", step);
    for (int k = 0; k < 3; k++) {
        put_expr(t, s->grid[k], "1");
        ks_buf_puts(t->out, ", ");
    }
    for (int k = 0; k < 3; k++) {
        put_expr(t, s->block[k], "1");
        ks_buf_puts(t->out, ", ");
    }
    put_expr(t, s->shared, "0");
    ks_buf_printf(t->out,
                  "};\n        if (bad) return \"plan\";\n"
                  "        why = ks_dims_set_(&ks_d%zu_, v[0], v[1], v[2], v[3], v[4], v[5], v[6]);\n"
                  "        if (why) return why;\n    }\n",
                  step);
}

// Values a step's kernel gets by value live in locals of its parameters' types.
static enum ks_status put_values(struct table *t, size_t step)
{
    const struct ks_substitution *sub = t->sub;
    const struct ks_step *s = &sub->proposal->steps[step];
    for (size_t i = 0; i < s->n_args; i++) {
        const char *why;
        struct ks_arg arg = ks_plan_arg(t->arena, sub->proposal, sub->signature, s, i, &why);
        if (why != NULL)
            KS_FAIL(t->err, KS_E_USER, "%s: plan step %zu, argument %zu: %s",
                    sub->signature->instance, step + 1, i + 1, why);
        if (arg.kind != KS_ARG_VALUE)
            continue;
        ks_buf_printf(t->out, "    const ks_i_ ks_e%zu_%zu_ = ", step, i);
        put_expr(t, s->args[i], "0");
        ks_buf_puts(t->out, ";\n    if (bad");
        if (arg.min != INT64_MIN)
            ks_buf_printf(t->out, " || ks_e%zu_%zu_ < %" PRId64 "LL", step, i, arg.min);
        if (arg.max != INT64_MAX)
            ks_buf_printf(t->out, " || ks_e%zu_%zu_ > %" PRId64 "LL", step, i, arg.max);
        const char *type = ks_scalar_c_name(arg.scalar);
        ks_buf_printf(t->out, ") return \"plan\";\n    %s ks_v%zu_%zu_ = (%s)ks_e%zu_%zu_;\n", type,
                      step, i, type, step, i);
    }
    return KS_OK;
}

// C++ address of a plan's kernel on the host.
static const char *host_address(const struct table *t, const char *kernel)
{
    const struct ks_substitution *sub = t->sub;
    const char *path = "";
    for (size_t i = 0; i < sub->decl->n_scopes; i++)
        if (*sub->decl->scopes[i] != '\0')
            path = ks_arena_printf(t->arena, "%s::%s", path, sub->decl->scopes[i]);
    return ks_arena_printf(t->arena, "(const void *)%s::%s::%s", path,
                           ks_shadow_namespace(t->arena, sub->id, sub->decl), kernel);
}

static size_t kernel_steps(const struct ks_proposal *proposal)
{
    size_t n = 0;
    for (size_t i = 0; i < proposal->n_steps; i++)
        n += proposal->steps[i].kind == KS_STEP_KERNEL;
    return n;
}

static void put_workspace(struct table *t)
{
    const struct ks_proposal *p = t->sub->proposal;
    if (p->n_workspaces > 0)
        ks_buf_puts(t->out, "    ks_i_ ks_total_ = 0;\n");
    for (size_t i = 0; i < p->n_workspaces; i++) {
        ks_buf_printf(t->out, "    const ks_i_ ks_b%zu_ = ", i);
        put_expr(t, p->workspaces[i].bytes, "0");
        ks_buf_printf(t->out, ";\n    const ks_i_ ks_o%zu_ = ks_part_(&ks_total_, ks_b%zu_, &bad);\n",
                      i, i);
    }
    if (p->n_workspaces > 0)
        ks_buf_puts(t->out, "    if (bad) return \"plan\";\n");
}

// Whatever can be refused, asked in the order of dispatch.h.
static void put_refusals(struct table *t, size_t index)
{
    const struct ks_proposal *p = t->sub->proposal;
    bool several = kernel_steps(p) > 1;
    ks_buf_printf(t->out, "    why = ks_ask_(&c, %d);\n    if (why) return why;\n", t->sub->arch);
    for (size_t i = 0; i < p->n_steps; i++)
        if (p->steps[i].kind == KS_STEP_KERNEL)
            ks_buf_printf(t->out,
                          "    why = ks_ready_(&ks_k%zu_%zu_, %s, &c, &ks_d%zu_, %s);\n"
                          "    if (why) return why;\n",
                          index, i, host_address(t, p->steps[i].kernel), i,
                          several ? "true" : "false");
    if (p->n_steps > 1 || p->n_workspaces > 0)
        ks_buf_puts(t->out, "    why = ks_capturing_(&c);\n    if (why) return why;\n");
    if (p->n_workspaces == 0)
        return;
    ks_buf_puts(t->out,
                "    void *ks_space_ = 0;\n"
                "    if (cudaMallocAsync(&ks_space_, (size_t)(ks_total_ ? ks_total_ : 256), "
                "c.stream) != cudaSuccess)\n        return ks_refuse_(\"workspace\");\n");
    for (size_t i = 0; i < p->n_workspaces; i++)
        ks_buf_printf(t->out, "    void *ks_w%zu_ = (char *)ks_space_ + ks_o%zu_;\n", i, i);
}

static void put_step(struct table *t, size_t index, size_t step)
{
    const struct ks_substitution *sub = t->sub;
    const struct ks_step *s = &sub->proposal->steps[step];
    if (s->kind == KS_STEP_MEMSET) {
        int i = ks_plan_workspace(sub->proposal, s->workspace);
        ks_buf_printf(t->out,
                      "        if (ks_b%d_ > 0) e = cudaMemsetAsync(ks_w%d_, %d, (size_t)ks_b%d_, "
                      "c.stream);\n        if (e != cudaSuccess) break;\n",
                      i, i, s->value, i);
        return;
    }
    // Stored one by one: compilers zero an initialised array with `rep stos` before they fill it.
    ks_buf_printf(t->out, "        void *ks_args_[%zu];\n", s->n_args + 1);
    for (size_t i = 0; i < s->n_args; i++) {
        const char *why;
        struct ks_arg arg = ks_plan_arg(t->arena, sub->proposal, sub->signature, s, i, &why);
        if (arg.kind == KS_ARG_PARAM)
            ks_buf_printf(t->out, "        ks_args_[%zu] = c.args[%zu];\n", i, arg.index);
        else if (arg.kind == KS_ARG_MEMBER)
            ks_buf_printf(t->out, "        ks_args_[%zu] = (char *)c.args[%zu] + %zu;\n", i, arg.index, arg.at);
        else if (arg.kind == KS_ARG_WORKSPACE)
            ks_buf_printf(t->out, "        ks_args_[%zu] = &ks_w%zu_;\n", i, arg.index);
        else
            ks_buf_printf(t->out, "        ks_args_[%zu] = &ks_v%zu_%zu_;\n", i, step, i);
    }
    ks_buf_printf(t->out, "        ks_args_[%zu] = 0;\n", s->n_args);
    ks_buf_printf(t->out,
                  "        e = ks_start_(&ks_k%zu_%zu_, &c, &ks_d%zu_, ks_args_);\n"
                  "        if (e != cudaSuccess) break;\n        begun = true;\n",
                  index, step, step);
}

static void put_steps(struct table *t, size_t index)
{
    const struct ks_proposal *p = t->sub->proposal;
    ks_buf_puts(t->out, "    cudaError_t e = cudaSuccess;\n    bool begun = false;\n    do {\n");
    for (size_t i = 0; i < p->n_steps; i++) {
        ks_buf_puts(t->out, "        {\n");
        put_step(t, index, i);
        ks_buf_puts(t->out, "        }\n");
    }
    ks_buf_puts(t->out, "    } while (false);\n");
    // After the first launch an error is the application's to see; before it, nothing has happened.
    ks_buf_puts(t->out, "    const char *fell = e != cudaSuccess && !begun ? ks_refuse_(\"launch\") "
                        ": 0;\n");
    if (p->n_workspaces > 0)
        ks_buf_puts(t->out, "    if (cudaFreeAsync(ks_space_, c.stream) != cudaSuccess && fell) "
                            "(void)cudaGetLastError();\n");
    ks_buf_puts(t->out, "    return fell;\n}\n");
}

static enum ks_status put_variant(struct table *t, size_t index)
{
    t->sub = &t->subs[index];
    const struct ks_proposal *p = t->sub->proposal;
    if (p->n_params != t->sub->signature->n_params)
        KS_FAIL(t->err, KS_E_USER, "%s: the variant names %zu parameters of %zu",
                t->sub->signature->instance, p->n_params, t->sub->signature->n_params);
    for (size_t i = 0; i < p->n_steps; i++)
        if (p->steps[i].kind == KS_STEP_KERNEL)
            ks_buf_printf(t->out, "static ks_kernel_ ks_k%zu_%zu_ = {%d};\n", index, i, t->sub->arch);
    ks_buf_printf(t->out,
                  "static const char *ks_try_%zu_(ks_call_ &c)\n{\n"
                  "    if (c.cc > 0 && c.cc != %d) return ks_arch_;\n"
                  "    bool bad = false;\n    const char *why;\n",
                  index, t->sub->arch);
    put_reads(t);
    ks_buf_puts(t->out, "    if (bad) return \"guard\";\n");
    put_condition(t, t->sub->domain);
    put_condition(t, p->when);
    for (size_t i = 0; i < p->n_steps; i++) {
        if (p->steps[i].kind != KS_STEP_KERNEL)
            continue;
        put_dims(t, i);
        KS_TRY(put_values(t, i));
    }
    put_workspace(t);
    put_refusals(t, index);
    put_steps(t, index);
    if (t->unknown != NULL)
        KS_FAIL(t->err, KS_E_USER, "%s: variant %s: unknown name '%s' in an expression",
                t->sub->signature->instance, t->sub->id, t->unknown);
    return KS_OK;
}

// --- the table ---

// Whether subs[i] is the first for its kernel: an entry begins there.
static bool begins_entry(const struct table *t, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (strcmp(t->subs[k].signature->registered, t->subs[i].signature->registered) == 0)
            return false;
    return true;
}

// First match wins; of several refusals the one that is not about the architecture is told.
static void put_entry(struct table *t, size_t first, size_t entry)
{
    ks_buf_printf(t->out,
                  "static const char *ks_entry_%zu_(ks_call_ &c, const char **id)\n{\n"
                  "    const char *why = ks_arch_, *w;\n",
                  entry);
    for (size_t i = first; i < t->n_subs; i++) {
        if (strcmp(t->subs[i].signature->registered, t->subs[first].signature->registered) != 0)
            continue;
        ks_buf_printf(t->out,
                      "    if (!(w = ks_try_%zu_(c))) { *id = \"%s\"; return 0; }\n"
                      "    if (w != ks_arch_) why = w;\n",
                      i, t->subs[i].id);
    }
    ks_buf_puts(t->out, "    return why;\n}\n");
}

static void put_literal(struct ks_buf *out, const char *text)
{
    ks_buf_putc(out, '"');
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;
        if (c < ' ' || c == '"' || c == '\\' || c == '?' || c >= 0x7f)
            ks_buf_printf(out, "\\%03o", c);
        else
            ks_buf_putc(out, *text);
    }
    ks_buf_putc(out, '"');
}

static void put_entries(struct table *t)
{
    size_t n = 0;
    for (size_t i = 0; i < t->n_subs; i++)
        if (begins_entry(t, i))
            put_entry(t, i, n++);
    ks_buf_puts(t->out, "struct ks_entry_ {\n    const void *host; // set at registration\n"
                        "    const char *(*run)(ks_call_ &, const char **);\n};\n"
                        "enum { ks_n_entries_ = ");
    ks_buf_printf(t->out, "%zu };\nstatic ks_entry_ ks_entries_[ks_n_entries_] = {\n", n);
    for (size_t i = 0; i < n; i++)
        ks_buf_printf(t->out, "    {0, ks_entry_%zu_},\n", i);
    // Looked at when units register and in traces, and no other time.
    ks_buf_puts(t->out, "};\nstruct ks_name_ { const char *registered, *shown; };\n"
                        "static const ks_name_ ks_names_[] = {\n");
    for (size_t i = 0; i < t->n_subs; i++) {
        if (!begins_entry(t, i))
            continue;
        ks_buf_puts(t->out, "    {");
        put_literal(t->out, t->subs[i].signature->registered);
        ks_buf_puts(t->out, ", ");
        put_literal(t->out, t->subs[i].signature->instance);
        ks_buf_puts(t->out, "},\n");
    }
    ks_buf_puts(t->out, "};\n");
}

// What the hook calls: `int` last makes these the better match than its neutral overloads.
static const char entry_points[] =
    "static __attribute__((used)) void __ks_register(const void *host, const char *name, int)\n"
    "{\n"
    "    using namespace ks_rt_;\n"
    "    for (int i = 0; i < ks_n_entries_; i++)\n"
    "        if (ks_same_(name, ks_names_[i].registered)) { // one that fits twice serves no one\n"
    "            const void *&known = ks_entries_[i].host;\n"
    "            known = known && known != host ? ks_names_ : host;\n"
    "        }\n"
    "}\n"
    "__KS_COLD bool __ks_unusual(int i, ks_rt_::ks_call_ &c)\n"
    "{\n"
    "    using namespace ks_rt_;\n"
    "    const char *why, *id = 0;\n"
    "    bool traced = ks_trace_fd_() >= 0;\n"
    "    if (!ks_off_() && !traced) __atomic_store_n(&ks_the_machine_.usual, 1, __ATOMIC_RELAXED);\n"
    "    if (ks_off_()) why = \"disabled\";\n"
    "    else if (!ks_launchable_(c.grid, c.block)) why = \"grid\";\n"
    "    else why = ks_entries_[i].run(c, &id);\n"
    "    if (traced) ks_trace_(ks_names_[i].shown, id, why);\n"
    "    return !why;\n"
    "}\n"
    "static __attribute__((used)) bool __ks_dispatch(const void *host, dim3 grid, dim3 block,\n"
    "    size_t shared, cudaStream_t stream, void **args, int)\n"
    "{\n"
    "    using namespace ks_rt_;\n"
    "    int i = 0;\n"
    "    while (i < ks_n_entries_ && ks_entries_[i].host != host) i++;\n"
    "    if (i == ks_n_entries_) return false;\n"
    "    ks_call_ c = {grid, block, shared, stream, args, ks_machine_cc_(), -1, -1};\n"
    "    if (__builtin_expect(!__atomic_load_n(&ks_the_machine_.usual, __ATOMIC_RELAXED), 0))\n"
    "        return __ks_unusual(i, c);\n"
    "    if (!ks_launchable_(grid, block)) return false; // an error that the original reports\n"
    "    const char *id;\n"
    "    return !ks_entries_[i].run(c, &id);\n"
    "}\n";

// Sections are kept through --gc-sections where the host compiler knows `retain`.
static void put_sections(struct table *t)
{
    ks_buf_puts(t->out,
                "#if defined(__has_attribute)\n#if __has_attribute(retain)\n"
                "#define __KS_KEEP retain,\n#endif\n#endif\n"
                "#ifndef __KS_KEEP\n#define __KS_KEEP\n#endif\n"
                "static const char __ks_table_marker[]\n"
                "    __attribute__((used, __KS_KEEP section(\"" KS_SECTION_TABLE "\"))) = "
                "\"ks-table 1\";\n"
                "static const char __ks_note[]\n"
                "    __attribute__((used, __KS_KEEP section(\"" KS_SECTION_NOTE "\"))) =\n");
    for (size_t i = 0; i < t->n_subs; i++) {
        ks_buf_puts(t->out, "    ");
        put_literal(t->out, t->subs[i].provenance == NULL ? "" : t->subs[i].provenance);
        ks_buf_puts(t->out, i + 1 < t->n_subs ? " \"\\0\"\n" : ";\n");
    }
}

enum ks_status ks_dispatch_text(struct ks_arena *arena, const struct ks_substitution *subs,
                                size_t n_subs, struct ks_buf *out, struct ks_err *err)
{
    struct ks_buf body = KS_BUF(MAX_TABLE);
    struct table t = {.arena = arena, .subs = subs, .n_subs = n_subs, .out = &body, .err = err};
    enum ks_status status = KS_OK;
    ks_buf_puts(&body, ks_dispatch_libc);
    ks_buf_puts(&body, "namespace {\nnamespace ks_rt_ {\n");
    ks_buf_puts(&body, ks_expr_c_helpers());
    ks_buf_puts(&body, ks_dispatch_runtime);
    for (size_t i = 0; i < n_subs; i++)
        KS_TRY_GOTO(put_variant(&t, i), done);
    put_entries(&t);
    ks_buf_puts(&body, "}\n}\n");
    ks_buf_puts(&body, entry_points);
    put_sections(&t);
    KS_TRY_GOTO(ks_buf_check(&body, "dispatch table", err), done);
    struct ks_strv words = ks_macro_words(
        arena, (struct ks_slice){ks_buf_text(&body), body.len}, KS_MACROS_RUNTIME);
    // Host pass only, and as a system header's text: see write_marker in shadow.c.
    ks_buf_puts(out, "# 1 \"<ks/dispatch>\" 3\n#if !defined(__CUDA_ARCH__)\n");
    ks_macros_hide(out, &words);
    ks_buf_add(out, body.data, body.len);
    ks_macros_restore(out, &words);
    ks_buf_puts(out, "#endif\n");
done:
    ks_buf_free(&body);
    return status;
}
