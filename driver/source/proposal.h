// A proposal: device code, a launch plan and a guard. The untrusted half of a variant file
// (DESIGN.md section 5); what a proposer makes and the judge judges. It never holds host code.
#ifndef KS_PROPOSAL_H
#define KS_PROPOSAL_H

#include "base/vec.h"
#include "fmt/expr.h"
#include "fmt/yaml.h"
#include "source/signature.h"

enum ks_step_kind { KS_STEP_KERNEL, KS_STEP_MEMSET };

struct ks_step {
    enum ks_step_kind kind;
    const char *kernel;           // name in `source`
    struct ks_expr *grid[3], *block[3]; // NULL means 1
    struct ks_expr *shared;             // NULL means 0
    struct ks_expr **args; size_t n_args; // KS_X_NAME of a parameter or workspace, or an expression
    const char *workspace;        // memset
    int value;                    // memset, byte value 0..255
};

struct ks_workspace {
    const char *name;
    struct ks_expr *bytes;
};

struct ks_proposal {
    const char **includes; size_t n_includes;
    const char *source;
    struct ks_expr *when;         // never NULL: "1" if the proposer adds nothing
    struct ks_workspace *workspaces; size_t n_workspaces;
    struct ks_step *steps; size_t n_steps;
    bool foreign; // text of a model, or that nobody vouches for: no inline assembly, however well known
    // The original's parameter names by position, as the expressions above use them.
    const char **params; size_t n_params;
    // Functions found in `source` (filled by ks_proposal_check).
    struct ks_kernel_list kernels;
};

// Reads the proposal's keys from a map; other keys are the caller's business.
enum ks_status ks_proposal_read(struct ks_arena *arena, const char *name,
                                const struct ks_yaml *map, struct ks_proposal *proposal,
                                struct ks_err *err);
void ks_proposal_write(struct ks_yaml_writer *w, const struct ks_proposal *proposal);

// The textual gate, before any compiler sees it: no preprocessor directive (also after splicing and
// trigraphs), balanced brackets, nothing that closes its namespace, no `using` at top level, no
// asm but a closed list of statements (source/proposal_asm.c; none where `foreign`), no
// operator/specialisation outside it, no host function, includes from the allow-list, only
// __global__ / __device__ functions, types and constexpr; at most 256 KiB; every plan step names a
// kernel of the source with as many arguments as parameters; names in expressions are known.
// KS_E_USER says what and where in the source.
enum ks_status ks_proposal_check(struct ks_arena *arena, struct ks_proposal *proposal,
                                 const struct ks_signature *signature, struct ks_err *err);

// Short content hash that names its namespace and file: 16 hex digits over source, includes, plan,
// guard and workspaces in canonical text.
const char *ks_proposal_id(struct ks_arena *arena, const struct ks_proposal *proposal);

#endif
