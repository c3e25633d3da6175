// The symbol table of objects and programs, and what a program has in memory.
#include <elf.h>
#include <string.h>

#include "key/elf.h"

static const char *string_at(struct ks_slice strings, uint64_t at)
{
    return at < strings.len && memchr(strings.at + at, '\0', strings.len - at) != NULL
               ? strings.at + at
               : "";
}

struct collector {
    KS_VEC(struct ks_elf_symbol) symbols;
    KS_VEC(const char *) units;
};

// A unit's locals stand behind the symbol that names its source; "" stands before globals that the
// linker made local, which belong to no unit any more.
static void add_symbol(struct ks_arena *arena, struct collector *c, const Elf64_Sym *symbol,
                       const char *name, bool *unit_known)
{
    int type = ELF64_ST_TYPE(symbol->st_info);
    bool local = ELF64_ST_BIND(symbol->st_info) == STB_LOCAL;
    if (type == STT_FILE) {
        *ks_vec_push(arena, &c->units) = name;
        *unit_known = name[0] != '\0';
    }
    if ((type != STT_FUNC && type != STT_OBJECT) || symbol->st_shndx == SHN_UNDEF)
        return;
    *ks_vec_push(arena, &c->symbols) =
        (struct ks_elf_symbol){.name = name,
                               .address = symbol->st_value,
                               .size = symbol->st_size,
                               .unit = local && *unit_known ? (int)c->units.len - 1 : -1};
}

enum ks_status ks_elf_symbols_read(struct ks_arena *arena, struct ks_slice file,
                                   struct ks_elf_symbols *symbols, struct ks_err *err)
{
    struct ks_slice table, strings;
    struct collector c = {0};
    Elf64_Ehdr elf;
    Elf64_Sym symbol;
    bool unit_known = false;
    KS_TRY(ks_elf_section(file, ".symtab", &table, err));
    KS_TRY(ks_elf_section(file, ".strtab", &strings, err));
    memcpy(&elf, file.at, sizeof elf);
    for (size_t at = 0; table.len - at >= sizeof symbol; at += sizeof symbol) {
        memcpy(&symbol, table.at + at, sizeof symbol);
        add_symbol(arena, &c, &symbol, string_at(strings, symbol.st_name), &unit_known);
    }
    *symbols = (struct ks_elf_symbols){.at = c.symbols.at,
                                       .n = c.symbols.len,
                                       .units = c.units.at,
                                       .n_units = c.units.len,
                                       .linked = elf.e_type != ET_REL};
    return KS_OK;
}

enum ks_status ks_elf_undefined_read(struct ks_arena *arena, struct ks_slice file,
                                     struct ks_strv *names, struct ks_err *err)
{
    struct ks_slice table, strings;
    Elf64_Sym symbol;
    KS_TRY(ks_elf_section(file, ".symtab", &table, err));
    KS_TRY(ks_elf_section(file, ".strtab", &strings, err));
    for (size_t at = 0; table.len - at >= sizeof symbol; at += sizeof symbol) {
        memcpy(&symbol, table.at + at, sizeof symbol);
        if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_shndx == SHN_UNDEF)
            ks_strv_add(arena, names, string_at(strings, symbol.st_name));
    }
    return KS_OK;
}

bool ks_elf_bytes(struct ks_slice file, uint64_t address, size_t n, struct ks_slice *out)
{
    Elf64_Ehdr elf;
    Elf64_Phdr segment;
    if (file.len < sizeof elf)
        return false;
    memcpy(&elf, file.at, sizeof elf);
    if (elf.e_phentsize != sizeof segment || elf.e_phoff > file.len)
        return false;
    for (size_t i = 0; i < elf.e_phnum && (file.len - elf.e_phoff) / sizeof segment > i; i++) {
        memcpy(&segment, file.at + elf.e_phoff + i * sizeof segment, sizeof segment);
        if (segment.p_type != PT_LOAD || address < segment.p_vaddr)
            continue;
        uint64_t into = address - segment.p_vaddr;
        if (into > segment.p_filesz || n > segment.p_filesz - into || segment.p_offset > file.len ||
            into > file.len - segment.p_offset || n > file.len - segment.p_offset - into)
            continue;
        *out = (struct ks_slice){file.at + segment.p_offset + into, n};
        return true;
    }
    return false;
}
