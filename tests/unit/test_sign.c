#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "fmt/sign.h"
#include "os/file.h"

static struct ks_arena arena;
static struct ks_secret_key secret;
static struct ks_pubkey keys[3]; // keys[1] belongs to `secret`

static int set_up(void **state)
{
    (void)state;
    struct ks_secret_key other;
    return ks_key_generate(&other, &keys[0], NULL) == KS_OK &&
                   ks_key_generate(&secret, &keys[1], NULL) == KS_OK &&
                   ks_key_generate(&other, &keys[2], NULL) == KS_OK
               ? 0
               : -1;
}

static int tear_down(void **state)
{
    (void)state;
    ks_arena_free(&arena);
    return 0;
}

static enum ks_status verify(const char *data, struct ks_slice signature, size_t *signer,
                             struct ks_err *err)
{
    return ks_verify_signature(ks_slice_of(data), signature, keys, 3, signer, err);
}

static void only_the_signed_bytes_verify(void **state)
{
    (void)state;
    struct ks_slice signature;
    struct ks_err err;
    size_t signer = 9;
    assert_int_equal(
        ks_sign(&arena, &secret, KS_SLICE("the data"), "made by a test", &signature, &err), KS_OK);
    assert_int_equal(verify("the data", signature, &signer, &err), KS_OK);
    assert_int_equal(signer, 1);
    assert_int_equal(verify("the date", signature, &signer, &err), KS_E_TRUST);
    assert_int_equal(verify("", signature, &signer, &err), KS_E_TRUST);
    assert_int_equal(ks_sign(&arena, &secret, KS_SLICE(""), "", &signature, &err), KS_OK);
    assert_int_equal(verify("", signature, &signer, &err), KS_OK);
    assert_int_equal(ks_sign(&arena, &secret, KS_SLICE(""), "two\nlines", &signature, &err),
                     KS_E_INTERNAL);
}

static void only_listed_keys_verify(void **state)
{
    (void)state;
    struct ks_slice signature;
    struct ks_err err;
    size_t signer;
    assert_int_equal(ks_sign(&arena, &secret, KS_SLICE("d"), "c", &signature, &err), KS_OK);
    assert_int_equal(ks_verify_signature(KS_SLICE("d"), signature, keys, 1, &signer, &err),
                     KS_E_TRUST);
    assert_non_null(strstr(err.text, "not trusted"));
    assert_int_equal(ks_verify_signature(KS_SLICE("d"), signature, NULL, 0, &signer, &err),
                     KS_E_TRUST);
    // Another key under the same id must not do, and must not hide the right one behind it.
    struct ks_pubkey same_id[2] = {keys[0], keys[1]};
    memcpy(same_id[0].id, keys[1].id, 8);
    assert_int_equal(ks_verify_signature(KS_SLICE("d"), signature, same_id, 1, &signer, &err),
                     KS_E_TRUST);
    assert_int_equal(ks_verify_signature(KS_SLICE("d"), signature, same_id, 2, &signer, &err),
                     KS_OK);
    assert_int_equal(signer, 1);
}

// Each byte in turn, outside the untrusted comment (which by its name is not covered).
static void every_altered_byte_is_noticed(void **state)
{
    (void)state;
    struct ks_slice signature;
    size_t signer;
    assert_int_equal(ks_sign(&arena, &secret, KS_SLICE("d"), "comment", &signature, NULL), KS_OK);
    size_t first =
        (size_t)((const char *)memchr(signature.at, '\n', signature.len) - signature.at) + 1;
    for (size_t i = first; i + 1 < signature.len; i++) {
        char *copy = ks_arena_strndup(&arena, signature.at, signature.len);
        copy[i] = copy[i] == 'B' ? 'C' : 'B';
        assert_int_equal(verify("d", (struct ks_slice){copy, signature.len}, &signer, NULL),
                         KS_E_TRUST);
    }
    for (size_t n = 0; n + 1 < signature.len; n++)
        assert_int_equal(verify("d", (struct ks_slice){signature.at, n}, &signer, NULL),
                         KS_E_TRUST);
}

// Of two texts for one signature the other one would pass as well: '/' with its top bit set.
static void a_byte_beyond_ascii_stands_for_no_other(void **state)
{
    (void)state;
    struct ks_slice signature;
    size_t signer;
    for (int k = 0; k < 20; k++) { // hardly any of them is without '/'
        const char *comment = ks_arena_printf(&arena, "comment %d", k);
        assert_int_equal(ks_sign(&arena, &secret, KS_SLICE("d"), comment, &signature, NULL), KS_OK);
        const char *newline = memchr(signature.at, '\n', signature.len);
        for (size_t i = (size_t)(newline - signature.at) + 1; i < signature.len; i++) {
            char *copy = ks_arena_strndup(&arena, signature.at, signature.len);
            copy[i] = (char)(copy[i] ^ 0x80);
            assert_int_equal(verify("d", (struct ks_slice){copy, signature.len}, &signer, NULL),
                             KS_E_TRUST);
        }
    }
}

static void keys_survive_their_files(void **state)
{
    (void)state;
    char *dir, text[KS_PUBKEY_TEXT], id[17];
    struct ks_pubkey key;
    struct ks_secret_key back;
    struct ks_err err;
    struct stat info;
    ks_pubkey_text(&keys[1], text);
    assert_int_equal(strlen(text), 56);
    assert_memory_equal(text, "RW", 2); // base64 of "Ed", as every minisign key begins
    assert_int_equal(ks_pubkey_parse(text, &key, &err), KS_OK);
    assert_memory_equal(&key, &keys[1], sizeof key);
    text[10] = '?';
    assert_int_equal(ks_pubkey_parse(text, &key, &err), KS_E_USER);
    assert_int_equal(ks_pubkey_parse("", &key, &err), KS_E_USER);

    assert_int_equal(ks_dir_temp(&arena, "ks-test", &dir, NULL), KS_OK);
    char *path = ks_path_join(&arena, dir, "key");
    assert_int_equal(ks_secret_save(path, &secret, &err), KS_OK);
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    assert_int_equal(ks_secret_load(path, &back, &err), KS_OK);
    assert_memory_equal(&back, &secret, sizeof back);
    ks_secret_public(&back, &key);
    assert_memory_equal(&key, &keys[1], sizeof key);
    struct ks_slice file;
    assert_int_equal(ks_file_read(&arena, path, 4096, &file, &err), KS_OK);
    char *damaged = ks_arena_strndup(&arena, file.at, file.len);
    damaged[file.len - 60] = damaged[file.len - 60] == 'A' ? 'B' : 'A';
    assert_int_equal(ks_file_write(path, damaged, file.len, false, 0600, &err), KS_OK);
    assert_int_equal(ks_secret_load(path, &back, &err), KS_E_FORMAT);
    assert_int_equal(ks_secret_load(ks_path_join(&arena, dir, "none"), &back, &err), KS_E_ABSENT);
    assert_int_equal(ks_tree_remove(dir, NULL), KS_OK);

    const unsigned char bytes[8] = {1, 2, 3, 4, 5, 6, 7, 0xab};
    ks_key_id_text(bytes, id);
    assert_string_equal(id, "AB07060504030201");
}

// As `minisign -G -W` (0.11) writes one: its checksum is zero.
static void keys_of_minisign_are_read(void **state)
{
    (void)state;
    static const char file[] =
        "untrusted comment: minisign encrypted secret key\n"
        "RWQAAEIyAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAoEL/4vEScIMBqG6ZlVofV03J7S1n"
        "knkQoJ4oSeURjTmBDzG4YATwr3d58D6dMYvwWj2+fMiUL2emWG9nlOTy54yP+FaHsOGzAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n";
    char *dir, text[KS_PUBKEY_TEXT];
    struct ks_secret_key back;
    struct ks_pubkey key;
    assert_int_equal(ks_dir_temp(&arena, "ks-test", &dir, NULL), KS_OK);
    char *path = ks_path_join(&arena, dir, "key"), *changed = ks_arena_strdup(&arena, file);
    assert_int_equal(ks_file_write(path, file, strlen(file), false, 0600, NULL), KS_OK);
    assert_int_equal(ks_secret_load(path, &back, NULL), KS_OK);
    ks_secret_public(&back, &key);
    ks_pubkey_text(&key, text);
    assert_string_equal(text, "RWSgQv/i8RJwg3d58D6dMYvwWj2+fMiUL2emWG9nlOTy54yP+FaHsOGz");
    for (size_t i = 49 + 84; i < 49 + 168; i += 7) { // within the key itself
        changed[i] = file[i] == 'A' ? 'B' : 'A';
        assert_int_equal(ks_file_write(path, changed, strlen(file), false, 0600, NULL), KS_OK);
        assert_int_equal(ks_secret_load(path, &back, NULL), KS_E_FORMAT);
        changed[i] = file[i];
    }
    assert_int_equal(ks_tree_remove(dir, NULL), KS_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_the_signed_bytes_verify),
        cmocka_unit_test(only_listed_keys_verify),
        cmocka_unit_test(every_altered_byte_is_noticed),
        cmocka_unit_test(a_byte_beyond_ascii_stands_for_no_other),
        cmocka_unit_test(keys_survive_their_files),
        cmocka_unit_test(keys_of_minisign_are_read),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
