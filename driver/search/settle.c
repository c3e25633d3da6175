#include "search/settle.h"


#include "cfg/trust.h"
#include "verify/client.h"

enum ks_status ks_settle_open(struct ks_arena *arena, const struct ks_tu *tu,
                              const struct ks_tu_kernel *kernel, const struct ks_tu_compile *plain,
                              const struct ks_config *config, const char *work_dir, bool sandbox,
                              struct ks_judge **judge, const char **finding, struct ks_err *err)
{
    bool fault = false;
    const struct ks_worker_place place = ks_worker_place_of(config->device);
    struct ks_judge_options options = {
        .device = place.device, .launcher = place.launcher, .run_timeout = 60,
        .max_shapes = 24, .work_dir = work_dir, .sandbox = sandbox,
        .shadow_root = ks_path_join(arena, work_dir, "shadow"),
        .devices_dir = ks_path_join(arena, config->share_dir, "devices")};
    struct ks_err local = {0};
    *judge = NULL;
    *finding = NULL;
    enum ks_status status = ks_judge_open(arena, tu, kernel, plain, &options, judge, &fault, &local);
    if (fault) {
        ks_judge_close(*judge);
        *judge = NULL;
        *finding = ks_arena_strdup(arena, local.text);
        return KS_OK;
    }
    return status == KS_OK ? KS_OK : ks_err_set(err, status, "%s", local.text);
}

enum ks_status ks_settle_variant(struct ks_arena *arena, const struct ks_config *config,
                                 const struct ks_store *store, const struct ks_tu_kernel *kernel,
                                 const struct ks_verdict *verdict, struct ks_variant *v,
                                 const char **path, struct ks_err *err)
{
    struct ks_secret_key secret;
    v->key = kernel->key;
    v->key_text = kernel->key_text;
    v->kernel = kernel->signature->instance;
    v->arch = kernel->arch;
    v->correctness = verdict->correctness;
    v->speed = verdict->speed;
    v->domain = verdict->domain;
    v->evidence = verdict->evidence;
    v->geomean = verdict->geomean;
    v->lower = verdict->lower;
    KS_TRY(ks_user_key(config, true, &secret, err));
    return ks_store_put_variant(arena, store, &secret, v, path, err);
}
