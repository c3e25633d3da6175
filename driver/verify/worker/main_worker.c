// ks-worker: speaks for one device on stdin and stdout (verify/protocol.h). Started by the judge,
// directly or through a launcher such as `srun -G1`.

#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "verify/worker/serve.h"

static const char *device_name = "cuda";

static enum ks_status open_device(struct ks_device *device, struct ks_err *err)
{
    return ks_device_open(device_name, device, err);
}

int main(int argc, char **argv)
{
    static const char option[] = "--device=";
    if (argc > 1 && strcmp(argv[1], "--version") == 0) {
        printf("ks-worker %s\n", KS_VERSION);
        return 0;
    }
    if (argc == 2 && strncmp(argv[1], option, strlen(option)) == 0) {
        device_name = argv[1] + strlen(option);
    } else if (argc > 1) {
        fprintf(stderr, "usage: ks-worker [--device=NAME]; ks starts it and sends it requests\n");
        return 2;
    }
    ks_log_init("ks-worker", KS_LOG_WARN);
    return ks_serve_main(open_device, NULL);
}
