// Why a kernel was, or was not, substituted: one enumerated list for explain, stats, JSON and tests.
#ifndef KS_REASON_H
#define KS_REASON_H

enum ks_reason {
    KS_R_APPLIED,
    KS_R_ORIGINAL_WINS,       // a recorded decision: nothing faster verifies
    KS_R_PENDING,             // no decision for this key yet
    KS_R_MODE_OFF,            // KS_MODE=off, --ks-mode=off, or `ks off`
    KS_R_COMMAND,             // the command is passed through: see text
    KS_R_DEBUG_BUILD,         // -G, sanitizer or coverage build
    KS_R_BAD_MARK,            // a mark that does not parse: see text
    KS_R_NOT_COMPILED,        // marked, but no such entry in this TU's PTX
    KS_R_PARAMETERS,          // text and PTX disagree on the parameters
    KS_R_CONDITIONAL_PARAMETERS,
    KS_R_UNKNOWN_TYPE,        // a parameter or element type that ks does not model
    KS_R_EXTERNAL_CODE,       // calls device code outside the TU (rdc)
    KS_R_DEVICE_GLOBAL,       // uses __device__ variables or host-set __constant__ data
    KS_R_MANAGED,
    KS_R_TEXTURE,
    KS_R_CLUSTER,
    KS_R_GRID_SYNC,
    KS_R_GRID_DEPENDENCY,     // programmatic dependent launch
    KS_R_DEVICE_LAUNCH,
    KS_R_SYSTEM_SCOPE,        // system-scope or volatile traffic
    KS_R_PRINTF,
    KS_R_MALLOC,
    KS_R_INDIRECT_CALL,
    KS_R_LTO,                 // -dlto: no PTX to look at
    KS_R_NO_CODE,             // no machine code for the architecture of its PTX
    KS_R_TOOLKIT,             // an nvcc older than those whose launches can be dispatched
    KS_R_UNTRUSTED,           // found, signature not trusted
    KS_R_CORRUPT,             // found, damaged
    KS_R_NEWER_FORMAT,        // found, written by a newer ks
    KS_R_EVIDENCE_LEVEL,      // found, only modelled evidence
    KS_R_VARIANT_DIFFERS,     // the variant compiles to other code than was judged
    KS_R_SHADOW_CHANGED_ORIGINAL, // another kernel would change
    KS_R_NO_PROOF,            // hook or table missing in the object
    KS_R_SHADOW_FAILED,       // the shadow does not compile here
    KS_R_DEPENDENCIES_CHANGED,
    KS_R_INTERNAL,
    KS_R_COUNT
};

// "applied", "original-wins", "pending", ... stable spelling.
const char *ks_reason_name(enum ks_reason reason);
// One sentence for people, with the next step where there is one.
const char *ks_reason_text(enum ks_reason reason);
// KS_R_COUNT when unknown.
enum ks_reason ks_reason_parse(const char *name);

#endif
