// Reading ELF64 files: sections of objects and programs (substitution proof, provenance notes) and
// of cubins (machine code of one entry).
#ifndef KS_ELF_H
#define KS_ELF_H

#include "base/vec.h"
#include "fmt/hash.h"

// Contents of the first section of that name; KS_E_ABSENT if there is none, KS_E_FORMAT if the
// file is no sound ELF64.
enum ks_status ks_elf_section(struct ks_slice file, const char *name, struct ks_slice *out,
                              struct ks_err *err);
// Its size, also where the file holds no bytes for it (.nv.global); 0 where there is none.
uint64_t ks_elf_section_size(struct ks_slice file, const char *name);
// Address of that section in a linked program; 0 in an object or where there is none.
uint64_t ks_elf_section_address(struct ks_slice file, const char *name);

// One function or variable of the symbol table. Local symbols of one compile follow each other.
struct ks_elf_symbol {
    const char *name;
    uint64_t address, size; // of a linked program; in an object, within its section
    int unit;               // which compile it is local to: counts from 0; -1 for a global one
};
struct ks_elf_symbols {
    struct ks_elf_symbol *at; size_t n;
    const char **units; size_t n_units; // the name that each compile gave its source, "" where unknown
    bool linked;            // a program or shared library, no object
};
// KS_E_ABSENT when the file is stripped, KS_E_FORMAT as above.
enum ks_status ks_elf_symbols_read(struct ks_arena *arena, struct ks_slice file,
                                   struct ks_elf_symbols *symbols, struct ks_err *err);
// Names of functions that the file calls and does not hold.
enum ks_status ks_elf_undefined_read(struct ks_arena *arena, struct ks_slice file,
                                     struct ks_strv *names, struct ks_err *err);
// Bytes that a linked program has at an address; false where the file holds none.
bool ks_elf_bytes(struct ks_slice file, uint64_t address, size_t n, struct ks_slice *out);

// Whether each function of the cubin `before` is in `after` with the same machine code, registers,
// frame and stack, by name or, for names that hash a path, under any. Where a cubin has a table of
// addresses (.nv.constant4: globals, texts of assert, functions called), its order depends on all that
// is in the file, so the immediates that index it count as equal: this is for functions of one PTX.
// *which is the first that is not there, a part of `before`; empty when all are.
enum ks_status ks_cubin_holds_functions(struct ks_slice after, struct ks_slice before,
                                        struct ks_slice *which, struct ks_err *err);

// Digest of `.text.<entry>` in a cubin. Byte-equal across TUs for equal code (research: wrapper.md).
enum ks_status ks_cubin_entry_digest(struct ks_slice cubin, const char *entry,
                                     struct ks_digest *out, struct ks_err *err);

// Registers of a thread of an entry, 0 where the cubin does not say.
int ks_cubin_registers(struct ks_slice cubin, const char *entry);

#endif
