// The space that a search of a kernel can reach, sampled without any policy: random sequences of
// what the skills' actions give, closed under prefixes, with the steps between all that was drawn.
#ifndef SEARCH_SPACE_H
#define SEARCH_SPACE_H

#include "base/rng.h"
#include "engine/engine.h"
#include "engine/subject.h"

struct space_edge { // `action` on `from` gives the node
    size_t from, action;
};
struct space_node {
    const char *name; // "transform block=256", "" of the original, which is node 0
    struct ks_candidate candidate;
    int depth; // actions of the sequence that found it
    KS_VEC(struct space_edge) edges;
};
struct space {
    struct ks_arena *arena;
    const struct ks_brief *brief;
    const struct ks_skill_list *skills;
    const char *template_dir;
    struct ks_rng rng;
    struct ks_subject subject;
    const char *refusal; // why there are no transforms at all, or NULL
    KS_VEC(struct space_node) nodes;
    struct ks_strv actions; // "geometry block=256 items=2", "template transpose"
    struct ks_strv refused; // options that no proposal came of
};

// Draws sequences of up to `depth` transforms until there are `target` nodes or nothing new comes,
// then adds all bindings of all templates.
enum ks_status space_sample(struct space *space, size_t target, int depth, struct ks_err *err);
// The settings of a binding that was found right, as further nodes.
enum ks_status space_settings(struct space *space, size_t node, struct ks_err *err);
// All steps between the nodes that transforms gave.
void space_connect(struct space *space);

#endif
