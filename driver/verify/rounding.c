// PTX with random rounding; contract in verify/rounding.h.
#include "verify/rounding.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "verify/words.h"

// A linear congruential step (Numerical Recipes' constants); its highest bit is the throw.
#define THROW                                                                                          \
    "\tmad.lo.u32 \tks_state, ks_state, 1664525, 1013904223;\n"                                        \
    "\tsetp.lt.s32 \tks_throw, ks_state, 0;\n"
// Neighbouring tickets give unlike states.
#define START                                                                                          \
    "\t.reg .pred \tks_throw;\n\t.reg .f32 \tks_below, ks_above;\n\t.reg .b32 \tks_state, ks_mixed;\n" \
    "\t.reg .f64 \tks_below64, ks_above64;\n"                                                         \
    "\tatom.global.add.u32 \tks_state, [ks_tickets], 1;\n"                                             \
    "\tmul.lo.u32 \tks_state, ks_state, 2654435769;\n"                                                 \
    "\tshr.u32 \tks_mixed, ks_state, 15;\n\txor.b32 \tks_state, ks_state, ks_mixed;\n"                 \
    "\tmul.lo.u32 \tks_state, ks_state, 2246822519;\n"
// What differs between the two types: a suffix, that of the registers, the numbers above and below 1.
struct width {
    const char *type, *registers, *up, *down;
};
static const struct width narrow = {"f32", "", "0f3F800001", "0f3F7FFFFF"};
static const struct width wide = {"f64", "64", "0d3FF0000000000001", "0d3FEFFFFFFFFFFFFF"};

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

// Registers of a function that hold a number of 2^51 and more. Adding one cuts a fraction off, as exp and sin do
// first: that is a choice of the library's, not rounding.
struct cutters {
    struct ks_slice names[64];
    size_t n;
};

static bool is_great(struct ks_slice literal)
{
    if (literal.len != 18 || literal.at[0] != '0' || tolower((unsigned char)literal.at[1]) != 'd')
        return false;
    char digits[4] = {literal.at[2], literal.at[3], literal.at[4]};
    return (strtoul(digits, NULL, 16) & 0x7ff) >= 1023 + 51;
}

static void see_cutter(struct cutters *cutters, const struct statement *s)
{
    if (ks_slice_eq(s->op, "mov.f64") && is_great(s->rest) &&
        cutters->n < sizeof cutters->names / sizeof *cutters->names)
        cutters->names[cutters->n++] = s->dest;
}

static bool cuts(const struct cutters *cutters, struct ks_slice operands)
{
    while (operands.len > 0) {
        struct ks_slice operand = ks_slice_trim(until(&operands, ","));
        if (is_great(operand))
            return true;
        for (size_t i = 0; i < cutters->n; i++)
            if (operand.len == cutters->names[i].len &&
                memcmp(operand.at, cutters->names[i].at, operand.len) == 0)
                return true;
        if (operands.len > 0)
            operands = ks_slice_trim((struct ks_slice){operands.at + 1, operands.len - 1});
    }
    return false;
}

// How the results of an instruction are rounded by chance; its name without ".rn" and type in *name, the
// rest of what is said of it in *ftz and *sat, its type in *width.
static enum rounded how(struct ks_slice op, struct ks_slice *name, bool *ftz, bool *sat,
                        const struct width **width)
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
        else if (!ks_slice_eq(part, "rn") &&
                 !((ks_slice_eq(part, "f32") || ks_slice_eq(part, "f64")) && rest.len == 0))
            return NOT;
    }
    if (!ks_slice_eq(part, "f32") && !ks_slice_eq(part, "f64"))
        return NOT;
    *width = ks_slice_eq(part, "f32") ? &narrow : &wide;
    if (approx && *width == &wide && *ftz)
        return NOT; // 20 bits, that others are made of
    if (approx)
        return ks_word_one_of(*name, approximate) ? BY_SCALE : NOT;
    return ks_word_one_of(*name, exact) ? BY_DIRECTION : NOT;
}

static void directed(struct ks_buf *out, const struct statement *s, struct ks_slice name, const char *more,
                     const struct width *w)
{
    ks_buf_puts(out, THROW);
    for (int up = 0; up < 2; up++)
        ks_buf_printf(out, "\t%.*s.%s%s.%s \t%s%s, %.*s;\n", (int)name.len, name.at, up ? "rp" : "rm", more, w->type,
                      up ? "ks_above" : "ks_below", w->registers, (int)s->rest.len, s->rest.at);
    // What is exact is the same both ways, but for the sign of a zero, which is that of rounding to nearest above.
    ks_buf_printf(out, "\tsetp.ne.and.%s \tks_throw, ks_below%s, ks_above%s, ks_throw;\n\t", w->type, w->registers,
                  w->registers);
    ks_buf_slice(out, s->guard);
    ks_buf_printf(out, " selp.%s \t%.*s, ks_below%s, ks_above%s, ks_throw;\n", w->type, (int)s->dest.len, s->dest.at,
                  w->registers, w->registers);
}

static void scaled(struct ks_buf *out, const struct statement *s, const struct width *w)
{
    ks_buf_printf(out, THROW "\tselp.%s \tks_above%s, %s, %s, ks_throw;\n\t", w->type, w->registers, w->up, w->down);
    ks_buf_slice(out, s->guard);
    ks_buf_printf(out, " mul.rn.%s \t%.*s, %.*s, ks_above%s;\n", w->type, (int)s->dest.len, s->dest.at,
                  (int)s->dest.len, s->dest.at, w->registers);
}

static void instruction(struct ks_buf *out, struct cutters *cutters, struct ks_slice line,
                        struct ks_slice whole)
{
    struct statement s;
    struct ks_slice name;
    bool ftz, sat;
    const struct width *width = &narrow;
    enum rounded rounded = NOT;
    if (read_statement(line, &s)) {
        rounded = how(s.op, &name, &ftz, &sat, &width);
        see_cutter(cutters, &s);
    }
    if (rounded == BY_DIRECTION && !(width == &wide && cuts(cutters, s.rest))) {
        directed(out, &s, name, ftz && sat ? ".ftz.sat" : ftz ? ".ftz" : sat ? ".sat" : "", width);
        return;
    }
    ks_buf_slice(out, whole);
    ks_buf_puts(out, "\n");
    if (rounded == BY_SCALE)
        scaled(out, &s, width);
}

void ks_rounding_text(struct ks_slice ptx, struct ks_buf *out)
{
    const char *end = ptx.at + ptx.len;
    int depth = 0;
    struct cutters cutters = {.n = 0};
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
            instruction(out, &cutters, line, whole);
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
                inside = true, started = header = false, cutters.n = 0;
            if (line.at[i] == ';' && depth == 0)
                header = false; // declared only
        }
        inside = inside && depth > 0;
    }
}
