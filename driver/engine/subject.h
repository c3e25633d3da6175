// One kernel as the engine sees it: its text parsed, its accesses and, where it is one, its map.
#ifndef KS_SUBJECT_H
#define KS_SUBJECT_H

#include "engine/flatten.h"
#include "engine/map.h"

struct ks_subject {
    struct ks_arena *arena;
    const struct ks_brief *brief; // with members of structs for parameters,
    const struct ks_brief *given; // and as it came
    const struct ks_kernel_decl *decl;
    struct ks_member_list members;
    struct ks_body body;
    struct ks_affine env;
    struct ks_access_list access; // of the whole body
    bool is_map;
    struct ks_map map;
    const char *not_map;          // why it is none
    struct ks_edit_list rewrites; // of expressions, whatever the shape; the map's edits hold them too
    const char *helpers;          // device functions that they call, or NULL
    const char *guard;            // what they ask of the launch, as a plan's condition, or NULL
    const char *asks;             // the same of transforms of the text (engine/reshape.h)
    bool apart;                   // and they ask that arrays do not overlap
    struct ks_extra { // parameters of the variant's kernels behind the user's: numbers of the launch
        const char *type, *name, *value; // value: plan text
    } extra[4];
    int n_extra;
    int folded;                   // loops and values that a block shared, which one thread does alone (engine/fold.h)
    const char *warps;            // plan text of how many, in a fold whose items were warps of blocks; else NULL
    bool numbered;                // a map whose blocks, of two axes of the grid, the body numbers as one axis
    bool together;                // threads share items: memory that is read and written is no thread's own
};

// KS_E_UNSUPPORTED when the body cannot be parsed.
enum ks_status ks_subject_make(struct ks_arena *arena, const struct ks_brief *brief,
                               struct ks_subject *subject, struct ks_err *err);

// One way in which text is written as the rest understands it: its edits of the subject's body.
typedef void ks_spelling(const struct ks_subject *subject, struct ks_edit_list *edits);
// Those made, and the text parsed again: subject->brief and subject->body.
enum ks_status ks_subject_write_out(struct ks_arena *arena, struct ks_subject *subject, ks_spelling *spelling,
                                    struct ks_err *err);

// A refusal says by construct and line what is refused. What no construct of the body is the reason
// for, options that do not go together for one, names the kernel.
enum ks_status ks_subject_refused(const struct ks_subject *subject, enum ks_status status,
                                  struct ks_err *err);
// Plan text of how many blocks, or warps that were taken for such, the body numbers along an axis.
const char *ks_subject_blocks(const struct ks_subject *subject, int axis);
// Plan text of a name that is no parameter: a template argument that is an integer.
const char *ks_subject_constant(void *subject, const char *name);
// Bytes behind a pointer parameter as plan text, from the workloads' contracts; NULL when they name
// something that the launch does not know, or differ.
const char *ks_subject_bytes(const struct ks_subject *subject, size_t param);
// The same where sizes that no parameter has may be read off the original's grid.
const char *ks_subject_launch_bytes(const struct ks_subject *subject, size_t param);
// "!overlap(a, .., b, ..) && ..." between each written pointer and every other one; "" when there
// is nothing to say, NULL when an extent is unknown, or pointers in a struct take part.
const char *ks_subject_apart(const struct ks_subject *subject);
// C type of a pointer parameter's element, typedefs and template parameters resolved ("float");
// NULL when it is no scalar.
const char *ks_subject_elem(const struct ks_subject *subject, size_t param);

// The same for vector types too ("float3").
const char *ks_subject_value(const struct ks_subject *subject, size_t param);

// The name of one more parameter of that value; NULL where there are four others.
const char *ks_subject_extra(struct ks_subject *subject, const char *type, const char *value);

// What transforms choose. Zero means "as it is".
struct ks_options {
    int block[3];
    int items;     // elements (or packs) a thread in x
    int rows;      // rows a thread in y
    int width;     // elements an access
    int stream;    // 1: streaming stores, 2: loads too
    int peel;      // 1: any common misalignment is served
    int restrict_; // 1: pointers are declared apart, under a guard
    int bounds;    // __launch_bounds__: 1: threads only, N > 1: at least N-1 blocks a multiprocessor
    int unroll;    // innermost loops; -1: fully
    int private_;  // atomics gathered first: 1: by a block in shared memory, 2: by a thread in registers
    int math;      // cheaper functions: 1: that round alike, 2: approximations
    int jam;       // 1: the loops of a thread's items are jammed
    int tile;      // turns of a jammed loop that are staged in shared memory at a time
    int near;      // 1: a thread's jammed items are neighbours
    int ahead;     // the next tile is loaded while one is worked on: 1: to registers, 2: copied (sm_80)
    int interchange; // 1: pairs of loops are exchanged
    int select;    // 1: branches that choose values become choices
    int hoist;     // 1: what does not change in a loop is computed in front of it
    int keep;      // 1: elements that loops update stay in registers meanwhile
    int fold;      // 1: what threads of a block share is one thread's, and the block an item of a map
    int divide;    // 1: divisions by numbers of the launch are multiplications
    int shuffle;   // 1: trees in shared memory become shuffles
    int split;     // blocks that the turns of an item's first loop are dealt out to, in a launch before the rest
    int lanes;     // threads that do an item of a map together
    int across;    // 1: neighbouring threads do neighbouring items, the lanes of one lie apart
    int blocks;    // at most so many, each walking over its share in steps of the grid
    int halo;      // 1: what a block's items read, neighbours included, is staged in shared memory
    int pad;       // elements that rows in shared memory are longer by
};
// KS_E_UNSUPPORTED where no shape has all of them: cheap, so that what cannot be emitted is not proposed.
enum ks_status ks_options_agree(const struct ks_options *options, struct ks_err *err);
// Those of them that rewrite the body before a launch is shaped (engine/reshape.h): what other transforms make of the
// kernel depends on no more.
struct ks_options ks_options_body(const struct ks_options *options);
const char *const *ks_options_names(void); // NULL-terminated
// "block=32x8 rows=4"; the text of defaults is "".
char *ks_options_text(struct ks_arena *arena, const struct ks_options *options);
// Reads such a text on top of what `options` holds; KS_E_USER for an unknown name or bad value.
enum ks_status ks_options_read(const char *text, struct ks_options *options, struct ks_err *err);

// The kernel under these options as a proposal, gate passed. KS_E_UNSUPPORTED with construct and
// line when they do not fit this kernel.
enum ks_status ks_emit(struct ks_subject *subject, const struct ks_options *options,
                       struct ks_proposal *proposal, struct ks_err *err);

#endif
