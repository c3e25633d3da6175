// Devices by name: what `--device=` and KS_DEVICE may say, and what a worker opens.
#include <string.h>

#include "base/num.h"

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

bool ks_device_emulated(const char *name)
{
    return strcmp(name, "emu") == 0 ||
           strncmp(name, KS_DEVICE_EMU_SEED, strlen(KS_DEVICE_EMU_SEED)) == 0;
}

enum ks_status ks_device_open(const char *name, struct ks_device *device, struct ks_err *err)
{
    int64_t seed;
    if (strncmp(name, KS_DEVICE_EMU_SEED, strlen(KS_DEVICE_EMU_SEED)) == 0 &&
        ks_parse_i64(name + strlen(KS_DEVICE_EMU_SEED), &seed))
        return ks_device_open_emu_at(device, (uint64_t)seed, err);
    for (size_t i = 0; i < N_DEVICES; i++)
        if (strcmp(devices[i].name, name) == 0)
            return devices[i].open(device, err);
    KS_FAIL(err, KS_E_ABSENT, "this build has no device `%s`", name);
}
