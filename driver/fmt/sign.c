#include "fmt/sign.h"

#include <sodium.h>
#include <string.h>

#include "os/file.h"

// minisign's binary layouts, all bytes, so no padding.
struct public_blob {
    unsigned char algorithm[2]; // "Ed"
    unsigned char id[8];
    unsigned char key[32];
};
struct secret_blob {
    unsigned char algorithm[2];          // "Ed"
    unsigned char kdf[2];                // zero: not encrypted
    unsigned char checksum_algorithm[2]; // "B2"
    unsigned char kdf_salt[32], kdf_ops[8], kdf_memory[8];
    unsigned char id[8];
    unsigned char key[64];
    unsigned char checksum[32]; // BLAKE2b-256 of algorithm, id, key
};
struct signature_blob {
    unsigned char algorithm[2]; // "ED": over the BLAKE2b-512 of the data
    unsigned char id[8];
    unsigned char signature[64];
};
_Static_assert(sizeof(struct public_blob) == 42 && sizeof(struct secret_blob) == 158 &&
                   sizeof(struct signature_blob) == 74,
               "minisign's sizes");

#define UNTRUSTED "untrusted comment: "
#define TRUSTED "trusted comment: "
#define LONGEST_COMMENT ((size_t)8192) // minisign's TRUSTEDCOMMENTMAXBYTES
#define LONGEST_SECRET_FILE ((size_t)4096)

// libsodium takes bytes beyond ASCII, where char is signed, for '/': a signature would have two texts.
static bool is_ascii(struct ks_slice text)
{
    unsigned bits = 0;
    for (size_t i = 0; i < text.len; i++)
        bits |= (unsigned char)text.at[i];
    return bits < 0x80;
}

static bool decode(struct ks_slice text, void *out, size_t n)
{
    size_t got;
    return text.len > 0 && is_ascii(text) &&
           sodium_base642bin(out, n, text.at, text.len, NULL, &got, NULL,
                             sodium_base64_VARIANT_ORIGINAL) == 0 &&
           got == n;
}

static char *encode(struct ks_arena *arena, const void *data, size_t n)
{
    size_t size = sodium_base64_ENCODED_LEN(n, sodium_base64_VARIANT_ORIGINAL);
    char *text = ks_arena_alloc(arena, size);
    return sodium_bin2base64(text, size, data, n, sodium_base64_VARIANT_ORIGINAL);
}

// Cuts one line, without its end, off the front of *text; false when nothing is left.
static bool next_line(struct ks_slice *text, struct ks_slice *line)
{
    if (text->len == 0)
        return false;
    const char *end = memchr(text->at, '\n', text->len);
    size_t len = end != NULL ? (size_t)(end - text->at) : text->len;
    *line = (struct ks_slice){text->at, len};
    if (len > 0 && text->at[len - 1] == '\r')
        line->len--;
    size_t used = end != NULL ? len + 1 : len;
    text->at += used;
    text->len -= used;
    return true;
}

static bool line_starts_with(struct ks_slice line, struct ks_slice head)
{
    return line.len >= head.len && memcmp(line.at, head.at, head.len) == 0;
}

enum ks_status ks_pubkey_parse(const char *text, struct ks_pubkey *key, struct ks_err *err)
{
    struct public_blob blob;
    if (!decode(ks_slice_trim(ks_slice_of(text)), &blob, sizeof blob) ||
        memcmp(blob.algorithm, "Ed", 2) != 0)
        KS_FAIL(err, KS_E_USER,
                "'%s' is not a public key; it is the 56 characters that minisign takes with -P",
                text);
    memcpy(key->id, blob.id, sizeof key->id);
    memcpy(key->key, blob.key, sizeof key->key);
    return KS_OK;
}

void ks_pubkey_text(const struct ks_pubkey *key, char out[KS_PUBKEY_TEXT])
{
    struct public_blob blob = {.algorithm = "Ed"};
    memcpy(blob.id, key->id, sizeof blob.id);
    memcpy(blob.key, key->key, sizeof blob.key);
    sodium_bin2base64(out, KS_PUBKEY_TEXT, (const unsigned char *)&blob, sizeof blob,
                      sodium_base64_VARIANT_ORIGINAL);
}

void ks_key_id_text(const unsigned char id[8], char out[17])
{
    static const char digits[] = "0123456789ABCDEF";
    for (int i = 0; i < 8; i++) { // minisign prints it as a little-endian number
        out[2 * i] = digits[id[7 - i] >> 4];
        out[2 * i + 1] = digits[id[7 - i] & 15];
    }
    out[16] = '\0';
}

enum ks_status ks_key_generate(struct ks_secret_key *secret, struct ks_pubkey *public_key,
                               struct ks_err *err)
{
    if (sodium_init() < 0)
        KS_FAIL(err, KS_E_IO, "the operating system gives no random numbers");
    crypto_sign_keypair(public_key->key, secret->key);
    randombytes_buf(secret->id, sizeof secret->id);
    memcpy(public_key->id, secret->id, sizeof public_key->id);
    return KS_OK;
}

void ks_secret_public(const struct ks_secret_key *secret, struct ks_pubkey *public_key)
{
    memcpy(public_key->id, secret->id, sizeof public_key->id);
    crypto_sign_ed25519_sk_to_pk(public_key->key, secret->key);
}

static void secret_checksum(const struct secret_blob *blob, unsigned char out[32])
{
    crypto_generichash_state state;
    crypto_generichash_init(&state, NULL, 0, 32);
    crypto_generichash_update(&state, blob->algorithm, sizeof blob->algorithm);
    crypto_generichash_update(&state, blob->id, sizeof blob->id);
    crypto_generichash_update(&state, blob->key, sizeof blob->key);
    crypto_generichash_final(&state, out, 32);
}

// minisign leaves the checksum of a key without a password at zero. The second half of the key follows
// from the first in any case.
static bool is_whole(const struct secret_blob *blob)
{
    unsigned char checksum[32], public_half[32], both[64];
    secret_checksum(blob, checksum);
    bool whole = sodium_is_zero(blob->checksum, sizeof blob->checksum) ||
                 sodium_memcmp(checksum, blob->checksum, sizeof checksum) == 0;
    whole = crypto_sign_seed_keypair(public_half, both, blob->key) == 0 &&
            sodium_memcmp(both, blob->key, sizeof both) == 0 && whole;
    sodium_memzero(both, sizeof both);
    return whole;
}

enum ks_status ks_secret_save(const char *path, const struct ks_secret_key *key, struct ks_err *err)
{
    struct ks_arena arena = {0};
    struct secret_blob blob = {.algorithm = "Ed", .checksum_algorithm = "B2"};
    memcpy(blob.id, key->id, sizeof blob.id);
    memcpy(blob.key, key->key, sizeof blob.key);
    secret_checksum(&blob, blob.checksum);
    char *encoded = encode(&arena, &blob, sizeof blob);
    char *text = ks_arena_printf(&arena, UNTRUSTED "ks secret key, not encrypted\n%s\n", encoded);
    enum ks_status status = ks_file_write(path, text, strlen(text), true, 0600, err);
    sodium_memzero(text, strlen(text));
    sodium_memzero(encoded, strlen(encoded));
    sodium_memzero(&blob, sizeof blob);
    ks_arena_free(&arena);
    return status;
}

static enum ks_status parse_secret(const char *path, struct ks_slice text,
                                   struct ks_secret_key *key, struct ks_err *err)
{
    struct ks_slice comment, line;
    struct secret_blob blob;
    static const unsigned char none[2] = {0};
    if (!next_line(&text, &comment) || !next_line(&text, &line) ||
        !line_starts_with(comment, KS_SLICE(UNTRUSTED)) || !decode(line, &blob, sizeof blob) ||
        memcmp(blob.algorithm, "Ed", 2) != 0 || memcmp(blob.checksum_algorithm, "B2", 2) != 0)
        KS_FAIL(err, KS_E_FORMAT, "%s: not a minisign secret key", path);
    if (memcmp(blob.kdf, none, 2) != 0)
        KS_FAIL(err, KS_E_UNSUPPORTED,
                "%s: the secret key is encrypted; make one without a password (minisign -G -W)",
                path);
    if (!is_whole(&blob))
        KS_FAIL(err, KS_E_FORMAT, "%s: the secret key is damaged (checksum)", path);
    memcpy(key->id, blob.id, sizeof key->id);
    memcpy(key->key, blob.key, sizeof key->key);
    sodium_memzero(&blob, sizeof blob);
    return KS_OK;
}

enum ks_status ks_secret_load(const char *path, struct ks_secret_key *key, struct ks_err *err)
{
    struct ks_arena arena = {0};
    struct ks_slice text;
    enum ks_status status = ks_file_read(&arena, path, LONGEST_SECRET_FILE, &text, err);
    if (status == KS_OK) {
        status = parse_secret(path, text, key, err);
        sodium_memzero((void *)(uintptr_t)text.at, text.len);
    }
    ks_arena_free(&arena);
    return status;
}

static void prehash(struct ks_slice data, unsigned char out[64])
{
    crypto_generichash(out, 64, (const unsigned char *)data.at, data.len, NULL, 0);
}

// What minisign's second signature covers: the first one and the trusted comment.
static char *global_message(struct ks_arena *arena, const unsigned char signature[64],
                            struct ks_slice comment, size_t *n)
{
    *n = 64 + comment.len;
    char *message = ks_arena_alloc(arena, *n);
    memcpy(message, signature, 64);
    if (comment.len > 0)
        memcpy(message + 64, comment.at, comment.len);
    return message;
}

enum ks_status ks_sign(struct ks_arena *arena, const struct ks_secret_key *secret,
                       struct ks_slice data, const char *comment, struct ks_slice *signature,
                       struct ks_err *err)
{
    if (strpbrk(comment, "\r\n") != NULL || strlen(comment) > LONGEST_COMMENT)
        KS_FAIL(err, KS_E_INTERNAL,
                "the comment of a signature must be one line of at most %zu bytes",
                LONGEST_COMMENT);
    struct signature_blob blob = {.algorithm = "ED"};
    memcpy(blob.id, secret->id, sizeof blob.id);
    unsigned char hash[64], global[64];
    prehash(data, hash);
    crypto_sign_detached(blob.signature, NULL, hash, sizeof hash, secret->key);
    size_t n;
    char *message = global_message(arena, blob.signature, ks_slice_of(comment), &n);
    crypto_sign_detached(global, NULL, (const unsigned char *)message, n, secret->key);

    char id[17];
    ks_key_id_text(secret->id, id);
    char *text = ks_arena_printf(arena, UNTRUSTED "signature by ks key %s\n%s\n" TRUSTED "%s\n%s\n",
                                 id, encode(arena, &blob, sizeof blob), comment,
                                 encode(arena, global, sizeof global));
    *signature = ks_slice_of(text);
    return KS_OK;
}

enum ks_status ks_verify_signature(struct ks_slice data, struct ks_slice signature,
                                   const struct ks_pubkey *keys, size_t n_keys, size_t *signer,
                                   struct ks_err *err)
{
    struct ks_slice untrusted, first, trusted, second;
    struct signature_blob blob;
    unsigned char global[64];
    if (!next_line(&signature, &untrusted) || !next_line(&signature, &first) ||
        !next_line(&signature, &trusted) || !next_line(&signature, &second) ||
        ks_slice_trim(signature).len > 0 || !line_starts_with(untrusted, KS_SLICE(UNTRUSTED)) ||
        !line_starts_with(trusted, KS_SLICE(TRUSTED)) || !decode(first, &blob, sizeof blob) ||
        !decode(second, global, sizeof global))
        KS_FAIL(err, KS_E_TRUST, "the signature is damaged: not in minisign's format");
    if (memcmp(blob.algorithm, "ED", 2) != 0)
        KS_FAIL(err, KS_E_TRUST, "the signature is of a kind that is not accepted (not prehashed)");
    struct ks_slice comment = {trusted.at + sizeof TRUSTED - 1, trusted.len - (sizeof TRUSTED - 1)};
    if (comment.len > LONGEST_COMMENT)
        KS_FAIL(err, KS_E_TRUST, "the signature's comment is longer than %zu bytes",
                LONGEST_COMMENT);

    unsigned char hash[64];
    prehash(data, hash);
    bool known = false;
    for (size_t i = 0; i < n_keys; i++) {
        if (memcmp(keys[i].id, blob.id, sizeof blob.id) != 0)
            continue;
        known = true; // ids are chosen by their owners: two keys may share one
        if (crypto_sign_verify_detached(blob.signature, hash, sizeof hash, keys[i].key) != 0)
            continue;
        struct ks_arena arena = {0};
        size_t n;
        char *message = global_message(&arena, blob.signature, comment, &n);
        bool ok = crypto_sign_verify_detached(global, (const unsigned char *)message, n,
                                              keys[i].key) == 0;
        ks_arena_free(&arena);
        if (!ok)
            KS_FAIL(err, KS_E_TRUST, "the signature's trusted comment was altered");
        *signer = i;
        return KS_OK;
    }
    char id[17];
    ks_key_id_text(blob.id, id);
    if (!known)
        KS_FAIL(err, KS_E_TRUST, "signed by key %s, which is not trusted here", id);
    KS_FAIL(err, KS_E_TRUST, "the signature by key %s does not match the data", id);
}

enum ks_status ks_signature_id(struct ks_slice signature, unsigned char id[8], struct ks_err *err)
{
    struct ks_slice untrusted, first;
    struct signature_blob blob;
    if (!next_line(&signature, &untrusted) || !next_line(&signature, &first) ||
        !decode(first, &blob, sizeof blob))
        KS_FAIL(err, KS_E_TRUST, "the signature is damaged: not in minisign's format");
    memcpy(id, blob.id, sizeof blob.id);
    return KS_OK;
}

// The line that ks_verify_signature vouched for: the third of the file.
bool ks_signature_comment_is(struct ks_slice signature, const char *comment)
{
    const char *end = signature.at + signature.len, *at = signature.at;
    for (int line = 0; line < 2; line++) {
        at = memchr(at, '\n', (size_t)(end - at));
        if (at == NULL)
            return false;
        at++;
    }
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    size_t n = (size_t)((newline == NULL ? end : newline) - at);
    while (n > 0 && at[n - 1] == '\r')
        n--;
    size_t head = strlen(TRUSTED);
    return n == head + strlen(comment) && memcmp(at, TRUSTED, head) == 0 &&
           memcmp(at + head, comment, n - head) == 0;
}
