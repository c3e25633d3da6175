// ks record --suggest: which kernels are worth a mark.
//
// A kernel with share s of the GPU's time can save s at most, whatever is found (Amdahl). What is left of that where
// its arrays already pass memory near the peak is little: a plain copy of float4 reaches 88 % of what the hardware
// counts as peak (measured on an H200), so nothing above 85 % is suggested. The arrays are those of a capture; how
// much of them the kernel touches is not known, so a figure above 100 % says nothing.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "app/verb_record.h"
#include "os/file.h"
#include "workload/capture.h"

#define LEAST_SHARE 0.01
#define MEMORY_FULL 0.85

struct suggester {
    struct ks_verb_context *context;
    const struct ks_recording *recording;
    struct record_sources sources;
    KS_VEC(struct record_capture) captures; // all that the project and the user have
    struct record_suggestions *out;
};

static void read_captures(struct suggester *s, const struct ks_strv *dirs)
{
    struct ks_arena *arena = s->context->arena;
    for (size_t i = 0; i < dirs->len; i++) {
        struct ks_strv files = {0};
        struct ks_capture capture;
        if (ks_dir_list(arena, dirs->at[i], &files, NULL) != KS_OK)
            continue;
        for (size_t k = 0; k < files.len; k++) {
            size_t n = strlen(files.at[k]);
            if (ks_ends_with(files.at[k], ".json") &&
                ks_capture_read(arena, dirs->at[i], ks_arena_strndup(arena, files.at[k], n - 5), &capture,
                                NULL) == KS_OK)
                *ks_vec_push(arena, &s->captures) = (struct record_capture){capture, dirs->at[i]};
        }
    }
}

static bool fits(const struct ks_recording *recording, const struct ks_recorded_kernel *kernel,
                 const struct ks_capture *capture)
{
    if (strcmp(capture->symbol, kernel->symbol) != 0)
        return false;
    for (size_t i = 0; i < kernel->classes.len; i++) { // a launch that this recording has too
        const struct ks_recorded_class *c = &recording->classes.at[kernel->classes.at[i]];
        if (memcmp(c->grid, capture->grid, sizeof c->grid) == 0 &&
            memcmp(c->block, capture->block, sizeof c->block) == 0)
            return true;
    }
    return false;
}

// Bytes of the distinct places that its parameters point to, each up to the next.
static double array_bytes(const struct ks_capture *c)
{
    double total = 0;
    for (size_t i = 0; i < c->pointers.len; i++) {
        const struct ks_capture_pointer *p = &c->pointers.at[i];
        int64_t end = c->memory.at[p->allocation].size;
        bool first = true;
        for (size_t k = 0; k < c->pointers.len; k++) {
            const struct ks_capture_pointer *q = &c->pointers.at[k];
            if (q->allocation != p->allocation)
                continue;
            first = first && !(k < i && q->offset == p->offset);
            if (q->offset > p->offset && (int64_t)q->offset < end)
                end = (int64_t)q->offset;
        }
        total += first ? (double)(end - (int64_t)p->offset) : 0;
    }
    return total;
}

// What its arrays' bytes are in its time, of the memory's peak; 0: not known.
static double memory_part(const struct ks_recording *recording, const struct ks_recorded_kernel *kernel,
                          const struct ks_capture *capture)
{
    for (size_t i = 0; i < kernel->classes.len; i++) {
        const struct ks_recorded_class *c = &recording->classes.at[kernel->classes.at[i]];
        if (memcmp(c->grid, capture->grid, sizeof c->grid) != 0 ||
            memcmp(c->block, capture->block, sizeof c->block) != 0 || c->device >= recording->devices.len ||
            c->launches <= c->unfinished || c->total_ns <= 0)
            continue;
        double peak = recording->devices.at[c->device].memory_gbs; // a byte a nanosecond is a GB/s
        double mean = c->total_ns / (double)(c->launches - c->unfinished);
        double part = peak > 0 ? array_bytes(capture) / mean / peak : 0;
        return part <= 1 ? part : 0;
    }
    return 0;
}

static void decide(struct suggester *s, struct record_suggestion *one)
{
    struct ks_arena *arena = s->context->arena;
    const struct ks_recorded_kernel *kernel = one->kernel;
    KS_VEC(const struct record_capture *) captures = {0};
    const char *why = NULL;
    ks_strv_add(arena, &one->lines, "#pragma ks optimize");
    ks_vec_each(const struct record_capture, c, &s->captures)
        if (fits(s->recording, kernel, &c->capture)) {
            *ks_vec_push(arena, &captures) = c;
            double part = memory_part(s->recording, kernel, &c->capture);
            one->memory = part > one->memory ? part : one->memory;
        }
    one->clauses = one->source != NULL && captures.len > 0 &&
                   record_clauses(arena, one->source->decl, captures.at, captures.len, &one->lines, &why);
    for (size_t i = 0; !one->clauses && i < captures.len; i++)
        ks_strv_add(arena, &one->lines,
                    ks_arena_printf(arena, "#pragma ks workload capture(%s)", captures.at[i]->capture.id));
    const char *file = one->source != NULL ? one->source->path : "";
    if (kernel->variant != NULL) {
        one->worth = WORTH_VARIANT;
        one->why = "a variant's kernel";
    } else if (one->share < LEAST_SHARE) {
        one->worth = WORTH_SHARE;
        one->why = ks_arena_printf(arena, "%.2g %% of the GPU's time", 100 * one->share);
    } else if (one->source == NULL) {
        one->worth = WORTH_SOURCE;
        one->why = "a library's kernel: no file of this project defines it";
    } else if (one->source->marked) {
        one->worth = WORTH_MARKED;
        one->why = ks_arena_printf(arena, "marked already: `ks tune %s:%s`", file, one->source->decl->qualified);
    } else if (one->memory >= MEMORY_FULL) {
        one->worth = WORTH_CEILING;
        one->why = ks_arena_printf(arena, "its arrays already pass memory at %.0f %% of the peak",
                                   100 * one->memory);
    } else {
        one->worth = WORTH_TUNING;
        one->why = captures.len == 0
                       ? ks_arena_printf(arena, "no workload yet: `ks record --capture %s -- ...`", kernel->name)
                       : ks_arena_printf(arena, "the whole can become %.2f times as fast at most%s%s",
                                         1 / (1 - (one->share < 0.999 ? one->share : 0.999)),
                                         why != NULL ? "; by capture, since " : "", why != NULL ? why : "");
    }
}

// Those worth tuning first, by what could be saved: their share less what their arrays' bytes take at the peak.
// Others by their share, as they come.
static int by_saving(const void *a, const void *b)
{
    const struct record_suggestion *x = a, *y = b;
    bool first = x->worth == WORTH_TUNING, second = y->worth == WORTH_TUNING;
    double saving = first && second ? x->share * (1 - x->memory) - y->share * (1 - y->memory) : x->share - y->share;
    if (first != second)
        return first ? -1 : 1;
    return saving > 0 ? -1 : saving < 0 ? 1 : x->kernel < y->kernel ? -1 : 1;
}

enum ks_status record_suggest(struct ks_verb_context *context, const struct ks_recording *recording,
                              struct record_suggestions *suggestions, struct ks_err *err)
{
    struct ks_arena *arena = context->arena;
    struct suggester s = {.context = context, .recording = recording, .out = suggestions};
    struct ks_project project = {0};
    struct ks_store store;
    *suggestions = (struct record_suggestions){0};
    KS_TRY(ks_project_find(arena, &context->config, ".", &project, err));
    ks_store_open(arena, &context->config, &project, &store);
    struct ks_strv dirs = ks_store_captures(arena, &store);
    record_sources_find(arena, &project, &s.sources);
    read_captures(&s, &dirs);
    ks_vec_each(const struct ks_recorded_kernel, kernel, &recording->kernels) {
        struct record_suggestion *one = ks_vec_push(arena, suggestions);
        *one = (struct record_suggestion){
            .kernel = kernel, .source = record_source_of(arena, &s.sources, kernel->name),
            .share = recording->total_ns > 0 ? kernel->total_ns / recording->total_ns : 0};
        decide(&s, one);
    }
    if (suggestions->len > 1)
        qsort(suggestions->at, suggestions->len, sizeof *suggestions->at, by_saving);
    return KS_OK;
}

// ---- writing

// The lines above the kernel, as far indented as it is, with the file's own line ends.
static enum ks_status insert(struct ks_arena *arena, const char *path, const struct ks_kernel_decl *decl,
                             const struct ks_strv *lines, struct ks_err *err)
{
    struct ks_slice text;
    struct stat info;
    const char *real = ks_path_real(arena, path);
    struct ks_kernel_list kernels = {0};
    size_t k = 0;
    path = real != NULL ? real : path;
    KS_TRY(ks_file_read(arena, path, 16 << 20, &text, err));
    KS_TRY(ks_kernels_find(arena, path, text, &kernels, err)); // an earlier insertion has moved it
    while (k < kernels.len && (strcmp(kernels.at[k].qualified, decl->qualified) != 0 ||
                               strcmp(kernels.at[k].specialization, decl->specialization) != 0))
        k++;
    if (k == kernels.len || stat(path, &info) != 0)
        KS_FAIL(err, KS_E_IO, "%s changed while it was read", path);
    size_t line = kernels.at[k].begin;
    while (line > 0 && text.at[line - 1] != '\n')
        line--;
    size_t indent = line;
    while (indent < text.len && (text.at[indent] == ' ' || text.at[indent] == '\t'))
        indent++;
    bool carriage = line > 1 && text.at[line - 2] == '\r';
    struct ks_buf out = KS_BUF(32 << 20);
    ks_buf_add(&out, text.at, line);
    for (size_t i = 0; i < lines->len; i++) {
        ks_buf_add(&out, text.at + line, indent - line);
        ks_buf_printf(&out, "%s%s\n", lines->at[i], carriage ? "\r" : "");
    }
    ks_buf_add(&out, text.at + line, text.len - line);
    enum ks_status status = ks_buf_check(&out, path, err);
    if (status == KS_OK)
        status = ks_file_write(path, out.data, out.len, true, info.st_mode & 07777, err);
    ks_buf_free(&out);
    return status;
}

enum ks_status record_suggest_write(struct ks_arena *arena, struct record_suggestions *suggestions,
                                    struct ks_err *err)
{
    for (size_t i = 0; i < suggestions->len; i++) {
        struct record_suggestion *one = &suggestions->at[i];
        bool again = false; // another instance of a template that has its mark by now
        for (size_t k = 0; k < i; k++)
            again |= suggestions->at[k].written && suggestions->at[k].source == one->source;
        if (one->worth != WORTH_TUNING || one->lines.len < 2 || again)
            continue;
        KS_TRY(insert(arena, one->source->path, one->source->decl, &one->lines, err));
        one->written = true;
    }
    return KS_OK;
}

// ---- telling

void record_suggest_print(const struct record_suggestions *suggestions)
{
    for (int worth = 1; worth >= 0; worth--)
        for (size_t i = 0; i < suggestions->len; i++) {
            const struct record_suggestion *one = &suggestions->at[i];
            if ((one->worth == WORTH_TUNING) != (worth == 1))
                continue;
            printf("%s %s: %.1f %%: %s\n", worth ? "worth tuning:" : "leave:", one->kernel->name,
                   100 * one->share, one->why);
            if (one->worth != WORTH_TUNING)
                continue;
            printf("  %s:%d%s\n", one->source->path, one->source->decl->line,
                   one->written ? ": written" : "");
            for (size_t k = 0; k < one->lines.len; k++)
                printf("    %s\n", one->lines.at[k]);
        }
}

json_t *record_suggest_json(const struct record_suggestions *suggestions)
{
    static const char *const names[] = {
        [WORTH_TUNING] = "worth-tuning", [WORTH_MARKED] = "marked",    [WORTH_VARIANT] = "variant",
        [WORTH_SHARE] = "small-share",   [WORTH_SOURCE] = "no-source", [WORTH_CEILING] = "memory-ceiling"};
    json_t *list = json_array();
    for (size_t i = 0; suggestions != NULL && i < suggestions->len; i++) {
        const struct record_suggestion *one = &suggestions->at[i];
        json_t *lines = json_array();
        for (size_t k = 0; one->worth == WORTH_TUNING && k < one->lines.len; k++)
            json_array_append_new(lines, json_string(one->lines.at[k]));
        json_array_append_new(
            list, json_pack("{s:s,s:s,s:s,s:f,s:o,s:s?,s:o,s:o,s:b,s:b}", "kernel", one->kernel->name, "reason",
                            names[one->worth], "text", one->why, "share", one->share, "memory",
                            one->memory > 0 ? json_real(one->memory) : json_null(), "file",
                            one->source != NULL ? one->source->path : NULL, "line",
                            one->source != NULL ? json_integer(one->source->decl->line) : json_null(),
                            "lines", lines, "clauses", one->worth == WORTH_TUNING && one->clauses, "written",
                            one->written));
    }
    return list;
}
