// CUDA graphs that the program instantiates: their kernels with the arguments that they got, and whether the memory of
// one is, while it runs, what it is before and behind the launch of the whole graph. Not thread-safe: callers hold the
// capturing lock.
#ifndef KS_CAPTURE_GRAPH_H
#define KS_CAPTURE_GRAPH_H

#include "capture_driver.h"

struct capture_graph_kernel {
    char *symbol;
    CUfunction function;
    unsigned grid[3], block[3], shared;
    void **params;              // copies, as cuLaunchKernel takes them
    size_t node;
    struct capture_graph_kernel *next;
};

struct capture_graph;

// Reads what `exec` was made of. `wanted` picks kernels by their symbols; others are known by what they point to.
void capture_graph_remember(CUgraphExec exec, CUgraph graph, bool (*wanted)(const char *symbol));
// Something in it was set anew, which nobody can read back.
void capture_graph_spoil(CUgraphExec exec);
void capture_graph_forget(CUgraphExec exec);
// NULL: none of its kernels is wanted.
const struct capture_graph *capture_graph_of(CUgraphExec exec);
const struct capture_graph_kernel *capture_graph_kernels(const struct capture_graph *graph);
// NULL: before the whole graph runs, the arguments' memory is what the kernel will see. Else why that is not known.
// *after: it still is what the kernel left when all of the graph has run.
const char *capture_graph_refuses(const struct capture_graph *graph, const struct capture_graph_kernel *kernel,
                                  const struct capture_args *args, bool *after);

#endif
