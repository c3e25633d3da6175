#include "nvcc/depfile.h"

#include <string.h>

// What gcc writes: words at white space; backslash-newline continues; a blank or '#' in a name has
// a backslash, backslashes in front of it are doubled, '$' is "$$". nvcc 13.0 writes " : " behind
// the target, escapes blanks in prerequisites only and nothing else, and puts blank lines between
// -MP's rules (tried). There are no comments: a name may begin with '#'.

struct scanner {
    const char *at, *end;
    int line;
};

struct token {
    const char *begin, *end; // as written
    bool newline;            // the rule ends here
};

// Length of a line continuation at `at`, or 0.
static size_t continuation(const char *at, const char *end)
{
    if (at < end && *at == '\\') {
        if (at + 1 < end && at[1] == '\n')
            return 2;
        if (at + 2 < end && at[1] == '\r' && at[2] == '\n')
            return 3;
    }
    return 0;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

// False at the end of the text.
static bool next_token(struct scanner *s, struct token *token)
{
    for (size_t n; s->at < s->end;) {
        if ((n = continuation(s->at, s->end)) > 0) {
            s->at += n;
            s->line++;
        } else if (is_blank(*s->at)) {
            s->at++;
        } else {
            break;
        }
    }
    if (s->at == s->end)
        return false;
    token->begin = s->at;
    token->newline = *s->at == '\n';
    if (token->newline) {
        s->at++;
        s->line++;
    }
    while (!token->newline && s->at < s->end && *s->at != '\n' && !is_blank(*s->at) &&
           continuation(s->at, s->end) == 0)
        s->at += *s->at == '\\' && s->at + 1 < s->end && s->at[1] != '\n' ? 2 : 1;
    token->end = s->at;
    return true;
}

static char *unescape(struct ks_arena *arena, const char *begin, const char *end)
{
    char *name = ks_arena_strndup(arena, begin, (size_t)(end - begin)), *to = name;
    for (const char *at = begin; at < end; at++) {
        bool escape = at + 1 < end && ((*at == '\\' && strchr(" \t#\\:", at[1]) != NULL) ||
                                       (*at == '$' && at[1] == '$'));
        // Only backslashes in front of a blank or '#' are doubled: "a\\b" is two of them.
        if (escape && *at == '\\' && at[1] == '\\') {
            const char *run = at;
            while (run < end && *run == '\\')
                run++;
            escape = run < end && strchr(" \t#", *run) != NULL;
        }
        *to++ = escape ? *++at : *at;
    }
    *to = '\0';
    return name;
}

static void escape(const char *name, struct ks_buf *out)
{
    for (const char *at = name; *at != '\0'; at++) {
        if (*at == '$')
            ks_buf_putc(out, '$');
        else if (*at == '#')
            ks_buf_putc(out, '\\');
        else if (*at == ' ' || *at == '\t') {
            for (const char *back = at; back > name && back[-1] == '\\'; back--)
                ks_buf_putc(out, '\\');
            ks_buf_putc(out, '\\');
        }
        ks_buf_putc(out, *at);
    }
}

// Whether the target list ends with this token: ":" alone, or a name with one behind it.
static bool ends_targets(const struct token *token)
{
    return token->end > token->begin && token->end[-1] == ':' &&
           (token->end - token->begin < 2 || token->end[-2] != '\\');
}

enum ks_status ks_depfile_parse(struct ks_arena *arena, struct ks_slice text,
                                struct ks_depfile *out, struct ks_err *err)
{
    *out = (struct ks_depfile){0};
    struct scanner s = {text.at, text.at + text.len, 1};
    struct ks_strv targets = {0};
    size_t rules = 0, on_right = 0;
    bool right = false;
    struct token token;
    for (bool more = true; more;) {
        int line = s.line;
        more = next_token(&s, &token);
        if (!more || token.newline) { // a rule without prerequisites behind the first is -MP's
            if (!right && targets.len > 0)
                KS_FAIL(err, KS_E_FORMAT, "line %d: no colon behind the targets", line);
            if (right && rules > 0 && on_right == 0)
                for (size_t i = 0; i < targets.len; i++)
                    ks_strv_add(arena, &out->phony, targets.at[i]);
            else if (right && rules == 0)
                out->targets = targets;
            rules += right;
            targets = (struct ks_strv){0};
            right = false;
            on_right = 0;
        } else if (right) {
            ks_strv_add(arena, &out->prerequisites, unescape(arena, token.begin, token.end));
            on_right++;
        } else {
            right = ends_targets(&token);
            const char *end = token.end - (right ? 1 : 0);
            if (end > token.begin)
                ks_strv_add(arena, &targets, unescape(arena, token.begin, end));
        }
    }
    if (rules == 0)
        KS_FAIL(err, KS_E_FORMAT, "line %d: no rule in the dependency file", s.line);
    return KS_OK;
}

enum ks_status ks_depfile_repair(struct ks_slice text, const char *from, const char *to,
                                 const char *const *extra, struct ks_buf *out, struct ks_err *err)
{
    struct ks_arena arena = {0};
    struct scanner s = {text.at, text.at + text.len, 1};
    const char *copied = text.at; // everything before it is in `out`
    const char *last_end = NULL;  // of the current rule's last word
    const char *const *const all_extra = extra;
    bool right = false, first_rule = true;
    struct token token;
    for (bool more = true; more;) {
        more = next_token(&s, &token);
        bool ends = !more || token.newline;
        if (ends && right && first_rule) {
            ks_buf_add(out, copied, (size_t)(last_end - copied));
            copied = last_end;
            for (; extra != NULL && *extra != NULL; extra++) {
                ks_buf_puts(out, " \\\n    ");
                escape(*extra, out);
            }
            first_rule = false;
        }
        if (ends) {
            right = false;
            continue;
        }
        // -MP's line for the shadow is a target, with the colon behind it.
        bool colon = !right && ends_targets(&token);
        const char *end = token.end - (colon ? 1 : 0);
        if ((right || !first_rule) && end > token.begin &&
            strcmp(unescape(&arena, token.begin, end), from) == 0) {
            ks_buf_add(out, copied, (size_t)(token.begin - copied));
            escape(to, out);
            copied = end;
        }
        right |= colon;
        last_end = token.end;
    }
    ks_arena_free(&arena);
    if (first_rule)
        KS_FAIL(err, KS_E_FORMAT, "line %d: no rule in the dependency file", s.line);
    ks_buf_add(out, copied, (size_t)(text.at + text.len - copied));
    // As with -MP: make must not stop when an added file was deleted, with a cache for example.
    for (const char *const *at = all_extra; at != NULL && *at != NULL; at++) {
        if (out->len > 0 && out->data[out->len - 1] != '\n')
            ks_buf_putc(out, '\n');
        ks_buf_putc(out, '\n');
        escape(*at, out);
        ks_buf_puts(out, ":\n");
    }
    return ks_buf_check(out, "the dependency file", err);
}
