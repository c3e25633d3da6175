#include "source/scan.h"

#include <string.h>

#include "source/lex.h"

#define LANE 16
#define STRIDE (4 * LANE)
// How far a directive is read: its comments and a name no file system takes must not make the pass
// quadratic in a text full of beginnings.
#define LONGEST 4096

// Sixteen bytes at a time: SSE2, NEON, or plain integers where there is neither.
typedef unsigned char lane __attribute__((vector_size(LANE)));

static lane load(const char *at)
{
    lane bytes;
    memcpy(&bytes, at, sizeof bytes);
    return bytes;
}

// Where something may begin: '#', "ks:" or "__g". Each is rare in a source (one line in twenty),
// and between them they begin all that is looked for.
static lane begins(const char *at)
{
    lane a = load(at), b = load(at + 1), c = load(at + 2);
    return (lane)((a == '#') | ((a == 'k') & (b == 's') & (c == ':')) |
                  ((a == '_') & (b == '_') & (c == 'g')));
}

static bool begins_here(const char *at, const char *end)
{
    if (*at == '#')
        return true;
    return end - at >= 3 && ((at[0] == 'k' && at[1] == 's' && at[2] == ':') ||
                             (at[0] == '_' && at[1] == '_' && at[2] == 'g'));
}

static bool any(lane found)
{
    uint64_t halves[2];
    memcpy(halves, &found, sizeof halves);
    return (halves[0] | halves[1]) != 0;
}

// The first byte that is set, of which there is one.
static int first_of(lane found)
{
#ifdef __SSE2__
    typedef char bytes __attribute__((vector_size(LANE)));
    return __builtin_ctz((unsigned)__builtin_ia32_pmovmskb128((bytes)found));
#else
    int i = 0;
    while (!found[i])
        i++;
    return i;
#endif
}

// The next place where something may begin, or `end`.
static const char *find_begin(const char *at, const char *end)
{
    while (end - at >= STRIDE + 2) {
        if (any(begins(at) | begins(at + LANE) | begins(at + 2 * LANE) | begins(at + 3 * LANE)))
            break;
        at += STRIDE;
    }
    for (; end - at >= LANE + 2; at += LANE) {
        lane found = begins(at);
        if (any(found))
            return at + first_of(found);
    }
    while (at < end && !begins_here(at, end))
        at++;
    return at;
}

// "name" or <name> at `at`, on one line.
static enum ks_scan_kind read_name(struct ks_scan *scan, const char *at)
{
    if (at == scan->end || (*at != '"' && *at != '<'))
        return KS_SCAN_END;
    scan->quoted = *at++ == '"';
    const char *stop = at, *end = scan->end - at > LONGEST ? at + LONGEST : scan->end;
    while (stop < end && *stop != '\n' && *stop != (scan->quoted ? '"' : '>'))
        stop++;
    if (stop == at || stop == end || *stop == '\n')
        return KS_SCAN_END;
    scan->name = (struct ks_slice){at, (size_t)(stop - at)};
    return KS_SCAN_INCLUDE;
}

// The directive behind a '#', whatever splices and comments stand in it. One that goes on too far
// is taken for a mark, so that somebody looks.
static enum ks_scan_kind read_spliced(struct ks_scan *scan, const char *at)
{
    bool cut = scan->end - at > LONGEST;
    struct ks_lexer lexer;
    ks_lex_begin(&lexer, (struct ks_slice){at, cut ? LONGEST : (size_t)(scan->end - at)}, false);
    lexer.at_line_start = false; // a token that says otherwise stands on another line
    struct ks_token word = ks_lex_next(&lexer);
    if (cut && lexer.pos == lexer.len)
        return KS_SCAN_MARK;
    if (word.kind != KS_TOK_IDENT || word.line_start)
        return KS_SCAN_END;
    bool pragma = ks_token_is(&word, "pragma");
    scan->next = ks_token_is(&word, "include_next");
    if (!pragma && !scan->next && !ks_token_is(&word, "include"))
        return KS_SCAN_END;
    struct ks_token operand = ks_lex_next(&lexer);
    if (cut && lexer.pos == lexer.len)
        return KS_SCAN_MARK;
    if (operand.line_start)
        return KS_SCAN_END;
    if (pragma) {
        scan->name = (struct ks_slice){operand.at, operand.len};
        return ks_token_is(&operand, "ks") ? KS_SCAN_MARK : KS_SCAN_PRAGMA;
    }
    return read_name(scan, operand.at);
}

static bool starts(const struct ks_scan *scan, const char *at, const char *word, size_t n)
{
    return (size_t)(scan->end - at) >= n && memcmp(at, word, n) == 0;
}

static const char *skip_blanks(const struct ks_scan *scan, const char *at)
{
    while (at < scan->end && (*at == ' ' || *at == '\t'))
        at++;
    return at;
}

// The same, with a short cut for the includes as nearly all are written.
static enum ks_scan_kind read_directive(struct ks_scan *scan, const char *at)
{
    const char *word = skip_blanks(scan, at);
    if (starts(scan, word, "include", 7)) {
        scan->next = starts(scan, word + 7, "_next", 5);
        const char *name = skip_blanks(scan, word + (scan->next ? 12 : 7));
        if (name < scan->end && (*name == '"' || *name == '<'))
            return read_name(scan, name);
    }
    // #include and #pragma begin so, unless a splice or a comment stands there.
    static const char *const begin[] = {"in", "pr", "i\\", "p\\"};
    for (size_t i = 0; i < sizeof begin / sizeof *begin; i++)
        if (starts(scan, word, begin[i], 2))
            return read_spliced(scan, at);
    return word < scan->end && (*word == '\\' || *word == '/') ? read_spliced(scan, at)
                                                               : KS_SCAN_END;
}

static enum ks_scan_kind read_here(struct ks_scan *scan)
{
    static const char kernel[] = "__global__";
    const char *at = scan->at;
    if (*at == '#')
        return read_directive(scan, at + 1);
    if (*at == 'k') // a word of its own, or the end of one
        return at > scan->begin && ks_is_ident(at[-1]) ? KS_SCAN_END : KS_SCAN_MARK;
    size_t n = sizeof kernel - 1;
    return (size_t)(scan->end - at) >= n && memcmp(at, kernel, n) == 0 ? KS_SCAN_KERNEL
                                                                       : KS_SCAN_END;
}

enum ks_scan_kind ks_scan_next(struct ks_scan *scan)
{
    for (;;) {
        scan->at = find_begin(scan->at, scan->end);
        if (scan->at == scan->end)
            return KS_SCAN_END;
        enum ks_scan_kind kind = read_here(scan);
        scan->at++;
        if (kind != KS_SCAN_END)
            return kind;
    }
}

bool ks_text_may_have_mark(struct ks_slice text)
{
    struct ks_scan scan = ks_scan_begin(text);
    for (;;)
        switch (ks_scan_next(&scan)) {
        case KS_SCAN_END:
            return false;
        case KS_SCAN_MARK:
            return true;
        case KS_SCAN_INCLUDE:
        case KS_SCAN_KERNEL:
        case KS_SCAN_PRAGMA:
            break;
        }
}
