// ed25519 signatures in minisign's file formats (prehashed "ED" signatures, unencrypted secret keys).
// Format: https://jedisct1.github.io/minisign/ ; files made here verify with `minisign -V`.
#ifndef KS_SIGN_H
#define KS_SIGN_H

#include "base/str.h"

#define KS_PUBKEY_TEXT 57 // base64 of "Ed", 8-byte key id, 32-byte key, and a terminator

struct ks_pubkey {
    unsigned char id[8];
    unsigned char key[32];
};
struct ks_secret_key {
    unsigned char id[8];
    unsigned char key[64];
};

// The one-line base64 form that `trust:` lists and minisign -P takes.
enum ks_status ks_pubkey_parse(const char *text, struct ks_pubkey *key, struct ks_err *err);
void ks_pubkey_text(const struct ks_pubkey *key, char out[KS_PUBKEY_TEXT]);
void ks_key_id_text(const unsigned char id[8], char out[17]); // upper-case hex, as minisign prints it

enum ks_status ks_key_generate(struct ks_secret_key *secret, struct ks_pubkey *public_key,
                               struct ks_err *err);
// minisign secret key file (unencrypted, kdf none), written with mode 0600; and back.
enum ks_status ks_secret_save(const char *path, const struct ks_secret_key *key,
                              struct ks_err *err);
enum ks_status ks_secret_load(const char *path, struct ks_secret_key *key, struct ks_err *err);
void ks_secret_public(const struct ks_secret_key *secret, struct ks_pubkey *public_key);

// Detached signature file text over `data`. `comment` becomes the trusted comment (one line).
enum ks_status ks_sign(struct ks_arena *arena, const struct ks_secret_key *secret,
                       struct ks_slice data, const char *comment, struct ks_slice *signature,
                       struct ks_err *err);
// KS_E_TRUST when the signature is damaged, by a key not in the list, or not over `data`;
// on success *signer is the index of the key.
enum ks_status ks_verify_signature(struct ks_slice data, struct ks_slice signature,
                                   const struct ks_pubkey *keys, size_t n_keys, size_t *signer,
                                   struct ks_err *err);
// Whether a signature that was verified has this trusted comment.
bool ks_signature_comment_is(struct ks_slice signature, const char *comment);
// Whose signature it says it is; nothing is verified.
enum ks_status ks_signature_id(struct ks_slice signature, unsigned char id[8], struct ks_err *err);

#endif
