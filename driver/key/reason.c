#include "key/reason.h"

#include <string.h>

// docs/reasons.md explains each in full; a unit test compares the names there with these.
static const struct {
    const char *name, *text;
} reasons[KS_R_COUNT] = {
    [KS_R_APPLIED] = {"applied", "a verified variant was compiled in"},
    [KS_R_ORIGINAL_WINS] = {"original-wins",
                            "tuning found nothing faster that verifies; `ks tune --again` retries"},
    [KS_R_PENDING] = {"pending", "no decision for this kernel yet; run `ks warm` on a machine with "
                                 "a GPU, or build with KS_MODE=tune"},
    [KS_R_MODE_OFF] = {"mode-off", "switched off by KS_MODE, --ks-mode, --ks-kernel or a `ks off` mark; "
                                   "remove it to substitute"},
    [KS_R_COMMAND] = {"command", "this command goes to nvcc untouched; compile one CUDA file with -c, or "
                                 "compile and link, without what is named here"},
    [KS_R_DEBUG_BUILD] = {"debug-build", "debug, sanitizer and coverage builds keep the original; "
                                         "build without -G and instrumentation"},
    [KS_R_BAD_MARK] = {"bad-mark", "the mark is wrong; correct it as the message says"},
    [KS_R_NOT_COMPILED] = {"not-compiled", "the marked kernel is not in this compile's PTX; a "
                                           "template needs an instance, a preprocessor condition "
                                           "may hide it"},
    [KS_R_PARAMETERS] = {"parameters", "the parameters in the text and in the PTX disagree; write "
                                       "the parameter list without macros"},
    [KS_R_CONDITIONAL_PARAMETERS] = {"conditional-parameters",
                                     "the parameter list contains preprocessor conditions; write "
                                     "one list per condition"},
    [KS_R_UNKNOWN_TYPE] = {"unknown-type", "a parameter or element has a type that ks does not "
                                           "model; name the element type in the workload clause"},
    [KS_R_EXTERNAL_CODE] = {"external-code", "the kernel calls device code of another translation "
                                             "unit; define it in this one"},
    [KS_R_DEVICE_GLOBAL] = {"device-global", "the kernel uses __device__ or __constant__ variables; "
                                             "pass the data as an argument"},
    [KS_R_MANAGED] = {"managed",
                      "the kernel uses __managed__ variables; pass the data as an argument"},
    [KS_R_TEXTURE] = {"texture", "the kernel reads textures, surfaces or tensor maps; use pointers"},
    [KS_R_CLUSTER] = {"cluster", "the kernel depends on thread block clusters; the original stays"},
    [KS_R_GRID_SYNC] = {"grid-sync", "the kernel waits for its whole grid (cooperative launch); split "
                                     "it at the barrier"},
    [KS_R_GRID_DEPENDENCY] = {"grid-dependency", "the kernel overlaps with another launch (programmatic "
                                                 "dependent launch); the original stays"},
    [KS_R_DEVICE_LAUNCH] = {"device-launch",
                            "the kernel launches kernels; launch them from the host"},
    [KS_R_SYSTEM_SCOPE] = {"system-scope", "the kernel talks to the host or other devices while it "
                                           "runs (volatile or system-scope access); the original "
                                           "stays"},
    [KS_R_PRINTF] = {"printf", "the kernel prints; remove printf or put it under a macro"},
    [KS_R_MALLOC] = {"malloc", "the kernel allocates memory; pass a buffer from the host"},
    [KS_R_INDIRECT_CALL] = {"indirect-call", "the kernel calls through a pointer or a virtual "
                                             "function; make the callee a template argument"},
    [KS_R_LTO] = {"lto", "with -dlto or code=lto_NN the machine code is made when the program is "
                         "linked; build marked files without"},
    [KS_R_NO_CODE] = {"no-code", "the build makes no machine code for the architecture it compiles "
                                 "the kernel for; name one as both, as -arch=sm_90 does"},
    [KS_R_TOOLKIT] = {"toolkit", "kernels are launched through this nvcc's stubs in a way that ks "
                                 "does not know; build with nvcc 13.0 or newer"},
    [KS_R_UNTRUSTED] = {"untrusted", "a variant exists whose signature is missing or by no trusted "
                                     "key; add the key to `trust:` in ks.yaml if you trust it"},
    [KS_R_CORRUPT] = {"corrupt", "a variant file is damaged; restore it or delete it and tune again"},
    [KS_R_NEWER_FORMAT] = {"newer-format", "a variant was written by a newer ks; update ks"},
    [KS_R_EVIDENCE_LEVEL] = {"evidence-level", "a variant exists with modelled evidence only; "
                                               "measure it with `ks tune`, or set "
                                               "KS_ACCEPT=modelled"},
    [KS_R_VARIANT_DIFFERS] = {"variant-differs", "the variant compiles to other code here than was "
                                                 "judged; run `ks tune` with the options "
                                                 "of this build"},
    [KS_R_SHADOW_CHANGED_ORIGINAL] = {"shadow-changed-original",
                                      "with the variant in the file another kernel would compile "
                                      "differently; the plain object was kept"},
    [KS_R_NO_PROOF] = {"no-proof", "the object does not show that hook and table were compiled in; "
                                   "run `ks doctor`"},
    [KS_R_SHADOW_FAILED] = {"shadow-failed", "the file with the variant does not compile here; "
                                             "`ks explain` shows the compiler's words"},
    [KS_R_DEPENDENCIES_CHANGED] = {"dependencies-changed",
                                   "the included files changed between two looks; build again"},
    [KS_R_INTERNAL] = {"internal", "a fault of ks; KS_LOG=debug shows where, please report it"},
};

const char *ks_reason_name(enum ks_reason reason)
{
    return (unsigned)reason < KS_R_COUNT ? reasons[reason].name : "unknown";
}

const char *ks_reason_text(enum ks_reason reason)
{
    return (unsigned)reason < KS_R_COUNT ? reasons[reason].text : "a reason of a newer ks";
}

enum ks_reason ks_reason_parse(const char *name)
{
    for (int i = 0; i < KS_R_COUNT; i++)
        if (strcmp(reasons[i].name, name) == 0)
            return (enum ks_reason)i;
    return KS_R_COUNT;
}
