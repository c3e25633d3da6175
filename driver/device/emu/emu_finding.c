#include "device/emu/emu_finding.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "device/emu/emu_team.h"

const char *ks_finding_name(enum ks_finding_kind kind)
{
    static const char *const names[KS_F_KINDS] = {
        [KS_F_OUT_OF_BOUNDS] = "out-of-bounds",
        [KS_F_USE_AFTER_FREE] = "use-after-free",
        [KS_F_MISALIGNED] = "misaligned",
        [KS_F_UNINITIALISED] = "uninitialised",
        [KS_F_READ_ONLY] = "read-only",
        [KS_F_RACE] = "race",
        [KS_F_NONCOHERENT] = "non-coherent",
        [KS_F_BARRIER_DIVERGENCE] = "barrier-divergence",
        [KS_F_DEADLOCK] = "deadlock",
        [KS_F_ENDLESS] = "endless",
        [KS_F_TRAP] = "trap",
        [KS_F_STACK] = "stack-overflow",
        [KS_F_UNSUPPORTED] = "unsupported",
    };
    return names[kind];
}

bool ks_finding_is(const char *text, enum ks_finding_kind kind)
{
    size_t n = strlen(ks_finding_name(kind));
    return strncmp(text, ks_finding_name(kind), n) == 0 &&
           (text[n] == ':' || ks_starts_with(text + n, KS_FINDING_SCHEDULE));
}

bool ks_finding_leads(const char *text)
{
    for (int kind = 0; kind < KS_F_KINDS; kind++)
        if (ks_finding_is(text, (enum ks_finding_kind)kind))
            return true;
    return false;
}

bool ks_finding_stops(const char *text)
{
    return ks_finding_is(text, KS_F_DEADLOCK) || ks_finding_is(text, KS_F_ENDLESS);
}

bool ks_finding_faults(const char *text)
{
    static const enum ks_finding_kind kinds[] = {KS_F_OUT_OF_BOUNDS, KS_F_MISALIGNED, KS_F_READ_ONLY, KS_F_BARRIER_DIVERGENCE};
    const size_t n = strlen(KS_NOT_COUNTED);
    for (size_t i = 0; strncmp(text, KS_NOT_COUNTED, n) == 0 && i < sizeof kinds / sizeof *kinds; i++)
        if (ks_finding_is(text + n, kinds[i]))
            return true;
    return false;
}

const char *ks_emu_file(const struct ks_emu_module *module, uint32_t source)
{
    return source == 0 ? NULL : module->files[source >> 20];
}

void ks_emu_site_set(const struct ks_emu_grid *grid, uint32_t block, uint32_t thread,
                     const struct ks_emu_inst *inst, struct ks_emu_site *site)
{
    const uint32_t *g = grid->grid, *b = grid->block;
    *site = (struct ks_emu_site){
        .block = {block % g[0], block / g[0] % g[1], (uint32_t)(block / ((uint64_t)g[0] * g[1]))},
        .thread = {thread % b[0], thread / b[0] % b[1], thread / (b[0] * b[1])},
        .source = inst->source, .ptx_line = inst->line};
}

void ks_emu_stop(struct ks_emu_grid *grid)
{
    grid->stop = true;
}

struct ks_finding *ks_emu_find(struct ks_emu_warp *warp, const struct ks_emu_inst *inst,
                               uint32_t lane, enum ks_finding_kind kind, uint64_t address,
                               uint64_t bytes, const char *format, ...)
{
    struct ks_emu_findings *all = warp->grid->findings;
    struct ks_finding *f = all->list;
    all->total++;
    if (warp->grid->team != NULL)
        ks_emu_team_abandon(warp->grid); // one core will find it again
    for (; f < all->list + all->n; f++)
        if (f->kind == kind && f->here.ptx_line == inst->line) {
            f->count++;
            return f;
        }
    if (all->n == KS_EMU_FINDINGS) {
        ks_emu_stop(warp->grid); // enough to be told
        return NULL;
    }
    *f = (struct ks_finding){.kind = kind, .address = address, .bytes = bytes, .count = 1};
    ks_emu_site_set(warp->grid, warp->block->linear, ks_emu_thread(warp, lane), inst, &f->here);
    f->file = ks_emu_file(warp->grid->module, inst->source);
    va_list args;
    va_start(args, format);
    vsnprintf(f->text, sizeof f->text, format, args);
    va_end(args);
    all->n++;
    return f;
}

static void add_place(struct ks_buf *out, const struct ks_emu_site *s, const char *file)
{
    if (file != NULL && (s->source & 0xfffff) != 0)
        ks_buf_printf(out, " at %s:%u", ks_path_base(file), s->source & 0xfffff);
    else
        ks_buf_printf(out, " at PTX line %u", s->ptx_line);
}

static void add_site(struct ks_buf *out, const struct ks_emu_site *s, const char *file)
{
    ks_buf_printf(out, "thread (%u,%u,%u) of block (%u,%u,%u)", s->thread[0], s->thread[1],
                  s->thread[2], s->block[0], s->block[1], s->block[2]);
    add_place(out, s, file);
}

void ks_finding_text(const struct ks_finding *f, char *out, size_t size)
{
    struct ks_buf text = KS_BUF(4096);
    ks_buf_printf(&text, "%s: %s, by ", ks_finding_name(f->kind), f->text);
    add_site(&text, &f->here, f->file);
    if (f->has_other && f->kind == KS_F_UNINITIALISED) {
        ks_buf_puts(&text, "; used by ");
        add_site(&text, &f->other, f->other_file);
    } else if (f->has_other) {
        // Of a warp's lanes that access it at once one is remembered: it may be the later one's.
        bool lanes = f->kind == KS_F_RACE && memcmp(f->here.thread, f->other.thread, sizeof f->here.thread) == 0 &&
                     memcmp(f->here.block, f->other.block, sizeof f->here.block) == 0;
        ks_buf_puts(&text, "; the earlier one by ");
        if (lanes) {
            ks_buf_puts(&text, "other threads of its warp");
            add_place(&text, &f->other, f->other_file);
        } else {
            add_site(&text, &f->other, f->other_file);
        }
    }
    if (f->count > 1)
        ks_buf_printf(&text, " (%llu times)", (unsigned long long)f->count);
    ks_text_fit(out, size, ks_buf_text(&text));
    ks_buf_free(&text);
}
