#include "record_cupti.h"

#include <dlfcn.h>
#include <stdio.h>

#include "../cupti_library.h"

const char *record_cupti_open(struct record_cupti *cupti, const char **text)
{
    static char sentence[1024];
    *text = sentence;
    void *library = ks_cupti_library("libcupti.so", RTLD_LOCAL);
    if (library == NULL) {
        const char *why = dlerror();
        snprintf(sentence, sizeof sentence, "libcupti.so: %s; install CUPTI of the CUDA Toolkit, or set "
                 "KS_CUPTI_DIR to its folder", why != NULL ? why : "not found");
        return "cupti-absent";
    }
#define RECORD_CUPTI_LOAD(name)                                                                    \
    *(void **)&cupti->name = dlsym(library, #name);                                               \
    if (cupti->name == NULL) {                                                                    \
        snprintf(sentence, sizeof sentence, "libcupti.so has no " #name ": recording needs that of " \
                 "CUDA 13");                                                                      \
        return "cupti-old";                                                                       \
    }
    RECORD_CUPTI_FUNCTIONS(RECORD_CUPTI_LOAD)
#undef RECORD_CUPTI_LOAD
    return NULL;
}
