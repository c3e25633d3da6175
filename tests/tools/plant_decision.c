// ks-plant-decision: a signed decision for any key, without a kernel and without a compiler, so that
// everything that moves, counts and drops decisions can be tested quickly. Never installed.
//
//   ks-plant-decision [--sign=FILE] [--kernel=NAME] [--arch=N] [--lower=F] [--text=WORD] [--level=LEVEL]
//                     [--original] DIR KEY
//
// DIR is a tier (.ks, <cache>/variants, a shared folder); KEY is hexadecimal, filled with zeroes. WORD
// makes another proposal, so another id. --sign: a secret key's file, made if absent; else the user's
// own. Prints the path of what it wrote.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "fmt/yaml.h"
#include "os/file.h"
#include "store/store.h"

static struct ks_arena arena;
static struct ks_err err;

static void must(enum ks_status status)
{
    if (status == KS_OK)
        return;
    fprintf(stderr, "ks-plant-decision: %s\n", err.text);
    exit(1);
}

static const char *word(int argc, char **argv, const char *name, const char *fallback)
{
    size_t n = strlen(name);
    for (int i = 1; i < argc; i++)
        if (strncmp(argv[i], name, n) == 0)
            return argv[i] + n;
    return fallback;
}

static void get_key(const char *file, struct ks_secret_key *secret)
{
    struct ks_config config;
    struct ks_pubkey half;
    const char *const none[] = {NULL};
    if (file != NULL && ks_file_exists(file)) {
        must(ks_secret_load(file, secret, &err));
    } else if (file != NULL) {
        must(ks_key_generate(secret, &half, &err));
        must(ks_secret_save(file, secret, &err));
    } else {
        must(ks_config_load(&arena, none, &config, &err));
        must(ks_user_key(&config, true, secret, &err));
    }
}

static void make_proposal(const char *text, struct ks_proposal *proposal)
{
    const char *yaml = ks_arena_printf(
        &arena,
        "params: [x, n]\nsource: |\n  __global__ void f(float *x, int n) { x[0] = %s; }\n"
        "plan:\n  - {kernel: f, grid: [1], block: [1], args: [x, n]}\n",
        text);
    struct ks_yaml *root;
    must(ks_yaml_parse(&arena, "proposal", ks_slice_of(yaml), &root, &err));
    must(ks_proposal_read(&arena, "proposal", root, proposal, &err));
}

int main(int argc, char **argv)
{
    ks_log_init("ks-plant-decision", KS_LOG_WARN);
    if (argc < 3 || strlen(argv[argc - 1]) > KS_HASH_TEXT - 1)
        return fprintf(stderr, "usage: see the head of plant_decision.c\n"), 2;
    const char *dir = ks_path_absolute(&arena, argv[argc - 2]), *given = argv[argc - 1];
    char hex[KS_HASH_TEXT];
    memset(hex, '0', sizeof hex - 1);
    hex[sizeof hex - 1] = '\0';
    memcpy(hex, given, strlen(given));
    struct ks_secret_key secret;
    get_key(word(argc, argv, "--sign=", NULL), &secret);
    const char *kernel = word(argc, argv, "--kernel=", "planted"), *path;
    int arch = atoi(word(argc, argv, "--arch=", "90"));
    double lower = atof(word(argc, argv, "--lower=", "1.5"));
    struct ks_digest key;
    if (!ks_digest_parse(hex, &key))
        return fprintf(stderr, "ks-plant-decision: %s is no key\n", given), 2;
    const struct ks_store store = {
        .tiers = {{.kind = ks_ends_with(dir, "/.ks") ? KS_TIER_PROJECT : KS_TIER_USER, .dir = dir,
                   .index = ks_path_join(&arena, dir, "index")}},
        .n_tiers = 1};
    const char *key_text = ks_arena_printf(&arena, "format: 1\narch: sm_%d\n", arch);
    if (word(argc, argv, "--original", NULL) != NULL) {
        const struct ks_original_decision decision = {
            .key = key, .key_text = key_text, .kernel = kernel, .date = "2025-01-01T00:00:00Z",
            .device = "test", .arch = arch, .tried = 3, .correct = 2, .budget_seconds = 60,
            .upper_bound = 1.004, .complete = true};
        must(ks_store_put_original(&arena, &store, &secret, &decision, &path, &err));
    } else {
        const char *level = word(argc, argv, "--level=", "measured");
        struct ks_variant v = {
            .key = key, .key_text = key_text, .kernel = kernel, .arch = arch,
            .correctness = KS_C_CORRECT,
            .speed = strcmp(level, "measured") == 0 ? KS_S_FASTER : KS_S_MODELLED,
            .proposer = "test", .parent = "", .rationale = "Made by a test.",
            .geomean = lower * 1.1, .lower = lower,
            .evidence = {.level = level, .device = "test", .driver = "none", .nvcc = "none",
                         .date = "2025-01-01T00:00:00Z", .judge = "none"}};
        make_proposal(word(argc, argv, "--text=", "1"), &v.proposal);
        must(ks_expr_parse(&arena, "domain", KS_SLICE("1"), &v.domain, &err));
        v.id = ks_proposal_id(&arena, &v.proposal);
        must(ks_store_put_variant(&arena, &store, &secret, &v, &path, &err));
    }
    puts(path);
    ks_arena_free(&arena);
    return 0;
}
