// The expression language on any text: what is parsed has canonical text that parses to the same, the
// same value under the same names, and C text that can be printed.
#include <string.h>

#include "fmt/expr.h"
#include "fuzz.h"

size_t fuzz_accepted;
const char *const fuzz_seeds[] = {
    "n % 4 == 0 && aligned(x, 16) && n >= 4096",
    "!overlap(a, n * 4, c, n * 4) || n << 3 > 0x7fffffff",
    "min(n, 3) + max(-m, 7) * ceildiv(n, 256) - (n / m % 5)",
    "n > 0 ? grid.x * block.x : shared",
    "~n ^ (m | 3) & -1 >> 2 != (n <= m) == !(m < n)",
    "((((((((((n))))))))))",
    NULL};
const char *const fuzz_words[] = {"n", "m", "grid.x", "block.z", "shared", "min(", "max(", "ceildiv(",
                                  "aligned(", "overlap(", "&&", "||", "<<", ">>", "?", ":", "(", ")", "!",
                                  "~", "-", "/", "%", ",", " ", "0x", NULL};

static bool lookup(void *context, const char *name, int64_t *value)
{
    const int64_t *values = context;
    if (strcmp(name, "unknown") == 0)
        return false;
    *value = values[(unsigned char)name[0] % 4];
    return true;
}

static void leaf(void *context, struct ks_buf *out, const char *name)
{
    (void)context;
    ks_buf_puts(out, name);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int64_t values[4] = {0, -3, INT64_MAX, 1000};
    struct ks_arena arena = {0};
    struct ks_err err = {0};
    struct ks_expr *expr, *again;
    const struct ks_slice text = {(const char *)data, size};
    if (ks_expr_parse(&arena, "input", text, &expr, &err) == KS_OK) {
        fuzz_accepted++;
        struct ks_buf first = KS_BUF(1 << 20), second = KS_BUF(1 << 20), c = KS_BUF(1 << 22);
        int64_t a = 0, b = 0;
        ks_expr_print(&first, expr, NULL, NULL);
        enum ks_status status =
            ks_expr_parse(&arena, "printed", ks_slice_of(ks_buf_text(&first)), &again, &err);
        // Canonical text has its own blanks: only its length may be beyond the limit.
        FUZZ_CHECK(status == KS_OK || first.len > 4096);
        if (status == KS_OK) {
            ks_expr_print(&second, again, NULL, NULL);
            FUZZ_CHECK(strcmp(ks_buf_text(&first), ks_buf_text(&second)) == 0);
            bool known = ks_expr_eval(expr, lookup, values, &a);
            FUZZ_CHECK(known == ks_expr_eval(again, lookup, values, &b) && a == b);
            FUZZ_CHECK(ks_expr_holds(expr, lookup, values) == (known && a != 0));
        }
        ks_expr_print_c(&c, expr, leaf, NULL);
        FUZZ_CHECK(!c.failed && c.len > 0);
        ks_buf_free(&first);
        ks_buf_free(&second);
        ks_buf_free(&c);
    } else {
        FUZZ_CHECK(err.text[0] != '\0');
    }
    ks_arena_free(&arena);
    return 0;
}
