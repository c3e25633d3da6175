#include "nvcc/host_front.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "os/file.h"
#include "os/proc.h"

#define EXIT_FAILED 1

bool ks_host_front_is(const char *program)
{
    return program != NULL && strcmp(ks_path_base(program), KS_HOST_FRONT) == 0;
}

// gcc tells its children who it is.
static const char *find_real(struct ks_arena *arena)
{
    const char *driver = getenv("COLLECT_GCC");
    const char *const argv[] = {driver, "-print-prog-name=" KS_HOST_FRONT, NULL};
    struct ks_proc_options options = {.capture_stdout = true, .null_stdin = true};
    struct ks_proc_result result;
    if (driver == NULL || ks_proc_run(arena, argv, &options, &result, NULL) != KS_OK ||
        result.exit_code != 0)
        return NULL;
    struct ks_slice line = result.out;
    while (line.len > 0 && line.at[line.len - 1] == '\n')
        line.len--;
    const char *path = ks_arena_strndup(arena, line.at, line.len);
    return path[0] == '/' && !ks_host_front_is(driver) ? path : NULL;
}

int ks_host_front(int argc, char **argv)
{
    struct ks_arena arena = {0};
    struct ks_strv words = {0};
    const char *real = find_real(&arena);
    size_t folder = (size_t)(ks_path_base(argv[0]) - argv[0]);
    if (real == NULL)
        return EXIT_FAILED;
    ks_strv_add(&arena, &words, real);
    for (int i = 1; i < argc; i++) {
        bool shadow = folder > 0 && strncmp(argv[i], argv[0], folder) == 0 &&
                      strchr(argv[i] + folder, '/') == NULL && ks_file_exists(argv[i]);
        if (shadow) {
            int fd = open(argv[i], O_RDONLY | O_CLOEXEC);
            if (fd < 0 || dup2(fd, STDIN_FILENO) < 0)
                return EXIT_FAILED;
        }
        ks_strv_add(&arena, &words, shadow ? "-" : argv[i]);
    }
    ks_proc_exec(real, words.at, NULL);
    return EXIT_FAILED;
}
