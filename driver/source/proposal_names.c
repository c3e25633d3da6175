// Names that a proposal gives to types at its namespace scope. None may be one that the parameters' types use: the
// host compiler, which sees kernels' signatures alone, would read another type there than the device's does.
#include <string.h>

#include "source/proposal_gate.h"

struct names {
    const struct ks_gate *gate;
    ks_gate_meaning *means;
    const void *context;
    bool in_typedef;
    bool typed; // this declaration's type has been named: what comes now are its declarators
};

static bool is_any(const struct ks_token *t, const char *const *words)
{
    for (; *words != NULL; words++)
        if (ks_token_is(t, *words))
            return true;
    return false;
}

static bool is_class_key(const struct ks_token *t)
{
    static const char *const keys[] = {"struct", "class", "union", "enum", NULL};
    return is_any(t, keys);
}

// What stands beside a declaration's type and does not name it.
static bool is_neutral(const struct ks_token *t)
{
    static const char *const words[] = {"typedef", "const", "volatile", "typename", NULL};
    return is_class_key(t) || is_any(t, words);
}

static bool is_keyword(const struct ks_token *t)
{
    static const char *const words[] = {"void", "bool", "char", "short", "int", "long", "float", "double", "signed",
                                        "unsigned", "__int128", NULL};
    return is_neutral(t) || is_any(t, words);
}

static enum ks_status check_name(const struct names *n, size_t i)
{
    const struct ks_token *t = &n->gate->at[i];
    if (t->kind == KS_TOK_IDENT && !is_keyword(t) && n->means(n->context, t))
        KS_GATE_FAIL(n->gate, t, "'%.*s' has a meaning that this would change: choose another name", (int)t->len,
                     t->at);
    return KS_OK;
}

// Between a class-key and what ends a type's head stand its attributes, its name and `final`, and words alone are
// no way to tell which is which.
static enum ks_status check_tag(const struct names *n, size_t key)
{
    const struct ks_gate *gate = n->gate;
    size_t end = key + 1;
    for (; end < gate->len; end++) {
        if (ks_token_is(&gate->at[end], "(") && gate->match[end] > (int)end)
            end = (size_t)gate->match[end];
        else if (gate->at[end].kind != KS_TOK_IDENT)
            break;
    }
    // In a typedef a head without a body names a type that is there already.
    if (n->in_typedef && !(end < gate->len && (ks_token_is(&gate->at[end], "{") || ks_token_is(&gate->at[end], ":"))))
        return KS_OK;
    for (size_t i = key + 1; i < end; i++) {
        if (gate->match[i] > (int)i)
            i = (size_t)gate->match[i];
        KS_TRY(check_name(n, i));
    }
    return KS_OK;
}

// The word at *i, in a typedef perhaps; *i moves to the last token of what it takes in parentheses.
static enum ks_status read_word(struct names *n, size_t *i)
{
    const struct ks_gate *gate = n->gate;
    const struct ks_token *t = &gate->at[*i];
    n->in_typedef |= ks_token_is(t, "typedef");
    if (is_class_key(t))
        KS_TRY(check_tag(n, *i));
    if (ks_gate_takes_parentheses(gate, *i) && gate->match[*i + 1] > (int)*i) {
        n->typed |= ks_token_is(t, "decltype");
        *i = (size_t)gate->match[*i + 1];
        return KS_OK;
    }
    bool qualified = *i > 0 && ks_token_is(&gate->at[*i - 1], "::");
    if (n->in_typedef && n->typed && !qualified)
        KS_TRY(check_name(n, *i));
    n->typed |= !is_neutral(t);
    return KS_OK;
}

enum ks_status ks_gate_names(const struct ks_gate *gate, ks_gate_meaning *means, const void *context)
{
    struct names n = {.gate = gate, .means = means, .context = context};
    for (size_t i = 0; i < gate->len; i++) {
        const struct ks_token *t = &gate->at[i];
        if (t->kind == KS_TOK_IDENT) {
            KS_TRY(read_word(&n, &i));
        } else if (ks_token_is(t, ";")) {
            n.in_typedef = n.typed = false;
        } else if (ks_token_is(t, "{")) { // names inside a body are seen there alone
            i = (size_t)gate->match[i];
            n.typed = n.in_typedef;
        } else if (n.in_typedef && ks_token_is(t, "[")) {
            i = (size_t)gate->match[i];
        } else if (n.in_typedef && i > 0 && ks_token_is(t, "<") && gate->at[i - 1].kind == KS_TOK_IDENT) {
            size_t after = ks_gate_after_angle(gate, i, gate->len);
            i = after > 0 ? after - 1 : i;
        }
    }
    return KS_OK;
}
