#include "fmt/hash.h"

#include <pthread.h>
#include <sodium.h>
#include <string.h>

_Static_assert(sizeof(crypto_generichash_blake2b_state) <= sizeof(((struct ks_hash *)0)->state),
               "struct ks_hash must hold libsodium's state");

static crypto_generichash_blake2b_state *state_of(struct ks_hash *hash)
{
    return (crypto_generichash_blake2b_state *)(void *)hash->state;
}

static void update(struct ks_hash *hash, const void *data, size_t n)
{
    crypto_generichash_blake2b_update(state_of(hash), data, n);
}

// A tag for the kind and a length, little-endian whatever the machine.
static void update_head(struct ks_hash *hash, char tag, uint64_t n)
{
    unsigned char head[9] = {(unsigned char)tag};
    for (int i = 0; i < 8; i++)
        head[1 + i] = (unsigned char)(n >> 8 * i);
    update(hash, head, sizeof head);
}

static void update_name(struct ks_hash *hash, const char *name)
{
    size_t n = strlen(name);
    update_head(hash, 'n', n);
    update(hash, name, n);
}

// Lets libsodium choose what suits this processor. Where that fails, the portable code gives the same values.
static void choose(void)
{
    (void)!sodium_init();
}

void ks_hash_begin(struct ks_hash *hash, const char *domain)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, choose);
    crypto_generichash_blake2b_init(state_of(hash), NULL, 0, KS_HASH_BYTES);
    update_name(hash, domain);
}

void ks_hash_field(struct ks_hash *hash, const char *name, const void *data, size_t n)
{
    update_name(hash, name);
    update_head(hash, 'd', n);
    if (n > 0)
        update(hash, data, n);
}

void ks_hash_text(struct ks_hash *hash, const char *name, const char *text)
{
    if (text != NULL) {
        ks_hash_field(hash, name, text, strlen(text));
    } else {
        update_name(hash, name);
        update_head(hash, '0', 0);
    }
}

void ks_hash_int(struct ks_hash *hash, const char *name, int64_t value)
{
    update_name(hash, name);
    update_head(hash, 'i', (uint64_t)value);
}

void ks_hash_end(struct ks_hash *hash, struct ks_digest *out)
{
    crypto_generichash_blake2b_final(state_of(hash), out->b, sizeof out->b);
}

struct ks_digest ks_digest_of(const char *domain, const void *data, size_t n)
{
    struct ks_hash hash;
    struct ks_digest digest;
    ks_hash_begin(&hash, domain);
    ks_hash_field(&hash, "", data, n);
    ks_hash_end(&hash, &digest);
    return digest;
}

void ks_digest_hex(const struct ks_digest *digest, char out[KS_HASH_TEXT])
{
    static const char digits[] = "0123456789abcdef";
    for (int i = 0; i < KS_HASH_BYTES; i++) {
        out[2 * i] = digits[digest->b[i] >> 4];
        out[2 * i + 1] = digits[digest->b[i] & 15];
    }
    out[KS_HASH_TEXT - 1] = '\0';
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool ks_digest_parse(const char *hex, struct ks_digest *out)
{
    struct ks_digest digest;
    if (strlen(hex) != KS_HASH_TEXT - 1)
        return false;
    for (int i = 0; i < KS_HASH_BYTES; i++) {
        int high = hex_digit(hex[2 * i]), low = hex_digit(hex[2 * i + 1]);
        if (high < 0 || low < 0)
            return false;
        digest.b[i] = (unsigned char)(high << 4 | low);
    }
    *out = digest;
    return true;
}

bool ks_digest_eq(const struct ks_digest *a, const struct ks_digest *b)
{
    return memcmp(a->b, b->b, KS_HASH_BYTES) == 0;
}

void ks_sha256_hex(struct ks_slice data, char out[KS_HASH_TEXT])
{
    unsigned char hash[crypto_hash_sha256_BYTES];
    crypto_hash_sha256(hash, (const unsigned char *)data.at, data.len);
    sodium_bin2hex(out, KS_HASH_TEXT, hash, sizeof hash);
}
