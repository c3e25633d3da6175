#include "cfg/owner.h"

#include <unistd.h>

const char *ks_owner_problem(const struct stat *st, uid_t also)
{
    if (st->st_uid != geteuid() && st->st_uid != 0 && st->st_uid != also)
        return "belongs to another user";
    if ((st->st_mode & S_IWOTH) != 0)
        return "can be written by everybody";
    return NULL;
}
