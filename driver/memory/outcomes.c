#include "memory/outcomes.h"

#include <math.h>
#include <string.h>

#include "base/vec.h"
#include "memory/database.h"

enum { ID_DIGITS = 4 };

static bool is(const char *text, const char *word)
{
    return strcmp(text, word) == 0;
}

static const char *or_empty(const char *text)
{
    return text != NULL ? text : "";
}

static const char *structure_of(const struct ks_attempt *a)
{
    return a->structure != NULL && a->structure[0] != '\0' ? a->structure : "unknown";
}

static enum ks_status insert(struct ks_outcomes *o, const struct ks_attempt *a, struct ks_err *err)
{
    const char *const texts[] = {a->key,         a->kernel,       a->proposal, a->skill,
                                 a->direction,   a->params,       a->bottleneck, a->date,
                                 a->correctness, a->speed,        a->reason,   structure_of(a),
                                 a->toolkit,     a->evidence != NULL ? a->evidence : KS_MEASURED,
                                 a->mechanism,   a->move,         a->base};
    const int n = (int)(sizeof texts / sizeof *texts);
    sqlite3_stmt *add = ks_database_get(o, KS_SQL_ADD, err);
    if (add == NULL)
        return KS_E_INTERNAL;
    for (int i = 0; i < n; i++)
        sqlite3_bind_text(add, i + 1, or_empty(texts[i]), -1, SQLITE_STATIC);
    sqlite3_bind_int(add, n + 1, a->arch);
    sqlite3_bind_double(add, n + 2, a->ratio);
    sqlite3_bind_double(add, n + 3, a->lower);
    sqlite3_bind_double(add, n + 4, a->seconds);
    sqlite3_bind_int(add, n + 5, a->moved);
    sqlite3_bind_double(add, n + 6, a->base_ratio);
    return ks_database_step(o, add, "an attempt was not recorded", err);
}

static enum ks_status keep_text(struct ks_outcomes *o, const struct ks_attempt *a, struct ks_err *err)
{
    sqlite3_stmt *keep = ks_database_get(o, KS_SQL_KEEP, err);
    if (keep == NULL)
        return KS_E_INTERNAL;
    sqlite3_bind_text(keep, 1, a->proposal, -1, SQLITE_STATIC);
    sqlite3_bind_text(keep, 2, a->text, -1, SQLITE_STATIC);
    sqlite3_bind_int64(keep, 3, sqlite3_last_insert_rowid(o->db));
    return ks_database_step(o, keep, "a proposal was not recorded", err);
}

static enum ks_status learn_at(struct ks_outcomes *o, const struct ks_attempt *a, const char *bottleneck,
                               const char *structure, int arch, struct ks_err *err)
{
    sqlite3_stmt *learn = ks_database_get(o, KS_SQL_LEARN, err);
    if (learn == NULL)
        return KS_E_INTERNAL;
    bool correct = is(a->correctness, "CORRECT"), counted = a->screened > 0;
    bool judged = !is(a->correctness, "UNSUPPORTED") && !is(a->correctness, "BASELINE_FAULT") &&
                  !is(a->correctness, "VOID");
    // What stands on another candidate is the skill's as far as it is more than that one. A gain that came another way is
    // none of the skill's. What a screening taught gives way to the full judgement.
    double over = or_empty(a->base)[0] == '\0' ? 1 : a->base_ratio;
    bool measured = correct && a->ratio > 0 && over > 0, looked = counted && a->screened_over > 0;
    double gain = measured ? log(a->ratio / over) : 0, credit = a->moved < 0 && gain > 0 ? 0 : gain;
    bool faster = is(or_empty(a->speed), "FASTER") && credit > 0;
    sqlite3_bind_text(learn, 1, a->skill, -1, SQLITE_STATIC);
    sqlite3_bind_text(learn, 2, bottleneck, -1, SQLITE_STATIC);
    sqlite3_bind_text(learn, 3, structure, -1, SQLITE_STATIC);
    sqlite3_bind_int(learn, 4, arch);
    sqlite3_bind_int(learn, 5, judged - counted);
    sqlite3_bind_int(learn, 6, correct - counted);
    sqlite3_bind_int(learn, 7, measured - looked);
    sqlite3_bind_double(learn, 8, credit - (looked ? log(a->screened / a->screened_over) : 0));
    sqlite3_bind_int(learn, 9, faster);
    sqlite3_bind_double(learn, 10, faster ? credit : 0);
    sqlite3_bind_int(learn, 11, a->moved > 0);
    sqlite3_bind_int(learn, 12, a->moved < 0);
    sqlite3_bind_text(learn, 13, or_empty(a->date), -1, SQLITE_STATIC);
    sqlite3_bind_int(learn, 14, !counted);
    return ks_database_step(o, learn, "what an attempt taught was not recorded", err);
}

static enum ks_status record(struct ks_outcomes *o, const struct ks_attempt *a, struct ks_err *err)
{
    const char *structure = structure_of(a), *bottleneck = or_empty(a->bottleneck);
    KS_TRY(insert(o, a, err));
    if (a->text != NULL)
        KS_TRY(keep_text(o, a, err));
    if (is(a->evidence != NULL ? a->evidence : KS_MEASURED, KS_MODELLED))
        return KS_OK;
    KS_TRY(learn_at(o, a, "", "", 0, err));
    KS_TRY(learn_at(o, a, bottleneck, "", 0, err));
    KS_TRY(learn_at(o, a, bottleneck, structure, 0, err));
    return learn_at(o, a, bottleneck, structure, a->arch, err);
}

enum ks_status ks_outcomes_add(struct ks_outcomes *o, const struct ks_attempt *a,
                               struct ks_err *err)
{
    KS_TRY(ks_database_begin(o, err));
    return ks_database_end(o, record(o, a, err), err);
}

enum ks_status ks_outcomes_for_key(struct ks_arena *arena, struct ks_outcomes *o, const char *key,
                                   struct ks_attempt **attempts, size_t *n, struct ks_err *err)
{
    KS_VEC(struct ks_attempt) list = {0};
    int code;
    sqlite3_stmt *stmt = ks_database_get(o, KS_SQL_FOR_KEY, err);
    if (stmt == NULL)
        return KS_E_INTERNAL;
    sqlite3_bind_text(stmt, 1, key, -1, SQLITE_STATIC);
    while ((code = sqlite3_step(stmt)) == SQLITE_ROW) {
        struct ks_attempt *a = ks_vec_push(arena, &list);
        const char **texts[] = {&a->key,         &a->kernel, &a->proposal,   &a->skill,
                                &a->direction,   &a->params, &a->bottleneck, &a->date,
                                &a->correctness, &a->speed,  &a->reason,     &a->structure,
                                &a->toolkit,     &a->evidence,
                                &a->mechanism,   &a->move,   &a->base};
        const int count = (int)(sizeof texts / sizeof *texts);
        for (int i = 0; i < count; i++)
            *texts[i] = ks_database_text(arena, stmt, i);
        a->arch = sqlite3_column_int(stmt, count);
        a->ratio = sqlite3_column_double(stmt, count + 1);
        a->lower = sqlite3_column_double(stmt, count + 2);
        a->seconds = sqlite3_column_double(stmt, count + 3);
        a->moved = sqlite3_column_int(stmt, count + 4);
        a->base_ratio = sqlite3_column_double(stmt, count + 5);
    }
    *attempts = list.at;
    *n = list.len;
    enum ks_status status =
        code == SQLITE_DONE ? KS_OK : ks_database_fail(o, "the trajectory cannot be read", err);
    sqlite3_reset(stmt);
    return status;
}

enum ks_status ks_outcomes_keys(struct ks_arena *arena, struct ks_outcomes *o, struct ks_strv *keys,
                                struct ks_err *err)
{
    sqlite3_stmt *stmt = NULL;
    int code = sqlite3_prepare_v2(o->db, "SELECT DISTINCT key FROM attempts ORDER BY key", -1, &stmt, NULL);
    while (code == SQLITE_OK || code == SQLITE_ROW) {
        code = sqlite3_step(stmt);
        if (code == SQLITE_ROW)
            ks_strv_add(arena, keys, ks_database_text(arena, stmt, 0));
    }
    enum ks_status status = code == SQLITE_DONE ? KS_OK : ks_database_fail(o, "the keys cannot be read", err);
    sqlite3_finalize(stmt);
    return status;
}

enum ks_status ks_outcomes_tried(struct ks_arena *arena, struct ks_outcomes *o, struct ks_tried_kernels *tried,
                                 struct ks_err *err)
{
    static const char sql[] = "SELECT key, kernel, arch FROM attempts WHERE id IN"
                              " (SELECT min(id) FROM attempts GROUP BY key) ORDER BY key";
    sqlite3_stmt *stmt = NULL;
    int code = sqlite3_prepare_v2(o->db, sql, -1, &stmt, NULL);
    while (code == SQLITE_OK || code == SQLITE_ROW) {
        code = sqlite3_step(stmt);
        if (code == SQLITE_ROW)
            *ks_vec_push(arena, tried) = (struct ks_tried_kernel){ks_database_text(arena, stmt, 0),
                                                           ks_database_text(arena, stmt, 1),
                                                           sqlite3_column_int(stmt, 2)};
    }
    enum ks_status status = code == SQLITE_DONE ? KS_OK : ks_database_fail(o, "the keys cannot be read", err);
    sqlite3_finalize(stmt);
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
            *text = ks_database_text(arena, stmt, 0);
    enum ks_status status = KS_OK;
    if (code != SQLITE_DONE && code != SQLITE_ROW)
        status = ks_database_fail(o, "a proposal cannot be read", err);
    else if (n == 0)
        status = ks_err_set(err, KS_E_ABSENT, "no proposal that was judged on this machine begins with %s", id);
    else if (n > 1)
        status = ks_err_set(err, KS_E_USER, "several proposals begin with %s: give more digits", id);
    sqlite3_finalize(stmt);
    return status;
}

// Of the file, and what is used of it: free pages are used again before it grows.
static enum ks_status file_bytes(struct ks_outcomes *o, int64_t *bytes, struct ks_err *err)
{
    int64_t pages, size;
    KS_TRY(ks_database_int(o, "PRAGMA page_count", &pages, err));
    KS_TRY(ks_database_int(o, "PRAGMA page_size", &size, err));
    *bytes = pages * size;
    return KS_OK;
}

static enum ks_status used_bytes(struct ks_outcomes *o, int64_t *bytes, struct ks_err *err)
{
    int64_t free_pages, size;
    KS_TRY(file_bytes(o, bytes, err));
    KS_TRY(ks_database_int(o, "PRAGMA freelist_count", &free_pages, err));
    KS_TRY(ks_database_int(o, "PRAGMA page_size", &size, err));
    *bytes -= free_pages * size;
    return KS_OK;
}

enum ks_status ks_outcomes_forget(struct ks_outcomes *o, int64_t bytes, int64_t *deleted,
                                  struct ks_err *err)
{
    int64_t used, first, last;
    enum ks_status status = used_bytes(o, &used, err);
    if (deleted != NULL)
        *deleted = 0;
    // A tenth of the attempts at a time, each a transaction of its own: others may write in between.
    while (status == KS_OK && used > bytes) {
        KS_TRY(ks_database_int(o, "SELECT coalesce(min(id), 0) FROM attempts", &first, err));
        KS_TRY(ks_database_int(o, "SELECT coalesce(max(id), 0) FROM attempts", &last, err));
        if (first >= last) // the newest stays
            return KS_OK;
        char *sql = sqlite3_mprintf("DELETE FROM attempts WHERE id < %lld;"
                                    "DELETE FROM proposals WHERE attempt < %lld",
                                    first + (last - first + 9) / 10, first + (last - first + 9) / 10);
        if (sql == NULL)
            KS_FAIL(err, KS_E_MEMORY, "no memory to forget");
        status = ks_database_begin(o, err);
        if (status == KS_OK)
            status = ks_database_end(o, ks_database_run(o, sql, err), err);
        sqlite3_free(sql);
        if (status == KS_OK && deleted != NULL)
            *deleted += (last - first + 9) / 10;
        if (status == KS_OK)
            status = used_bytes(o, &used, err);
    }
    return status;
}

enum ks_status ks_outcomes_trim(struct ks_outcomes *o, struct ks_err *err)
{
    int64_t file, used;
    if (o->max_bytes <= 0)
        return KS_OK;
    KS_TRY(ks_outcomes_forget(o, o->max_bytes, NULL, err));
    KS_TRY(file_bytes(o, &file, err));
    KS_TRY(used_bytes(o, &used, err));
    if (file <= o->max_bytes + o->max_bytes / 2 || file <= used + used / 2)
        return KS_OK;
    int code = sqlite3_exec(o->db, "VACUUM; PRAGMA wal_checkpoint(TRUNCATE)", NULL, NULL, NULL) & 0xff;
    if (code != SQLITE_OK && code != SQLITE_BUSY && code != SQLITE_LOCKED)
        return ks_database_fail(o, "cannot be made smaller", err);
    return KS_OK;
}
