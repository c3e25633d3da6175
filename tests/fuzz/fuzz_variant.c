// The variant loader and the textual gate on any text: a variant that is read writes text that reads as the
// same; the gate says something of whatever it refuses; what it lets through, it lets through again.
#include <string.h>

#include "fuzz.h"
#include "key/variant.h"

#define KERNEL                                                                                     \
    "source: |\n  __global__ void k(float *y, int n)\n  {\n      int i = blockIdx.x * blockDim.x + "  \
    "threadIdx.x;\n      if (i < n)\n          y[i] = 2.f * y[i];\n  }\n"
#define PLAN                                                                                       \
    "when: n % 4 == 0 && aligned(y,16)\nworkspace: {part: \"4*ceildiv(n,1024)\"}\nplan:\n"          \
    "  - {memset: part, value: 0}\n  - {kernel: k, grid: [\"ceildiv(n,256)\", 1], block: [256], "   \
    "shared: 1024, args: [y, n]}\n"
#define HEX "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

size_t fuzz_accepted;
const char *const fuzz_seeds[] = {
    "includes: [mma.h]\nparams: [y, x, a, n]\n" KERNEL PLAN,
    "params: [y, x, a, n]\nsource: |\n  template <class T> __device__ T twice(T v) { return v + v; }\n"
    "  struct S { float a[4]; static constexpr int n = 4; };\n  typedef unsigned int word;\n"
    "  __global__ void k(float *y, int n) { extern __shared__ float s[]; _Pragma(\"unroll 4\") "
    "for (int i = 0; i < n; i++) y[i] = twice(s[i]); }\nplan:\n  - {kernel: k, args: [y, n]}\n",
    "format: 1\nid: da3d81e1110b9fc7\nkey: " HEX "\nkernel: k\narch: 90\ncorrectness: CORRECT\n"
    "speed: FASTER\ngeomean: 1.5\nlower: 1.4\nrationale: because\nparams: [y, x, a, n]\n" KERNEL PLAN
    "domain: n >= 1 && n <= 4096\nevidence:\n  level: measured\n  device: d\n  driver: v\n  nvcc: n\n"
    "  date: x\n  judge: j\n  shapes: 3\n  families: 2\n  runs: 9\n  max_ulp: 0\n  max_rel: 0\n"
    "  repeats: identical\n  timings:\n    - {workload: w, original_us: 2, variant_us: 1, ratio: 2, "
    "lower: 1.9, pairs: 51, method: m}\n  notes: []\n  kernels:\n    - {name: k, ptx: " HEX ", sass: " HEX
    "}\nprovenance:\n  proposer: engine\n  skills: []\n  parent: \"\"\nkey_fields: |\n  arch: 90\n",
    NULL};
const char *const fuzz_words[] = {
    "#include", "#if", "?\?/", "\\\n", "asm", "namespace", "using", "extern", "static", "template <>",
    "__device__", "__global__", "__constant__", "__shared__", "__host__", "operator", "typedef", "struct",
    "size_t", "}", "{", "/*", "*/", "//", "\"", "'", "R\"(", "[[", "<:", "%:", "- ", ": ", "\n", "~", "kernel",
    "memset", "args", "grid", "[", "]", "1<<62", "n/0", NULL};

static struct ks_signature signature_of(struct ks_arena *arena)
{
    static const char *const types[] = {"float*", "float const*", "float", "int"};
    struct ks_signature s = {.registered = "_Z1kPfPKffi", .qualified = "k", .instance = "k", .n_params = 4};
    s.params = KS_NEW_ARRAY(arena, struct ks_type, 4);
    for (int i = 0; i < 4; i++)
        s.params[i] = ks_type_parse(arena, ks_slice_of(types[i]));
    return s;
}

static void gate(struct ks_arena *arena, struct ks_slice text)
{
    struct ks_signature signature = signature_of(arena);
    struct ks_proposal proposal, again;
    struct ks_yaml *root;
    struct ks_err err = {0};
    if (ks_yaml_parse(arena, "input", text, &root, &err) != KS_OK ||
        ks_proposal_read(arena, "input", root, &proposal, &err) != KS_OK) {
        FUZZ_CHECK(err.text[0] != '\0');
        return;
    }
    if (ks_proposal_check(arena, &proposal, &signature, &err) != KS_OK) {
        FUZZ_CHECK(err.text[0] != '\0');
        return;
    }
    fuzz_accepted++;
    struct ks_buf out = KS_BUF(8 << 20);
    struct ks_yaml_writer w = {.out = &out};
    ks_proposal_write(&w, &proposal);
    FUZZ_CHECK(ks_yaml_parse(arena, "written", ks_slice_of(ks_buf_text(&out)), &root, &err) == KS_OK);
    FUZZ_CHECK(ks_proposal_read(arena, "written", root, &again, &err) == KS_OK);
    FUZZ_CHECK(ks_proposal_check(arena, &again, &signature, &err) == KS_OK);
    FUZZ_CHECK(strcmp(ks_proposal_id(arena, &proposal), ks_proposal_id(arena, &again)) == 0);
    ks_buf_free(&out);
}

static void load(struct ks_arena *arena, struct ks_slice text)
{
    struct ks_variant variant, again;
    struct ks_original_decision decision;
    struct ks_err err = {0};
    if (ks_original_read(arena, "input", text, &decision, &err) != KS_OK)
        FUZZ_CHECK(err.text[0] != '\0');
    if (ks_variant_read(arena, "input", text, &variant, &err) != KS_OK) {
        FUZZ_CHECK(err.text[0] != '\0');
        return;
    }
    fuzz_accepted++;
    const char *written = ks_variant_text(arena, &variant);
    FUZZ_CHECK(ks_variant_read(arena, "written", ks_slice_of(written), &again, &err) == KS_OK);
    FUZZ_CHECK(strcmp(written, ks_variant_text(arena, &again)) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ks_arena arena = {0};
    // Readers get text that ends, as ks_file_read gives it.
    const struct ks_slice text = {ks_arena_strndup(&arena, (const char *)data, size), size};
    gate(&arena, text);
    load(&arena, text);
    ks_arena_free(&arena);
    return 0;
}
