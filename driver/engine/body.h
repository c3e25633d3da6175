// A kernel's body as a tree of statements and expressions, with byte offsets into the kernel's
// text. Meant for source-to-source operators: it understands the C-like core that kernels are
// written in and refuses the rest by construct and line. Nothing is macro-expanded.
//
// The tree lives in the arena and borrows nothing but the kernel's text.
#ifndef KS_BODY_H
#define KS_BODY_H

#include "base/str.h"
#include "source/callee.h"
#include "source/kernel.h"

enum ks_node_kind {
    // expressions
    KS_N_NUMBER, // text: literal; strings too
    KS_N_NAME,   // text: "x", "ns::f", "f<float>"
    KS_N_MEMBER, // kid 0, text: member name; "->" has `arrow`
    KS_N_INDEX,  // kid 0 [kid 1]
    KS_N_CALL,   // kid 0 (kids 1..)
    KS_N_UNARY,  // text: operator, "sizeof" included
    KS_N_POSTFIX, // text: "++" or "--"
    KS_N_BINARY, // text: operator, "," included
    KS_N_ASSIGN, // text: "=", "+=", ...
    KS_N_COND,   // kids: condition, then, else
    KS_N_CAST,   // text: type; C-style, functional on builtin types, and the named casts
    KS_N_LIST,   // brace initialiser
    // statements
    KS_N_BLOCK,
    KS_N_DECL, // text: type without declarators; kids: KS_N_VAR
    KS_N_VAR,  // text: name; `init` and `pointer`; kids: array extents (an absent one is KS_N_EMPTY)
    KS_N_EXPR, // kid 0
    KS_N_IF,   // condition, then, [else]
    KS_N_FOR,  // init statement, condition, step, body; absent ones are KS_N_EMPTY
    KS_N_WHILE, // condition, body
    KS_N_DO,   // body, condition
    KS_N_RETURN,
    KS_N_BREAK,
    KS_N_CONTINUE,
    KS_N_EMPTY,
};

struct ks_node {
    enum ks_node_kind kind;
    const char *text;
    int line;          // in the file
    size_t begin, end; // bytes of the kernel's text
    struct ks_node **kid;
    size_t n, cap;
    struct ks_node *init;              // KS_N_VAR
    bool pointer, reference;           // KS_N_VAR
    bool shared, is_static, is_extern; // KS_N_DECL
    bool arrow;                        // KS_N_MEMBER
    uint32_t changes;                  // KS_N_CALL, bit i: the function may change argument i
    const struct ks_doing *does;       // KS_N_CALL, beside that; NULL: nothing that is known of
};

struct ks_body {
    struct ks_slice text;  // of the kernel, from template head to closing brace
    int line;              // of the text's first byte
    struct ks_node *block; // its begin is '{', its end one past '}'
    size_t params_begin, params_end; // inside the parentheses of the parameter list
    // `#pragma unroll` lines: a proposal holds no directives, so they are to be replaced.
    struct ks_body_pragma {
        size_t begin, end;
        const char *text; // _Pragma("unroll 4"), or "" where the count is no literal
    } *pragmas;
    size_t n_pragmas, cap_pragmas;
};

// `callees` (may be NULL) tells what functions change. KS_E_UNSUPPORTED "line N: <construct> is not understood".
enum ks_status ks_body_parse(struct ks_arena *arena, const char *kernel_text,
                             const struct ks_kernel_decl *decl,
                             const struct ks_callee_list *callees, struct ks_body *body,
                             struct ks_err *err);

bool ks_node_is(const struct ks_node *node, enum ks_node_kind kind, const char *text);
// Source text of a node.
char *ks_node_text(struct ks_arena *arena, const struct ks_body *body, const struct ks_node *node);
// Where text in front of a statement goes: before its pragma, if it has one.
size_t ks_node_front(const struct ks_body *body, const struct ks_node *node);
// Visits a tree before its kids (VAR initialisers included); false from `visit` skips the kids.
typedef bool ks_node_visit(void *context, struct ks_node *node);
void ks_node_walk(struct ks_node *node, ks_node_visit *visit, void *context);
// Functions that change nothing: CUDA's own. Others may take references.
bool ks_function_is_pure(const char *name);
// The variable that a call may change by its argument `i` (1: the first), or NULL.
const char *ks_node_changed_by(const struct ks_node *call, size_t i);
// Whether the variable is assigned, incremented, given to a function that may change it, or has its
// address taken below `node`.
bool ks_node_changes(struct ks_node *node, const char *name);
// First node of the kind below `node` (itself included), or NULL; `text` NULL: any.
struct ks_node *ks_node_find(struct ks_node *node, enum ks_node_kind kind, const char *text);
// Whether a name stands anywhere below `node`.
bool ks_node_mentions(const struct ks_node *node, const char *name);

#endif
