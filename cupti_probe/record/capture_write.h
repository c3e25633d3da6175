// The file of one captured launch (capture.h). For the holder of the capturing lock.
#ifndef KS_CAPTURE_WRITE_H
#define KS_CAPTURE_WRITE_H

#include <sys/types.h>

#include "capture_driver.h"

// A launch between entry and leaving, of one thread.
struct capture_pending {
    struct capture_args args;
    char *symbol;      // owned
    bool lost;         // contents behind it will not be known
    char part[4096], whole[4096];
    int fd;            // of the file; -1: none
    off_t begin;       // of the contents
    off_t at;          // where the next bytes go
    const char *why;   // what went wrong
    // Of the allocation that is compared:
    off_t before;
    bool changed;
    struct capture_pending *next;
};

// Contents before the launch. NULL, or why not.
const char *capture_write_before(const struct capture_call *call, const char *folder, struct capture_pending *p);
// Contents behind it; the file gets its name. NULL, or why not.
const char *capture_write_after(const struct capture_call *call, struct capture_pending *p);
// Frees it; a file that is not whole goes away.
void capture_write_drop(struct capture_pending *p);

#endif
