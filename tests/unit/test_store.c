// The variant store: what is put is found, best first, in order of tiers; what is damaged, moved,
// unsigned, newer or only modelled is a reason; the index changes when its content does.
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "os/file.h"
#include "store/store.h"

static struct ks_arena arena;
static char *base;
static struct ks_secret_key secret, stranger;
static struct ks_pubkey trusted;
static struct ks_config config;

static int group_setup(void **state)
{
    (void)state;
    struct ks_err err;
    struct ks_pubkey other;
    if (ks_key_generate(&secret, &trusted, &err) != KS_OK ||
        ks_key_generate(&stranger, &other, &err) != KS_OK)
        return -1;
    return 0;
}

static int setup(void **state)
{
    (void)state;
    struct ks_err err;
    config = (struct ks_config){0};
    return ks_dir_temp(&arena, "ks-store", &base, &err) == KS_OK ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    ks_tree_remove(base, NULL);
    ks_arena_free(&arena);
    return 0;
}

static struct ks_store two_tiers(void)
{
    struct ks_store store = {.n_tiers = 2};
    const char *names[] = {"project/.ks", "user"};
    for (size_t i = 0; i < 2; i++) {
        const char *dir = ks_path_join(&arena, base, names[i]);
        store.tiers[i] = (struct ks_tier){.kind = i == 0 ? KS_TIER_PROJECT : KS_TIER_USER,
                                          .dir = dir, .index = ks_path_join(&arena, dir, "index"),
                                          .keys = &trusted, .n_keys = 1};
    }
    return store;
}

static struct ks_store tier_of(const struct ks_store *store, size_t i)
{
    return (struct ks_store){.tiers = {store->tiers[i]}, .n_tiers = 1};
}

static const struct ks_digest key = {{1, 2, 3}}, other_key = {{9}};

static struct ks_variant variant(const char *body, double lower)
{
    struct ks_variant v = {.key = key, .key_text = "arch: sm_90\n", .kernel = "k", .arch = 90,
                           .correctness = KS_C_CORRECT, .speed = KS_S_FASTER, .proposer = "engine",
                           .geomean = lower + 0.1, .lower = lower,
                           .evidence = {.level = "measured"}};
    const char *text = ks_arena_printf(
        &arena, "source: |\n  __global__ void f(float *x) { %s }\nplan:\n  - kernel: f\n    args: [x]\n",
        body);
    struct ks_yaml *root;
    struct ks_err err;
    if (ks_yaml_parse(&arena, "p", ks_slice_of(text), &root, &err) != KS_OK ||
        ks_proposal_read(&arena, "p", root, &v.proposal, &err) != KS_OK ||
        ks_expr_parse(&arena, "d", KS_SLICE("1"), &v.domain, &err) != KS_OK)
        fail_msg("%s", err.text);
    v.id = ks_proposal_id(&arena, &v.proposal);
    return v;
}

static const char *put(const struct ks_store *store, const struct ks_secret_key *by,
                       const struct ks_variant *v)
{
    const char *path;
    struct ks_err err;
    if (ks_store_put_variant(&arena, store, by, v, &path, &err) != KS_OK)
        fail_msg("%s", err.text);
    return path;
}

static const char *put_original(const struct ks_store *store)
{
    struct ks_original_decision decision = {.key = key, .tried = 5, .complete = true,
                                            .kernel = "k", .arch = 90};
    const char *path;
    struct ks_err err;
    if (ks_store_put_original(&arena, store, &secret, &decision, &path, &err) != KS_OK)
        fail_msg("%s", err.text);
    return path;
}

static struct ks_lookup look(const struct ks_store *store, const struct ks_digest *at)
{
    struct ks_lookup lookup;
    ks_store_lookup(&arena, store, &config, at, &lookup);
    return lookup;
}

static const char *contents(const char *path)
{
    struct ks_slice text;
    struct ks_err err;
    if (ks_file_read(&arena, path, 1 << 22, &text, &err) != KS_OK)
        fail_msg("%s", err.text);
    return text.at;
}

static void overwrite(const char *path, const char *text)
{
    assert_int_equal(ks_file_write(path, text, strlen(text), false, 0, NULL), KS_OK);
}

static void what_is_put_is_found_best_first(void **state)
{
    (void)state;
    struct ks_store store = two_tiers();
    assert_int_equal(look(&store, &key).reason, KS_R_PENDING);
    struct ks_variant slow = variant("x[0] = 1;", 1.1), fast = variant("x[0] = 2;", 2.5);
    put(&store, &secret, &slow);
    const char *path = put(&store, &secret, &fast);
    assert_true(ks_starts_with(path, store.tiers[0].dir));

    struct ks_lookup found = look(&store, &key);
    assert_int_equal(found.reason, KS_R_APPLIED);
    assert_int_equal(found.n_variants, 2);
    assert_string_equal(found.variants[0].variant.id, fast.id);
    assert_string_equal(found.variants[1].variant.id, slow.id);
    assert_string_equal(found.variants[0].path, path);
    assert_int_equal(found.variants[0].tier->kind, KS_TIER_PROJECT);
    char id[17];
    ks_key_id_text(trusted.id, id);
    assert_string_equal(found.variants[0].signer, id);
    assert_int_equal(look(&store, &other_key).reason, KS_R_PENDING);
}

// Bounds over the original come from different sessions: what was timed in pairs goes before them.
static void two_that_met_stand_as_that_went(void **state)
{
    (void)state;
    struct ks_store store = two_tiers();
    struct ks_variant low = variant("x[0] = 1;", 1.1), mid = variant("x[0] = 2;", 1.4), high = variant("x[0] = 3;", 2.5);
    struct ks_against over_high = {.variant = high.id, .before = true, .ratio = 1.05, .lower = 1.02},
                      beside_low = {.variant = low.id};
    put(&store, &secret, &high);
    put(&store, &secret, &mid);
    low.against = &over_high;
    low.n_against = 1;
    put(&store, &secret, &low);
    struct ks_lookup found = look(&store, &key);
    assert_int_equal(found.n_variants, 3); // nothing that was verified is lost
    assert_string_equal(found.variants[0].variant.id, mid.id); // which met nobody
    assert_string_equal(found.variants[1].variant.id, low.id);
    assert_string_equal(found.variants[2].variant.id, high.id);
    mid.against = &beside_low;
    mid.n_against = 1;
    put(&store, &secret, &mid);
    found = look(&store, &key);
    assert_string_equal(found.variants[0].variant.id, low.id);
    assert_string_equal(found.variants[1].variant.id, high.id); // by its gain
    assert_string_equal(found.variants[2].variant.id, mid.id);
    // In a circle merit decides, and there is an order.
    struct ks_against over_mid = {.variant = mid.id, .before = true};
    high.against = &over_mid;
    high.n_against = 1;
    beside_low.before = true;
    put(&store, &secret, &high);
    put(&store, &secret, &mid);
    found = look(&store, &key);
    assert_int_equal(found.n_variants, 3);
    assert_string_equal(found.variants[0].variant.id, high.id);
}

static void first_tier_with_a_decision_wins(void **state)
{
    (void)state;
    struct ks_store store = two_tiers(), user = tier_of(&store, 1);
    struct ks_variant theirs = variant("x[0] = 1;", 9), ours = variant("x[0] = 2;", 1.2);
    put(&user, &secret, &theirs);
    assert_int_equal(look(&store, &key).variants[0].tier->kind, KS_TIER_USER);
    const char *path = put(&store, &secret, &ours);
    assert_string_equal(look(&store, &key).variants[0].variant.id, ours.id);
    // Unusable there: the next tier decides.
    overwrite(path, "damaged");
    assert_string_equal(look(&store, &key).variants[0].variant.id, theirs.id);
}

static void original_wins_until_a_variant_comes(void **state)
{
    (void)state;
    struct ks_store store = two_tiers();
    const char *path = put_original(&store);
    struct ks_lookup found = look(&store, &key);
    assert_int_equal(found.reason, KS_R_ORIGINAL_WINS);
    assert_int_equal(found.original.tried, 5);
    assert_int_equal(found.n_variants, 0);
    struct ks_variant v = variant("x[0] = 1;", 1.2);
    put(&store, &secret, &v);
    assert_int_equal(look(&store, &key).reason, KS_R_APPLIED);
    assert_false(ks_file_exists(path));
    put_original(&store);
    assert_int_equal(look(&store, &key).reason, KS_R_ORIGINAL_WINS);
}

static void unusable_files_are_reasons(void **state)
{
    (void)state;
    struct ks_store both = two_tiers(), store = tier_of(&both, 0);
    struct ks_variant v = variant("x[0] = 1;", 1.2);

    const char *path = put(&store, &stranger, &v);
    struct ks_lookup found = look(&store, &key);
    assert_int_equal(found.reason, KS_R_UNTRUSTED);
    assert_non_null(strstr(found.text, path));
    assert_int_equal(found.n_variants, 0);

    path = put(&store, &secret, &v);
    const char *signature = ks_arena_printf(&arena, "%s.minisig", path);
    const char *text = contents(path), *signed_text = contents(signature);
    assert_int_equal(unlink(signature), 0);
    assert_int_equal(look(&store, &key).reason, KS_R_UNTRUSTED);
    overwrite(signature, "garbage");
    assert_int_equal(look(&store, &key).reason, KS_R_UNTRUSTED);
    overwrite(signature, signed_text);
    assert_int_equal(look(&store, &key).reason, KS_R_APPLIED);

    // One byte of the text: whatever it says, the signature is not for it.
    char *edited = ks_arena_strdup(&arena, text);
    *strstr(edited, "x[0] = 1") = 'y';
    overwrite(path, edited);
    assert_int_equal(look(&store, &key).reason, KS_R_UNTRUSTED);
    overwrite(path, text);

    // The pair copied to another key or another name: rightly signed, wrong place.
    const char *dir = ks_path_dir(&arena, path);
    overwrite(ks_path_join(&arena, dir, "0123456789abcdef.yaml"), text);
    overwrite(ks_path_join(&arena, dir, "0123456789abcdef.yaml.minisig"), signed_text);
    assert_int_equal(look(&store, &key).n_variants, 1);
    char hex[KS_HASH_TEXT];
    ks_digest_hex(&other_key, hex);
    const char *elsewhere = ks_path_join(&arena, store.tiers[0].dir, hex);
    assert_int_equal(ks_dir_make(elsewhere, NULL), KS_OK);
    overwrite(ks_arena_printf(&arena, "%s/%s.yaml", elsewhere, v.id), text);
    overwrite(ks_arena_printf(&arena, "%s/%s.yaml.minisig", elsewhere, v.id), signed_text);
    assert_int_equal(look(&store, &other_key).reason, KS_R_CORRUPT);
}

// Signs any text for a place in the store, as a hostile or newer tool with a trusted key would.
static void plant(const struct ks_store *store, const char *name, const char *text)
{
    char hex[KS_HASH_TEXT];
    struct ks_slice signature;
    ks_digest_hex(&key, hex);
    const char *dir = ks_path_join(&arena, store->tiers[0].dir, hex);
    assert_int_equal(ks_dir_make(dir, NULL), KS_OK);
    const char *comment = ks_arena_printf(&arena, "ks key %s decision %s", hex, name);
    assert_int_equal(ks_sign(&arena, &secret, ks_slice_of(text), comment, &signature, NULL), KS_OK);
    overwrite(ks_arena_printf(&arena, "%s/%s.yaml", dir, name), text);
    overwrite(ks_arena_printf(&arena, "%s/%s.yaml.minisig", dir, name),
              ks_arena_strndup(&arena, signature.at, signature.len));
}

static void signed_nonsense_is_refused(void **state)
{
    (void)state;
    struct ks_store both = two_tiers(), store = tier_of(&both, 0);
    struct ks_variant v = variant("x[0] = 1;", 1.2);
    const char *good = ks_variant_text(&arena, &v);
    plant(&store, v.id, good);
    assert_int_equal(look(&store, &key).reason, KS_R_APPLIED);

    plant(&store, v.id, "format: 2\nwhatever: 1\n");
    assert_int_equal(look(&store, &key).reason, KS_R_NEWER_FORMAT);
    plant(&store, v.id, "format: 1\n");
    assert_int_equal(look(&store, &key).reason, KS_R_CORRUPT);
    plant(&store, v.id, "a: [");
    assert_int_equal(look(&store, &key).reason, KS_R_CORRUPT);

    struct ks_variant moved = v;
    moved.key = other_key;
    plant(&store, v.id, ks_variant_text(&arena, &moved));
    assert_int_equal(look(&store, &key).reason, KS_R_CORRUPT);

    struct ks_variant loser = v;
    loser.speed = KS_S_NOT_FASTER;
    plant(&store, v.id, ks_variant_text(&arena, &loser));
    assert_int_equal(look(&store, &key).reason, KS_R_CORRUPT);
    loser.speed = KS_S_FASTER;
    loser.correctness = KS_C_WRONG;
    plant(&store, v.id, ks_variant_text(&arena, &loser));
    assert_int_equal(look(&store, &key).reason, KS_R_CORRUPT);

    struct ks_variant modelled = v;
    modelled.speed = KS_S_MODELLED;
    modelled.evidence.level = "modelled";
    plant(&store, v.id, ks_variant_text(&arena, &modelled));
    assert_int_equal(look(&store, &key).reason, KS_R_EVIDENCE_LEVEL);
    config.accept = KS_ACCEPT_MODELLED;
    assert_int_equal(look(&store, &key).reason, KS_R_APPLIED);
    // MODELLED beside measured evidence contradicts itself.
    modelled.evidence.level = "measured";
    plant(&store, v.id, ks_variant_text(&arena, &modelled));
    assert_int_equal(look(&store, &key).reason, KS_R_CORRUPT);
}

static struct timespec changed(const char *path)
{
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    return st.st_mtim;
}

static struct ks_strv dependencies(const struct ks_store *store, bool create)
{
    struct ks_strv paths = {0};
    ks_store_dependencies(&arena, store, create, &paths);
    return paths;
}

static void index_moves_only_with_its_content(void **state)
{
    (void)state;
    struct ks_store store = two_tiers();
    assert_int_equal(dependencies(&store, false).len, 0);
    assert_false(ks_is_dir(store.tiers[0].dir));
    struct ks_strv found = dependencies(&store, true);
    const char *const *paths = found.at;
    assert_int_equal(found.len, 2);
    assert_string_equal(paths[0], store.tiers[0].index);
    assert_string_equal(contents(paths[0]), "");
    // Made in the middle of a compile, an empty index must not look newer than its start.
    struct stat empty;
    assert_int_equal(stat(paths[0], &empty), 0);
    assert_true(empty.st_mtim.tv_sec > 0 && empty.st_mtim.tv_sec < 1000000000);

    struct ks_variant a = variant("x[0] = 1;", 1.2), b = variant("x[0] = 2;", 1.3);
    put(&store, &secret, &a);
    const char *one = contents(paths[0]);
    char hex[KS_HASH_TEXT];
    ks_digest_hex(&key, hex);
    assert_true(ks_starts_with(one, ks_arena_printf(&arena, "%s %s ", hex, a.id)));

    // An old time, to see whether the file is touched.
    const struct timespec past[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    assert_int_equal(utimensat(AT_FDCWD, paths[0], past, 0), 0);
    put(&store, &secret, &a);
    assert_int_equal(changed(paths[0]).tv_sec, 1000);
    assert_int_equal(dependencies(&store, true).len, 2);
    assert_int_equal(changed(paths[0]).tv_sec, 1000);

    // The same proposal with another verdict is another content.
    a.lower = 1.25;
    put(&store, &secret, &a);
    assert_int_not_equal(changed(paths[0]).tv_sec, 1000);
    assert_string_not_equal(contents(paths[0]), one);

    put(&store, &secret, &b);
    put_original(&store);
    const char *three = contents(paths[0]);
    size_t lines = 0;
    for (const char *p = three; *p != '\0'; p++)
        lines += *p == '\n';
    assert_int_equal(lines, 3);
    assert_non_null(strstr(three, " original "));
    assert_string_equal(contents(paths[1]), ""); // the other tier's did not move
}

static void count(void *context, const struct ks_tier *tier, const struct ks_digest *at,
                  const char *path)
{
    assert_non_null(tier);
    assert_true(ks_digest_eq(at, &key));
    assert_true(ks_file_exists(path));
    ++*(int *)context;
}

static void each_visits_all_tiers(void **state)
{
    (void)state;
    struct ks_store store = two_tiers(), user = tier_of(&store, 1);
    int n = 0;
    assert_int_equal(ks_store_each(&arena, &store, count, &n, NULL), KS_OK);
    assert_int_equal(n, 0);
    struct ks_variant a = variant("x[0] = 1;", 1.2), b = variant("x[0] = 2;", 1.3);
    put(&store, &secret, &a);
    put(&user, &secret, &b);
    put_original(&user);
    assert_int_equal(ks_store_each(&arena, &store, count, &n, NULL), KS_OK);
    assert_int_equal(n, 3);
}

static void what_cannot_be_written_is_told(void **state)
{
    (void)state;
    struct ks_store store = two_tiers();
    struct ks_variant v = variant("x[0] = 1;", 1.2);
    const char *path;
    struct ks_err err;
    store.readonly = true;
    assert_int_equal(ks_store_put_variant(&arena, &store, &secret, &v, &path, &err), KS_E_IO);
    assert_non_null(strstr(err.text, store.tiers[0].dir));
    assert_int_equal(dependencies(&store, true).len, 0);
    assert_false(ks_is_dir(store.tiers[0].dir));

    // A project tier that cannot be made (a file stands in its way): the user's takes it.
    store.readonly = false;
    overwrite(ks_path_join(&arena, base, "project"), "a file");
    assert_true(ks_starts_with(put(&store, &secret, &v), store.tiers[1].dir));
    assert_int_equal(look(&store, &key).reason, KS_R_APPLIED);
    assert_int_equal(dependencies(&store, true).len, 1);

    struct ks_store only = tier_of(&store, 0), none = {0};
    assert_int_equal(ks_store_put_variant(&arena, &only, &secret, &v, &path, &err), KS_E_IO);
    assert_non_null(strstr(err.text, base));
    assert_int_equal(ks_store_put_variant(&arena, &none, &secret, &v, &path, &err), KS_E_IO);
    assert_int_equal(look(&none, &key).reason, KS_R_PENDING);
}

static void open_names_tiers_and_makes_nothing(void **state)
{
    (void)state;
    struct ks_store store;
    struct ks_project project = {.root = ks_path_join(&arena, base, "p")};
    config.cache_dir = ks_path_join(&arena, base, "cache");
    config.readonly = true;
    ks_store_open(&arena, &config, &project, &store);
    assert_int_equal(store.n_tiers, 2);
    assert_true(store.readonly);
    assert_string_equal(store.tiers[0].index, ks_path_join(&arena, project.root, ".ks/index"));
    assert_string_equal(store.tiers[1].dir, ks_path_join(&arena, config.cache_dir, "variants"));
    project.root = NULL;
    ks_store_open(&arena, &config, &project, &store);
    assert_int_equal(store.n_tiers, 1);
    config.cache_dir = NULL;
    ks_store_open(&arena, &config, NULL, &store);
    assert_int_equal(store.n_tiers, 0);
    struct ks_strv names = {0};
    assert_int_equal(ks_dir_list(&arena, base, &names, NULL), KS_OK);
    assert_int_equal(names.len, 0);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(what_is_put_is_found_best_first),
        TEST(two_that_met_stand_as_that_went),
        TEST(first_tier_with_a_decision_wins),
        TEST(original_wins_until_a_variant_comes),
        TEST(unusable_files_are_reasons),
        TEST(signed_nonsense_is_refused),
        TEST(index_moves_only_with_its_content),
        TEST(each_visits_all_tiers),
        TEST(what_cannot_be_written_is_told),
        TEST(open_names_tiers_and_makes_nothing),
    };
    return cmocka_run_group_tests(tests, group_setup, NULL);
}
