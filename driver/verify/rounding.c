// PTX with random rounding; contract in verify/rounding.h.
#include "verify/rounding.h"

#include <ctype.h>
#include <string.h>

#include "verify/words.h"

// A linear congruential step (Numerical Recipes' constants); its highest bit is the throw.
#define THROW                                                                                          \
    "\tmad.lo.u32 \tks_state, ks_state, 1664525, 1013904223;\n"                                        \
    "\tsetp.lt.s32 \tks_throw, ks_state, 0;\n"
// Neighbouring tickets give unlike states.
#define START                                                                                          \
    "\t.reg .pred \tks_throw;\n\t.reg .f32 \tks_below, ks_above;\n\t.reg .b32 \tks_state, ks_mixed;\n" \
    "\tatom.global.add.u32 \tks_state, [ks_tickets], 1;\n"                                             \
    "\tmul.lo.u32 \tks_state, ks_state, 2654435769;\n"                                                 \
    "\tshr.u32 \tks_mixed, ks_state, 15;\n\txor.b32 \tks_state, ks_state, ks_mixed;\n"                 \
    "\tmul.lo.u32 \tks_state, ks_state, 2246822519;\n"
#define UP "0f3F800001"   // the float above 1
#define DOWN "0f3F7FFFFF" // the float below 1

struct statement {
    struct ks_slice guard, op, dest, rest; // rest: source operands, up to the semicolon
};

static struct ks_slice until(struct ks_slice *text, const char *ends)
{
    size_t n = 0;
    while (n < text->len && strchr(ends, text->at[n]) == NULL)
        n++;
    struct ks_slice word = {text->at, n};
    *text = ks_slice_trim((struct ks_slice){text->at + n, text->len - n});
    return word;
}

// "@%p1 fma.rn.f32 %f1, %f2, %f3, %f4;"
static bool read_statement(struct ks_slice line, struct statement *s)
{
    *s = (struct statement){0};
    if (line.len == 0 || line.at[line.len - 1] != ';' ||
        memchr(line.at, ';', line.len) != line.at + line.len - 1)
        return false;
    line.len--;
    if (line.at[0] == '@')
        s->guard = until(&line, " \t");
    s->op = until(&line, " \t");
    s->dest = ks_slice_trim(until(&line, ","));
    if (line.len < 2)
        return false;
    s->rest = ks_slice_trim((struct ks_slice){line.at + 1, line.len - 1});
    return true;
}

enum rounded { NOT, BY_DIRECTION, BY_SCALE };

// How the results of an instruction are rounded by chance; its name without ".rn" and type in *name, the
// rest of what is said of it in *ftz and *sat.
static enum rounded how(struct ks_slice op, struct ks_slice *name, bool *ftz, bool *sat)
{
    static const char *const exact[] = {"add", "sub", "mul", "fma", "mad", "div", "sqrt", "rcp", NULL};
    static const char *const approximate[] = {"ex2", "lg2",  "sin", "cos", "tanh", "rsqrt",
                                              "div", "sqrt", "rcp", NULL};
    bool approx = false;
    struct ks_slice rest = op, part = {0};
    *name = until(&rest, ".");
    *ftz = *sat = false;
    while (rest.len > 1) {
        rest = (struct ks_slice){rest.at + 1, rest.len - 1};
        part = until(&rest, ".");
        if (ks_slice_eq(part, "ftz"))
            *ftz = true;
        else if (ks_slice_eq(part, "sat"))
            *sat = true;
        else if (ks_slice_eq(part, "approx") || ks_slice_eq(part, "full"))
            approx = true;
        else if (!ks_slice_eq(part, "rn") && !(ks_slice_eq(part, "f32") && rest.len == 0))
            return NOT;
    }
    if (!ks_slice_eq(part, "f32"))
        return NOT;
    if (approx)
        return ks_word_one_of(*name, approximate) ? BY_SCALE : NOT;
    return ks_word_one_of(*name, exact) ? BY_DIRECTION : NOT;
}

static void directed(struct ks_buf *out, const struct statement *s, struct ks_slice name, const char *more)
{
    ks_buf_puts(out, THROW);
    for (int up = 0; up < 2; up++)
        ks_buf_printf(out, "\t%.*s.%s%s.f32 \t%s, %.*s;\n", (int)name.len, name.at, up ? "rp" : "rm", more,
                      up ? "ks_above" : "ks_below", (int)s->rest.len, s->rest.at);
    // What is exact is the same both ways, but for the sign of a zero, which is that of rounding to nearest above.
    ks_buf_puts(out, "\tsetp.ne.and.f32 \tks_throw, ks_below, ks_above, ks_throw;\n\t");
    ks_buf_slice(out, s->guard);
    ks_buf_printf(out, " selp.f32 \t%.*s, ks_below, ks_above, ks_throw;\n", (int)s->dest.len, s->dest.at);
}

static void scaled(struct ks_buf *out, const struct statement *s)
{
    ks_buf_puts(out, THROW "\tselp.f32 \tks_above, " UP ", " DOWN ", ks_throw;\n\t");
    ks_buf_slice(out, s->guard);
    ks_buf_printf(out, " mul.rn.f32 \t%.*s, %.*s, ks_above;\n", (int)s->dest.len, s->dest.at,
                  (int)s->dest.len, s->dest.at);
}

static void instruction(struct ks_buf *out, struct ks_slice line, struct ks_slice whole)
{
    struct statement s;
    struct ks_slice name;
    bool ftz, sat;
    enum rounded rounded = read_statement(line, &s) ? how(s.op, &name, &ftz, &sat) : NOT;
    if (rounded == BY_DIRECTION) {
        directed(out, &s, name, ftz && sat ? ".ftz.sat" : ftz ? ".ftz" : sat ? ".sat" : "");
        return;
    }
    ks_buf_slice(out, whole);
    ks_buf_puts(out, "\n");
    if (rounded == BY_SCALE)
        scaled(out, &s);
}

void ks_rounding_text(struct ks_slice ptx, struct ks_buf *out)
{
    const char *end = ptx.at + ptx.len;
    int depth = 0;
    bool header = false, inside = false, started = false; // between a function's name and its body; in it; past START
    for (const char *at = ptx.at, *eol; at < end; at = eol + 1) {
        eol = memchr(at, '\n', (size_t)(end - at));
        if (eol == NULL)
            eol = end;
        struct ks_slice whole = {at, (size_t)(eol - at)};
        const char *comment = memmem(at, whole.len, "//", 2);
        struct ks_slice line = ks_slice_trim(
            (struct ks_slice){at, comment != NULL ? (size_t)(comment - at) : whole.len});
        bool first = inside && !started && line.len > 0 && line.at[0] != '.';
        if (first)
            ks_buf_puts(out, START);
        started = started || first;
        if (inside)
            instruction(out, line, whole);
        else {
            ks_buf_slice(out, whole);
            ks_buf_puts(out, "\n");
        }
        if (line.len > 13 && memcmp(line.at, ".address_size", 13) == 0)
            ks_buf_puts(out, ".global .align 4 .u32 ks_tickets;\n");
        if (depth == 0 && (memmem(line.at, line.len, ".entry", 6) != NULL ||
                           memmem(line.at, line.len, ".func", 5) != NULL))
            header = true;
        for (size_t i = 0; i < line.len; i++) {
            depth += (line.at[i] == '{') - (line.at[i] == '}');
            if (line.at[i] == '{' && depth == 1 && header)
                inside = true, started = header = false;
            if (line.at[i] == ';' && depth == 0)
                header = false; // declared only
        }
        inside = inside && depth > 0;
    }
}
