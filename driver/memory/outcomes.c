#include "memory/outcomes.h"

#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>

#include "base/vec.h"
#include "os/file.h"
#include "os/lock.h"

enum { SCHEMA = 2, ID_DIGITS = 4, BUSY_MS = 10000 };

struct ks_outcomes {
    sqlite3 *db;
    sqlite3_stmt *add, *keep, *for_key, *value;
    char *path;
};

// Each entry brings the database from its index to the next version, in one transaction with all
// the others that are needed.
static const char *const migrations[SCHEMA] = {
    "CREATE TABLE attempts ("
    " id INTEGER PRIMARY KEY, key TEXT NOT NULL, kernel TEXT NOT NULL, proposal TEXT NOT NULL,"
    " skill TEXT NOT NULL, direction TEXT NOT NULL, params TEXT NOT NULL,"
    " bottleneck TEXT NOT NULL, date TEXT NOT NULL, arch INTEGER NOT NULL,"
    " correctness TEXT NOT NULL, speed TEXT NOT NULL, reason TEXT NOT NULL,"
    " ratio REAL NOT NULL, lower REAL NOT NULL, seconds REAL NOT NULL);"
    "CREATE INDEX attempts_key ON attempts(key, id);"
    "CREATE INDEX attempts_skill ON attempts(skill, arch, bottleneck);",
    "CREATE TABLE proposals (id TEXT PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID;",
};

static enum ks_status fail(const struct ks_outcomes *o, const char *what, struct ks_err *err)
{
    int code = sqlite3_errcode(o->db) & 0xff;
    if (code == SQLITE_CORRUPT || code == SQLITE_NOTADB)
        KS_FAIL(err, KS_E_FORMAT,
                "%s: the memory is damaged (%s); move it aside with `mv %s %s.bad`"
                " and a new one is begun",
                o->path, sqlite3_errmsg(o->db), o->path, o->path);
    enum ks_status status = code == SQLITE_FULL || code == SQLITE_IOERR ||
                                    code == SQLITE_READONLY || code == SQLITE_CANTOPEN ||
                                    code == SQLITE_PERM
                                ? KS_E_IO
                            : code == SQLITE_BUSY || code == SQLITE_LOCKED ? KS_E_LIMIT
                                                                           : KS_E_INTERNAL;
    KS_FAIL(err, status, "%s: %s: %s", o->path, what, sqlite3_errmsg(o->db));
}

static enum ks_status run(struct ks_outcomes *o, const char *sql, struct ks_err *err)
{
    if (sqlite3_exec(o->db, sql, NULL, NULL, NULL) != SQLITE_OK)
        return fail(o, "cannot be set up", err);
    return KS_OK;
}

// Write-ahead logging shares memory between processes and so needs a disk of this machine. Numbers
// of network file systems from statfs(2) and the kernel's magic.h.
static bool is_local(const char *dir)
{
    static const unsigned long network[] = {0x6969,     0xff534d42, 0xfe534d42, 0x517b,
                                            0x65735546, 0x0bd00bd0, 0x47504653, 0x5346414f,
                                            0x00c36400, 0x01021997, 0x19830326};
    struct statfs fs;
    if (statfs(dir, &fs) != 0)
        return false;
    for (size_t i = 0; i < sizeof network / sizeof *network; i++)
        if (((unsigned long)fs.f_type & 0xffffffffUL) == network[i])
            return false;
    return true;
}

static enum ks_status read_int(struct ks_outcomes *o, const char *sql, int *value,
                               struct ks_err *err)
{
    sqlite3_stmt *stmt = NULL;
    if (sqlite3_prepare_v2(o->db, sql, -1, &stmt, NULL) != SQLITE_OK ||
        sqlite3_step(stmt) != SQLITE_ROW) {
        enum ks_status status = fail(o, "cannot be read", err);
        sqlite3_finalize(stmt);
        return status;
    }
    *value = sqlite3_column_int(stmt, 0);
    sqlite3_finalize(stmt);
    return KS_OK;
}

static enum ks_status quick_check(struct ks_outcomes *o, struct ks_err *err)
{
    sqlite3_stmt *stmt = NULL;
    bool ok = sqlite3_prepare_v2(o->db, "PRAGMA quick_check(1)", -1, &stmt, NULL) == SQLITE_OK &&
              sqlite3_step(stmt) == SQLITE_ROW &&
              strcmp((const char *)sqlite3_column_text(stmt, 0), "ok") == 0;
    sqlite3_finalize(stmt);
    if (!ok)
        KS_FAIL(err, KS_E_FORMAT,
                "%s: the memory is damaged; move it aside with `mv %s %s.bad` and "
                "a new one is begun",
                o->path, o->path, o->path);
    return KS_OK;
}

static enum ks_status migrate(struct ks_outcomes *o, struct ks_err *err)
{
    int version;
    KS_TRY(read_int(o, "PRAGMA user_version", &version, err));
    if (version > SCHEMA)
        KS_FAIL(err, KS_E_UNSUPPORTED,
                "%s: written by a newer ks (format %d, this one reads %d); use that ks, or another "
                "KS_STATE_DIR",
                o->path, version, SCHEMA);
    if (version == SCHEMA)
        return KS_OK;
    KS_TRY(run(o, "BEGIN IMMEDIATE", err));
    enum ks_status status = read_int(o, "PRAGMA user_version", &version, err); // another may have
    for (; status == KS_OK && version < SCHEMA; version++)                     // been first
        status = run(o, migrations[version], err);
    char sql[64];
    snprintf(sql, sizeof sql, "PRAGMA user_version = %d; COMMIT", SCHEMA);
    if (status == KS_OK)
        status = run(o, sql, err);
    if (status != KS_OK)
        sqlite3_exec(o->db, "ROLLBACK", NULL, NULL, NULL);
    return status;
}

static enum ks_status prepare(struct ks_outcomes *o, struct ks_err *err)
{
    static const char add[] =
        "INSERT INTO attempts(key, kernel, proposal, skill, direction, params, bottleneck, date,"
        " correctness, speed, reason, arch, ratio, lower, seconds)"
        " VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)";
    static const char for_key[] =
        "SELECT key, kernel, proposal, skill, direction, params, bottleneck, date,"
        " correctness, speed, reason, arch, ratio, lower, seconds FROM attempts"
        " WHERE key = ? ORDER BY id";
    // Attempts that say nothing about the skill (no device, void runs) do not count.
    static const char value[] =
        "SELECT count(*), total(correctness = 'CORRECT'),"
        " total(CASE WHEN correctness = 'CORRECT' AND ratio > 0 THEN 1 ELSE 0 END),"
        " total(CASE WHEN correctness = 'CORRECT' AND ratio > 0 THEN ln(ratio) ELSE 0 END)"
        " FROM attempts WHERE skill = ?1 AND (?2 < 0 OR arch = ?2)"
        " AND (?3 IS NULL OR bottleneck = ?3)"
        " AND correctness NOT IN ('UNSUPPORTED', 'BASELINE_FAULT', 'VOID')";
    static const char keep[] = "INSERT OR IGNORE INTO proposals(id, text) VALUES(?,?)";
    if (sqlite3_prepare_v2(o->db, add, -1, &o->add, NULL) != SQLITE_OK ||
        sqlite3_prepare_v2(o->db, keep, -1, &o->keep, NULL) != SQLITE_OK ||
        sqlite3_prepare_v2(o->db, for_key, -1, &o->for_key, NULL) != SQLITE_OK ||
        sqlite3_prepare_v2(o->db, value, -1, &o->value, NULL) != SQLITE_OK)
        return fail(o, "cannot be used", err);
    return KS_OK;
}

// The C library's logarithm: SQLite has its own only when built with its mathematics.
static void sql_ln(sqlite3_context *context, int n, sqlite3_value **values)
{
    (void)n;
    sqlite3_result_double(context, log(sqlite3_value_double(values[0])));
}

// Only a write-ahead log or journal that was left behind tells of a crash.
static bool was_left_open(struct ks_arena *arena, const char *path)
{
    return ks_file_exists(ks_arena_printf(arena, "%s-wal", path)) ||
           ks_file_exists(ks_arena_printf(arena, "%s-journal", path));
}

static enum ks_status open_at(struct ks_arena *arena, const char *dir, struct ks_outcomes *o,
                              struct ks_err *err)
{
    bool check = was_left_open(arena, o->path);
    if (sqlite3_open_v2(o->path, &o->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) !=
        SQLITE_OK)
        return fail(o, "cannot be opened", err);
    sqlite3_busy_timeout(o->db, BUSY_MS);
    sqlite3_create_function(o->db, "ln", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL, sql_ln, NULL,
                            NULL);
    KS_TRY(run(o,
               is_local(dir) ? "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL"
                             : "PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL",
               err));
    if (check)
        KS_TRY(quick_check(o, err));
    KS_TRY(migrate(o, err));
    return prepare(o, err);
}

enum ks_status ks_outcomes_open(const struct ks_config *config, struct ks_outcomes **outcomes,
                                struct ks_err *err)
{
    *outcomes = NULL;
    if (!config->state_dir)
        KS_FAIL(err, KS_E_ABSENT, "no home directory to remember outcomes in; set KS_STATE_DIR");
    KS_TRY(ks_dir_make(config->state_dir, err));
    struct ks_arena arena = {0};
    struct ks_outcomes *o = calloc(1, sizeof *o);
    if (!o)
        KS_FAIL(err, KS_E_MEMORY, "no memory for the outcomes");
    o->path = strdup(ks_path_join(&arena, config->state_dir, "memory.db"));
    // One opener at a time: SQLite does not wait for the switch to WAL, and a file that another is
    // making must not be taken for a damaged one.
    struct ks_lock lock = {.fd = -1};
    enum ks_status status =
        o->path == NULL ? ks_err_set(err, KS_E_MEMORY, "no memory for the outcomes")
                        : ks_lock_take(ks_path_join(&arena, config->state_dir, "memory.lock"),
                                       BUSY_MS / 1000.0, &lock, err);
    if (status == KS_OK)
        status = open_at(&arena, config->state_dir, o, err);
    ks_lock_release(&lock);
    ks_arena_free(&arena);
    if (status != KS_OK) {
        ks_outcomes_close(o);
        return status;
    }
    *outcomes = o;
    return KS_OK;
}

void ks_outcomes_close(struct ks_outcomes *o)
{
    if (!o)
        return;
    sqlite3_finalize(o->add);
    sqlite3_finalize(o->keep);
    sqlite3_finalize(o->for_key);
    sqlite3_finalize(o->value);
    sqlite3_close(o->db);
    free(o->path);
    free(o);
}

static enum ks_status keep_text(struct ks_outcomes *o, const struct ks_attempt *a, struct ks_err *err)
{
    sqlite3_bind_text(o->keep, 1, a->proposal, -1, SQLITE_STATIC);
    sqlite3_bind_text(o->keep, 2, a->text, -1, SQLITE_STATIC);
    enum ks_status status =
        sqlite3_step(o->keep) == SQLITE_DONE ? KS_OK : fail(o, "a proposal was not recorded", err);
    sqlite3_reset(o->keep);
    sqlite3_clear_bindings(o->keep);
    return status;
}

enum ks_status ks_outcomes_add(struct ks_outcomes *o, const struct ks_attempt *a,
                               struct ks_err *err)
{
    if (a->text != NULL)
        KS_TRY(keep_text(o, a, err));
    const char *const texts[] = {a->key,         a->kernel, a->proposal,   a->skill,
                                 a->direction,   a->params, a->bottleneck, a->date,
                                 a->correctness, a->speed,  a->reason};
    const int n = (int)(sizeof texts / sizeof *texts);
    for (int i = 0; i < n; i++)
        sqlite3_bind_text(o->add, i + 1, texts[i] ? texts[i] : "", -1, SQLITE_STATIC);
    sqlite3_bind_int(o->add, n + 1, a->arch);
    sqlite3_bind_double(o->add, n + 2, a->ratio);
    sqlite3_bind_double(o->add, n + 3, a->lower);
    sqlite3_bind_double(o->add, n + 4, a->seconds);
    enum ks_status status =
        sqlite3_step(o->add) == SQLITE_DONE ? KS_OK : fail(o, "an attempt was not recorded", err);
    sqlite3_reset(o->add);
    sqlite3_clear_bindings(o->add);
    return status;
}

static const char *column(struct ks_arena *arena, sqlite3_stmt *stmt, int i)
{
    const unsigned char *text = sqlite3_column_text(stmt, i);
    return ks_arena_strdup(arena, text ? (const char *)text : "");
}

enum ks_status ks_outcomes_for_key(struct ks_arena *arena, struct ks_outcomes *o, const char *key,
                                   struct ks_attempt **attempts, size_t *n, struct ks_err *err)
{
    struct {
        struct ks_attempt *at;
        size_t len, cap;
    } list = {0};
    int code;
    sqlite3_bind_text(o->for_key, 1, key, -1, SQLITE_STATIC);
    while ((code = sqlite3_step(o->for_key)) == SQLITE_ROW) {
        struct ks_attempt *a = ks_vec_push(arena, &list);
        const char **texts[] = {&a->key,         &a->kernel, &a->proposal,   &a->skill,
                                &a->direction,   &a->params, &a->bottleneck, &a->date,
                                &a->correctness, &a->speed,  &a->reason};
        const int count = (int)(sizeof texts / sizeof *texts);
        for (int i = 0; i < count; i++)
            *texts[i] = column(arena, o->for_key, i);
        a->arch = sqlite3_column_int(o->for_key, count);
        a->ratio = sqlite3_column_double(o->for_key, count + 1);
        a->lower = sqlite3_column_double(o->for_key, count + 2);
        a->seconds = sqlite3_column_double(o->for_key, count + 3);
    }
    *attempts = list.at;
    *n = list.len;
    enum ks_status status =
        code == SQLITE_DONE ? KS_OK : fail(o, "the trajectory cannot be read", err);
    sqlite3_reset(o->for_key);
    return status;
}

// Hexadecimal digits alone, so that nothing in it is a wildcard.
static bool names_proposals(const char *id)
{
    size_t n = strlen(id);
    return n >= ID_DIGITS && strspn(id, "0123456789abcdef") == n;
}

enum ks_status ks_outcomes_proposal(struct ks_arena *arena, struct ks_outcomes *o, const char *id,
                                    const char **text, struct ks_err *err)
{
    static const char sql[] = "SELECT text FROM proposals WHERE id GLOB ? || '*' LIMIT 2";
    sqlite3_stmt *stmt = NULL;
    int n = 0, code = SQLITE_ERROR;
    if (!names_proposals(id))
        KS_FAIL(err, KS_E_ABSENT, "\"%s\" is no proposal's id", id);
    if (sqlite3_prepare_v2(o->db, sql, -1, &stmt, NULL) == SQLITE_OK &&
        sqlite3_bind_text(stmt, 1, id, -1, SQLITE_STATIC) == SQLITE_OK)
        while ((code = sqlite3_step(stmt)) == SQLITE_ROW && n++ == 0)
            *text = column(arena, stmt, 0);
    enum ks_status status = KS_OK;
    if (code != SQLITE_DONE && code != SQLITE_ROW)
        status = fail(o, "a proposal cannot be read", err);
    else if (n == 0)
        status = ks_err_set(err, KS_E_ABSENT, "no proposal that was judged on this machine begins with %s", id);
    else if (n > 1)
        status = ks_err_set(err, KS_E_USER, "several proposals begin with %s: give more digits", id);
    sqlite3_finalize(stmt);
    return status;
}

struct counts {
    double attempts, correct, measured, log_sum;
};

static enum ks_status count(struct ks_outcomes *o, const char *skill, int arch,
                            const char *bottleneck, struct counts *c, struct ks_err *err)
{
    sqlite3_bind_text(o->value, 1, skill, -1, SQLITE_STATIC);
    sqlite3_bind_int(o->value, 2, arch);
    if (bottleneck)
        sqlite3_bind_text(o->value, 3, bottleneck, -1, SQLITE_STATIC);
    else
        sqlite3_bind_null(o->value, 3);
    enum ks_status status = KS_OK;
    if (sqlite3_step(o->value) == SQLITE_ROW)
        *c =
            (struct counts){sqlite3_column_double(o->value, 0), sqlite3_column_double(o->value, 1),
                            sqlite3_column_double(o->value, 2), sqlite3_column_double(o->value, 3)};
    else
        status = fail(o, "a skill's value cannot be read", err);
    sqlite3_reset(o->value);
    return status;
}

// From the general to the special: all attempts, those on this architecture, those with this
// bottleneck. Each level starts from the mean of the one above, which counts as PRIOR attempts.
enum ks_status ks_outcomes_skill_value(struct ks_outcomes *o, const char *skill, int arch,
                                       const char *bottleneck, double *feasible, double *gain,
                                       int *n, struct ks_err *err)
{
    static const double PRIOR = 4;
    *feasible = 0.5;
    *gain = 0;
    *n = 0;
    for (int level = 0; level < 3; level++) {
        struct counts c = {0};
        KS_TRY(count(o, skill, level >= 1 ? arch : -1, level == 2 ? bottleneck : NULL, &c, err));
        *feasible = (c.correct + PRIOR * *feasible) / (c.attempts + PRIOR);
        *gain = (c.log_sum + PRIOR * *gain) / (c.measured + PRIOR);
        if (level == 0)
            *n = (int)c.attempts;
    }
    return KS_OK;
}

enum ks_status ks_outcomes_stats(struct ks_arena *arena, struct ks_outcomes *o,
                                 struct ks_skill_stat **stats, size_t *n, struct ks_err *err)
{
    static const char sql[] =
        "SELECT skill, count(*), total(correctness = 'CORRECT'), total(speed = 'FASTER'),"
        " total(CASE WHEN speed = 'FASTER' AND ratio > 0 THEN ln(ratio) ELSE 0 END)"
        " FROM attempts GROUP BY skill ORDER BY skill";
    struct {
        struct ks_skill_stat *at;
        size_t len, cap;
    } list = {0};
    sqlite3_stmt *stmt = NULL;
    int code = sqlite3_prepare_v2(o->db, sql, -1, &stmt, NULL);
    while (code == SQLITE_OK || code == SQLITE_ROW) {
        code = sqlite3_step(stmt);
        if (code != SQLITE_ROW)
            break;
        struct ks_skill_stat *s = ks_vec_push(arena, &list);
        *s = (struct ks_skill_stat){column(arena, stmt, 0), sqlite3_column_int(stmt, 1),
                                    sqlite3_column_int(stmt, 2), sqlite3_column_int(stmt, 3), 0};
        s->geomean = s->faster ? exp(sqlite3_column_double(stmt, 4) / s->faster) : 0;
    }
    enum ks_status status = code == SQLITE_DONE ? KS_OK : fail(o, "cannot be read", err);
    sqlite3_finalize(stmt);
    *stats = list.at;
    *n = list.len;
    return status;
}
