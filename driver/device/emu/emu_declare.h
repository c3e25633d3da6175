// Declarations of variables and parameters (PTX ISA 5.4), at module level and in bodies.
#ifndef KS_EMU_DECLARE_H
#define KS_EMU_DECLARE_H

#include "device/emu/emu_scan.h"

#define KS_EMU_VAR_BYTES (UINT64_C(1) << 28)    // of one variable
#define KS_EMU_MODULE_BYTES (UINT64_C(1) << 29) // of all initialised ones

// The space a directive names (".shared" ...); false for another word.
bool ks_emu_space_of(struct ks_slice word, enum ks_emu_space *space);
// Bytes of a fundamental type (".u32", "u32"), 0 for another word; ".pred" is none.
unsigned ks_emu_type_bytes(struct ks_slice word);
// What follows the space: attributes, type, name, dimensions and initialiser, up to ';', ',' or ')'.
enum ks_status ks_emu_read_var(struct ks_emu_module *module, struct ks_emu_reader *r,
                               struct ks_emu_var *var, struct ks_err *err);

#endif
