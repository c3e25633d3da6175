#include "app/verb_run_recorded.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workload/capture.h"

static enum ks_status compare(struct ks_device *device, const struct ks_arg *arg, const struct ks_slot *slot,
                              size_t buffer, struct run_recorded *row, struct ks_err *err)
{
    size_t size = slot->elem.size, n = (size_t)slot->count * size;
    struct ks_init after = arg->init;
    char *got = malloc(n + 1), *want = malloc(n + 1);
    enum ks_status status = KS_OK;
    after.path = arg->init.after;
    *row = (struct run_recorded){.array = arg->name, .elements = slot->count};
    if (got == NULL || want == NULL)
        status = ks_err_set(err, KS_E_MEMORY, "no memory for %zu bytes", n);
    if (status == KS_OK)
        status = device->read(device->self, buffer, 0, got, (int64_t)n, err);
    if (status == KS_OK)
        status = ks_capture_fill(want, &after, n, err);
    for (int64_t i = 0; status == KS_OK && i < slot->count; i++)
        if (memcmp(got + (size_t)i * size, want + (size_t)i * size, size) != 0 && row->different++ == 0)
            row->first = i;
    free(got);
    free(want);
    return status;
}

enum ks_status run_recorded_compare(struct ks_arena *arena, struct ks_device *device,
                                    const struct ks_problem *problem, const struct ks_layout *layout,
                                    const size_t *buffers, struct run_recorded_list *list,
                                    struct ks_err *err)
{
    *list = (struct run_recorded_list){0};
    for (size_t i = 0; i < layout->n_slots; i++) {
        const struct ks_arg *arg = &problem->args[layout->slots[i].arg];
        if (arg->init.kind == KS_INIT_CAPTURE && arg->init.after != NULL && layout->slots[i].role != KS_ROLE_IN)
            KS_TRY(compare(device, arg, &layout->slots[i], buffers[i], ks_vec_push(arena, list), err));
    }
    return KS_OK;
}

void run_recorded_print(const struct run_recorded_list *list)
{
    ks_vec_each(const struct run_recorded, row, list)
        if (row->different == 0)
            printf("%s: as it was recorded, bit by bit\n", row->array);
        else
            printf("%s: not as it was recorded: %lld of %lld elements, the first at %lld\n", row->array,
                   (long long)row->different, (long long)row->elements, (long long)row->first);
}

json_t *run_recorded_json(const struct run_recorded_list *list)
{
    json_t *rows = json_array();
    ks_vec_each(const struct run_recorded, row, list)
        json_array_append_new(rows, json_pack("{s:s,s:I,s:I,s:o}", "array", row->array, "elements",
                                              (json_int_t)row->elements, "different",
                                              (json_int_t)row->different, "first",
                                              row->different > 0 ? json_integer((json_int_t)row->first)
                                                                 : json_null()));
    return rows;
}
