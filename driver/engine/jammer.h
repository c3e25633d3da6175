// Private to the jamming of loops: what its files share.
#ifndef KS_JAMMER_H
#define KS_JAMMER_H

#include "engine/jam.h"
#include "engine/tile.h"

struct ks_jammer {
    const struct ks_subject *s;
    struct ks_jam *jam;
    struct ks_edit_list edits; // of the item's text, whatever its number
    struct ks_strv names;      // locals that each item has of its own
    struct ks_strv uniform;    // those of them that are the same in all items
    struct ks_affine env;
    struct ks_buf out;
    struct ks_err *err;
    enum ks_status status;
    const char *why;   // the first loop's refusal
    const char *unshared; // why the first read that could be staged is not
    bool staged;       // the loop that is written stands in one whose reads are
    int tiles, shared; // given out so far, and their bytes
    int lacking;       // bytes of the first tile that there was no room for
    int odd;           // bytes of elements that no copy takes
};

// The text of item `q`: its locals and numbers under names of its own.
char *ks_jam_renamed(const struct ks_jammer *jammer, const char *text, int q);
// The kernel's text under the edits.
char *ks_jam_piece(const struct ks_jammer *jammer, size_t begin, size_t end);
// A loop's body for all items.
void ks_jam_body(struct ks_jammer *jammer, struct ks_node *body, int indent);
// The loop with what its block shares staged; false, and nothing written, where nothing is.
bool ks_jam_tiled(struct ks_jammer *jammer, struct ks_node *loop, int indent);

#endif
