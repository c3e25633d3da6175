// ks-worker: speaks for one device on stdin and stdout (verify/protocol.h). Started by the judge,
// directly or through a launcher such as `srun -G1`.

#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "verify/confine.h"
#include "verify/worker/serve.h"

static const char *device_name = "cuda";
static bool sandbox;
static struct ks_err no_sandbox; // why it could not be entered

// No candidate has been loaded yet: only then is a device opened.
static enum ks_status open_device(struct ks_device *device, struct ks_err *err)
{
    if (no_sandbox.status != KS_OK)
        return ks_err_set(err, KS_E_UNSUPPORTED, "%s", no_sandbox.text);
    KS_TRY(ks_device_open(device_name, device, err));
    return sandbox ? ks_confine_worker_open(err) : KS_OK;
}

int main(int argc, char **argv)
{
    static const char option[] = "--device=";
    if (argc > 1 && strcmp(argv[1], "--version") == 0) {
        printf("ks-worker %s\n", KS_VERSION);
        return 0;
    }
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], option, strlen(option)) == 0) {
            device_name = argv[i] + strlen(option);
        } else if (strcmp(argv[i], "--sandbox") == 0) {
            sandbox = true;
        } else {
            fprintf(stderr, "usage: ks-worker [--device=NAME] [--sandbox]; ks starts it and sends it "
                            "requests\n");
            return 2;
        }
    }
    ks_log_init("ks-worker", KS_LOG_WARN);
    if (sandbox && ks_confine_worker(&no_sandbox) != KS_OK)
        no_sandbox.status = KS_E_UNSUPPORTED;
    return ks_serve_main(open_device, NULL);
}
