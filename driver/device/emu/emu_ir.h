// PTX decoded once into a dense form: what the parser makes and the interpreter runs.
//
// A register is an array of 32 lanes in its function's frame; every operand (register, immediate,
// special register) is a byte offset into that frame, so that no handler asks what kind it has.
// Predicates are one 32-bit word, a bit a lane. Section numbers are those of the PTX ISA 9.0.
#ifndef KS_EMU_IR_H
#define KS_EMU_IR_H

#include "base/str.h"
#include "base/vec.h"

#define KS_EMU_LANES 32
#define KS_EMU_NONE UINT32_MAX

struct ks_emu_warp;
struct ks_emu_inst;
// Runs one instruction on the lanes of `mask`.
typedef void ks_emu_op(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, uint32_t mask);

enum ks_emu_space {
    KS_EMU_GENERIC, KS_EMU_GLOBAL, KS_EMU_SHARED, KS_EMU_LOCAL, KS_EMU_CONST, KS_EMU_PARAM,
};

// How the interpreter's loop treats an instruction.
enum ks_emu_kind {
    KS_EMU_PLAIN,       // run, go on
    KS_EMU_BRANCH,      // to `target`, lane by lane
    KS_EMU_SWITCH,      // brx.idx: `more` holds the targets
    KS_EMU_CALL, KS_EMU_RET, KS_EMU_EXIT,
    KS_EMU_BARRIER,     // of the block
    KS_EMU_WAIT,        // run; lanes that wait in vain give way to others
    KS_EMU_WARP_SYNC,   // runs only with all lanes of its member mask (operand e) together
    KS_EMU_TRAP,
    KS_EMU_UNSUPPORTED, // `text` says why
};

// Memory semantics of an access (9.7.9.1): what the race detector makes of it.
enum ks_emu_sem { KS_EMU_WEAK, KS_EMU_STRONG, KS_EMU_ACQUIRE, KS_EMU_RELEASE, KS_EMU_ACQ_REL, KS_EMU_VOLATILE };

enum ks_emu_role { KS_EMU_NO_ROLE, KS_EMU_LOAD, KS_EMU_CAS };

struct ks_emu_call;

struct ks_emu_inst {
    ks_emu_op *run;
    uint32_t d, a, b, c, e;  // frame offsets, or KS_EMU_NONE
    uint32_t guard;          // frame offset of the guarding predicate, or KS_EMU_NONE
    uint32_t target;         // index of an instruction
    uint8_t kind, negate;    // of the guard
    uint8_t space, sem, scope_cta;
    uint8_t size, count;     // memory: bytes of an element, elements
    uint8_t width;           // bytes of a lane in the data registers
    uint8_t address_width;   // bytes of the address register, 0: none
    uint8_t is_signed, op, flags;
    uint8_t role;            // ks_emu_role
    uint8_t flow;            // ks_emu_flow (emu_taint.h)
    bool strong;             // no race with other strong accesses
    bool noncoherent;        // a load by a path that stores of the same launch need not reach
    uint8_t class, is_store; // counts.h; a store or nothing of the kind
    uint32_t work;           // products of a matrix instruction
    uint32_t line;           // of the PTX text
    uint32_t source;         // file << 20 | line of the user's text, 0: unknown
    int64_t imm;
    uint32_t *more; uint32_t n_more; // vector operands, branch targets
    const char *text;
    struct ks_emu_call *call;
};

// An address that an initialiser names: of a variable or, as KS_EMU_CODE_STEP times its number, of a function.
#define KS_EMU_CODE_STEP 16
struct ks_emu_address {
    struct ks_slice name;
    uint64_t at;             // in the variable
    int64_t add;
    bool generic;            // else of the variable's own space
};

// A variable of the module (global, const) or of a function (shared, local, param).
struct ks_emu_var {
    struct ks_slice name;
    enum ks_emu_space space;
    uint64_t bytes;
    uint32_t align;
    bool external;           // .extern: dynamic shared memory, or unknown
    bool zeroed;             // shared, the system's: zero when a block begins
    bool opaque;             // its initialiser holds what is not supported
    KS_VEC(struct ks_emu_address) addresses; // that its initialiser holds
    unsigned char *init;     // contents, NULL: zero (global, const) or undefined
    uint64_t address;        // global and const: once loaded; shared: window; param: offset in frame
};

// A lane array that holds an address in the activation's local memory.
struct ks_emu_local_const {
    uint32_t offset, width;
    uint64_t bits;
};

// Lane arrays of a frame that each lane has values of its own in: registers and param slots.
struct ks_emu_lane_data {
    uint32_t offset, width, count; // width 0: predicates, a bit a lane
};

struct ks_emu_function {
    struct ks_slice name;
    bool entry, defined, decoded;
    const char *body, *body_end;   // text between the braces
    uint32_t body_line;
    KS_VEC(struct ks_emu_var) params;   // in order; for entries `address` is the offset in bytes
    KS_VEC(struct ks_emu_var) returns;
    KS_VEC(struct ks_emu_var) vars;     // local, and param space inside the body
    uint64_t param_bytes;
    uint32_t max_threads;    // .maxntid product, 0: none
    uint32_t required[3];    // .reqntid, 0: any
    bool cluster;            // launched as clusters of more than one block
    // Decoded:
    uint32_t first, n_insts; // in the module's code
    uint32_t frame_bytes;    // registers, constants, param slots
    unsigned char *constants;// initial frame
    struct ks_emu_local_const *local_consts; uint32_t n_local_consts;
    struct ks_emu_lane_data *lane_data; uint32_t n_lane_data;
    KS_VEC(uint32_t) shared; // indexes of module shared variables seen in this body
    KS_VEC(uint32_t) calls;  // functions called
    uint64_t local_bytes;    // a thread
    bool talks;              // with other blocks, or looks at a clock
    bool alone;              // several cores gave up on it
    uint32_t special[32];    // frame offsets of special registers used, KS_EMU_NONE: not used
};

struct ks_emu_call {
    uint32_t function;                 // KS_EMU_NONE: its address is in a register (operand a)
    uint32_t *args; uint32_t n_args;   // frame offsets of the caller's param slots
    uint32_t *rets; uint32_t n_rets;
    uint32_t *bytes;                   // of args, then of rets
};

struct ks_emu_module {
    struct ks_arena arena;
    char *text; size_t len;
    int arch;                            // 90
    KS_VEC(struct ks_emu_function *) functions;
    KS_VEC(struct ks_emu_var) vars;      // of the module, all spaces
    KS_VEC(struct ks_emu_inst) code;     // of all decoded functions
    const char *files[4096];             // by number of .file, NULL: unknown
    bool loaded;
};

enum ks_emu_special {
    KS_EMU_TID_X, KS_EMU_TID_Y, KS_EMU_TID_Z, KS_EMU_NTID_X, KS_EMU_NTID_Y, KS_EMU_NTID_Z,
    KS_EMU_CTAID_X, KS_EMU_CTAID_Y, KS_EMU_CTAID_Z, KS_EMU_NCTAID_X, KS_EMU_NCTAID_Y,
    KS_EMU_NCTAID_Z, KS_EMU_LANEID, KS_EMU_WARPID, KS_EMU_NWARPID, KS_EMU_SMID, KS_EMU_NSMID,
    KS_EMU_GRIDID, KS_EMU_LT, KS_EMU_LE, KS_EMU_EQ, KS_EMU_GE, KS_EMU_GT, KS_EMU_CLOCK,
    KS_EMU_CLOCK64, KS_EMU_DYNAMIC_SMEM, KS_EMU_TOTAL_SMEM, KS_EMU_GLOBALTIMER, KS_EMU_SPECIALS,
};

// Reads a module; copies the text. KS_E_FORMAT with "PTX line N: ..." on what is no PTX,
// KS_E_UNSUPPORTED for 32-bit addresses. Functions are decoded when first needed.
enum ks_status ks_emu_module_read(struct ks_slice text, struct ks_emu_module **module,
                                  struct ks_err *err);
void ks_emu_module_free(struct ks_emu_module *module);
// Whether the call's arguments are such as the function takes.
bool ks_emu_call_fits(const struct ks_emu_call *call, const struct ks_emu_function *function);
// The address of a variable or function; false: there is none of that name.
bool ks_emu_address_of(struct ks_emu_module *module, const struct ks_emu_address *address,
                       uint64_t *bits);
// NULL when the module has none of that name.
struct ks_emu_function *ks_emu_function_find(struct ks_emu_module *module, struct ks_slice name,
                                             uint32_t *index);
struct ks_emu_var *ks_emu_var_find(struct ks_emu_module *module, struct ks_slice name);
// Decodes a function and, through calls, what it reaches.
enum ks_status ks_emu_decode(struct ks_emu_module *module, struct ks_emu_function *function,
                             struct ks_err *err);

#endif
