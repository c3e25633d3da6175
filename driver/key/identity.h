// The key of a kernel instance on one architecture: BLAKE2b-256 over length-prefixed fields.
#ifndef KS_IDENTITY_H
#define KS_IDENTITY_H

#include "fmt/hash.h"
#include "key/ptx.h"

#define KS_KEY_FORMAT 1

struct ks_key_fields {
    struct ks_slice canonical_ptx;
    const char *nvcc_version;  // "13.0.88"
    const char *ptxas_options; // "" if none
    int maxrregcount;
    bool rdc;                  // relocatable device code: ptxas makes other code for it
    const char *contract;
    const char *target;        // "sm_90a": suffixes change the instruction set
    int arch;                  // 90
};

struct ks_digest ks_key_of(const struct ks_key_fields *fields);
// The fields as text, one "name: value" a line (canonical PTX by its digest): `ks explain` diffs it.
const char *ks_key_text(struct ks_arena *arena, const struct ks_key_fields *fields);

#endif
