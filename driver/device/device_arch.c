// What is known of an architecture without a device of it: enough to refuse plans that no such device
// could launch. Figures of the CUDA programming guide, "Compute Capabilities".
#include <stdio.h>

#include "device/device.h"

struct ks_device_info ks_device_of_arch(int arch)
{
    static const struct {
        int arch, smem_optin, max_threads_sm;
    } known[] = {
        {75, 64 << 10, 1024},  {80, 163 << 10, 2048},  {86, 99 << 10, 1536},
        {87, 163 << 10, 1536}, {88, 99 << 10, 1536},   {89, 99 << 10, 1536},
        {90, 227 << 10, 2048}, {100, 227 << 10, 2048}, {103, 227 << 10, 2048},
        {110, 227 << 10, 1536}, {120, 99 << 10, 1536}, {121, 99 << 10, 1536},
    };
    // Unknown ones get the largest: what is refused must be refusable.
    struct ks_device_info info = {.arch = arch, .smem_optin = 227 << 10, .max_threads_sm = 2048,
                                  .memory_total = INT64_C(1) << 39, .memory_free = INT64_C(1) << 39};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].arch == arch) {
            info.smem_optin = known[i].smem_optin;
            info.max_threads_sm = known[i].max_threads_sm;
        }
    snprintf(info.name, sizeof info.name, "sm_%d", arch);
    snprintf(info.kind, sizeof info.kind, "none");
    return info;
}
