#include "cupti_library.h"

#include <cupti_version.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static void *open_in(const char *dir, const char *name, int scope)
{
    char path[4096];
    int n = snprintf(path, sizeof path, "%s%s%s", dir, dir[0] != '\0' ? "/" : "", name);
    return n < (int)sizeof path ? dlopen(path, RTLD_NOW | scope) : NULL;
}

void *ks_cupti_library(const char *name, int scope)
{
    char versioned[64]; // what an installation without the development files has
    snprintf(versioned, sizeof versioned, "%s.%d", name, CUPTI_API_VERSION / 10000);
    const char *dir = getenv("KS_CUPTI_DIR");
    const char *const dirs[] = {dir != NULL ? dir : "", "", KS_TOOLKIT_LIB_DIR};
    const char *const names[] = {versioned, name};
    void *handle = NULL;
    for (int i = 0; i < 6 && handle == NULL; i++)
        handle = open_in(dirs[i / 2], names[i % 2], scope);
    return handle;
}
