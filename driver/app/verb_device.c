#include "app/verb_device.h"


#include "os/file.h"
#include "verify/client.h"

enum ks_status verb_device_ask(struct ks_verb_context *context, struct ks_device_info *info,
                               struct ks_err *err)
{
    const char *path = ks_path_join(context->arena, ks_program_dir(context->arena), "ks-worker");
    const struct ks_worker_place place = ks_worker_place_of(context->config.device);
    struct ks_worker worker;
    *info = (struct ks_device_info){0};
    KS_TRY(ks_worker_start(&worker, place.launcher, path, place.device, err));
    enum ks_answer answer = ks_worker_hello(&worker, info);
    enum ks_status status = KS_OK;
    if (answer == KS_ANSWER_INTERRUPTED)
        status = ks_err_set(err, KS_E_INTERRUPTED, "interrupted");
    else if (answer != KS_ANSWER_OK)
        status = ks_err_set(err, KS_E_DEVICE, "%s%s%s", worker.text,
                            place.launcher != NULL ? "; the worker was started by KS_DEVICE=" : "",
                            place.launcher != NULL ? place.launcher : "");
    ks_worker_stop(&worker);
    return status;
}
