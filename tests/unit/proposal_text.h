// A proposal's text for the gate, with the signature of an original that it must fit; for tests alone.
#ifndef KS_TEST_PROPOSAL_TEXT_H
#define KS_TEST_PROPOSAL_TEXT_H

#include "source/proposal.h"

static struct ks_arena arena;

// relax(float *y, const float *x, float a, int n, Pair p)
static struct ks_signature signature_of(void)
{
    static const char *const types[] = {"float*", "float const*", "float", "int", "Pair"};
    struct ks_signature s = {.registered = "_Z5relaxPfPKffi4Pair", .qualified = "relax",
                             .instance = "relax", .n_params = 5};
    s.params = KS_NEW_ARRAY(&arena, struct ks_type, 5);
    for (int i = 0; i < 5; i++)
        s.params[i] = ks_type_parse(&arena, ks_slice_of(types[i]));
    return s;
}

static enum ks_status read_text(const char *text, struct ks_proposal *proposal, struct ks_err *err)
{
    struct ks_yaml *root;
    KS_TRY(ks_yaml_parse(&arena, "p.yaml", ks_slice_of(text), &root, err));
    return ks_proposal_read(&arena, "p.yaml", root, proposal, err);
}

static bool foreign; // whether the next text is checked as one that nobody vouches for

static enum ks_status check_parts(const char *source, const char *rest, struct ks_err *err)
{
    struct ks_proposal p;
    struct ks_signature s = signature_of();
    KS_TRY(read_text(ks_arena_printf(&arena, "source: X\nparams: [y, x, a, n, p]\n%s", rest), &p,
                     err));
    p.source = source;
    p.foreign = foreign;
    return ks_proposal_check(&arena, &p, &s, err);
}

#define PLAN "plan: [{kernel: k, grid: 1, block: 32, args: [y, n]}]\n"
#define KERNEL "__global__ void k(float *y, int n) { y[0] = n; }\n"

static enum ks_status check_source(const char *source, struct ks_err *err)
{
    return check_parts(source, PLAN, err);
}

#endif
