// The static gate and the reading of arithmetic, on canonical PTX as key/ptx.c writes it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "verify/gate.h"

#define HEAD ".entry #g0(.param .u64 .ptr .global .align 4 #0,.param .u64 #1)\n{\n.reg .f32 %f<4>;\n"
#define PLAIN HEAD "ld.global.nc.f32 %f1,[%rd1];\nfma.rn.f32 %f2,%f1,%f1,%f1;\nst.global.f32[%rd2],%f2;\nret;\n}\n"

static bool passes(const char *original, const char *candidate, bool relaxed, const char *word)
{
    char reason[256] = "";
    struct ks_gate gate = {.relaxed = relaxed};
    bool ok = ks_gate_ptx(&gate, ks_slice_of(original), ks_slice_of(candidate), reason);
    if (!ok && strstr(reason, word) == NULL)
        fail_msg("reason \"%s\" does not say \"%s\"", reason, word);
    return ok;
}

static void honest_code_passes(void **state)
{
    (void)state;
    assert_true(passes(PLAIN, PLAIN, false, ""));
    assert_true(passes(PLAIN, PLAIN "bar.sync 0;\nshfl.sync.bfly.b32 %r1,%r2,1,31,-1;\n"
                                    "ex2.approx.ftz.f32 %f1,%f2;\n", true, ""));
    assert_true(passes(PLAIN, PLAIN "ld.global.v4.f32 {%f1,%f2,%f3,%f4},[%rd1];\ncp.async.cg.shared.global"
                                    " [%r1],[%rd1],16;\nmov.u32 %r1,%laneid;\n", false, ""));
    assert_true(passes(PLAIN, PLAIN ".shared .align 4 .b8 #g1[65536]\n", false, ""));
    assert_true(passes(PLAIN, PLAIN ".const .align 4 .b8 #g1[1024]={1,2,3}\n", false, ""));
    assert_true(passes(PLAIN, PLAIN ".const .align 4 .f32 #g1[1024]\n", false, ""));
}

static void each_trick_is_named(void **state)
{
    (void)state;
    const struct { const char *text, *word; } cases[] = {
        {".global .align 4 .u32 #g1\n", "device variable"},
        {".visible .global .align 4 .u32 #g1={0}\n", "device variable"},
        {".const .align 4 .b8 #g1[4097]\n", "constant tables"},
        {".const .align 4 .b8 #g1[4000]={1,2}\n.const .align 8 .f64 #g2[64]\n", "constant tables"},
        {"mov.u64 %rd1,%clock64;\n", "clock"},
        {"mov.u64 %rd1,%globaltimer;\n", "clock"},
        {"mov.u32 %r1,%globaltimer_lo;\n", "clock"},
        {"mov.u32 %r1,%smid;\n", "where the block runs"},
        {"call.uni (#1),malloc,(#2);\n", "heap"},
        {"call.uni (#1),vprintf,(#2);\n", "printf"},
        {".callprototype (.param .b32 _) _ (.param .b32 _);\n", "indirect"},
        {"nanosleep.u32 100;\n", "nanosleep"},
        {"trap;\n", "trap"},
        {"createpolicy.fractional.L2::evict_last.b64 %rd1,1.0;\n", "eviction"},
        {"ld.global.L2::evict_last.f32 %f1,[%rd1];\n", "eviction"},
        {"prefetch.global.L2::evict_last [%rd1];\n", "eviction"},
        {"prefetch.global.L2 [%rd1];\n", "prefetch"},
        {"cp.async.bulk.prefetch.L2.global [%rd1],16;\n", "prefetch"},
        {"applypriority.global.L2::evict_normal [%rd1],128;\n", "eviction"},
        {"discard.global.L2 [%rd1],128;\n", "discard"},
        {"call.uni __assertfail,(#1,#2);\n", "trap"},
        {".calltargets a, b;\n", "indirect"},
        {"mov.u32 %r1,%warpid;\n", "where the block runs"},
        {"atom.acq_rel.sys.global.add.u32 %r1,[%rd1],1;\n", "system-scope"},
        {"griddepcontrol.wait;\n", "griddepcontrol"},
        {"cvt.rn.f16.f32 %h1,%f1;\n", "half-precision"},
        {"cvt.rn.bf16.f32 %h1,%f1;\n", "bfloat16"},
        {"cvt.rna.tf32.f32 %r1,%f1;\n", "TF32"},
        {"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f1},{%r1},{%r2},{%f1};\n", "TF32"},
        {"cvt.rn.satfinite.e4m3x2.f32 %h1,%f1,%f2;\n", "8-bit"},
        {"div.approx.f32 %f1,%f2,%f3;\n", "division"},
        {"rcp.approx.ftz.f64 %fd1,%fd2;\n", "division"},
        {"rcp.approx.ftz.f32 %f1,%f2;\n", "denormals"},
        {"rsqrt.approx.ftz.f64 %fd1,%fd2;\n", "square root"},
        {"rsqrt.approx.ftz.f32 %f1,%f2;\n", "denormals"},
        {"lg2.approx.f32 %f1,%f2;\n", "logarithm"},
        {"cos.approx.f32 %f1,%f2;\n", "sine"},
        {"add.ftz.f32 %f1,%f2,%f3;\n", "denormals"},
        {"sin.approx.f32 %f1,%f2;\n", "sine"},
        {"tanh.approx.f32 %f1,%f2;\n", "tanh"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1024];
        strcpy(text, PLAIN);
        strcat(text, cases[i].text);
        if (passes(PLAIN, text, false, cases[i].word))
            fail_msg("let through: %s", cases[i].text);
        // What the original itself does is allowed.
        assert_true(passes(text, text, false, ""));
    }
}

// An error that some multiple of an ulp bounds for any argument is for the comparison to judge.
static void what_errs_by_an_ulp_or_two_is_left_to_the_comparison(void **state)
{
    (void)state;
    static const char *const fine[] = {
        "ex2.approx.ftz.f32 %f1,%f2;\n", // as expf has it
        "rsqrt.approx.f32 %f1,%f2;\n", "sqrt.approx.f32 %f1,%f2;\n", "rcp.approx.f32 %f1,%f2;\n",
        "div.full.f32 %f1,%f2,%f3;\n", "ex2.approx.f32 %f1,%f2;\n", "rsqrt.approx.f64 %fd1,%fd2;\n",
    };
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++) {
        char text[1024];
        strcpy(text, PLAIN);
        strcat(text, fine[i]);
        if (!passes(PLAIN, text, false, ""))
            fail_msg("rejected: %s", fine[i]);
    }
}

// Blocks that pass data on by a counter need a fence; counters whose value nobody looks at do not.
static void a_counter_needs_a_fence(void **state)
{
    (void)state;
    const char *used = PLAIN "atom.global.add.u32 %r3,[%rd8],1;\nsetp.eq.s32 %p1,%r3,7;\n";
    assert_false(passes(PLAIN, used, false, "no fence"));
    assert_true(passes(used, used, false, ""));
    assert_true(passes(PLAIN, PLAIN "atom.global.add.u32 %r3,[%rd8],1;\nmov.u32 %r30,1;\n", false, ""));
    assert_true(passes(PLAIN, PLAIN "membar.gl;\natom.global.inc.u32 %r3,[%rd8],1;\nmov.u32 %r4,%r3;\n",
                       false, ""));
    assert_true(passes(PLAIN, PLAIN "atom.acq_rel.gpu.global.add.u32 %r3,[%rd8],1;\nmov.u32 %r4,%r3;\n",
                       false, ""));
    assert_true(passes(PLAIN, PLAIN "atom.shared.add.u32 %r3,[%r8],1;\nmov.u32 %r4,%r3;\n", false, ""));
    assert_true(passes(PLAIN, PLAIN "atom.global.cas.b32 %r3,[%rd8],%r1,%r2;\nmov.u32 %r4,%r3;\n", false,
                       ""));
}

static void tf32_is_left_to_the_probe(void **state)
{
    (void)state;
    const char *tf32 = PLAIN "cvt.rna.tf32.f32 %r1,%f1;\n", *half = PLAIN "cvt.rn.f16.f32 %h1,%f1;\n";
    struct ks_gate probed = {.probed = true}, not_probed = {0};
    char reason[256];
    assert_true(ks_gate_ptx(&probed, ks_slice_of(PLAIN), ks_slice_of(tf32), reason));
    assert_false(ks_gate_ptx(&not_probed, ks_slice_of(PLAIN), ks_slice_of(tf32), reason));
    assert_false(ks_gate_ptx(&probed, ks_slice_of(PLAIN), ks_slice_of(half), reason));
}

// Sums of products in fp32, with or without other work behind them.
static void what_may_show_tf32_is_seen(void **state)
{
    (void)state;
    const struct { const char *text; bool shows; } cases[] = {
        {PLAIN, true},
        {PLAIN "bar.sync 0;\nex2.approx.ftz.f32 %f1,%f2;\n", true},
        {PLAIN "bar.sync 0;\nsetp.gt.f32 %p1,%f1,%f2;\n", true},
        {HEAD "ld.global.f32 %f1,[%rd1];\nex2.approx.ftz.f32 %f2,%f1;\n", false},                // of one number
        {PLAIN "bar.sync 0;\nex2.approx.ftz.f32 %f1,%f2;\nfma.rn.f16 %h1,%h2,%h3,%h4;\n", false}, // 16 bits
        {"bar.sync 0;\nfma.rn.f64 %fd1,%fd2,%fd3,%fd4;\nsqrt.rn.f64 %fd1,%fd2;\n", false},        // nothing is wider
        {"bar.sync 0;\nmov.f32 %f2,%f1;\n", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ks_arith a = ks_arith_of(ks_slice_of(cases[i].text));
        if (ks_arith_shows_tf32(&a) != cases[i].shows)
            fail_msg("case %zu", i);
    }
    struct ks_slice plain = ks_slice_of(PLAIN), tf32 = ks_slice_of(PLAIN "cvt.rna.tf32.f32 %r1,%f1;\n");
    assert_true(ks_gate_adds_tf32(plain, tf32));
    assert_false(ks_gate_adds_tf32(tf32, tf32) || ks_gate_adds_tf32(plain, plain));
}

static void a_relaxed_tolerance_allows_lower_precision_only(void **state)
{
    (void)state;
    assert_true(passes(PLAIN, PLAIN "cvt.rna.tf32.f32 %r1,%f1;\n", true, ""));
    assert_true(passes(PLAIN, PLAIN "div.approx.f32 %f1,%f2,%f3;\n", true, ""));
    assert_false(passes(PLAIN, PLAIN "mov.u64 %rd1,%clock64;\n", true, "clock"));
}

static struct ks_arith arith(const char *text)
{
    return ks_arith_of(ks_slice_of(text));
}

static void arithmetic_is_classified(void **state)
{
    (void)state;
    assert_int_equal(arith("ld.global.f32 %f1,[%rd1];\nmax.f32 %f2,%f1,%f1;\nst.global.f32[%rd2],%f2;\n").kind,
                     KS_ARITH_NONE);
    assert_int_equal(arith("add.s32 %r1,%r2,%r3;\nsetp.lt.s32 %p1,%r1,%r2;\n").kind, KS_ARITH_NONE);
    assert_int_equal(arith(PLAIN).kind, KS_ARITH_MULADD);
    assert_true(arith(PLAIN).u == 0x1p-24);
    assert_int_equal(arith(PLAIN "div.rn.f32 %f1,%f2,%f3;\n").kind, KS_ARITH_OTHER);
    assert_true(arith(PLAIN "div.rn.f32 %f1,%f2,%f3;\n").divides && arith("rcp.rn.f64 %fd1,%fd2;\n").divides);
    assert_false(arith(PLAIN "div.s32 %r1,%r2,%r3;\n").divides || arith(PLAIN "sqrt.rn.f32 %f1,%f2;\n").divides);
    assert_int_equal(arith(PLAIN "setp.gt.f32 %p1,%f1,%f2;\n").kind, KS_ARITH_OTHER);
    assert_int_equal(arith("setp.gt.f32 %p1,%f1,%f2;\nselp.f32 %f3,%f1,%f2,%p1;\n").kind, KS_ARITH_NONE);
    assert_int_equal(arith("setp.gt.f32 %p1,%f1,%f2;\nadd.f32 %f3,%f1,%f2;\n").kind, KS_ARITH_OTHER);
    assert_int_equal(arith(PLAIN "cvt.rzi.s32.f32 %r1,%f1;\n").kind, KS_ARITH_OTHER);
    assert_int_equal(arith(PLAIN "cvt.rn.f32.s32 %f1,%r1;\n").kind, KS_ARITH_MULADD);
    assert_int_equal(arith("cvt.rni.f32.f32 %f1,%f2;\n").kind, KS_ARITH_NONE);
    assert_int_equal(arith("cvt.rni.f32.f32 %f1,%f2;\nex2.approx.f32 %f1,%f1;\n").kind, KS_ARITH_OTHER);
    assert_int_equal(arith("red.global.add.f32 [%rd1],%f1;\n").kind, KS_ARITH_MULADD);
    assert_true(arith("red.global.add.f32 [%rd1],%f1;\n").float_atomics);
    assert_true(arith("atom.global.add.f64 %fd1,[%rd1],%fd2;\n").float_atomics);
    assert_false(arith("atom.global.add.u32 %r1,[%rd1],%r2;\nadd.f32 %f1,%f2,%f3;\n").float_atomics);
    assert_true(arith("fma.rn.f16x2 %h1,%h2,%h3,%h4;\n").u == 0x1p-11);
    assert_true(arith("fma.rn.f64 %fd1,%fd2,%fd3,%fd4;\n").u == 0x1p-53);
}

static void signs_and_literals_are_seen(void **state)
{
    (void)state;
    assert_false(arith(PLAIN).subtracts);
    assert_true(arith("sub.f32 %f1,%f2,%f3;\n").subtracts);
    assert_true(arith("fma.rn.f32 %f1,%f2,0fC0800000,%f3;\n").subtracts);  // -4
    assert_true(arith("fma.rn.f32 %f1,%f2,0fC0800000,%f3;\n").whole_numbers);
    assert_false(arith("mul.f32 %f1,%f2,0f3E4CCCCD;\n").whole_numbers);    // 0.2
    assert_true(arith("mul.f64 %fd1,%fd2,0d4008000000000000;\n").whole_numbers); // 3
}

// Where many inputs can meet in one output, by what PTX shows.
static void what_gathers_is_seen(void **state)
{
    (void)state;
    assert_false(ks_arith_of(KS_SLICE("ex2.approx.f32 %f1,%f2;\n@%p1 bra #7;\nadd.f32 %f1,%f1,%f2;\n#7:\nret;\n")).gathers);
    assert_true(ks_arith_of(KS_SLICE("#7:\nadd.f32 %f1,%f1,%f2;\n@%p1 bra #7;\nret;\n")).gathers);
    assert_false(ks_arith_of(KS_SLICE("#7:\nadd.f32 %f1,%f1,%f2;\nbra.uni #17;\n#17:\nret;\n")).gathers);
    assert_true(ks_arith_of(KS_SLICE("bar.sync 0;\n")).gathers);
    // As sinf brings a great argument down; a sum of whole numbers, and one of floats, are none such.
    assert_false(ks_arith_of(KS_SLICE("#7:\nld.global.nc.u32 %r1,[%rd1];\nmad.wide.u32 %rd2,%r1,%r2,%rd3;\nst.local.u32 [%rd4],%rd2;\n"
                                      "@%p1 bra #7;\nret;\n")).gathers);
    assert_true(ks_arith_of(KS_SLICE("#7:\nld.global.nc.u32 %r1,[%rd1];\nmad.wide.u32 %rd2,%r1,%r2,%rd3;\n@%p1 bra #7;\nret;\n")).gathers);
    assert_true(ks_arith_of(KS_SLICE("#7:\nld.global.nc.u32 %r1,[%rd1];\nmad.wide.u32 %rd2,%r1,%r2,%rd3;\nst.local.u32 [%rd4],%rd2;\n"
                                     "add.f32 %f1,%f1,%f2;\n@%p1 bra #7;\nret;\n")).gathers);
    assert_true(ks_arith_of(KS_SLICE("shfl.sync.bfly.b32 %r1,%r2,1,31,-1;\n")).gathers);
    assert_true(ks_arith_of(KS_SLICE("red.global.add.f32 [%rd1],%f1;\n")).gathers);
    assert_false(ks_arith_of(KS_SLICE("red.global.add.u32 [%rd1],%r1;\n")).gathers);
}

// How often an element is rounded, where the text alone says that.
static void roundings_are_counted(void **state)
{
    (void)state;
    assert_int_equal(arith("mul.f32 %f1,%f2,%f3;\nfma.rn.f32 %f4,%f1,%f2,%f3;\nadd.s32 %r1,%r2,%r3;\n").roundings, 2);
    assert_int_equal(arith("fma.rn.f16x2 %r1,%r2,%r3,%r4;\n").roundings, 1); // of each half
    assert_int_equal(arith("#7:\nadd.f32 %f1,%f1,%f2;\n@%p1 bra #7;\nret;\n").roundings, 0);
    assert_int_equal(arith("add.f32 %f1,%f1,%f2;\nbar.sync 0;\n").roundings, 0);
    assert_int_equal(arith("add.f32 %f1,%f1,%f2;\ncall.uni (%f3),#1,(%f1);\n").roundings, 0); // it may come twice
}

// Where floats are multiplied and nothing else is done with them, and many of them may meet.
static void products_alone_are_seen(void **state)
{
    (void)state;
#define FACTORS "ld.global.f32 %f1,[%rd1];\nbar.sync 0;\nmul.f32 %f2,%f1,%f2;\nst.global.f32 [%rd2],%f2;\n"
    assert_true(arith(FACTORS).products);
    assert_true(arith(FACTORS "mov.f32 %f3,0f3F800000;\nselp.f32 %f3,%f1,%f3,%p1;\nneg.f32 %f3,%f3;\n").products);
    assert_true(arith(FACTORS "setp.lt.s32 %p1,%r1,%r2;\nadd.s32 %r1,%r1,1;\natom.global.cas.b32 %r1,[%rd1],%r2,%r3;\n").products);
    assert_false(arith("mul.f32 %f2,%f1,%f2;\nst.global.f32 [%rd2],%f2;\n").products); // two
    assert_false(arith("bar.sync 0;\nmov.f32 %f2,%f1;\n").products);
    assert_false(arith(FACTORS "add.f32 %f3,%f1,%f2;\n").products);
    assert_false(arith(FACTORS "fma.rn.f32 %f3,%f1,%f2,%f1;\n").products);
    assert_false(arith(FACTORS "max.f32 %f3,%f1,%f2;\n").products);
    assert_false(arith(FACTORS "div.rn.f32 %f3,%f1,%f2;\n").products);
    assert_false(arith(FACTORS "setp.lt.f32 %p1,%f1,%f2;\n").products);
    assert_false(arith(FACTORS "cvt.rzi.s32.f32 %r1,%f2;\n").products);
    assert_false(arith(FACTORS "red.global.add.f32 [%rd1],%f1;\n").products);
    assert_false(arith("bar.sync 0;\nmul.f64 %fd2,%fd1,%fd2;\n").products); // nothing is wider
}

// The same where the compiler has unrolled the loop: three loads in one sum, in vectors too, but not an address of a load.
static void what_joins_is_seen(void **state)
{
    (void)state;
#define TWO "ld.global.f32 %f1,[%rd1];\nld.global.nc.f32 %f2,[%rd1+4];\nsub.f32 %f4,%f1,%f2;\n"
#define THIRD "ld.shared.f32 %f3,[%r1];\n"
    assert_true(ks_arith_of(KS_SLICE(TWO THIRD "@%p1 fma.rn.f32 %f5,%f4,%f4,%f3;\nsqrt.rn.f32 %f6,%f5;\n")).joins);
    assert_true(ks_arith_of(KS_SLICE("ld.global.v4.f32 {%f1,%f2,%f3,%f4},[%rd1];\nmul.f32 %f5,%f1,%f2;\nadd.f32 %f6,%f5,%f4;\n")).joins);
    assert_false(ks_arith_of(KS_SLICE("ld.global.v4.f32 {%f1,%f2,%f3,%f4},[%rd1];\nadd.f32 %f1,%f1,%f2;\nadd.f32 %f3,%f3,%f4;\n")).joins);
    assert_false(ks_arith_of(KS_SLICE(TWO THIRD "mul.f32 %f5,%f4,%f3;\n")).joins);
    assert_true(ks_arith_of(KS_SLICE("ld.global.f32 %f1,[%rd1];\nlg2.approx.f32 %f2,%f1;\nld.global.f32 %f3,[%rd2];\n"
                                     "fma.rn.f32 %f4,%f2,%f3,%f3;\n")).joins); // rounded once or twice
    assert_false(ks_arith_of(KS_SLICE("ld.global.f32 %f1,[%rd1];\nfma.rn.f32 %f2,%f1,%f1,%f1;\n")).joins);
    assert_true(ks_arith_of(KS_SLICE(TWO "ld.param.f32 %f3,[#0];\nadd.f32 %f5,%f4,%f3;\n")).joins);
    // Three that went through an array of the thread's own; of one that did, nothing meets.
    assert_true(ks_arith_of(KS_SLICE(TWO "st.local.f32 [%rd3],%f4;\nld.local.f32 %f6,[%rd4];\nld.global.f32 %f3,[%rd1];\n"
                                         "add.f32 %f7,%f6,%f3;\n")).joins);
    assert_false(ks_arith_of(KS_SLICE("ld.global.f32 %f1,[%rd1];\nst.local.f32 [%rd3],%f1;\nld.local.f32 %f6,[%rd4];\n"
                                      "add.f32 %f7,%f6,%f6;\n")).joins);
    assert_false(ks_arith_of(KS_SLICE("ld.param.u64 %rd1,[#0];\nld.param.f32 %f3,[#1];\nld.global.f32 %f1,[%rd1];\n"
                                      "add.f32 %f2,%f1,%f3;\n")).joins);
    assert_false(ks_arith_of(KS_SLICE("ld.global.u32 %r1,[%rd1];\nld.global.u32 %r2,[%rd2];\nadd.s32 %r3,%r1,%r2;\n"
                                      "ld.global.f32 %f1,[%r3];\nadd.f32 %f2,%f1,0f3F800000;\n")).joins);
    assert_false(ks_arith_of(KS_SLICE(TWO THIRD "add.s32 %r2,%f4,%f3;\n")).joins);
    // Rounded to a whole number two are one again; but not beside what they were made of, and three such are three.
#define WHOLE TWO "mul.f32 %f5,%f1,%f2;\ncvt.rni.f32.f32 %f6,%f5;\n"
    assert_false(ks_arith_of(KS_SLICE(WHOLE THIRD "add.f32 %f7,%f6,%f3;\n")).joins);
    assert_false(ks_arith_of(KS_SLICE(WHOLE "sub.f32 %f7,%f5,%f6;\n")).joins);
    assert_true(ks_arith_of(KS_SLICE(WHOLE THIRD "sub.f32 %f7,%f5,%f6;\nadd.f32 %f8,%f7,%f3;\n")).joins);
    assert_true(ks_arith_of(KS_SLICE(WHOLE THIRD "add.f32 %f7,%f6,%f3;\nld.global.f32 %f8,[%rd1];\nadd.f32 %f9,%f7,%f8;\n")).joins);
    assert_true(ks_arith_of(KS_SLICE(WHOLE THIRD "fma.rn.f32 %f7,%f6,%f3,%f3;\n")).joins); // rounded once or twice
#undef WHOLE
#undef TWO
#undef THIRD
}

static void sums_on_tensor_cores_are_seen(void **state)
{
    (void)state;
    static const char *const cut[] = {
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4},{%r1,%r2,%r3,%r4},{%r5,%r6},{%f1,%f2,%f3,%f4};\n",
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%f1,%f2,%f3,%f4},%rd1,%rd2,1,1,1,0,0;\n",
        "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {%f1},{%r1},{%r2},{%f1};\n",
    };
    for (size_t i = 0; i < sizeof cut / sizeof *cut; i++)
        assert_true(ks_sums_on_tensor_cores(ks_slice_of(cut[i])));
    assert_false(ks_sums_on_tensor_cores(KS_SLICE(PLAIN)));
    assert_false(ks_sums_on_tensor_cores(KS_SLICE("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%fd1},{%fd2},{%fd3},{%fd1};\n")));
    assert_false(ks_sums_on_tensor_cores(KS_SLICE("mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 {%r1},{%r2},{%r3},{%r1};\n")));
}

static void sums_of_double_stay_so(void **state)
{
    (void)state;
    struct ks_adds twice = ks_adds_of(KS_SLICE("cvt.f64.f32 %fd1, %f1;\nfma.rn.f64 %fd2, %fd1, %fd1, %fd2;\ncvt.rn.f32.f64 %f2, %fd2;\n")),
                   single = ks_adds_of(KS_SLICE("ld.global.f64 %fd1, [%rd1];\nadd.f32 %f1, %f2, %f3;\n")),
                   both = ks_adds_of(KS_SLICE("red.global.add.f64 [%rd1], %fd1;\nsub.f32 %f1, %f2, %f3;\n")),
                   none = ks_adds_of(KS_SLICE("mul.f64 %fd1, %fd2, %fd3;\nmax.f32 %f1, %f2, %f3;\nadd.s32 %r1, %r2, %r3;\n"));
    assert_true(twice.twice && !twice.single && !single.twice && single.single && both.twice && both.single);
    assert_true(!none.twice && !none.single);
    assert_true(ks_adds_fall_short(twice, single) && ks_adds_fall_short(twice, both) && ks_adds_fall_short(both, single));
    assert_false(ks_adds_fall_short(twice, twice) || ks_adds_fall_short(both, both) || ks_adds_fall_short(both, twice));
    assert_false(ks_adds_fall_short(single, single) || ks_adds_fall_short(single, twice) || ks_adds_fall_short(twice, none));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_gathers_is_seen),
        cmocka_unit_test(what_joins_is_seen),
        cmocka_unit_test(roundings_are_counted),
        cmocka_unit_test(products_alone_are_seen),
        cmocka_unit_test(honest_code_passes),
        cmocka_unit_test(each_trick_is_named),
        cmocka_unit_test(what_errs_by_an_ulp_or_two_is_left_to_the_comparison),
        cmocka_unit_test(a_counter_needs_a_fence),
        cmocka_unit_test(tf32_is_left_to_the_probe),
        cmocka_unit_test(what_may_show_tf32_is_seen),
        cmocka_unit_test(a_relaxed_tolerance_allows_lower_precision_only),
        cmocka_unit_test(arithmetic_is_classified),
        cmocka_unit_test(sums_on_tensor_cores_are_seen),
        cmocka_unit_test(sums_of_double_stay_so),
        cmocka_unit_test(signs_and_literals_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
