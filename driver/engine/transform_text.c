// A block's threads folded, loops exchanged, branches turned to choices, invariants hoisted, values kept in registers, divisions (engine/reshape.h). Given
// as 1 they are done before any check, so a check without them completes the options and tries.
#include "engine/fold.h"
#include "engine/transform_each.h"

static enum ks_status check(struct ks_subject *s, int *option, ks_reshape_step *step,
                            const char *name, struct ks_err *err)
{
    struct ks_edit_list edits = {0};
    struct ks_subject look = *s;
    if (*option == 1)
        return KS_OK;
    if (*option != 0)
        KS_FAIL(err, KS_E_UNSUPPORTED, "%s is 1", name);
    *option = 1;
    return step(&look, &edits, err);
}

enum ks_status ks_transform_interchange(struct ks_subject *s, struct ks_options *options,
                                        struct ks_err *err)
{
    return check(s, &options->interchange, ks_interchange_loops, "interchange", err);
}

enum ks_status ks_transform_select(struct ks_subject *s, struct ks_options *options,
                                   struct ks_err *err)
{
    return check(s, &options->select, ks_select_values, "select", err);
}

enum ks_status ks_transform_hoist(struct ks_subject *s, struct ks_options *options, struct ks_err *err)
{
    return check(s, &options->hoist, ks_hoist_values, "hoist", err);
}

enum ks_status ks_transform_keep(struct ks_subject *s, struct ks_options *options,
                                 struct ks_err *err)
{
    return check(s, &options->keep, ks_keep_values, "keep", err);
}

enum ks_status ks_transform_divide(struct ks_subject *s, struct ks_options *options, struct ks_err *err)
{
    return check(s, &options->divide, ks_divide_numbers, "divide", err);
}

enum ks_status ks_transform_fold(struct ks_subject *s, struct ks_options *options, struct ks_err *err)
{
    return check(s, &options->fold, ks_fold_threads, "fold", err);
}
