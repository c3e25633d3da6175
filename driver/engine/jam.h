// Several items of a map done by one thread with their loops jammed: each loop runs once, its body for
// every item in turn, so that loads which items share stay in registers. What a block's items share may be
// staged in shared memory.
#ifndef KS_JAM_H
#define KS_JAM_H

#include "engine/subject.h"

struct ks_jam {
    int items, rows;    // along x and y
    int block[3];
    int unroll;         // of innermost loops, as in ks_options
    int tile;           // turns that are staged at a time, 0: none
    bool near;          // a thread's items are neighbours; else a block's width apart
    enum ks_jam_ahead { // how a tile is loaded while the last one is worked on
        KS_JAM_NOT_AHEAD,
        KS_JAM_REGISTERS,
        KS_JAM_COPIES, // by copies that nobody waits for (cp.async), into another buffer
    } ahead;
    int loops, tiled;   // how many were jammed, and staged
    const char *shared; // declarations of the tiles
    const char *limits; // plan condition that no counter runs over, or ""
};

// C text of the place in its block of a thread's item `i` along an axis.
const char *ks_jam_number(struct ks_arena *arena, const struct ks_jam *jam, int axis, int i);

// The statements of all items behind the guard, indented by `indent`, over opt_x0, opt_x1, ... and opt_y0, ...;
// with tiles also over opt_thread, opt_block_x and opt_block_y. KS_E_UNSUPPORTED by construct and line when
// there is no loop to jam or nothing to stage.
enum ks_status ks_jam_text(const struct ks_subject *subject, struct ks_jam *jam, int indent,
                           char **text, struct ks_err *err);

#endif
