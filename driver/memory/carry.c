#include "memory/carry.h"

#include <math.h>
#include <string.h>

#include "base/log.h"
#include "base/rng.h"
#include "fmt/json.h"
#include "memory/database.h"
#include "memory/library.h"
#include "os/clock.h"
#include "os/file.h"

#define FORMAT 2
#define FILE_MAX (64u << 20)
#define ORIGIN_DIGITS 32

// Columns in the table's order, without `origin`: s text, i whole from 0 on, f number.
#define COLUMNS                                                                                    \
    "skill, bottleneck, structure, arch, attempts, judged, correct, measured, log_sum, faster,"      \
    " log_faster, agreed, denied, last"
static const char kinds[] = "sssiiiiififiis";

static enum ks_status origin_of(struct ks_arena *arena, struct ks_outcomes *o, const char **origin,
                                struct ks_err *err)
{
    sqlite3_stmt *stmt = NULL;
    char *fresh = sqlite3_mprintf("INSERT OR IGNORE INTO facts VALUES('origin', '%016llx%016llx')",
                                  (unsigned long long)ks_seed_from_os(),
                                  (unsigned long long)ks_seed_from_os());
    enum ks_status status = fresh == NULL ? ks_err_set(err, KS_E_MEMORY, "no memory to export")
                                          : ks_database_run(o, fresh, err);
    sqlite3_free(fresh);
    if (status != KS_OK)
        return status;
    if (sqlite3_prepare_v2(o->db, "SELECT value FROM facts WHERE name = 'origin'", -1, &stmt, NULL) ==
            SQLITE_OK &&
        sqlite3_step(stmt) == SQLITE_ROW)
        *origin = ks_database_text(arena, stmt, 0);
    else
        status = ks_database_fail(o, "cannot be read", err);
    sqlite3_finalize(stmt);
    return status;
}

// ---- out

static enum ks_status rows_out(struct ks_outcomes *o, json_t *out, struct ks_err *err)
{
    sqlite3_stmt *stmt = NULL;
    int code = sqlite3_prepare_v2(o->db, "SELECT " COLUMNS " FROM learned WHERE origin = ''", -1, &stmt, NULL);
    while (code == SQLITE_OK || code == SQLITE_ROW) {
        code = sqlite3_step(stmt);
        if (code != SQLITE_ROW)
            break;
        json_t *row = json_array();
        for (int i = 0; kinds[i] != '\0'; i++) {
            json_array_append_new(row, kinds[i] == 's' ? json_string((const char *)sqlite3_column_text(stmt, i))
                                       : kinds[i] == 'i' ? json_integer(sqlite3_column_int64(stmt, i))
                                                     : json_real(sqlite3_column_double(stmt, i)));
        }
        json_array_append_new(out, row);
    }
    enum ks_status status = code == SQLITE_DONE ? KS_OK : ks_database_fail(o, "cannot be read", err);
    sqlite3_finalize(stmt);
    return status;
}

static void skills_out(struct ks_arena *arena, const struct ks_config *config, json_t *out)
{
    const char *dir = ks_library_own_dir(arena, config);
    struct ks_strv names = {0};
    struct ks_slice text;
    if (dir == NULL || ks_dir_list(arena, dir, &names, NULL) != KS_OK)
        return;
    for (size_t i = 0; i < names.len; i++)
        if (ks_ends_with(names.at[i], ".yaml") &&
            ks_file_read(arena, ks_path_join(arena, dir, names.at[i]), 256u << 10, &text, NULL) == KS_OK)
            json_array_append_new(out, json_pack("{s:s,s:s%}", "file", names.at[i], "text", text.at, text.len));
}

enum ks_status ks_memory_export(struct ks_arena *arena, struct ks_outcomes *o,
                                const struct ks_config *config, const char *file,
                                struct ks_carried *carried, struct ks_err *err)
{
    char date[32];
    json_t *root = ks_json_report("ks.memory"), *rows = json_array(), *skills = json_array();
    ks_utc_text(date);
    *carried = (struct ks_carried){0};
    enum ks_status status = origin_of(arena, o, &carried->origin, err);
    if (status == KS_OK)
        status = rows_out(o, rows, err);
    skills_out(arena, config, skills);
    carried->lessons = json_array_size(rows);
    carried->skills = json_array_size(skills);
    json_object_set_new(root, "format", json_integer(FORMAT));
    json_object_set_new(root, "origin", json_string(carried->origin != NULL ? carried->origin : ""));
    json_object_set_new(root, "date", json_string(date));
    json_object_set_new(root, "learned", rows);
    json_object_set_new(root, "skills", skills);
    if (status == KS_OK) {
        const char *text = ks_json_text(arena, root);
        status = ks_file_write(file, text, strlen(text), true, 0, err);
    }
    json_decref(root);
    return status;
}

// ---- in

static bool fits(const json_t *value, char kind)
{
    if (kind == 's')
        return json_is_string(value) && json_string_length(value) < 200;
    if (kind == 'i')
        return json_is_integer(value) && json_integer_value(value) >= 0 &&
               json_integer_value(value) < ((json_int_t)1 << 40);
    return json_is_number(value) && isfinite(json_number_value(value));
}

static enum ks_status row_in(struct ks_outcomes *o, sqlite3_stmt *stmt, const char *origin, const char *file,
                             const json_t *row, struct ks_err *err)
{
    size_t n = strlen(kinds);
    bool good = json_array_size(row) == n;
    int at = 1;
    for (size_t i = 0; i < n && good; i++) {
        const json_t *value = json_array_get(row, i);
        good = fits(value, kinds[i]);
        if (!good)
            break;
        if (i == 4) // where the table has it
            sqlite3_bind_text(stmt, at++, origin, -1, SQLITE_STATIC);
        if (kinds[i] == 's')
            sqlite3_bind_text(stmt, at++, json_string_value(value), -1, SQLITE_TRANSIENT);
        else if (kinds[i] == 'i')
            sqlite3_bind_int64(stmt, at++, json_integer_value(value));
        else
            sqlite3_bind_double(stmt, at++, json_number_value(value));
    }
    if (!good)
        KS_FAIL(err, KS_E_FORMAT, "%s: a row of `learned` is damaged; export it again", file);
    return ks_database_step(o, stmt, "what was learned elsewhere was not recorded", err);
}

static enum ks_status rows_in(struct ks_outcomes *o, const char *origin, const char *file, const json_t *rows,
                              struct ks_err *err)
{
    static const char insert[] = "INSERT INTO learned VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)";
    sqlite3_stmt *stmt = NULL;
    enum ks_status status = KS_OK;
    if (!json_is_array(rows))
        KS_FAIL(err, KS_E_FORMAT, "%s: no `learned` in it; export it again", file);
    char *sql = sqlite3_mprintf("DELETE FROM learned WHERE origin = %Q", origin);
    status = sql == NULL ? ks_err_set(err, KS_E_MEMORY, "no memory to import") : ks_database_run(o, sql, err);
    sqlite3_free(sql);
    if (status == KS_OK && sqlite3_prepare_v2(o->db, insert, -1, &stmt, NULL) != SQLITE_OK)
        status = ks_database_fail(o, "cannot be used", err);
    for (size_t i = 0; status == KS_OK && i < json_array_size(rows); i++)
        status = row_in(o, stmt, origin, file, json_array_get(rows, i), err);
    sqlite3_finalize(stmt);
    return status;
}

static bool is_origin(const char *text)
{
    return strlen(text) == ORIGIN_DIGITS && strspn(text, "0123456789abcdef") == ORIGIN_DIGITS;
}

// Each as `ks skills add` would take it; one that is bad is named and left out, one that is here by its id left as it is.
static enum ks_status skills_in(struct ks_arena *arena, struct ks_outcomes *o, const struct ks_config *config,
                                const char *file, const json_t *skills, struct ks_carried *carried,
                                struct ks_err *err)
{
    struct ks_library library;
    KS_TRY(ks_library_load(arena, config, o, true, &library, err));
    for (size_t i = 0; i < json_array_size(skills); i++) {
        const char *text = ks_json_str(json_array_get(skills, i), "text", "");
        const char *name = ks_arena_printf(arena, "%s[%zu]", file, i);
        struct ks_skill_standing standing;
        struct ks_skill skill;
        struct ks_err local = {0};
        enum ks_status status = ks_skill_parse(arena, name, ks_slice_of(text), &skill, &local);
        if (status == KS_OK && ks_skill_find(&library.skills, skill.id) != NULL)
            continue;
        if (status == KS_OK)
            status = ks_library_add(arena, config, o, &library, name, ks_slice_of(text), &standing, &local);
        if (status == KS_OK)
            carried->skills++;
        else
            ks_warn("%s; skill left out", local.text);
    }
    return KS_OK;
}

static enum ks_status read_file(struct ks_arena *arena, const char *file, json_t **root, struct ks_err *err)
{
    struct ks_slice text;
    struct ks_err local = {0};
    enum ks_status status = ks_file_read(arena, file, FILE_MAX, &text, err);
    if (status == KS_E_ABSENT)
        return ks_err_set(err, KS_E_USER, "%s: no such file", file);
    KS_TRY(status);
    *root = ks_json_parse(text, &local);
    if (*root == NULL || strcmp(ks_json_str(*root, "schema", ""), "ks.memory") != 0)
        KS_FAIL(err, KS_E_FORMAT, "%s: no export of a memory; `ks skills export` writes one", file);
    if (ks_json_int(*root, "format", 0) > FORMAT)
        KS_FAIL(err, KS_E_UNSUPPORTED, "%s: written by a newer ks; use that one", file);
    return KS_OK;
}

enum ks_status ks_memory_import(struct ks_arena *arena, struct ks_outcomes *o,
                                const struct ks_config *config, const char *file,
                                struct ks_carried *carried, struct ks_err *err)
{
    json_t *root = NULL;
    const char *mine;
    *carried = (struct ks_carried){0};
    enum ks_status status = read_file(arena, file, &root, err);
    if (status == KS_OK)
        status = origin_of(arena, o, &mine, err);
    if (status == KS_OK) {
        carried->origin = ks_arena_strdup(arena, ks_json_str(root, "origin", ""));
        if (!is_origin(carried->origin))
            status = ks_err_set(err, KS_E_FORMAT, "%s: it does not say which memory it is from", file);
        else if (strcmp(mine, carried->origin) == 0)
            status = ks_err_set(err, KS_E_USER, "%s: it was exported from this memory, which knows it all", file);
    }
    if (status == KS_OK) {
        status = ks_database_begin(o, err);
        bool begun = status == KS_OK;
        if (begun)
            status = rows_in(o, carried->origin, file, json_object_get(root, "learned"), err);
        if (begun)
            status = ks_database_end(o, status, err);
    }
    if (status == KS_OK) {
        carried->lessons = json_array_size(json_object_get(root, "learned"));
        status = skills_in(arena, o, config, file, json_object_get(root, "skills"), carried, err);
    }
    json_decref(root);
    return status;
}
