// The static gate on machine code: variables, constant tables and calls beyond those of the plain build.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <elf.h>

#include <cmocka.h>

#include "verify/gate.h"

#define NAMES "\0.nv.global\0.nv.global.init\0.nv.constant3\0.symtab\0.strtab"
#define STRINGS "\0kernel\0helper"
enum { N_SECTIONS = 6, SYMBOLS = 512, TEXT = 640, SECTION_NAMES = 700, TABLE = 800, SIZE = 1200 };

struct code {
    uint64_t global, init, constants;
    bool calls; // a function `helper` that is not there
};

static struct ks_slice make(unsigned char file[SIZE], struct code code)
{
    memset(file, 0, SIZE);
    Elf64_Ehdr elf = {.e_shoff = TABLE, .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = N_SECTIONS,
                      .e_shstrndx = 5};
    memcpy(elf.e_ident, ELFMAG, SELFMAG);
    elf.e_ident[EI_CLASS] = ELFCLASS64;
    elf.e_ident[EI_DATA] = ELFDATA2LSB;
    memcpy(file, &elf, sizeof elf);
    Elf64_Sym symbols[] = {
        {0},
        {.st_name = 1, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), .st_shndx = 1},
        {.st_name = 8, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), .st_shndx = SHN_UNDEF},
    };
    // Section names and symbol names in one table.
    static const char names[] = NAMES STRINGS;
    symbols[1].st_name = sizeof NAMES - 1 + 1;
    symbols[2].st_name = sizeof NAMES - 1 + 8;
    Elf64_Shdr sections[N_SECTIONS] = {
        {0},
        {.sh_name = 1, .sh_type = SHT_NOBITS, .sh_size = code.global},
        {.sh_name = 12, .sh_type = SHT_NOBITS, .sh_size = code.init},
        {.sh_name = 28, .sh_type = SHT_NOBITS, .sh_size = code.constants},
        {.sh_name = 42, .sh_type = SHT_SYMTAB, .sh_offset = SYMBOLS,
         .sh_size = sizeof symbols - (code.calls ? 0 : sizeof symbols[0])},
        {.sh_name = 50, .sh_type = SHT_STRTAB, .sh_offset = SECTION_NAMES, .sh_size = sizeof names},
    };
    memcpy(file + TABLE, sections, sizeof sections);
    memcpy(file + SYMBOLS, symbols, sizeof symbols);
    memcpy(file + SECTION_NAMES, names, sizeof names);
    return (struct ks_slice){(const char *)file, SIZE};
}

static bool passes(struct code plain, struct code shadow, size_t n, const char *word)
{
    unsigned char a[SIZE], b[SIZE];
    char reason[256] = "";
    bool ok = ks_gate_cubin(make(a, plain), make(b, shadow), n, reason);
    if (!ok && strstr(reason, word) == NULL)
        fail_msg("reason \"%s\" does not say \"%s\"", reason, word);
    return ok;
}

static void what_the_plain_build_has_is_allowed(void **state)
{
    (void)state;
    const struct code rich = {64, 128, 60000, true};
    assert_true(passes((struct code){0}, (struct code){0}, 1, ""));
    assert_true(passes(rich, rich, 1, ""));
    assert_true(passes((struct code){0}, (struct code){.constants = KS_GATE_CONSTANTS}, 1, ""));
    assert_true(passes((struct code){0}, (struct code){.constants = 3 * KS_GATE_CONSTANTS}, 3, ""));
}

static void what_is_new_is_named(void **state)
{
    (void)state;
    const struct code none = {0};
    assert_false(passes(none, (struct code){.global = 4}, 1, "device variable"));
    assert_false(passes(none, (struct code){.init = 1}, 1, "device variable"));
    assert_false(passes((struct code){.global = 8}, (struct code){.global = 8, .init = 8}, 1,
                        "device variable"));
    assert_false(passes(none, (struct code){.constants = 2 * KS_GATE_CONSTANTS}, 1, "constant tables"));
    assert_false(passes(none, (struct code){.calls = true}, 1, "helper"));
}

static void damage_is_not_let_through(void **state)
{
    (void)state;
    unsigned char a[SIZE], b[SIZE];
    char reason[256];
    struct ks_slice plain = make(a, (struct code){0}), shadow = make(b, (struct code){0});
    for (size_t n = 0; n < TABLE; n += 16)
        assert_false(ks_gate_cubin(plain, (struct ks_slice){shadow.at, n}, 1, reason));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_the_plain_build_has_is_allowed),
        cmocka_unit_test(what_is_new_is_named),
        cmocka_unit_test(damage_is_not_let_through),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
