// Damaged source text: whatever bytes are cut, doubled or swapped, the readers of user text end,
// stay in bounds (run it under sanitizers) and complain only as user mistakes with a place.
// KS_FUZZ_ROUNDS=n runs longer.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#include "base/rng.h"
#include "os/file.h"
#include "source/mark.h"
#include "source/scan.h"
#include "source/signature.h"

static const char *const pieces[] = {"{",
                                     "}",
                                     "(",
                                     ")",
                                     "[",
                                     "<",
                                     ">",
                                     "\"",
                                     "'",
                                     "\\\n",
                                     "/*",
                                     "*/",
                                     "//",
                                     "R\"(",
                                     ")\"",
                                     "\n#if X\n",
                                     "\n#else\n",
                                     "\n#endif\n",
                                     "\n#if 0\n",
                                     "__global__",
                                     "template<",
                                     "requires",
                                     "\n#pragma ks ",
                                     "\n// ks: ",
                                     "workload",
                                     "optimize",
                                     "off",
                                     "::",
                                     ",",
                                     "=",
                                     "namespace",
                                     "extern \"C\"",
                                     "\xEF\xBB\xBF",
                                     "\r\n",
                                     "grid(",
                                     "in(x[",
                                     "1'0",
                                     "",
                                     "\\",
                                     "#",
                                     "\n#include \"x.h\"\n",
                                     "\n#inc\\\nlude /*\n*/ \"y.h\"\n"};

static size_t mutate(struct ks_rng *rng, char *text, size_t len, size_t cap)
{
    for (uint64_t n = 1 + ks_rng_below(rng, 6); n > 0; n--) {
        size_t at = (size_t)ks_rng_below(rng, len + 1);
        const char *piece = pieces[ks_rng_below(rng, sizeof pieces / sizeof *pieces)];
        size_t add = strlen(piece), cut = (size_t)ks_rng_below(rng, ks_rng_below(rng, 8) ? 8 : 200);
        if (cut > len - at)
            cut = len - at;
        if (len - cut + add > cap)
            continue;
        memmove(text + at + add, text + at + cut, len - at - cut);
        memcpy(text + at, piece, add);
        len = len - cut + add;
    }
    return len;
}

// The fast pass never misses what the lexer sees: a mark, a kernel's word, an include.
static void check_scan(struct ks_arena *arena, struct ks_slice text)
{
    struct ks_token *tokens;
    size_t n = ks_lex_all(arena, text, true, &tokens);
    bool mark = false, kernel = false;
    struct ks_scan scan = ks_scan_begin(text);
    enum ks_scan_kind kind = ks_scan_next(&scan);
    for (size_t i = 0; i < n; i++) {
        struct ks_slice rest;
        const struct ks_token *t = &tokens[i];
        mark |= t->kind == KS_TOK_COMMENT && t->len > 5 && memcmp(t->at, "// ks:", 6) == 0;
        kernel |= t->kind == KS_TOK_IDENT && t->len == 10 && ks_token_is(t, "__global__");
        if (t->kind != KS_TOK_DIRECTIVE)
            continue;
        enum ks_directive what = ks_token_directive(t, &rest);
        const char *stop = rest.len > 1 ? memchr(rest.at + 1, '"', rest.len - 1) : NULL;
        mark |= what == KS_DIR_PRAGMA && rest.len > 2 && memcmp(rest.at, "ks ", 3) == 0;
        if (what != KS_DIR_INCLUDE || rest.at[0] != '"' || !stop || stop == rest.at + 1 ||
            memchr(rest.at, '\n', (size_t)(stop - rest.at)))
            continue;
        while (kind != KS_SCAN_END && !(kind == KS_SCAN_INCLUDE && scan.name.at == rest.at + 1))
            kind = ks_scan_next(&scan);
        if (kind == KS_SCAN_END)
            fail_msg("missed: %.*s", (int)t->len, t->at);
    }
    bool found_mark = false, found_kernel = false;
    for (scan = ks_scan_begin(text); (kind = ks_scan_next(&scan)) != KS_SCAN_END;) {
        assert_true(scan.at > text.at && scan.at <= text.at + text.len);
        found_mark |= kind == KS_SCAN_MARK;
        found_kernel |= kind == KS_SCAN_KERNEL;
    }
    assert_true(found_mark || !mark);
    assert_true(found_kernel || !kernel);
}

static void read_all(struct ks_arena *arena, struct ks_slice text)
{
    struct ks_err err = {0};
    struct ks_kernel_list kernels;
    struct ks_mark_list marks;
    struct ks_signature_list signatures;
    enum ks_status status = ks_kernels_find(arena, "k.cu", text, &kernels, &err);
    if (status == KS_OK) {
        ks_vec_each (struct ks_kernel_decl, k, &kernels) {
            assert_true(k->begin < k->body && k->body < k->end && k->end <= text.len);
            assert_int_equal(text.at[k->body], '{');
            assert_int_equal(text.at[k->end - 1], '}');
        }
        status = ks_marks_find(arena, "k.cu", text, &kernels, &marks, &err);
    }
    if (status != KS_OK) {
        assert_int_equal(status, KS_E_USER);
        assert_true(ks_starts_with(err.text, "k.cu:"));
    }
    check_scan(arena, text);
    status = ks_signatures_read(arena, text, &signatures, &err);
    assert_true(status == KS_OK || status == KS_E_FORMAT);
}

static void run(const char *name, uint64_t seed)
{
    struct ks_arena arena = {0};
    struct ks_slice text;
    struct ks_err err = {0};
    const char *path = ks_arena_printf(&arena, "%s/%s", KS_TEST_DATA, name);
    if (ks_file_read(&arena, path, 1 << 20, &text, &err) != KS_OK)
        fail_msg("%s", err.text);
    const char *env = getenv("KS_FUZZ_ROUNDS");
    long rounds = env ? atol(env) : 60;
    struct ks_rng rng;
    ks_rng_seed(&rng, seed);
    size_t cap = text.len + 4096;
    for (long i = 0; i < rounds; i++) {
        // Exactly as many bytes as the text has, not terminated: reading past them is caught.
        char *work = malloc(cap);
        assert_non_null(work);
        memcpy(work, text.at, text.len);
        size_t len = mutate(&rng, work, text.len, cap);
        size_t from =
            (size_t)ks_rng_below(&rng, len / 2 + 1); // else the first mistake hides the rest
        char *exact = malloc(len - from + 1);
        assert_non_null(exact);
        memcpy(exact, work + from, len - from);
        char *tight = realloc(exact, len - from ? len - from : 1);
        struct ks_arena round = {0};
        read_all(&round, (struct ks_slice){tight, len - from});
        ks_arena_free(&round);
        free(tight);
        free(work);
    }
    ks_arena_free(&arena);
}

static void test_marks(void **state)
{
    (void)state;
    run("marks/accepted.txt", 1);
    run("marks/rejected.txt", 2);
}

static void test_stubs(void **state)
{
    (void)state;
    run("stubs/cases.cu", 3);
    run("stubs/cases.stub.txt", 4);
}

// Nothing takes quadratic time: 300,000 open brackets, conditionals or stars end within seconds.
static void test_long_runs(void **state)
{
    (void)state;
    static const char *const units[] = {"(",       "{",    "[",        "<",         "__global__ ",
                                        "#if X\n", "a<",   "// ks:\n", "template<", "namespace a{",
                                        "*",       "\\\n", "'",        "}",         "::",
                                        "#/*",     "#//",  "#i\\\n",   "#pragma/*", "#include <"};
    for (size_t u = 0; u < sizeof units / sizeof *units; u++) {
        struct ks_arena arena = {0};
        size_t n = strlen(units[u]), count = KS_SANITIZED ? 30000 : 300000;
        char *text = malloc(n * count + 32);
        assert_non_null(text);
        memcpy(text, "// ks: off\n__global__ void k(", 29);
        for (size_t i = 0; i < count; i++)
            memcpy(text + 29 + i * n, units[u], n);
        clock_t begin = clock(); // of this process: others may hold the machine
        read_all(&arena, (struct ks_slice){text, 29 + n * count});
        double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
        if (seconds > 20)
            fail_msg("'%s' repeated: %.1f s", units[u], seconds);
        ks_arena_free(&arena);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_marks),
        cmocka_unit_test(test_stubs),
        cmocka_unit_test(test_long_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
