// Text of the unit in double; contract in verify/wide.h. Macros do the work, so that the user's text stays as
// it is and whatever they do not reach stays single: less exact, never wrong.
#include <ctype.h>
#include <string.h>

#include "os/file.h"
#include "verify/wide.h"

#define FILE_MAX_BYTES (64u << 20)

// Functions of one fp32 and what computes the same in fp64. An argument that is an integer (sqrtf(n)) or stayed
// float would find the host's template.
static const char *const functions[][2] = {
    {"expf", "exp"}, {"exp2f", "exp2"}, {"exp10f", "exp10"}, {"expm1f", "expm1"}, {"logf", "log"},
    {"log2f", "log2"}, {"log10f", "log10"}, {"log1pf", "log1p"}, {"sqrtf", "sqrt"},
    {"rsqrtf", "rsqrt"}, {"cbrtf", "cbrt"}, {"sinf", "sin"}, {"cosf", "cos"}, {"tanf", "tan"},
    {"tanhf", "tanh"}, {"sinhf", "sinh"}, {"coshf", "cosh"}, {"asinf", "asin"}, {"acosf", "acos"},
    {"sinpif", "sinpi"}, {"cospif", "cospi"}, {"asinhf", "asinh"}, {"acoshf", "acosh"}, {"atanhf", "atanh"},
    {"lgammaf", "lgamma"}, {"tgammaf", "tgamma"}, {"rcbrtf", "rcbrt"}, {"erfinvf", "erfinv"}, {"erfcinvf", "erfcinv"},
    {"normcdfinvf", "normcdfinv"}, {"erfcxf", "erfcx"}, {"logbf", "logb"}, {"nearbyintf", "nearbyint"},
    {"j0f", "j0"}, {"j1f", "j1"}, {"y0f", "y0"}, {"y1f", "y1"},
    {"atanf", "atan"}, {"erff", "erf"}, {"erfcf", "erfc"}, {"normcdff", "normcdf"},
    {"fabsf", "fabs"}, {"floorf", "floor"}, {"ceilf", "ceil"}, {"roundf", "round"},
    {"rintf", "rint"}, {"truncf", "trunc"}, {"__expf", "exp"},
    {"__exp10f", "exp10"}, {"__logf", "log"}, {"__log2f", "log2"}, {"__log10f", "log10"},
    {"__sinf", "sin"}, {"__cosf", "cos"}, {"__tanf", "tan"}, {"__tanhf", "tanh"},
    {"__fsqrt_rn", "sqrt"}, {"__frsqrt_rn", "rsqrt"},
};
// Types, and what goes by the types of its arguments.
static const char *const words[][2] = {
    {"sincosf", "sincos"}, {"sincospif", "sincospi"}, {"modff", "modf"}, {"float1", "double1"},
    {"float2", "double2"}, {"float3", "double3"}, {"float4", "double4"},
    {"make_float1", "make_double1"}, {"make_float2", "make_double2"},
    {"make_float3", "make_double3"}, {"make_float4", "make_double4"}, {"float", "double"},
    {"__half", KS_WIDE_HALF}, {"half", KS_WIDE_HALF}, {"__nv_bfloat16", KS_WIDE_HALF},
    {"nv_bfloat16", KS_WIDE_HALF}, {"__half2", KS_WIDE_PAIR}, {"half2", KS_WIDE_PAIR},
    {"__nv_bfloat162", KS_WIDE_PAIR}, {"nv_bfloat162", KS_WIDE_PAIR},
};
// Functions of several, likewise.
static const char operators[] =
    "#define powf(a, b) pow((double)(a), (double)(b))\n"
    "#define atan2f(a, b) atan2((double)(a), (double)(b))\n"
    "#define fmaxf(a, b) fmax((double)(a), (double)(b))\n"
    "#define fminf(a, b) fmin((double)(a), (double)(b))\n"
    "#define fmodf(a, b) fmod((double)(a), (double)(b))\n"
    "#define copysignf(a, b) copysign((double)(a), (double)(b))\n"
    "#define hypotf(a, b) hypot((double)(a), (double)(b))\n"
    "#define rhypotf(a, b) rhypot((double)(a), (double)(b))\n"
    "#define norm3df(a, b, c) norm3d((double)(a), (double)(b), (double)(c))\n"
    "#define rnorm3df(a, b, c) rnorm3d((double)(a), (double)(b), (double)(c))\n"
    "#define norm4df(a, b, c, d) norm4d((double)(a), (double)(b), (double)(c), (double)(d))\n"
    "#define rnorm4df(a, b, c, d) rnorm4d((double)(a), (double)(b), (double)(c), (double)(d))\n"
    "#define fdimf(a, b) fdim((double)(a), (double)(b))\n"
    "#define remainderf(a, b) remainder((double)(a), (double)(b))\n"
    "#define __powf(a, b) pow((double)(a), (double)(b))\n"
    "#define fmaf(a, b, c) fma((double)(a), (double)(b), (double)(c))\n"
    "#define __fmaf_rn(a, b, c) fma((double)(a), (double)(b), (double)(c))\n"
    "#define __fadd_rn(a, b) ((double)(a) + (double)(b))\n"
    "#define __fsub_rn(a, b) ((double)(a) - (double)(b))\n"
    "#define __fmul_rn(a, b) ((double)(a) * (double)(b))\n"
    "#define __fdiv_rn(a, b) ((double)(a) / (double)(b))\n"
    "#define __fdividef(a, b) ((double)(a) / (double)(b))\n"
    "#define fdividef(a, b) ((double)(a) / (double)(b))\n"
    "#define __frcp_rn(a) (1.0 / (double)(a))\n"
    "#define __saturatef(a) fmin(fmax((double)(a), 0.0), 1.0)\n";
// 16-bit types hold doubles too. Their arithmetic is not there: what computes in them does not compile.
static const char halves[] =
    "struct ks_w16 {\n"
    "    double v;\n"
    "    ks_w16() = default;\n"
    "    __host__ __device__ ks_w16(double x) : v(x) {}\n"
    "    __host__ __device__ operator double() const { return v; }\n"
    "};\n"
    "struct __align__(16) ks_w16x2 { ks_w16 x, y; };\n"
    "static __device__ __forceinline__ ks_w16 ks_narrow(double x) { return ks_w16(x); }\n"
    "static __device__ __forceinline__ double ks_widen(ks_w16 x) { return x.v; }\n"
    "static __device__ __forceinline__ double2 ks_widen2(ks_w16x2 x) { return make_double2(x.x.v, x.y.v); }\n"
    "static __device__ __forceinline__ ks_w16x2 ks_narrow2(double2 x) { ks_w16x2 r; r.x = x.x; r.y = x.y; return r; }\n"
    "static __device__ __forceinline__ ks_w16x2 ks_pair(double a, double b) { return ks_narrow2(make_double2(a, b)); }\n"
    "static __device__ __forceinline__ ks_w16 __ldg(const ks_w16 *p) { return *p; }\n"
    "static __device__ __forceinline__ ks_w16x2 __ldg(const ks_w16x2 *p) { return *p; }\n"
    "#define __half2float ks_widen\n#define __bfloat162float ks_widen\n"
    "#define __float2half ks_narrow\n#define __float2half_rn ks_narrow\n"
    "#define __float2bfloat16 ks_narrow\n#define __float2bfloat16_rn ks_narrow\n"
    "#define __half22float2 ks_widen2\n#define __bfloat1622float2 ks_widen2\n"
    "#define __float22half2_rn ks_narrow2\n#define __float22bfloat162_rn ks_narrow2\n"
    "#define __floats2half2_rn ks_pair\n#define __floats2bfloat162_rn ks_pair\n"
    "#define __low2float(p) ((p).x.v)\n#define __high2float(p) ((p).y.v)\n";
// What CUDA has for float4 alone.
static const char helpers[] =
    "static __device__ __forceinline__ double4 __ldg(const double4 *p) { return *p; }\n"
    "static __device__ __forceinline__ double4 __ldcs(const double4 *p) { return *p; }\n"
    "static __device__ __forceinline__ void __stcs(double4 *p, double4 v) { *p = v; }\n";
// A literal stays a float in fmax(x, 0.f) as well, which device code has for two doubles alone.
static const char mixed[] =
    "#define KS_F inline __host__ __device__ double\n"
    "#define KS_MIXED(f) KS_F f(double a, float b) { return f(a, (double)b); } "
    "KS_F f(float a, double b) { return f((double)a, b); }\n"
    "KS_MIXED(fmax) KS_MIXED(fmin) KS_MIXED(fmod) KS_MIXED(hypot) KS_MIXED(atan2)\n"
    "#define KS_MIXED3(A, B, C) KS_F fma(A a, B b, C c) { return fma((double)a, (double)b, (double)c); }\n"
    "KS_MIXED3(double, double, float) KS_MIXED3(double, float, double) KS_MIXED3(float, double, double)\n"
    "KS_MIXED3(double, float, float) KS_MIXED3(float, double, float) KS_MIXED3(float, float, double)\n"
    "#undef KS_MIXED3\n#undef KS_MIXED\n#undef KS_F\n"
    "namespace std { using ::fmax; using ::fmin; using ::fmod; using ::hypot; using ::atan2; using ::fma; }\n";

// Whether an include's name ends the path of a file of the user's.
static bool is_users(const struct ks_source_list *files, struct ks_slice name)
{
    for (size_t i = 0; i < files->len; i++) {
        size_t n = strlen(files->at[i].path);
        if (n >= name.len && memcmp(files->at[i].path + n - name.len, name.at, name.len) == 0 &&
            (n == name.len || files->at[i].path[n - name.len - 1] == '/'))
            return true;
    }
    return false;
}

static const char *skip_blanks(const char *p, const char *end)
{
    while (p < end && (*p == ' ' || *p == '\t'))
        p++;
    return p;
}

// Includes of files that are not the user's, before anything is renamed: theirs stay as they are.
static void add_includes(const struct ks_source_list *files, struct ks_slice text, struct ks_buf *out)
{
    const char *end = text.at + text.len;
    for (const char *line = text.at, *eol; line < end; line = eol + 1) {
        eol = memchr(line, '\n', (size_t)(end - line));
        if (eol == NULL)
            eol = end;
        const char *p = skip_blanks(line, eol);
        if (p == eol || *p != '#')
            continue;
        p = skip_blanks(p + 1, eol);
        if (eol - p < 8 || memcmp(p, "include", 7) != 0)
            continue;
        p = skip_blanks(p + 7, eol);
        const char *close = p < eol ? memchr(p + 1, *p == '<' ? '>' : '"', (size_t)(eol - p - 1)) : NULL;
        if (close == NULL || (*p != '<' && *p != '"') ||
            is_users(files, (struct ks_slice){p + 1, (size_t)(close - p - 1)}))
            continue;
        int n = (int)(close + 1 - p);
        ks_buf_printf(out, "#if __has_include(%.*s)\n#include %.*s\n#endif\n", n, p, n, p);
    }
}

enum ks_status ks_wide_text(struct ks_arena *arena, const struct ks_source_list *files,
                            struct ks_slice text, struct ks_buf *out, struct ks_err *err)
{
    for (size_t i = 0; i < files->len; i++) {
        struct ks_slice file = files->at[i].text;
        if (file.len == 0)
            KS_TRY(ks_file_read(arena, files->at[i].path, FILE_MAX_BYTES, &file, err));
        add_includes(files, file, out);
    }
    ks_buf_puts(out, helpers);
    ks_buf_puts(out, mixed);
    ks_buf_puts(out, halves);
    ks_buf_puts(out, operators);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        ks_buf_printf(out, "#define %s(...) %s((double)(__VA_ARGS__))\n", functions[i][0], functions[i][1]);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        ks_buf_printf(out, "#define %s %s\n", words[i][0], words[i][1]);
    ks_buf_slice(out, text);
    return KS_OK;
}

static bool names_a_type(const char *name)
{
    return ks_starts_with(name, "float") || strstr(name, "half") != NULL || strstr(name, "bfloat") != NULL;
}

const char *ks_wide_name(struct ks_arena *arena, const char *name)
{
    struct ks_buf out = KS_BUF(64 << 10);
    for (const char *p = name; *p != '\0';) {
        size_t n = 0;
        while (isalnum((unsigned char)p[n]) || p[n] == '_')
            n++;
        const char *wide = NULL;
        for (size_t i = 0; n > 0 && i < sizeof words / sizeof *words; i++)
            if (ks_slice_eq((struct ks_slice){p, n}, words[i][0]) && names_a_type(words[i][0]))
                wide = words[i][1];
        if (wide != NULL)
            ks_buf_puts(&out, wide);
        else
            ks_buf_add(&out, p, n > 0 ? n : 1);
        p += n > 0 ? n : 1;
    }
    const char *text = ks_arena_strdup(arena, ks_buf_text(&out));
    ks_buf_free(&out);
    return text;
}
