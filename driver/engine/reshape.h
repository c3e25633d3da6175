// Transforms of the body's text alone: a block's threads folded, loops exchanged, branches turned to choices, what does not
// change in loops in front of them, values kept in registers. What they write is parsed again, so that everything that follows, shapes of launches
// included, sees a kernel written that way.
#ifndef KS_RESHAPE_H
#define KS_RESHAPE_H

#include "engine/loop.h"
#include "engine/subject.h"

// The subject as the options' text transforms leave it; without any, a copy. What they ask of the
// launch is in view->asks, view->apart and view->extra. KS_E_UNSUPPORTED by construct and line.
enum ks_status ks_reshape(const struct ks_subject *subject, const struct ks_options *options,
                          struct ks_subject *view, struct ks_err *err);
// The subject with `edits` of its body made; keeps what was asked so far.
enum ks_status ks_reshape_edit(const struct ks_subject *subject, const struct ks_edit_list *edits,
                               struct ks_subject *view, struct ks_err *err);

// Each adds its edits, and what they ask to subject->asks and subject->apart. KS_E_UNSUPPORTED
// where there is nothing to do.
typedef enum ks_status ks_reshape_step(struct ks_subject *subject, struct ks_edit_list *edits,
                                       struct ks_err *err);
ks_reshape_step ks_interchange_loops, ks_select_values, ks_hoist_values, ks_keep_values, ks_divide_numbers;
// One more condition of the launch in subject->asks.
void ks_reshape_ask(struct ks_subject *subject, const char *one);
// What tells that a loop turns at least once: nothing (both NULL), a condition of the launch, or a test in the text in
// front of it. `env` is that in front of it. False where none is known.
bool ks_reshape_turns(struct ks_subject *subject, const struct ks_affine *env, const struct ks_loop *loop, const char **test,
                      const char **ask);
// For atomics that are gathered; without an edit where there is nothing to do (engine/spread.c).
ks_reshape_step ks_spread_atomics;

// Pointers that are moved once, written as not moved; then local pointers into parameters' arrays, written out where
// they are subscripted (engine/pointers.c).
void ks_moved_edits(const struct ks_subject *subject, struct ks_edit_list *edits);
void ks_pointer_edits(const struct ks_subject *subject, struct ks_edit_list *edits);
// Spellings that mean what another does, in that: atomics on p + i become atomics on &p[i], loads and stores with hints for
// caches (__ldg, __stcs) plain ones, *p becomes p[0], and what stands behind `if (c) continue;` goes into an `if` of its
// own. Until nothing is found: what stands in another is written out after it.
void ks_normal_edits(const struct ks_subject *subject, struct ks_edit_list *edits);
// Calls of the program's functions that are one expression of integers, as `at(x, y, n)` for `y * n + x`, written out
// (engine/inlined.c).
void ks_inlined_edits(const struct ks_subject *subject, struct ks_edit_list *edits);
// Loops that count, in one spelling (engine/counting.c): `while` as `for`, then first values, then
// declarations moved into their loops.
void ks_while_edits(const struct ks_subject *subject, struct ks_edit_list *edits);
void ks_start_edits(const struct ks_subject *subject, struct ks_edit_list *edits);
void ks_counter_edits(const struct ks_subject *subject, struct ks_edit_list *edits);
// Blocks numbered through two axes of the grid, as one axis numbers them; and whether the body tells the two apart in no
// other way, so that struct ks_subject's `numbered` holds (engine/numbered.c).
void ks_numbered_edits(const struct ks_subject *subject, struct ks_edit_list *edits);
bool ks_numbered_through(const struct ks_subject *subject);
// Takes variables out of a declaration; `gone` says which.
void ks_node_drop(struct ks_arena *arena, struct ks_edit_list *edits, const struct ks_node *decl,
                  const bool *gone);

// The kernel's text with the types that names in its body stand for, of the program's own and of template arguments, and
// without what only the compiler asks for: `using`, `typedef` of such, static_assert, attributes like [[likely]]
// (engine/aliases.c). `body` is where its body begins.
const char *ks_aliases_written_out(struct ks_arena *arena, const struct ks_brief *brief, const char *text, size_t body);

// The kernel's text with `switch` written as a chain of `if` where that means the same, and the first part of
// `if (int i = f(); i < n)` in front of it (engine/switches.c); `body` is where its body begins.
const char *ks_switches_written_out(struct ks_arena *arena, const char *text, size_t body);

#endif
