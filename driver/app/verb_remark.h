// What ks-nvcc itself says of a command. Only it can tell that a stored variant is not taken after
// all: that the variant compiles to other code here, or would change another kernel.
#ifndef KS_VERB_REMARK_H
#define KS_VERB_REMARK_H

#include "app/verb.h"
#include "base/vec.h"

struct verb_remark {
    const char *kernel;
    enum ks_reason reason;
    const char *text; // what follows the reason's own sentence, or ""
    const char *left_out; // NULL; or the id of a variant, and this is why it is not taken
};
struct verb_remark_list {
    struct verb_remark *at;
    size_t len, cap;
};

// Compiles the command of `tu` by the ks-nvcc beside this program, read-only, into the private
// folder. One remark a kernel and architecture, in the order of tu->tu.kernels; behind that of a kernel
// with a variant one for each that is left out.
enum ks_status verb_remarks(struct ks_verb_context *context, const struct verb_tu *tu,
                            struct verb_remark_list *list, struct ks_err *err);

#endif
