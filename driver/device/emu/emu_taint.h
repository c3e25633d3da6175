// Registers that hold what nothing wrote. A load of undefined bytes is no fault yet: compilers load
// ahead of the condition under which a value is used, and kernels load padding that they never use.
// It is one when a branch, an address, a guard, a store to global memory or an instruction between
// lanes depends on it. Stored to shared or local memory, undefined bytes stay undefined there; in
// global memory, too, what a word has beside defined bytes (padding) that is copied as it was loaded.
//
// Bits put into a word in the place that it was loaded from (a field of a structure) define it: which of its bits
// are undefined is not followed.
//
// Costs nothing until a warp loads undefined bytes: then its instructions are followed, lane by
// lane, whole registers at a time.
#ifndef KS_EMU_TAINT_H
#define KS_EMU_TAINT_H

#include "device/emu/emu_exec.h"

struct ks_emu_decoder;

// What an instruction makes of undefined operands (ks_emu_inst.flow).
enum ks_emu_flow {
    KS_EMU_FLOW_USE,    // it depends on them
    KS_EMU_FLOW_VALUE,  // its result is undefined too
    KS_EMU_FLOW_COPY,   // its result is its operand,
    KS_EMU_FLOW_CVT,    // or that in another width
    KS_EMU_FLOW_INSERT, // bfi
    KS_EMU_FLOW_SELECT, // selp: that of the operand which is taken
    KS_EMU_FLOW_AND,
    KS_EMU_FLOW_OR,   // defined, too, by one operand that decides
    KS_EMU_FLOW_SETP, // two results; with a third operand that may decide
    KS_EMU_FLOW_LOAD,
    KS_EMU_FLOW_EXCHANGE, // atom.exch: depends on its operands, but not on what it finds
    KS_EMU_FLOW_STORE,
};
enum ks_emu_flow ks_emu_flow_of(const struct ks_emu_decoder *d, bool of_table);

// A lane's load found undefined bytes (a bit for each of the access) at that offset of a named object.
// False: it has to be told at once.
bool ks_emu_taint_load(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, uint32_t lane,
                       uint64_t address, uint32_t bytes, uint64_t offset, const char *name);
// Of a warp that has undefined registers: `all` lanes come to an instruction, those of `mask` run
// it. Looks for uses; a plain instruction is run.
void ks_emu_taint_step(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, uint32_t all,
                       uint32_t mask);
// What is undefined of those lanes in one activation, in another one of the same function.
void ks_emu_taint_move(struct ks_emu_frame *to, const struct ks_emu_frame *from, uint32_t lanes);
void ks_emu_taint_free(struct ks_emu_warp *warp);

#endif
