// corrupt: every file that ks-nvcc keeps, damaged in every region, and what a compile makes of it.
//
//   corrupt [--long] SCENE KS_NVCC NVCC WORDS...
//
// As hammer.c; the scene's ordinary run substitutes. A damaged file may cost the substitution, never
// more, and for the time of the damage only: with the file as it was, the next run substitutes.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scene.h"

static bool thorough;
static long damages;

static void write_file(const char *path, const char *data, size_t n)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0 || write(fd, data, n) != (ssize_t)n)
        scene_fail("cannot write");
    close(fd);
}

// The run with the damage, then one with the file as it was.
static void look(const char *name, const struct world_bytes *good)
{
    int status = scene_run(scene.ks_nvcc);
    damages++;
    if (status != scene.nvcc_status) {
        printf("wait status %#x\n", (unsigned)status);
        scene_fail("another status");
    }
    enum object kind = scene_object();
    if (kind != PLAIN && kind != SUBSTITUTED)
        scene_fail("an object that nobody compiled, or none");
    scene_check_text();
    scene_check_depfile();
    if (!scene_is_empty("tmp"))
        scene_fail("something is left in TMPDIR");
    world_remove(scene_path(name));
    write_file(scene_path(name), good->data, good->len);
    scene_check_next();
}

enum damage { CUT_TO_NOTHING, CUT_IN_HALF, CUT_BY_ONE, GROWN, ZEROED, REMOVED, A_FOLDER, A_LINK, A_FIFO };
static const char *const damage_names[] = {"cut to nothing", "cut in half", "cut by a byte",
                                           "grown",          "zeroed",      "removed",
                                           "a folder",       "a dangling link", "a fifo"};

static void damage(const char *name, const struct world_bytes *good, enum damage how)
{
    char *zeroes = calloc(good->len + 8, 1);
    scene_restore();
    const char *path = scene_path(name);
    snprintf(scene.what, sizeof scene.what, "%s %s", name, damage_names[how]);
    world_remove(path);
    switch (how) {
    case CUT_TO_NOTHING:
        write_file(path, "", 0);
        break;
    case CUT_IN_HALF:
        write_file(path, good->data, good->len / 2);
        break;
    case CUT_BY_ONE:
        write_file(path, good->data, good->len - 1);
        break;
    case GROWN:
        memcpy(zeroes, good->data, good->len);
        memcpy(zeroes + good->len, "more\n", 5);
        write_file(path, zeroes, good->len + 5);
        break;
    case ZEROED:
        write_file(path, zeroes, good->len);
        break;
    case REMOVED:
        break;
    case A_FOLDER:
        mkdir(path, 0777);
        break;
    case A_LINK:
        (void)!symlink("/no/such/file", path);
        break;
    case A_FIFO:
        mkfifo(path, 0666);
        break;
    }
    free(zeroes);
    look(name, good);
}

static void flip(const char *name, const struct world_bytes *good, size_t at, int bit)
{
    char *bad = malloc(good->len);
    scene_restore();
    const char *path = scene_path(name);
    snprintf(scene.what, sizeof scene.what, "%s: bit %d of byte %zu", name, bit, at);
    memcpy(bad, good->data, good->len);
    bad[at] = (char)(bad[at] ^ (1 << bit));
    write_file(path, bad, good->len);
    free(bad);
    look(name, good);
}

static bool is_ours(const char *name)
{
    // The secret key is the tuner's. Of the toolkit's text any byte may be another toolkit's.
    return (strncmp(name, "home/.cache/ks/", 15) == 0 || strncmp(name, ".ks/", 4) == 0) &&
           name[strlen(name) - 1] != '/';
}

int main(int argc, char **argv)
{
    int at = 1;
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc > 1 && strcmp(argv[1], "--long") == 0) {
        thorough = true;
        at++;
    }
    scene.may_substitute = true;
    if (!scene_words(argc - at, argv + at))
        return 2;
    scene_reference();
    struct world_bytes names = world_list(scene.state, NULL);
    size_t files = 0;
    char *rest = NULL;
    for (char *name = strtok_r(names.data, "\n", &rest); name != NULL;
         name = strtok_r(NULL, "\n", &rest)) {
        if (!is_ours(name))
            continue;
        scene_restore();
        struct world_bytes good = world_read(scene_path(name));
        long before = damages;
        for (enum damage how = CUT_TO_NOTHING; how <= A_FIFO; how++)
            if (good.len > 0 || how >= REMOVED)
                damage(name, &good, how);
        // In the sample some forty bytes of each, others in each file.
        size_t stride = thorough || good.len < 40 ? 1 : good.len / 40 + 1;
        for (size_t byte = files % stride; byte < good.len; byte += stride)
            flip(name, &good, byte, (int)(byte + files) % 8);
        printf("%5ld  %s\n", damages - before, name);
        files++;
        world_free(&good);
    }
    if (files < 5)
        scene_fail("there is hardly a file to damage");
    printf("%ld damages in %zu files, %ld runs\n", damages, files, scene.runs);
    return 0;
}
