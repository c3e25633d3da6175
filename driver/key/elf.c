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

// Sections by number; their names are checked one by one.
struct sections {
    struct ks_slice file, names;
    Elf64_Ehdr elf;
    uint64_t n;
};

static enum ks_status open_sections(struct ks_slice file, struct sections *s, struct ks_err *err)
{
    Elf64_Shdr first, names;
    s->file = file;
    KS_TRY(section_table(file, &s->elf, err));
    if (!section_header(file, &s->elf, 0, &first))
        KS_FAIL(err, KS_E_FORMAT, "ELF section table outside the file");
    // With 0xff00 sections or more (-ffunction-sections in big TUs) the counts stand in section 0.
    s->n = s->elf.e_shnum != 0 ? s->elf.e_shnum : first.sh_size;
    uint64_t strings_at = s->elf.e_shstrndx != SHN_XINDEX ? s->elf.e_shstrndx : first.sh_link;
    if (strings_at >= s->n || !section_header(file, &s->elf, strings_at, &names) ||
        !contents(file, &names, &s->names))
        KS_FAIL(err, KS_E_FORMAT, "ELF section names outside the file");
    return KS_OK;
}

static enum ks_status find_section(const struct sections *s, const char *name, Elf64_Shdr *section,
                                   struct ks_err *err)
{
    size_t length = strlen(name) + 1;
    for (uint64_t i = 0; i < s->n; i++) {
        if (!section_header(s->file, &s->elf, i, section) || section->sh_name > s->names.len)
            KS_FAIL(err, KS_E_FORMAT, "ELF section %llu outside the file", (unsigned long long)i);
        if (section->sh_type != SHT_NULL && s->names.len - section->sh_name >= length &&
            memcmp(s->names.at + section->sh_name, name, length) == 0)
            return KS_OK;
    }
    KS_FAIL(err, KS_E_ABSENT, "no section %s", name);
}

enum ks_status ks_elf_section(struct ks_slice file, const char *name, struct ks_slice *out,
                              struct ks_err *err)
{
    struct sections s;
    Elf64_Shdr section;
    KS_TRY(open_sections(file, &s, err));
    KS_TRY(find_section(&s, name, &section, err));
    if (!contents(file, &section, out))
        KS_FAIL(err, KS_E_FORMAT, "ELF section %s lies outside the file", name);
    return KS_OK;
}

uint64_t ks_elf_section_size(struct ks_slice file, const char *name)
{
    struct sections s;
    Elf64_Shdr section;
    return open_sections(file, &s, NULL) == KS_OK && find_section(&s, name, &section, NULL) == KS_OK
               ? section.sh_size
               : 0;
}

uint64_t ks_elf_section_address(struct ks_slice file, const char *name)
{
    struct sections s;
    Elf64_Shdr section;
    return open_sections(file, &s, NULL) == KS_OK && find_section(&s, name, &section, NULL) == KS_OK
               ? section.sh_addr
               : 0;
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
