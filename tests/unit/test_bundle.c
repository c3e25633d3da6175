// Bundles: a round trip through one file; every other file is refused before anything is written; and
// what comes into a tier that has decisions of its own.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/rng.h"
#include "fmt/tar.h"
#include "fmt/yaml.h"
#include "os/file.h"
#include "store/merge.h"
#include "store/pin.h"

static struct ks_arena arena;
static char *base;
static struct ks_config config;
static struct ks_secret_key secret, stranger;
static struct ks_pubkey trusted, unknown;
static struct ks_err err;

static int setup(void **state)
{
    (void)state;
    if (access("/dev/shm", W_OK) == 0)
        setenv("TMPDIR", "/dev/shm", 1);
    if (ks_dir_temp(&arena, "ks-bundle", &base, &err) != KS_OK ||
        ks_key_generate(&secret, &trusted, &err) != KS_OK ||
        ks_key_generate(&stranger, &unknown, &err) != KS_OK)
        return -1;
    config = (struct ks_config){.cache_dir = ks_path_join(&arena, base, "cache")};
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    ks_tree_remove(base, NULL);
    ks_arena_free(&arena);
    return 0;
}

static struct ks_store tier(const char *name)
{
    const char *dir = ks_path_join(&arena, base, name);
    return (struct ks_store){.tiers = {{.kind = KS_TIER_USER, .dir = dir,
                                        .index = ks_path_join(&arena, dir, "index"),
                                        .keys = &trusted, .n_keys = 1}},
                             .n_tiers = 1};
}

static struct ks_digest key(int i)
{
    return (struct ks_digest){{(unsigned char)i, 9}};
}

static struct ks_variant variant(int i, const char *body, double lower)
{
    struct ks_variant v = {.key = key(i), .key_text = "arch: sm_90\n", .kernel = "k", .arch = 90,
                           .correctness = KS_C_CORRECT, .speed = KS_S_FASTER, .proposer = "engine",
                           .geomean = lower + 0.1, .lower = lower,
                           .evidence = {.level = "measured"}};
    const char *text = ks_arena_printf(
        &arena, "source: |\n  __global__ void f(float *x) { %s }\nplan:\n  - kernel: f\n    args: [x]\n",
        body);
    struct ks_yaml *root;
    if (ks_yaml_parse(&arena, "p", ks_slice_of(text), &root, &err) != KS_OK ||
        ks_proposal_read(&arena, "p", root, &v.proposal, &err) != KS_OK ||
        ks_expr_parse(&arena, "d", KS_SLICE("1"), &v.domain, &err) != KS_OK)
        fail_msg("%s", err.text);
    v.id = ks_proposal_id(&arena, &v.proposal);
    return v;
}

static void put(const struct ks_store *store, const struct ks_secret_key *by, int i,
                const char *body, double lower)
{
    struct ks_variant v = variant(i, body, lower);
    const char *path;
    if (ks_store_put_variant(&arena, store, by, &v, &path, &err) != KS_OK)
        fail_msg("%s", err.text);
}

static void put_original(const struct ks_store *store, int i, int tried)
{
    const struct ks_original_decision d = {.key = key(i), .tried = tried, .complete = true,
                                           .kernel = "k", .arch = 90};
    const char *path;
    if (ks_store_put_original(&arena, store, &secret, &d, &path, &err) != KS_OK)
        fail_msg("%s", err.text);
}

// The decisions of a store, as `ks export` takes them.
static struct ks_bundle taken(const struct ks_store *store)
{
    struct ks_stored *list;
    struct ks_bundle bundle = {.signers = &trusted, .n_signers = 1};
    if (ks_store_all(&arena, store, &config, &list, &bundle.n, &err) != KS_OK)
        fail_msg("%s", err.text);
    bundle.decisions = KS_NEW_ARRAY(&arena, struct ks_bundled, bundle.n + 1);
    for (size_t i = 0; i < bundle.n; i++)
        bundle.decisions[i] = list[i].bundled;
    return bundle;
}

static struct ks_slice written(const struct ks_bundle *bundle, const struct ks_secret_key *by)
{
    struct ks_buf out = KS_BUF(KS_BUNDLE_LARGEST);
    if (ks_bundle_write(&arena, bundle, by, &out, &err) != KS_OK)
        fail_msg("%s", err.text);
    struct ks_slice text = {ks_arena_memdup(&arena, out.data, out.len), out.len};
    ks_buf_free(&out);
    return text;
}

static enum ks_status read_back(struct ks_slice text, struct ks_bundle *bundle)
{
    return ks_bundle_read(&arena, text, bundle, &err);
}

static struct ks_merge_item items[32];

static enum ks_status merge(const struct ks_bundle *bundle, const struct ks_store *into,
                            struct ks_merge_options options)
{
    return ks_store_merge(&arena, &config, &into->tiers[0], bundle->decisions, bundle->n, &options,
                          items, &err);
}

static size_t files_below(const char *dir)
{
    struct ks_strv names = {0};
    size_t n = 0;
    if (!ks_is_dir(dir))
        return 0;
    assert_int_equal(ks_dir_list(&arena, dir, &names, NULL), KS_OK);
    for (size_t i = 0; i < names.len; i++) {
        const char *path = ks_path_join(&arena, dir, names.at[i]);
        n += ks_is_dir(path) ? files_below(path) : 1;
    }
    return n;
}

static struct ks_store three(void)
{
    struct ks_store store = tier("three");
    put(&store, &secret, 1, "x[0] = 1;", 1.5);
    put(&store, &secret, 1, "x[0] = 2;", 1.2);
    put(&store, &secret, 2, "x[0] = 3;", 1.3);
    put_original(&store, 3, 5);
    put(&store, &secret, 4, "x[0] = 4;", 1.1);
    put_original(&store, 4, 7); // overrules the variant, which stays behind
    return store;
}

static void a_bundle_carries_what_is_used(void **state)
{
    (void)state;
    struct ks_store from = three(), to = tier("to");
    struct ks_bundle bundle = taken(&from), back;
    assert_int_equal(bundle.n, 5);
    struct ks_slice text = written(&bundle, &secret), again = written(&bundle, &secret);
    assert_int_equal(text.len, again.len);
    assert_memory_equal(text.at, again.at, text.len);
    assert_int_equal(read_back(text, &back), KS_OK);
    assert_int_equal(back.n, 5);
    assert_memory_equal(&back.exporter, &trusted, sizeof trusted);
    assert_int_equal(back.n_signers, 1);
    assert_int_equal(merge(&back, &to, (struct ks_merge_options){.dry_run = true}), KS_OK);
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(items[i].result, KS_MERGED_NEW);
    assert_int_equal(files_below(to.tiers[0].dir), 0);
    assert_int_equal(merge(&back, &to, (struct ks_merge_options){0}), KS_OK);
    // Exported from there, it is the same file, byte for byte.
    struct ks_bundle second = taken(&to);
    again = written(&second, &secret);
    assert_int_equal(text.len, again.len);
    assert_memory_equal(text.at, again.at, text.len);
    for (int i = 1; i <= 4; i++) {
        struct ks_lookup lookup;
        struct ks_digest k = key(i);
        ks_store_lookup(&arena, &to, &config, &k, &lookup);
        assert_int_equal(lookup.reason, i <= 2 ? KS_R_APPLIED : KS_R_ORIGINAL_WINS);
        assert_int_equal(lookup.n_variants, i == 1 ? 2 : i == 2);
    }
    assert_int_equal(merge(&back, &to, (struct ks_merge_options){0}), KS_OK);
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(items[i].result, KS_MERGED_SAME);
}

static void a_file_cut_or_altered_is_refused(void **state)
{
    (void)state;
    struct ks_store from = three();
    struct ks_bundle bundle = taken(&from), back;
    struct ks_slice text = written(&bundle, &secret);
    for (size_t n = 0; n < text.len; n += 100)
        assert_int_equal(read_back((struct ks_slice){text.at, n}, &back), KS_E_FORMAT);
    struct ks_rng rng;
    ks_rng_seed(&rng, 11);
    for (size_t at = 0; at < text.len; at += 1 + ks_rng_below(&rng, 15)) {
        char *bad = ks_arena_memdup(&arena, text.at, text.len);
        bad[at] = (char)(bad[at] ^ 1 << ks_rng_below(&rng, 8));
        enum ks_status status = read_back((struct ks_slice){bad, text.len}, &back);
        // Minisign's first line is a comment that nothing vouches for.
        const char *line = memmem(text.at, text.len, "untrusted comment: signature", 28);
        bool comment = at >= (size_t)(line - text.at) && at < (size_t)(line - text.at) + 64;
        if (status == KS_OK && !comment)
            fail_msg("byte %zu of %zu", at, text.len);
    }
}

// A tar of these entries behind a list of these lines, signed as an exporter would.
struct part {
    const char *name, *text;
    bool unlisted;
};

static struct ks_slice crafted(const char *head, const struct part *parts, size_t n,
                               const struct ks_secret_key *by, const char *comment)
{
    struct ks_buf contents = KS_BUF(1 << 24), out = KS_BUF(1 << 24);
    struct ks_slice signature;
    char hex[KS_HASH_TEXT];
    ks_buf_puts(&contents, head);
    for (size_t i = 0; i < n; i++) {
        ks_sha256_hex(ks_slice_of(parts[i].text), hex);
        if (!parts[i].unlisted)
            ks_buf_printf(&contents, "%s  %s\n", hex, parts[i].name);
    }
    struct ks_slice list = {ks_buf_text(&contents), contents.len};
    assert_int_equal(ks_sign(&arena, by, list, comment, &signature, NULL), KS_OK);
    ks_tar_add(&out, "CONTENTS", list);
    ks_tar_add(&out, "CONTENTS.minisig", signature);
    for (size_t i = 0; i < n; i++)
        ks_tar_add(&out, parts[i].name, ks_slice_of(parts[i].text));
    ks_tar_end(&out);
    assert_false(out.failed);
    struct ks_slice text = {ks_arena_memdup(&arena, out.data, out.len), out.len};
    ks_buf_free(&contents);
    ks_buf_free(&out);
    return text;
}

static const char *head_of(int format, const struct ks_pubkey *exporter)
{
    char id[17], text[KS_PUBKEY_TEXT];
    ks_key_id_text(exporter->id, id);
    ks_pubkey_text(exporter, text);
    return ks_arena_printf(&arena, "# ks bundle %d\n# exporter %s %s\n", format, id, text);
}

#define HEX "0109000000000000000000000000000000000000000000000000000000000000"
#define OTHER "0209000000000000000000000000000000000000000000000000000000000000"
#define NAME HEX "/0123456789abcdef.yaml"
#define GOOD "ks bundle contents"

static void refused(const char *head, const struct part *parts, size_t n, enum ks_status status,
                    const char *says)
{
    struct ks_bundle back;
    err.text[0] = '\0';
    enum ks_status got = read_back(crafted(head, parts, n, &secret, GOOD), &back);
    if (got != status || strstr(err.text, says) == NULL)
        fail_msg("%s: %s, not %s: %s", parts[0].name, ks_status_name(got), ks_status_name(status),
                 err.text);
}

static void lists_that_are_signed_and_wrong_are_refused(void **state)
{
    (void)state;
    const char *head = head_of(1, &trusted);
    struct ks_bundle back;
    const struct part good[] = {{NAME, "text", false}, {NAME ".minisig", "signature", false}};
    assert_int_equal(read_back(crafted(head, good, 2, &secret, GOOD), &back), KS_OK);
    assert_int_equal(read_back(crafted(head, good, 0, &secret, GOOD), &back), KS_OK);
    assert_int_equal(back.n, 0);

    refused(head_of(2, &trusted), good, 2, KS_E_UNSUPPORTED, "format 2, newer than");
    refused("# ks bundle x\n", good, 2, KS_E_FORMAT, "not a bundle");
    refused("# a list\n", good, 2, KS_E_FORMAT, "not a bundle");
    refused("# ks bundle 1\n", good, 2, KS_E_FORMAT, "exporter");
    refused("# ks bundle 1\n# exporter 0000000000000000 RWQ\n", good, 2, KS_E_FORMAT, "exporter");
    assert_int_equal(read_back(crafted(head, good, 2, &stranger, GOOD), &back), KS_E_TRUST);
    assert_int_equal(read_back(crafted(head, good, 2, &secret, "ks key x decision y"), &back),
                     KS_E_TRUST);

    static const char *const names[] = {
        "../0123456789abcdef.yaml", "/etc/0123456789abcdef.yaml", HEX "/../../x.yaml",
        HEX "//0123456789abcdef.yaml", HEX "/0123456789abcde.yaml", HEX "/0123456789ABCDEF.yaml",
        HEX "/index.yaml", HEX "/0123456789abcdef", HEX, "index", ".lock",
        "0109/0123456789abcdef.yaml", HEX "/.yaml", HEX "/original.yaml.yaml",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *signature = ks_arena_printf(&arena, "%s.minisig", names[i]);
        const struct part bad[] = {{names[i], "text", false}, {signature, "signature", false}};
        refused(head, bad, 2, KS_E_FORMAT, "no place of a decision");
    }
    const struct part alone[] = {{NAME, "text", false}};
    refused(head, alone, 1, KS_E_FORMAT, "without its signature");
    const struct part other[] = {{NAME, "text", false},
                                 {OTHER "/0123456789abcdef.yaml.minisig", "signature", false}};
    refused(head, other, 2, KS_E_FORMAT, "without its signature");
    const struct part twice[] = {{NAME, "text", false}, {NAME ".minisig", "signature", false},
                                 {NAME, "text", false}, {NAME ".minisig", "signature", false}};
    refused(head, twice, 4, KS_E_FORMAT, "out of order, or twice");
    const struct part swapped[] = {{OTHER "/original.yaml", "text", false},
                                   {OTHER "/original.yaml.minisig", "s", false},
                                   {NAME, "text", false}, {NAME ".minisig", "s", false}};
    refused(head, swapped, 4, KS_E_FORMAT, "out of order, or twice");
    const struct part unlisted[] = {{NAME, "text", false}, {NAME ".minisig", "s", false},
                                    {OTHER "/original.yaml", "more", true}};
    refused(head, unlisted, 3, KS_E_FORMAT, "more in the file than it lists");
    const struct part missing[] = {{NAME, "text", true}, {NAME ".minisig", "s", false}};
    refused(head, missing, 2, KS_E_FORMAT, "not what follows");

    char *large = ks_arena_alloc(&arena, (4u << 20) + 2);
    memset(large, 'x', (4u << 20) + 1);
    const struct part bomb[] = {{NAME, large, false}, {NAME ".minisig", "s", false}};
    refused(head, bomb, 2, KS_E_LIMIT, "more than");
    large[20000] = '\0';
    const struct part long_signature[] = {{NAME, "text", false}, {NAME ".minisig", large, false}};
    refused(head, long_signature, 2, KS_E_LIMIT, "more than");
}

static void bad_decisions_leave_the_tier_untouched(void **state)
{
    (void)state;
    struct ks_store from = three(), to = tier("to");
    struct ks_bundle bundle = taken(&from), back;
    const struct ks_merge_options plain = {0};
    struct ks_bundled *d = bundle.decisions;

    // Signatures swapped by an exporter whose list is right.
    struct ks_slice first = d[0].signature;
    d[0].signature = d[1].signature;
    d[1].signature = first;
    assert_int_equal(read_back(written(&bundle, &secret), &back), KS_OK);
    assert_int_equal(merge(&back, &to, plain), KS_E_FORMAT);
    d[1].signature = d[0].signature;
    d[0].signature = first;

    // Another kernel's variant under this key.
    bundle = taken(&from);
    d = bundle.decisions;
    struct ks_digest saved = d[0].key;
    d[0].key = key(77);
    assert_int_equal(read_back(written(&bundle, &secret), &back), KS_OK);
    assert_int_equal(merge(&back, &to, plain), KS_E_FORMAT);
    assert_non_null(strstr(err.text, "another place"));
    d[0].key = saved;

    // A text of which the signature knows nothing; no signature at all.
    struct ks_slice text = d[2].text;
    d[2].text = KS_SLICE("format: 1\n");
    assert_int_equal(merge(&bundle, &to, plain), KS_E_FORMAT);
    d[2].text = text;
    d[2].signature = KS_SLICE("garbage");
    assert_int_equal(merge(&bundle, &to, plain), KS_E_FORMAT);
    assert_int_equal(files_below(to.tiers[0].dir), 0);
}

static const struct ks_merge_item *item_of(const struct ks_bundle *bundle, int i)
{
    for (size_t k = 0; k < bundle->n; k++)
        if (items[k].from->key.b[0] == i)
            return &items[k];
    fail();
    return NULL;
}

static void strangers_and_newer_formats_are_left_out_one_by_one(void **state)
{
    (void)state;
    struct ks_store from = tier("from"), to = tier("to");
    put(&from, &secret, 1, "x[0] = 1;", 1.5);
    put(&from, &stranger, 2, "x[0] = 2;", 1.5);
    struct ks_pubkey both[2] = {trusted, unknown};
    from.tiers[0].keys = both;
    from.tiers[0].n_keys = 2;
    struct ks_bundle bundle = taken(&from);
    assert_int_equal(bundle.n, 2);
    // Signed by a trusted key, in a format of tomorrow.
    struct ks_bundled *newer = &bundle.decisions[bundle.n++];
    *newer = (struct ks_bundled){.key = key(3), .name = "0123456789abcdef",
                                 .text = KS_SLICE("format: 9\n")};
    char hex[KS_HASH_TEXT];
    ks_digest_hex(&newer->key, hex);
    assert_int_equal(ks_sign(&arena, &secret, newer->text,
                             ks_arena_printf(&arena, "ks key %s decision %s", hex, newer->name),
                             &newer->signature, NULL), KS_OK);
    assert_int_equal(merge(&bundle, &to, (struct ks_merge_options){0}), KS_OK);
    assert_int_equal(item_of(&bundle, 1)->result, KS_MERGED_NEW);
    assert_int_equal(item_of(&bundle, 2)->result, KS_MERGED_UNTRUSTED);
    char id[17];
    ks_key_id_text(unknown.id, id);
    assert_string_equal(item_of(&bundle, 2)->signer, id);
    assert_int_equal(item_of(&bundle, 3)->result, KS_MERGED_NEWER);
    assert_int_equal(taken(&to).n, 1);
    // Nothing at all to take: nothing is made.
    struct ks_store other = tier("other");
    struct ks_bundle only = {.decisions = NULL, .n = 0};
    for (size_t i = 0; i < bundle.n; i++)
        if (bundle.decisions[i].key.b[0] == 2)
            only = (struct ks_bundle){.decisions = &bundle.decisions[i], .n = 1};
    assert_int_equal(merge(&only, &other, (struct ks_merge_options){0}), KS_OK);
    assert_false(ks_is_dir(other.tiers[0].dir));
}

static void merged(const struct ks_store *from, const struct ks_store *to, bool replace,
                   enum ks_merged expected)
{
    struct ks_bundle bundle = taken(from);
    assert_int_equal(bundle.n, 1);
    assert_int_equal(merge(&bundle, to, (struct ks_merge_options){.replace = replace, .dry_run = true}),
                     KS_OK);
    enum ks_merged told = items[0].result;
    assert_int_equal(merge(&bundle, to, (struct ks_merge_options){.replace = replace}), KS_OK);
    assert_string_equal(ks_merged_name(items[0].result), ks_merged_name(expected));
    assert_int_equal(told, expected);
}

static double lower_at(const struct ks_store *store, int i)
{
    struct ks_lookup lookup;
    struct ks_digest k = key(i);
    ks_store_lookup(&arena, store, &config, &k, &lookup);
    return lookup.n_variants > 0 ? lookup.variants[0].variant.lower
           : lookup.reason == KS_R_ORIGINAL_WINS ? 0 : -1;
}

static void what_is_better_or_pinned_stays(void **state)
{
    (void)state;
    struct ks_store a = tier("a"), b = tier("b"), c = tier("c"), o = tier("o"), p = tier("p"),
                    to = tier("to");
    put(&a, &secret, 1, "x[0] = 1;", 1.5);
    put(&b, &secret, 1, "x[0] = 1;", 1.7); // the same proposal, judged better
    put(&c, &secret, 1, "x[0] = 2;", 1.6); // another one
    put_original(&o, 1, 5);
    put_original(&p, 1, 9);

    merged(&o, &to, false, KS_MERGED_NEW);
    merged(&o, &to, false, KS_MERGED_SAME);
    merged(&p, &to, false, KS_MERGED_REPLACED); // tried more
    merged(&o, &to, false, KS_MERGED_KEPT_BETTER);
    merged(&a, &to, false, KS_MERGED_REPLACED); // a variant instead of the original
    assert_true(lower_at(&to, 1) > 1.4);
    merged(&o, &to, false, KS_MERGED_KEPT_BETTER);
    merged(&a, &to, false, KS_MERGED_SAME);
    merged(&b, &to, false, KS_MERGED_REPLACED);
    merged(&a, &to, false, KS_MERGED_KEPT_BETTER);
    assert_true(lower_at(&to, 1) > 1.65);
    merged(&c, &to, false, KS_MERGED_BESIDE);
    assert_true(lower_at(&to, 1) > 1.65);
    merged(&a, &to, true, KS_MERGED_REPLACED); // when it is asked for
    assert_true(lower_at(&to, 1) < 1.65);

    struct ks_digest k = key(1);
    assert_int_equal(ks_pin_set(&config, &k, true, NULL), KS_OK);
    merged(&b, &to, false, KS_MERGED_KEPT_PINNED);
    merged(&a, &to, false, KS_MERGED_SAME);
    merged(&o, &to, false, KS_MERGED_KEPT_BETTER);
    assert_true(lower_at(&to, 1) < 1.65);
    merged(&b, &to, true, KS_MERGED_REPLACED);
    assert_true(lower_at(&to, 1) > 1.65);
    struct ks_store empty = tier("empty"); // pinned, and nothing to keep
    merged(&a, &empty, false, KS_MERGED_NEW);
    merged(&o, &to, true, KS_MERGED_REPLACED);
    assert_true(lower_at(&to, 1) >= 0 && lower_at(&to, 1) < 0.5);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(a_bundle_carries_what_is_used),
        TEST(a_file_cut_or_altered_is_refused),
        TEST(lists_that_are_signed_and_wrong_are_refused),
        TEST(bad_decisions_leave_the_tier_untouched),
        TEST(strangers_and_newer_formats_are_left_out_one_by_one),
        TEST(what_is_better_or_pinned_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
