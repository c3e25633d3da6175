// Where the lanes of a warp lie in shared memory, as the text has it.
#include <string.h>

#include "../host_run/host_run.h"
#include "engine/pattern.h"
#include "engine/transform.h"
#include "memory/fact.h"

static struct ks_arena arena;

static struct host_case *make(const char *block, const char *body)
{
    struct host_case *c = KS_NEW(&arena, struct host_case);
    host_case_make(&arena,
                   ks_arena_printf(&arena,
                                   "#pragma ks optimize\n#pragma ks workload let(n=48) in(x[n]) out(y[n]) grid(2) block(%s)\n"
                                   "__global__ void k(const float *x, float *y, int n)\n{\n    int t = threadIdx.x;\n    %s\n}\n",
                                   block, body),
                   NULL, NULL, 0, c);
    return c;
}

// The first access to shared memory: "along_x along_y waves/turns", or "?".
static void lies(const char *block, const char *body, const char *where)
{
    struct host_case *c = make(block, body);
    struct ks_subject s;
    struct ks_pattern_list list;
    struct ks_err err = {0};
    char text[96] = "?";
    if (ks_subject_make(&arena, &c->brief, &s, &err) != KS_OK)
        fail_msg("%s", err.text);
    ks_patterns_find(&s, &list);
    if (list.shared.len == 0)
        fail_msg("no access in: %s", body);
    const struct ks_lane_access *a = &list.shared.at[0];
    char x[24] = "uneven", y[24] = "uneven";
    if (a->along_x != KS_STEP_UNKNOWN)
        snprintf(x, sizeof x, "%lld", (long long)a->along_x);
    if (a->along_y != KS_STEP_UNKNOWN)
        snprintf(y, sizeof y, "%lld", (long long)a->along_y);
    if (a->known)
        snprintf(text, sizeof text, "%s %s %u/%u", x, y, a->waves, a->turns);
    if (strcmp(text, where) != 0)
        fail_msg("%s, not %s: %s", text, where, body);
}

static void tells(const char *body, const char *name, double value)
{
    struct host_case *c = make("64", body);
    struct ks_err err = {0};
    double is;
    assert_int_equal(ks_engine_features(&arena, &c->brief, &err), KS_OK);
    bool known = ks_fact_get(&c->brief.facts, name, &is);
    if (known != (value >= 0) || (known && is != value))
        fail_msg("%s is %g, not %g: %s", name, known ? is : -1, value, body);
}

static void lanes_are_followed(void **state)
{
    (void)state;
    lies("32,8", "__shared__ float s[32][32]; s[threadIdx.y][t] = 0;", "1 32 1/1");
    lies("32,8", "__shared__ float s[32][32]; s[t][threadIdx.y] = 0;", "32 1 32/1");
    lies("32,8", "__shared__ float s[32][33]; s[t][threadIdx.y] = 0;", "33 1 1/1");
    lies("16,16", "__shared__ float s[16][16]; s[t][threadIdx.y] = 0;", "16 1 8/1");
    lies("16,16", "__shared__ float s[16][17]; s[t][threadIdx.y] = 0;", "17 1 2/1");
    lies("8,8", "__shared__ float s[3][8][9]; s[1][threadIdx.y][t] = 0;", "1 9 2/1"); // rows end 4 banks further on
    lies("64", "__shared__ float s[128]; s[2 * t] = 0;", "2 0 2/1");
    lies("64", "__shared__ float s[128]; s[0] = 0;", "0 0 1/1");
    lies("64", "__shared__ double s[128]; s[t] = 0;", "1 0 2/2"); // half a warp at a time
    lies("64", "__shared__ double s[128]; s[2 * t] = 0;", "2 0 4/2");
    lies("64", "__shared__ unsigned char s[64]; s[t] = 0;", "1 0 1/1");
    lies("64", "__shared__ char s[256]; s[t * 4] = 0;", "4 0 1/1");
    lies("16", "__shared__ float s[1024]; s[t * 32] = 0;", "32 0 16/1"); // half a warp is all there is
    // By what only a thread's value tells, and in the first turn of loops.
    lies("64", "__shared__ float s[64]; int w = t / 32, l = t % 32; s[w * 32 + (l ^ 5)] = 0;", "uneven 0 1/1");
    lies("64", "__shared__ float s[64]; s[t & ~1] = 0;", "uneven 0 1/1");
    lies("64", "__shared__ float s[2048]; s[t < 4 ? t * 32 : 5] = 0;", "uneven 0 4/1");
    lies("64", "__shared__ float s[n * 0 + 64]; for (int d = blockDim.x / 2; d > 0; d /= 2) s[t + d] = 0;", "1 0 1/1");
    lies("64", "__shared__ float s[4096]; for (int k = 1; k < n; k *= 2) s[k * 2 * t] = 0;", "2 0 2/1");
    lies("64", "extern __shared__ float s[]; s[t * n] = 0;", "48 0 16/1"); // n of the workload
    lies("64", "extern __shared__ float s[]; s[t * (n + 1)] = 0;", "49 0 1/1");
    // What nobody can tell.
    lies("64", "__shared__ float s[64]; s[int(x[t])] = 0;", "?");
    lies("64", "__shared__ float s[64]; int i = 0; i += t; s[i] = 0;", "?");
    lies("64", "__shared__ float s[64]; short i = t; s[i] = 0;", "?");
    lies("64", "__shared__ float4 s[64]; s[t].x = 0;", "?"); // of the element one part
}

static void facts_are_set(void **state)
{
    (void)state;
    tells("y[t] = x[t];", "bank_turns", 0);
    tells("__shared__ float s[64]; s[t] = x[t]; y[t] = s[63 - t];", "bank_turns", 1);
    tells("__shared__ float s[64]; s[t] = x[t]; y[t] = s[63 - t];", "strided(shared)", 0);
    tells("__shared__ float s[512]; s[t] = x[t]; y[t] = s[t * 8];", "bank_turns", 8);
    tells("__shared__ float s[512]; s[t] = x[t]; y[t] = s[t * 8];", "strided(shared)", 1);
    tells("__shared__ float s[64]; s[t] = x[t]; y[t] = s[int(x[t])];", "bank_turns", -1);
    tells("__shared__ float s[512]; s[t * 4] = x[t]; y[t] = s[int(x[t])];", "bank_turns", 4); // one is enough
    tells("__shared__ float s[64]; s[t] = x[t]; float *p = s; y[t] = p[t];", "bank_turns", -1);
    tells("__shared__ float s[64]; s[t] = x[t]; float *p = &s[t]; y[t] = *p;", "bank_turns", -1);
    tells("__shared__ float s[8][8]; s[t / 8][t % 8] = x[t]; float *p = s[2]; y[t] = p[t];", "bank_turns", -1);
    tells("__shared__ float s[64]; s[t] = x[t]; atomicAdd(&s[t / 2], 1.f); y[t] = s[t];", "bank_turns", 1);
}

// What becomes of the body's text, or why nothing does.
static void pads(const char *body, const char *pad, const char *want)
{
    struct host_case *c = make("32,8", body);
    struct ks_subject s;
    struct ks_options options = {0};
    struct ks_proposal proposal;
    struct ks_err err = {0};
    if (ks_subject_make(&arena, &c->brief, &s, &err) != KS_OK)
        fail_msg("%s: %s", body, err.text);
    const char *is = err.text;
    if (ks_transform_apply(&s, "pad", pad, &options, &err) == KS_OK) {
        if (ks_emit(&s, &options, &proposal, &err) != KS_OK)
            fail_msg("%s", err.text);
        is = proposal.source;
    }
    if (strstr(is, want) == NULL)
        fail_msg("no \"%s\" of %s: %s", want, body, is);
}

static void rows_are_padded(void **state)
{
    (void)state;
    pads("__shared__ float s[32][32]; s[t][threadIdx.y] = 0;", "", "float s[32][32 + 1];");
    pads("__shared__ float s[32][32]; s[t][threadIdx.y] = 0;", "pad=4", "float s[32][32 + 4];");
    pads("__shared__ float r[8][32], s[2][32][n * 0 + 32]; r[threadIdx.y][t] = s[1][t][threadIdx.y] = 0;", "",
         "float r[8][32], s[2][32][(n * 0 + 32) + 1];");
    pads("__shared__ float s[32][30]; s[t][threadIdx.y] = 0;", "pad=2", "line 6: s: rows of that length conflict as much");
    pads("__shared__ float s[32][33]; s[t][threadIdx.y] = 0;", "", "line 6: s: no bank conflicts are seen");
    pads("__shared__ float s[32][32]; s[t][int(x[t])] = 0;", "", "line 6: s: no bank conflicts are seen");
    pads("__shared__ float s[32][32]; s[t][threadIdx.y] = 0;", "pad=3", "rows are longer by 1, 2, 4 or 8");
    pads("__shared__ float s[1024]; s[t * 32] = 0;", "", "line 6: s: it has no rows");
    pads("extern __shared__ float s[]; s[t * 32] = 0;", "", "line 6: s: it has no rows");
    pads("y[t] = x[t];", "", "line 3: no array in shared memory");
    static const char *const wholes[] = {"float *p = s[1];", "float *p = &s[1][0];", "float *p = (float *)s;", "int k = sizeof(s);",
                                         "float *p = *s;"};
    for (size_t i = 0; i < sizeof wholes / sizeof *wholes; i++)
        pads(ks_arena_printf(&arena, "__shared__ float s[32][32]; s[t][threadIdx.y] = 0; %s", wholes[i]), "",
             "line 6: s: a row of it, or where it lies, is asked for");
    pads("{ __shared__ float s[32][32]; s[t][threadIdx.y] = 0; } { __shared__ float s[32][32]; s[t][threadIdx.y] = 0; }", "",
         "line 6: s: there are two of that name");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_are_followed),
        cmocka_unit_test(facts_are_set),
        cmocka_unit_test(rows_are_padded),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ks_arena_free(&arena);
    return failed;
}
