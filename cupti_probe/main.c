// ks-probe: a worker that profiles (serve_profile.h).
//
// `ks-probe --catalogue CHIP` lists, without a GPU, which metrics of the set a chip has; `ks-probe --check`
// says whether CUPTI opens.
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "range.h"
#include "serve_profile.h"

static int print_catalogue(const char *chip)
{
    struct ks_arena arena = {0};
    struct ks_err err = {0};
    const char **names;
    size_t n, passes;
    if (ks_range_catalogue(&arena, chip, &names, &n, &passes, &err) != KS_OK) {
        fprintf(stderr, "ks-probe: %s\n", err.text);
        return 1;
    }
    for (size_t i = 0; i < n; i++)
        printf("%s\n", names[i]);
    printf("%zu metrics, %zu passes on %s\n", n, passes, chip);
    ks_arena_free(&arena);
    return 0;
}

// One line for `ks doctor`: "ok", or the code and the sentence. No GPU is touched.
static int print_check(void)
{
    const struct ks_cupti *cupti;
    struct ks_err err = {0};
    if (ks_cupti_open(&cupti, &err) == KS_OK && ks_cupti_counters(cupti, &err) == KS_OK) {
        printf("ok\n");
        return 0;
    }
    printf("%s: %s\n", ks_cupti_code(), err.text);
    return 1;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--catalogue") == 0)
        return print_catalogue(argv[2]);
    if (argc == 2 && strcmp(argv[1], "--check") == 0)
        return print_check();
    if (argc > 1) {
        fprintf(stderr, "usage: ks-probe [--catalogue CHIP | --check]; ks starts it and sends it requests\n");
        return 2;
    }
    ks_log_init("ks-probe", KS_LOG_WARN);
    return ks_serve_main(ks_device_open_cuda, &ks_probe_verb);
}
