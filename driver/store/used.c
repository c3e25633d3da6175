#include "store/used.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>

#define RENEW_AFTER (24 * 3600)

int64_t ks_used_age(const char *path)
{
    struct stat st;
    struct timespec now;
    if (lstat(path, &st) != 0)
        return -1;
    clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec > st.st_mtim.tv_sec ? now.tv_sec - st.st_mtim.tv_sec : 0;
}

void ks_used_note(const char *path)
{
    if (ks_used_age(path) > RENEW_AFTER)
        (void)utimensat(AT_FDCWD, path, NULL, 0);
}
