// The emulated device on any text that may be PTX: it is refused with an error that says something, or it
// is loaded and its kernel k runs within its budget; the same seed gives the same end twice.
#include <string.h>

#include "device/emu/emu_device.h"
#include "fuzz.h"

size_t fuzz_accepted;

#define HEAD ".version 9.0\n.target sm_100a\n.address_size 64\n"
#define ENTRY                                                                                      \
    ".visible .entry k(.param .u64 o, .param .u64 i, .param .u32 n)\n{\n"                          \
    ".reg .pred p<4>; .reg .b16 h<8>; .reg .b32 r<24>; .reg .b64 d<12>; .reg .f32 f<12>;\n"         \
    ".reg .f64 e<12>; .shared .align 16 .b8 s[1024]; .local .align 8 .b8 l[64];\n"                  \
    "ld.param.u64 d0, [o]; ld.param.u64 d1, [i]; ld.param.u32 r0, [n]; mov.u32 r1, %tid.x;\n"       \
    "mul.wide.u32 d2, r1, 4; add.s64 d3, d0, d2; add.s64 d4, d1, d2; ld.global.u32 r2, [d4];\n"     \
    "ld.global.f32 f1, [d4]; mov.u32 r3, s; shl.b32 r4, r1, 3; add.u32 r5, r3, r4; mov.u64 d5, l;\n"
#define END "st.global.u32 [d3], r2;\nret;\n}\n"

const char *const fuzz_seeds[] = {
    HEAD ENTRY "setp.lt.s32 p1, r1, 16; @p1 bra A; @!p1 mad.lo.s32 r2, r1, r2, 7; bra.uni B; A: lop3.b32 r2, r2, r1, r0, 0x96;\n"
               "B: prmt.b32 r6, r2, r1, 0x3210; shf.l.wrap.b32 r7, r6, r2, 5; dp4a.s32.u32 r2, r6, r7, r2; bfe.u32 r8, r2, 3, 9;\n"
               "bfi.b32 r9, r8, r2, 4, 12; fns.b32 r10, r9, 0, 3; popc.b32 r11, r10; clz.b32 r2, r11; selp.u32 r2, r2, r9, p1;\n" END,
    HEAD ENTRY "fma.rn.f32 f2, f1, f1, 0f3F800000; min.NaN.xorsign.abs.f32 f3, f2, f1; max.f32 f4, f1, f2, f3; add.rz.ftz.f32 f5, f4, f3;\n"
               "cvt.rn.f16.f32 h1, f5; cvt.rna.tf32.f32 r6, f5; cvt.f64.f32 e1, f5; sqrt.rn.f64 e2, e1; cvt.rzi.s32.f64 r2, e2;\n"
               "ex2.approx.ftz.f32 f6, f5; fma.rn.relu.f16x2 r7, r2, r2, r6; set.lt.u32.f32 r8, f5, f6; slct.s32.f32 r2, r7, r8, f6;\n"
               "setp.eq.f16x2 p1|p2, r7, r8; testp.infinite.f32 p3, f5; fma.rn.f32x2 d6, d2, d2, d3; cvt.rn.bf16x2.f32 r9, f5, f6;\n" END,
    HEAD ENTRY "st.shared.v2.u32 [r5], {r2, r1}; bar.sync 0; ld.shared.u32 r6, [r5+4]; atom.shared.add.u32 r7, [s], r6; bar.warp.sync -1;\n"
               "barrier.sync 3, 64; bar.red.popc.u32 r8, 1, p1; bar.arrive 2, 128; red.global.add.f32 [d3], f1; membar.gl; fence.acq_rel.cta;\n"
               "atom.acq_rel.gpu.global.cas.b32 r9, [d3], r6, r7; atom.global.add.v2.f32 {f2, f3}, [d0], {f1, f1};\n"
               "ld.acquire.gpu.global.u32 r2, [d3]; st.release.sys.global.u32 [d3], r2; st.local.u32 [d5], r2; ld.local.u32 r2, [d5];\n" END,
    HEAD ENTRY "shfl.sync.up.b32 r6|p1, r2, 1, 0, -1; shfl.sync.idx.b32 r7, r6, 3, 0x1f1f, -1; vote.sync.ballot.b32 r8, p1, -1;\n"
               "match.all.sync.b32 r9|p2, r2, -1; match.any.sync.b64 r10, d2, -1; redux.sync.add.s32 r11, r2, -1; activemask.b32 r12;\n"
               "redux.sync.min.abs.f32 f2, f1, -1; elect.sync r13|p3, -1; elect.sync _|p1, -1; @p3 add.u32 r2, r2, 1;\n" END,
    HEAD ENTRY "cp.async.ca.shared.global [r5], [d4], 8, 5; cp.async.commit_group; cp.async.wait_group 0; cp.async.wait_all;\n"
               "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {r6, r7, r8, r9}, [r3]; movmatrix.sync.aligned.m8n8.trans.b16 r10, r6;\n"
               "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {f2, f3, f4, f5}, {r6, r7, r8, r9}, {r10, r11}, {f2, f3, f4, f5};\n"
               "mma.sync.aligned.m8n8k16.row.col.s32.s8.u8.s32 {r12, r13}, {r6}, {r7}, {r12, r13};\n"
               "stmatrix.sync.aligned.m8n8.x1.shared.b16 [r3], {r10}; wmma.load.a.sync.aligned.row.m8n8k4.shared.f64 {e1}, [r3], 4;\n" END,
    HEAD ".global .align 4 .b8 t[8] = {1, 2, -3}; .global .u64 a[2] = {t, generic(t)+4}; .const .f32 c = 0f3F800000;\n"
         ".func (.param .b32 q) f(.param .b32 x) { .reg .b32 a<3>; ld.param.u32 a0, [x]; add.u32 a1, a0, 1; st.param.b32 [q], a1; ret; }\n"
         ENTRY "{ .param .b32 x; .param .b32 y; st.param.b32 [x], r2; call.uni (y), f, (x); ld.param.b32 r2, [y]; }\n"
               "and.b32 r6, r1, 3; T: .branchtargets U, V, U, V; brx.idx r6, T; U: add.u32 r2, r2, 1; bra W; V: add.u32 r2, r2, 2;\n"
               "W: mov.u64 d6, t; ld.global.u8 h1, [d6+3]; cvta.to.global.u64 d7, d6; isspacep.shared p1, d7; ld.const.f32 f2, [c];\n"
               ".loc 1 7 3, function_name F, inlined_at 1 9 2\n mov.u64 d8, %clock64; mov.u32 r7, %clusterid.x; nanosleep.u32 20;\n" END ".file 1 \"/usr/include/a.h\"\n",
    HEAD ".global .u64 a[2] = {f, generic(f)}; .global .u64 b[1] = {a+8};\n"
         ".func (.param .b32 q) f(.param .b32 x) { .reg .b32 a<3>; ld.param.u32 a0, [x]; shl.b32 a1, a0, 1; st.param.b32 [q], a1; ret; }\n"
         ENTRY "ld.global.u64 d6, [b]; ld.global.u64 d7, [d6]; mov.u64 d8, f; setp.lt.u32 p1, r1, 9; selp.b64 d7, d7, d8, p1;\n"
               "{ .param .b32 x; .param .b32 y; st.param.b32 [x], r2; P: .callprototype (.param .b32 _) _ (.param .b32 _); call (y), d7, (x), P; ld.param.b32 r2, [y]; }\n"
               "ld.shared.u32 r6, [r5+4]; setp.gt.s32 p2, r6, 3; and.pred p2, p2, p1; selp.b32 r7, r6, r2, p1; and.b32 r8, r6, 0; st.shared.u32 [r5], r6;\n"
               "mov.b64 d9, {r6, r2}; mov.b64 {r9, r10}, d9; ld.local.v2.u32 {r11, r12}, [d5]; add.u32 r2, r2, r10; mov.u32 r13, %reserved_smem_offset_1;\n" END,
    HEAD ".extern .func (.param .b32 q) vprintf(.param .b64 x, .param .b64 y); .global .align 1 .b8 t[12] = {37, 100, 37, 45, 56, 46, 42, 115, 37, 103, 10, 0};\n"
         ENTRY "{ .reg .b64 g<3>; mov.u64 g0, t; cvta.local.u64 g1, d5; st.local.u32 [d5], r1; st.local.u32 [d5+4], 3; st.local.u64 [d5+8], g0; st.local.f64 [d5+16], 0d3FF0000000000000;\n"
               ".param .b64 x; .param .b64 y; .param .b32 q; st.param.b64 [x], g0; st.param.b64 [y], g1; call.uni (q), vprintf, (x, y); ld.param.b32 r2, [q]; }\n" END,
    HEAD ENTRY "setp.ne.u32 p3, r1, 0; @!p3 mbarrier.init.shared::cta.b64 [s], 128; bar.sync 0; cp.async.ca.shared.global [r5+64], [d4], 8;\n"
               "cp.async.mbarrier.arrive.shared.b64 [s]; mbarrier.arrive.release.cta.shared.b64 d6, [s]; mbarrier.arrive.noComplete.shared.b64 _, [s], 1;\n"
               "mbarrier.pending_count.b64 r6, d6; A: mbarrier.test_wait.shared.b64 p1, [s], d6; @!p1 bra A; mbarrier.arrive_drop.b64 d7, [d8], 1;\n"
               "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [s], 16; mbarrier.complete_tx.shared::cta.b64 [s], 16; mbarrier.arrive.expect_tx.shared.b64 d6, [s], 8;\n"
               "B: mbarrier.try_wait.parity.shared.b64 p2, [s], 1, r2; @!p2 bra B; cp.async.mbarrier.arrive.noinc.shared.b64 [s]; mbarrier.inval.shared.b64 [s];\n" END,
    HEAD ENTRY "L: add.u32 r6, r6, 1; setp.ne.u32 p1, r6, 0; @p1 bra L; mbarrier.init.shared.b64 [s], 1; wgmma.fence.sync.aligned;\n"
               "tex.1d.v4.f32.s32 {f1, f2, f3, f4}, [t, {r1}]; multimem.red.add.u32 [d0], r1; trap;\n" END,
    NULL};
const char *const fuzz_words[] = {
    "@p1 ", "@!p2 ", ".reg .b32 ", ".shared ", ".param ", "r1", "r2", "d0", "d3", "f1", "p1", "_", "|p1", "{", "}", "[", "]", "(", ")", ";", ",",
    ".v2", ".v4", ".v8", ".global", ".shared", ".const", ".u8", ".b16", ".s32", ".u64", ".f16x2", ".f32", ".f64", ".b128", ".x4", ".trans",
    ".aligned", ".sync", ".m16n8k16", ".row", ".col", "-1", "0x7fffffff", "0f7FC00000", "%tid.x", "%clock", "bra L;", "ret;", "exit;", "L:",
    "call ", ".branchtargets ", ".callprototype ", "mbarrier", ".parity", ".noinc", "generic(", "bar.sync 0;", "atom", "red", "ld", "st", "mov", "cvt", "+4", "+-4", ".loc 1 1 1", ".entry k()", NULL};

#define BYTES 4096

// The status and text it ends with; `hash`: of what it wrote.
static enum ks_status run_once(const uint8_t *data, size_t size, uint64_t seed, uint32_t cores,
                               uint64_t *hash, struct ks_err *err)
{
    struct ks_device device;
    struct ks_dev_buffer placed;
    static unsigned char zeros[BYTES], out[BYTES];
    struct ks_dev_arg args[3] = {{.kind = KS_DARG_BUFFER}, {.kind = KS_DARG_BUFFER},
                                 {.kind = KS_DARG_BYTES, .bytes = {40}, .size = 4}};
    struct ks_dev_step step = {.grid = {3, 1, 1}, .block = {64, 1, 1}, .args = args, .n_args = 3};
    struct ks_dev_plan plan = {&step, 1};
    void *module;
    static FILE *null;
    if (null == NULL)
        FUZZ_CHECK((null = fopen("/dev/null", "w")) != NULL);
    *hash = 0;
    *err = (struct ks_err){0};
    FUZZ_CHECK(ks_device_open_emu_at(&device, seed, err) == KS_OK);
    ks_emu_device_settings(&device)->budget = 9600;
    ks_emu_device_settings(&device)->cores = cores;
    ks_emu_device_settings(&device)->print = null;
    enum ks_status status =
        device.module(device.self, (struct ks_slice){(const char *)data, size}, &module, err);
    if (status == KS_OK)
        status = device.function(device.self, module, "k", &step.function, NULL, err);
    for (int i = 0; status == KS_OK && i < 2; i++) {
        status = device.alloc(device.self, BYTES, 16, KS_FLUSH_END, &args[i].buffer, &placed, err);
        if (status == KS_OK)
            status = device.write(device.self, args[i].buffer, 0, zeros, BYTES, err);
    }
    if (status == KS_OK)
        status = device.run(device.self, &plan, NULL, err);
    if (status == KS_OK)
        status = device.read(device.self, args[0].buffer, 0, out, BYTES, err);
    for (size_t i = 0; status == KS_OK && i < BYTES; i++)
        *hash = (*hash ^ out[i]) * UINT64_C(1099511628211);
    device.close(device.self);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ks_err one, two;
    uint64_t hash_one, hash_two;
    uint64_t seed = size % 5;
    enum ks_status status = run_once(data, size, seed, 1, &hash_one, &one);
    fuzz_accepted += status == KS_OK;
    FUZZ_CHECK(status == KS_OK || one.text[0] != '\0');
    FUZZ_CHECK(status == KS_OK || status == KS_E_FORMAT || status == KS_E_UNSUPPORTED ||
               status == KS_E_DEVICE || status == KS_E_LIMIT || status == KS_E_ABSENT ||
               status == KS_E_USER);
    FUZZ_CHECK(run_once(data, size, seed, 2, &hash_two, &two) == status && hash_one == hash_two);
    return 0;
}
