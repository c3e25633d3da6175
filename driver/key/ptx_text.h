// The canonical text of one symbol of a PTX module (an entry, a function, a variable), with holes
// where it names other symbols: filled in by ptx.c once per entry that reaches it.
#ifndef KS_PTX_TEXT_H
#define KS_PTX_TEXT_H

#include "base/vec.h"
#include "key/ptx_scan.h"
#include "key/reason.h"

enum ks_ptx_symbol_kind { KS_PTX_ENTRY, KS_PTX_FUNC, KS_PTX_VAR };

// A hole: before byte `offset` of the module's text buffer stands the ordinal of `symbol`, or, for
// symbol < 0, the definition of label ~symbol of the function (nothing when no one jumps to it).
struct ks_ptx_hole {
    size_t offset;
    int symbol;
    int label; // ordinal of the label, or -1 when it is not referred to
};

struct ks_ptx_symbol {
    struct ks_slice name;
    enum ks_ptx_symbol_kind kind;
    bool external;          // .extern, or declared and never defined
    struct ks_slice head;   // declaration without linking directives, without body and ';'
    struct ks_slice body;   // between the outer braces; at == NULL: none
    bool parsed;
    size_t begin, end;      // in the text buffer
    size_t hole, n_holes;   // in the hole list
    enum ks_reason reason;  // why a kernel that reaches it is not eligible, KS_R_APPLIED if it may be
    const char *reason_text;
    unsigned seen;          // entry that reached it last
    int ordinal;            // in that entry
};

struct ks_ptx_text {
    struct ks_arena *arena;
    struct ks_slice source;
    KS_VEC(struct ks_ptx_symbol) symbols;
    int *table;             // open addressing over symbols, -1 free
    size_t table_size;      // a power of two
    char *out;              // malloc'ed text buffer
    size_t len, cap;
    KS_VEC(struct ks_ptx_hole) holes;
    // Names local to the function being read.
    struct ks_ptx_local *locals;
    int *local_table;       // open addressing over locals, generation-stamped
    unsigned *local_stamp;
    size_t n_locals, cap_locals, local_size;
    unsigned generation;
    int next_local;
};

// Index of a symbol or -1.
int ks_ptx_symbol_find(const struct ks_ptx_text *text, struct ks_slice name);
// Reads a symbol's text into the buffer, once. KS_E_FORMAT with the line of what is not PTX.
enum ks_status ks_ptx_symbol_parse(struct ks_ptx_text *text, struct ks_ptx_symbol *symbol,
                                   struct ks_err *err);
enum ks_status ks_ptx_bad(const struct ks_ptx_text *text, const char *at, const char *what,
                          struct ks_err *err);
void ks_ptx_text_free(struct ks_ptx_text *text);
size_t ks_ptx_hash(struct ks_slice name);

// What this instruction says about eligibility; KS_R_APPLIED for nothing.
enum ks_reason ks_ptx_rule_opcode(const struct ks_ptx_token *opcode);
// A word that begins with '%': special registers.
enum ks_reason ks_ptx_rule_register(const struct ks_ptx_token *word);
// A variable, or a function without a body.
enum ks_reason ks_ptx_rule_symbol(const struct ks_ptx_symbol *symbol);

// Places in a function's body that only say where an assert() stands: file, line and function of
// __assertfail's arguments. Sorted addresses of the tokens, ended by NULL; NULL when there are none.
const char **ks_ptx_assert_places(struct ks_arena *arena, struct ks_slice body);

#endif
