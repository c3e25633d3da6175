#include "app/verb_attempt.h"

#include <string.h>

#include "memory/outcomes.h"
#include "os/file.h"

enum ks_status verb_attempt_find(struct ks_verb_context *context, const char *id,
                                 struct ks_proposal **proposal, struct ks_err *err)
{
    struct ks_arena *arena = context->arena;
    const struct ks_config *config = &context->config;
    struct ks_outcomes *outcomes;
    struct ks_yaml *root;
    const char *text;
    // Looking never makes a memory where there is none.
    if (config->state_dir == NULL ||
        !ks_file_exists(ks_path_join(arena, config->state_dir, "memory.db")))
        KS_FAIL(err, KS_E_USER, "%s: no such file, and no search was made on this machine that could have judged "
                "it; `ks tune` makes one", id);
    KS_TRY(ks_outcomes_open(config, &outcomes, err));
    struct ks_err local = {0};
    enum ks_status status = ks_outcomes_proposal(arena, outcomes, id, &text, &local);
    ks_outcomes_close(outcomes);
    if (status == KS_E_ABSENT || status == KS_E_USER)
        KS_FAIL(err, KS_E_USER, "%s; `ks show FILE.cu` lists what was judged", local.text);
    if (status != KS_OK)
        return ks_err_set(err, status, "%s", local.text);
    KS_TRY(ks_yaml_parse(arena, id, (struct ks_slice){text, strlen(text)}, &root, err));
    *proposal = KS_NEW(arena, struct ks_proposal);
    return ks_proposal_read(arena, id, root, *proposal, err);
}
