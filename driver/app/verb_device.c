#include "app/verb_device.h"

#include <stdio.h>
#include <string.h>

#include "os/file.h"
#include "verify/client.h"

#define CEILINGS_SECONDS 60

static enum ks_status ask(struct ks_verb_context *context, bool confined,
                          struct ks_device_info *info, struct ks_err *err)
{
    const char *path = ks_path_join(context->arena, ks_program_dir(context->arena), "ks-worker");
    const struct ks_worker_place place = ks_worker_place_of(context->config.device);
    struct ks_worker worker;
    *info = (struct ks_device_info){0};
    KS_TRY(ks_worker_start(&worker, place.launcher, path, place.device, confined, err));
    enum ks_answer answer = ks_worker_hello(&worker, info);
    // A GPU that opens is not yet one that works inside: memory, launches and clocks are tried.
    if (answer == KS_ANSWER_OK && confined && strcmp(info->kind, "cuda") == 0)
        answer = ks_worker_ask(&worker, "ceilings", json_object(), CEILINGS_SECONDS);
    enum ks_status status = KS_OK;
    if (answer == KS_ANSWER_INTERRUPTED)
        status = ks_err_set(err, KS_E_INTERRUPTED, "interrupted");
    else if (confined && (answer == KS_ANSWER_UNSUPPORTED || answer == KS_ANSWER_LIED))
        status = ks_err_set(err, KS_E_UNSUPPORTED, "%s", worker.text);
    else if (answer != KS_ANSWER_OK)
        status = ks_err_set(err, KS_E_DEVICE, "%s%s%s", worker.text,
                            place.launcher != NULL ? "; the worker was started by KS_DEVICE=" : "",
                            place.launcher != NULL ? place.launcher : "");
    ks_worker_stop(&worker);
    return status;
}

enum ks_status verb_device_ask(struct ks_verb_context *context, struct ks_device_info *info,
                               struct ks_err *err)
{
    return ask(context, false, info, err);
}

enum ks_status verb_device_confine(struct ks_verb_context *context, struct ks_err *err)
{
    struct ks_device_info info;
    return ask(context, true, &info, err);
}

bool verb_device_emulated(const struct ks_device_info *info)
{
    return strcmp(info->kind, "emu") == 0;
}

enum ks_status verb_device_choose(struct ks_verb_context *context, struct ks_device_info *info,
                                  struct ks_err *err)
{
    struct ks_err local = {0};
    enum ks_status status = verb_device_ask(context, info, &local);
    if (status != KS_E_DEVICE || strcmp(context->config.device, "auto") != 0)
        return status == KS_OK ? KS_OK : ks_err_set(err, status, "%s", local.text);
    context->config.device = "emu";
    KS_TRY(verb_device_ask(context, info, err));
    fprintf(stderr, "ks %s: no GPU (%s): on the emulated device, where speed is modelled, not "
                    "measured\n", context->verb, local.text);
    return KS_OK;
}

int verb_device_option(struct ks_verb_context *context, const char *name)
{
    if (name == NULL)
        return EXIT_OK;
    if (!ks_device_known(name))
        return verb_usage(context, "no device `%s` in this build", name);
    const char *now = context->config.device;
    if (strcmp(name, "cuda") != 0 || strcmp(now, "auto") == 0 || strcmp(now, "none") == 0 ||
        ks_device_known(now))
        context->config.device = name;
    return EXIT_OK;
}
