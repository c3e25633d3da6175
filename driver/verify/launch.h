// From a problem and a plan to what a worker takes: buffers, addresses, launch steps. All of a
// proposal's arithmetic is done here, in the supervisor, with every limit checked.
#ifndef KS_LAUNCH_H
#define KS_LAUNCH_H

#include "device/device.h"
#include "source/proposal.h"
#include "workload/fill.h"

#define KS_LAUNCH_STEPS 64
#define KS_NO_BUFFER ((size_t)-1)

// One memory of a problem: arguments that share a pointer share a slot. Slots are the first buffers
// of the worker's list, workspaces follow.
struct ks_slot {
    enum ks_array_role role;  // written and read by any of its arguments: inout
    size_t arg;               // whose element type and, for in and inout, whose contents it has
    struct ks_elem elem;
    int64_t count, bytes;
    int64_t filled;           // elements that have contents: count, but for a spare one at the end
};
struct ks_layout {
    struct ks_slot *slots; size_t n_slots;
    size_t *slot_of;          // by argument; KS_NO_BUFFER for scalars
};
struct ks_layout ks_layout_of(struct ks_arena *arena, const struct ks_problem *problem);

// Where the buffers of one run lie.
#define KS_LAUNCH_SLOTS 64
struct ks_placement {
    enum ks_flush flush;
    size_t align;             // end-flush: addresses rounded down to this; 0: the element's own
    unsigned char log2[KS_LAUNCH_SLOTS]; // by slot: at least this
    bool frozen;              // what is only read cannot be written, not even to be put back
    bool shuffled;            // one buffer behind another in an order of chance, not that of the arguments
    uint64_t chance;          // what that order and the room between buffers follow from; 0: the worker's own
};
#define KS_AS_ALLOCATED ((struct ks_placement){.flush = KS_FLUSH_END, .align = 256})

// Everything an expression of a proposal may name at one launch.
struct ks_scope {
    const struct ks_problem *problem;
    const struct ks_signature *signature;
    const char *original;                   // registered name in the module; NULL: the signature's
    const struct ks_kernel_decl *decl;      // for names of template parameters
    const struct ks_proposal *proposal;     // NULL: the problem's own names
    const struct ks_layout *layout;
    const uint64_t *addresses;              // by slot; NULL: pointers are unknown
    const int64_t *workspaces;              // bytes by workspace; NULL before they are known
    size_t first_workspace;                 // among the workspaces that the worker has: those before are others'
    const struct ks_mark *mark;             // whose assumptions join every guard; NULL: none
};
bool ks_scope_lookup(void *scope, const char *name, int64_t *value);
// The mark's assumptions hold, and the proposal's guard if there is one.
bool ks_scope_admits(struct ks_scope *scope);

// Spare elements behind slots, without contents: at the end of the fence the addresses are then no better
// aligned than elements are, whatever the sizes. Behind all slots, or behind one alone, which then lies
// otherwise than all others: code may branch on how pointers lie to each other.
enum { KS_SKEW_NONE, KS_SKEW_ALL, KS_SKEW_ONE /* plus the slot's number */ };
void ks_layout_skew(struct ks_layout *layout, int skew, int64_t elements);

// Alignment of a slot at the end.
size_t ks_placement_align(const struct ks_placement *placement, const struct ks_layout *layout,
                          size_t slot);
// Addresses modulo 4096 that a placement will give (the fence stands at a page boundary), at
// distances that make nothing overlap: enough to evaluate aligned().
void ks_placement_predict(const struct ks_layout *layout, struct ks_placement placement,
                          uint64_t *addresses);
// The least aligned placement (of natural to 256 bytes at the end for each slot, then the start) that
// ks_scope_admits; false if none. With `flush` START only the start is tried.
bool ks_placement_choose(struct ks_scope *scope, enum ks_flush flush,
                         struct ks_placement *placement);

// Sizes of the workspaces. false: `reason` says which is undefined, negative or too big.
bool ks_launch_workspaces(struct ks_scope *scope, const struct ks_device_info *device,
                          int64_t *bytes, char reason[256]);
// The proposal's plan as protocol steps (new reference), kernels named by `names` (registered, by
// position in proposal->kernels) in `module`. NULL: `reason` says which limit is broken.
json_t *ks_launch_plan(struct ks_scope *scope, const struct ks_device_info *device,
                       const char *module, const char *const *names, char reason[256]);
// The original's one launch.
json_t *ks_launch_original(const struct ks_scope *scope, const char *module);

#endif
