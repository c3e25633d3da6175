// What a recording holds: kernels by their share of GPU time, each with its launches by geometry.
#include <stdio.h>
#include <string.h>

#include "app/verb_inspect.h"
#include "app/verb_record.h"
#include "fmt/table.h"
#include "os/file.h"

#define KERNELS_SHOWN 25
#define CLASSES_SHOWN 6

// The kernel that a variant stands for, by the notes in the recorded programs; NULL: they say nothing of it.
static const char *original_of(struct ks_arena *arena, const struct ks_recording *recording,
                               const char *variant)
{
    ks_vec_each(const struct ks_recorded_session, s, &recording->sessions) {
        struct inspection found = {0};
        if (inspect_read(arena, s->program, &found, NULL) != KS_OK)
            continue;
        ks_vec_each(struct inspect_row, row, &found.rows)
            if (ks_starts_with(row->word[WORD_VARIANT], variant))
                return row->word[WORD_KERNEL];
    }
    return NULL;
}

static double share(const struct ks_recording *recording, double ns)
{
    return recording->total_ns > 0 ? ns / recording->total_ns : 0;
}

static double mean_us(int64_t launches, int64_t unfinished, double total_ns)
{
    return launches > unfinished ? total_ns / (double)(launches - unfinished) / 1e3 : 0;
}

// ---- text

static const char *triple(struct ks_arena *arena, const int64_t n[3])
{
    if (n[1] == 1 && n[2] == 1)
        return ks_arena_printf(arena, "%lld", (long long)n[0]);
    if (n[2] == 1)
        return ks_arena_printf(arena, "%lldx%lld", (long long)n[0], (long long)n[1]);
    return ks_arena_printf(arena, "%lldx%lldx%lld", (long long)n[0], (long long)n[1],
                           (long long)n[2]);
}

static void add_class(struct ks_table *table, const struct ks_recording *recording,
                      const struct ks_recorded_class *c)
{
    struct ks_arena *arena = table->arena;
    struct ks_buf text = KS_BUF(1024);
    ks_buf_printf(&text, "  grid %s, block %s, %d registers", triple(arena, c->grid),
                  triple(arena, c->block), c->registers);
    if (c->static_shared + c->dynamic_shared > 0)
        ks_buf_printf(&text, ", %lld bytes shared",
                      (long long)(c->static_shared + c->dynamic_shared));
    if (c->local > 0)
        ks_buf_printf(&text, ", %lld local", (long long)c->local);
    if (c->occupancy > 0)
        ks_buf_printf(&text, ", occupancy %.0f %% (%s)", 100 * c->occupancy, c->limit);
    if (c->graph)
        ks_buf_puts(&text, ", in a graph");
    ks_table_cell(table, "%.1f %%", 100 * share(recording, c->total_ns));
    ks_table_cell(table, "%.3f", c->total_ns / 1e6);
    ks_table_cell(table, "%lld", (long long)c->launches);
    ks_table_cell(table, "%.2f", mean_us(c->launches, c->unfinished, c->total_ns));
    ks_table_cell(table, "%.2f", c->min_ns / 1e3);
    ks_table_cell(table, "%s", ks_buf_text(&text));
    ks_buf_free(&text);
}

static void add_kernel(struct ks_table *table, const struct ks_recording *recording,
                       const struct ks_recorded_kernel *kernel)
{
    const char *original = kernel->variant == NULL ? NULL
                           : original_of(table->arena, recording, kernel->variant);
    int64_t unfinished = 0;
    for (size_t i = 0; i < kernel->classes.len; i++)
        unfinished += recording->classes.at[kernel->classes.at[i]].unfinished;
    ks_table_cell(table, "%.1f %%", 100 * share(recording, kernel->total_ns));
    ks_table_cell(table, "%.3f", kernel->total_ns / 1e6);
    ks_table_cell(table, "%lld", (long long)kernel->launches);
    ks_table_cell(table, "%.2f", mean_us(kernel->launches, unfinished, kernel->total_ns));
    ks_table_cell(table, "%s", "");
    if (kernel->variant != NULL)
        ks_table_cell(table, "%s [variant %s%s%s]", kernel->name, kernel->variant,
                      original != NULL ? " of " : "", original != NULL ? original : "");
    else
        ks_table_cell(table, "%s", kernel->name);
    for (size_t i = 0; i < kernel->classes.len && i < CLASSES_SHOWN; i++)
        add_class(table, recording, &recording->classes.at[kernel->classes.at[i]]);
    if (kernel->classes.len <= CLASSES_SHOWN)
        return;
    for (int i = 0; i < 5; i++)
        ks_table_cell(table, "%s", "");
    ks_table_cell(table, "  and %zu more geometries", kernel->classes.len - CLASSES_SHOWN);
}

static void print_head(const struct ks_recording *recording, const struct record_run *run)
{
    const struct ks_recording *r = recording;
    if (run->words != NULL)
        printf("%s: exit status %d after %.3f s; ", run->words[0], run->status, run->seconds);
    printf("%lld launches of %zu kernels, %.3f ms of GPU time in %.3f ms, %lld streams",
           (long long)r->launches, r->kernels.len, r->total_ns / 1e6, r->span_ns / 1e6,
           (long long)r->streams);
    // Every process tells of its devices anew.
    for (size_t i = 0; i < r->devices.len; i++) {
        bool told = false;
        for (size_t k = 0; k < i; k++)
            told |= strcmp(r->devices.at[k].name, r->devices.at[i].name) == 0;
        if (!told)
            printf("; %s", r->devices.at[i].name);
    }
    putchar('\n');
}

static void print_variants(const struct ks_recording *recording)
{
    double ns;
    int64_t launches = ks_recording_variants(recording, &ns);
    if (launches > 0)
        printf("variants ran: %lld of %lld launches, %.1f %% of GPU time\n", (long long)launches,
               (long long)recording->launches, 100 * share(recording, ns));
}

static void print_table(struct ks_verb_context *context, const struct ks_recording *recording,
                        const struct record_run *run)
{
    static const char *const header[] = {">share", ">ms", ">launches", ">mean us", ">min us", "kernel"};
    struct ks_table table;
    print_head(recording, run);
    if (recording->kernels.len == 0)
        return;
    ks_table_begin(&table, context->arena, header, 6);
    for (size_t i = 0; i < recording->kernels.len && i < KERNELS_SHOWN; i++)
        add_kernel(&table, recording, &recording->kernels.at[i]);
    ks_table_print(&table, stdout);
    if (recording->kernels.len > KERNELS_SHOWN)
        printf("and %zu more kernels (--json lists all)\n", recording->kernels.len - KERNELS_SHOWN);
    print_variants(recording);
}

static void print_captures(struct ks_arena *arena, const struct record_captures *captures)
{
    for (size_t i = 0; i < captures->made.len; i++) {
        const struct record_captured *c = &captures->made.at[i];
        printf("captured %s: %s, grid %s, block %s, %.3g MB", c->path, c->kernel, triple(arena, c->grid),
               triple(arena, c->block), (double)c->bytes / 1e6);
        if (c->graph || c->cooperative)
            printf(", %s%s%s", c->cooperative ? "cooperative" : "", c->cooperative && c->graph ? ", " : "",
                   c->graph ? "in a graph" : "");
        if (c->inside > 0)
            printf(", %lld pointer%s found by value inside its arguments", (long long)c->inside,
                   c->inside > 1 ? "s" : "");
        printf("; #pragma ks workload capture(%s)\n", c->id);
    }
    if (captures->made.len == 0)
        printf("no launch was captured\n");
}

// ---- what stands in the way

static void complain(const struct ks_recording *recording, const struct record_run *run)
{
    const char *name = run->words != NULL ? run->words[0] : run->path;
    int64_t silent = 0;
    if (recording->sessions.len == 0)
        fprintf(stderr, "ks record: %s initialised CUDA in none of its processes: nothing is recorded\n",
                name);
    ks_vec_each(const struct ks_recorded_session, s, &recording->sessions) {
        if (s->refused != NULL)
            fprintf(stderr, "ks record: %s: nothing is recorded (%s): %s\n", ks_path_base(s->program),
                    s->refused, s->text);
        silent += !s->ended && s->refused == NULL;
    }
    if (silent > 0)
        fprintf(stderr, "ks record: %lld of %zu processes ended by a crash, exec or _exit, or the disk is full: "
                "launches of their last moments may be missing\n", (long long)silent,
                recording->sessions.len);
    if (recording->dropped > 0)
        fprintf(stderr, "ks record: %lld launches are missing: CUPTI had no room for them\n",
                (long long)recording->dropped);
    if (recording->torn > 0)
        fprintf(stderr, "ks record: %lld lines of the recording cannot be read\n",
                (long long)recording->torn);
    ks_vec_each(const struct ks_recorded_note, note, &recording->notes)
        fprintf(stderr, "ks record: %s: %s\n", note->code, note->text);
}

// ---- JSON

static json_t *triple_json(const int64_t n[3])
{
    return json_pack("[I,I,I]", (json_int_t)n[0], (json_int_t)n[1], (json_int_t)n[2]);
}

static json_t *class_json(const struct ks_recording *recording, const struct ks_recorded_class *c)
{
    bool known = c->device < recording->devices.len;
    return json_pack("{s:o,s:o,s:o,s:I,s:I,s:I,s:i,s:o,s:s,s:b,s:s?,s:I,s:I,s:f,s:f,s:f}", "grid",
                     triple_json(c->grid), "block", triple_json(c->block), "cluster",
                     triple_json(c->cluster), "static_shared", (json_int_t)c->static_shared,
                     "dynamic_shared", (json_int_t)c->dynamic_shared, "local", (json_int_t)c->local,
                     "registers", c->registers, "occupancy",
                     c->occupancy > 0 ? json_real(c->occupancy) : json_null(), "limit", c->limit,
                     "graph", c->graph, "device", known ? recording->devices.at[c->device].name : NULL,
                     "launches", (json_int_t)c->launches, "unfinished", (json_int_t)c->unfinished,
                     "total_us", c->total_ns / 1e3, "min_us", c->min_ns / 1e3, "max_us",
                     c->max_ns / 1e3);
}

static json_t *kernel_json(struct ks_arena *arena, const struct ks_recording *recording,
                           const struct ks_recorded_kernel *kernel)
{
    const char *original = kernel->variant != NULL ? original_of(arena, recording, kernel->variant)
                                                   : NULL;
    json_t *classes = json_array();
    for (size_t i = 0; i < kernel->classes.len; i++)
        json_array_append_new(classes,
                              class_json(recording, &recording->classes.at[kernel->classes.at[i]]));
    return json_pack("{s:s,s:s,s:s?,s:s?,s:f,s:f,s:I,s:o}", "kernel", kernel->name, "symbol",
                     kernel->symbol, "variant", kernel->variant, "original", original, "share",
                     share(recording, kernel->total_ns), "total_us", kernel->total_ns / 1e3,
                     "launches", (json_int_t)kernel->launches, "classes", classes);
}

static json_t *sessions_json(const struct ks_recording *recording)
{
    json_t *list = json_array();
    ks_vec_each(const struct ks_recorded_session, s, &recording->sessions)
        json_array_append_new(list, json_pack("{s:I,s:s,s:I,s:I,s:I,s:b,s:s?,s:s?}", "pid",
                                              (json_int_t)s->pid, "program", s->program, "cupti",
                                              (json_int_t)s->cupti, "launches",
                                              (json_int_t)s->launches, "dropped",
                                              (json_int_t)s->dropped, "ended", s->ended, "refused",
                                              s->refused, "text", s->text));
    return list;
}

static json_t *captures_json(const struct record_captures *captures)
{
    json_t *list = json_array();
    for (size_t i = 0; captures != NULL && i < captures->made.len; i++) {
        const struct record_captured *c = &captures->made.at[i];
        json_array_append_new(list, json_pack("{s:s,s:s,s:s,s:o,s:o,s:I,s:I,s:b,s:b}", "capture", c->id, "kernel",
                                              c->kernel, "path", c->path, "grid", triple_json(c->grid),
                                              "block", triple_json(c->block), "bytes", (json_int_t)c->bytes,
                                              "inside", (json_int_t)c->inside, "graph", c->graph,
                                              "cooperative", c->cooperative));
    }
    return list;
}

static void print_json(struct ks_verb_context *context, const struct ks_recording *recording,
                       const struct record_run *run)
{
    json_t *report = ks_json_report("ks.record"), *words = json_array(), *kernels = json_array();
    json_t *notes = json_array();
    for (size_t i = 0; run->words != NULL && run->words[i] != NULL; i++)
        json_array_append_new(words, json_string(run->words[i]));
    ks_vec_each(const struct ks_recorded_kernel, kernel, &recording->kernels)
        json_array_append_new(kernels, kernel_json(context->arena, recording, kernel));
    ks_vec_each(const struct ks_recorded_note, note, &recording->notes)
        json_array_append_new(notes, json_pack("{s:s,s:s}", "note", note->code, "text", note->text));
    bool ran = run->words != NULL;
    json_object_set_new(report, "words", words);
    json_object_set_new(report, "recording", run->path != NULL ? json_string(run->path) : json_null());
    json_object_set_new(report, "status", ran ? json_integer(run->status) : json_null());
    json_object_set_new(report, "seconds", ran ? json_real(run->seconds) : json_null());
    json_object_set_new(report, "launches", json_integer(recording->launches));
    json_object_set_new(report, "unfinished", json_integer(recording->unfinished));
    json_object_set_new(report, "dropped", json_integer(recording->dropped));
    json_object_set_new(report, "torn", json_integer(recording->torn));
    json_object_set_new(report, "streams", json_integer(recording->streams));
    json_object_set_new(report, "total_us", json_real(recording->total_ns / 1e3));
    json_object_set_new(report, "span_us", json_real(recording->span_ns / 1e3));
    json_object_set_new(report, "sessions", sessions_json(recording));
    json_object_set_new(report, "notes", notes);
    json_object_set_new(report, "captures", captures_json(run->captures));
    json_object_set_new(report, "suggestions", record_suggest_json(run->suggestions));
    json_object_set_new(report, "kernels", kernels);
    ks_json_print(report);
}

void record_report(struct ks_verb_context *context, const struct ks_recording *recording,
                   const struct record_run *run)
{
    fflush(stdout);
    if (context->json)
        print_json(context, recording, run);
    else
        print_table(context, recording, run);
    if (!context->json && run->captures != NULL)
        print_captures(context->arena, run->captures);
    if (!context->json && run->suggestions != NULL)
        record_suggest_print(run->suggestions);
    complain(recording, run);
}
