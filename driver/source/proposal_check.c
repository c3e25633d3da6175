// ks_proposal_check: the text by proposal_words.c and proposal_declare.c, then kernels, plan and
// names against the original's signature.
#include <ctype.h>
#include <string.h>

#include "source/proposal_gate.h"
#include "source/proposal_plan.h"

enum { MAX_SOURCE = 256 << 10, MAX_ALIGN = 256 };

static const char *const allowed_includes[] = {"cuda_fp16.h", "cuda_bf16.h", "mma.h",
                                               "cuda_pipeline.h", "cooperative_groups.h"};

struct check {
    struct ks_arena *arena;
    struct ks_proposal *proposal;
    const struct ks_signature *signature;
    const char *where;        // "plan step 2", for messages about expressions
    const char *bad_name;     // found by visit_name
    struct ks_err *err;
};

static bool is_identifier(const char *text)
{
    if (!isalpha((unsigned char)*text) && *text != '_')
        return false;
    for (; *text != '\0'; text++)
        if (!isalnum((unsigned char)*text) && *text != '_')
            return false;
    return true;
}

static enum ks_status check_includes(const struct check *c)
{
    for (size_t i = 0; i < c->proposal->n_includes; i++) {
        bool found = false;
        for (size_t k = 0; k < sizeof allowed_includes / sizeof *allowed_includes; k++)
            found |= strcmp(c->proposal->includes[i], allowed_includes[k]) == 0;
        if (!found)
            KS_FAIL(c->err, KS_E_USER,
                    "include '%s' is refused; possible are cuda_fp16.h, cuda_bf16.h, mma.h, "
                    "cuda_pipeline.h and cooperative_groups.h",
                    c->proposal->includes[i]);
    }
    return KS_OK;
}

// Whether a type's text has that word.
static bool has_word(struct ks_arena *arena, const struct ks_type *type, const char *word)
{
    struct ks_token *tokens;
    size_t n = ks_lex_all(arena, ks_slice_of(type->text), false, &tokens);
    for (size_t i = 0; i < n; i++)
        if (tokens[i].kind == KS_TOK_IDENT && ks_token_is(&tokens[i], word))
            return true;
    return false;
}

// A type that the host and our own reading of signatures take for another: a builtin's, or what the types of the
// original's parameters and of the kernels' are written with.
static bool means_something(const void *context, const struct ks_token *t)
{
    const struct check *c = context;
    const char *word = ks_arena_strndup(c->arena, t->at, t->len);
    if (ks_type_parse(c->arena, ks_slice_of(word)).elem.size > 0)
        return true;
    for (size_t i = 0; i < c->signature->n_params; i++)
        if (has_word(c->arena, &c->signature->params[i], word))
            return true;
    ks_vec_each(struct ks_kernel_decl, kernel, &c->proposal->kernels)
        for (size_t i = 0; i < kernel->n_params; i++)
            if (has_word(c->arena, &kernel->params[i].type, word))
                return true;
    return false;
}

static enum ks_status check_text(const struct check *c, struct ks_arena *scratch,
                                 struct ks_gate *gate)
{
    *gate = (struct ks_gate){.arena = scratch, .err = c->err, .foreign = c->proposal->foreign,
                             .source = ks_slice_of(c->proposal->source)};
    if (gate->source.len > MAX_SOURCE)
        KS_FAIL(c->err, KS_E_USER, "source: %zu bytes, at most %d are possible", gate->source.len,
                MAX_SOURCE);
    KS_TRY(ks_gate_words(gate));
    return ks_gate_declarations(gate);
}

// Words of a kernel's head: other specifiers could change what a launch means.
static enum ks_status check_head(const struct check *c, const struct ks_gate *gate,
                                 const struct ks_kernel_decl *kernel)
{
    static const char *const possible[] = {"__global__", "void", "static", "__launch_bounds__",
                                           "__maxnreg__"};
    const char *begin = c->proposal->source + kernel->begin;
    const char *end = c->proposal->source + kernel->body;
    for (size_t i = 0; i < gate->len; i++) {
        const struct ks_token *t = &gate->at[i];
        if (t->at < begin || t->at >= end)
            continue;
        if (ks_token_is(t, kernel->name) && ks_token_is(&t[1], "("))
            break;
        bool known = false;
        for (size_t k = 0; k < sizeof possible / sizeof *possible; k++)
            known |= ks_token_is(t, possible[k]);
        if (!known)
            KS_GATE_FAIL(gate, t, "'%.*s' cannot stand before a kernel's name", (int)t->len, t->at);
        if (gate->match[i + 1] > 0 && ks_token_is(&t[1], "("))
            i = (size_t)gate->match[i + 1];
    }
    return KS_OK;
}

// The host compiler sees kernels' signatures without the source's own types.
static bool is_host_visible(const struct check *c, const struct ks_type *type)
{
    if (type->elem.size > 0)
        return true;
    const char *word = ks_plan_type_word(c->arena, type->text);
    if (type->pointer && strcmp(word, "void") == 0)
        return true;
    for (size_t i = 0; i < c->signature->n_params && *word != '\0'; i++)
        if (strcmp(word, ks_plan_type_word(c->arena, c->signature->params[i].text)) == 0)
            return true;
    return false;
}

// Parameter lists are the one text of a proposal that the host compiler sees: types and names, no code. (An
// array's bound could be `[]{ ... }()`, or make an instance of a template of the user's.)
static enum ks_status check_list(const struct ks_gate *gate, const struct ks_kernel_decl *kernel)
{
    const char *body = gate->source.at + kernel->body;
    size_t i = 0;
    while (i + 1 < gate->len && !(ks_token_is(&gate->at[i], kernel->name) && ks_token_is(&gate->at[i + 1], "(") &&
                                  gate->at[i].at >= gate->source.at + kernel->begin))
        i++;
    for (i += 2; i < gate->len && gate->at[i].at < body && !ks_token_is(&gate->at[i], ")"); i++) {
        const struct ks_token *t = &gate->at[i];
        bool bound = ks_token_is(t, "[") && !ks_token_is(&t[1], "]") &&
                     !(t[1].kind == KS_TOK_NUMBER && ks_token_is(&t[2], "]"));
        if (bound || ks_token_is(t, "(") || ks_token_is(t, "{"))
            KS_GATE_FAIL(gate, t, "kernel '%s': parameters are types and names, without '(', '{' or computed bounds",
                         kernel->name);
    }
    return KS_OK;
}

// The first token of a kernel's head that spells `name`.
static const struct ks_token *head_token(const struct ks_gate *gate, const struct ks_kernel_decl *kernel,
                                         const char *name)
{
    for (size_t i = 0; i < gate->len && gate->at[i].at < gate->source.at + kernel->body; i++)
        if (gate->at[i].at >= gate->source.at + kernel->begin && ks_token_is(&gate->at[i], name))
            return &gate->at[i];
    return &gate->at[0];
}

static bool is_reserved(const char *name)
{
    return name[0] == '_' && (name[1] == '_' || isupper((unsigned char)name[1]));
}

// The host compiler sees the names of kernels and of their parameters, around a body of ours.
static enum ks_status check_head_names(const struct check *c, const struct ks_gate *gate,
                                       const struct ks_kernel_decl *kernel)
{
    static const char *const taken[] = {"main", "std", "gridDim", "blockIdx", "blockDim", "threadIdx", "warpSize"};
    const struct ks_token *t = head_token(gate, kernel, kernel->name);
    bool used = is_reserved(kernel->name) || means_something(c, t);
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        used |= strcmp(kernel->name, taken[i]) == 0;
    if (used)
        KS_GATE_FAIL(gate, t, "a kernel cannot be named '%s', which has a meaning already: choose another name",
                     kernel->name);
    for (size_t i = 0; i < kernel->n_params; i++)
        if (is_reserved(kernel->params[i].name))
            KS_GATE_FAIL(gate, head_token(gate, kernel, kernel->params[i].name),
                         "kernel '%s': '%s' cannot be a parameter's name, for names that begin with two underscores, "
                         "or one and a capital, are the compiler's",
                         kernel->name, kernel->params[i].name);
    return KS_OK;
}

static enum ks_status check_kernel(const struct check *c, const struct ks_gate *gate,
                                   const struct ks_kernel_decl *kernel)
{
    if (kernel->problem != NULL || kernel->is_template || kernel->n_scopes > 0)
        KS_FAIL(c->err, KS_E_USER, "source:%d: kernel '%s': %s", kernel->line, kernel->name,
                kernel->problem != NULL ? kernel->problem : "must be plain and at namespace scope");
    if (ks_plan_kernel(c->proposal, kernel->name) != kernel)
        KS_FAIL(c->err, KS_E_USER, "source:%d: two kernels are named '%s'", kernel->line,
                kernel->name);
    KS_TRY(check_head(c, gate, kernel));
    KS_TRY(check_list(gate, kernel));
    KS_TRY(check_head_names(c, gate, kernel));
    for (size_t i = 0; i < kernel->n_params; i++)
        if (!is_host_visible(c, &kernel->params[i].type))
            KS_FAIL(c->err, KS_E_USER,
                    "source:%d: kernel '%s' takes a %s; kernels take builtin types and the "
                    "original's parameter types",
                    kernel->line, kernel->name, kernel->params[i].type.text);
    // A default argument or a comma the declarator did not see would change the signature.
    const char *head = c->proposal->source + kernel->begin;
    if (memchr(head, '=', kernel->body - kernel->begin) != NULL)
        KS_FAIL(c->err, KS_E_USER, "source:%d: kernel '%s' has default arguments", kernel->line,
                kernel->name);
    return KS_OK;
}

static enum ks_status check_kernels(const struct check *c, const struct ks_gate *gate)
{
    struct ks_proposal *p = c->proposal;
    p->kernels = (struct ks_kernel_list){0};
    KS_TRY(ks_kernels_find(c->arena, "source", gate->source, &p->kernels, c->err));
    size_t written = 0;
    for (size_t i = 0; i < gate->len; i++)
        written += ks_token_is(&gate->at[i], "__global__");
    if (p->kernels.len == 0 || written != p->kernels.len)
        KS_FAIL(c->err, KS_E_USER, "source: %zu kernel definitions are understood of %zu "
                "__global__; at least one is needed", p->kernels.len, written);
    ks_vec_each(struct ks_kernel_decl, kernel, &p->kernels)
        KS_TRY(check_kernel(c, gate, kernel));
    return KS_OK;
}

static enum ks_status check_params(const struct check *c)
{
    const struct ks_proposal *p = c->proposal;
    if (p->n_params != c->signature->n_params)
        KS_FAIL(c->err, KS_E_USER, "params: %zu names for the %zu parameters of %s", p->n_params,
                c->signature->n_params, c->signature->instance);
    for (size_t i = 0; i < p->n_params; i++) {
        const char *name = p->params[i];
        if (*name == '\0' && ks_plan_readable(&c->signature->params[i]))
            KS_FAIL(c->err, KS_E_USER, "params: parameter %zu needs a name, or no domain could ask for its value",
                    i + 1);
        if (*name == '\0')
            continue;
        if (!is_identifier(name) || strcmp(name, "shared") == 0)
            KS_FAIL(c->err, KS_E_USER, "params: '%s' cannot be a parameter's name", name);
        if (ks_plan_param(p, name) != (int)i)
            KS_FAIL(c->err, KS_E_USER, "params: '%s' stands twice", name);
    }
    for (size_t i = 0; i < p->n_workspaces; i++) {
        const char *name = p->workspaces[i].name;
        if (!is_identifier(name) || strcmp(name, "shared") == 0 || ks_plan_param(p, name) >= 0 ||
            ks_plan_workspace(p, name) != (int)i)
            KS_FAIL(c->err, KS_E_USER, "workspace '%s': not a name, or taken already", name);
    }
    return KS_OK;
}

static void visit_name(void *context, const char *name)
{
    struct check *c = context;
    struct ks_struct_member member;
    int param = ks_plan_param(c->proposal, name);
    bool known = ks_plan_is_geometry(name) ||
                 (ks_plan_member(c->proposal, c->signature, name, &member) >= 0 && member.kind != 'f') ||
                 (param >= 0 && ks_plan_readable(&c->signature->params[param])) ||
                 // Names of template parameters are not in the signature; dispatch resolves them.
                 (param < 0 && c->signature->n_template_args > 0 && is_identifier(name) &&
                  ks_plan_workspace(c->proposal, name) < 0);
    if (!known && c->bad_name == NULL)
        c->bad_name = name;
}

static bool names_pointer(const struct check *c, const struct ks_expr *e)
{
    struct ks_struct_member member;
    int param = e->op == KS_X_NAME ? ks_plan_param(c->proposal, e->name) : -1;
    if (e->op == KS_X_NAME && ks_plan_member(c->proposal, c->signature, e->name, &member) >= 0)
        return member.kind == 'p';
    return param >= 0 && c->signature->params[param].pointer;
}

// Where a condition stands in a guard: it widens the guard, narrows it, or both; or in a plan.
enum sense { WIDENS, NARROWS, EITHER, IN_PLAN };

static const enum sense negated[] = {[WIDENS] = NARROWS, [NARROWS] = WIDENS, [EITHER] = EITHER,
                                     [IN_PLAN] = IN_PLAN};

// What may be asked of addresses: the judge has others than a program, so whatever a guard says must hold
// there at least where it holds at a launch. NULL, or what is wrong.
static const char *address_fault(const struct check *c, const struct ks_expr *e, enum sense sense)
{
    const struct ks_expr *k = e->kid[1];
    switch (e->op) {
    case KS_X_NAME:
        return names_pointer(c, e) ? "an address is no number: pointers stand in aligned() and overlap() alone"
                                   : NULL;
    case KS_X_ALIGNED:
        if (k->op != KS_X_INT || k->value < 1 || k->value > MAX_ALIGN || (k->value & (k->value - 1)) != 0)
            return "aligned() asks for a power of two up to 256, as a number";
        return sense == WIDENS || sense == IN_PLAN ? NULL : "a guard may ask for aligned(), not for its opposite";
    case KS_X_OVERLAP:
        if (sense != NARROWS)
            return "a guard may ask for !overlap(); nothing else can be asked of where arrays lie";
        for (int i = 1; i < 4; i += 2) {
            const char *fault = address_fault(c, e->kid[i], EITHER);
            if (fault != NULL)
                return fault;
        }
        return NULL;
    case KS_X_LAND:
    case KS_X_LOR:
        break;
    case KS_X_NOT:
        sense = negated[sense];
        break;
    case KS_X_COND: {
        const char *fault = address_fault(c, e->kid[0], sense == IN_PLAN ? IN_PLAN : EITHER);
        if (fault == NULL)
            fault = address_fault(c, e->kid[1], sense);
        return fault != NULL ? fault : address_fault(c, e->kid[2], sense);
    }
    default:
        sense = sense == IN_PLAN ? IN_PLAN : EITHER;
    }
    for (int i = 0; i < 4 && e->kid[i] != NULL; i++) {
        const char *fault = address_fault(c, e->kid[i], sense);
        if (fault != NULL)
            return fault;
    }
    return NULL;
}

static enum ks_status check_expr(struct check *c, const struct ks_expr *expr)
{
    if (expr == NULL)
        return KS_OK;
    c->bad_name = NULL;
    ks_expr_names(expr, visit_name, c);
    if (c->bad_name != NULL)
        KS_FAIL(c->err, KS_E_USER, "%s: '%s' is no integer or pointer parameter or member, nor grid.x .. "
                "block.z or shared", c->where, c->bad_name);
    const char *fault = address_fault(c, expr, expr == c->proposal->when ? WIDENS : IN_PLAN);
    if (fault != NULL)
        KS_FAIL(c->err, KS_E_USER, "%s: %s", c->where, fault);
    return KS_OK;
}

static enum ks_status check_kernel_step(struct check *c, const struct ks_step *step)
{
    const struct ks_kernel_decl *kernel = ks_plan_kernel(c->proposal, step->kernel);
    if (kernel == NULL)
        KS_FAIL(c->err, KS_E_USER, "%s: no kernel '%s' in the source", c->where, step->kernel);
    if (kernel->n_params != step->n_args)
        KS_FAIL(c->err, KS_E_USER, "%s: %zu arguments for the %zu parameters of '%s'", c->where,
                step->n_args, kernel->n_params, step->kernel);
    for (int i = 0; i < 3; i++) {
        KS_TRY(check_expr(c, step->grid[i]));
        KS_TRY(check_expr(c, step->block[i]));
    }
    KS_TRY(check_expr(c, step->shared));
    for (size_t i = 0; i < step->n_args; i++) {
        const char *why;
        struct ks_arg arg = ks_plan_arg(c->arena, c->proposal, c->signature, step, i, &why);
        if (why != NULL)
            KS_FAIL(c->err, KS_E_USER, "%s: argument %zu of '%s': %s", c->where, i + 1,
                    step->kernel, why);
        if (arg.kind == KS_ARG_VALUE)
            KS_TRY(check_expr(c, step->args[i]));
    }
    return KS_OK;
}

static enum ks_status check_plan(struct check *c)
{
    const struct ks_proposal *p = c->proposal;
    c->where = "when";
    KS_TRY(check_expr(c, p->when));
    for (size_t i = 0; i < p->n_workspaces; i++) {
        c->where = ks_arena_printf(c->arena, "workspace '%s'", p->workspaces[i].name);
        KS_TRY(check_expr(c, p->workspaces[i].bytes));
    }
    size_t launches = 0;
    for (size_t i = 0; i < p->n_steps; i++) {
        const struct ks_step *step = &p->steps[i];
        c->where = ks_arena_printf(c->arena, "plan step %zu", i + 1);
        if (step->kind == KS_STEP_KERNEL) {
            launches++;
            KS_TRY(check_kernel_step(c, step));
        } else if (ks_plan_workspace(p, step->workspace) < 0) {
            KS_FAIL(c->err, KS_E_USER, "%s: memset of '%s', which is no workspace", c->where,
                    step->workspace);
        }
    }
    if (launches == 0)
        KS_FAIL(c->err, KS_E_USER, "plan: no step launches a kernel");
    return KS_OK;
}

enum ks_status ks_proposal_check(struct ks_arena *arena, struct ks_proposal *proposal,
                                 const struct ks_signature *signature, struct ks_err *err)
{
    struct check c = {.arena = arena, .proposal = proposal, .signature = signature, .err = err};
    struct ks_arena scratch = {0}; // for the gate's tokens
    struct ks_gate gate;
    enum ks_status status;
    KS_TRY_GOTO(check_includes(&c), done);
    KS_TRY_GOTO(check_text(&c, &scratch, &gate), done);
    KS_TRY_GOTO(check_params(&c), done);
    KS_TRY_GOTO(check_kernels(&c, &gate), done);
    KS_TRY_GOTO(ks_gate_names(&gate, means_something, &c), done);
    status = check_plan(&c);
done:
    ks_arena_free(&scratch);
    return status;
}
