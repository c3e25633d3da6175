// The lexical and declarative halves of ks_proposal_check, on the text of `source` alone.
#ifndef KS_PROPOSAL_GATE_H
#define KS_PROPOSAL_GATE_H

#include "source/lex.h"

struct ks_gate {
    struct ks_arena *arena;
    struct ks_slice source;
    const struct ks_token *at; // no comments; ends with KS_TOK_END
    size_t len;
    const int *match; // partner of each bracket, -1 elsewhere
    bool foreign;     // no inline assembly at all
    struct ks_err *err;
};

// Bytes, words, literals and brackets. Fills tokens and matches.
enum ks_status ks_gate_words(struct ks_gate *gate);
// What stands at namespace scope, and storage classes inside types and functions.
enum ks_status ks_gate_declarations(const struct ks_gate *gate);

// Whether a word has a meaning for the parameters' types.
typedef bool ks_gate_meaning(const void *context, const struct ks_token *word);
// Refuses types of namespace scope whose name has one.
enum ks_status ks_gate_names(const struct ks_gate *gate, ks_gate_meaning *means, const void *context);

// One past the '>' that closes the '<' at i, looking no further than `end`; 0 if it is not closed.
size_t ks_gate_after_angle(const struct ks_gate *gate, size_t i, size_t end);
// Whether the parentheses after the word at i are its own: alignas(8), decltype(x).
bool ks_gate_takes_parentheses(const struct ks_gate *gate, size_t i);

// Whether the `asm` at token i begins one of the statements that installed templates may hold; and whether the
// string at token i is part of one.
bool ks_gate_assembly(const struct ks_gate *gate, size_t i);
bool ks_gate_in_assembly(const struct ks_gate *gate, size_t i);

#define KS_GATE_FAIL(gate, token, ...)                                                            \
    return ks_err_set((gate)->err, KS_E_USER, "source:%d: %s", (token)->line,                     \
                      ks_arena_printf((gate)->arena, __VA_ARGS__))

#endif
