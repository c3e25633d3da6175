// Arrays that a loop of a map reads in a way that depends on its turn and at most one axis of the
// item: a block reads each element once into shared memory, for some turns at a time.
#ifndef KS_TILE_H
#define KS_TILE_H

#include "engine/loop.h"
#include "engine/subject.h"

enum { KS_TILE_TURNS = -1 }; // as an axis: depends on the turn alone

struct ks_tile {
    const struct ks_node *node; // the read
    size_t param;
    int axis;          // 0: x, 1: y, or KS_TILE_TURNS
    bool along;        // neighbouring turns are neighbours in memory
    const char *index; // C text over opt_at (the item's number) and opt_turn
    struct ks_poly poly;
    const char *type; // of an element
    int bytes;
    int same; // an earlier tile with the same elements, or -1
};
struct ks_tile_list {
    struct ks_tile *at;
    size_t len, cap;
};

// The reads of a loop that can be staged; `env` holds the declarations around it, and the loops that all items go
// through together. None is no error. *why (which may hold an earlier reason) receives the first reason why a read is
// none of them, "line N: ...".
void ks_tiles_find(const struct ks_subject *subject, const struct ks_affine *env,
                   const struct ks_loop *loop, struct ks_tile_list *tiles, const char **why);

#endif
