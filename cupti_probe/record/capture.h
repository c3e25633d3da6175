// Real launches with what their arguments point to: chosen kernels' parameters and the contents of the memory
// they name, before and after, written to a folder for `ks record` to make captures of
// (workload/capture.h). One launch of each class, which is kernel, launch geometry and values of scalars.
//
// A spooled launch is a file PID-N: one line of JSON,
//   {"launch":1,"symbol":"_Z5scalePf","grid":[1,1,1],"block":[256,1,1],"shared":0,
//    "params":[{"offset":0,"hex":"00a0..."}],            a parameter's bytes, in order
//    "pointers":[{"param":0,"at":0,"allocation":0,"offset":256}],   found at byte `at` of the parameter
//    "allocations":[{"base":"0x7f...","size":4096}],     bytes
//    "cooperative":false,"graph":false}
// then the allocations' bytes before the launch in that order, those after it of the ones that changed, and at the end
// "\n{"after":[true,false]}\n", which says which did (null: not known, other nodes of its graph came behind). It bears
// its name only when it is whole.
#ifndef KS_CAPTURE_SPOOL_H
#define KS_CAPTURE_SPOOL_H

#include <cuda.h>
#include <stdbool.h>
#include <stdint.h>

// From the environment: KS_RECORD_CAPTURE, parts of mangled names separated by commas ("=name" is a whole one, "*"
// any); KS_RECORD_CAPTURE_DIR; KS_RECORD_CAPTURE_MAX, bytes of memory to write in all. False: nothing is asked for.
// `note` is told what was left out: a code and a sentence.
bool capture_begin(void (*note)(const char *code, const char *text));

struct capture_call { // borrowed during the call
    const char *symbol;
    CUcontext context;
    CUfunction function;
    unsigned grid[3], block[3], shared;
    CUstream stream;
    void **params, **extra; // as cuLaunchKernel takes them
    bool cooperative, graph; // how it was launched
};
// On entry of a launch and behind it, from the thread that launches. Waits for the launch's stream alone, and
// never longer than some seconds: a kernel may wait for the program.
void capture_enter(const struct capture_call *call);
void capture_leave(const struct capture_call *call, bool launched);
void capture_context_gone(CUcontext context); // NULL: which is not known

// Graphs: kernels are known when one is instantiated, contents when it is launched, which capture_leave ends.
void capture_graph_made(CUgraphExec exec, CUgraph graph); // or updated from
void capture_graph_changed(CUgraphExec exec);             // something in it was set
void capture_graph_gone(CUgraphExec exec);
void capture_graph_enter(CUgraphExec exec, CUcontext context, CUstream stream);

#endif
