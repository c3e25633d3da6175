// The gate, declarative half. At namespace scope stand only: __device__ and __global__ function
// definitions, class and enum definitions, constexpr variables, typedefs and static_assert. Inside,
// storage is looked at: no state may outlive a launch.
#include <string.h>

#include "source/proposal_gate.h"

enum scope { SCOPE_NAMESPACE, SCOPE_TYPE, SCOPE_FUNCTION };

static enum ks_status check_scope(const struct ks_gate *gate, size_t begin, size_t end,
                                  enum scope scope);

static bool is(const struct ks_gate *gate, size_t i, const char *text)
{
    return i < gate->len && ks_token_is(&gate->at[i], text);
}

static bool opens(const struct ks_gate *gate, size_t i)
{
    return i < gate->len && gate->match[i] > (int)i;
}

size_t ks_gate_after_angle(const struct ks_gate *gate, size_t i, size_t end)
{
    int depth = 0;
    for (; i < end; i++) {
        if (opens(gate, i)) {
            i = (size_t)gate->match[i];
            continue;
        }
        if (is(gate, i, "<"))
            depth++;
        else if (is(gate, i, ">"))
            depth--;
        else if (is(gate, i, ">>"))
            depth -= 2;
        else if (is(gate, i, ">>>"))
            depth -= 3;
        else if (is(gate, i, ";"))
            return 0;
        if (depth <= 0)
            return depth < 0 ? 0 : i + 1;
    }
    return 0;
}

// A declaration [begin, end): what stands in it at bracket depth 0.
struct declaration {
    size_t begin, end;    // end: its ';', or one past its body's '}'
    size_t head;          // after a template head
    bool is_template, device, global, constexpr_, typedef_, static_, shared, constant;
    bool type_word;       // struct, class, union or enum, before any '('
    bool operator_;
    size_t parameters;    // '(' of a function's parameters; 0 if none
    size_t body;          // '{' of a function or type; 0 if none
    size_t initialiser;   // first '=', or '{' that is no body; 0 if none
};

bool ks_gate_takes_parentheses(const struct ks_gate *gate, size_t i)
{
    static const char *const words[] = {"__launch_bounds__", "__align__", "alignas", "decltype",
                                        "noexcept", "__maxnreg__", "explicit", "sizeof",
                                        "alignof"};
    for (size_t w = 0; w < sizeof words / sizeof *words; w++)
        if (is(gate, i, words[w]))
            return true;
    return false;
}

static void note_word(const struct ks_gate *gate, size_t i, struct declaration *d)
{
    d->device |= is(gate, i, "__device__");
    d->global |= is(gate, i, "__global__");
    d->constexpr_ |= is(gate, i, "constexpr");
    d->typedef_ |= is(gate, i, "typedef");
    d->static_ |= is(gate, i, "static");
    d->shared |= is(gate, i, "__shared__");
    d->constant |= is(gate, i, "__constant__");
    d->operator_ |= is(gate, i, "operator");
    if (d->parameters == 0 && d->initialiser == 0)
        d->type_word |= is(gate, i, "struct") || is(gate, i, "class") || is(gate, i, "union") ||
                        is(gate, i, "enum");
}

// Reads one declaration of namespace or type scope.
static enum ks_status read_declaration(const struct ks_gate *gate, size_t begin, size_t end,
                                       struct declaration *d)
{
    *d = (struct declaration){.begin = begin, .head = begin};
    while (is(gate, d->head, "template")) {
        d->is_template = true;
        if (!is(gate, d->head + 1, "<"))
            KS_GATE_FAIL(gate, &gate->at[d->head], "explicit instantiation is refused");
        if (is(gate, d->head + 2, ">"))
            KS_GATE_FAIL(gate, &gate->at[d->head], "specialisation is refused");
        size_t after = ks_gate_after_angle(gate, d->head + 1, end);
        if (after == 0)
            KS_GATE_FAIL(gate, &gate->at[d->head], "this template head is not understood");
        d->head = after;
    }
    for (size_t i = d->head; i < end; i++) {
        if (is(gate, i, ";")) {
            d->end = i;
            return KS_OK;
        }
        if (is(gate, i, "=") && d->initialiser == 0 && !is(gate, i - 1, "operator"))
            d->initialiser = i;
        if (is(gate, i, "(") && d->parameters == 0 && d->initialiser == 0 &&
            !(i > 0 && ks_gate_takes_parentheses(gate, i - 1)))
            d->parameters = i;
        if (is(gate, i, "{")) {
            // operator() has two pairs; the body follows the last. A type's body has no parameters.
            bool of_function = d->parameters != 0 && d->initialiser == 0;
            bool of_type = d->type_word && d->parameters == 0 && d->initialiser == 0;
            if (of_function || of_type) {
                d->body = i;
                d->end = (size_t)gate->match[i] + 1;
                if (of_type && is(gate, d->end, ";"))
                    d->end++;
                else if (of_type)
                    KS_GATE_FAIL(gate, &gate->at[i], "a type's definition must end with '};'");
                return KS_OK;
            }
            if (d->initialiser == 0)
                d->initialiser = i;
        }
        note_word(gate, i, d);
        if (opens(gate, i))
            i = (size_t)gate->match[i];
    }
    KS_GATE_FAIL(gate, &gate->at[begin], "this declaration is not finished");
}

// Between a function's parameters and its body stand only const, noexcept and a return type.
static bool is_plain_tail(const struct ks_gate *gate, const struct declaration *d)
{
    for (size_t i = (size_t)gate->match[d->parameters] + 1; i < d->body; i++) {
        if (is(gate, i, ",") || is(gate, i, "=") || is(gate, i, ":"))
            return false;
        if (opens(gate, i))
            i = (size_t)gate->match[i];
    }
    return true;
}

static bool is_any(const struct ks_gate *gate, size_t i, const char *const *words)
{
    for (; *words != NULL; words++)
        if (is(gate, i, *words))
            return true;
    return false;
}

// Whether `(` follows a name that follows a type. `__device__ T (x){3}` has the shape of a function
// and is a variable.
static bool has_type_and_name(const struct ks_gate *gate, const struct declaration *d)
{
    static const char *const no_name[] = {"int", "char", "short", "long", "float", "double", "bool",
                                          "void", "unsigned", "signed", "auto", "const",
                                          "volatile", "wchar_t", "char16_t", "char32_t", NULL};
    static const char *const no_type[] = {
        "__device__", "__global__", "static", "inline", "constexpr", "__forceinline__", "volatile",
        "__noinline__", "__inline__", "__launch_bounds__", "__maxnreg__", "const", "struct",
        "class", "union", "enum", "typename", "__align__", "alignas", NULL};
    size_t name = d->parameters - 1;
    if (name <= d->head || gate->at[name].kind != KS_TOK_IDENT || is(gate, name - 1, "::") ||
        is_any(gate, name, no_name) || is_any(gate, name, no_type))
        return false;
    for (size_t i = d->head; i < name; i++) {
        if (opens(gate, i))
            i = (size_t)gate->match[i];
        else if (gate->at[i].kind == KS_TOK_IDENT && !is_any(gate, i, no_type))
            return true;
    }
    return false;
}

static enum ks_status check_function(const struct ks_gate *gate, const struct declaration *d)
{
    const struct ks_token *first = &gate->at[d->head];
    if (d->operator_)
        KS_GATE_FAIL(gate, first, "operators stand only inside types of the proposal");
    if (d->body == 0)
        KS_GATE_FAIL(gate, first, "only __device__ and __global__ function definitions, types and "
                                  "constexpr variables stand here, no declarations without body");
    if (!d->device && !d->global)
        KS_GATE_FAIL(gate, first, "a host function is refused; mark it __device__");
    if (d->device && d->global)
        KS_GATE_FAIL(gate, first, "a function is __device__ or __global__, not both");
    if (d->global && d->is_template)
        KS_GATE_FAIL(gate, first, "a kernel cannot be a template here: write the instance");
    if (d->shared || d->constant || d->typedef_ || !is_plain_tail(gate, d) ||
        !has_type_and_name(gate, d))
        KS_GATE_FAIL(gate, first, "this is no plain function definition");
    // Parameters and return types can hold lambdas, and those hold statements.
    KS_TRY(check_scope(gate, d->parameters, d->body, SCOPE_FUNCTION));
    return check_scope(gate, d->body + 1, (size_t)gate->match[d->body], SCOPE_FUNCTION);
}

// The name of the class template that a declaration of namespace scope declares; NULL if it declares none.
static const struct ks_token *template_of(const struct ks_gate *gate, const struct declaration *d)
{
    static const char *const keys[] = {"struct", "class", "union", NULL};
    const struct ks_token *name = NULL;
    if (!d->is_template || d->parameters != 0 || d->initialiser != 0 || !is_any(gate, d->head, keys))
        return NULL;
    for (size_t i = d->head + 1; i < d->end && !is(gate, i, "{") && !is(gate, i, ":") && !is(gate, i, ";"); i++) {
        if (is(gate, i, "<")) // a specialisation
            return NULL;
        if (opens(gate, i))
            i = (size_t)gate->match[i];
        else if (!is(gate, i, "final"))
            name = &gate->at[i];
    }
    return name;
}

// Whether the source declares a class template of that name at its namespace scope before token `end`: what is
// nested in a type, or a template's parameter, is no name there.
static bool is_own_template(const struct ks_gate *gate, const struct ks_token *name, size_t end)
{
    struct declaration d;
    for (size_t i = 0; i < end; i = d.end + (is(gate, d.end, ";") && d.body == 0)) {
        if (read_declaration(gate, i, gate->len, &d) != KS_OK || d.end > end)
            return false;
        const struct ks_token *own = template_of(gate, &d);
        if (own != NULL && own->len == name->len && memcmp(own->at, name->at, name->len) == 0)
            return true;
    }
    return false;
}

static enum ks_status check_type(const struct ks_gate *gate, const struct declaration *d)
{
    const struct ks_token *first = &gate->at[d->head];
    for (size_t i = d->head; i < d->body && !is(gate, i, ":"); i++) {
        if (is(gate, i, "::"))
            KS_GATE_FAIL(gate, first, "a type of the proposal needs a plain name");
        // nvcc takes one of another namespace's template in what it holds for a system header, as our text is.
        if (i > d->head && is(gate, i, "<") && !is_own_template(gate, &gate->at[i - 1], d->begin))
            KS_GATE_FAIL(gate, first, "a specialisation of a template that is not the proposal's is refused");
    }
    if (is(gate, d->head, "enum"))
        return KS_OK;
    return check_scope(gate, d->body + 1, (size_t)gate->match[d->body], SCOPE_TYPE);
}

static enum ks_status check_at_namespace(const struct ks_gate *gate, const struct declaration *d)
{
    const struct ks_token *first = &gate->at[d->begin];
    if (is(gate, d->head, "using"))
        KS_GATE_FAIL(gate, first, "'using' at namespace scope is refused; write typedef");
    if (is(gate, d->begin, "static_assert") || is(gate, d->begin, ";"))
        return KS_OK;
    if (d->typedef_ && d->body == 0 && !d->device && !d->global)
        return KS_OK;
    bool stored = d->device || d->global || d->static_ || d->shared || d->constant;
    bool bare_type = d->type_word && d->parameters == 0 && d->initialiser == 0 && !stored &&
                     !d->constexpr_ && !d->typedef_;
    if (bare_type && d->body != 0)
        return check_type(gate, d);
    if (bare_type && d->end - d->head == 2) // `struct X;`
        return KS_OK;
    if (d->parameters != 0 && d->initialiser == 0)
        return check_function(gate, d);
    if (!d->constexpr_ || d->device || d->global || d->shared || d->constant || d->body != 0)
        KS_GATE_FAIL(gate, first, "variables of namespace scope must be constexpr; tables are "
                                  "function-local 'static __constant__'");
    if (d->is_template && d->initialiser > 0 && is(gate, d->initialiser - 1, ">"))
        KS_GATE_FAIL(gate, first, "a specialisation of a variable is refused");
    return check_scope(gate, d->begin, d->end, SCOPE_FUNCTION);
}

static enum ks_status check_member(const struct ks_gate *gate, const struct declaration *d)
{
    const struct ks_token *first = &gate->at[d->begin];
    if (d->global || d->shared || d->constant)
        KS_GATE_FAIL(gate, first, "kernels and device storage do not stand inside a type");
    if (d->type_word && d->parameters == 0 && d->body != 0)
        return check_type(gate, d);
    if (d->body != 0)
        return check_scope(gate, d->parameters, d->end, SCOPE_FUNCTION);
    bool function = d->parameters != 0 && (d->initialiser == 0 || d->initialiser > d->parameters);
    if ((d->static_ || d->device) && !function && !d->constexpr_)
        KS_GATE_FAIL(gate, first, "static members must be constexpr");
    size_t inside = d->parameters != 0 ? d->parameters : d->initialiser;
    return check_scope(gate, inside != 0 ? inside : d->end, d->end, SCOPE_FUNCTION);
}

static enum ks_status check_storage(const struct ks_gate *gate, size_t i)
{
    static const char *const after_static[] = {"constexpr", "__constant__", "__shared__", NULL};
    const struct ks_token *t = &gate->at[i];
    if (is(gate, i, "__device__") || is(gate, i, "__global__"))
        KS_GATE_FAIL(gate, t, "device storage inside a function must be __shared__ or 'static "
                              "__constant__'");
    if (is(gate, i, "__constant__") && !(i > 0 && is(gate, i - 1, "static")))
        KS_GATE_FAIL(gate, t, "write 'static __constant__' for a table");
    if (is(gate, i, "static") && !is_any(gate, i + 1, after_static))
        KS_GATE_FAIL(gate, t, "'static' stands only before constexpr, __constant__ or __shared__: no "
                              "state may outlive a launch");
    return KS_OK;
}

static enum ks_status check_scope(const struct ks_gate *gate, size_t begin, size_t end,
                                  enum scope scope)
{
    if (scope == SCOPE_FUNCTION) {
        for (size_t i = begin; i < end; i++)
            KS_TRY(check_storage(gate, i));
        return KS_OK;
    }
    for (size_t i = begin; i < end;) {
        bool label = is(gate, i, "public") || is(gate, i, "private") || is(gate, i, "protected");
        if (scope == SCOPE_TYPE && label && is(gate, i + 1, ":")) {
            i += 2;
            continue;
        }
        if (scope == SCOPE_TYPE && is(gate, i, "{")) { // the body after `X() : a{1}`
            KS_TRY(check_scope(gate, i + 1, (size_t)gate->match[i], SCOPE_FUNCTION));
            i = (size_t)gate->match[i] + 1;
            continue;
        }
        struct declaration d;
        KS_TRY(read_declaration(gate, i, end, &d));
        KS_TRY(scope == SCOPE_TYPE ? check_member(gate, &d) : check_at_namespace(gate, &d));
        i = d.end + (is(gate, d.end, ";") && d.body == 0);
    }
    return KS_OK;
}

enum ks_status ks_gate_declarations(const struct ks_gate *gate)
{
    return check_scope(gate, 0, gate->len, SCOPE_NAMESPACE);
}
