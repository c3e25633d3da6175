// Decoding of one function's body. Each instruction family has one entry in a table; it fills the
// instruction, or says what it does not support: then the instruction stops the launch when it is
// reached, with verdict UNSUPPORTED, and does not hinder kernels that never come there.
#ifndef KS_EMU_DECODE_H
#define KS_EMU_DECODE_H

#include "device/emu/emu_declare.h"

#define KS_EMU_PRED 0 // width of a predicate operand
#define KS_EMU_FRAME_BYTES (32u << 20)

struct ks_emu_reg {
    struct ks_slice name;
    bool family;          // name<count>
    uint32_t count, width, offset, scope;
};
struct ks_emu_const {
    uint64_t bits;
    uint32_t width, offset;
    bool local;           // bits are an offset into the function's local memory
};
struct ks_emu_label {
    struct ks_slice name;
    uint32_t scope, index;
};
struct ks_emu_fixup {     // instruction `inst` (target number `which`, or its own) goes to `name`
    struct ks_slice name;
    uint32_t scope, inst, which, line;
};
struct ks_emu_slot {      // .param declared in a body, or a parameter of a device function
    struct ks_slice name;
    uint32_t scope, offset, bytes;
};
struct ks_emu_targets {   // .branchtargets
    struct ks_slice name;
    uint32_t scope;
    struct ks_slice *labels; uint32_t n;
};

struct ks_emu_place { // in the user's text; source as in ks_emu_inst
    uint32_t source, column;
};
#define KS_EMU_ORIGINS 256
struct ks_emu_origin { // the line that a place is told as
    struct ks_emu_place place;
    uint32_t source;
};

struct ks_emu_sum { // an addition of a number to an address
    uint32_t d, a;
    int64_t number;
};

struct ks_emu_decoder {
    struct ks_emu_module *module;
    struct ks_emu_function *function;
    struct ks_arena scratch;
    struct ks_emu_reader reader;
    struct ks_emu_stmt stmt;
    struct ks_emu_inst inst;           // being filled
    char why[160];                     // "" or why the instruction is not supported
    uint32_t frame, source;
    struct ks_emu_origin origins[KS_EMU_ORIGINS]; // the last ones, by their hash
    KS_VEC(uint32_t) parents;          // of scopes
    uint32_t scope;
    KS_VEC(struct ks_emu_reg) regs;
    KS_VEC(struct ks_emu_const) consts;
    KS_VEC(struct ks_emu_label) labels;
    KS_VEC(struct ks_emu_fixup) fixups;
    KS_VEC(struct ks_emu_slot) slots;
    KS_VEC(struct ks_emu_targets) targets;
    KS_VEC(struct ks_emu_sum) sums;
    KS_VEC(struct ks_emu_inst) code;
    uint32_t n_local_consts;
};

// One line of an opcode table: the whole opcode, the widths of its operands in order ('p' predicate,
// else bytes; they go to d, a, b, c, e), and the handler.
struct ks_emu_opcode {
    const char *name, *widths;
    ks_emu_op *run;
};
extern const struct ks_emu_opcode ks_emu_int_ops[], ks_emu_bit_ops[], ks_emu_float_ops[],
    ks_emu_half_ops[], ks_emu_approx_ops[], ks_emu_round_ops[];

// Families with operands of their own; true when the opcode is theirs.
typedef bool ks_emu_family(struct ks_emu_decoder *d);
ks_emu_family ks_emu_decode_cvt, ks_emu_decode_compare, ks_emu_decode_move, ks_emu_decode_memory,
    ks_emu_decode_atomic, ks_emu_decode_control, ks_emu_decode_warp, ks_emu_decode_matrix,
    ks_emu_decode_copy, ks_emu_decode_mbarrier;

// emu_directive.c: the directive that the reader stands at; a list of branch targets of that name; a .param of a body.
enum ks_status ks_emu_read_directive(struct ks_emu_decoder *d, struct ks_err *err);
enum ks_status ks_emu_read_targets(struct ks_emu_decoder *d, struct ks_slice name, struct ks_err *err);
enum ks_status ks_emu_declare_slot(struct ks_emu_decoder *d, const struct ks_emu_var *var, struct ks_err *err);

// vprintf(format, arguments) (emu_print.c); false: other arguments than it takes.
bool ks_emu_decode_print(struct ks_emu_decoder *d, const struct ks_emu_call *call);

void ks_emu_unsupported(struct ks_emu_decoder *d, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
// Frame offset of operand `n` as source or destination of lanes of `width` bytes; KS_EMU_NONE after
// ks_emu_unsupported.
uint32_t ks_emu_source(struct ks_emu_decoder *d, unsigned n, uint32_t width);
uint32_t ks_emu_source_word(struct ks_emu_decoder *d, struct ks_slice word, bool minus,
                            uint32_t width);
uint32_t ks_emu_dest(struct ks_emu_decoder *d, unsigned n, uint32_t width);
uint32_t ks_emu_constant(struct ks_emu_decoder *d, uint64_t bits, uint32_t width);
// A register of any width; false (and unsupported) for anything else. '_' gives KS_EMU_NONE, true.
bool ks_emu_register(struct ks_emu_decoder *d, struct ks_slice word, uint32_t *offset,
                     uint32_t *width);
// The same without complaint, and without "_".
bool ks_emu_register_find(struct ks_emu_decoder *d, struct ks_slice word, uint32_t *offset,
                          uint32_t *width);
// The address operand into inst.a, address_width and imm.
void ks_emu_address(struct ks_emu_decoder *d, unsigned n);
const struct ks_emu_slot *ks_emu_slot_find(struct ks_emu_decoder *d, struct ks_slice name);
// A memory modifier into inst.sem and scope_cta, or into inst.space; false: it is none.
bool ks_emu_read_sem(struct ks_emu_decoder *d, struct ks_slice mod);
bool ks_emu_read_space(struct ks_emu_decoder *d, struct ks_slice mod);
// Frame space for `count` registers of `width` bytes a lane.
uint32_t ks_emu_lanes(struct ks_emu_decoder *d, uint32_t width, uint32_t count);
void ks_emu_jump(struct ks_emu_decoder *d, struct ks_slice label, uint32_t which);

#endif
