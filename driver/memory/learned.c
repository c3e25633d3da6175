// What attempts taught, from the tables that each attempt is added to.
#include <math.h>
#include <string.h>

#include "base/vec.h"
#include "memory/database.h"

static const double PRIOR = 4; // attempts that the level above counts as

enum ks_status ks_outcomes_skill_value(struct ks_outcomes *o, const char *skill,
                                       const struct ks_place *place, double *feasible, double *gain,
                                       int *n, struct ks_err *err)
{
    const char *bottleneck = place->bottleneck != NULL ? place->bottleneck : "";
    const char *structure = place->structure != NULL ? place->structure : "unknown";
    *feasible = 0.5;
    *gain = 0;
    *n = 0;
    for (int level = 0; level < 4; level++) {
        sqlite3_stmt *stmt = ks_database_get(o, KS_SQL_VALUE, err);
        if (stmt == NULL)
            return KS_E_INTERNAL;
        sqlite3_bind_text(stmt, 1, skill, -1, SQLITE_STATIC);
        sqlite3_bind_text(stmt, 2, level >= 1 ? bottleneck : "", -1, SQLITE_STATIC);
        sqlite3_bind_text(stmt, 3, level >= 2 ? structure : "", -1, SQLITE_STATIC);
        sqlite3_bind_int(stmt, 4, level == 3 ? place->arch : 0);
        if (sqlite3_step(stmt) != SQLITE_ROW)
            return ks_database_fail(o, "a skill's value cannot be read", err);
        double judged = sqlite3_column_double(stmt, 0), correct = sqlite3_column_double(stmt, 1);
        double measured = sqlite3_column_double(stmt, 2), sum = sqlite3_column_double(stmt, 3);
        sqlite3_reset(stmt);
        *feasible = (correct + PRIOR * *feasible) / (judged + PRIOR);
        *gain = (sum + PRIOR * *gain) / (measured + PRIOR);
        if (level == 0)
            *n = (int)judged;
    }
    return KS_OK;
}

enum ks_status ks_outcomes_stats(struct ks_arena *arena, struct ks_outcomes *o,
                                 struct ks_skill_stat **stats, size_t *n, struct ks_err *err)
{
    static const char sql[] =
        "SELECT skill, sum(attempts), sum(correct), sum(faster), sum(agreed), sum(denied),"
        " total(log_faster), sum(measured), total(log_sum), max(last) FROM learned"
        " WHERE bottleneck = '' AND structure = '' AND arch = 0 GROUP BY skill ORDER BY skill";
    KS_VEC(struct ks_skill_stat) list = {0};
    sqlite3_stmt *stmt = NULL;
    int code = sqlite3_prepare_v2(o->db, sql, -1, &stmt, NULL);
    while (code == SQLITE_OK || code == SQLITE_ROW) {
        code = sqlite3_step(stmt);
        if (code != SQLITE_ROW)
            break;
        struct ks_skill_stat *s = ks_vec_push(arena, &list);
        int measured = sqlite3_column_int(stmt, 7);
        *s = (struct ks_skill_stat){
            .skill = ks_database_text(arena, stmt, 0), .attempts = sqlite3_column_int(stmt, 1),
            .correct = sqlite3_column_int(stmt, 2), .faster = sqlite3_column_int(stmt, 3),
            .agreed = sqlite3_column_int(stmt, 4), .denied = sqlite3_column_int(stmt, 5),
            .measured = measured, .mean = measured > 0 ? exp(sqlite3_column_double(stmt, 8) / measured) : 0,
            .last = ks_database_text(arena, stmt, 9)};
        s->geomean = s->faster ? exp(sqlite3_column_double(stmt, 6) / s->faster) : 0;
    }
    enum ks_status status = code == SQLITE_DONE ? KS_OK : ks_database_fail(o, "cannot be read", err);
    sqlite3_finalize(stmt);
    *stats = list.at;
    *n = list.len;
    return status;
}
