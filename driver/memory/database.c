#include "memory/database.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "memory/schema.h"
#include "os/file.h"
#include "os/lock.h"

enum { BUSY_MS = 10000 };

static const char *const texts[KS_SQL_COUNT] = {
    [KS_SQL_ADD] =
        "INSERT INTO attempts(key, kernel, proposal, skill, direction, params, bottleneck, date,"
        " correctness, speed, reason, structure, toolkit, evidence, mechanism, move, base, arch, ratio,"
        " lower, seconds, moved, base_ratio) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
    [KS_SQL_KEEP] = "INSERT INTO proposals(id, text, attempt) VALUES(?1,?2,?3)"
                    " ON CONFLICT(id) DO UPDATE SET attempt = ?3",
    [KS_SQL_FOR_KEY] =
        "SELECT key, kernel, proposal, skill, direction, params, bottleneck, date,"
        " correctness, speed, reason, structure, toolkit, evidence, mechanism, move, base, arch, ratio,"
        " lower, seconds, moved, base_ratio FROM attempts WHERE key = ? ORDER BY id",
    [KS_SQL_LEARN] =
        "INSERT INTO learned VALUES(?1,?2,?3,?4,'',?14,?5,?6,?7,?8,?9,?10,?11,?12,?13)"
        " ON CONFLICT DO UPDATE SET attempts = attempts + ?14, judged = judged + ?5,"
        " correct = correct + ?6, measured = measured + ?7, log_sum = log_sum + ?8,"
        " faster = faster + ?9, log_faster = log_faster + ?10, agreed = agreed + ?11,"
        " denied = denied + ?12, last = ?13",
    [KS_SQL_VALUE] = "SELECT total(judged), total(correct), total(measured), total(log_sum) FROM learned"
                     " WHERE skill = ? AND bottleneck = ? AND structure = ? AND arch = ?",
    [KS_SQL_STATE] = "SELECT state, reason, since, toolkit, arch FROM skills WHERE id = ?",
};

sqlite3_stmt *ks_database_get(struct ks_outcomes *o, enum ks_statement which, struct ks_err *err)
{
    sqlite3_stmt **stmt = &o->statements[which];
    if (*stmt == NULL &&
        sqlite3_prepare_v3(o->db, texts[which], -1, SQLITE_PREPARE_PERSISTENT, stmt, NULL) != SQLITE_OK) {
        ks_database_fail(o, "cannot be used", err);
        return NULL;
    }
    sqlite3_reset(*stmt);
    sqlite3_clear_bindings(*stmt);
    return *stmt;
}

// While set nothing is written and closing leaves the log: SQLite would play it into the file by then.
static void leave_alone(const struct ks_outcomes *o, bool alone)
{
    sqlite3_db_config(o->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, (int)alone, (int *)NULL);
    sqlite3_exec(o->db, alone ? "PRAGMA query_only = ON" : "PRAGMA query_only = OFF", NULL, NULL, NULL);
}

// With its log, which a new memory must not take for its own.
static enum ks_status damaged(const struct ks_outcomes *o, const char *what, struct ks_err *err)
{
    int dir = (int)(strrchr(o->path, '/') - o->path);
    ks_err_set(err, KS_E_FORMAT,
               "%s: the memory is damaged (%s); move it aside with `mkdir %.*s/bad && mv %s* %.*s/bad`"
               " and a new one is begun",
               o->path, what, dir, o->path, o->path, dir, o->path);
    leave_alone(o, true);
    return KS_E_FORMAT;
}

enum ks_status ks_database_fail(const struct ks_outcomes *o, const char *what, struct ks_err *err)
{
    int code = sqlite3_errcode(o->db) & 0xff;
    const char *message = sqlite3_errmsg(o->db);
    if (code == SQLITE_CORRUPT || code == SQLITE_NOTADB)
        return damaged(o, message, err);
    if (o->network && (code == SQLITE_IOERR || code == SQLITE_PROTOCOL || code == SQLITE_CANTOPEN ||
                       code == SQLITE_BUSY || code == SQLITE_LOCKED))
        KS_FAIL(err, KS_E_IO,
                "%s: %s: %s; it lies on a network disk, whose locks may not work: set KS_STATE_DIR to a "
                "folder on a disk of this machine",
                o->path, what, message);
    if (code == SQLITE_BUSY || code == SQLITE_LOCKED)
        KS_FAIL(err, KS_E_LIMIT,
                "%s: %s: another process keeps it locked; `fuser %s` tells which, and nothing "
                "is lost by ending it",
                o->path, what, o->path);
    if (code == SQLITE_FULL)
        KS_FAIL(err, KS_E_IO, "%s: %s: %s; make room, or set KS_MEMORY_MAX", o->path, what, message);
    enum ks_status status = code == SQLITE_IOERR || code == SQLITE_READONLY ||
                                    code == SQLITE_CANTOPEN || code == SQLITE_PERM
                                ? KS_E_IO
                                : KS_E_INTERNAL;
    KS_FAIL(err, status, "%s: %s: %s", o->path, what, message);
}

enum ks_status ks_database_run(struct ks_outcomes *o, const char *sql, struct ks_err *err)
{
    if (sqlite3_exec(o->db, sql, NULL, NULL, NULL) != SQLITE_OK)
        return ks_database_fail(o, "cannot be changed", err);
    return KS_OK;
}

enum ks_status ks_database_step(struct ks_outcomes *o, sqlite3_stmt *stmt, const char *what,
                                struct ks_err *err)
{
    enum ks_status status =
        sqlite3_step(stmt) == SQLITE_DONE ? KS_OK : ks_database_fail(o, what, err);
    sqlite3_reset(stmt);
    return status;
}

enum ks_status ks_database_int(struct ks_outcomes *o, const char *sql, int64_t *value,
                               struct ks_err *err)
{
    sqlite3_stmt *stmt = NULL;
    enum ks_status status = KS_OK;
    if (sqlite3_prepare_v2(o->db, sql, -1, &stmt, NULL) != SQLITE_OK ||
        sqlite3_step(stmt) != SQLITE_ROW)
        status = ks_database_fail(o, "cannot be read", err);
    else
        *value = sqlite3_column_int64(stmt, 0);
    sqlite3_finalize(stmt);
    return status;
}

enum ks_status ks_database_begin(struct ks_outcomes *o, struct ks_err *err)
{
    return ks_database_run(o, "BEGIN IMMEDIATE", err);
}

enum ks_status ks_database_end(struct ks_outcomes *o, enum ks_status status, struct ks_err *err)
{
    if (status == KS_OK)
        status = ks_database_run(o, "COMMIT", err);
    if (status != KS_OK)
        sqlite3_exec(o->db, "ROLLBACK", NULL, NULL, NULL);
    return status;
}

const char *ks_database_text(struct ks_arena *arena, sqlite3_stmt *stmt, int column)
{
    const unsigned char *text = sqlite3_column_text(stmt, column);
    return ks_arena_strdup(arena, text ? (const char *)text : "");
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

static enum ks_status read_version(struct ks_outcomes *o, int64_t *version, struct ks_err *err)
{
    KS_TRY(ks_database_int(o, "PRAGMA user_version", version, err));
    if (*version > KS_SCHEMA)
        KS_FAIL(err, KS_E_UNSUPPORTED,
                "%s: written by a newer ks (format %d, this one reads %d); use that ks, or another "
                "KS_STATE_DIR",
                o->path, (int)*version, KS_SCHEMA);
    return KS_OK;
}

static enum ks_status migrate(struct ks_outcomes *o, struct ks_err *err)
{
    int64_t version;
    KS_TRY(ks_database_begin(o, err));
    enum ks_status status = read_version(o, &version, err); // another may have been first
    for (; status == KS_OK && version < KS_SCHEMA; version++)
        status = ks_database_run(o, ks_schema_step((int)version), err);
    char sql[64];
    snprintf(sql, sizeof sql, "PRAGMA user_version = %d", KS_SCHEMA);
    if (status == KS_OK)
        status = ks_database_run(o, sql, err);
    return ks_database_end(o, status, err);
}

// The C library's logarithm: SQLite has its own only when built with its mathematics.
static void sql_ln(sqlite3_context *context, int n, sqlite3_value **values)
{
    (void)n;
    sqlite3_result_double(context, log(sqlite3_value_double(values[0])));
}

// A log that a crash left behind is played back by SQLite itself, once the file is known to be ours; pages are
// not looked through here, which takes seconds where there are a million attempts (ks_outcomes_check does).
static enum ks_status open_at(const char *dir, struct ks_outcomes *o, struct ks_err *err)
{
    int64_t version;
    o->network = !is_local(dir);
    if (sqlite3_open_v2(o->path, &o->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) !=
        SQLITE_OK)
        return ks_database_fail(o, "cannot be opened", err);
    sqlite3_busy_timeout(o->db, BUSY_MS);
    sqlite3_create_function(o->db, "ln", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL, sql_ln, NULL,
                            NULL);
    leave_alone(o, true);
    KS_TRY(read_version(o, &version, err));
    leave_alone(o, false);
    KS_TRY(ks_database_run(o,
                           !o->network ? "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL"
                                       : "PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL",
                           err));
    return version == KS_SCHEMA ? KS_OK : migrate(o, err);
}

// Where nothing can be written SQLite has no place for the memory it shares; a file that nobody writes needs none. What
// a crash left in a log would not be seen so, and is not passed over.
static enum ks_status open_unwritable(struct ks_arena *arena, struct ks_outcomes *o, struct ks_err *err)
{
    int64_t version;
    struct stat log;
    bool settled = stat(ks_arena_printf(arena, "%s-wal", o->path), &log) != 0 || log.st_size == 0;
    char *uri = ks_arena_strdup(arena, "file:");
    for (const char *at = o->path; *at != '\0'; at++)
        uri = ks_arena_printf(arena, strchr("%?#", *at) != NULL ? "%s%%%02x" : "%s%c", uri, *at);
    if (sqlite3_open_v2(settled ? ks_arena_printf(arena, "%s?immutable=1", uri) : uri, &o->db,
                        SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL) != SQLITE_OK)
        return ks_database_fail(o, "cannot be opened", err);
    sqlite3_busy_timeout(o->db, BUSY_MS);
    leave_alone(o, true);
    KS_TRY(read_version(o, &version, err));
    if (version < KS_SCHEMA)
        KS_FAIL(err, KS_E_UNSUPPORTED, "%s: written by an earlier ks, and it cannot be brought up to date where nothing "
                "can be written; copy it to a folder of yours and name that in KS_STATE_DIR", o->path);
    o->max_bytes = 0;
    return KS_OK;
}

static enum ks_status open_in(const struct ks_config *config, bool unwritable, struct ks_outcomes **outcomes,
                              struct ks_err *err)
{
    struct ks_arena arena = {0};
    struct ks_outcomes *o = calloc(1, sizeof *o);
    if (!o)
        KS_FAIL(err, KS_E_MEMORY, "no memory for the outcomes");
    o->path = strdup(ks_path_join(&arena, config->state_dir, "memory.db"));
    o->max_bytes = config->memory_max;
    // One opener at a time: SQLite does not wait for the switch to WAL, and a file that another is
    // making must not be taken for a damaged one.
    struct ks_lock lock = {.fd = -1};
    enum ks_status status =
        o->path == NULL ? ks_err_set(err, KS_E_MEMORY, "no memory for the outcomes")
        : unwritable    ? KS_OK
                        : ks_lock_take(ks_path_join(&arena, config->state_dir, "memory.lock"),
                                       BUSY_MS / 1000.0, &lock, err);
    if (status == KS_OK)
        status = unwritable ? open_unwritable(&arena, o, err) : open_at(config->state_dir, o, err);
    ks_lock_release(&lock);
    ks_arena_free(&arena);
    if (status != KS_OK) {
        ks_outcomes_close(o);
        return status;
    }
    *outcomes = o;
    return KS_OK;
}

enum ks_status ks_outcomes_open(const struct ks_config *config, struct ks_outcomes **outcomes,
                                struct ks_err *err)
{
    *outcomes = NULL;
    if (!config->state_dir)
        KS_FAIL(err, KS_E_ABSENT, "no home directory to remember outcomes in; set KS_STATE_DIR");
    KS_TRY(ks_dir_make(config->state_dir, err));
    return open_in(config, false, outcomes, err);
}

enum ks_status ks_outcomes_look(const struct ks_config *config, struct ks_outcomes **outcomes,
                                struct ks_err *err)
{
    struct ks_arena arena = {0};
    *outcomes = NULL;
    bool is_there = config->state_dir != NULL &&
                    ks_file_exists(ks_path_join(&arena, config->state_dir, "memory.db"));
    ks_arena_free(&arena);
    return is_there ? open_in(config, access(config->state_dir, W_OK) != 0, outcomes, err) : KS_OK;
}

void ks_outcomes_close(struct ks_outcomes *o)
{
    if (!o)
        return;
    for (size_t i = 0; i < KS_SQL_COUNT; i++)
        sqlite3_finalize(o->statements[i]);
    sqlite3_close(o->db);
    free(o->path);
    free(o);
}

enum ks_status ks_outcomes_check(struct ks_outcomes *o, struct ks_err *err)
{
    sqlite3_stmt *stmt = NULL;
    enum ks_status status = KS_OK;
    if (sqlite3_prepare_v2(o->db, "PRAGMA quick_check(1)", -1, &stmt, NULL) != SQLITE_OK ||
        sqlite3_step(stmt) != SQLITE_ROW)
        status = ks_database_fail(o, "cannot be looked through", err);
    else if (strcmp((const char *)sqlite3_column_text(stmt, 0), "ok") != 0)
        status = damaged(o, "its pages do not fit together", err);
    sqlite3_finalize(stmt);
    return status;
}

void ks_outcomes_wait(struct ks_outcomes *o, double seconds)
{
    sqlite3_busy_timeout(o->db, (int)(seconds * 1000));
}

enum ks_status ks_outcomes_writable(struct ks_outcomes *o, struct ks_err *err)
{
    KS_TRY(ks_database_begin(o, err));
    return ks_database_run(o, "ROLLBACK", err);
}

bool ks_outcomes_on_network(const struct ks_outcomes *o)
{
    return o->network;
}
