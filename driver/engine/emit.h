// Private to the emitter: text shared by its two shapes, the map and the kernel as it stands.
#ifndef KS_EMIT_H
#define KS_EMIT_H

#include "engine/plan.h"
#include "engine/subject.h"

// Typedefs and constants for the template parameters of the instance.
void ks_emit_instance(const struct ks_subject *subject, struct ks_buf *out);
// "const float *__restrict__ x, int n".
char *ks_emit_params(const struct ks_subject *subject, bool apart);
// The same as a plan's arguments, in front of others; returns how many.
size_t ks_emit_args(const struct ks_subject *subject, const char **args);
// `__launch_bounds__(threads, blocks)` as the options ask, else "".
const char *ks_emit_bounds(const struct ks_subject *subject, const struct ks_options *options,
                           const char *threads);
// Innermost loops unrolled by pragmas, added to `edits`.
enum ks_status ks_emit_unroll(struct ks_subject *subject, int count, struct ks_edit_list *edits,
                              struct ks_err *err);
// The same where nothing else is made of the body: loops whose step the compiler does not know are
// written as so many turns at a time.
enum ks_status ks_emit_turns(struct ks_subject *subject, int count, struct ks_edit_list *edits,
                             struct ks_err *err);
// The proposal of kernels over the subject's parameters, as one for the kernel as it came (engine/plan.h).
enum ks_status ks_emit_plan(const struct ks_subject *subject, const char *source, const char *when,
                            const struct ks_plan_workspace *workspaces, size_t n_workspaces,
                            const struct ks_plan_step *steps, size_t n_steps, struct ks_proposal *proposal,
                            struct ks_err *err);
// Joins conditions with &&.
void ks_emit_when(struct ks_buf *when, const char *condition);
// Asks in `when` that the arrays lie apart; KS_E_UNSUPPORTED where an extent is unknown.
enum ks_status ks_emit_apart(const struct ks_subject *subject, struct ks_buf *when,
                             struct ks_err *err);

enum ks_status ks_emit_map(struct ks_subject *subject, const struct ks_options *options,
                           struct ks_proposal *proposal, struct ks_err *err);
enum ks_status ks_emit_packed(struct ks_subject *subject, const struct ks_options *options,
                              struct ks_proposal *proposal, struct ks_err *err);
enum ks_status ks_emit_private(struct ks_subject *subject, const struct ks_options *options,
                               struct ks_proposal *proposal, struct ks_err *err);
enum ks_status ks_emit_jam(struct ks_subject *subject, const struct ks_options *options,
                           struct ks_proposal *proposal, struct ks_err *err);
enum ks_status ks_emit_split(struct ks_subject *subject, const struct ks_options *options,
                             struct ks_proposal *proposal, struct ks_err *err);
enum ks_status ks_emit_lanes(struct ks_subject *subject, const struct ks_options *options,
                             struct ks_proposal *proposal, struct ks_err *err);
enum ks_status ks_emit_same(struct ks_subject *subject, const struct ks_options *options,
                            struct ks_proposal *proposal, struct ks_err *err);

// Numbers of the launch that a map's item runs over, for one axis: the plan expression, and guards
// that keep the original's meaning (no repeated or wrapped index) put into `when`.
const char *ks_emit_extent(const struct ks_subject *subject, int axis, struct ks_buf *when,
                           struct ks_buf *asserts, struct ks_err *err);
// "opt_common = opt_common && ...;": whether guard and tests let opt_x and so on through, with the
// declarations that they need in front.
char *ks_emit_guard(const struct ks_subject *subject, int indent);
// The text of one item under `extra` edits without its guard and tests.
char *ks_emit_bare(const struct ks_subject *subject, const struct ks_edit_list *extra, int indent);
// The text of one item under `extra` edits; `loop`: a loop stands round it.
char *ks_emit_item(const struct ks_subject *subject, const struct ks_edit_list *extra, bool loop,
                   bool strip, int indent);
// Index variables of a grid-stride item: "const int i = opt_x;" or "".
const char *ks_emit_index(const struct ks_subject *subject, const char *item);

#endif
