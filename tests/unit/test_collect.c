// Keeping the cache small, on stores made at random: what is pinned, referenced or recent survives, the
// limit holds for everything else, the longest unused goes first and no more than has to.
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/rng.h"
#include "os/file.h"
#include "store/collect.h"
#include "store/manifest.h"
#include "store/pin.h"

#define DAY 86400
#define KEEP 30
#define MOST 64

static struct ks_arena arena;
static char *base;
static struct ks_config config;
static struct ks_rng rng;

// What the test itself knows of a thing it made.
struct thing {
    const char *path, *second; // a decision's signature
    enum ks_cached kind;
    bool must_stay, must_go;
    int64_t bytes, age;
};
static struct thing things[4 * MOST];
static size_t n_things;

static int setup(void **state)
{
    (void)state;
    n_things = 0;
    if (ks_dir_temp(&arena, "ks-collect", &base, NULL) != KS_OK)
        return -1;
    config = (struct ks_config){.cache_dir = ks_path_join(&arena, base, "cache"),
                                .cache_max = 1 << 30};
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    ks_tree_remove(base, NULL);
    ks_arena_free(&arena);
    return 0;
}

static void set_age(const char *path, int64_t age)
{
    const struct timespec at[2] = {{.tv_sec = time(NULL) - age}, {.tv_sec = time(NULL) - age}};
    assert_int_equal(utimensat(AT_FDCWD, path, at, 0), 0);
}

static int64_t pages(size_t size)
{
    return ((int64_t)size + 4095) / 4096 * 4096;
}

static const char *file(const char *path, size_t size, int64_t age)
{
    char *text = ks_arena_alloc(&arena, size + 1);
    memset(text, 'x', size);
    path = ks_path_join(&arena, base, path);
    assert_int_equal(ks_dir_make(ks_path_dir(&arena, path), NULL), KS_OK);
    int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0644);
    assert_true(fd >= 0 && write(fd, text, size) == (ssize_t)size);
    close(fd);
    set_age(path, age);
    return path;
}

static struct thing *make(enum ks_cached kind, const char *path, int64_t bytes, int64_t age)
{
    struct thing *t = &things[n_things++];
    *t = (struct thing){.path = path, .kind = kind, .bytes = bytes, .age = age};
    return t;
}

static struct ks_digest key_of(int i)
{
    return (struct ks_digest){{(unsigned char)i, 7, (unsigned char)(i >> 8)}};
}

static struct thing *decision(int i, int64_t age)
{
    char hex[KS_HASH_TEXT];
    struct ks_digest key = key_of(i);
    ks_digest_hex(&key, hex);
    size_t size = 1 + ks_rng_below(&rng, 20000);
    const char *name = ks_arena_printf(&arena, "cache/variants/%s/%016x.yaml", hex, i);
    struct thing *t = make(KS_CACHED_DECISION, file(name, size, age), pages(size) + 4096, age);
    t->second = file(ks_arena_printf(&arena, "%s.minisig", name), 300, age);
    t->must_stay = age < (int64_t)KEEP * DAY;
    return t;
}

static struct thing *shadow(int i, int64_t age)
{
    size_t size = 1 + ks_rng_below(&rng, 30000);
    const char *dir = ks_arena_printf(&arena, "cache/shadow/%032x", i);
    file(ks_arena_printf(&arena, "%s/a.cu", dir), size, age);
    const char *path = ks_path_join(&arena, base, dir);
    set_age(path, age);
    return make(KS_CACHED_SHADOW, path, pages(size), age);
}

// Of a source that is as it was (live) or has changed since.
static struct thing *manifest(int i, int64_t age, bool live, const int *keys, size_t n_keys,
                              const char *shadow_name)
{
    struct ks_manifest m = {.n_kernels = n_keys, .shadow = shadow_name};
    const char *source = file(ks_arena_printf(&arena, "src/%d.cu", i), 10, 50 * 365 * DAY);
    ks_strv_add(&arena, &m.dependencies, source);
    m.kernels = KS_NEW_ARRAY(&arena, struct ks_manifest_kernel, n_keys + 1);
    for (size_t k = 0; k < n_keys; k++)
        m.kernels[k] = (struct ks_manifest_kernel){.file = source, .decl_qualified = "k", .arch = 90,
                                                   .key = key_of(keys[k]),
                                                   .reason = KS_R_APPLIED, .text = ""};
    struct ks_digest name = ks_digest_of("test", &i, sizeof i);
    struct ks_err err;
    if (ks_manifest_save(&config, &name, &m, &err) != KS_OK)
        fail_msg("%s", err.text);
    char hex[KS_HASH_TEXT];
    ks_digest_hex(&name, hex);
    const char *path = ks_arena_printf(&arena, "%s/manifests/%.2s/%s", config.cache_dir, hex, hex + 2);
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    set_age(path, age);
    if (!live)
        file(ks_arena_printf(&arena, "src/%d.cu", i), 11, 50 * 365 * DAY);
    struct thing *t = make(KS_CACHED_MANIFEST, path, pages((size_t)st.st_size), age);
    t->must_stay = live && age < (int64_t)KEEP * DAY;
    return t;
}

static int64_t some_age(void)
{
    return 2 * 3600 + (int64_t)ks_rng_below(&rng, 60 * DAY);
}

static void make_store(void)
{
    int n_decisions = (int)ks_rng_below(&rng, MOST), n_shadows = (int)ks_rng_below(&rng, 20);
    int n_manifests = (int)ks_rng_below(&rng, 20);
    struct thing *decisions[MOST], *shadows[MOST];
    for (int i = 0; i < n_decisions; i++) {
        decisions[i] = decision(i, some_age());
        if (ks_rng_below(&rng, 8) == 0) {
            struct ks_digest key = key_of(i);
            assert_int_equal(ks_pin_set(&config, &key, true, NULL), KS_OK);
            decisions[i]->must_stay = true;
        }
    }
    for (int i = 0; i < n_shadows; i++)
        shadows[i] = shadow(i, some_age());
    for (int i = 0; i < n_manifests; i++) {
        int keys[3], n = 0;
        bool live = ks_rng_below(&rng, 3) > 0;
        const char *name = "";
        for (; n < 3 && n_decisions > 0; n++) {
            keys[n] = (int)ks_rng_below(&rng, (uint64_t)n_decisions);
            decisions[keys[n]]->must_stay |= live;
        }
        if (n_shadows > 0 && ks_rng_below(&rng, 2) == 0) {
            uint64_t s = ks_rng_below(&rng, (uint64_t)n_shadows);
            name = ks_path_base(shadows[s]->path);
            shadows[s]->must_stay |= live;
        }
        manifest(i, some_age(), live, keys, (size_t)n, name);
    }
    file("cache/variants/index", (size_t)n_decisions * 99, 0);
    // Leftovers of killed writers, drafts of writers at work, what ks keeps, and what it does not know.
    make(KS_CACHED_LEFTOVER, file("cache/variants/.ks-0011223344556677", 9000, 2 * 3600), 12288,
         2 * 3600)->must_go = true;
    make(KS_CACHED_LEFTOVER, file("cache/manifests/00/.ks-aa", 9000, 5), 12288, 5)->must_stay = true;
    make(KS_CACHED_MANIFEST, file("cache/manifests/00/aabb", 9000, 2 * 3600), 12288,
         2 * 3600)->must_go = true; // of another version
    make(KS_CACHED_RECORD, file("cache/pending", 3000, 90 * DAY), 4096, 90 * DAY)->must_stay = true;
    make(KS_CACHED_RECORD, file("cache/mine/notes", 3000, 90 * DAY), 4096, 90 * DAY)->must_stay = true;
    make(KS_CACHED_DECISION, file("project/.ks/ab/x.yaml", 9000, 90 * DAY), 0, 90 * DAY)->must_stay =
        true;
}

static int64_t size_of(const char *path)
{
    struct stat st;
    struct ks_strv names = {0};
    int64_t sum = 0;
    assert_int_equal(lstat(path, &st), 0);
    if (!S_ISDIR(st.st_mode))
        return pages((size_t)st.st_size);
    assert_int_equal(ks_dir_list(&arena, path, &names, NULL), KS_OK);
    for (size_t i = 0; i < names.len; i++)
        sum += size_of(ks_path_join(&arena, path, names.at[i]));
    return sum;
}

static bool stays(const struct thing *t)
{
    if (t->second != NULL) // both or neither
        assert_int_equal(ks_file_exists(t->path), ks_file_exists(t->second));
    return ks_file_exists(t->path);
}

static void check_order(const struct ks_collection *collection)
{
    int64_t youngest[2] = {-1, -1}, last = 0; // dropped: regenerable, decisions
    bool decisions_went = false, room = false;
    for (size_t i = 0; i < n_things; i++) {
        const struct thing *t = &things[i];
        bool is_decision = t->kind == KS_CACHED_DECISION;
        if (stays(t)) {
            if (t->must_go)
                fail_msg("%s stays", t->path);
            room |= !t->must_stay;
            continue;
        }
        if (t->must_stay)
            fail_msg("%s is gone", t->path);
        if (t->must_go)
            continue;
        decisions_went |= is_decision;
        if (youngest[is_decision] < 0 || t->age < youngest[is_decision])
            youngest[is_decision] = t->age;
    }
    for (size_t i = 0; i < n_things; i++) {
        const struct thing *t = &things[i];
        bool is_decision = t->kind == KS_CACHED_DECISION;
        if (!stays(t)) {
            if (!t->must_go && t->age == youngest[decisions_went] && is_decision == decisions_went)
                last = t->bytes; // the last one to go
        } else if (!t->must_stay) {
            assert_true(t->age <= youngest[is_decision] || youngest[is_decision] < 0);
            assert_false(decisions_went && !is_decision);
        }
    }
    int64_t now = size_of(config.cache_dir);
    assert_int_equal(now, collection->after);
    assert_true(!room || now <= collection->max_bytes);
    if (last > 0)
        assert_true(now + last + pages(MOST * 99) > collection->max_bytes); // none for nothing
}

// One line a decision, once one has gone.
static void check_index(void)
{
    struct ks_slice text = {"", 0};
    size_t lines = 0, decisions = 0, gone = 0;
    const char *path = ks_path_join(&arena, base, "cache/variants/index");
    assert_int_equal(ks_file_read(&arena, path, 1 << 20, &text, NULL), KS_OK);
    for (size_t i = 0; i < text.len; i++)
        lines += text.at[i] == '\n';
    for (size_t i = 0; i < n_things; i++)
        if (things[i].kind == KS_CACHED_DECISION && things[i].bytes > 0)
            *(stays(&things[i]) ? &decisions : &gone) += 1;
    assert_int_equal(lines, gone > 0 ? decisions : 0);
}

static void what_is_needed_survives_and_the_limit_holds(void **state)
{
    int dropped = 0, over = 0;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        ks_rng_seed(&rng, seed);
        make_store();
        int64_t before = size_of(config.cache_dir);
        struct ks_collect_options options = {
            .max_bytes = (int64_t)ks_rng_below(&rng, (uint64_t)before * 5 / 4), .keep_days = KEEP,
            .dry_run = true};
        struct ks_collection told, done;
        struct ks_err err;
        assert_int_equal(ks_collect(&arena, &config, &options, &told, &err), KS_OK);
        assert_int_equal(size_of(config.cache_dir), before);
        options.dry_run = false;
        if (ks_collect(&arena, &config, &options, &done, &err) != KS_OK)
            fail_msg("%s", err.text);
        assert_int_equal(done.before, before);
        assert_true(told.after >= done.after); // the index, rewritten, is smaller
        check_order(&done);
        check_index();
        dropped += done.after < before;
        over += done.after > options.max_bytes;
        teardown(state);
        assert_int_equal(setup(state), 0);
    }
    assert_true(dropped > 20 && over > 3); // both ends were met
}

static void a_pin_is_let_go(void **state)
{
    (void)state;
    ks_rng_seed(&rng, 5);
    struct thing *kept = decision(1, 40 * DAY), *gone = decision(2, 40 * DAY);
    const struct ks_collect_options none = {.max_bytes = 1, .keep_days = KEEP};
    struct ks_collection out;
    struct ks_digest key = key_of(1);
    struct ks_pins pins;
    assert_int_equal(ks_pin_set(&config, &key, true, NULL), KS_OK);
    assert_int_equal(ks_pin_set(&config, &key, true, NULL), KS_OK);
    ks_pins_read(&arena, &config, &pins);
    assert_int_equal(pins.len, 1);
    assert_int_equal(ks_collect(&arena, &config, &none, &out, NULL), KS_OK);
    assert_true(stays(kept) && !stays(gone));
    assert_int_equal(ks_pin_set(&config, &key, false, NULL), KS_OK);
    assert_int_equal(ks_collect(&arena, &config, &none, &out, NULL), KS_OK);
    assert_false(stays(kept));
}

static void only_a_cache_that_is_full_is_trimmed(void **state)
{
    (void)state;
    ks_rng_seed(&rng, 6);
    struct thing *t = decision(1, 40 * DAY);
    config.cache_max = t->bytes;
    ks_collect_if_full(&config);
    assert_true(stays(t));
    config.cache_max--;
    config.readonly = true;
    ks_collect_if_full(&config);
    assert_true(stays(t));
    config.readonly = false;
    ks_collect_if_full(&config);
    assert_false(stays(t));
}

static void refusals(void **state)
{
    (void)state;
    struct ks_collect_options options = {.max_bytes = 1, .keep_days = KEEP};
    struct ks_collection out;
    struct ks_err err;
    config.readonly = true;
    assert_int_equal(ks_collect(&arena, &config, &options, &out, &err), KS_E_USER);
    options.dry_run = true;
    assert_int_equal(ks_collect(&arena, &config, &options, &out, &err), KS_OK);
    assert_int_equal(out.n, 0);
    assert_false(ks_file_exists(config.cache_dir));
    config.cache_dir = NULL;
    assert_int_equal(ks_collect(&arena, &config, &options, &out, &err), KS_E_IO);
}

int main(void)
{
    if (access("/dev/shm", W_OK) == 0) // thousands of small files
        setenv("TMPDIR", "/dev/shm", 1);
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(what_is_needed_survives_and_the_limit_holds),
        TEST(a_pin_is_let_go),
        TEST(only_a_cache_that_is_full_is_trimmed),
        TEST(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
