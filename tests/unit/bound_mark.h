// A marked kernel without a compile: its problems, the domain that passed ones make, what lies inside.
#ifndef BOUND_MARK_H
#define BOUND_MARK_H

#include <string.h>

#include "source/mark.h"
#include "verify/domain.h"
#include "verify/launch.h"

struct fixture {
    struct ks_arena arena;
    struct ks_kernel_list kernels;
    struct ks_mark_list marks;
    struct ks_signature signature;
    struct ks_proposal proposal;
    const struct ks_kernel_decl *decl;
    const struct ks_mark *mark;
};

static void check(enum ks_status status, const struct ks_err *err)
{
    if (status != KS_OK)
        fail_msg("%s: %s", ks_status_name(status), err->text);
}

static void set_up(struct fixture *f, const char *source)
{
    struct ks_err err = {0};
    memset(f, 0, sizeof *f);
    check(ks_kernels_find(&f->arena, "t.cu", ks_slice_of(source), &f->kernels, &err), &err);
    check(ks_marks_find(&f->arena, "t.cu", ks_slice_of(source), &f->kernels, &f->marks, &err), &err);
    f->decl = &f->kernels.at[0];
    f->mark = &f->marks.at[0];
    f->signature = (struct ks_signature){.registered = f->decl->name, .n_params = f->decl->n_params};
    f->signature.params = KS_NEW_ARRAY(&f->arena, struct ks_type, f->decl->n_params);
    f->signature.offsets = KS_NEW_ARRAY(&f->arena, size_t, f->decl->n_params);
    f->proposal.n_params = f->decl->n_params;
    f->proposal.params = KS_NEW_ARRAY(&f->arena, const char *, f->decl->n_params);
    for (size_t i = 0; i < f->decl->n_params; i++) {
        f->signature.params[i] = f->decl->params[i].type;
        f->proposal.params[i] = f->decl->params[i].name;
    }
}

static struct ks_problem *problem(struct fixture *f, size_t workload, const char *name, int64_t value,
                                  const char *name2, int64_t value2)
{
    struct ks_err err = {0};
    struct ks_value overrides[2] = {{name, value}, {name2, value2}};
    struct ks_problem *p = KS_NEW(&f->arena, struct ks_problem);
    check(ks_problem_make(&f->arena, f->mark, workload, &f->signature, f->decl, overrides,
                          name == NULL ? 0 : name2 == NULL ? 1 : 2, p, &err), &err);
    return p;
}

__attribute__((unused)) static struct ks_expr *parsed(struct fixture *f, const char *text)
{
    struct ks_expr *e;
    struct ks_err err = {0};
    check(ks_expr_parse(&f->arena, "test", ks_slice_of(text), &e, &err), &err);
    return e;
}

static struct ks_expr *domain_of(struct fixture *f, const struct ks_seen *seen, size_t n)
{
    struct ks_err err = {0};
    struct ks_expr *domain;
    check(ks_domain_make(&f->arena, f->mark, &f->proposal, seen, n, &domain, &err), &err);
    // Round trip: printed and parsed again it prints the same.
    struct ks_buf once = KS_BUF(8192), twice = KS_BUF(8192);
    struct ks_expr *again;
    ks_expr_print(&once, domain, NULL, NULL);
    check(ks_expr_parse(&f->arena, "domain", ks_slice_of(ks_buf_text(&once)), &again, &err), &err);
    ks_expr_print(&twice, again, NULL, NULL);
    assert_string_equal(ks_buf_text(&once), ks_buf_text(&twice));
    ks_buf_free(&once);
    ks_buf_free(&twice);
    return again;
}

// Whether a launch of `p`, with slots at these addresses, lies inside.
static bool inside(struct fixture *f, const struct ks_expr *domain, const struct ks_problem *p,
                   const uint64_t *addresses)
{
    uint64_t predicted[8];
    struct ks_layout layout = ks_layout_of(&f->arena, p);
    ks_placement_predict(&layout, (struct ks_placement){.flush = KS_FLUSH_START}, predicted);
    struct ks_scope scope = {.problem = p, .signature = &f->signature, .decl = f->decl,
                             .proposal = &f->proposal, .layout = &layout,
                             .addresses = addresses != NULL ? addresses : predicted};
    return ks_expr_holds(domain, ks_scope_lookup, &scope);
}

#endif
