// ks-make-variant: a signed variant without a judge, so that everything behind judging can be tested
// on a machine without a GPU. Never installed. What it claims as evidence is made up and says so
// (device "test"); what the variant compiles to is read from a real compile.
//
//   ks-make-variant [--kernel=INSTANCE] [--arch=N] [--domain=EXPR] [--key=FILE] [--level=LEVEL]
//                   [--lower=F] PROPOSAL.yaml FILE.cu [-- NVCC WORDS]
//   ks-make-variant --original [...] FILE.cu [-- NVCC WORDS]    the decision that the original stays
//   ks-make-variant --resign FILE [--key=FILE]                  after a test has edited a variant
//   ks-make-variant --public --key=FILE                         the public half, for `trust:`
//
// Keys: --key (made if absent), else the user's own in KS_CONFIG_DIR (made if absent). A key follows
// from its path, so that what is compiled with its name in it is the same in the next test. Prints
// the paths of what it wrote, one a line.
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/verb.h"
#include "base/log.h"
#include "fmt/hash.h"
#include "os/file.h"
#include "source/dispatch.h"
#include "store/store_path.h"

struct request {
    const char *kernel, *domain, *key_file, *level, *proposal, *file;
    int arch;
    double lower;
    bool original, resign, public_half;
    const char *const *words;
};

static void must(enum ks_status status, const struct ks_err *err)
{
    if (status == KS_OK)
        return;
    fprintf(stderr, "ks-make-variant: %s\n", err->text);
    exit(1);
}

static const char *value_of(const char *word, const char *option)
{
    size_t n = strlen(option);
    return strncmp(word, option, n) == 0 && word[n] == '=' ? word + n + 1 : NULL;
}

static bool read_words(char **argv, struct request *r)
{
    *r = (struct request){.level = "measured", .domain = "1", .lower = 1.5};
    const char *value;
    for (char **at = argv + 1; *at != NULL; at++) {
        if (strcmp(*at, "--") == 0) {
            r->words = (const char *const *)at + 1;
            break;
        }
        if ((value = value_of(*at, "--kernel")) != NULL)
            r->kernel = value;
        else if ((value = value_of(*at, "--arch")) != NULL)
            r->arch = atoi(value);
        else if ((value = value_of(*at, "--domain")) != NULL)
            r->domain = value;
        else if ((value = value_of(*at, "--key")) != NULL)
            r->key_file = value;
        else if ((value = value_of(*at, "--level")) != NULL)
            r->level = value;
        else if ((value = value_of(*at, "--lower")) != NULL)
            r->lower = atof(value);
        else if (strcmp(*at, "--original") == 0)
            r->original = true;
        else if (strcmp(*at, "--resign") == 0)
            r->resign = true;
        else if (strcmp(*at, "--public") == 0)
            r->public_half = true;
        else if (**at == '-')
            return false;
        else if (r->proposal == NULL && !r->original && !r->resign)
            r->proposal = *at;
        else if (r->file == NULL)
            r->file = *at;
        else
            return false;
    }
    return r->public_half ? r->key_file != NULL : r->file != NULL;
}

static void make_key(struct ks_arena *arena, const char *path)
{
    struct ks_err err = {0};
    struct ks_secret_key secret;
    unsigned char public_half[crypto_sign_PUBLICKEYBYTES];
    struct ks_digest seed;
    must(ks_dir_make(ks_path_dir(arena, path), &err), &err);
    path = ks_path_join(arena, ks_path_real(arena, ks_path_dir(arena, path)), ks_path_base(path));
    seed = ks_digest_of("key of a test", path, strlen(path));
    memcpy(secret.id, seed.b, sizeof secret.id);
    if (sodium_init() < 0 || crypto_sign_seed_keypair(public_half, secret.key, seed.b) != 0)
        must(ks_err_set(&err, KS_E_IO, "%s: no key can be made", path), &err);
    must(ks_secret_save(path, &secret, &err), &err);
}

static void get_key(struct ks_arena *arena, const struct ks_config *config, const struct request *r,
                    struct ks_secret_key *secret)
{
    struct ks_err err = {0};
    const char *path = r->key_file;
    if (path == NULL && config->config_dir != NULL)
        path = ks_path_join(arena, config->config_dir, "key.sec");
    if (path != NULL && !ks_file_exists(path))
        make_key(arena, path);
    must(r->key_file == NULL ? ks_user_key(config, true, secret, &err)
                             : ks_secret_load(path, secret, &err),
         &err);
}

// FILE stands in <tier>/<key>/<name>.yaml; its bytes are what they are.
static void resign(struct ks_arena *arena, const struct request *r,
                   const struct ks_secret_key *secret)
{
    struct ks_err err = {0};
    struct ks_slice text, signature;
    struct ks_digest key;
    const char *dir = ks_path_dir(arena, r->file), *base = ks_path_base(r->file);
    const char *name = ks_arena_strndup(arena, base, strlen(base) - strlen(KS_STORE_SUFFIX));
    if (!ks_digest_parse(ks_path_base(dir), &key))
        must(ks_err_set(&err, KS_E_USER, "%s is in no folder of a store", r->file), &err);
    must(ks_file_read(arena, r->file, KS_STORE_LARGEST, &text, &err), &err);
    must(ks_sign(arena, secret, text, ks_store_comment(arena, &key, name), &signature, &err), &err);
    must(ks_file_write(ks_arena_printf(arena, "%s" KS_STORE_SIGNATURE, r->file), signature.at,
                       signature.len, false, 0, &err), &err);
    puts(r->file);
}

static void make_original(struct ks_arena *arena, const struct verb_tu *tu,
                          const struct ks_tu_kernel *kernel, const struct ks_secret_key *secret)
{
    struct ks_err err = {0};
    const char *path;
    const struct ks_original_decision decision = {
        .key = kernel->key, .key_text = kernel->key_text, .kernel = kernel->signature->instance,
        .date = "2025-01-01T00:00:00Z", .device = "test", .arch = kernel->arch, .tried = 3,
        .correct = 2, .budget_seconds = 60, .upper_bound = 1.004, .complete = true};
    must(ks_store_put_original(arena, &tu->store, secret, &decision, &path, &err), &err);
    puts(path);
}

static void read_proposal(struct ks_arena *arena, const char *path,
                          const struct ks_tu_kernel *kernel, struct ks_proposal *proposal)
{
    struct ks_err err = {0};
    struct ks_slice text;
    struct ks_yaml *root;
    must(ks_file_read(arena, path, KS_STORE_LARGEST, &text, &err), &err);
    must(ks_yaml_parse(arena, path, text, &root, &err), &err);
    must(ks_proposal_read(arena, path, root, proposal, &err), &err);
    must(ks_proposal_check(arena, proposal, kernel->signature, &err), &err);
}

// What this variant's kernels are when the unit is compiled with them.
static void fill_built(struct ks_arena *arena, const struct verb_tu *tu,
                       const struct ks_substitution *sub, struct ks_evidence *evidence)
{
    struct ks_err err = {0};
    struct ks_tu_compile compile = {.quiet = true};
    struct ks_tu_built built = {0};
    const char *shadow, *keep = ks_path_join(arena, tu->dir, ks_arena_printf(arena, "keep-%s",
                                                                             sub->id));
    must(ks_dir_make(keep, &err), &err);
    must(ks_tu_compile_shadow(arena, &tu->tu, sub, 1, true, ks_path_join(arena, tu->dir, "shadow"),
                              keep, ks_path_join(arena, tu->dir, "shadow.o"),
                              ks_path_join(arena, keep, "shadow.d"), &compile, &shadow, &err),
         &err);
    if (compile.exit_code != 0)
        must(ks_err_set(&err, KS_E_USER, "the variant does not compile:\n%.*s",
                        (int)(compile.err.len < 900 ? compile.err.len : 900), compile.err.at),
             &err);
    must(ks_tu_built_read(arena, &tu->tu, &compile, sub, &built, &err), &err);
    evidence->n_kernels = built.n;
    evidence->kernels = KS_NEW_ARRAY(arena, const char *, built.n);
    for (size_t i = 0; i < built.n; i++)
        evidence->kernels[i] = sub->proposal->kernels.at[i].name;
    evidence->ptx = built.ptx;
    evidence->sass = built.sass;
}

static void make_variant(struct ks_arena *arena, const struct verb_tu *tu,
                         const struct ks_tu_kernel *kernel, const struct request *r,
                         const struct ks_secret_key *secret)
{
    struct ks_err err = {0};
    struct ks_variant variant = {
        .key = kernel->key, .key_text = kernel->key_text, .kernel = kernel->signature->instance,
        .arch = kernel->arch, .correctness = KS_C_CORRECT,
        .speed = strcmp(r->level, "measured") == 0 ? KS_S_FASTER : KS_S_MODELLED,
        .proposer = "test", .parent = "", .rationale = "Made by a test; nothing was measured.",
        .geomean = r->lower * 1.1, .lower = r->lower};
    variant.evidence = (struct ks_evidence){
        .level = r->level, .device = "test", .driver = "none", .nvcc = tu->toolkit.version,
        .date = "2025-01-01T00:00:00Z", .judge = "none", .deterministic = true};
    read_proposal(arena, r->proposal, kernel, &variant.proposal);
    must(ks_expr_parse(arena, "--domain", ks_slice_of(r->domain), &variant.domain, &err), &err);
    variant.id = ks_proposal_id(arena, &variant.proposal);
    char hex[KS_HASH_TEXT];
    ks_digest_hex(&kernel->key, hex);
    const struct ks_substitution sub = {
        .signature = kernel->signature, .decl = kernel->mark->decl,
        .file = kernel->mark->file->path, .in_tu = kernel->mark->in_tu,
        .proposal = &variant.proposal, .domain = variant.domain, .key = hex, .id = variant.id,
        .arch = kernel->arch, .suffix = ks_cmdline_suffix(&tu->cmd, kernel->arch),
        .provenance = "made by a test"};
    fill_built(arena, tu, &sub, &variant.evidence);
    const char *path;
    must(ks_store_put_variant(arena, &tu->store, secret, &variant, &path, &err), &err);
    puts(path);
}

int main(int argc, char **argv)
{
    struct ks_arena arena = {0};
    struct ks_err err = {0};
    struct request r;
    struct ks_secret_key secret;
    struct ks_verb_context context = {.arena = &arena};
    ks_log_init("ks-make-variant", KS_LOG_WARN);
    if (argc < 2 || !read_words(argv, &r)) {
        fprintf(stderr, "usage: see the head of make_variant.c\n");
        return 2;
    }
    const char *const none[] = {NULL};
    must(ks_config_load(&arena, none, &context.config, &err), &err);
    get_key(&arena, &context.config, &r, &secret);
    if (r.public_half) {
        struct ks_pubkey half;
        char text[KS_PUBKEY_TEXT];
        ks_secret_public(&secret, &half);
        ks_pubkey_text(&half, text);
        puts(text);
        return 0;
    }
    if (r.resign) {
        resign(&arena, &r, &secret);
        return 0;
    }
    struct verb_tu tu;
    size_t made = 0;
    must(verb_tu_open(&context, r.file, r.words, &tu, &err), &err);
    for (size_t i = 0; i < tu.tu.n_kernels; i++) {
        const struct ks_tu_kernel *kernel = &tu.tu.kernels[i];
        if (kernel->reason != KS_R_APPLIED || (r.arch != 0 && r.arch != kernel->arch) ||
            (r.kernel != NULL && strcmp(r.kernel, kernel->signature->instance) != 0))
            continue;
        if (r.original)
            make_original(&arena, &tu, kernel, &secret);
        else
            make_variant(&arena, &tu, kernel, &r, &secret);
        made++;
    }
    for (size_t i = 0; made == 0 && i < tu.tu.n_kernels; i++)
        fprintf(stderr, "ks-make-variant: there is %s (sm_%d): %s %s\n",
                tu.tu.kernels[i].signature != NULL ? tu.tu.kernels[i].signature->instance
                                                   : tu.tu.kernels[i].mark->decl->qualified,
                tu.tu.kernels[i].arch, ks_reason_name(tu.tu.kernels[i].reason),
                tu.tu.kernels[i].reason_text);
    verb_tu_close(&tu);
    ks_arena_free(&arena);
    return made > 0 ? 0 : 1;
}
