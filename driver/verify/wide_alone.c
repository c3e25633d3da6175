// The unit's text for one kernel alone; contract in verify/wide.h.
#include <string.h>

#include "base/vec.h"
#include "source/stream.h"
#include "verify/wide.h"

// A function for the device, defined at namespace scope.
struct function {
    struct ks_slice name, body; // without its brackets
    bool kept;
};

struct unit {
    struct ks_arena *arena;
    struct ks_stream stream;
    KS_VEC(struct function) functions;
    KS_VEC(struct ks_slice) others; // texts that may call them: classes and macros
};

static bool mentions(struct ks_slice text, struct ks_slice name)
{
    const char *end = text.at + text.len;
    for (const char *at = text.at; (at = memmem(at, (size_t)(end - at), name.at, name.len)) != NULL; at += name.len)
        if ((at == text.at || !ks_is_ident(at[-1])) && (at + name.len == end || !ks_is_ident(at[name.len])))
            return true;
    return false;
}

static struct ks_slice token_text(const struct ks_stream *s, size_t i)
{
    return (struct ks_slice){s->at[i].at, s->at[i].len};
}

static struct ks_slice between(const struct ks_stream *s, size_t open, size_t close)
{
    const char *from = s->at[open].at + s->at[open].len;
    return (struct ks_slice){from, (size_t)(s->at[close].at - from)};
}

// Whether [from, brace) declares a function of the device whose body nothing but a call needs, and its name. What is not
// understood stays.
static bool read_function(const struct ks_stream *s, size_t from, size_t brace, struct ks_slice *name)
{
    bool device = false, other = false, named = false;
    for (size_t i = from; i < brace; i++) {
        device = device || ks_stream_is(s, i, "__device__") || ks_stream_is(s, i, "__global__");
        other = other || ks_stream_is(s, i, "=") || ks_stream_is(s, i, "operator") || ks_stream_is(s, i, "constexpr") ||
                ks_stream_is(s, i, "auto");
        if (!ks_stream_is(s, i, "("))
            continue;
        size_t close = ks_stream_match(s, i);
        if (close == brace - 1 && i > from && s->at[i - 1].kind == KS_TOK_IDENT) {
            *name = token_text(s, i - 1);
            named = true;
        }
        i = close;
    }
    return device && named && !other;
}

// A '{' at namespace scope behind the declaration [from, brace). false: what is in it is at namespace scope too.
static bool read_brace(struct unit *u, size_t from, size_t brace, size_t close)
{
    const struct ks_stream *s = &u->stream;
    struct ks_slice name;
    bool even = close < s->len && s->arm[brace] == s->arm[close];
    for (size_t i = from; i < brace; i++)
        if (ks_stream_is(s, i, "namespace") || (ks_stream_is(s, i, "extern") && i + 2 == brace))
            return false;
    for (size_t i = brace; even && i < close; i++)
        even = !s->uneven[i];
    if (even && read_function(s, from, brace, &name))
        *ks_vec_push(u->arena, &u->functions) = (struct function){name, between(s, brace, close), false};
    else if (close < s->len && !ks_stream_is(s, brace - 1, ")"))
        *ks_vec_push(u->arena, &u->others) = between(s, brace, close);
    return true;
}

static void read_unit(struct unit *u)
{
    const struct ks_stream *s = &u->stream;
    size_t from = 0; // of the declaration that is being read
    for (size_t i = 0; i < s->len; i++) {
        bool ends = ks_stream_is(s, i, ";") || ks_stream_is(s, i, "}");
        if (s->at[i].kind == KS_TOK_DIRECTIVE) {
            *ks_vec_push(u->arena, &u->others) = token_text(s, i);
            ends = from == i;
        } else if (ks_stream_is(s, i, "{")) {
            size_t close = ks_stream_match(s, i);
            if (read_brace(u, from, i, close))
                i = close < s->len ? close : s->len - 1;
            ends = true;
        } else if (ks_stream_is(s, i, "(") && ks_stream_match(s, i) < s->len) {
            i = ks_stream_match(s, i);
        }
        if (ends)
            from = i + 1;
    }
}

// Whether a text that stays calls it.
static bool is_called(const struct unit *u, struct ks_slice name)
{
    for (size_t i = 0; i < u->others.len; i++)
        if (mentions(u->others.at[i], name))
            return true;
    for (size_t i = 0; i < u->functions.len; i++)
        if (u->functions.at[i].kept && mentions(u->functions.at[i].body, name))
            return true;
    return false;
}

struct ks_slice ks_wide_alone(struct ks_arena *arena, struct ks_slice text, const char *kernel)
{
    char *alone = ks_arena_strndup(arena, text.at, text.len);
    struct unit u = {.arena = arena, .stream = ks_stream_read(arena, text)};
    read_unit(&u);
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < u.functions.len; i++) {
            struct function *f = &u.functions.at[i];
            if (!f->kept && (ks_slice_eq(f->name, kernel) || is_called(&u, f->name)))
                f->kept = more = true;
        }
    }
    for (size_t i = 0; i < u.functions.len; i++) {
        const struct function *f = &u.functions.at[i];
        char *body = alone + (f->body.at - text.at);
        for (size_t k = 0; !f->kept && k < f->body.len; k++)
            body[k] = body[k] == '\n' ? '\n' : ' ';
    }
    return (struct ks_slice){alone, text.len};
}
