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

// As nvcc 13.0 does, which knows of no other character of make's (tried).
static void write_as_nvcc(const char *name, struct ks_buf *out)
{
    for (; *name != '\0'; name++) {
        if (*name == ' ')
            ks_buf_putc(out, '\\');
        ks_buf_putc(out, *name);
    }
}

static const struct ks_depfile_name *find_name(const struct ks_depfile_name *names, size_t n,
                                               const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(names[i].from, name) == 0)
            return names[i].to != NULL && strcmp(names[i].to, name) == 0 ? NULL : &names[i];
    return NULL;
}

// Behind an empty rule whose colon is at `at`.
static const char *behind_rule(const char *at, const char *end)
{
    at++;
    for (int lines = 0; lines < 2 && at < end && (*at == '\n' || *at == '\r'); at++)
        lines += *at == '\n';
    return at;
}

static bool ends_with_blank(const char *text, size_t len)
{
    return len > 1 && text[len - 1] == '\n' && text[len - 2] == '\n';
}

struct repair {
    const char *copied; // everything before it is in `out`, or was dropped
    struct ks_buf *out;
};

static void copy_to(struct repair *r, const char *end)
{
    if (end > r->copied)
        ks_buf_add(r->out, r->copied, (size_t)(end - r->copied));
    r->copied = end > r->copied ? end : r->copied;
}

static void add_extra(struct repair *r, const char *const *extra, const char *before,
                      const char *behind)
{
    for (; extra != NULL && *extra != NULL; extra++) {
        ks_buf_puts(r->out, before);
        escape(*extra, r->out);
        ks_buf_puts(r->out, behind);
    }
}

enum ks_status ks_depfile_repair(struct ks_slice text, const struct ks_depfile_name *names,
                                 size_t n_names, const char *const *extra, struct ks_buf *out,
                                 struct ks_err *err)
{
    struct ks_arena arena = {0};
    struct scanner s = {text.at, text.at + text.len, 1};
    struct repair r = {text.at, out};
    const char *last_end = text.at; // of the current rule's last word that stays
    bool right = false, first_rule = true;
    struct token token;
    for (bool more = true; more;) {
        more = next_token(&s, &token);
        if (!more || token.newline) {
            if (right && first_rule) {
                copy_to(&r, last_end);
                add_extra(&r, extra, " \\\n    ", "");
                first_rule = false;
            }
            right = false;
            continue;
        }
        // -MP's line for the shadow is a target, with the colon behind it.
        bool colon = !right && ends_targets(&token);
        const char *end = token.end - (colon ? 1 : 0);
        const struct ks_depfile_name *name = NULL;
        if ((right || !first_rule) && end > token.begin)
            name = find_name(names, n_names, unescape(&arena, token.begin, end));
        if (name != NULL && name->to != NULL) {
            copy_to(&r, token.begin);
            write_as_nvcc(name->to, out);
            r.copied = end;
        } else if (name != NULL) {
            copy_to(&r, right ? last_end : token.begin);
            r.copied = right ? end : behind_rule(end, s.end);
        }
        right |= colon;
        if (name == NULL || name->to != NULL)
            last_end = token.end;
    }
    ks_arena_free(&arena);
    if (first_rule)
        KS_FAIL(err, KS_E_FORMAT, "line %d: no rule in the dependency file", s.line);
    copy_to(&r, text.at + text.len);
    // Where the last of -MP's rules was left out, the empty line in front of it goes with it.
    if (!ends_with_blank(text.at, text.len) && ends_with_blank(out->data, out->len))
        out->data[--out->len] = '\0';
    // As with -MP: make must not stop when an added file was deleted, with a cache for example.
    if (extra != NULL && *extra != NULL && out->data[out->len - 1] != '\n')
        ks_buf_putc(out, '\n');
    add_extra(&r, extra, "\n", ":\n");
    return ks_buf_check(out, "the dependency file", err);
}
