// Objects, programs, libraries and archives: their notes, and in a linked program whose stub is
// live.
#include <elf.h>
#include <string.h>

#include "app/verb_inspect.h"
#include "key/archive.h"
#include "key/elf.h"
#include "os/file.h"
#include "source/dispatch.h"

#define BINARY_MAX ((size_t)4 << 30)
#define LONGEST_STUB ((size_t)1 << 16)
#define NO_UNIT (-1)

const char *const inspect_words[N_WORDS] = {"kernel",  "key",   "variant", "arch",   "evidence",
                                            "speedup", "lower", "device",  "signer", "symbol"};

// "a=1 b=two words c=3": a value ends where the next known name begins.
static const char *word_of(struct ks_arena *arena, const char *note, const char *name)
{
    const char *begin = NULL, *end = note + strlen(note);
    for (int i = 0; i < N_WORDS; i++) {
        const char *mark = ks_arena_printf(arena, " %s=", inspect_words[i]);
        size_t n = strlen(mark);
        bool wanted = strcmp(inspect_words[i], name) == 0;
        if (wanted && strncmp(note, mark + 1, n - 1) == 0)
            begin = note + n - 1;
        const char *at = strstr(note, mark);
        if (at != NULL && wanted && begin == NULL)
            begin = at + n;
    }
    if (begin == NULL)
        return "";
    for (int i = 0; i < N_WORDS; i++) {
        const char *at = strstr(begin, ks_arena_printf(arena, " %s=", inspect_words[i]));
        if (at != NULL && at < end)
            end = at;
    }
    return ks_arena_strndup(arena, begin, (size_t)(end - begin));
}

static struct inspect_row *add_note(struct ks_arena *arena, struct inspection *found,
                                    const char *member, const char *note, size_t n)
{
    struct inspect_row *row = ks_vec_push(arena, &found->rows);
    const char *text = ks_arena_strndup(arena, note, n);
    row->member = member;
    row->live = LIVE_YES;
    for (int i = 0; i < N_WORDS; i++)
        row->word[i] = word_of(arena, text, inspect_words[i]);
    return row;
}

// --- whose table is asked ---

// "tmpxft_00005711_00000000-6_a.cudafe1.cpp" is nvcc's name for what it made of a.cu.
static const char *source_of(struct ks_arena *arena, const char *unit)
{
    const char *dash = ks_starts_with(unit, "tmpxft_") ? strchr(unit, '-') : NULL;
    const char *name = dash != NULL ? strchr(dash, '_') : NULL;
    name = name != NULL ? name + 1 : unit;
    const char *end = strstr(name, ".cudafe1.cpp");
    return end == NULL ? name : ks_arena_printf(arena, "%.*s", (int)(end - name), name);
}

static int unit_at(const struct ks_elf_symbols *symbols, uint64_t address)
{
    for (size_t i = 0; i < symbols->n; i++)
        if (symbols->at[i].address == address && symbols->at[i].unit != NO_UNIT)
            return symbols->at[i].unit;
    return NO_UNIT;
}

static int32_t word_at(struct ks_slice code, size_t at)
{
    int32_t word;
    memcpy(&word, code.at + at, sizeof word);
    return word;
}

// nvcc's function behind a stub, which a host compiler that does not optimise keeps, and which the
// linker lists without its unit where it is hidden.
static const struct ks_elf_symbol *inner_at(const struct ks_elf_symbols *symbols, uint64_t address)
{
    for (size_t i = 0; i < symbols->n; i++)
        if (symbols->at[i].address == address && symbols->at[i].size > 0 &&
            strstr(symbols->at[i].name, "__device_stub__") != NULL)
            return &symbols->at[i];
    return NULL;
}

// The unit whose own functions or variables a stub refers to. x86-64: any 32 bits that, relative to
// the next instruction, meet a local symbol exactly (calls, jumps, %rip); aarch64: branches.
static int owner_of(struct ks_slice file, const struct ks_elf_symbols *symbols,
                    const struct ks_elf_symbol *stub)
{
    struct ks_slice code;
    Elf64_Ehdr elf;
    memcpy(&elf, file.at, sizeof elf);
    if (stub->size < 4 || stub->size > LONGEST_STUB ||
        !ks_elf_bytes(file, stub->address, stub->size, &code))
        return NO_UNIT;
    bool arm = elf.e_machine == EM_AARCH64;
    for (size_t i = 0; i + 4 <= code.len; i += arm ? 4 : 1) {
        int64_t word = word_at(code, i);
        uint64_t here = stub->address + i;
        if (arm && (word & 0x7c000000) != 0x14000000)
            continue;
        int64_t offset = arm ? (int64_t)((uint64_t)word << 38) >> 36 : word + 4;
        int unit = unit_at(symbols, here + (uint64_t)offset);
        const struct ks_elf_symbol *inner = inner_at(symbols, here + (uint64_t)offset);
        if (unit == NO_UNIT && inner != NULL && strstr(stub->name, "__device_stub__") == NULL)
            unit = owner_of(file, symbols, inner);
        if (unit != NO_UNIT)
            return unit;
    }
    return NO_UNIT;
}

static enum inspect_live live_of(struct ks_slice file, const struct ks_elf_symbols *symbols,
                                 const char *stub, int unit)
{
    enum inspect_live live = LIVE_UNKNOWN;
    for (size_t i = 0; i < symbols->n; i++) {
        const struct ks_elf_symbol *symbol = &symbols->at[i];
        if (strcmp(symbol->name, stub) != 0 || symbol->size == 0)
            continue;
        int owner = symbol->unit != NO_UNIT ? symbol->unit : owner_of(file, symbols, symbol);
        if (owner == unit)
            return LIVE_YES;
        live = owner == NO_UNIT ? LIVE_UNKNOWN : LIVE_NO;
    }
    return live;
}

// The unit whose variable of notes covers this one.
static int unit_of_note(const struct ks_elf_symbols *symbols, uint64_t address)
{
    for (size_t i = 0; i < symbols->n; i++) {
        const struct ks_elf_symbol *s = &symbols->at[i];
        if (address >= s->address && address - s->address < s->size &&
            strstr(s->name, "__ks_note") != NULL)
            return s->unit;
    }
    return NO_UNIT;
}

// --- one ELF file ---

static void read_notes(struct ks_arena *arena, struct ks_slice file, struct ks_slice notes,
                       const char *member, bool proved, struct inspection *found)
{
    struct ks_elf_symbols symbols = {0};
    bool known = ks_elf_symbols_read(arena, file, &symbols, NULL) == KS_OK;
    uint64_t base = ks_elf_section_address(file, KS_SECTION_NOTE);
    found->stripped |= !known;
    for (size_t at = 0; at < notes.len;) {
        size_t n = strnlen(notes.at + at, notes.len - at);
        struct inspect_row *row = n > 0 ? add_note(arena, found, member, notes.at + at, n) : NULL;
        int unit =
            row != NULL && known && symbols.linked ? unit_of_note(&symbols, base + at) : NO_UNIT;
        at += n + 1;
        if (row == NULL)
            continue;
        if (unit != NO_UNIT)
            row->unit = source_of(arena, symbols.units[unit]);
        if (!proved)
            row->live = LIVE_NO;
        else if (row->word[WORD_SYMBOL][0] != '\0' && (!known || symbols.linked))
            row->live = unit == NO_UNIT ? LIVE_UNKNOWN
                                        : live_of(file, &symbols, row->word[WORD_SYMBOL], unit);
    }
}

static bool holds(struct ks_slice file, const char *text)
{
    return memmem(file.at, file.len, text, strlen(text) + 1) != NULL;
}

// Without section headers the bytes are still there, and a note is easily told: a text that begins
// with the kernel and has a key.
static void read_headless(struct ks_arena *arena, struct ks_slice file, const char *member,
                          struct inspection *found)
{
    static const char begin[] = "kernel=";
    const char *end = file.at + file.len;
    bool proved = holds(file, "ks-hook 1") && holds(file, "ks-table 1");
    size_t before = found->rows.len;
    for (const char *at = file.at;
         at < end && (at = memmem(at, (size_t)(end - at), begin, strlen(begin))) != NULL;) {
        size_t n = strnlen(at, (size_t)(end - at));
        bool starts = at == file.at || at[-1] == '\0';
        const char *key = memmem(at, n, " key=", 5);
        if (starts && key != NULL && (size_t)(at + n - key) > 5 + KS_HASH_TEXT &&
            strspn(key + 5, "0123456789abcdef") == KS_HASH_TEXT - 1)
            add_note(arena, found, member, at, n)->live = proved ? LIVE_UNKNOWN : LIVE_NO;
        at += n;
    }
    found->headless = true;
    found->proved &= proved || found->rows.len == before;
}

static bool is_elf(struct ks_slice file)
{
    return file.len > SELFMAG && memcmp(file.at, ELFMAG, SELFMAG) == 0;
}

static enum ks_status read_elf(struct ks_arena *arena, struct ks_slice file, const char *member,
                               struct inspection *found, struct ks_err *err)
{
    struct ks_slice notes = {0}, section;
    Elf64_Ehdr elf;
    if (file.len >= sizeof elf) {
        memcpy(&elf, file.at, sizeof elf);
        if (is_elf(file) && elf.e_shoff == 0) {
            read_headless(arena, file, member, found);
            return KS_OK;
        }
    }
    enum ks_status status = ks_elf_section(file, KS_SECTION_NOTE, &notes, err);
    if (status != KS_OK && status != KS_E_ABSENT)
        return status;
    bool proved = ks_elf_section(file, KS_SECTION_HOOK, &section, NULL) == KS_OK &&
                  ks_elf_section(file, KS_SECTION_TABLE, &section, NULL) == KS_OK;
    found->proved &= proved || (member != NULL && notes.len == 0);
    read_notes(arena, file, notes, member, proved, found);
    return KS_OK;
}

// --- one file ---

static enum ks_status read_archive(struct ks_arena *arena, const char *path, struct ks_slice file,
                                   struct inspection *found, struct ks_err *err)
{
    struct ks_archive archive;
    struct ks_member member;
    enum ks_status status;
    ks_archive_open(file, &archive);
    while (ks_archive_next(arena, &archive, &member, &status, err)) {
        if (archive.thin)
            KS_TRY(ks_file_read(arena, ks_path_join(arena, ks_path_dir(arena, path), member.name),
                                BINARY_MAX, &member.contents, err));
        if (is_elf(member.contents)) // others hold no kernels
            KS_TRY(read_elf(arena, member.contents, member.name, found, err));
    }
    found->proved &= found->rows.len > 0;
    found->stripped = false;
    return status;
}

enum ks_status inspect_read(struct ks_arena *arena, const char *path, struct inspection *found,
                            struct ks_err *err)
{
    struct ks_slice file;
    *found = (struct inspection){.proved = true};
    enum ks_status status = ks_file_read(arena, path, BINARY_MAX, &file, err);
    if (status == KS_E_ABSENT)
        return ks_err_set(err, KS_E_USER, "%s: no such file", path);
    if (ks_is_dir(path))
        return ks_err_set(err, KS_E_USER, "%s is a folder; give one object, library or program",
                          path);
    KS_TRY(status);
    bool archive = ks_is_archive(file);
    status = archive ? read_archive(arena, path, file, found, err)
                     : read_elf(arena, file, NULL, found, err);
    if (status != KS_OK)
        return ks_err_set(err, KS_E_USER, "%s: no object, library or program: %s", path,
                          ks_arena_strdup(arena, err->text));
    return KS_OK;
}
