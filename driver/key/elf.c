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

static const char *section_name(const struct sections *s, const Elf64_Shdr *section)
{
    return s->names.at + section->sh_name;
}

// Section i, if it holds a function's code.
static bool function_section(const struct sections *s, uint64_t i, Elf64_Shdr *section,
                             struct ks_slice *code)
{
    return section_header(s->file, &s->elf, i, section) && section->sh_type == SHT_PROGBITS &&
           section->sh_name < s->names.len &&
           memchr(section_name(s, section), '\0', s->names.len - section->sh_name) != NULL &&
           strncmp(section_name(s, section), ".text.", 6) == 0 && contents(s->file, section, code);
}

// A record of .nv.info that says something of a function. Records are a format and an attribute (a byte each) and
// a size (two bytes); those of format 4 have so many bytes behind that, and of a function they are its symbol's
// index and a value. (Read off cubins of nvcc 13.0.)
struct record {
    unsigned attribute;
    uint32_t symbol, value;
};

// The next one from *at on.
static bool next_record(struct ks_slice info, size_t *at, struct record *r)
{
    while (*at + 4 <= info.len) {
        unsigned char head[4];
        uint32_t words[2];
        memcpy(head, info.at + *at, sizeof head);
        *at += 4;
        if (head[0] != 4)
            continue;
        size_t begin = *at, size = head[2] | (size_t)head[3] << 8;
        if (size > info.len - begin)
            return false;
        *at += size;
        if (size != sizeof words)
            continue;
        memcpy(words, info.at + begin, sizeof words);
        *r = (struct record){head[1], words[0], words[1]};
        return true;
    }
    return false;
}

// What .nv.info says of a function: registers, frame and stack sizes.
static uint64_t resources(struct ks_slice info, uint32_t symbol)
{
    uint64_t all = 0;
    struct record r;
    for (size_t at = 0; next_record(info, &at, &r);)
        if (r.symbol == symbol)
            all = all * 31 + ((uint64_t)r.attribute << 32 | r.value);
    return all;
}

// Instructions of 16 bytes (sm_70 and later), of which the second four hold an immediate or the place
// in a bank of constants. (Seen in cubins of nvcc 13.0 for sm_90.)
static bool same_but_immediates(struct ks_slice a, struct ks_slice b)
{
    for (size_t i = 0; i < a.len; i++)
        if (a.at[i] != b.at[i] && (i % 16 < 4 || i % 16 >= 8))
            return false;
    return true;
}

struct function {
    const char *section; // its name
    struct ks_slice code;
    uint64_t resources;
};

static bool read_function(const struct sections *s, struct ks_slice info, uint64_t i,
                          struct function *f)
{
    Elf64_Shdr section;
    if (!function_section(s, i, &section, &f->code))
        return false;
    f->section = section_name(s, &section);
    f->resources = resources(info, section.sh_info & 0xffffff);
    return true;
}

static bool holds_function(const struct sections *after, struct ks_slice info,
                           const struct function *before, bool table)
{
    bool named = false, same = false;
    for (uint64_t i = 0; i < after->n && !named; i++) {
        struct function now;
        if (!read_function(after, info, i, &now))
            continue;
        bool equal = now.code.len == before->code.len && now.resources == before->resources &&
                     (table ? same_but_immediates(now.code, before->code)
                            : memcmp(now.code.at, before->code.at, now.code.len) == 0);
        named = strcmp(now.section, before->section) == 0;
        same = named ? equal : same || equal;
    }
    return same;
}

enum ks_status ks_cubin_holds_functions(struct ks_slice after, struct ks_slice before,
                                        struct ks_slice *which, struct ks_err *err)
{
    struct sections was, is;
    struct ks_slice was_info = {before.at, 0}, is_info = {after.at, 0};
    *which = (struct ks_slice){before.at, 0};
    KS_TRY(open_sections(before, &was, err));
    KS_TRY(open_sections(after, &is, err));
    bool table = ks_elf_section_size(before, ".nv.constant4") > 0;
    ks_elf_section(before, ".nv.info", &was_info, NULL); // a cubin without functions has none
    ks_elf_section(after, ".nv.info", &is_info, NULL);
    for (uint64_t i = 0; i < was.n; i++) {
        struct function f;
        if (!read_function(&was, was_info, i, &f) || holds_function(&is, is_info, &f, table))
            continue;
        *which = ks_slice_of(f.section + strlen(".text."));
        break;
    }
    return KS_OK;
}

int ks_cubin_registers(struct ks_slice cubin, const char *entry)
{
    enum { REGCOUNT = 0x2f }; // EIATTR_REGCOUNT, as `cuobjdump -elf` names it
    struct sections s;
    struct ks_slice info, code;
    Elf64_Shdr section;
    if (open_sections(cubin, &s, NULL) != KS_OK ||
        ks_elf_section(cubin, ".nv.info", &info, NULL) != KS_OK)
        return 0;
    for (uint64_t i = 0; i < s.n; i++) {
        if (!function_section(&s, i, &section, &code) ||
            strcmp(section_name(&s, &section) + strlen(".text."), entry) != 0)
            continue;
        struct record r;
        for (size_t at = 0; next_record(info, &at, &r);)
            if (r.attribute == REGCOUNT && r.symbol == (section.sh_info & 0xffffff))
                return r.value <= 256 ? (int)r.value : 0;
    }
    return 0;
}
