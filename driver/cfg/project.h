// A project: the nearest folder upward from a file that holds ks.yaml or .ks/, found through nested
// .git and not past the home directory, a mount point of another device, or a foreign owner's file.
//
// Foreign is who is neither the user, nor root, nor the owner of the folder that the search began
// in: whoever builds that folder runs its owner's code anyway (root in a container, a bind mount).
// A folder named by --ks-project is taken as it is.
#ifndef KS_PROJECT_H
#define KS_PROJECT_H

#include "base/vec.h"
#include "cfg/config.h"
#include "fmt/sign.h"
#include "fmt/yaml.h"

// One entry of `kernels:`; clause texts are parsed by source/mark.h.
struct ks_side_mark {
    int line;              // in ks.yaml
    const char *file;      // pattern relative to the project root (fnmatch, `*` does not cross '/')
    const char *kernel;    // "ns::relax" or "ns::relax<float,256>"
    const char *optimize;  // clauses, "" if none
    bool off;              // optimize: off
    const char **workloads; int *workload_lines; size_t n_workloads;
};

struct ks_project {
    const char *root;      // absolute, real; NULL when there is none
    const char *file;      // ks.yaml's path, NULL when only .ks/ exists
    struct ks_side_mark *marks; size_t n_marks;
    struct ks_pubkey *trust; size_t n_trust;
    bool has_mode, has_budget; // settings:
    enum ks_mode mode;         // never KS_MODE_TUNE: that spends the user's time and money
    double budget_seconds;
    const char *ignored;   // why a found file was not used ("owned by another user"), or NULL
};

// `from` is any path inside. A damaged ks.yaml is KS_E_USER with file:line; what its settings say
// counts all the same, and mode is KS_MODE_STRICT where it may have asked for that. No project: root
// NULL.
enum ks_status ks_project_find(struct ks_arena *arena, const struct ks_config *config,
                               const char *from, struct ks_project *project, struct ks_err *err);

// Applies the project's settings to `config` where nothing stronger was said.
void ks_project_apply(const struct ks_project *project, struct ks_config *config);

// Whether a mark of the project could concern the file `path`, however it is named: told from its last
// component, so that hundreds of headers need not be resolved.
bool ks_project_may_mark(const struct ks_project *project, const char *path);
// Marks of the project that concern `file` (absolute, real): indices into project->marks.
size_t ks_project_marks_for(struct ks_arena *arena, const struct ks_project *project,
                            const char *file, size_t **indices);

// Indices of marks whose `file:` no file of the project matches: a slip that no compile can notice.
size_t ks_project_marks_without_file(struct ks_arena *arena, const struct ks_project *project,
                                     size_t **indices);

#endif
