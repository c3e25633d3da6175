// Where CUPTI's libraries are found.
#ifndef KS_CUPTI_LIBRARY_H
#define KS_CUPTI_LIBRARY_H

// Opens `name` ("libcupti.so", also under the toolkit's version number) in KS_CUPTI_DIR, then where the loader
// looks, then in the toolkit the project was built with. `scope` is RTLD_GLOBAL or RTLD_LOCAL. NULL when none
// opens; dlerror() then tells of the last.
void *ks_cupti_library(const char *name, int scope);

#endif
