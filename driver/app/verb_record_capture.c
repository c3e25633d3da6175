// ks record --capture: which launches are to be captured, and what becomes of them.
#include <stdio.h>
#include <string.h>

#include "app/verb_record.h"
#include "os/file.h"
#include "workload/capture.h"

#define MOST_BYTES (INT64_C(1) << 30)

// ---- which kernels

static enum ks_status find_marked(struct ks_arena *arena, const struct ks_project *project,
                                  struct ks_strv *names, struct ks_err *err)
{
    struct record_sources sources;
    const char *root = record_sources_find(arena, project, &sources);
    for (size_t i = 0; i < project->n_marks; i++)
        if (!project->marks[i].off)
            ks_strv_add(arena, names, project->marks[i].kernel);
    for (size_t i = 0; i < sources.len; i++)
        if (sources.at[i].marked)
            ks_strv_add(arena, names, sources.at[i].decl->qualified);
    if (names->len == 0)
        KS_FAIL(err, KS_E_USER, "--capture marked: no kernel is marked below %s (docs/marks.md)", root);
    return KS_OK;
}

enum ks_status record_captures_read(struct ks_verb_context *context, const char *what, const char *most,
                                    struct record_captures *captures, int *top, struct ks_err *err)
{
    struct ks_arena *arena = context->arena;
    struct ks_project project = {0};
    struct ks_store store;
    int64_t n;
    *top = 0;
    *captures = (struct record_captures){.most = MOST_BYTES};
    if (most != NULL && (!ks_size_parse(most, &captures->most) || captures->most < 1))
        KS_FAIL(err, KS_E_USER, "--max-bytes=%s: give bytes, 500M or 2G", most);
    KS_TRY(ks_project_find(arena, &context->config, ".", &project, err));
    ks_store_open(arena, &context->config, &project, &store);
    captures->folder = ks_store_captures(arena, &store).at[0];
    if (strcmp(what, "marked") == 0)
        return find_marked(arena, &project, &captures->names, err);
    if (ks_starts_with(what, "top:")) {
        if (!ks_parse_i64(what + 4, &n) || n < 1 || n > 100)
            KS_FAIL(err, KS_E_USER, "--capture %s: give top:1 to top:100", what);
        *top = (int)n;
        return KS_OK;
    }
    ks_strv_add(arena, &captures->names, ks_instance_normalise(arena, what));
    return KS_OK;
}

// ---- telling the library

// Part of every mangled name of a kernel (Itanium C++ ABI: each name has its length in front); a kernel without
// namespaces may also be extern "C". Template arguments are looked at afterwards.
static void add_parts(struct ks_arena *arena, const char *name, struct ks_buf *out)
{
    char *base = ks_arena_strndup(arena, name, strcspn(name, "<"));
    const char *between = out->len > 0 ? "," : "";
    if (strstr(base, "::") == NULL)
        ks_buf_printf(out, "%s=%s,", between, base);
    else
        ks_buf_puts(out, between);
    for (char *at = base, *next; at != NULL; at = next) {
        next = strstr(at, "::");
        if (next != NULL) {
            *next = '\0';
            next += 2;
        }
        if (*at != '\0')
            ks_buf_printf(out, "%zu%s", strlen(at), at);
    }
}

void record_captures_ask(struct ks_arena *arena, const struct record_captures *captures,
                         struct ks_strv *environment)
{
    struct ks_buf parts = KS_BUF(1 << 16);
    for (size_t i = 0; i < captures->names.len; i++)
        add_parts(arena, captures->names.at[i], &parts);
    for (size_t i = 0; i < captures->symbols.len; i++)
        ks_buf_printf(&parts, "%s=%s", parts.len > 0 ? "," : "", captures->symbols.at[i]);
    ks_strv_add(arena, environment,
                ks_arena_printf(arena, "KS_RECORD_CAPTURE=%s", ks_buf_text(&parts)));
    ks_strv_add(arena, environment, ks_arena_printf(arena, "KS_RECORD_CAPTURE_DIR=%s", captures->spool));
    ks_strv_add(arena, environment,
                ks_arena_printf(arena, "KS_RECORD_CAPTURE_MAX=%lld", (long long)captures->most));
    ks_buf_free(&parts);
}

// ---- taking what it left

// "scale" means ns::scale<float> too, "ns::scale" all its instances, "ns::scale<float>" that one.
static bool is_meant(struct ks_arena *arena, const struct record_captures *captures, const char *symbol,
                     const char *kernel)
{
    const char *instance = ks_instance_normalise(arena, kernel);
    size_t n = strcspn(instance, "<"), begin = n;
    while (begin > 0 && instance[begin - 1] != ':')
        begin--;
    for (size_t i = 0; i < captures->names.len; i++)
        if (verb_instance_of(instance, captures->names.at[i]) ||
            verb_instance_of(instance + begin, captures->names.at[i]))
            return true;
    for (size_t i = 0; i < captures->symbols.len; i++)
        if (strcmp(symbol, captures->symbols.at[i]) == 0)
            return true;
    return false;
}

static enum ks_status take_one(struct ks_arena *arena, struct record_captures *captures, const char *path,
                               struct ks_recording *recording, struct ks_err *err)
{
    struct ks_capture capture;
    struct ks_err full = {0};
    const char *symbol;
    KS_TRY(ks_capture_spooled_symbol(arena, path, &symbol, err));
    const char *kernel = ks_recorded_name(arena, symbol);
    if (!is_meant(arena, captures, symbol, kernel))
        return KS_OK;
    enum ks_status status = ks_capture_spooled(arena, captures->folder, path, kernel, &capture, &full);
    if (status == KS_E_IO) {
        *ks_vec_push(arena, &recording->notes) = (struct ks_recorded_note){
            "capture-failed", ks_arena_printf(arena, "%s: %s", kernel, full.text)};
        return KS_OK;
    }
    if (status != KS_OK)
        return ks_err_set(err, status, "%s", full.text);
    for (size_t i = 0; i < captures->made.len; i++) // the same launch of two processes
        if (strcmp(captures->made.at[i].id, capture.id) == 0)
            return KS_OK;
    struct record_captured *made = ks_vec_push(arena, &captures->made);
    *made = (struct record_captured){
        .id = capture.id, .kernel = kernel, .graph = capture.graph, .cooperative = capture.cooperative,
        .path = ks_path_join(arena, captures->folder, ks_arena_printf(arena, "%s.json", capture.id))};
    memcpy(made->grid, capture.grid, sizeof made->grid);
    memcpy(made->block, capture.block, sizeof made->block);
    ks_vec_each(const struct ks_capture_memory, m, &capture.memory)
        made->bytes += m->size;
    ks_vec_each(const struct ks_capture_pointer, p, &capture.pointers)
        made->inside += capture.params.at[p->param].size > sizeof(void *);
    return KS_OK;
}

enum ks_status record_captures_take(struct ks_arena *arena, struct record_captures *captures,
                                    struct ks_recording *recording, struct ks_err *err)
{
    struct ks_strv files = {0};
    KS_TRY(ks_dir_list(arena, captures->spool, &files, err));
    for (size_t i = 0; i < files.len; i++)
        if (!ks_ends_with(files.at[i], ".part")) // of a launch that never ended
            KS_TRY(take_one(arena, captures, ks_path_join(arena, captures->spool, files.at[i]), recording, err));
    return KS_OK;
}
