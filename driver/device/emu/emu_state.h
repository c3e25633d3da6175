// The `emu` device's state, shared by its own files only: emu_device.c (modules, launches) and
// emu_buffer.c (buffers).
#ifndef KS_EMU_STATE_H
#define KS_EMU_STATE_H

#include "base/rng.h"
#include "device/emu/emu_device.h"
#include "device/emu/emu_ir.h"
#include "device/emu/emu_memory.h"

struct ks_emu {
    struct ks_arena arena;
    struct ks_emu_memory memory;
    struct ks_emu_settings settings;
    struct ks_emu_findings findings;
    uint64_t executed, steps, accesses;
    uint32_t shared_out;               // launches of the last run whose blocks several cores ran
    struct ks_counts counts;           // of the last launch, where settings.count asks for them
    KS_VEC(struct ks_emu_line) lines;  // of the last run, likewise
    KS_VEC(struct ks_emu_module *) modules;
    KS_VEC(struct ks_emu_region *) buffers;
    KS_VEC(struct ks_emu_region *) globals; // of modules
    struct ks_rng rng;
};

struct ks_emu_grid;
// emu_lines.c: adds what a counted launch cost to the lines.
void ks_emu_lines_add(struct ks_emu *emu, const struct ks_emu_grid *grid);
enum ks_status ks_emu_buffer_at(struct ks_emu *emu, size_t i, struct ks_emu_region **region,
                                struct ks_err *err);
// What struct ks_device has of these names.
enum ks_status ks_emu_alloc(void *self, int64_t bytes, size_t align, enum ks_flush flush,
                            size_t *buffer, struct ks_dev_buffer *out, struct ks_err *err);
enum ks_status ks_emu_free_all(void *self, struct ks_err *err);
enum ks_status ks_emu_freeze(void *self, size_t buffer, struct ks_err *err);
enum ks_status ks_emu_write(void *self, size_t buffer, int64_t to, const void *data, int64_t n,
                            struct ks_err *err);
enum ks_status ks_emu_read(void *self, size_t buffer, int64_t from, void *data, int64_t n, struct ks_err *err);
enum ks_status ks_emu_copy_buffer(void *self, size_t to, size_t from, struct ks_err *err);
enum ks_status ks_emu_poison(void *self, size_t buffer, uint32_t word, struct ks_err *err);
enum ks_status ks_emu_scrub(void *self, uint32_t word, struct ks_err *err);
enum ks_status ks_emu_check_slack(void *self, struct ks_dev_damage *damage, struct ks_err *err);
enum ks_status ks_emu_fingerprints(void *self, const size_t *buffers, size_t n, uint64_t *out,
                                   struct ks_err *err);

#endif
