// BLAKE2b-256 over length-prefixed fields, so that no two field lists hash alike by concatenation.
#ifndef KS_HASH_H
#define KS_HASH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

#define KS_HASH_BYTES 32
#define KS_HASH_TEXT 65 // 64 hex digits and a terminator

struct ks_digest {
    unsigned char b[KS_HASH_BYTES];
};

struct ks_hash {
    unsigned char state[384] __attribute__((aligned(64))); // crypto_generichash_blake2b_state
};

// `domain` separates uses ("key", "manifest", ...) and is hashed first.
void ks_hash_begin(struct ks_hash *hash, const char *domain);
void ks_hash_field(struct ks_hash *hash, const char *name, const void *data, size_t n);
void ks_hash_text(struct ks_hash *hash, const char *name, const char *text); // NULL hashes as absent
void ks_hash_int(struct ks_hash *hash, const char *name, int64_t value);
void ks_hash_end(struct ks_hash *hash, struct ks_digest *out);

struct ks_digest ks_digest_of(const char *domain, const void *data, size_t n);
void ks_digest_hex(const struct ks_digest *digest, char out[KS_HASH_TEXT]);
bool ks_digest_parse(const char *hex, struct ks_digest *out);
bool ks_digest_eq(const struct ks_digest *a, const struct ks_digest *b);
// SHA-256 as lower-case hexadecimal, for lists that `sha256sum -c` checks; ks itself keys on nothing
// but BLAKE2b.
void ks_sha256_hex(struct ks_slice data, char out[KS_HASH_TEXT]);

#endif
