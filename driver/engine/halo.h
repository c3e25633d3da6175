// Neighbours that a map's item reads at distances that the text tells, as a stencil does: a block reads each element of
// its patch and the rim round it once, into shared memory.
#ifndef KS_HALO_H
#define KS_HALO_H

#include "engine/subject.h"

enum {
    KS_HALO_REACH = 8,  // from the first read of a patch, along an axis
    KS_HALO_TURNS = 64, // of a loop round a read
    KS_HALO_LOOPS = 4,
};

// What a loop's variable adds to where a read lies along an axis.
struct ks_halo_turn {
    const char *var;
    int axis, by;
};

struct ks_halo_read {
    const struct ks_node *node; // what the tile's element stands in place of
    int patch;
    int off[3]; // from the patch's first read, but for what loops add
    struct ks_halo_turn turns[KS_HALO_LOOPS];
    int n_turns;
};
// One array, or one part of it that lies elsewhere: the element of `origin` + the sum over axes of `stride` * index.
struct ks_halo_patch {
    size_t param;
    const char *type; // of an element
    int bytes;
    int line;
    const struct ks_node *first;
    struct ks_poly origin, stride[3]; // over parameters and constants
    int low[3], high[3];              // of the reads' distances
    bool staged;                      // it has two elements or more
    int cells[3], pitch;              // of the tile, along axes with a stride; cells in memory of a row
};
struct ks_halo {
    struct ks_halo_patch *patches;
    size_t n_patches, cap_patches;
    struct ks_halo_read *reads;
    size_t n_reads, cap_reads;
};

// Patches of which an item reads two elements or more. KS_E_UNSUPPORTED by construct and line where there are none.
enum ks_status ks_halo_find(const struct ks_subject *subject, struct ks_halo *halo, struct ks_err *err);
// The tiles of blocks with `items` numbers along each axis, of which `block` are threads; `items` follow each other
// along y and z in one thread. KS_E_UNSUPPORTED where they have no room.
enum ks_status ks_halo_shape(const struct ks_subject *subject, struct ks_halo *halo, const int block[3],
                             const int items[3], struct ks_err *err);
// The kernel's text in front of everything else: tiles, what fills them, and the barrier.
char *ks_halo_front(const struct ks_subject *subject, const struct ks_halo *halo, const int block[3],
                    const int items[3]);
// Reads, in an item's text, from the tiles.
void ks_halo_edits(const struct ks_subject *subject, const struct ks_halo *halo, struct ks_edit_list *edits);
// Parameters with tiles, each once; `params` has room for all. The kernel takes `unsigned opt_countN` for parameter N:
// its elements, by this plan text.
size_t ks_halo_counts(const struct ks_subject *subject, const struct ks_halo *halo, size_t *params);
const char *ks_halo_count(const struct ks_subject *subject, size_t param);

#endif
