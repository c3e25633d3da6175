// ks run, of a captured launch: is what the kernel wrote what it wrote when it was recorded, bit by bit?
#ifndef KS_VERB_RUN_RECORDED_H
#define KS_VERB_RUN_RECORDED_H

#include "base/vec.h"
#include "device/device.h"
#include "fmt/json.h"
#include "verify/launch.h"

struct run_recorded {  // one array that is written
    const char *array;
    int64_t elements, different, first; // first: that differs
};
struct run_recorded_list {
    struct run_recorded *at;
    size_t len, cap;
};
// Compares the device's buffers (by slot) after the run; an empty list for workloads of clauses.
enum ks_status run_recorded_compare(struct ks_arena *arena, struct ks_device *device,
                                    const struct ks_problem *problem, const struct ks_layout *layout,
                                    const size_t *buffers, struct run_recorded_list *list,
                                    struct ks_err *err);
void run_recorded_print(const struct run_recorded_list *list);
json_t *run_recorded_json(const struct run_recorded_list *list);

#endif
