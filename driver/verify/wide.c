// Building the original in double; contract in verify/wide.h.
#include "verify/wide.h"

#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "os/file.h"
#include "verify/build.h"

#define TEXT_MAX (64u << 20)
#define BUILD_SECONDS 120.0
#define BUILD_MEMORY (INT64_C(8) << 30)

// fp32 became double, 16 bits a class of ours with a double in it.
static bool widened(const struct ks_type *narrow, const struct ks_type *wide)
{
    const char *name = narrow->elem.lanes == 2 ? KS_WIDE_PAIR : KS_WIDE_HALF;
    if (narrow->elem.scalar == KS_T_F16 || narrow->elem.scalar == KS_T_BF16)
        return strncmp(wide->text, name, strlen(name)) == 0 && !isalnum((unsigned char)wide->text[strlen(name)]);
    return wide->elem.lanes == narrow->elem.lanes &&
           wide->elem.scalar == (narrow->elem.scalar == KS_T_F32 ? KS_T_F64 : narrow->elem.scalar);
}

static bool same_params(const struct ks_signature *narrow, const struct ks_signature *wide)
{
    if (narrow->n_params != wide->n_params)
        return false;
    for (size_t i = 0; i < narrow->n_params; i++) {
        const struct ks_type *a = &narrow->params[i], *b = &wide->params[i];
        bool named = b->elem.scalar == KS_T_NONE && strcmp(a->text, b->text) == 0; // a struct, an enum
        bool known = a->elem.scalar != KS_T_NONE && widened(a, b);
        if (a->pointer != b->pointer || !(named || known))
            return false;
    }
    return true;
}

// The kernel in the unit's double; NULL unless there is exactly one.
static const char *find_kernel(struct ks_arena *arena, const struct ks_signature *narrow,
                               const struct ks_signature_list *list)
{
    const char *found = NULL;
    const char *name = ks_instance_normalise(arena, ks_wide_name(arena, narrow->instance));
    for (size_t i = 0; i < list->len; i++) {
        const struct ks_signature *s = &list->at[i];
        if (strcmp(ks_instance_normalise(arena, s->instance), name) != 0 || !same_params(narrow, s))
            continue;
        if (found != NULL)
            return NULL;
        found = s->registered;
    }
    return found;
}

// Compiles the unit in double. What an earlier session made of this very text stands in that folder still.
static enum ks_status compile(const struct ks_judge *judge, struct ks_arena *arena, const struct ks_buf *text,
                              const char *folder, struct ks_tu_compile *made, struct ks_err *err)
{
    const struct ks_tu *tu = judge->tu;
    const char *dir = ks_arena_printf(arena, "%s/" KS_TU_OWN "/%s", judge->options.work_dir, folder);
    const char *unit = ks_path_join(arena, dir, ks_path_base(tu->path));
    const char *object = ks_path_join(arena, dir, "wide.o"), *keep = ks_path_join(arena, dir, "kept");
    struct ks_slice before;
    *made = (struct ks_tu_compile){.quiet = true, .keep_dir = keep, .limit_seconds = BUILD_SECONDS,
                                   .limit_memory = BUILD_MEMORY};
    if (ks_file_exists(object) && ks_file_read(arena, unit, TEXT_MAX, &before, NULL) == KS_OK &&
        before.len == text->len && memcmp(before.at, text->data, text->len) == 0)
        return KS_OK;
    (void)unlink(object);
    KS_TRY(ks_dir_make(keep, err));
    KS_TRY(ks_tu_compile_text(arena, tu, (struct ks_slice){text->data, text->len}, unit, keep, object, made, err));
    if (made->exit_code == 0)
        return KS_OK;
    (void)unlink(object);
    KS_FAIL(err, KS_E_UNSUPPORTED, "the unit does not compile with double for float");
}

// The unit in double, its user's text being this one, compiled.
static enum ks_status build_text(const struct ks_judge *judge, struct ks_arena *arena, struct ks_slice users,
                                 const char *folder, struct ks_buf *text, struct ks_tu_compile *made, struct ks_err *err)
{
    const struct ks_tu *tu = judge->tu;
    const struct ks_shadow_request request = {.tu_token = tu->path, .text = users, .marks = &tu->tu_marks};
    struct ks_buf shadow = KS_BUF(TEXT_MAX);
    enum ks_status status = ks_shadow_text(arena, &request, &shadow, err);
    ks_buf_clear(text);
    if (status == KS_OK)
        status = ks_wide_text(arena, &tu->files, (struct ks_slice){shadow.data, shadow.len}, text, err);
    ks_buf_free(&shadow);
    KS_TRY(status);
    KS_TRY(ks_buf_check(text, "the unit in double", err));
    return compile(judge, arena, text, folder, made, err);
}

static enum ks_status build(const struct ks_judge *judge, struct ks_arena *arena, struct ks_wide *w,
                            struct ks_buf *text, struct ks_err *err)
{
    const struct ks_tu *tu = judge->tu;
    struct ks_slice users = tu->files.at[0].text;
    struct ks_tu_compile made;
    // The same for every kernel of the unit; where that does not compile, it may be for what this one has no need of.
    enum ks_status status = build_text(judge, arena, users, "wide", text, &made, err);
    if (status == KS_E_UNSUPPORTED) {
        users = ks_wide_alone(arena, users, judge->kernel->mark->decl->name);
        status = build_text(judge, arena, users, "wide-alone", text, &made, err);
    }
    KS_TRY(status);
    struct ks_signature_list list = {0};
    KS_TRY(ks_tu_registered_read(arena, &made, &list, err));
    w->registered = find_kernel(arena, judge->kernel->signature, &list);
    if (w->registered == NULL)
        KS_FAIL(err, KS_E_UNSUPPORTED, "the unit has no such kernel with double for float");
    const char *const names[] = {w->registered, NULL};
    KS_TRY(ks_judge_text(arena, &made, judge->kernel->arch, &w->registered, &w->text, err));
    struct ks_ptx_module module = {0};
    KS_TRY(ks_ptx_read(arena, w->text, &module, err));
    const struct ks_ptx_entry *entry = ks_ptx_find(&module, w->registered);
    w->params = entry != NULL ? entry->params : NULL;
    w->n_params = entry != NULL ? entry->n_params : 0;
    return ks_judge_image(arena, tu, &made, judge->kernel->arch, names, &judge->options,
                          &w->image, err);
}

static void make(const struct ks_judge *judge, struct ks_arena *arena, struct ks_wide *w)
{
    struct ks_buf text = KS_BUF(TEXT_MAX);
    struct ks_err err = {0};
    w->tried = true;
    if (!judge->compiles)
        w->absent = "there is no compiler";
    else if (build(judge, arena, w, &text, &err) != KS_OK)
        w->absent = ks_arena_strdup(arena, err.text);
    ks_buf_free(&text);
}

// One that is made beside something else, of what nobody changes meanwhile of the session.
struct ks_wide_ahead {
    pthread_t thread;
    const struct ks_judge *judge;
    struct ks_arena arena; // holds what is made as long as the session
    struct ks_wide made;
    bool running;
};

static void *make_ahead(void *context)
{
    struct ks_wide_ahead *ahead = context;
    make(ahead->judge, &ahead->arena, &ahead->made);
    return NULL;
}

void ks_wide_begin(struct ks_judge *judge)
{
    struct ks_wide *w = &judge->wide;
    if (w->tried || w->ahead != NULL || !judge->compiles || ks_shadow_builds_at_once(judge) < 2 ||
        judge->arith.kind != KS_ARITH_OTHER || !judge->arith.joins ||
        judge->kernel->mark->mark->tolerance.kind != KS_TOL_DERIVED)
        return;
    w->ahead = KS_NEW(judge->arena, struct ks_wide_ahead);
    w->ahead->judge = judge;
    w->ahead->running = pthread_create(&w->ahead->thread, NULL, make_ahead, w->ahead) == 0;
}

void ks_wide_await(struct ks_judge *judge)
{
    struct ks_wide_ahead *ahead = judge->wide.ahead;
    if (ahead == NULL || !ahead->running)
        return;
    pthread_join(ahead->thread, NULL);
    ahead->running = false;
    judge->wide = ahead->made;
    judge->wide.ahead = ahead;
}

void ks_wide_free(struct ks_judge *judge)
{
    ks_wide_await(judge);
    if (judge->wide.ahead != NULL)
        ks_arena_free(&judge->wide.ahead->arena);
    judge->wide = (struct ks_wide){0};
}

enum ks_status ks_wide_ready(struct ks_judge *judge, bool *ready, struct ks_err *err)
{
    struct ks_wide *w = &judge->wide;
    ks_wide_await(judge);
    if (!w->tried)
        make(judge, judge->arena, w);
    KS_TRY(ks_oracle_ready(judge, err));
    if (w->absent == NULL && !w->loaded) {
        KS_TRY(ks_oracle_load(judge, "m64", w->image, w->registered, &w->absent, err));
        w->loaded = w->absent == NULL;
    }
    *ready = w->absent == NULL;
    if (!*ready)
        ks_judge_note(judge, "not evaluated in double: %.150s", w->absent);
    return KS_OK;
}
