// Sections of ELF files: found by exact name, digests of an entry's code, damage refused.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <elf.h>

#include <cmocka.h>

#include "key/elf.h"

#define NAMES "\0.text.k\0.text.k2\0.strtab\0.bss\0.nv.info\0.nv.constant4"
enum { N_SECTIONS = 7, CODE = 512, CODE2 = 520, STRINGS = 530, INFO = 588, TABLE = 616, SIZE = 1088 };

// null, .text.k (8 bytes), .text.k2 (6), .strtab, .bss (no bytes in the file), .nv.info: symbols 1 and
// 2 have 32 and 40 registers; .nv.constant4, empty
static void make(unsigned char file[SIZE])
{
    memset(file, 0, SIZE);
    Elf64_Ehdr elf = {.e_shoff = TABLE, .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = N_SECTIONS,
                      .e_shstrndx = 3};
    memcpy(elf.e_ident, ELFMAG, SELFMAG);
    elf.e_ident[EI_CLASS] = ELFCLASS64;
    elf.e_ident[EI_DATA] = ELFDATA2LSB;
    memcpy(file, &elf, sizeof elf);
    Elf64_Shdr sections[N_SECTIONS] = {
        {0},
        {.sh_name = 1, .sh_type = SHT_PROGBITS, .sh_offset = CODE, .sh_size = 8,
         .sh_info = 1},
        {.sh_name = 9, .sh_type = SHT_PROGBITS, .sh_offset = CODE2, .sh_size = 6,
         .sh_info = 2},
        {.sh_name = 18, .sh_type = SHT_STRTAB, .sh_offset = STRINGS, .sh_size = sizeof NAMES},
        {.sh_name = 26, .sh_type = SHT_NOBITS, .sh_offset = 1 << 30, .sh_size = 1 << 30},
        {.sh_name = 31, .sh_type = SHT_PROGBITS, .sh_offset = INFO, .sh_size = 24},
        {.sh_name = 40, .sh_type = SHT_PROGBITS, .sh_offset = INFO},
    };
    const unsigned char info[24] = {4, 0x2f, 8, 0, 1, 0, 0, 0, 32, 0, 0, 0,
                                    4, 0x2f, 8, 0, 2, 0, 0, 0, 40, 0, 0, 0};
    memcpy(file + TABLE, sections, sizeof sections);
    memcpy(file + CODE, "12345678", 8);
    memcpy(file + CODE2, "abcdef", 6);
    memcpy(file + STRINGS, NAMES, sizeof NAMES);
    memcpy(file + INFO, info, sizeof info);
}

static struct ks_slice slice(unsigned char *file, size_t n)
{
    return (struct ks_slice){(const char *)file, n};
}

static void sections_are_found_by_exact_name(void **state)
{
    (void)state;
    unsigned char file[SIZE];
    make(file);
    struct ks_slice out;
    assert_int_equal(ks_elf_section(slice(file, SIZE), ".text.k", &out, NULL), KS_OK);
    assert_true(ks_slice_eq(out, "12345678"));
    assert_int_equal(ks_elf_section(slice(file, SIZE), ".text.k2", &out, NULL), KS_OK);
    assert_true(ks_slice_eq(out, "abcdef"));
    assert_int_equal(ks_elf_section(slice(file, SIZE), ".bss", &out, NULL), KS_OK);
    assert_int_equal(out.len, 0);
    struct ks_err err;
    assert_int_equal(ks_elf_section(slice(file, SIZE), ".text", &out, &err), KS_E_ABSENT);
    assert_int_equal(ks_elf_section(slice(file, SIZE), ".text.k3", &out, &err), KS_E_ABSENT);
    assert_non_null(strstr(err.text, ".text.k3"));
}

static void digest_is_of_the_entrys_code_alone(void **state)
{
    (void)state;
    unsigned char file[SIZE];
    make(file);
    struct ks_digest k, k2, again;
    assert_int_equal(ks_cubin_entry_digest(slice(file, SIZE), "k", &k, NULL), KS_OK);
    assert_int_equal(ks_cubin_entry_digest(slice(file, SIZE), "k2", &k2, NULL), KS_OK);
    assert_false(ks_digest_eq(&k, &k2));
    file[CODE2] ^= 1;
    assert_int_equal(ks_cubin_entry_digest(slice(file, SIZE), "k", &again, NULL), KS_OK);
    assert_true(ks_digest_eq(&k, &again));
    assert_int_equal(ks_cubin_entry_digest(slice(file, SIZE), "k2", &again, NULL), KS_OK);
    assert_false(ks_digest_eq(&k2, &again));
    assert_int_equal(ks_cubin_entry_digest(slice(file, SIZE), "none", &k, NULL), KS_E_ABSENT);
}

// Code, registers and names of each function, whatever else there is.
static void changed_functions_are_named(void **state)
{
    (void)state;
    unsigned char was[SIZE], is[SIZE];
    struct ks_slice which;
    make(was);
    make(is);
    assert_int_equal(ks_cubin_holds_functions(slice(is, SIZE), slice(was, SIZE), &which, NULL), KS_OK);
    assert_int_equal(which.len, 0);
    is[CODE2 + 1] ^= 1;
    assert_int_equal(ks_cubin_holds_functions(slice(is, SIZE), slice(was, SIZE), &which, NULL), KS_OK);
    assert_true(ks_slice_eq(which, "k2"));
    make(is);
    is[INFO + 8] = 33;
    assert_int_equal(ks_cubin_holds_functions(slice(is, SIZE), slice(was, SIZE), &which, NULL), KS_OK);
    assert_true(ks_slice_eq(which, "k"));
    // Under another name it is still there; but code that lost its name to other code is not.
    make(is);
    is[STRINGS + 7] = 'x';
    assert_int_equal(ks_cubin_holds_functions(slice(is, SIZE), slice(was, SIZE), &which, NULL), KS_OK);
    assert_int_equal(which.len, 0);
    is[CODE] ^= 1;
    assert_int_equal(ks_cubin_holds_functions(slice(is, SIZE), slice(was, SIZE), &which, NULL), KS_OK);
    assert_true(ks_slice_eq(which, "k"));
    // An index into a table of addresses may differ where there is one, nothing else.
    make(is);
    is[CODE + 5] ^= 1;
    assert_int_equal(ks_cubin_holds_functions(slice(is, SIZE), slice(was, SIZE), &which, NULL), KS_OK);
    assert_true(ks_slice_eq(which, "k"));
    was[TABLE + 6 * sizeof(Elf64_Shdr) + offsetof(Elf64_Shdr, sh_size)] = 8;
    assert_int_equal(ks_cubin_holds_functions(slice(is, SIZE), slice(was, SIZE), &which, NULL), KS_OK);
    assert_int_equal(which.len, 0);
    is[CODE + 3] ^= 1;
    assert_int_equal(ks_cubin_holds_functions(slice(is, SIZE), slice(was, SIZE), &which, NULL), KS_OK);
    assert_true(ks_slice_eq(which, "k"));
}

// Every byte of header and table set to 0xff in turn, and every truncation: never a read outside
// (the sanitizer build sees it), never success with other bytes than the file's.
static void damage_is_survived(void **state)
{
    (void)state;
    for (size_t i = 0; i < TABLE + N_SECTIONS * sizeof(Elf64_Shdr); i++) {
        unsigned char file[SIZE];
        make(file);
        file[i] = 0xff;
        struct ks_slice out;
        if (ks_elf_section(slice(file, SIZE), ".text.k", &out, NULL) == KS_OK && out.len > 0) {
            assert_true(out.at >= (char *)file);
            assert_true(out.at + out.len <= (char *)file + SIZE);
        }
    }
    unsigned char whole[SIZE];
    make(whole);
    for (size_t n = 0; n < TABLE + 2 * sizeof(Elf64_Shdr); n++) {
        struct ks_slice out;
        assert_int_equal(ks_elf_section(slice(whole, n), ".text.k", &out, NULL), KS_E_FORMAT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sections_are_found_by_exact_name),
        cmocka_unit_test(digest_is_of_the_entrys_code_alone),
        cmocka_unit_test(changed_functions_are_named),
        cmocka_unit_test(damage_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
