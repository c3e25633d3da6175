// bench_memory STATE_DIR SKILLS_DIR ATTEMPTS: makes a memory of so many attempts, as an earlier version wrote
// it, has it migrated, adds some of today's, and times opening it and choosing among the skills. One JSON
// object on standard output.
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/rng.h"
#include "base/stats.h"
#include "memory/fact.h"
#include "os/clock.h"
#include "os/file.h"
#include "search/rank.h"

enum { ROUNDS = 41 };

static struct ks_arena arena;
static struct ks_rng rng;
static const int archs[] = {80, 86, 90, 100};
static const char *const structures[] = {"elementwise", "grid", "loop", "cooperative", "scatter", "other"};

static void must(enum ks_status status, const struct ks_err *err)
{
    if (status == KS_OK)
        return;
    fprintf(stderr, "bench_memory: %s\n", err->text);
    exit(1);
}

static void sql(sqlite3 *db, const char *text)
{
    if (sqlite3_exec(db, text, NULL, NULL, NULL) == SQLITE_OK)
        return;
    fprintf(stderr, "bench_memory: %s\n", sqlite3_errmsg(db));
    exit(1);
}

static const char *class_of(uint64_t i)
{
    static const char *const classes[] = {"atomics", "compute", "dram-bandwidth", "issue", "latency", "launch",
                                          "local-memory", "shared-conflicts", "uncoalesced", "unknown"};
    return classes[i % 10];
}

// The first format, which was without what is summed up now.
static void make_old(const char *path, const struct ks_skill_list *skills, long attempts)
{
    sqlite3 *db;
    sqlite3_stmt *add;
    if (sqlite3_open(path, &db) != SQLITE_OK)
        exit(1);
    sql(db, "PRAGMA synchronous = OFF; CREATE TABLE attempts (id INTEGER PRIMARY KEY, key TEXT NOT NULL,"
            " kernel TEXT NOT NULL, proposal TEXT NOT NULL, skill TEXT NOT NULL, direction TEXT NOT NULL,"
            " params TEXT NOT NULL, bottleneck TEXT NOT NULL, date TEXT NOT NULL, arch INTEGER NOT NULL,"
            " correctness TEXT NOT NULL, speed TEXT NOT NULL, reason TEXT NOT NULL, ratio REAL NOT NULL,"
            " lower REAL NOT NULL, seconds REAL NOT NULL);"
            "CREATE INDEX attempts_key ON attempts(key, id);"
            "CREATE INDEX attempts_skill ON attempts(skill, arch, bottleneck); PRAGMA user_version = 1; BEGIN");
    sqlite3_prepare_v2(db, "INSERT INTO attempts VALUES(NULL,?,'k','0123456789abcdef',?,?,'block=256 items=4',"
                           "?,'2026-01-02T03:04:05Z',?,?,?,'',?,?,0.5)", -1, &add, NULL);
    for (long i = 0; i < attempts; i++) {
        const struct ks_skill *s = &skills->at[ks_rng_below(&rng, skills->len)];
        bool correct = ks_rng_below(&rng, 3) > 0;
        double ratio = correct ? exp(ks_rng_unit(&rng) - 0.6) : 0;
        char key[65];
        snprintf(key, sizeof key, "%064lx", i / 50); // some 50 attempts a kernel
        sqlite3_bind_text(add, 1, key, -1, SQLITE_TRANSIENT);
        sqlite3_bind_text(add, 2, s->id, -1, SQLITE_STATIC);
        sqlite3_bind_text(add, 3, s->direction, -1, SQLITE_STATIC);
        sqlite3_bind_text(add, 4, class_of(ks_rng_next(&rng)), -1, SQLITE_STATIC);
        sqlite3_bind_int(add, 5, archs[ks_rng_below(&rng, 4)]);
        sqlite3_bind_text(add, 6, correct ? "CORRECT" : "WRONG", -1, SQLITE_STATIC);
        sqlite3_bind_text(add, 7, ratio > 1 ? "FASTER" : "NOT_FASTER", -1, SQLITE_STATIC);
        sqlite3_bind_double(add, 8, ratio);
        sqlite3_bind_double(add, 9, ratio * 0.99);
        sqlite3_step(add);
        sqlite3_reset(add);
    }
    sqlite3_finalize(add);
    sql(db, "COMMIT");
    sqlite3_close(db);
}

static double add_today(struct ks_outcomes *o, const struct ks_skill_list *skills, long n)
{
    double begun = ks_now();
    struct ks_err err = {0};
    for (long i = 0; i < n; i++) {
        const struct ks_skill *s = &skills->at[ks_rng_below(&rng, skills->len)];
        struct ks_attempt a = {.key = "today", .kernel = "k", .proposal = "0123456789abcdef", .skill = s->id,
                               .direction = s->direction, .params = "block=256", .date = "2026-01-02",
                               .bottleneck = class_of(ks_rng_next(&rng)), .arch = archs[ks_rng_below(&rng, 4)],
                               .correctness = "CORRECT", .speed = "FASTER", .reason = "", .ratio = 1.1,
                               .lower = 1.05, .structure = structures[ks_rng_below(&rng, 6)]};
        must(ks_outcomes_add(o, &a, &err), &err);
    }
    return (ks_now() - begun) / (double)n;
}

int main(int argc, char **argv)
{
    struct ks_err err = {0};
    struct ks_outcomes *o;
    struct ks_skill_list skills = {0};
    struct ks_fact_list facts = {0};
    double opening[ROUNDS], choosing[ROUNDS];
    if (argc != 4)
        return 2;
    struct ks_config config = {.state_dir = argv[1]};
    long attempts = strtol(argv[3], NULL, 10), today = attempts / 50 + 100;
    ks_rng_seed(&rng, 1);
    must(ks_skills_load(&arena, argv[2], false, &skills, &err), &err);
    make_old(ks_path_join(&arena, argv[1], "memory.db"), &skills, attempts);
    double begun = ks_now();
    must(ks_outcomes_open(&config, &o, &err), &err);
    double migrating = ks_now() - begun, adding = add_today(o, &skills, today);
    ks_outcomes_close(o);
    for (const struct ks_fact_name *f = ks_fact_names(); f->name != NULL; f++)
        ks_fact_set(&arena, &facts, f->name, f->kind == KS_FACT_PROPERTY ? ks_rng_below(&rng, 2) == 0 : 20);
    for (int i = 0; i < ROUNDS; i++) {
        const struct ks_place place = {archs[i % 4], structures[i % 6], class_of((uint64_t)i)};
        struct ks_ranked_skill *ranked;
        begun = ks_now();
        must(ks_outcomes_open(&config, &o, &err), &err);
        opening[i] = 1000 * (ks_now() - begun);
        begun = ks_now();
        if (ks_rank_skills(&arena, &skills, &facts, o, &place, &ranked) == 0 || ranked[0].n == 0)
            return 1;
        choosing[i] = 1000 * (ks_now() - begun);
        ks_outcomes_close(o);
    }
    printf("{\"schema\": \"bench.memory\", \"attempts\": %ld, \"skills\": %zu, \"open_ms\": %.2f, \"open_max_ms\": %.2f, "
           "\"skill_choice_ms\": %.2f, \"skill_choice_max_ms\": %.2f, \"add_ms\": %.3f, \"migrate_s\": %.1f}\n",
           attempts + today, skills.len, ks_median(opening, ROUNDS), ks_kth_smallest(opening, ROUNDS, ROUNDS),
           ks_median(choosing, ROUNDS), ks_kth_smallest(choosing, ROUNDS, ROUNDS), 1000 * adding, migrating);
    ks_arena_free(&arena);
    return 0;
}
