// Shuffles in place of trees in shared memory.
#include "engine/transform_each.h"
#include "engine/tree.h"

enum ks_status ks_transform_shuffle(struct ks_subject *s, struct ks_options *options,
                                    struct ks_err *err)
{
    struct ks_subject look = *s;
    options->shuffle = 1;
    return ks_tree_rewrite(&look, err);
}
