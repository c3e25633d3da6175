#include "source/signature.h"

#include <libiberty/demangle.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "source/lex.h"
#include "source/stream.h"

// With -rdc, internal kernels are registered as __nv_static_<n>_<n bytes of module id>_<mangled>.
static const char *strip_static(const char *registered)
{
    static const char prefix[] = "__nv_static_";
    if (!ks_starts_with(registered, prefix))
        return registered;
    char *end;
    unsigned long n = strtoul(registered + sizeof prefix - 1, &end, 10);
    if (*end != '_' || n > strlen(end) || strlen(end + 1) <= n || end[1 + n] != '_')
        return registered;
    return end + n + 2;
}

// Behind "<n><n bytes>" of a name with a hash in it; NULL: no such name stands here.
static const char *after_hashed(const char *at)
{
    char *name;
    if (*at < '1' || *at > '9')
        return NULL;
    unsigned long n = strtoul(at, &name, 10);
    if (!ks_starts_with(name, "_GLOBAL__N_") && !ks_starts_with(name, "_INTERNAL_"))
        return NULL;
    return strlen(name) >= n ? name + n : NULL;
}

static bool same_tail(const char *a, const char *b)
{
    for (; *a != '\0' && *b != '\0'; a++, b++) {
        const char *x = after_hashed(a), *y = x != NULL ? after_hashed(b) : NULL;
        if (y != NULL && same_tail(x, y))
            return true;
        if (*a != *b)
            return false;
    }
    return *a == *b;
}

bool ks_registered_same(const char *a, const char *b)
{
    return same_tail(strip_static(a), strip_static(b));
}

const char *ks_demangle(struct ks_arena *arena, const char *registered)
{
    const char *name = strip_static(registered);
    char *text = NULL;
    if (ks_starts_with(name, "_Z"))
        text = cplus_demangle_v3(name, DMGL_PARAMS | DMGL_ANSI);
    const char *copy = ks_arena_strdup(arena, text ? text : name);
    free(text);
    return copy;
}

// The '(' of the parameter list with which a demangled function ends; NULL if it does not.
static const char *params_of(const char *text)
{
    size_t n = strlen(text);
    int depth = 0;
    if (n == 0 || text[n - 1] != ')')
        return NULL;
    while (n-- > 0) {
        depth += text[n] == ')' ? 1 : text[n] == '(' ? -1 : 0;
        if (depth == 0)
            return text + n;
    }
    return NULL;
}

// Cuts "a, b<c, d>, e" at its top-level commas.
static void split_list(struct ks_arena *arena, const char *at, const char *end, struct ks_strv *out)
{
    *out = (struct ks_strv){0};
    int depth = 0;
    const char *from = at;
    for (const char *p = at; p <= end; p++) {
        if (p < end)
            depth += strchr("([{<", *p) ? 1 : strchr(")]}", *p) ? -1 : 0;
        if (p < end && *p == '>' && p > at && p[-1] != '-')
            depth--;
        if (p == end || (*p == ',' && depth == 0)) {
            struct ks_slice item = ks_slice_trim((struct ks_slice){from, (size_t)(p - from)});
            if (item.len)
                ks_strv_add(arena, out, ks_arena_strndup(arena, item.at, item.len));
            from = p + 1;
        }
    }
}

void ks_signature_types(struct ks_arena *arena, const char *registered, struct ks_type **types, size_t *n)
{
    const char *text = ks_demangle(arena, registered), *open = params_of(text);
    struct ks_strv list = {0};
    if (open != NULL)
        split_list(arena, open + 1, text + strlen(text) - 1, &list);
    *types = KS_NEW_ARRAY(arena, struct ks_type, list.len);
    *n = list.len;
    for (size_t i = 0; i < list.len; i++)
        (*types)[i] = ks_type_parse(arena, ks_slice_of(list.at[i]));
}

// Fills the names from demangled text such as "void ns::relax<float, 256>(float*, int)".
static void set_names(struct ks_arena *arena, const char *demangled, struct ks_signature *sig)
{
    const char *open = params_of(demangled);
    size_t n = open ? (size_t)(open - demangled) : strlen(demangled);
    const char *name = ks_arena_strndup(arena, demangled, n);
    if (ks_starts_with(name, "void "))
        name += 5;
    sig->instance = ks_instance_normalise(arena, name);
    sig->qualified = sig->instance;
    size_t len = strlen(sig->instance), at = len;
    if (len == 0 || sig->instance[len - 1] != '>')
        return;
    int depth = 0, parens = 0;
    while (at-- > 0) {
        char c = sig->instance[at];
        parens += c == ')' || c == '}' ? 1 : c == '(' || c == '{' ? -1 : 0;
        if (parens == 0)
            depth += c == '>' ? 1 : c == '<' ? -1 : 0;
        if (parens == 0 && depth == 0)
            break;
    }
    struct ks_strv args;
    split_list(arena, sig->instance + at + 1, sig->instance + len - 1, &args);
    sig->qualified = ks_arena_strndup(arena, sig->instance, at);
    sig->template_args = args.at;
    sig->n_template_args = args.len;
}

// A __device_stub__ function of the stub file: its mangled name, parameters and argument offsets.
struct stub {
    const char *mangled;
    const char *launched; // text of the expression that it launches, as the registration repeats it
    struct ks_type *params;
    size_t *offsets;
    size_t n;
    bool used;
};

struct reader {
    struct ks_arena *arena;
    struct ks_stream s;
    KS_VEC(struct stub) stubs;
};

static const char *text_of(struct reader *r, size_t from, size_t to)
{
    struct ks_buf buf = KS_BUF(1 << 20);
    for (size_t i = from; i < to; i++) {
        if (r->s.at[i].kind == KS_TOK_DIRECTIVE)
            continue;
        ks_buf_puts(&buf, ks_token_text(r->arena, &r->s.at[i]));
        ks_buf_putc(&buf, ' ');
    }
    const char *text = ks_arena_strdup(r->arena, ks_buf_text(&buf));
    ks_buf_free(&buf);
    return text;
}

// Parameters of a stub function between its parentheses, names (__par0, __par1, ...) taken out.
static void read_stub_params(struct reader *r, size_t open, size_t close, struct stub *stub)
{
    KS_VEC(struct ks_type) params = {0};
    struct ks_buf buf = KS_BUF(1 << 16);
    int depth = 0;
    for (size_t i = open + 1; i <= close; i++) {
        const struct ks_token *t = &r->s.at[i];
        if (i == close || (depth == 0 && ks_token_is(t, ","))) {
            struct ks_slice text = ks_slice_trim(ks_slice_of(ks_buf_text(&buf)));
            if (text.len && !ks_slice_eq(text, "void"))
                *ks_vec_push(r->arena, &params) = ks_type_parse(r->arena, text);
            ks_buf_clear(&buf);
            continue;
        }
        depth += ks_token_is(t, "(") || ks_token_is(t, "<") ? 1 : 0;
        depth -= ks_token_is(t, ")") || ks_token_is(t, ">") ? 1 : 0;
        if (t->len > 5 && memcmp(t->at, "__par", 5) == 0)
            continue;
        // A struct passed by value reaches the stub by reference.
        if (depth == 0 && ks_token_is(t, "&"))
            continue;
        ks_buf_puts(&buf, ks_token_text(r->arena, t));
        ks_buf_putc(&buf, ' ');
    }
    ks_buf_free(&buf);
    stub->params = params.at;
    stub->n = params.len;
}

// The body: __cudaSetupArg(par, 16UL) and __cudaSetupArgSimple(par, 0UL) in order, then
// __cudaLaunch(((char *)EXPR), 0U).
static void read_stub_body(struct reader *r, size_t open, size_t close, struct stub *stub)
{
    KS_VEC(size_t) offsets = {0};
    for (size_t i = open + 1; i + 1 < close; i++) {
        const struct ks_token *t = &r->s.at[i];
        bool call = ks_stream_is(&r->s, i + 1, "(");
        if (call && t->len >= 14 && memcmp(t->at, "__cudaSetupArg", 14) == 0) {
            size_t end = ks_stream_match(&r->s, i + 1);
            if (end < close && r->s.at[end - 1].kind == KS_TOK_NUMBER)
                *ks_vec_push(r->arena, &offsets) = strtoull(r->s.at[end - 1].at, NULL, 10);
            i = end;
        } else if (call && ks_token_is(t, "__cudaLaunch")) {
            size_t cast = i + 3; // __cudaLaunch ( ( ( char * ) EXPR ) , 0U )
            size_t outer = ks_stream_match(&r->s, i + 2);
            size_t from = ks_stream_match(&r->s, cast) + 1;
            if (outer < close && from < outer)
                stub->launched = text_of(r, from, outer);
        }
    }
    if (offsets.len != stub->n)
        stub->launched = NULL;
    stub->offsets = offsets.at;
}

static void read_stubs(struct reader *r)
{
    static const char prefix[] = "__device_stub_";
    for (size_t i = 0; i + 1 < r->s.len; i++) {
        const struct ks_token *t = &r->s.at[i];
        if (t->kind != KS_TOK_IDENT || t->len < sizeof prefix ||
            memcmp(t->at, prefix, sizeof prefix - 1) != 0 || !ks_stream_is(&r->s, i + 1, "("))
            continue;
        size_t close = ks_stream_match(&r->s, i + 1);
        if (!ks_stream_is(&r->s, close + 1, "{"))
            continue;
        size_t end = ks_stream_match(&r->s, close + 1);
        struct stub stub = {.mangled = ks_token_text(r->arena, t) + sizeof prefix - 1};
        read_stub_params(r, i + 1, close, &stub);
        read_stub_body(r, close + 1, end, &stub);
        *ks_vec_push(r->arena, &r->stubs) = stub;
        i = end;
    }
}

// Types from the mangled name where it tells (it resolves every typedef), restrict from the stub
// (top-level qualifiers are not mangled).
static void set_types(struct ks_arena *arena, const struct stub *stub, struct ks_signature *sig)
{
    const char *mangled = strip_static(sig->registered);
    const char *text = ks_demangle(arena, ks_starts_with(mangled, "_Z") ? mangled : stub->mangled);
    const char *open = params_of(text);
    struct ks_strv types = {0};
    if (open)
        split_list(arena, open + 1, text + strlen(text) - 1, &types);
    sig->params = stub->params;
    sig->offsets = stub->offsets;
    sig->n_params = stub->n;
    if (types.len != stub->n)
        return;
    for (size_t i = 0; i < stub->n; i++) {
        bool restricted = stub->params[i].restrict_;
        sig->params[i] = ks_type_parse(arena, ks_slice_of(types.at[i]));
        sig->params[i].restrict_ = restricted;
    }
}

// __cudaRegisterEntry(handle, EXPR, NAME, (-1)), its '(' at `open`.
static enum ks_status read_entry(struct reader *r, size_t open, struct ks_signature_list *out,
                                 struct ks_err *err)
{
    size_t close = ks_stream_match(&r->s, open);
    size_t expr = open + 3;
    size_t expr_end = expr < close ? ks_stream_match(&r->s, expr) + 1 : close;
    if (!ks_stream_is(&r->s, open + 2, ",") || !ks_stream_is(&r->s, expr, "(") ||
        !ks_stream_is(&r->s, expr_end, ",") || r->s.at[expr_end + 1].kind != KS_TOK_IDENT)
        KS_FAIL(err, KS_E_FORMAT,
                "host stub, line %d: __cudaRegisterEntry in an unknown form; this "
                "nvcc is newer than ks knows",
                r->s.at[open].line);
    const char *launched = text_of(r, expr, expr_end);
    struct ks_signature sig = {.registered = ks_token_text(r->arena, &r->s.at[expr_end + 1])};
    ks_vec_each (struct stub, stub, &r->stubs) {
        // __cudaLaunch(((char *)((void (*)(int))k)), 0U): the launched text is that cast
        // expression.
        if (stub->used || !stub->launched || strcmp(stub->launched, launched) != 0)
            continue;
        stub->used = true;
        set_names(r->arena, ks_demangle(r->arena, sig.registered), &sig);
        set_types(r->arena, stub, &sig);
        *ks_vec_push(r->arena, out) = sig;
        return KS_OK;
    }
    ks_debug("host stub: no launch function for %s", sig.registered);
    return KS_OK;
}

enum ks_status ks_signatures_read(struct ks_arena *arena, struct ks_slice stub,
                                  struct ks_signature_list *out, struct ks_err *err)
{
    struct ks_arena scratch = {0}; // for the tokens
    struct reader r = {.arena = arena, .s = ks_stream_read(&scratch, stub)};
    *out = (struct ks_signature_list){0};
    read_stubs(&r);
    enum ks_status status = KS_OK;
    for (size_t i = 0; status == KS_OK && i + 1 < r.s.len; i++)
        if (ks_stream_is(&r.s, i, "__cudaRegisterEntry") && ks_stream_is(&r.s, i + 1, "("))
            status = read_entry(&r, i + 1, out, err);
    ks_arena_free(&scratch);
    return status;
}

bool ks_signature_names(const struct ks_signature *signature, const struct ks_kernel_decl *decl)
{
    bool instance = strcmp(signature->instance, signature->qualified) != 0;
    const char *name = decl->extern_c ? decl->name : decl->qualified;
    if (instance != decl->is_template || strcmp(signature->qualified, name) != 0)
        return false;
    // `template <> __global__ void k<int>(...)` is that instance alone; arguments left to defaults
    // are not written.
    size_t n = strlen(decl->specialization);
    if (n == 0)
        return true;
    const char *args = signature->instance + strlen(signature->qualified);
    return strncmp(args, decl->specialization, n - 1) == 0 &&
           (args[n - 1] == '>' || args[n - 1] == ',');
}

// Whether the text may name the compiler's type. What the text leaves open (a typedef, a macro, a
// template's parameter) it may.
static bool may_be(const struct ks_type *type, const struct ks_type *text)
{
    if (text->pointer && !type->pointer)
        return false;
    if (text->elem.scalar == KS_T_NONE)
        return true;
    if (text->pointer != type->pointer || text->elem.scalar != type->elem.scalar ||
        text->elem.lanes != type->elem.lanes)
        return false;
    return !text->pointer || text->pointee_const == type->pointee_const;
}

bool ks_signature_matches(const struct ks_signature *signature, const struct ks_kernel_decl *decl)
{
    if (!ks_signature_names(signature, decl) || signature->n_params != decl->n_params)
        return false;
    for (size_t i = 0; i < decl->n_params && decl->problem == NULL; i++)
        if (!may_be(&signature->params[i], &decl->params[i].type))
            return false;
    return true;
}

bool ks_signature_value(const struct ks_kernel_decl *decl, const struct ks_signature *signature,
                        const char *name, int64_t *value)
{
    for (size_t i = 0; i < decl->n_template_params && i < signature->n_template_args; i++) {
        if (strcmp(decl->template_params[i], name) != 0)
            continue;
        const char *text = signature->template_args[i];
        if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0) {
            *value = text[0] == 't';
            return true;
        }
        return ks_parse_i64(text, value);
    }
    return false;
}
