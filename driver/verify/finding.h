// Where an original goes wrong that fails on a declared workload, in words for its author.
#ifndef KS_FINDING_H
#define KS_FINDING_H

#include "verify/vector.h"

// What the emulated device finds in the original, built with line numbers, on workload `w` or, where that is
// too large for it, on the first of its smaller sizes that fails: "n=46: out-of-bounds: 4-byte read ... at k.cu:12".
// false: nothing, or it cannot tell. Needs the compiler.
bool ks_finding_place(struct ks_judge *judge, size_t w, char text[KS_ANSWER_TEXT]);

// On hardware: which buffer an original leaves that faults with the buffers' ends against the fence, by giving
// each in turn room behind: "beyond the end of `x`". false: no single one.
bool ks_finding_buffer(struct ks_judge *judge, const struct ks_vector *vector, char text[128]);

#endif
