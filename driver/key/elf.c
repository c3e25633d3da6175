#include "key/elf.h"

#include <elf.h>
#include <string.h>

// The section header table, checked to lie inside the file.
static enum ks_status section_table(struct ks_slice file, Elf64_Ehdr *header, struct ks_err *err)
{
    if (file.len < sizeof *header || memcmp(file.at, ELFMAG, SELFMAG) != 0)
        KS_FAIL(err, KS_E_FORMAT, "not an ELF file");
    memcpy(header, file.at, sizeof *header);
    if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB)
        KS_FAIL(err, KS_E_FORMAT, "not a 64-bit little-endian ELF file");
    if (header->e_shoff == 0 || header->e_shoff > file.len ||
        header->e_shentsize != sizeof(Elf64_Shdr))
        KS_FAIL(err, KS_E_FORMAT, "ELF file without a sound section table");
    return KS_OK;
}

static bool section_header(struct ks_slice file, const Elf64_Ehdr *elf, uint64_t index,
                           Elf64_Shdr *section)
{
    uint64_t room = (file.len - elf->e_shoff) / sizeof *section;
    if (index >= room)
        return false;
    memcpy(section, file.at + elf->e_shoff + index * sizeof *section, sizeof *section);
    return true;
}

static bool contents(struct ks_slice file, const Elf64_Shdr *section, struct ks_slice *out)
{
    *out = (struct ks_slice){file.at, 0};
    if (section->sh_type == SHT_NOBITS || section->sh_size == 0)
        return true;
    if (section->sh_offset > file.len || section->sh_size > file.len - section->sh_offset)
        return false;
    *out = (struct ks_slice){file.at + section->sh_offset, section->sh_size};
    return true;
}

enum ks_status ks_elf_section(struct ks_slice file, const char *name, struct ks_slice *out,
                              struct ks_err *err)
{
    Elf64_Ehdr elf;
    Elf64_Shdr first, names, section;
    struct ks_slice strings;
    KS_TRY(section_table(file, &elf, err));
    if (!section_header(file, &elf, 0, &first))
        KS_FAIL(err, KS_E_FORMAT, "ELF section table outside the file");
    // With 0xff00 sections or more (-ffunction-sections in big TUs) the counts stand in section 0.
    uint64_t n = elf.e_shnum != 0 ? elf.e_shnum : first.sh_size;
    uint64_t strings_at = elf.e_shstrndx != SHN_XINDEX ? elf.e_shstrndx : first.sh_link;
    if (strings_at >= n || !section_header(file, &elf, strings_at, &names) ||
        !contents(file, &names, &strings))
        KS_FAIL(err, KS_E_FORMAT, "ELF section names outside the file");

    size_t length = strlen(name) + 1;
    for (uint64_t i = 0; i < n; i++) {
        if (!section_header(file, &elf, i, &section) || section.sh_name > strings.len)
            KS_FAIL(err, KS_E_FORMAT, "ELF section %llu outside the file", (unsigned long long)i);
        if (section.sh_type == SHT_NULL || strings.len - section.sh_name < length ||
            memcmp(strings.at + section.sh_name, name, length) != 0)
            continue;
        if (!contents(file, &section, out))
            KS_FAIL(err, KS_E_FORMAT, "ELF section %s lies outside the file", name);
        return KS_OK;
    }
    KS_FAIL(err, KS_E_ABSENT, "no section %s", name);
}

enum ks_status ks_cubin_entry_digest(struct ks_slice cubin, const char *entry,
                                     struct ks_digest *out, struct ks_err *err)
{
    struct ks_arena arena = {0};
    struct ks_slice code;
    const char *name = ks_arena_printf(&arena, ".text.%s", entry);
    enum ks_status status = ks_elf_section(cubin, name, &code, err);
    if (status == KS_OK)
        *out = ks_digest_of("sass", code.at, code.len);
    ks_arena_free(&arena);
    return status;
}
