// Reading ELF64 files: sections of objects and programs (substitution proof, provenance notes) and
// of cubins (machine code of one entry).
#ifndef KS_ELF_H
#define KS_ELF_H

#include "fmt/hash.h"

// Contents of the first section of that name; KS_E_ABSENT if there is none, KS_E_FORMAT if the
// file is no sound ELF64.
enum ks_status ks_elf_section(struct ks_slice file, const char *name, struct ks_slice *out,
                              struct ks_err *err);
// Digest of `.text.<entry>` in a cubin. Byte-equal across TUs for equal code (research: wrapper.md).
enum ks_status ks_cubin_entry_digest(struct ks_slice cubin, const char *entry,
                                     struct ks_digest *out, struct ks_err *err);

#endif
