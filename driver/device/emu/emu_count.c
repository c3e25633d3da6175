#include "device/emu/emu_count.h"

#include <stdlib.h>

#include "device/banks.h"
#include "device/emu/emu_alu.h"

#define WAYS 4
#define LINE 128
#define SECTOR 32

struct ks_emu_counter *ks_emu_counter_make(const struct ks_emu_module *module, uint32_t l1_bytes)
{
    struct ks_emu_counter *c = calloc(1, sizeof *c);
    KS_ASSERT(c != NULL);
    c->sets = 1;
    while (c->sets * 2 * WAYS * LINE <= l1_bytes)
        c->sets *= 2;
    c->at = calloc(module->code.len + 1, sizeof *c->at);
    c->tags = calloc((size_t)c->sets * WAYS, sizeof *c->tags);
    c->valid = calloc((size_t)c->sets * WAYS, 1);
    c->age = calloc((size_t)c->sets * WAYS, 1);
    KS_ASSERT(c->at != NULL && c->tags != NULL && c->valid != NULL && c->age != NULL);
    return c;
}

struct ks_emu_counter *ks_emu_counter_again(const struct ks_emu_counter *like,
                                            const struct ks_emu_module *module)
{
    return ks_emu_counter_make(module, like->sets * WAYS * LINE);
}

void ks_emu_counter_add(struct ks_emu_counter *to, const struct ks_emu_counter *from,
                        const struct ks_emu_module *module)
{
    to->waits += from->waits;
    to->partial += from->partial;
    to->sampled += from->sampled;
    to->matrix_flops += from->matrix_flops; // whole numbers
    for (size_t i = 0; i < module->code.len; i++) {
        const struct ks_emu_tally *f = &from->at[i];
        struct ks_emu_tally *t = &to->at[i];
        t->warps += f->warps;
        t->lanes += f->lanes;
        t->requests += f->requests;
        t->bytes += f->bytes;
        t->sectors += f->sectors;
        t->wavefronts += f->wavefronts;
        t->misses += f->misses;
        t->conflicts += f->conflicts;
        t->collisions += f->collisions;
        t->divergent += f->divergent;
    }
}

void ks_emu_counter_free(struct ks_emu_counter *c)
{
    if (c == NULL)
        return;
    free(c->at);
    free(c->tags);
    free(c->valid);
    free(c->age);
    free(c);
}

void ks_emu_counter_block(struct ks_emu_counter *c)
{
    memset(c->valid, 0, (size_t)c->sets * WAYS);
    c->sampled++;
}

static struct ks_emu_tally *tally(struct ks_emu_warp *warp, const struct ks_emu_inst *inst)
{
    return &warp->grid->counter->at[inst - warp->grid->module->code.at];
}

void ks_emu_count_inst(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, uint32_t mask)
{
    struct ks_emu_tally *t = tally(warp, inst);
    t->warps++;
    t->lanes += (uint64_t)__builtin_popcount(mask);
    warp->grid->counter->matrix_flops += 2.0 * inst->work;
    if (inst->kind != KS_EMU_PLAIN)
        ks_emu_count_wait(warp);
}

void ks_emu_count_wait(struct ks_emu_warp *warp)
{
    warp->grid->counter->waits += warp->missed;
    warp->missed = false;
}

void ks_emu_count_divergence(struct ks_emu_warp *warp, const struct ks_emu_inst *inst)
{
    tally(warp, inst)->divergent++;
}

// Whether L1 has the sector; it has it afterwards.
static bool look_up(struct ks_emu_counter *c, uint64_t address)
{
    uint64_t line = address / LINE;
    uint8_t bit = (uint8_t)(1u << (address / SECTOR % 4));
    uint32_t tag = (uint32_t)(line * UINT64_C(0x9e3779b97f4a7c15) >> 32);
    size_t set = (size_t)((line ^ line >> 7 ^ line >> 15) & (c->sets - 1)) * WAYS;
    unsigned way = 0;
    for (unsigned w = 0; w < WAYS; w++) {
        if (c->valid[set + w] != 0 && c->tags[set + w] == tag) {
            way = w;
            goto found;
        }
        if (c->valid[set + w] == 0 || (c->valid[set + way] != 0 && c->age[set + w] > c->age[set + way]))
            way = w;
    }
    c->tags[set + way] = tag;
    c->valid[set + way] = 0;
found:
    for (unsigned w = 0; w < WAYS; w++)
        c->age[set + w] = (uint8_t)(c->age[set + w] + (c->age[set + w] < UINT8_MAX));
    c->age[set + way] = 0;
    bool hit = (c->valid[set + way] & bit) != 0;
    c->valid[set + way] |= bit;
    return hit;
}

static void count_shared(struct ks_emu_tally *t, uint32_t mask, const uint64_t *addresses,
                         uint32_t bytes)
{
    struct ks_banks taken = ks_banks_take(mask, addresses, bytes);
    t->wavefronts += taken.waves;
    t->conflicts += taken.waves - taken.turns;
}

static void count_global(struct ks_emu_warp *warp, struct ks_emu_tally *t,
                         const struct ks_emu_inst *inst, uint32_t mask, const uint64_t *addresses,
                         uint32_t bytes, enum ks_emu_access access)
{
    struct ks_emu_counter *c = warp->grid->counter;
    uint64_t sectors[64], lines[64];
    uint32_t covered[64];
    unsigned n = 0, n_lines = 0;
    for (unsigned l = 0; l < KS_EMU_LANES; l++) {
        if ((mask >> l & 1) == 0)
            continue;
        for (uint64_t at = addresses[l]; at < addresses[l] + bytes && n < 64;
             at = (at / SECTOR + 1) * SECTOR) {
            uint64_t end = (at / SECTOR + 1) * SECTOR;
            uint64_t last = addresses[l] + bytes < end ? addresses[l] + bytes : end;
            unsigned i = n; // neighbours are mostly in the sector that came last
            while (i > 0 && sectors[i - 1] != at / SECTOR)
                i--;
            if (i == 0) {
                sectors[n] = at / SECTOR;
                covered[n] = 0;
                i = ++n;
            }
            covered[i - 1] += (uint32_t)(last - at);
        }
        if (access == KS_EMU_ATOMIC)
            for (unsigned k = 0; k < l; k++)
                if ((mask >> k & 1) != 0 && addresses[k] == addresses[l]) {
                    t->collisions++;
                    break;
                }
    }
    for (unsigned i = 0; i < n; i++) {
        unsigned k = 0;
        while (k < n_lines && lines[k] != sectors[i] / 4)
            k++;
        if (k == n_lines)
            lines[n_lines++] = sectors[i] / 4;
        if (access != KS_EMU_READ)
            c->partial += covered[i] < SECTOR;
        else if (inst->sem != KS_EMU_WEAK || !look_up(c, sectors[i] * SECTOR)) {
            t->misses++;
            warp->missed = true;
        }
    }
    t->sectors += n;
    t->wavefronts += n_lines > (n + 3) / 4 ? n_lines : (n + 3) / 4;
    if (access == KS_EMU_ATOMIC && inst->d != KS_EMU_NONE)
        warp->missed = true; // its old value comes from L2
}

void ks_emu_count_lanes(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, uint32_t mask,
                        enum ks_emu_space space, const uint64_t *addresses, uint32_t bytes,
                        enum ks_emu_access access)
{
    struct ks_emu_tally *t = tally(warp, inst);
    uint64_t base[KS_EMU_LANES];
    if (mask == 0)
        return;
    uint64_t slot = addresses[__builtin_ctz(mask)] >> KS_EMU_SLOT_BITS;
    bool shared = space == KS_EMU_SHARED || (space == KS_EMU_GENERIC && slot == 1);
    bool local = space == KS_EMU_LOCAL || (space == KS_EMU_GENERIC && slot == 2);
    t->requests++;
    t->bytes += (uint64_t)__builtin_popcount(mask) * bytes;
    if (shared) {
        count_shared(t, mask, addresses, bytes);
        return;
    }
    // A thread's local words lie 128 bytes apart, those of its neighbours between them.
    for (unsigned l = 0; local && l < KS_EMU_LANES; l++)
        base[l] = (UINT64_C(2) << KS_EMU_SLOT_BITS) +
                  ((uint64_t)warp->index << 30) + (addresses[l] & 0xffffff) / 4 * 128 + l * 4;
    count_global(warp, t, inst, mask, local ? base : addresses, local ? 4 : bytes, access);
}

void ks_emu_count_access(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, uint32_t mask,
                         enum ks_emu_access access)
{
    uint64_t addresses[KS_EMU_LANES];
    for (unsigned l = 0; l < KS_EMU_LANES; l++)
        addresses[l] = (inst->address_width == 8 ? KS_EMU_REG(uint64_t, inst->a)[l]
                                                 : KS_EMU_REG(uint32_t, inst->a)[l]) +
                       (uint64_t)inst->imm;
    ks_emu_count_lanes(warp, inst, mask, (enum ks_emu_space)inst->space, addresses,
                       (uint32_t)inst->size * (inst->count > 1 ? inst->count : 1), access);
}

static bool ends_f32(struct ks_slice type)
{
    return ks_slice_eq(type, "f32") || ks_slice_eq(type, "f32x2");
}

static bool is_half(struct ks_slice type)
{
    return ks_slice_eq(type, "f16") || ks_slice_eq(type, "f16x2") || ks_slice_eq(type, "bf16") ||
           ks_slice_eq(type, "bf16x2");
}

static bool among(struct ks_slice word, const char *const *words)
{
    for (; *words != NULL; words++)
        if (ks_slice_eq(word, *words))
            return true;
    return false;
}

enum ks_class ks_emu_class_of(struct ks_slice base, const struct ks_slice *mods, unsigned n,
                              enum ks_emu_space space)
{
    static const char *const control[] = {"bra", "brx", "ret", "exit", "call", "bar", "barrier",
                                          "trap", "fence", "membar", "nanosleep", NULL};
    static const char *const moves[] = {"mov", "cvta", "shfl", "vote", "activemask", "prmt",
                                        "cvt", "match", "redux", "isspacep", NULL};
    static const char *const special[] = {"ex2", "lg2", "sin", "cos", "rcp", "rsqrt", "sqrt",
                                          "tanh", "div", "rem", NULL};
    static const char *const matrix[] = {"mma", "wmma", "wgmma", NULL};
    static const char *const access[] = {"ld", "ldu", "st", "cp", "mbarrier", "ldmatrix", "stmatrix", NULL};
    struct ks_slice type = n > 0 ? mods[n - 1] : (struct ks_slice){"", 0};
    bool loads_fragment = ks_slice_eq(base, "wmma") && n > 0 &&
                          (ks_slice_eq(mods[0], "load") || ks_slice_eq(mods[0], "store"));
    if (among(base, access) || loads_fragment)
        return space == KS_EMU_SHARED || among(base, access + 4) ? KS_CLASS_SHARED
               : space == KS_EMU_LOCAL                           ? KS_CLASS_LOCAL
               : space == KS_EMU_PARAM || space == KS_EMU_CONST  ? KS_CLASS_MOVE
                                                                 : KS_CLASS_GLOBAL;
    if (ks_slice_eq(base, "atom") || ks_slice_eq(base, "red"))
        return space == KS_EMU_SHARED ? KS_CLASS_SHARED : KS_CLASS_ATOMIC;
    if (among(base, matrix))
        return KS_CLASS_MATRIX;
    if (among(base, control))
        return KS_CLASS_CONTROL;
    if (among(base, moves))
        return KS_CLASS_MOVE;
    if (ks_slice_eq(type, "f64"))
        return KS_CLASS_FP64;
    if (among(base, special))
        return KS_CLASS_SPECIAL;
    return is_half(type) ? KS_CLASS_FP16 : ends_f32(type) ? KS_CLASS_FP32 : KS_CLASS_INT;
}

void ks_emu_counter_sum(const struct ks_emu_counter *c, const struct ks_emu_module *module,
                        struct ks_counts *out)
{
    double scale = c->sampled > 0 ? (double)c->blocks / (double)c->sampled : 0;
    out->blocks = (double)c->blocks;
    out->sampled = (double)c->sampled;
    out->waits = scale * (double)c->waits;
    out->partial_sectors = scale * (double)c->partial;
    out->matrix_flops = scale * c->matrix_flops;
    for (size_t i = 0; i < module->code.len; i++) {
        const struct ks_emu_tally *t = &c->at[i];
        const struct ks_emu_inst *inst = &module->code.at[i];
        enum ks_class class = (enum ks_class)inst->class;
        if (t->warps == 0)
            continue;
        out->warp_insts[class] += scale * (double)t->warps;
        out->thread_insts[class] += scale * (double)t->lanes;
        if (inst->kind == KS_EMU_BRANCH) {
            out->branches += scale * (double)t->warps;
            out->divergent_branches += scale * (double)t->divergent;
        }
        if (class == KS_CLASS_ATOMIC) {
            out->atomic_lanes += scale * (double)t->lanes;
            out->atomic_collisions += scale * (double)t->collisions;
        }
        if (t->requests == 0)
            continue;
        if (t->sectors == 0) { // shared memory
            out->shared_requests += scale * (double)t->requests;
            out->shared_wavefronts += scale * (double)t->wavefronts;
            out->shared_conflicts += scale * (double)t->conflicts;
            continue;
        }
        out->global_requests += scale * (double)t->requests;
        out->global_bytes += scale * (double)t->bytes;
        out->global_wavefronts += scale * (double)t->wavefronts;
        if (inst->is_store)
            out->write_sectors += scale * (double)t->sectors;
        else
            out->read_sectors += scale * (double)t->misses;
    }
}
