// Domains: what they admit, what they exclude, and that their text survives printing and parsing.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "verify/schedule.h"
#include "bound_mark.h"

static void sizes_are_a_hull(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, "#pragma ks optimize\n#pragma ks workload let(n=4096) in(x[n]) out(y[n]) "
               "grid(ceildiv(n,256)) block(256)\n__global__ void k(const float* x, float* y, int n) {}\n");
    const struct ks_problem *passed[] = {problem(&f, 0, "n", 33, NULL, 0),
                                         problem(&f, 0, NULL, 0, NULL, 0)};
    struct ks_seen seen = {0, passed, 2, NULL, 0};
    struct ks_expr *d = domain_of(&f, &seen, 1);
    assert_true(inside(&f, d, problem(&f, 0, "n", 33, NULL, 0), NULL));
    assert_true(inside(&f, d, problem(&f, 0, "n", 1000, NULL, 0), NULL));
    assert_true(inside(&f, d, problem(&f, 0, NULL, 0, NULL, 0), NULL));
    assert_false(inside(&f, d, problem(&f, 0, "n", 32, NULL, 0), NULL));
    assert_false(inside(&f, d, problem(&f, 0, "n", 4097, NULL, 0), NULL));
    // A launch with another grid, block or shared memory goes to the original.
    struct ks_problem other = *passed[1];
    other.grid[0]++;
    assert_false(inside(&f, d, &other, NULL));
    other = *passed[1];
    other.block[0] = 128;
    assert_false(inside(&f, d, &other, NULL));
    other = *passed[1];
    other.block[1] = 2;
    assert_false(inside(&f, d, &other, NULL));
    other = *passed[1];
    other.shared = 4;
    assert_false(inside(&f, d, &other, NULL));
    // The floor of speed raises the lower end.
    struct ks_value floor_n = {"n", 1024};
    seen.floors = &floor_n;
    seen.n_floors = 1;
    d = domain_of(&f, &seen, 1);
    assert_false(inside(&f, d, problem(&f, 0, "n", 1000, NULL, 0), NULL));
    assert_true(inside(&f, d, problem(&f, 0, "n", 1024, NULL, 0), NULL));
    ks_arena_free(&f.arena);
}

static void overlaps_are_excluded(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, "#pragma ks optimize\n#pragma ks workload let(n=64) in(x[n]) in(z[n]) out(y[n]) "
               "grid(1) block(64)\n"
               "__global__ void k(const float* x, const float* z, float* y, int n) {}\n");
    const struct ks_problem *p = problem(&f, 0, NULL, 0, NULL, 0);
    struct ks_seen seen = {0, &p, 1, NULL, 0};
    struct ks_expr *d = domain_of(&f, &seen, 1);
    assert_true(inside(&f, d, p, (uint64_t[]){4096, 4352, 8192}));
    assert_true(inside(&f, d, p, (uint64_t[]){4096, 4096, 8192})); // both only read
    assert_false(inside(&f, d, p, (uint64_t[]){4096, 12288, 4096}));
    assert_false(inside(&f, d, p, (uint64_t[]){4096, 12288, 4096 + 252}));
    assert_true(inside(&f, d, p, (uint64_t[]){4096, 12288, 4096 + 256}));
    assert_false(inside(&f, d, p, (uint64_t[]){4096, 12288, 4096 - 4}));
    // No array at all: nothing like it was run.
    assert_false(inside(&f, d, p, (uint64_t[]){0, 4352, 8192}));
    assert_false(inside(&f, d, p, (uint64_t[]){4096, 0, 8192}));
    assert_false(inside(&f, d, p, (uint64_t[]){4096, 4352, 0}));
    ks_arena_free(&f.arena);
}

// The judge reads what dispatch reads (test_dispatch.c): a guard must not hide at one what it admits at the other.
static void template_values_are_those_of_dispatch(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, "#pragma ks optimize\n#pragma ks workload let(n=64) out(y[n]) grid(1) block(64)\n"
               "template <bool B, int C, class T> __global__ void k(float* y, int n) {}\n");
    static const char *arguments[] = {"true", "-5", "float"};
    struct ks_scope scope = {.problem = problem(&f, 0, NULL, 0, NULL, 0), .signature = &f.signature,
                             .decl = f.decl, .proposal = &f.proposal};
    f.signature.template_args = arguments;
    f.signature.n_template_args = 3;
    int64_t value = 7;
    assert_true(ks_scope_lookup(&scope, "B", &value));
    assert_int_equal(value, 1);
    assert_true(ks_scope_lookup(&scope, "C", &value));
    assert_int_equal(value, -5);
    assert_false(ks_scope_lookup(&scope, "T", &value));
    arguments[0] = "false";
    assert_true(ks_scope_lookup(&scope, "B", &value));
    assert_int_equal(value, 0);
    ks_arena_free(&f.arena);
}

static void declared_aliases_are_required(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, "#pragma ks optimize\n#pragma ks workload let(n=64) in(x[n]) alias(y,x) "
               "grid(1) block(64)\n__global__ void k(const float* x, float* y, int n) {}\n");
    const struct ks_problem *p = problem(&f, 0, NULL, 0, NULL, 0);
    struct ks_seen seen = {0, &p, 1, NULL, 0};
    struct ks_expr *d = domain_of(&f, &seen, 1);
    assert_true(inside(&f, d, p, NULL));
    struct ks_layout layout = ks_layout_of(&f.arena, p);
    assert_int_equal(layout.n_slots, 1);
    assert_int_equal(layout.slots[0].role, KS_ROLE_INOUT); // y is written, so x's memory is an output
    // The same launch with two pointers.
    struct ks_problem apart = *p;
    apart.args = ks_arena_memdup(&f.arena, p->args, p->n_args * sizeof *p->args);
    apart.args[0].alias_of = apart.args[1].alias_of = -1;
    assert_false(inside(&f, d, &apart, (uint64_t[]){4096, 8192}));
    assert_false(inside(&f, d, &apart, (uint64_t[]){4096, 4100}));
    ks_arena_free(&f.arena);
}

static void other_integers_follow_their_formulas(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, "#pragma ks optimize assume(rows % 2 == 0)\n#pragma ks workload let(rows=64, cols=32, "
               "ld=cols+8) set(mode=3) in(x[rows*ld]) out(y[rows]) grid(rows) block(32)\n"
               "__global__ void k(const float* x, float* y, int rows, int cols, int ld, int mode) {}\n");
    const struct ks_problem *passed[] = {problem(&f, 0, "rows", 2, "cols", 3),
                                         problem(&f, 0, NULL, 0, NULL, 0)};
    struct ks_seen seen = {0, passed, 2, NULL, 0};
    struct ks_expr *d = domain_of(&f, &seen, 1);
    struct ks_problem *p = problem(&f, 0, "rows", 10, "cols", 20);
    assert_true(inside(&f, d, p, NULL));
    int32_t wrong = 27; // ld of 20 columns is 28
    memcpy(p->args[4].bytes, &wrong, 4);
    assert_false(inside(&f, d, p, NULL));
    p = problem(&f, 0, "rows", 10, "cols", 20);
    memcpy(p->args[5].bytes, &wrong, 4);
    assert_false(inside(&f, d, p, NULL));
    assert_false(inside(&f, d, problem(&f, 0, "rows", 11, "cols", 20), NULL)); // the assumption
    ks_arena_free(&f.arena);
}

static void unobservable_sizes_are_pinned(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, "#pragma ks optimize\n#pragma ks workload let(n=4096) in(x[n]) out(y[n]) grid(n/256) "
               "block(256)\n__global__ void k(const float* x, float* y) {}\n");
    const struct ks_problem *passed[] = {problem(&f, 0, "n", 512, NULL, 0),
                                         problem(&f, 0, NULL, 0, NULL, 0)};
    struct ks_seen seen = {0, passed, 2, NULL, 0};
    struct ks_expr *d = domain_of(&f, &seen, 1);
    assert_true(inside(&f, d, passed[1], NULL));
    assert_false(inside(&f, d, passed[0], NULL)); // only the grid tells, and it was judged at one
    ks_arena_free(&f.arena);
}

static void set_int(struct fixture *f, struct ks_problem *p, size_t arg, int32_t value)
{
    p->args = ks_arena_memdup(&f->arena, p->args, p->n_args * sizeof *p->args);
    memcpy(p->args[arg].bytes, &value, sizeof value);
}

static void a_size_is_read_from_the_parameter_that_is_made_of_it(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, "#pragma ks optimize\n#pragma ks workload let(n=8192) let(rows=n) let(cols=n) "
               "in(x[rows*cols]) out(y[n*n]) grid(ceildiv(n,256),rows) block(256)\n"
               "__global__ void k(const float* x, float* y, int rows, int cols) {}\n");
    const struct ks_problem *passed[] = {problem(&f, 0, "n", 1, NULL, 0),
                                         problem(&f, 0, "n", 8193, NULL, 0),
                                         problem(&f, 0, NULL, 0, NULL, 0)};
    struct ks_seen seen = {0, passed, 3, NULL, 0};
    struct ks_expr *d = domain_of(&f, &seen, 1);
    const int64_t in[] = {1, 2, 1000, 8191, 8192, 8193};
    for (size_t i = 0; i < sizeof in / sizeof *in; i++)
        assert_true(inside(&f, d, problem(&f, 0, "n", in[i], NULL, 0), NULL));
    assert_false(inside(&f, d, problem(&f, 0, "n", 8194, NULL, 0), NULL));
    struct ks_problem *p = problem(&f, 0, "n", 1000, NULL, 0);
    set_int(&f, p, 3, 999); // cols is no longer rows
    assert_false(inside(&f, d, p, NULL));
    p = problem(&f, 0, "n", 1000, NULL, 0);
    p->grid[1] = 999;
    assert_false(inside(&f, d, p, NULL));
    // The floor is the size's, not the parameter's, by name.
    struct ks_value floor_n = {"n", 128};
    seen.floors = &floor_n;
    seen.n_floors = 1;
    d = domain_of(&f, &seen, 1);
    assert_false(inside(&f, d, problem(&f, 0, "n", 127, NULL, 0), NULL));
    assert_true(inside(&f, d, problem(&f, 0, "n", 128, NULL, 0), NULL));
    ks_arena_free(&f.arena);
}

// A struct by value, as a capture gives it: two pointers, four bytes that matter, three of a hole, one that matters.
static void structs_are_asked_for_byte_by_byte(void **state)
{
    (void)state;
    struct fixture f;
    static const char source[] = "#pragma ks optimize\n#pragma ks workload capture(c)\n__global__ void k(S s) {}\n";
    static unsigned char bytes[24] = {[8] = 0xfe, 0xff, 0xff, 0xff, [15] = 7};
    static bool matters[24] = {[8] = true, true, true, true, [15] = true};
    set_up(&f, source);
    f.proposal.params[0] = "t"; // as the proposal calls it
    struct ks_type type = ks_type_parse(&f.arena, ks_slice_of("float *"));
    struct ks_block_pointer pointers[] = {{0, "s.ptr_0", type}, {16, "s.ptr_16", type}};
    struct ks_block block = {.name = "s", .bytes = bytes, .matters = matters, .size = sizeof bytes,
                             .pointers = pointers, .n_pointers = 2};
    struct ks_workload_mark *w = &f.marks.at[0].workloads[0];
    struct ks_array arrays[] = {{.role = KS_ROLE_IN, .name = "s.ptr_0", .count = parsed(&f, "64")},
                                {.role = KS_ROLE_INOUT, .name = "s.ptr_16", .count = parsed(&f, "64")}};
    w->capture = "", w->grid[0] = parsed(&f, "1"), w->block[0] = parsed(&f, "64");
    w->arrays = arrays, w->n_arrays = 2, w->blocks = &block, w->n_blocks = 1;
    struct ks_problem *p = problem(&f, 0, NULL, 0, NULL, 0);
    assert_int_equal(p->n_params, 1);
    assert_int_equal(p->n_args, 3);
    struct ks_seen seen = {0, (const struct ks_problem *[]){p}, 1, NULL, 0};
    struct ks_expr *d = domain_of(&f, &seen, 1);
    assert_true(inside(&f, d, p, (uint64_t[]){4096, 8192}));
    assert_false(inside(&f, d, p, (uint64_t[]){4096, 4096 + 252})); // one is written
    assert_false(inside(&f, d, p, (uint64_t[]){4096, 4096}));
    assert_false(inside(&f, d, p, (uint64_t[]){0, 8192}));
    for (size_t i = 8; i < 16; i++) {
        unsigned char other[24];
        memcpy(other, bytes, sizeof other);
        other[i] ^= 1;
        struct ks_block changed = block;
        changed.bytes = other;
        struct ks_problem q = *p;
        q.args = ks_arena_memdup(&f.arena, p->args, p->n_args * sizeof *p->args);
        q.args[0].block = &changed;
        assert_int_equal(inside(&f, d, &q, (uint64_t[]){4096, 8192}), !matters[i]);
    }
    // Some hundred words: as many conditions, not as deep a tree.
    static unsigned char large[480];
    static bool all[480];
    memset(all, 1, sizeof all);
    struct ks_block wide = {.name = "s", .bytes = large, .matters = all, .size = sizeof large};
    w->n_arrays = 0, w->blocks = &wide;
    p = problem(&f, 0, NULL, 0, NULL, 0);
    seen.passed = (const struct ks_problem *[]){p};
    assert_true(inside(&f, domain_of(&f, &seen, 1), p, NULL));
    ks_arena_free(&f.arena);
}

static void a_formula_is_inverted_only_where_that_is_exact(void **state)
{
    (void)state;
    // The size n is shown by the one integer parameter, or is not.
    const struct { const char *lets; bool shown; int32_t off; } cases[] = {
        {"let(n=96) let(p=n*4)", true, 1},
        {"let(n=96) let(p=4*n)", true, 2},
        {"let(n=96) let(p=n<<3)", true, 4},
        {"let(n=96) let(p=n+8)", true, 0},
        {"let(n=96) let(p=200-n)", true, 0},
        {"let(n=96) let(p=-n)", true, 0},
        {"let(n=96) let(half=n*2+6) let(p=half*3)", true, 1},
        {"let(n=96) let(pad=8*4) let(p=(n+pad)*2)", true, 1},
        {"let(n=96) let(p=n/4)", false, 1},
        {"let(n=96) let(p=ceildiv(n,4))", false, 1},
        {"let(n=96) let(p=n*n)", false, 1},
        {"let(n=96) let(p=n%64)", false, 1},
        {"let(n=96) let(p=min(n,64))", false, 1},
        {"let(n=96) let(m=5) let(p=n+m)", false, 1}, // one number cannot show two
        {"let(n=96) set(p=n*4)", true, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fixture f;
        char text[512];
        snprintf(text, sizeof text,
                 "#pragma ks optimize\n#pragma ks workload %s in(x[n]) out(y[n]) grid(1) block(32)\n"
                 "__global__ void k(const float* x, float* y, int p) {}\n", cases[i].lets);
        set_up(&f, text);
        const struct ks_problem *passed[] = {problem(&f, 0, "n", 3, NULL, 0),
                                             problem(&f, 0, NULL, 0, NULL, 0)};
        struct ks_seen seen = {0, passed, 2, NULL, 0};
        struct ks_expr *d = domain_of(&f, &seen, 1);
        struct ks_problem *mid = problem(&f, 0, "n", 41, NULL, 0);
        if (inside(&f, d, mid, NULL) != cases[i].shown || !inside(&f, d, passed[1], NULL) ||
            (cases[i].shown && (inside(&f, d, problem(&f, 0, "n", 97, NULL, 0), NULL) ||
                                inside(&f, d, problem(&f, 0, "n", 2, NULL, 0), NULL))))
            fail_msg("%s", cases[i].lets);
        int32_t p;
        memcpy(&p, mid->args[2].bytes, sizeof p);
        set_int(&f, mid, 2, p + cases[i].off);
        if (cases[i].off != 0 && inside(&f, d, mid, NULL)) // what no n gives
            fail_msg("%s: %d", cases[i].lets, p + cases[i].off);
        ks_arena_free(&f.arena);
    }
}

static void two_sizes_need_two_parameters(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, "#pragma ks optimize\n#pragma ks workload let(cols=64) let(pad=8) let(ld=cols+pad) "
               "in(x[ld]) out(y[cols]) grid(1) block(32)\n"
               "__global__ void k(const float* x, float* y, int cols, int ld) {}\n");
    const struct ks_problem *passed[] = {problem(&f, 0, "cols", 10, "pad", 2),
                                         problem(&f, 0, NULL, 0, NULL, 0)};
    struct ks_seen seen = {0, passed, 2, NULL, 0};
    struct ks_expr *d = domain_of(&f, &seen, 1);
    assert_true(inside(&f, d, problem(&f, 0, "cols", 64, "pad", 2), NULL));
    assert_true(inside(&f, d, problem(&f, 0, "cols", 20, "pad", 5), NULL));
    assert_false(inside(&f, d, problem(&f, 0, "cols", 20, "pad", 1), NULL));
    assert_false(inside(&f, d, problem(&f, 0, "cols", 20, "pad", 9), NULL));
    assert_false(inside(&f, d, problem(&f, 0, "cols", 65, "pad", 8), NULL));
    ks_arena_free(&f.arena);
}

static void a_value_without_a_name_is_refused(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, "#pragma ks optimize\n#pragma ks workload let(n=64) set(step=3,4) set(a=1.0,2.0) in(x[n]) "
               "out(y[n]) grid(1) block(64)\n"
               "__global__ void k(const float* x, float* y, int n, float2 a, int2 step) {}\n");
    const struct ks_problem *p = problem(&f, 0, NULL, 0, NULL, 0);
    struct ks_seen seen = {0, &p, 1, NULL, 0};
    struct ks_err err = {0};
    struct ks_expr *d;
    assert_int_equal(ks_domain_make(&f.arena, f.mark, &f.proposal, &seen, 1, &d, &err), KS_E_LIMIT);
    assert_non_null(strstr(err.text, "`step`"));
    ks_arena_free(&f.arena);
}

static void workloads_are_joined(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, "#pragma ks optimize\n"
               "#pragma ks workload let(n=100) in(x[n]) out(y[n]) grid(1) block(128)\n"
               "#pragma ks workload let(n=5000) in(x[n]) out(y[n]) grid(ceildiv(n,256)) block(256)\n"
               "__global__ void k(const float* x, float* y, int n) {}\n");
    const struct ks_problem *small = problem(&f, 0, NULL, 0, NULL, 0);
    const struct ks_problem *big = problem(&f, 1, NULL, 0, NULL, 0);
    struct ks_seen seen[2] = {{0, &small, 1, NULL, 0}, {1, &big, 1, NULL, 0}};
    struct ks_expr *d = domain_of(&f, seen, 2);
    assert_true(inside(&f, d, small, NULL));
    assert_true(inside(&f, d, big, NULL));
    assert_false(inside(&f, d, problem(&f, 1, "n", 4000, NULL, 0), NULL));
    d = domain_of(&f, seen, 1);
    assert_false(inside(&f, d, big, NULL));
    struct ks_seen nothing = {0, NULL, 0, NULL, 0};
    struct ks_err err = {0};
    assert_int_equal(ks_domain_make(&f.arena, f.mark, &f.proposal, &nothing, 1, &d, &err), KS_E_ABSENT);
    ks_arena_free(&f.arena);
}

static void a_plan_beyond_a_limit_is_refused(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, "#pragma ks optimize\n#pragma ks workload let(n=4096) in(x[n]) out(y[n]) grid(16) block(256)\n"
               "__global__ void k(const float* x, float* y, int n) {}\n");
    const struct { const char *grid, *block, *shared, *arg, *word; } cases[] = {
        {"n / 0", "256", "0", "n", "grid.x"},
        {"n - 4096", "256", "0", "n", "grid.x"},
        {"-1", "256", "0", "n", "grid.x"},
        {"n << 40", "256", "0", "n", "grid.x"},
        {"16", "2048", "0", "n", "block.x"},
        {"16", "256", "1 << 20", "n", "shared"},
        {"16", "256", "-4", "n", "shared"},
        {"16", "256", "0", "n << 30", "argument 3"},
        {"16", "256", "0", "nothing", "argument 3"},
        {"16", "256", "0", "9223372036854775807 + n", "argument 3"},
    };
    struct ks_device_info device = {.smem_optin = 232448, .memory_free = 1 << 30};
    const struct ks_problem *p = problem(&f, 0, NULL, 0, NULL, 0);
    struct ks_layout layout = ks_layout_of(&f.arena, p);
    struct ks_scope scope = {.problem = p, .signature = &f.signature, .decl = f.decl,
                             .proposal = &f.proposal, .layout = &layout};
    f.proposal.kernels = f.kernels;
    const char *names[] = {"k"};
    for (size_t i = 0; i <= sizeof cases / sizeof *cases; i++) {
        bool good = i == sizeof cases / sizeof *cases;
        struct ks_expr *args[] = {parsed(&f, "x"), parsed(&f, "y"), parsed(&f, good ? "n" : cases[i].arg)};
        struct ks_step step = {.kind = KS_STEP_KERNEL, .kernel = "k", .args = args, .n_args = 3};
        step.grid[0] = parsed(&f, good ? "16" : cases[i].grid);
        step.block[0] = parsed(&f, good ? "256" : cases[i].block);
        step.shared = parsed(&f, good ? "0" : cases[i].shared);
        f.proposal.steps = &step;
        f.proposal.n_steps = 1;
        char reason[256] = "";
        json_t *plan = ks_launch_plan(&scope, &device, "m0", names, reason);
        if (good != (plan != NULL) || (!good && strstr(reason, cases[i].word) == NULL))
            fail_msg("case %zu: %s", i, reason);
        json_decref(plan);
    }
    int64_t bytes[1];
    char reason[256];
    const char *sizes[] = {"1 << 62", "-1", "n / 0", "n * 4"};
    for (size_t i = 0; i < 4; i++) {
        struct ks_workspace w = {"part", parsed(&f, sizes[i])};
        f.proposal.workspaces = &w;
        f.proposal.n_workspaces = 1;
        assert_int_equal(ks_launch_workspaces(&scope, &device, bytes, reason), i == 3);
    }
    assert_int_equal(bytes[0], 16384);
    ks_arena_free(&f.arena);
}

static void placements_are_the_least_aligned_that_the_guard_admits(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, "#pragma ks optimize\n#pragma ks workload let(n=1097) in(x[n]) out(y[n]) grid(5) block(256)\n"
               "__global__ void k(const float* x, float* y, int n) {}\n");
    const struct ks_problem *p = problem(&f, 0, NULL, 0, NULL, 0);
    struct ks_layout layout = ks_layout_of(&f.arena, p);
    struct ks_scope scope = {.problem = p, .signature = &f.signature, .decl = f.decl,
                             .proposal = &f.proposal, .layout = &layout};
    struct ks_placement placement;
    f.proposal.when = parsed(&f, "1");
    assert_true(ks_placement_choose(&scope, KS_FLUSH_END, &placement));
    assert_int_equal(ks_placement_align(&placement, &layout, 0), 4);
    f.proposal.when = parsed(&f, "aligned(x, 16)");
    assert_true(ks_placement_choose(&scope, KS_FLUSH_END, &placement));
    assert_int_equal(ks_placement_align(&placement, &layout, 0), 16);
    assert_int_equal(ks_placement_align(&placement, &layout, 1), 4); // nobody asked for more
    uint64_t addresses[2];
    ks_placement_predict(&layout, placement, addresses);
    assert_int_equal(addresses[0] % 16, 0);
    assert_int_not_equal(addresses[0] % 32, 0); // and no more than that
    // Without luck: where the size is a multiple of everything too.
    p = problem(&f, 0, "n", 1024, NULL, 0);
    layout = ks_layout_of(&f.arena, p);
    scope.problem = p;
    ks_layout_skew(&layout, KS_SKEW_ALL, 1);
    f.proposal.when = parsed(&f, "n % 4 == 0 && aligned(x, 16)");
    assert_true(ks_placement_choose(&scope, KS_FLUSH_END, &placement));
    ks_placement_predict(&layout, placement, addresses);
    assert_int_equal(addresses[0] % 16, 0);
    assert_int_equal(addresses[1] % 8, 4);
    f.proposal.when = parsed(&f, "aligned(x, 4096)");
    assert_true(ks_placement_choose(&scope, KS_FLUSH_END, &placement));
    assert_int_equal(placement.flush, KS_FLUSH_START);
    // One alone lies otherwise than the others, as far as the guard lets it.
    layout = ks_layout_of(&f.arena, p);
    ks_layout_skew(&layout, KS_SKEW_ONE + 1, 3);
    assert_int_equal(layout.slots[0].count, layout.slots[0].filled);
    assert_int_equal(layout.slots[1].count, layout.slots[1].filled + 3);
    f.proposal.when = parsed(&f, "n % 4 == 0");
    assert_true(ks_placement_choose(&scope, KS_FLUSH_END, &placement));
    ks_placement_predict(&layout, placement, addresses);
    assert_int_equal(addresses[0] % 16, 0);
    assert_int_equal(addresses[1] % 16, 4);
    f.proposal.when = parsed(&f, "aligned(y, 8)");
    assert_true(ks_placement_choose(&scope, KS_FLUSH_END, &placement));
    ks_placement_predict(&layout, placement, addresses);
    assert_int_equal(addresses[1] % 16, 0);
    f.proposal.when = parsed(&f, "n == 7");
    assert_false(ks_placement_choose(&scope, KS_FLUSH_END, &placement));
    ks_arena_free(&f.arena);
}

static void numbers_of_a_proposal_are_harvested(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, "#pragma ks optimize\n#pragma ks workload let(n=64) out(y[n]) grid(1) block(64)\n"
               "__global__ void k(float* y, int n) {}\n");
    int64_t out[16];
    f.proposal.when = parsed(&f, "n % 4 == 0 && n % 6 == 0 && n >= 777");
    f.proposal.source = "__shared__ float tile[32][33]; x2 = 1.5f * 0x40 + 9000000 + a128;";
    size_t n = ks_harvest_constants(&f.proposal, out, 16);
    const int64_t want[] = {4, 6, 777, 32, 33, 64};
    assert_int_equal(n, sizeof want / sizeof *want);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(out[i], want[i]);
    assert_int_equal(ks_guard_modulus(f.proposal.when), 12);
    ks_arena_free(&f.arena);
}

// A launch with a null pointer takes another way than one without: neither stands for the other.
static void null_pointers_are_told_from_others(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, "#pragma ks optimize\n"
               "#pragma ks workload name(with) let(n=64) in(x[n]) in(bias[n]) out(y[n]) grid(1) block(64)\n"
               "#pragma ks workload name(without) let(n=64) in(x[n]) set(bias=nullptr) out(y[n]) grid(1) block(64)\n"
               "__global__ void add(const float *x, const float *bias, float *y, int n) { }\n");
    const struct ks_problem *with = problem(&f, 0, NULL, 0, NULL, 0);
    const struct ks_problem *without = problem(&f, 1, NULL, 0, NULL, 0);
    const struct ks_seen seen[2] = {{0, &with, 1, NULL, 0}, {1, &without, 1, NULL, 0}};
    const uint64_t null_bias[3] = {1 << 20, 0, 2 << 20}, null_x[2] = {0, 2 << 20};
    assert_int_equal(ks_layout_of(&f.arena, without).n_slots, 2);
    struct ks_expr *d = domain_of(&f, seen, 1);
    assert_true(inside(&f, d, with, NULL));
    assert_false(inside(&f, d, without, NULL));
    assert_false(inside(&f, d, with, null_bias));
    d = domain_of(&f, seen + 1, 1);
    assert_true(inside(&f, d, without, NULL));
    assert_false(inside(&f, d, without, null_x)); // x was never null
    assert_false(inside(&f, d, with, NULL));
    assert_true(inside(&f, d, with, null_bias));
    d = domain_of(&f, seen, 2);
    assert_true(inside(&f, d, with, NULL) && inside(&f, d, without, NULL) && inside(&f, d, with, null_bias));
}

#define ROWS_COLS                                                                                                      \
    "in(x[rows*cols]) out(y[rows*cols]) grid(rows) block(256)\n"                                                       \
    "__global__ void k(const float* x, float* y, int rows, int cols) {}\n"

// Small sizes are tried far above what is declared there: the declared ones stay inside, and those do not come in.
static void an_oblong_domain_holds_what_is_declared(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, "#pragma ks optimize\n#pragma ks workload let(rows=4) let(cols=900) " ROWS_COLS);
#define OF(rows, cols) problem(&f, 0, "rows", rows, "cols", cols)
    const struct ks_problem *passed[] = {OF(128, 1), OF(2, 7),   OF(128, 128), OF(128, 251), OF(3, 899),
                                         OF(5, 901), OF(4, 901), OF(5, 900),   OF(4, 900)};
    struct ks_seen seen = {0, passed, 9, NULL, 0};
    struct ks_expr *d = domain_of(&f, &seen, 1);
    assert_true(inside(&f, d, OF(4, 900), NULL) && inside(&f, d, OF(5, 901), NULL) && inside(&f, d, OF(2, 7), NULL));
    assert_false(inside(&f, d, OF(6, 900), NULL) || inside(&f, d, OF(4, 902), NULL));
    assert_false(inside(&f, d, OF(32, 256), NULL) || inside(&f, d, OF(128, 128), NULL));
    assert_false(inside(&f, d, OF(2, 6), NULL) || inside(&f, d, OF(1, 7), NULL)); // so few columns had 128 rows alone
    // One more of each was not run together: what is larger of both.
    passed[5] = passed[0];
    d = domain_of(&f, &seen, 1);
    assert_true(inside(&f, d, OF(4, 900), NULL) && inside(&f, d, OF(5, 900), NULL));
    assert_false(inside(&f, d, OF(5, 901), NULL) || inside(&f, d, OF(4, 901), NULL));
    passed[6] = passed[7] = passed[0];
    d = domain_of(&f, &seen, 1);
    assert_true(inside(&f, d, OF(4, 900), NULL));
    assert_false(inside(&f, d, OF(5, 900), NULL) || inside(&f, d, OF(4, 901), NULL));
    // A floor is no higher than what is declared.
    struct ks_value floors[] = {{"rows", 32}, {"cols", 225}};
    seen.floors = floors;
    seen.n_floors = 2;
    d = domain_of(&f, &seen, 1);
    assert_true(inside(&f, d, OF(4, 900), NULL) && inside(&f, d, OF(4, 225), NULL));
    assert_false(inside(&f, d, OF(3, 900), NULL) || inside(&f, d, OF(4, 224), NULL));
#undef OF
    ks_arena_free(&f.arena);
}

static void a_small_domain_holds_what_is_declared(void **state)
{
    (void)state;
    static const struct {
        const char *lets; // n is the one size, or there is none
        int64_t last;     // the largest n inside
    } cases[] = {{"let(n=4)", 5}, {"let(n=4) let(m=n*n)", 5}, {"let(n=4) set(m=n+60)", 5}, {"set(n=4) let(m=4)", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fixture f;
        char text[512];
        bool sized = cases[i].last > 0;
        snprintf(text, sizeof text,
                 "#pragma ks optimize\n#pragma ks workload %s%s in(x[4]) out(y[4]) grid(1) block(32)\n"
                 "__global__ void k(const float* x, float* y, int n, int m) {}\n",
                 cases[i].lets, strstr(cases[i].lets, "m=") == NULL ? " set(m=7)" : "");
        set_up(&f, text);
        const struct ks_problem *declared = problem(&f, 0, NULL, 0, NULL, 0);
        const struct ks_problem *passed[5] = {declared};
        for (int k = 1; sized && k < 5; k++)
            passed[k] = problem(&f, 0, "n", (int[]){0, 1, 5, 32, 128}[k], NULL, 0);
        struct ks_seen seen = {0, passed, sized ? 5 : 1, NULL, 0};
        struct ks_expr *d = domain_of(&f, &seen, 1);
        assert_true(inside(&f, d, declared, NULL));
        for (int64_t n = 1; sized && n < 130; n++)
            if (inside(&f, d, problem(&f, 0, "n", n, NULL, 0), NULL) != (n <= cases[i].last))
                fail_msg("%s: %lld", cases[i].lets, (long long)n);
        ks_arena_free(&f.arena);
    }
}

// What set() gives a parameter stands in formulas, and is all that the domain has of it.
static void a_setting_in_a_formula_is_pinned(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, "#pragma ks optimize\n#pragma ks workload let(h=64) set(k=3) set(pad=1) let(oh=h+2*pad-k+1) in(x[h]) out(y[oh]) "
               "grid(1) block(32)\n"
               "__global__ void f(const float* x, float* y, int h, int k, int pad, int oh) {}\n");
    const struct ks_problem *passed[] = {problem(&f, 0, "h", 9, NULL, 0), problem(&f, 0, NULL, 0, NULL, 0)};
    struct ks_seen seen = {0, passed, 2, NULL, 0};
    struct ks_expr *d = domain_of(&f, &seen, 1);
    int64_t oh;
    assert_true(ks_problem_value(passed[0], "oh", &oh) && oh == 9);
    for (int what = 0; what < 4; what++) {
        struct ks_problem *p = problem(&f, 0, "h", 20, NULL, 0);
        if (what == 1)
            set_int(&f, p, 3, 5);
        if (what == 2)
            set_int(&f, p, 4, 0);
        if (what == 3) { // as many outputs as that window leaves
            set_int(&f, p, 3, 5);
            set_int(&f, p, 5, 18);
        }
        assert_int_equal(inside(&f, d, p, NULL), what == 0);
    }
    ks_arena_free(&f.arena);
}

// A class's own domain holds what it declares, and what no other one does.
static void classes_keep_apart(void **state)
{
    (void)state;
    static const int64_t pairs[][4] = {
        {96, 80, 8, 1024}, {4, 900, 8, 200}, {100, 200, 101, 100}, {100, 100, 101, 101}, {100, 100, 100, 101},
        {100, 100, 10, 10}, {4, 900, 5, 900}, {1, 1, 128, 128}, {4, 900, 6, 902},
    };
    for (size_t i = 0; i < 2 * sizeof pairs / sizeof *pairs; i++)
        for (int turned = 0; turned < 2; turned++) {
            struct fixture f;
            const int64_t *pair = pairs[i / 2];
            size_t own = i % 2;
            set_up(&f, ks_arena_printf(&(struct ks_arena){0},
                                       "#pragma ks optimize\n"
                                       "#pragma ks workload let(rows=%lld) let(cols=%lld) in(x[rows*cols]) "
                                       "out(y[rows*cols]) grid(rows) block(256)\n"
                                       "#pragma ks workload let(%s=%lld) let(%s=%lld) " ROWS_COLS,
                                       (long long)pair[0], (long long)pair[1], turned ? "cols" : "rows",
                                       (long long)pair[2 + turned], turned ? "rows" : "cols",
                                       (long long)pair[3 - turned]));
            struct ks_seen seen[2];
            for (size_t w = 0; w < 2; w++) {
                const int64_t *size = pair + 2 * w;
                const struct ks_problem **passed = KS_NEW_ARRAY(&f.arena, const struct ks_problem *, 7);
                for (size_t k = 0; k < 4; k++)
                    passed[2 + k] = problem(&f, w, "rows", size[0] + (int64_t)(k & 1), "cols",
                                            size[1] + (int64_t)(k >> 1));
                passed[0] = problem(&f, w, "rows", 1, "cols", 1);
                passed[1] = problem(&f, w, "rows", 128, "cols", 128);
                passed[6] = problem(&f, w, "rows", 1, "cols", size[1]);
                seen[w] = (struct ks_seen){w, passed, 7, NULL, 0};
            }
            ks_domain_of_class(&f.arena, f.mark, own, seen, 2);
            struct ks_expr *d = domain_of(&f, seen, 2);
            if (!inside(&f, d, problem(&f, own, NULL, 0, NULL, 0), NULL) ||
                inside(&f, d, problem(&f, 1 - own, NULL, 0, NULL, 0), NULL))
                fail_msg("%lld x %lld and %lld x %lld, the domain of %zu", (long long)pair[0], (long long)pair[1],
                         (long long)pair[2], (long long)pair[3], own);
            ks_arena_free(&f.arena);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(null_pointers_are_told_from_others),
        cmocka_unit_test(sizes_are_a_hull),
        cmocka_unit_test(an_oblong_domain_holds_what_is_declared),
        cmocka_unit_test(a_small_domain_holds_what_is_declared),
        cmocka_unit_test(a_setting_in_a_formula_is_pinned),
        cmocka_unit_test(classes_keep_apart),
        cmocka_unit_test(overlaps_are_excluded),
        cmocka_unit_test(declared_aliases_are_required),
        cmocka_unit_test(template_values_are_those_of_dispatch),
        cmocka_unit_test(other_integers_follow_their_formulas),
        cmocka_unit_test(unobservable_sizes_are_pinned),
        cmocka_unit_test(a_size_is_read_from_the_parameter_that_is_made_of_it),
        cmocka_unit_test(structs_are_asked_for_byte_by_byte),
        cmocka_unit_test(a_formula_is_inverted_only_where_that_is_exact),
        cmocka_unit_test(two_sizes_need_two_parameters),
        cmocka_unit_test(a_value_without_a_name_is_refused),
        cmocka_unit_test(workloads_are_joined),
        cmocka_unit_test(a_plan_beyond_a_limit_is_refused),
        cmocka_unit_test(placements_are_the_least_aligned_that_the_guard_admits),
        cmocka_unit_test(numbers_of_a_proposal_are_harvested),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
