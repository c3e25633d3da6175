// Writer half of fmt/yaml.h. What it quotes is decided for YAML 1.1 and 1.2 readers alike, not only
// for ours: other tools read these files in reviews.
#include <stdarg.h>
#include <string.h>
#include <strings.h>

#include "fmt/yaml.h"

// One code point of UTF-8; -1 for bytes that are none. *n: bytes used, at least 1.
static long decode_utf8(const char *text, size_t *n)
{
    const unsigned char *b = (const unsigned char *)text;
    *n = 1;
    if (b[0] < 0x80)
        return b[0];
    size_t more = b[0] >= 0xf0 ? 3 : b[0] >= 0xe0 ? 2 : 1;
    if (b[0] < 0xc2 || b[0] > 0xf4)
        return -1;
    long point = b[0] & (0x3f >> more);
    for (size_t i = 1; i <= more; i++) {
        if ((b[i] & 0xc0) != 0x80)
            return -1;
        point = point << 6 | (b[i] & 0x3f);
    }
    static const long least[] = {0, 0x80, 0x800, 0x10000};
    if (point < least[more] || point > 0x10ffff || (point >= 0xd800 && point < 0xe000))
        return -1;
    *n = more + 1;
    return point;
}

// Readable by every parser without an escape. Line and paragraph separators count as line breaks
// in YAML 1.1, so they are not.
static bool is_printable(long point)
{
    return (point >= 0x20 && point < 0x7f) ||
           (point >= 0xa0 && point < 0xfffe && point != 0x2028 && point != 0x2029 &&
            point != 0xfeff) ||
           point >= 0x10000;
}

struct shape {
    bool printable; // besides tabs and newlines
    bool newline, tab;
};

static struct shape shape_of(const char *text)
{
    struct shape shape = {.printable = true};
    size_t n;
    for (; *text != '\0'; text += n) {
        long point = decode_utf8(text, &n);
        if (point == '\n')
            shape.newline = true;
        else if (point == '\t')
            shape.tab = true;
        else if (!is_printable(point))
            shape.printable = false;
    }
    return shape;
}

static const char *skip_digits(const char *text)
{
    return text + strspn(text, "0123456789");
}

// JSON's grammar for numbers, which every YAML reader takes for the same number.
static bool is_number(const char *text)
{
    text += *text == '-';
    const char *end = *text == '0' ? text + 1 : skip_digits(text);
    if (end == text)
        return false;
    if (end[0] == '.' && skip_digits(end + 1) > end + 1)
        end = skip_digits(end + 1);
    if (end[0] == 'e' || end[0] == 'E') {
        const char *digits = end + 1 + (end[1] == '+' || end[1] == '-');
        if (skip_digits(digits) > digits)
            end = skip_digits(digits);
    }
    return *end == '\0';
}

// A text that some reader would take for something else: 1:2 is 62 in YAML 1.1, 0777 octal.
static bool looks_typed(const char *text)
{
    static const char *const words[] = {"null", "true", "false", "yes", "no",
                                        "on",   "off",  "y",     "n",   "~"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcasecmp(text, words[i]) == 0)
            return true;
    if (is_number(text))
        return false;
    if (strspn(text, "0123456789._:eE+-") == strlen(text))
        return true;
    if (text[0] == '0' && strchr("xXoObB", text[1]) != NULL)
        return true;
    const char *word = text + (text[0] == '-' || text[0] == '+');
    return strcasecmp(word, ".inf") == 0 || strcasecmp(word, ".nan") == 0;
}

static bool fits_plain(const char *text, struct shape shape)
{
    size_t n = strlen(text);
    if (n == 0 || !shape.printable || shape.newline || shape.tab || text[0] == ' ' ||
        text[n - 1] == ' ' || text[n - 1] == ':' || strstr(text, ": ") != NULL ||
        strstr(text, " #") != NULL || looks_typed(text))
        return false;
    if (text[0] == '-') // "- " is an item, "--" may begin a document mark
        return n > 1 && strchr("- ", text[1]) == NULL;
    return strchr("?:,[]{}#&*!|>'\"%@`", text[0]) == NULL;
}

static void put_double_quoted(struct ks_buf *out, const char *text)
{
    ks_buf_putc(out, '"');
    size_t n;
    for (; *text != '\0'; text += n) {
        long point = decode_utf8(text, &n);
        if (point == '"' || point == '\\')
            ks_buf_printf(out, "\\%c", (int)point);
        else if (point == '\n')
            ks_buf_puts(out, "\\n");
        else if (point == '\t')
            ks_buf_puts(out, "\\t");
        else if (point < 0)
            ks_buf_puts(out, "\\uFFFD");
        else if (is_printable(point))
            ks_buf_add(out, text, n);
        else
            ks_buf_printf(out, "\\u%04lX", (unsigned long)point);
    }
    ks_buf_putc(out, '"');
}

// On one line.
static void put_flow(struct ks_buf *out, const char *text)
{
    struct shape shape = shape_of(text);
    if (fits_plain(text, shape)) {
        ks_buf_puts(out, text);
    } else if (!shape.printable || shape.newline || shape.tab) {
        put_double_quoted(out, text);
    } else {
        ks_buf_putc(out, '\'');
        for (; *text != '\0'; text++) {
            if (*text == '\'')
                ks_buf_putc(out, '\'');
            ks_buf_putc(out, *text);
        }
        ks_buf_putc(out, '\'');
    }
}

static void indent(struct ks_buf *out, int depth)
{
    for (int i = 0; i < depth; i++)
        ks_buf_puts(out, "  ");
}

static void put_literal(struct ks_buf *out, const char *text, int depth)
{
    size_t n = strlen(text);
    ks_buf_putc(out, '|');
    if (strchr(" \t\n", text[0]) != NULL) // the reader cannot tell the indentation from such a line
        ks_buf_putc(out, '2');
    if (text[n - 1] != '\n')
        ks_buf_putc(out, '-');
    else if (n > 1 && text[n - 2] == '\n')
        ks_buf_putc(out, '+');
    ks_buf_putc(out, '\n');
    while (*text != '\0') {
        size_t len = strcspn(text, "\n");
        if (len > 0)
            indent(out, depth);
        ks_buf_add(out, text, len);
        ks_buf_putc(out, '\n');
        text += len + (text[len] == '\n');
    }
}

// Begins the entry of a map (key) or list (key NULL).
static void put_head(struct ks_yaml_writer *w, const char *key)
{
    // A map or list that follows "- " begins on that line.
    if (w->opened != 0 && !w->in_list_item)
        ks_buf_putc(w->out, '\n');
    w->opened = 0;
    if (!w->in_list_item)
        indent(w->out, w->depth);
    w->in_list_item = false;
    if (key == NULL) {
        ks_buf_putc(w->out, '-');
    } else {
        put_flow(w->out, key);
        ks_buf_putc(w->out, ':');
    }
}

void ks_yaml_put(struct ks_yaml_writer *w, const char *key, const char *value)
{
    put_head(w, key);
    ks_buf_putc(w->out, ' ');
    struct shape shape = shape_of(value);
    bool only_newlines = strspn(value, "\n") == strlen(value);
    if (shape.newline && shape.printable && !only_newlines) {
        put_literal(w->out, value, w->depth + 1);
    } else {
        put_flow(w->out, value);
        ks_buf_putc(w->out, '\n');
    }
}

void ks_yaml_putf(struct ks_yaml_writer *w, const char *key, const char *format, ...)
{
    struct ks_arena arena = {0};
    va_list args;
    va_start(args, format);
    ks_yaml_put(w, key, ks_arena_vprintf(&arena, format, args));
    va_end(args);
    ks_arena_free(&arena);
}

static void begin(struct ks_yaml_writer *w, const char *key, char kind)
{
    put_head(w, key);
    if (key == NULL) {
        ks_buf_putc(w->out, ' ');
        w->in_list_item = true;
    }
    w->opened = kind;
    w->depth++;
}

void ks_yaml_begin_map(struct ks_yaml_writer *w, const char *key)
{
    begin(w, key, '{');
}

void ks_yaml_begin_list(struct ks_yaml_writer *w, const char *key)
{
    begin(w, key, '[');
}

void ks_yaml_end(struct ks_yaml_writer *w)
{
    KS_ASSERT(w->depth > 0);
    if (w->opened != 0) // nothing came: without brackets it would read as an empty text
        ks_buf_printf(w->out, "%s%s\n", w->in_list_item ? "" : " ", w->opened == '{' ? "{}" : "[]");
    w->opened = 0;
    w->in_list_item = false;
    w->depth--;
}
