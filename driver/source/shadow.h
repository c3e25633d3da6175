// The shadow translation unit: a byte copy of the user's file under #line, pragmas blanked, variant
// code after each original's closing brace, the dispatch table at the end (research: wrapper.md 3).
#ifndef KS_SHADOW_H
#define KS_SHADOW_H

#include "source/mark.h"
#include "source/proposal.h"

// One variant to compile in, for one kernel instance on one architecture.
struct ks_substitution {
    const struct ks_signature *signature;
    const struct ks_kernel_decl *decl;
    const char *file;            // the file that holds the kernel, as spelled in ks_source_file.path
    bool in_tu;                  // decl is in the TU itself (else code goes to the TU's end)
    const struct ks_proposal *proposal;
    const struct ks_expr *domain; // judged domain; NULL while judging (always inside)
    const char *key;             // hex, for provenance; may be "" while judging
    const char *id;              // ks_proposal_id
    int arch;                    // 90 for sm_90: compiled and dispatched there only
    char suffix;                 // 'a' for sm_90a, 'f': other text for sm_90 is without it; or 0
    const char *provenance;      // one line for the object's note: key, variant, evidence, signer
};

struct ks_shadow_request {
    const char *tu_token;        // spelling on the command line, for #line
    struct ks_slice text;        // of the TU
    const struct ks_mark_list *marks; // of the TU (pragmas to blank)
    const struct ks_substitution *subs; // several per kernel allowed: first whose guard holds wins
    size_t n_subs;
    bool dispatch;               // emit table and runtime (false: device code only, for judging)
    // Fully qualified C++ names of the kernels of the proposals are derived from decl scopes + id.
};

// The text of the shadow TU. Fails with KS_E_UNSUPPORTED where the file cannot be shadowed.
enum ks_status ks_shadow_text(struct ks_arena *arena, const struct ks_shadow_request *request,
                              struct ks_buf *out, struct ks_err *err);

// Extra nvcc arguments the shadow needs, in order, to be put first: -Xcompiler=-iquote,"DIR" and the
// hook's -I (when dispatching). KS_E_UNSUPPORTED when a folder cannot be quoted safely.
enum ks_status ks_shadow_arguments(struct ks_arena *arena, const char *tu_path,
                                   const char *hook_dir, bool dispatch, struct ks_strv *args,
                                   struct ks_err *err);

// Whether the text asks for files in quotes, or by a macro: those may lie beside it.
bool ks_shadow_includes_beside(struct ks_slice text);

// What makes gcc start the front end in the folder `dir` (nvcc/host_front.h). False: it cannot be quoted
// safely.
bool ks_shadow_front(struct ks_arena *arena, const char *dir, struct ks_strv *args);

// Debug information of an object made at `from` with -objtemp names files beside it: as if it had been
// made at `to`. Nothing where a path cannot be quoted safely.
void ks_shadow_map_debug(struct ks_arena *arena, const char *from, const char *to,
                         struct ks_strv *args);

// Namespace of a proposal's code beside a kernel: "ks_<id>", with a hash of the kernel's own scopes
// behind it where it has any.
const char *ks_shadow_namespace(struct ks_arena *arena, const char *id,
                                const struct ks_kernel_decl *decl);

#endif
