// Atomics of a map on the memory of its parameters, where nothing else touches that memory and nobody
// takes the value they return: such updates may be gathered by each block, or each thread, and written
// once, since their order is free.
#ifndef KS_GATHER_H
#define KS_GATHER_H

#include "engine/subject.h"

enum { KS_GATHER_MAX = 4 };

struct ks_gather_target {
    size_t param;
    const char *elem;         // C type of an element
    int elem_bytes;
    const char *atomic;       // "atomicAdd"
    const char *const *combine; // of two gathered values: the text in front of, between and behind them
    const char *identity;     // what changes nothing
    const char *index;        // C text of the one element that all updates go to, made of parameters; or NULL
};
struct ks_gather_update {
    const struct ks_node *call; // of the statement `atomicX(&param[index], value);`
    const struct ks_node *base; // the parameter's name in it
    int target;
};
struct ks_gather {
    struct ks_gather_target target[KS_GATHER_MAX]; int n_targets;
    struct {
        struct ks_gather_update *at;
        size_t len, cap;
    } updates;
};

// KS_E_UNSUPPORTED by construct and line where there are no such atomics, or others too.
enum ks_status ks_gather_find(const struct ks_subject *subject, struct ks_gather *gather,
                              struct ks_err *err);

#endif
