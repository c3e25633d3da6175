// Canonical PTX: what must not change it, what must, what makes a kernel ineligible, and bad input.
// The stored modules come from nvcc (tests/data/ptx/make.sh).
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "key/ptx.h"
#include "os/file.h"

static struct ks_arena arena;

static struct ks_slice stored(const char *name)
{
    struct ks_slice text;
    struct ks_err err;
    const char *path = ks_arena_printf(&arena, "%s/ptx/%s", KS_TEST_DATA, name);
    if (ks_file_read(&arena, path, 1 << 24, &text, &err) != KS_OK)
        fail_msg("%s", err.text);
    return text;
}

static struct ks_ptx_module read_module(struct ks_slice text)
{
    struct ks_ptx_module module;
    struct ks_err err;
    if (ks_ptx_read(&arena, text, &module, &err) != KS_OK)
        fail_msg("%s", err.text);
    return module;
}

static const struct ks_ptx_entry *entry_with(const struct ks_ptx_module *module, const char *part)
{
    for (size_t i = 0; i < module->n_entries; i++)
        if (strstr(module->entries[i].name, part) != NULL)
            return &module->entries[i];
    fail_msg("no entry %s", part);
    return NULL;
}

#define HEADER ".version 9.0\n.target sm_90\n.address_size 64\n"

// The one entry of a module made of `globals`, and an entry `k` with `body`.
static const struct ks_ptx_entry *made(const char *globals, const char *body)
{
    const char *text = ks_arena_printf(
        &arena, HEADER "%s\n.visible .entry k(.param .u64 k_param_0)\n{\n%s\nret;\n}\n", globals,
        body);
    struct ks_ptx_module module = read_module(ks_slice_of(text));
    const struct ks_ptx_entry *entry = ks_ptx_find(&module, "k");
    assert_non_null(entry);
    return entry;
}

static void assert_equal(const struct ks_ptx_entry *a, const struct ks_ptx_entry *b)
{
    if (a->canonical.len != b->canonical.len ||
        memcmp(a->canonical.at, b->canonical.at, a->canonical.len) != 0)
        fail_msg("canonical texts differ:\n%s\n--\n%s", a->canonical.at, b->canonical.at);
    assert_true(ks_digest_eq(&a->digest, &b->digest));
}

static void assert_differ(const struct ks_ptx_entry *a, const struct ks_ptx_entry *b)
{
    if (a->canonical.len == b->canonical.len &&
        memcmp(a->canonical.at, b->canonical.at, a->canonical.len) == 0)
        fail_msg("canonical texts are equal:\n%s", a->canonical.at);
    assert_false(ks_digest_eq(&a->digest, &b->digest));
}

// moved.cu: other names, file, header, layout, comments, namespace, template, kernels before, a second
// caller of the helper, another assert line, -lineinfo.
static void moved_kernel_keeps_its_text(void **state)
{
    (void)state;
    struct ks_ptx_module base = read_module(stored("base.ptx"));
    struct ks_ptx_module moved = read_module(stored("moved.ptx"));
    const struct ks_ptx_entry *blend = entry_with(&base, "blend");
    assert_equal(blend, entry_with(&moved, "mixIf"));
    assert_differ(blend, entry_with(&moved, "before"));
    assert_differ(blend, entry_with(&moved, "second_caller"));
    assert_int_equal(blend->ineligible, KS_R_APPLIED);
    assert_string_equal(blend->ineligible_text, "");
    assert_string_equal(base.target, "sm_90");
    assert_int_equal(base.arch, 90);
    // Nothing that names the program or the place is left.
    static const char *const gone[] = {"blend", "decay", "table", "tile", "loc", "_Z"};
    for (size_t i = 0; i < sizeof gone / sizeof *gone; i++)
        assert_null(strstr(blend->canonical.at, gone[i]));
}

// Each edit of the stored module's text that changes what runs changes the canonical text.
static void each_change_of_code_shows(void **state)
{
    (void)state;
    static const char *const edits[][2] = {
        {"fma.rn.f32 \t%f15", "fma.rz.f32 \t%f15"},               // in the helper
        {"@%p1 bra", "@!%p1 bra"},                                // a branch
        {"{0, 0, 128, 63, 0, 0, 0, 64", "{0, 0, 129, 63, 0, 0, 0, 64"}, // the table
        {".maxntid 128, 1, 1", ".maxntid 256, 1, 1"},             // launch bounds
        {"[512];", "[516];"},                                     // shared memory
        {".extern .shared .align 16", ".extern .shared .align 8"},
        {"= {110, 32, 62, 32, 48}", "= {110, 32, 62, 32, 49}"},                   // the assert's message
        {".target sm_90", ".target sm_90a"},
        {"bar.sync \t0", "bar.sync \t1"},
    };
    struct ks_slice text = stored("base.ptx");
    struct ks_ptx_module base = read_module(text);
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
        const char *at = strstr(text.at, edits[i][0]);
        if (at == NULL)
            fail_msg("base.ptx no longer contains '%s'", edits[i][0]);
        struct ks_buf changed = KS_BUF(1 << 20);
        ks_buf_add(&changed, text.at, (size_t)(at - text.at));
        ks_buf_puts(&changed, edits[i][1]);
        ks_buf_puts(&changed, at + strlen(edits[i][0]));
        struct ks_ptx_module other =
            read_module((struct ks_slice){changed.data, changed.len});
        assert_differ(&base.entries[0], &other.entries[0]);
        ks_buf_free(&changed);
    }
}

// constructs.cu names its kernels after the reason that they must give.
static void constructs_give_their_reason(void **state)
{
    (void)state;
    struct ks_ptx_module module = read_module(stored("constructs.ptx"));
    assert_int_equal(module.n_entries, 26);
    for (size_t i = 0; i < module.n_entries; i++) {
        const struct ks_ptx_entry *entry = &module.entries[i];
        enum ks_reason expected = KS_R_APPLIED;
        size_t longest = 0;
        char name[128];
        snprintf(name, sizeof name, "%s", entry->name);
        for (char *p = name; *p != '\0'; p++)
            *p = *p == '_' ? '-' : *p;
        for (int r = 0; r < KS_R_COUNT; r++) {
            const char *reason = ks_reason_name((enum ks_reason)r);
            if (ks_starts_with(name, reason) && strlen(reason) > longest) {
                expected = (enum ks_reason)r;
                longest = strlen(reason);
            }
        }
        assert_true(longest > 0 || ks_starts_with(name, "eligible-"));
        if (strcmp(entry->name, "device_global_functions") == 0)
            expected = KS_R_INDIRECT_CALL; // the call stands in the entry, the table behind it
        if (entry->ineligible != expected)
            fail_msg("%s gives %s (%s)", entry->name, ks_reason_name(entry->ineligible),
                     entry->ineligible_text);
        assert_int_equal(expected == KS_R_APPLIED, entry->ineligible_text[0] == '\0');
    }
}

static void instructions_give_their_reason(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        enum ks_reason reason;
    } cases[] = {
        {"ld.global.u32 %r1, [%rd1];", KS_R_APPLIED},
        {"ld.volatile.shared.u32 %r1, [%r2];", KS_R_APPLIED},
        {"ld.volatile.shared::cta.u32 %r1, [%r2];", KS_R_APPLIED},
        {"st.volatile.local.u32 [%rd1], %r1;", KS_R_APPLIED},
        {"ld.volatile.u32 %r1, [%rd1];", KS_R_SYSTEM_SCOPE},
        {"st.volatile.global.v2.u32 [%rd1], {%r1, %r2};", KS_R_SYSTEM_SCOPE},
        {"ld.acquire.sys.global.u32 %r1, [%rd1];", KS_R_SYSTEM_SCOPE},
        {"ld.relaxed.gpu.global.u32 %r1, [%rd1];", KS_R_APPLIED},
        {"ld.mmio.relaxed.sys.global.u32 %r1, [%rd1];", KS_R_SYSTEM_SCOPE},
        {"@%p1 st.release.sys.u32 [%rd1], %r1;", KS_R_SYSTEM_SCOPE},
        {"red.sys.global.add.u32 [%rd1], 1;", KS_R_SYSTEM_SCOPE},
        {"fence.sc.sys;", KS_R_SYSTEM_SCOPE},
        {"fence.acq_rel.gpu;", KS_R_APPLIED},
        {"membar.sys;", KS_R_SYSTEM_SCOPE},
        {"membar.gl;", KS_R_APPLIED},
        {"multimem.ld_reduce.relaxed.gpu.global.add.f32 %f1, [%rd1];", KS_R_SYSTEM_SCOPE},
        {"mov.u32 %r1, %cluster_ctarank;", KS_R_CLUSTER},
        {"mov.u32 %r1, %nclusterid.x;", KS_R_CLUSTER},
        {"mov.u32 %r1, %clock;", KS_R_APPLIED},
        {"mapa.shared::cluster.u32 %r1, %r2, %r3;", KS_R_CLUSTER},
        {"ld.shared::cluster.u32 %r1, [%r2];", KS_R_CLUSTER},
        {"fence.acq_rel.cluster;", KS_R_CLUSTER},
        {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1], 64, [%r2];",
         KS_R_APPLIED},
        {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
         "[%r1], [%rd1], 64, [%r2], %rs1;",
         KS_R_CLUSTER},
        {"cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], "
         "[%rd1, {%r2, %r3}], [%r4];",
         KS_R_TEXTURE},
        {"cp.async.ca.shared.global [%r1], [%rd1], 16;", KS_R_APPLIED},
        {"tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, {%r1}];", KS_R_TEXTURE},
        {"griddepcontrol.launch_dependents;", KS_R_GRID_DEPENDENCY},
        {"griddepcontrol.wait;", KS_R_GRID_DEPENDENCY},
        {"mov.u32 %r1, %envreg1;", KS_R_GRID_SYNC},
        {"call.uni %rd1, (param0);", KS_R_INDIRECT_CALL},
        {"mul.lo.s32 %r1, %r2, %r3;", KS_R_APPLIED},
        {"sub.s32 %r1, %r2, %r3;", KS_R_APPLIED},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct ks_ptx_entry *entry = made("", cases[i].line);
        if (entry->ineligible != cases[i].reason)
            fail_msg("'%s' gives %s", cases[i].line, ks_reason_name(entry->ineligible));
    }
    // The compiler's own data, by its exact names; what else is spelled alike is a variable.
    static const struct {
        const char *globals, *use;
        enum ks_reason reason;
    } data[] = {
        {".global .b8 __cudart_i2opi_f[1] = {1};", "__cudart_i2opi_f", KS_R_APPLIED},
        {".global .b8 __cudart_mine[1] = {1};", "__cudart_mine", KS_R_DEVICE_GLOBAL},
        {".global .b8 $str$12[1] = {1};", "$str$12", KS_R_APPLIED},
        {".global .b8 $string[1] = {1};", "$string", KS_R_DEVICE_GLOBAL},
        {".global .b8 $str[1];", "$str", KS_R_DEVICE_GLOBAL},
        {".const .b8 _ZZ1kE1t[1] = {1};", "_ZZ1kE1t", KS_R_APPLIED},
        {".const .b8 _ZZ1kE1t[1];", "_ZZ1kE1t", KS_R_DEVICE_GLOBAL},
        {".extern .const .b8 _ZZ1kE1t[1];", "_ZZ1kE1t", KS_R_DEVICE_GLOBAL},
        {".shared .b8 s[4];", "s", KS_R_APPLIED},
        {".global .texref t;", "t", KS_R_TEXTURE},
        {".global .attribute(.managed) .b8 m[4];", "m", KS_R_MANAGED},
    };
    for (size_t i = 0; i < sizeof data / sizeof *data; i++) {
        const char *use = ks_arena_printf(&arena, "mov.u64 %%rd1, %s;", data[i].use);
        const struct ks_ptx_entry *entry = made(data[i].globals, use);
        if (entry->ineligible != data[i].reason)
            fail_msg("'%s' gives %s", data[i].globals, ks_reason_name(entry->ineligible));
    }
    // What a kernel does not reach does not count.
    assert_int_equal(made(".func f()\n{\nmembar.sys;\nret;\n}\n", "mov.u32 %r1, 1;")->ineligible,
                     KS_R_APPLIED);
    assert_int_equal(made(".func f()\n{\nmembar.sys;\nret;\n}\n", "call.uni f;")->ineligible,
                     KS_R_SYSTEM_SCOPE);
    assert_int_equal(made(".extern .func g\n(\n.param .b32 p\n)\n;\n", "call.uni g, (x);")->ineligible,
                     KS_R_EXTERNAL_CODE);
    assert_int_equal(
        made(".extern .func cudaLaunchDeviceV2\n;\n", "call.uni cudaLaunchDeviceV2;")->ineligible,
        KS_R_DEVICE_LAUNCH);
}

#define SAME(globals1, body1, globals2, body2)                                                    \
    assert_equal(made(globals1, body1), made(globals2, body2))
#define OTHER(globals1, body1, globals2, body2)                                                   \
    assert_differ(made(globals1, body1), made(globals2, body2))

static void names_and_layout_do_not_matter(void **state)
{
    (void)state;
    SAME("", "add.s32 %r1, %r2, 3;", "// comment\n", "/* a */ add.s32\t%r1 ,%r2,\n3 ; // b");
    SAME("", "bra $L__BB0_2;\n$L__BB0_2:", "", "bra $L__BB7_1;\n$L__tmp1:\n$L__BB7_1:");
    SAME("", "$L1:\nbra $L1;", "", "again:\nbra again;");
    SAME(".global .align 1 .b8 $str[2] = {65};", "mov.u64 %rd1, $str;",
         ".global .align 1 .b8 $str$1[2] = {65};", "mov.u64 %rd1, $str$1;");
    SAME(".const .b8 _ZZ1kE1a[1] = {1};\n.const .b8 _ZZ1kE1b[1] = {2};",
         "mov.u64 %rd1, _ZZ1kE1b; mov.u64 %rd2, _ZZ1kE1a;",
         ".const .b8 _ZZ1kE1a[1] = {2};\n.const .b8 _ZZ1kE1b[1] = {1};",
         "mov.u64 %rd1, _ZZ1kE1a; mov.u64 %rd2, _ZZ1kE1b;");
    SAME("", ".loc 1 2 3\nadd.s32 %r1, %r1, 1;", "",
         ".loc 4 5 6, function_name $L__info_string0, inlined_at 1 2 3\nadd.s32 %r1, %r1, 1;");
    SAME(".extern .shared .align 16 .b8 a[];", "mov.u32 %r1, a;",
         ".extern .shared .align 16 .b8 b[];", "mov.u32 %r1, b;");
    SAME("", "ret;", ".file 1 \"/x/y.cu\"\n.section .debug_str\n{\n.b8 1,2\n}\n", "ret;");
}

// Pairs of different programs that a careless renaming takes for the same.
static void different_programs_differ(void **state)
{
    (void)state;
    // Same shapes, other targets.
    OTHER("", "a:\nb:\nbra a;\nbra b;", "", "b:\na:\nbra a;\nbra b;");
    OTHER("", "a:\nbra a;\nb:\nbra b;", "", "a:\nbra b;\nb:\nbra a;");
    // Two variables, exchanged uses.
    OTHER(".const .b8 _ZZ1kE1a[1] = {1};\n.const .b8 _ZZ1kE1b[1] = {2};",
          "mov.u64 %rd1, _ZZ1kE1b; mov.u64 %rd2, _ZZ1kE1a;",
          ".const .b8 _ZZ1kE1a[1] = {1};\n.const .b8 _ZZ1kE1b[1] = {2};",
          "mov.u64 %rd1, _ZZ1kE1a; mov.u64 %rd2, _ZZ1kE1b;");
    // Shared variables of the function, declared in another order or size.
    OTHER("", ".shared .b8 a[4];\n.shared .b8 b[8];\nmov.u32 %r1, a;", "",
          ".shared .b8 a[8];\n.shared .b8 b[4];\nmov.u32 %r1, a;");
    OTHER("", ".shared .b8 a[4];\n.shared .b8 b[4];\nmov.u32 %r1, a;", "",
          ".shared .b8 a[4];\n.shared .b8 b[4];\nmov.u32 %r1, b;");
    // A register without '%' is not a symbol's address, nor another register.
    OTHER("", ".reg .b32 t<4>;\n.reg .f32 u<4>;\nmov.b32 t0, 1;", "",
          ".reg .b32 u<4>;\n.reg .f32 t<4>;\nmov.b32 t0, 1;");
    OTHER("", ".reg .v4 .f32 t;\n.reg .v2 .b32 u;\nmov.b32 %r1, t.x;", "",
          ".reg .v4 .f32 u;\n.reg .v2 .b32 t;\nmov.b32 %r1, t.x;");
    OTHER("", ".reg .v4 .f32 t;\nmov.b32 %r1, t.x;", "", ".reg .v4 .f32 t;\nmov.b32 %r1, t.y;");
    OTHER("", ".reg .b32 t;\nmov.b32 %r1, t;", "", ".reg .b32 t;\nmov.b32 %r1, WARP_SZ;");
    OTHER("", "mov.b32 %r1, t;", "", "mov.b32 %r1, u;");
    // A scope's own name hides the module's.
    OTHER(".const .b8 _ZZ1kE1a[1] = {1};", "{\n.reg .b64 _ZZ1kE1a;\n}\nmov.u64 %rd1, _ZZ1kE1a;",
          ".const .b8 _ZZ1kE1a[1] = {2};", "{\n.reg .b64 _ZZ1kE1a;\n}\nmov.u64 %rd1, _ZZ1kE1a;");
    // Braces are scopes.
    OTHER("", "{\nmov.b32 %r1, 1;\n}\nmov.b32 %r1, 2;", "", "{\nmov.b32 %r1, 1;\nmov.b32 %r1, 2;\n}");
    // Words that must not run together or fall apart.
    OTHER("", "mov.b32 %r1, -1;", "", "mov.b32 %r1, 1;");
    OTHER("", "ld.u32 %r1, [%rd1+4];", "", "ld.u32 %r1, [%rd1+-4];");
    OTHER("", ".pragma \"nounroll\";", "", ".pragma \"no unroll\";");
    // External functions are their names; so are tables that the host may set.
    OTHER(".extern .func f;", "call.uni f;", ".extern .func g;", "call.uni g;");
    OTHER(".const .b8 _ZZ1kE1a[1] = {1};", "mov.u64 %rd1, _ZZ1kE1a;", ".const .b8 a[1] = {1};",
          "mov.u64 %rd1, a;");
    // Recursion to itself or to a twin.
    OTHER(".func f()\n{\ncall.uni f;\nret;\n}\n", "call.uni f;",
          ".func g()\n{\ncall.uni f;\nret;\n}\n.func f()\n{\ncall.uni g;\nret;\n}\n", "call.uni f;");
    // A comment opener in a string is no comment.
    OTHER("", ".pragma \"//\"; mov.b32 %r1, 1;", "", ".pragma \"//\"; mov.b32 %r1, 2;");
}

// An assert as nvcc 13 writes it, with values for file, line and function.
static const struct ks_ptx_entry *asserting(const char *file, int line, const char *function,
                                            const char *extra)
{
    const char *globals = ks_arena_printf(
        &arena,
        ".extern .func __assertfail\n(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, "
        ".param .b64 e)\n;\n.global .align 1 .b8 $str[4] = {110, 62, 48};\n"
        ".global .align 1 .b8 $str$1[3] = {%s};\n.global .align 1 .b8 __unnamed_1[3] = {%s};\n",
        file, function);
    const char *body = ks_arena_printf(
        &arena,
        "mov.u64 %%rd1, $str;\ncvta.global.u64 %%rd2, %%rd1;\nmov.u64 %%rd3, $str$1;\n"
        "cvta.global.u64 %%rd4, %%rd3;\nmov.u64 %%rd5, __unnamed_1;\n"
        "cvta.global.u64 %%rd6, %%rd5;\n{ // callseq 5, 0\n.reg .b32 temp_param_reg;\n"
        ".param .b64 param0;\nst.param.b64 [param0+0], %%rd2;\n.param .b64 param1;\n"
        "st.param.b64 [param1+0], %%rd4;\n.param .b32 param2;\nst.param.b32 [param2+0], %d;\n"
        ".param .b64 param3;\nst.param.b64 [param3+0], %%rd6;\n.param .b64 param4;\n"
        "st.param.b64 [param4+0], 1;\ncall.uni\n__assertfail,\n(\nparam0,\nparam1,\nparam2,\nparam3,"
        "\nparam4\n);\n} // callseq 5\n%s",
        line, extra);
    return made(globals, body);
}

static void place_of_an_assert_does_not_matter(void **state)
{
    (void)state;
    const struct ks_ptx_entry *base = asserting("97, 98", 10, "102, 103", "");
    assert_int_equal(base->ineligible, KS_R_APPLIED);
    assert_equal(base, asserting("99, 100", 10, "102, 103", ""));
    assert_equal(base, asserting("97, 98", 77, "102, 103", ""));
    assert_equal(base, asserting("97, 98", 10, "104, 105", ""));
    // A program that computes with the same string keeps it.
    static const char reads[] = "ld.global.u8 %r1, [%rd3];";
    assert_differ(asserting("97, 98", 10, "102, 103", reads),
                  asserting("99, 100", 10, "102, 103", reads));
    static const char reads_generic[] = "ld.u8 %r1, [%rd4];";
    assert_differ(asserting("97, 98", 10, "102, 103", reads_generic),
                  asserting("99, 100", 10, "102, 103", reads_generic));
    // ... or hands it on, in the block of the assert or behind it.
    static const char passes[] = "{\n.param .b64 q;\nst.param.b64 [q+0], %rd4;\ncall.uni f, (q);\n}";
    assert_differ(asserting("97, 98", 10, "102, 103", passes),
                  asserting("99, 100", 10, "102, 103", passes));
    // ... and so does one that defines the register anew.
    static const char again[] = "mov.u64 %rd4, 0;";
    assert_differ(asserting("97, 98", 10, "102, 103", again),
                  asserting("99, 100", 10, "102, 103", again));
}

// Whose __assertfail it is matters: a program's own may do anything with its arguments, and so may
// whoever shares them with it.
static void only_the_systems_assert_is_blanked(void **state)
{
    (void)state;
#define ASSERT_CALL(line, more)                                                                   \
    "{\n.param .b64 a;\n.param .b64 b;\n.param .b32 c;\n.param .b64 d;\n.param .b64 e;\n"          \
    "st.param.b32 [c+0], " line ";\ncall.uni __assertfail, (a, b, c, d, e);\n" more "}"
    static const char ours[] = ".extern .func __assertfail;";
    static const char theirs[] = ".func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, "
                                 ".param .b64 d, .param .b64 e)\n{\nret;\n}";
    SAME(ours, ASSERT_CALL("7", ""), ours, ASSERT_CALL("8", ""));
    OTHER(theirs, ASSERT_CALL("7", ""), theirs, ASSERT_CALL("8", ""));
    OTHER(ours, ASSERT_CALL("7", "call.uni f, (c);\n"), ours,
          ASSERT_CALL("8", "call.uni f, (c);\n"));
    OTHER(ours, ASSERT_CALL("7;\nst.param.b32 [c+0], 1", ""), ours,
          ASSERT_CALL("8;\nst.param.b32 [c+0], 1", ""));
    OTHER(ours, ASSERT_CALL("7;\nld.param.b32 %r1, [c+0]", ""), ours,
          ASSERT_CALL("8;\nld.param.b32 %r1, [c+0]", ""));
}

static void parameters_have_their_layout(void **state)
{
    (void)state;
    struct ks_ptx_module module = read_module(ks_slice_of(
        HEADER ".entry k(\n.param .u64 .ptr .global .align 4 k_param_0,\n.param .u32 k_param_1,\n"
               ".param .align 8 .b8 k_param_2[24],\n.param .u8 k_param_3,\n.param .f32 k_param_4\n)\n{\nret;\n}\n"
               ".entry none()\n{\nret;\n}\n.entry bare\n{\nret;\n}\n"));
    const struct ks_ptx_entry *k = ks_ptx_find(&module, "k");
    static const struct ks_ptx_param expected[] = {{8, 8, true, false}, {4, 4, true, false}, {24, 8, false, false},
                                                   {1, 1, true, false}, {4, 4, true, true}};
    assert_int_equal(k->n_params, 5);
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(k->params[i].size, expected[i].size);
        assert_int_equal(k->params[i].align, expected[i].align);
        assert_int_equal(k->params[i].scalar, expected[i].scalar);
        assert_int_equal(k->params[i].real, expected[i].real);
    }
    assert_int_equal(ks_ptx_find(&module, "none")->n_params, 0);
    assert_int_equal(ks_ptx_find(&module, "bare")->n_params, 0);
    assert_null(ks_ptx_find(&module, "absent"));
}

static void damage_is_told_with_its_line(void **state)
{
    (void)state;
    static const struct {
        const char *text, *part;
    } cases[] = {
        {"", ".target"},
        {"this is no PTX\n", "line 1"},
        {HEADER ".entry k()\n{\nret;\n", "line 5"},
        {HEADER ".entry k()\n{\nadd.s32 %r1\n}\n", "without ';'"},
        {HEADER ".entry k()\n{\nadd.s32 %r1, `;\n}\n", "line 6"},
        {HEADER ".entry k()\n{\n} }\n", "line 6"},
        {HEADER ".entry k()\n{\nret;\n}\n.entry k()\n{\nret;\n}\n", "twice"},
        {HEADER ".global .u32 a, b;\n", "several"},
        {HEADER ".newdirective x;\n", "does not know"},
        {HEADER ".entry k()\n{\n/* open\nret;\n}\n", "line"},
        {".target gfx90\n", "sm_NN"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ks_ptx_module module;
        struct ks_err err = {0};
        if (ks_ptx_read(&arena, ks_slice_of(cases[i].text), &module, &err) != KS_E_FORMAT)
            fail_msg("case %zu is taken", i);
        if (strstr(err.text, cases[i].part) == NULL)
            fail_msg("case %zu says '%s', not '%s'", i, err.text, cases[i].part);
    }
}

// Cut anywhere, a module is refused or read, never more than read.
static void functions_are_found_by_line(void **state)
{
    (void)state;
    static const char text[] = ".version 9.0\n"                                       // 1
                               "// .entry no(\n"                                      // 2
                               ".func  (.param .b32 r) early(.param .b32 a)\n"        // 3
                               ";\n"                                                  // 4
                               ".visible .entry first(\n"                             // 5
                               ")\n"                                                  // 6
                               "{\n"                                                  // 7
                               "\t@@ bogus \"%r1\n"                                   // 8
                               "}\n"                                                  // 9
                               ".func  (.param .b32 r) early(\n"                      // 10
                               ".param .b32 a)\n"                                     // 11
                               "{ .entry }";                                          // 12
    static const char *const names[] = {"", "", "", "early", "early", "first", "first", "first",
                                        "first", "first", "early", "early", "early", ""};
    for (int line = 0; line < (int)(sizeof names / sizeof *names); line++)
        assert_true(ks_slice_eq(ks_ptx_function_at(ks_slice_of(text), line), names[line]));
    assert_true(ks_slice_eq(ks_ptx_function_at((struct ks_slice){0}, 1), ""));
}

static void truncation_is_survived(void **state)
{
    (void)state;
    struct ks_slice text = stored("base.ptx");
    size_t refused = 0;
    for (size_t n = 0; n < text.len; n += 7) {
        struct ks_arena own = {0};
        struct ks_ptx_module module;
        char *copy = ks_arena_memdup(&own, text.at, n);
        refused += ks_ptx_read(&own, (struct ks_slice){copy, n}, &module, NULL) == KS_E_FORMAT;
        ks_arena_free(&own);
    }
    assert_true(refused > text.len / 14);
}

static int teardown(void **state)
{
    (void)state;
    ks_arena_free(&arena);
    return 0;
}

// A function's shared array that one kernel uses stands in it, one that two use beside them.
static void promoted_arrays_make_modules_alike(void **state)
{
    (void)state;
    static const char alone[] = HEADER
        ".visible .entry k(.param .u64 k_param_0)\n{\n\t// demoted variable\n\t.shared .align 4 .b8 _ZE4part[128];\n"
        "\t// demoted variable\n\t.shared .align 8 .b8 _ZE4rest[64];\nst.shared.f32 [_ZE4part], %f1;\n"
        "st.shared.f32 [_ZE4rest], %f1;\nret;\n}";
    static const char both[] = HEADER
        ".shared .align 4 .b8 _ZE4part[128];\n"
        ".visible .entry other()\n{\nst.shared.f32 [_ZE4part], %f1;\nret;\n}\n"
        ".visible .entry k(.param .u64 k_param_0)\n{\n\t// demoted variable\n\t.shared .align 8 .b8 _ZE4rest[64];\n"
        "st.shared.f32 [_ZE4part], %f1;\nst.shared.f32 [_ZE4rest], %f1;\nret;\n}\n";
    static const char larger[] = HEADER
        ".shared .align 4 .b8 _ZE4part[256];\n"
        ".visible .entry k(.param .u64 k_param_0)\n{\n\t// demoted variable\n\t.shared .align 8 .b8 _ZE4rest[64];\n"
        "st.shared.f32 [_ZE4part], %f1;\nst.shared.f32 [_ZE4rest], %f1;\nret;\n}\n";
    const char *const texts[] = {alone, both, larger};
    struct ks_digest plain[3], promoted[3], demoted[3];
    for (size_t i = 0; i < 3; i++) {
        struct ks_ptx_module module = read_module(ks_slice_of(texts[i]));
        plain[i] = ks_ptx_find(&module, "k")->digest;
        module = read_module(ks_ptx_promoted(&arena, ks_slice_of(texts[i])));
        promoted[i] = ks_ptx_find(&module, "k")->digest;
        module = read_module(ks_ptx_demoted(&arena, ks_slice_of(texts[i]), "k"));
        demoted[i] = ks_ptx_find(&module, "k")->digest;
    }
    assert_false(ks_digest_eq(&plain[0], &plain[1])); // keys are of the text as it is
    assert_true(ks_digest_eq(&promoted[0], &promoted[1]));
    assert_false(ks_digest_eq(&promoted[1], &promoted[2]));
    assert_true(ks_digest_eq(&demoted[0], &plain[0])); // nothing to move
    assert_true(ks_digest_eq(&demoted[1], &plain[0]));
    assert_false(ks_digest_eq(&demoted[2], &plain[0]));
    // What a function uses that is called stays where nvcc put it.
    static const char called[] = HEADER
        ".shared .align 4 .b8 _ZE4part[128];\n.func f()\n{\nst.shared.f32 [_ZE4part], %f1;\nret;\n}\n"
        ".visible .entry k()\n{\nst.shared.f32 [_ZE4part], %f1;\nret;\n}\n";
    assert_ptr_equal(ks_ptx_demoted(&arena, ks_slice_of(called), "k").at, called);
    struct ks_slice nothing = ks_slice_of(HEADER ".shared .align 4 .b8 a[4];\n");
    assert_ptr_equal(ks_ptx_promoted(&arena, nothing).at, nothing.at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moved_kernel_keeps_its_text),
        cmocka_unit_test(each_change_of_code_shows),
        cmocka_unit_test(constructs_give_their_reason),
        cmocka_unit_test(instructions_give_their_reason),
        cmocka_unit_test(names_and_layout_do_not_matter),
        cmocka_unit_test(different_programs_differ),
        cmocka_unit_test(place_of_an_assert_does_not_matter),
        cmocka_unit_test(only_the_systems_assert_is_blanked),
        cmocka_unit_test(parameters_have_their_layout),
        cmocka_unit_test(damage_is_told_with_its_line),
        cmocka_unit_test(functions_are_found_by_line),
        cmocka_unit_test(promoted_arrays_make_modules_alike),
        cmocka_unit_test(truncation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, teardown);
}
