// How a kernel's accesses lie in memory: each as a polynomial of thread and block numbers and loop
// variables, with its steps from thread to thread and from turn to turn, in the first workload's
// numbers.
#ifndef KS_PATTERN_H
#define KS_PATTERN_H

#include "engine/diverge.h"
#include "engine/lane.h"
#include "engine/subject.h"

#define KS_STEP_UNKNOWN INT64_MIN

struct ks_pattern {
    const struct ks_node *node;
    size_t param;
    bool reads, writes;
    struct ks_poly index;                 // in elements; not `known` where it is no polynomial
    int depth;                            // loops round it
    const char *loop;                     // variable of the innermost of them that counts, or NULL
    int64_t along_x, along_y, along_loop; // steps in elements; KS_STEP_UNKNOWN
    double times;                         // a thread does it, -1: unknown
};
struct ks_pattern_loop {
    const struct ks_node *node;
    const char *text;                     // "for (k = 0; k < n; k += 1)", or what it is instead
    double turns;                         // each time it is come to, -1: unknown
    int depth;                            // loops round it
    bool items;                           // its turns are other elements, in steps of the grid
    const struct ks_reduction *reductions;
    size_t n_reductions;
    const char *why;                      // NULL: its turns may run in any order, reductions apart
    enum ks_diverge diverges;             // threads, in how many turns they take
};
struct ks_pattern_if {
    const struct ks_node *node;
    enum ks_diverge diverges;
};
struct ks_pattern_list {
    struct ks_pattern *at;
    size_t len, cap;
    struct {
        struct ks_pattern_loop *at;
        size_t len, cap;
    } loops;           // as the text has them
    struct {
        struct ks_pattern_if *at;
        size_t len, cap;
    } ifs;
    int nest;          // deepest loops
    int free_loops;    // whose turns may run in any order, reductions apart
    int reductions;    // variables that they reduce
    double turns;      // of the innermost loops together, a thread; -1: unknown, 0: no loop
    double operations; // arithmetic in the text, of functions too, but in subscripts, what is declared for
                       // them, and loop headers, times turns; -1
    bool followed;     // every access through a pointer is listed with its parameter
    struct {
        struct ks_lane_access *at;
        size_t len, cap;
    } shared;             // accesses to arrays in shared memory
    bool shared_followed; // and there are no others
};

// A size of the launch, a parameter or a template argument in the first workload.
bool ks_pattern_number(const struct ks_subject *subject, const char *name, int64_t *value);
void ks_patterns_find(const struct ks_subject *subject, struct ks_pattern_list *out);
// "line 8: for (k = 0; k < n; k += 1), 1024 turns, in any order, reduces s", a line each loop, then "line 9: reads
// a[row * n + k] (a), apart by 1024 in x, contiguous in k, 1024 times a thread at most", a line each access, then
// "line 10: reads t[threadIdx.x][0] (t, shared), apart by 32 in x, 32 wavefronts a warp, for bank conflicts", then
// "line 11: if (x[i] > 0), threads of a warp may differ", a line each `if` on which threads do not all agree.
void ks_patterns_print(const struct ks_subject *subject, const struct ks_pattern_list *patterns,
                       struct ks_buf *out);

#endif
