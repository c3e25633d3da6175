#include "capture_write.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void put_triple(FILE *file, const char *word, const unsigned n[3])
{
    fprintf(file, ",\"%s\":[%u,%u,%u]", word, n[0], n[1], n[2]);
}

static void put_header(FILE *file, const struct capture_call *call, const struct capture_args *args)
{
    fprintf(file, "{\"launch\":1,\"symbol\":\"%s\"", call->symbol);
    put_triple(file, "grid", call->grid);
    put_triple(file, "block", call->block);
    fprintf(file, ",\"shared\":%u,\"params\":[", call->shared);
    for (size_t i = 0; i < args->n_params; i++) {
        fprintf(file, "%s{\"offset\":%zu,\"hex\":\"", i > 0 ? "," : "", args->params[i].offset);
        for (size_t k = 0; k < args->params[i].size; k++)
            fprintf(file, "%02x", args->params[i].bytes[k]);
        fputs("\"}", file);
    }
    fputs("],\"pointers\":[", file);
    for (size_t i = 0; i < args->n_pointers; i++)
        fprintf(file, "%s{\"param\":%zu,\"at\":%zu,\"allocation\":%zu,\"offset\":%zu}", i > 0 ? "," : "",
                args->pointers[i].param, args->pointers[i].at, args->pointers[i].allocation,
                args->pointers[i].offset);
    fputs("],\"allocations\":[", file);
    for (size_t i = 0; i < args->n_allocations; i++)
        fprintf(file, "%s{\"base\":\"0x%llx\",\"size\":%zu}", i > 0 ? "," : "",
                (unsigned long long)args->allocations[i].base, args->allocations[i].size);
    fprintf(file, "],\"cooperative\":%s,\"graph\":%s}\n", call->cooperative ? "true" : "false",
            call->graph ? "true" : "false");
}

void capture_write_drop(struct capture_pending *p)
{
    if (p->fd >= 0) {
        close(p->fd);
        unlink(p->part);
    }
    free(p->symbol);
    free(p);
}

static bool put_bytes(struct capture_pending *p, const void *bytes, size_t n)
{
    for (size_t done = 0; done < n;) {
        ssize_t wrote = pwrite(p->fd, (const char *)bytes + done, n - done, p->at + (off_t)done);
        if (wrote <= 0 && !(wrote < 0 && errno == EINTR)) {
            p->why = "its file cannot be written: is the disk full?";
            return false;
        }
        done += wrote > 0 ? (size_t)wrote : 0;
    }
    p->at += (off_t)n;
    return true;
}

static bool take_before(void *to, size_t at, const void *bytes, size_t n)
{
    (void)at;
    return put_bytes(to, bytes, n);
}

// Written behind what is there already, compared with what lies in the file from before.
static bool take_after(void *to, size_t at, const void *bytes, size_t n)
{
    struct capture_pending *p = to;
    static char before[1 << 16]; // under the lock
    for (size_t done = 0; done < n && !p->changed;) {
        size_t part = n - done < sizeof before ? n - done : sizeof before;
        p->changed = pread(p->fd, before, part, p->before + (off_t)(at + done)) != (ssize_t)part ||
                     memcmp(before, (const char *)bytes + done, part) != 0;
        done += part;
    }
    return put_bytes(p, bytes, n);
}

const char *capture_write_before(const struct capture_call *call, const char *folder, struct capture_pending *p)
{
    char *text = NULL;
    size_t n = 0;
    p->symbol = strdup(call->symbol);
    static int next_file;
    snprintf(p->whole, sizeof p->whole, "%s/%d-%d", folder, (int)getpid(), next_file++);
    snprintf(p->part, sizeof p->part, "%.*s.part", (int)sizeof p->part - 6, p->whole);
    FILE *header = open_memstream(&text, &n);
    if (header == NULL || p->symbol == NULL)
        return "there is no memory";
    put_header(header, call, &p->args);
    fclose(header);
    p->fd = open(p->part, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    bool ok = p->fd >= 0 && put_bytes(p, text, n);
    free(text);
    if (!ok)
        return "its file cannot be written: is the disk full?";
    p->begin = p->at;
    for (size_t i = 0; i < p->args.n_allocations && ok; i++)
        ok = capture_copy(call->context, p->args.allocations[i].base, p->args.allocations[i].size,
                          take_before, p);
    return ok ? NULL : p->why != NULL ? p->why : "its memory cannot be read";
}

const char *capture_write_after(const struct capture_call *call, struct capture_pending *p)
{
    char text[16 + 8 * CAPTURE_POINTERS];
    int n = snprintf(text, sizeof text, "\n{\"after\":[");
    off_t before = p->begin;
    for (size_t i = 0; i < p->args.n_allocations; i++) {
        const struct capture_allocation *a = &p->args.allocations[i];
        if (p->lost) { // something else may have written there since
            n += snprintf(text + n, sizeof text - (size_t)n, "%snull", i > 0 ? "," : "");
            continue;
        }
        off_t begin = p->at;
        p->before = before;
        p->changed = false;
        if (!capture_copy(call->context, a->base, a->size, take_after, p))
            return p->why != NULL ? p->why : "its memory cannot be read";
        if (!p->changed)
            p->at = begin; // what follows takes its place
        n += snprintf(text + n, sizeof text - (size_t)n, "%s%s", i > 0 ? "," : "", p->changed ? "true" : "false");
        before += (off_t)a->size;
    }
    n += snprintf(text + n, sizeof text - (size_t)n, "]}\n");
    if (!put_bytes(p, text, (size_t)n) || ftruncate(p->fd, p->at) != 0 || rename(p->part, p->whole) != 0)
        return "its file cannot be written: is the disk full?";
    close(p->fd);
    p->fd = -1;
    return NULL;
}
