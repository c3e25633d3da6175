// Parts that a capture's description and a spooled launch share; for workload/capture*.c.
#ifndef KS_CAPTURE_PARTS_H
#define KS_CAPTURE_PARTS_H

#include "fmt/json.h"
#include "workload/capture.h"

bool ks_capture_read_triple(const json_t *list, int64_t out[3]); // three numbers above 0
bool ks_capture_read_params(struct ks_arena *arena, const json_t *list, struct ks_capture *capture);
// The allocations are known already: what points beyond them is refused.
bool ks_capture_read_pointers(struct ks_arena *arena, const json_t *list, struct ks_capture *capture);

#endif
