#include "memory/model_record.h"

#include "memory/database.h"

enum ks_status ks_model_record_get(struct ks_outcomes *o, const char *model, const char *evidence,
                                   struct ks_model_record *record, struct ks_err *err)
{
    sqlite3_stmt *stmt = NULL;
    *record = (struct ks_model_record){0};
    if (sqlite3_prepare_v2(
            o->db,
            "SELECT questions, reward, tokens_in, tokens_out, told FROM models WHERE name = ?"
            " AND evidence = ?",
            -1, &stmt, NULL) != SQLITE_OK)
        return ks_database_fail(o, "cannot be read", err);
    sqlite3_bind_text(stmt, 1, model, -1, SQLITE_STATIC);
    sqlite3_bind_text(stmt, 2, evidence, -1, SQLITE_STATIC);
    int code = sqlite3_step(stmt);
    if (code == SQLITE_ROW)
        *record =
            (struct ks_model_record){sqlite3_column_int64(stmt, 0), sqlite3_column_double(stmt, 1),
                                     sqlite3_column_int64(stmt, 2), sqlite3_column_int64(stmt, 3),
                                     sqlite3_column_int64(stmt, 4)};
    sqlite3_finalize(stmt);
    return code == SQLITE_ROW || code == SQLITE_DONE ? KS_OK
                                                     : ks_database_fail(o, "cannot be read", err);
}

enum ks_status ks_model_record_add(struct ks_outcomes *o, const char *model, const char *evidence,
                                   const struct ks_model_record *more, struct ks_err *err)
{
    sqlite3_stmt *stmt = NULL;
    if (sqlite3_prepare_v2(
            o->db,
            "INSERT INTO models VALUES(?,?,?,?,?,?,?) ON CONFLICT(name, evidence) DO UPDATE SET"
            " questions = questions + excluded.questions, reward = reward + excluded.reward,"
            " tokens_in = tokens_in + excluded.tokens_in,"
            " tokens_out = tokens_out + excluded.tokens_out, told = told + excluded.told",
            -1, &stmt, NULL) != SQLITE_OK)
        return ks_database_fail(o, "what a model earned was not kept", err);
    sqlite3_bind_text(stmt, 1, model, -1, SQLITE_STATIC);
    sqlite3_bind_text(stmt, 2, evidence, -1, SQLITE_STATIC);
    sqlite3_bind_int64(stmt, 3, more->questions);
    sqlite3_bind_double(stmt, 4, more->reward);
    sqlite3_bind_int64(stmt, 5, more->tokens_in);
    sqlite3_bind_int64(stmt, 6, more->tokens_out);
    sqlite3_bind_int64(stmt, 7, more->told);
    enum ks_status status = ks_database_step(o, stmt, "what a model earned was not kept", err);
    sqlite3_finalize(stmt);
    return status;
}
