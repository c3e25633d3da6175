// The database behind the memory: opening, its tables, and how failures are told. Private to this module.
#ifndef KS_DATABASE_H
#define KS_DATABASE_H

#include <sqlite3.h>

#include "memory/outcomes.h"

enum ks_statement {
    KS_SQL_ADD, KS_SQL_KEEP, KS_SQL_FOR_KEY, KS_SQL_LEARN, KS_SQL_VALUE, KS_SQL_STATE, KS_SQL_COUNT,
};

struct ks_outcomes {
    sqlite3 *db;
    sqlite3_stmt *statements[KS_SQL_COUNT]; // made when first asked for
    char *path;
    int64_t max_bytes;
    bool network; // the folder is not on a disk of this machine
};

// The statement, reset and without bindings; NULL with *err.
sqlite3_stmt *ks_database_get(struct ks_outcomes *o, enum ks_statement which, struct ks_err *err);
// After a call of SQLite's failed: what could not be done, the path and the next step.
enum ks_status ks_database_fail(const struct ks_outcomes *o, const char *what, struct ks_err *err);
// One or more statements without results.
enum ks_status ks_database_run(struct ks_outcomes *o, const char *sql, struct ks_err *err);
// Runs a statement without results, and resets it.
enum ks_status ks_database_step(struct ks_outcomes *o, sqlite3_stmt *stmt, const char *what,
                                struct ks_err *err);
enum ks_status ks_database_int(struct ks_outcomes *o, const char *sql, int64_t *value,
                               struct ks_err *err);
// BEGIN IMMEDIATE ... COMMIT, or ROLLBACK where `status` is not KS_OK; returns the first failure.
enum ks_status ks_database_begin(struct ks_outcomes *o, struct ks_err *err);
enum ks_status ks_database_end(struct ks_outcomes *o, enum ks_status status, struct ks_err *err);
// A text column, copied; "" for NULL.
const char *ks_database_text(struct ks_arena *arena, sqlite3_stmt *stmt, int column);

#endif
