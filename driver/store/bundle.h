// Decisions in one file, to carry them where no folder is shared: a tar of CONTENTS, CONTENTS.minisig
// and the decisions with their signatures, as in a tier.
//
//   # ks bundle 1
//   # exporter ID PUBLIC-KEY          made CONTENTS.minisig
//   # signer ID PUBLIC-KEY            of decisions, where the exporter knows the key
//   SHA-256  KEY/ID.yaml              each other entry, sorted; `sha256sum -c CONTENTS` checks them
//
// The exporter's signature vouches for the list; every decision still stands on its own.
#ifndef KS_BUNDLE_H
#define KS_BUNDLE_H

#include "fmt/hash.h"
#include "fmt/sign.h"

#define KS_BUNDLE_FORMAT 1
#define KS_BUNDLE_LARGEST ((size_t)256 << 20)
#define KS_BUNDLE_MOST ((size_t)100000) // entries

struct ks_bundled {
    struct ks_digest key;
    const char *name;              // "original" or the variant's id
    struct ks_slice text, signature;
};
struct ks_bundle {
    struct ks_pubkey exporter;
    struct ks_pubkey *signers; size_t n_signers;
    struct ks_bundled *decisions; size_t n;
};

// The same decisions and keys always give the same bytes. bundle->exporter is ignored: `secret` signs.
enum ks_status ks_bundle_write(struct ks_arena *arena, const struct ks_bundle *bundle,
                               const struct ks_secret_key *secret, struct ks_buf *out,
                               struct ks_err *err);
// Everything about the file is checked but whose keys are trusted and what the decisions say: what
// is listed is there, once and in order, and nothing else; digests and the exporter's signature hold;
// every name is KEY/ID.yaml. Data is borrowed from `text`. KS_E_FORMAT, KS_E_LIMIT, KS_E_UNSUPPORTED
// (a newer format) or KS_E_TRUST (the exporter's signature).
enum ks_status ks_bundle_read(struct ks_arena *arena, struct ks_slice text,
                              struct ks_bundle *bundle, struct ks_err *err);

#endif
