// Statements of PTX as the decoder wants them: opcode, guard and operands, still as text slices.
#ifndef KS_EMU_SCAN_H
#define KS_EMU_SCAN_H

#include "device/emu/emu_ir.h"
#include "key/ptx_scan.h"

#define KS_EMU_OPERANDS 10
#define KS_EMU_VECTOR 16  // mma fragments have up to 16 registers
#define KS_EMU_ITEMS 160  // in all lists of a statement: a wgmma has 128 accumulators
#define KS_EMU_MODS 14

struct ks_emu_reader {
    struct ks_ptx_scan scan;
    const char *counted;     // up to here lines are counted
    uint32_t line;
    struct ks_ptx_token token; // the one looked at
};

enum ks_emu_operand_kind {
    KS_EMU_O_WORD,      // register, symbol, label, number: `word`
    KS_EMU_O_ADDRESS,   // [word + offset] or [offset]
    KS_EMU_O_VECTOR,    // {a, b, ...}
    KS_EMU_O_LIST,      // (a, b, ...)
};

struct ks_emu_item {
    struct ks_slice word;
    bool minus;
};

struct ks_emu_operand {
    enum ks_emu_operand_kind kind;
    struct ks_slice word;    // empty in an address without a base
    struct ks_slice pair;    // p|q: the second
    bool negated;            // !p
    bool minus;              // a number's sign
    int64_t offset;          // in addresses; symbol+offset
    struct ks_emu_item *items; unsigned n_items; // in the statement
};

struct ks_emu_stmt {
    struct ks_slice opcode, base;         // base: up to the first '.'
    struct ks_slice mods[KS_EMU_MODS]; unsigned n_mods;
    struct ks_slice guard; bool guard_negated;
    struct ks_emu_operand ops[KS_EMU_OPERANDS]; unsigned n_ops;
    struct ks_emu_item items[KS_EMU_ITEMS]; unsigned n_items;
    uint32_t line;
};

void ks_emu_reader_init(struct ks_emu_reader *r, const char *at, const char *end, uint32_t line);
// Moves to the next token.
void ks_emu_next(struct ks_emu_reader *r);
bool ks_emu_is(const struct ks_emu_reader *r, const char *text);
// Takes the token if it is this one.
bool ks_emu_take(struct ks_emu_reader *r, const char *text);
enum ks_status ks_emu_want(struct ks_emu_reader *r, const char *text, struct ks_err *err);
enum ks_status ks_emu_bad(const struct ks_emu_reader *r, const char *what, struct ks_err *err);
struct ks_slice ks_emu_word(const struct ks_emu_reader *r);
// A statement that begins at the token (guard or opcode), through its ';'.
enum ks_status ks_emu_read_stmt(struct ks_emu_reader *r, struct ks_emu_stmt *stmt,
                                struct ks_err *err);
// An integer or hexadecimal-float literal (2.7): its bits; `bytes` tells 0f (4) from 0d (8), 0: integer.
bool ks_emu_number(struct ks_slice word, uint64_t *bits, int *bytes);
bool ks_emu_mod(const struct ks_emu_stmt *stmt, const char *name);

#endif
