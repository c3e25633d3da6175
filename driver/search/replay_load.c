#include <math.h>

#include "base/log.h"
#include "fmt/json.h"
#include "search/replay.h"
#include "os/file.h"

#define LOG_MAX (64u << 20)

static const char *text_of(struct ks_arena *arena, const json_t *line, const char *field)
{
    const char *text = json_string_value(json_object_get(line, field));
    return text == NULL ? NULL : ks_arena_strdup(arena, text);
}

static enum ks_status read_kernel(struct ks_replay_log *record, const json_t *line,
                                  struct ks_err *err)
{
    struct ks_replay_kernel *kernel = ks_vec_push(record->arena, &record->kernels);
    const char *name;
    const json_t *value;
    size_t i;
    kernel->name = text_of(record->arena, line, "kernel");
    kernel->bottleneck = text_of(record->arena, line, "bottleneck");
    kernel->arch = (int)json_integer_value(json_object_get(line, "arch"));
    json_object_foreach(json_object_get(line, "facts"), name, value)
        ks_fact_set(record->arena, &kernel->facts, ks_arena_strdup(record->arena, name),
                    json_number_value(value));
    json_array_foreach(json_object_get(line, "actions"), i, value) ks_strv_add(
        record->arena, &kernel->actions,
        ks_arena_strdup(record->arena, json_is_string(value) ? json_string_value(value) : ""));
    *ks_vec_push(record->arena, &kernel->nodes) =
        (struct ks_replay_node){.name = "", .right = true, .look = 1, .ratio = 1};
    kernel->best = 1;
    if (kernel->name == NULL || kernel->bottleneck == NULL)
        KS_FAIL(err, KS_E_FORMAT, "a kernel without a name or class");
    return KS_OK;
}

static enum ks_status read_node(struct ks_replay_log *record, const json_t *line,
                                struct ks_err *err)
{
    struct ks_replay_kernel *kernel =
        record->kernels.len > 0 ? &record->kernels.at[record->kernels.len - 1] : NULL;
    const json_t *ratios = json_object_get(line, "ratios"), *steps = json_object_get(line, "from");
    const char *of = json_string_value(json_object_get(line, "of")),
               *name = text_of(record->arena, line, "name");
    if (kernel == NULL || of == NULL || strcmp(of, kernel->name) != 0 || name == NULL ||
        json_integer_value(json_object_get(line, "node")) != (json_int_t)kernel->nodes.len)
        KS_FAIL(err, KS_E_FORMAT, "a candidate out of its order");
    struct ks_replay_node *node = ks_vec_push(record->arena, &kernel->nodes);
    node->name = name;
    node->look = json_number_value(json_array_get(ratios, 0));
    node->right = node->look > 0;
    double sum = 0;
    for (size_t i = 0; i < json_array_size(ratios); i++)
        sum += log(fmax(json_number_value(json_array_get(ratios, i)), 1e-6));
    node->ratio = node->right ? exp(sum / (double)json_array_size(ratios)) : 0;
    kernel->best = fmax(kernel->best, node->ratio);
    node->n_steps = json_array_size(steps);
    node->steps = KS_NEW_ARRAY(record->arena, struct ks_replay_step, node->n_steps + 1);
    for (size_t i = 0; i < node->n_steps; i++) {
        const json_t *step = json_array_get(steps, i);
        node->steps[i].from = (size_t)json_integer_value(json_array_get(step, 0));
        node->steps[i].action = (size_t)json_integer_value(json_array_get(step, 1));
        if (node->steps[i].action >= kernel->actions.len)
            KS_FAIL(err, KS_E_FORMAT, "a step by an action that the kernel does not have");
    }
    return KS_OK;
}

static enum ks_status read_line(struct ks_replay_log *record, struct ks_slice text,
                                struct ks_err *err)
{
    json_error_t fault;
    json_t *line = json_loadb(text.at, text.len, 0, &fault);
    enum ks_status status = KS_OK;
    if (line == NULL)
        KS_FAIL(err, KS_E_FORMAT, "%s", fault.text);
    if (json_object_get(line, "kernel") != NULL)
        status = read_kernel(record, line, err);
    else if (json_object_get(line, "of") != NULL)
        status = read_node(record, line, err);
    else if (json_object_get(line, "end") != NULL && record->kernels.len > 0)
        record->kernels.at[record->kernels.len - 1].whole =
            json_is_true(json_object_get(line, "whole"));
    else
        status = ks_err_set(err, KS_E_FORMAT, "neither a kernel nor a candidate");
    json_decref(line);
    return status;
}

enum ks_status ks_replay_load(struct ks_arena *arena, const char *path,
                              const struct ks_skill_list *skills, struct ks_replay_log *record,
                              struct ks_err *err)
{
    struct ks_slice text;
    int number = 0;
    *record = (struct ks_replay_log){.arena = arena, .skills = skills};
    KS_TRY(ks_file_read(arena, path, LOG_MAX, &text, err));
    if (text.len >= 2 && memcmp(text.at, "\x1f\x8b", 2) == 0) // RFC 1952
        KS_FAIL(err, KS_E_USER, "%s: packed by gzip; unpack it first: `gunzip -k %s`", path, path);
    for (const char *at = text.at, *end = text.at + text.len; at < end;) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        struct ks_err local = {0};
        size_t len = (size_t)((stop != NULL ? stop : end) - at);
        number++;
        if (len > 0 && read_line(record, (struct ks_slice){at, len}, &local) != KS_OK)
            KS_FAIL(err, KS_E_FORMAT, "%s:%d: %s", path, number, local.text);
        at += len + 1;
    }
    return KS_OK;
}
