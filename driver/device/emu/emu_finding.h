// What a run on the emulated device found wrong: one entry a kind and place, with the first
// occurrence's addresses and threads, and how often it came.
#ifndef KS_EMU_FINDING_H
#define KS_EMU_FINDING_H

#include "base/str.h"

#define KS_EMU_FINDINGS 64

enum ks_finding_kind {
    KS_F_OUT_OF_BOUNDS, KS_F_USE_AFTER_FREE, KS_F_MISALIGNED, KS_F_UNINITIALISED, KS_F_READ_ONLY,
    KS_F_RACE, KS_F_NONCOHERENT, KS_F_BARRIER_DIVERGENCE, KS_F_DEADLOCK, KS_F_ENDLESS, KS_F_TRAP, KS_F_STACK,
    KS_F_UNSUPPORTED, KS_F_KINDS,
};

struct ks_emu_site {         // one side of a finding
    uint32_t block[3], thread[3];
    uint32_t source;         // file << 20 | line, 0: unknown
    uint32_t ptx_line;
};

struct ks_finding {
    enum ks_finding_kind kind;
    struct ks_emu_site here, other;
    bool has_other;          // of two accesses that do not agree: the earlier one
    uint64_t address, bytes;
    const char *file, *other_file; // of the user's text, borrowed from the module; NULL: unknown
    char text[200];          // "4-byte write, 4 bytes behind buffer 1 (64 bytes)"
    uint64_t count;
};

struct ks_emu_findings {
    struct ks_finding list[KS_EMU_FINDINGS];
    size_t n;
    uint64_t total;          // with those of the same place, and those that found no room
};

struct ks_emu_grid;
struct ks_emu_warp;
struct ks_emu_inst;
struct ks_emu_module;
// Notes a finding of one lane; NULL when there is no room. A finding of the same kind and place only
// counts up.
struct ks_finding *ks_emu_find(struct ks_emu_warp *warp, const struct ks_emu_inst *inst,
                               uint32_t lane, enum ks_finding_kind kind, uint64_t address,
                               uint64_t bytes, const char *format, ...)
    __attribute__((format(printf, 7, 8)));
// The grid cannot go on.
void ks_emu_stop(struct ks_emu_grid *grid);
void ks_emu_site_set(const struct ks_emu_grid *grid, uint32_t block, uint32_t thread,
                     const struct ks_emu_inst *inst, struct ks_emu_site *site);
const char *ks_emu_file(const struct ks_emu_module *module, uint32_t source);

// "out-of-bounds", "race", ...
const char *ks_finding_name(enum ks_finding_kind kind);
#define KS_FINDING_SCHEDULE " under --seed " // stands behind the kind in what run() says of a varied schedule
#define KS_NOT_COUNTED "not counted: " // stands before the finding that ended a count
// Whether a text begins with this kind (ks_finding_text), with any, and with one that means that it never ends.
bool ks_finding_is(const char *text, enum ks_finding_kind kind);
bool ks_finding_leads(const char *text);
bool ks_finding_stops(const char *text);
// Whether what ended a count is the code's own fault, whatever the inputs are and which blocks ran: an access that no
// block may make, threads that part at a barrier.
bool ks_finding_faults(const char *text);
#define KS_FINDING_TEXT 640 // room for the next with both places, unless files have very long names
// One line: kind, what, thread and block, file:line, both sides of a race.
void ks_finding_text(const struct ks_finding *finding, char *out, size_t size);

#endif
