#include "memory/library.h"

#include <string.h>

#include "base/log.h"
#include "memory/database.h"
#include "memory/skill_check.h"
#include "nvcc/toolkit.h"
#include "os/clock.h"
#include "os/file.h"

enum { ENOUGH_USES = 10, ENOUGH_DENIED = 5 };

static const char *const names[] = {"in use", "probation", "adopted", "disabled", "retired"};

const char *ks_standing_name(enum ks_standing standing)
{
    return names[standing];
}

const char *ks_library_own_dir(struct ks_arena *arena, const struct ks_config *config)
{
    return config->state_dir != NULL ? ks_path_join(arena, config->state_dir, "skills") : NULL;
}

// ---- the table of standings

static enum ks_standing standing_of(const char *name)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0)
            return (enum ks_standing)i;
    return KS_DISABLED; // of a ks to come: rather not tried
}

static enum ks_status read_standing(struct ks_arena *arena, struct ks_outcomes *o, const char *id,
                                    struct ks_skill_standing *out, struct ks_err *err)
{
    sqlite3_stmt *stmt = ks_database_get(o, KS_SQL_STATE, err);
    if (stmt == NULL)
        return KS_E_INTERNAL;
    sqlite3_bind_text(stmt, 1, id, -1, SQLITE_STATIC);
    int code = sqlite3_step(stmt);
    if (code == SQLITE_ROW) {
        out->standing = standing_of(ks_database_text(arena, stmt, 0));
        out->reason = ks_database_text(arena, stmt, 1);
        out->since = ks_database_text(arena, stmt, 2);
        out->toolkit = ks_database_text(arena, stmt, 3);
        out->arch = sqlite3_column_int(stmt, 4);
    }
    enum ks_status status = code == SQLITE_ROW || code == SQLITE_DONE
                                ? KS_OK
                                : ks_database_fail(o, "where skills stand cannot be read", err);
    sqlite3_reset(stmt);
    return status;
}

static enum ks_status put_standing(struct ks_outcomes *o, const struct ks_skill_standing *s,
                                   struct ks_err *err)
{
    static const char put[] = "INSERT OR REPLACE INTO skills VALUES(?,?,?,?,?,?)";
    static const char take[] = "DELETE FROM skills WHERE id = ?";
    sqlite3_stmt *stmt = NULL;
    bool none = s->standing == KS_IN_USE;
    if (sqlite3_prepare_v2(o->db, none ? take : put, -1, &stmt, NULL) != SQLITE_OK)
        return ks_database_fail(o, "where a skill stands cannot be kept", err);
    const char *const texts[] = {s->id, names[s->standing], s->reason, s->since, s->toolkit};
    for (int i = 0; i < (none ? 1 : 5); i++)
        sqlite3_bind_text(stmt, i + 1, texts[i] != NULL ? texts[i] : "", -1, SQLITE_STATIC);
    if (!none)
        sqlite3_bind_int(stmt, 6, s->arch);
    enum ks_status status = ks_database_step(o, stmt, "where a skill stands was not kept", err);
    sqlite3_finalize(stmt);
    return status;
}

enum ks_status ks_standing_set(struct ks_outcomes *o, const struct ks_skill_standing *standing,
                               struct ks_err *err)
{
    return put_standing(o, standing, err);
}

const char *ks_standing_stale(struct ks_arena *arena, const struct ks_skill_standing *s, const char *toolkit,
                              int arch)
{
    if (s->standing != KS_ADOPTED)
        return NULL;
    if (s->arch != 0 && arch != 0 && s->arch != arch)
        return ks_arena_printf(arena, "shown on sm_%d, not on sm_%d", s->arch, arch);
    if (s->toolkit != NULL && s->toolkit[0] != '\0' && toolkit != NULL && strcmp(s->toolkit, toolkit) != 0)
        return ks_arena_printf(arena, "shown with nvcc %s, not with %s", s->toolkit, toolkit);
    return NULL;
}

// ---- both folders

// Skills of the user's own came in checked; what was changed or put there since may contradict itself.
static void drop_contradictory(struct ks_arena *arena, struct ks_skill_list *skills, size_t installed)
{
    for (size_t i = installed; i < skills->len;) {
        const char *why = ks_skill_contradiction(arena, skills, &skills->at[i]);
        if (why == NULL) {
            i++;
            continue;
        }
        ks_warn("%s; skill left out", why);
        memmove(&skills->at[i], &skills->at[i + 1], (--skills->len - i) * sizeof *skills->at);
    }
}

static enum ks_status load_all(struct ks_arena *arena, const struct ks_config *config,
                               struct ks_skill_list *skills, size_t *installed, struct ks_err *err)
{
    const char *own = ks_library_own_dir(arena, config);
    KS_TRY(ks_skills_load(arena, ks_path_join(arena, config->share_dir, "skills/expert"), true, skills, err));
    *installed = skills->len;
    if (own == NULL || !ks_is_dir(own))
        return KS_OK;
    KS_TRY(ks_skills_load(arena, own, true, skills, err));
    drop_contradictory(arena, skills, *installed);
    return KS_OK;
}

// nvcc's version, asked for (it is cached) only where a skill was adopted under one; NULL: not known.
static const char *toolkit_now(struct ks_arena *arena, const struct ks_config *config,
                               const struct ks_skill_standing *s, const char **version)
{
    struct ks_toolkit toolkit;
    if (*version == NULL && s->standing == KS_ADOPTED && s->toolkit[0] != '\0' &&
        ks_toolkit_find(arena, config, &toolkit, NULL) == KS_OK &&
        ks_toolkit_version(arena, config, &toolkit, NULL) == KS_OK)
        *version = toolkit.version;
    return *version;
}

enum ks_status ks_library_load(struct ks_arena *arena, const struct ks_config *config,
                               struct ks_outcomes *outcomes, bool all, struct ks_library *library,
                               struct ks_err *err)
{
    struct ks_skill_list every = {0};
    const char *toolkit = NULL;
    size_t installed = 0;
    *library = (struct ks_library){0};
    enum ks_status status = load_all(arena, config, &every, &installed, err);
    for (size_t i = 0; status == KS_OK && i < every.len; i++) {
        struct ks_skill_standing s = {.id = every.at[i].id, .reason = "", .since = "", .toolkit = "",
                                      .standing = i < installed ? KS_IN_USE : KS_PROBATION};
        struct ks_err local = {0};
        if (outcomes != NULL && read_standing(arena, outcomes, s.id, &s, &local) != KS_OK) {
            ks_warn("%s; where skills stand is not known", local.text);
            outcomes = NULL;
        }
        if (!all && (s.standing == KS_DISABLED || s.standing == KS_RETIRED))
            continue;
        const char *stale = ks_standing_stale(arena, &s, toolkit_now(arena, config, &s, &toolkit), 0);
        if (stale != NULL)
            s.reason = ks_arena_printf(arena, "%s; %s: on probation until `ks skills adopt %s` shows it anew",
                                       s.reason, stale, s.id);
        every.at[i].on_probation = s.standing == KS_PROBATION || stale != NULL;
        every.at[i].shown_arch = s.standing == KS_ADOPTED ? s.arch : 0;
        *ks_vec_push(arena, &library->skills) = every.at[i];
        *ks_vec_push(arena, &library->standings) = s;
    }
    return status;
}

const struct ks_skill_standing *ks_library_standing(const struct ks_library *library, const char *id)
{
    for (size_t i = 0; i < library->standings.len; i++)
        if (strcmp(library->standings.at[i].id, id) == 0)
            return &library->standings.at[i];
    return NULL;
}

// ---- adding

enum ks_status ks_library_add(struct ks_arena *arena, const struct ks_config *config,
                              struct ks_outcomes *outcomes, struct ks_library *library, const char *name,
                              struct ks_slice text, struct ks_skill_standing *standing, struct ks_err *err)
{
    struct ks_skill skill;
    struct ks_skill_list both = {0};
    struct ks_finding_list findings = {0};
    const char *dir = ks_library_own_dir(arena, config);
    if (dir == NULL)
        KS_FAIL(err, KS_E_ABSENT, "no home directory to keep skills in; set KS_STATE_DIR");
    KS_TRY(ks_skill_parse(arena, name, text, &skill, err));
    const struct ks_skill *other = ks_skill_find(&library->skills, skill.id);
    if (other != NULL)
        KS_FAIL(err, KS_E_USER, "%s:1: `%s` is the id of %s; give it another", name, skill.id, other->file);
    ks_vec_each(struct ks_skill, s, &library->skills) *ks_vec_push(arena, &both) = *s;
    *ks_vec_push(arena, &both) = skill;
    // The file gets the right name here, whatever it was called.
    both.at[both.len - 1].file = ks_arena_printf(arena, "%s/%s.yaml", dir, skill.id);
    ks_skills_check(arena, &both, NULL, &findings);
    ks_vec_each(struct ks_finding, f, &findings)
        if (f->file == both.at[both.len - 1].file)
            KS_FAIL(err, KS_E_USER, "%s:%d: %s", name, f->line, f->text);
    char *date = ks_arena_alloc(arena, 32);
    ks_utc_text(date);
    *standing = (struct ks_skill_standing){.id = skill.id, .standing = KS_PROBATION, .reason = "new",
                                           .since = date, .toolkit = ""};
    KS_TRY(put_standing(outcomes, standing, err));
    KS_TRY(ks_dir_make(dir, err));
    KS_TRY(ks_file_write(both.at[both.len - 1].file, text.at, text.len, true, 0, err));
    both.at[both.len - 1].on_probation = true;
    *ks_vec_push(arena, &library->skills) = both.at[both.len - 1];
    *ks_vec_push(arena, &library->standings) = *standing;
    return KS_OK;
}

// ---- merging and retiring

enum ks_status ks_skills_merge(struct ks_outcomes *o, const char *from, const char *into,
                               struct ks_err *err)
{
    char date[32];
    ks_utc_text(date);
    char *sql = sqlite3_mprintf(
        "INSERT INTO learned SELECT %Q, bottleneck, structure, arch, origin, attempts, judged, correct,"
        " measured, log_sum, faster, log_faster, agreed, denied, last FROM learned WHERE skill = %Q"
        " ON CONFLICT DO UPDATE SET attempts = attempts + excluded.attempts,"
        " judged = judged + excluded.judged, correct = correct + excluded.correct,"
        " measured = measured + excluded.measured, log_sum = log_sum + excluded.log_sum,"
        " faster = faster + excluded.faster, log_faster = log_faster + excluded.log_faster,"
        " agreed = agreed + excluded.agreed, denied = denied + excluded.denied,"
        " last = max(last, excluded.last);"
        "DELETE FROM learned WHERE skill = %Q;"
        "INSERT OR REPLACE INTO skills VALUES(%Q, 'retired', 'merged into ' || %Q, %Q, '', 0)",
        into, from, from, from, into, date);
    if (sql == NULL)
        KS_FAIL(err, KS_E_MEMORY, "no memory to merge skills");
    enum ks_status status = ks_database_begin(o, err);
    if (status == KS_OK)
        status = ks_database_end(o, ks_database_run(o, sql, err), err);
    sqlite3_free(sql);
    return status;
}

// Why it lost, or NULL.
static const char *loses(struct ks_arena *arena, const struct ks_skill_stat *s)
{
    if (s->denied >= ENOUGH_DENIED && s->denied > s->agreed)
        return ks_arena_printf(arena, "%d of %d gains came by another mechanism", s->denied,
                               s->denied + s->agreed);
    if (s->measured >= ENOUGH_USES && s->mean > 0 && s->mean < 1)
        return ks_arena_printf(arena, "%d attempts, %.2fx as fast in the mean as what they stand on", s->attempts,
                               s->mean);
    return NULL;
}

enum ks_status ks_skills_retire_losers(struct ks_arena *arena, struct ks_outcomes *o,
                                       struct ks_strv *ids, struct ks_err *err)
{
    struct ks_skill_stat *stats;
    size_t n;
    char *date = ks_arena_alloc(arena, 32);
    ks_utc_text(date);
    KS_TRY(ks_outcomes_stats(arena, o, &stats, &n, err));
    for (size_t i = 0; i < n; i++) {
        struct ks_skill_standing s = {.standing = KS_IN_USE};
        const char *reason = loses(arena, &stats[i]);
        KS_TRY(read_standing(arena, o, stats[i].skill, &s, err));
        if (reason == NULL || (s.standing != KS_PROBATION && s.standing != KS_ADOPTED))
            continue;
        s = (struct ks_skill_standing){.id = stats[i].skill, .standing = KS_RETIRED, .reason = reason,
                                       .since = date};
        KS_TRY(put_standing(o, &s, err));
        ks_strv_add(arena, ids, stats[i].skill);
    }
    return KS_OK;
}
