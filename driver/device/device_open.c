// Devices by name: what `--device=` and KS_DEVICE may say, and what a worker opens.
#include <string.h>

#include "device/device.h"

static const struct {
    const char *name;
    enum ks_status (*open)(struct ks_device *device, struct ks_err *err);
} devices[] = {
    {"cuda", ks_device_open_cuda},
    {"emu", ks_device_open_emu},
};

#define N_DEVICES (sizeof devices / sizeof *devices)

bool ks_device_known(const char *name)
{
    for (size_t i = 0; i < N_DEVICES; i++)
        if (strcmp(devices[i].name, name) == 0)
            return true;
    return false;
}

enum ks_status ks_device_open(const char *name, struct ks_device *device, struct ks_err *err)
{
    for (size_t i = 0; i < N_DEVICES; i++)
        if (strcmp(devices[i].name, name) == 0)
            return devices[i].open(device, err);
    KS_FAIL(err, KS_E_ABSENT, "this build has no device `%s`", name);
}
