// The contract: what the callers of a kernel promise and expect, as canonical text. Sizes and launch
// geometry are not part of it (the domain covers them); names are replaced by positions ($0, $1).
#ifndef KS_CONTRACT_H
#define KS_CONTRACT_H

#include "source/mark.h"
#include "source/signature.h"

// Canonical text, one line a parameter in order, then tolerance, fastmath and assumes. Buffers take
// element type, extent formula (parameters by position, lets expanded), role, initial kind and range
// of integers (joined over all workloads); scalars their type. The same contract always gives the same bytes.
// KS_E_USER where workloads contradict each other, KS_E_UNSUPPORTED where an element type is not
// known; with file:line.
enum ks_status ks_contract_text(struct ks_arena *arena, const struct ks_mark *mark,
                                const struct ks_signature *signature, const char **text,
                                struct ks_err *err);

#endif
