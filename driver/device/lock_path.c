#include "device/device.h"

const char *ks_device_lock_path(struct ks_arena *arena, const char *runtime_dir, const char *uuid)
{
    return ks_arena_printf(arena, "%s/%s.lock", runtime_dir, uuid);
}
