// Private to the body parser: the token cursor that its two files share.
#ifndef KS_BODY_PARSE_H
#define KS_BODY_PARSE_H

#include "engine/body.h"
#include "source/lex.h"

struct ks_body_parser {
    struct ks_arena *arena;
    struct ks_token *tokens;
    size_t at;      // next token
    const char *base;
    int line;       // added to a token's line to give the file's
    int depth;
    const struct ks_kernel_decl *decl;
    const struct ks_callee_list *callees;
    struct ks_body *body;
    struct ks_err *err;
};

const struct ks_token *ks_bp_peek(const struct ks_body_parser *p, size_t ahead);
bool ks_bp_is(const struct ks_body_parser *p, size_t ahead, const char *text);
bool ks_bp_take(struct ks_body_parser *p, const char *text);
// NULL with err set when the token is not there.
enum ks_status ks_bp_refuse(struct ks_body_parser *p, const char *what);
struct ks_node *ks_bp_node(struct ks_body_parser *p, enum ks_node_kind kind, const char *text,
                           size_t begin_token);
void ks_bp_add(struct ks_body_parser *p, struct ks_node *node, struct ks_node *kid);
// Sets the node's end to that of the last token taken.
struct ks_node *ks_bp_close(struct ks_body_parser *p, struct ks_node *node);
// How many tokens from `ahead` form a type (qualifiers, name, template arguments, stars), else 0.
// With `known_only`, names that are neither builtin nor template parameters do not count.
size_t ks_bp_type(const struct ks_body_parser *p, size_t ahead, bool known_only);
const char *ks_bp_type_text(struct ks_body_parser *p, size_t first, size_t n);

// Expressions; `comma` allows the comma operator. NULL with err set on failure.
struct ks_node *ks_bp_expression(struct ks_body_parser *p, bool comma);

#endif
