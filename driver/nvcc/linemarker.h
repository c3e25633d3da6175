// Line markers of preprocessed text, as gcc and clang write them: # LINE "FILE" FLAGS
#ifndef KS_LINEMARKER_H
#define KS_LINEMARKER_H

#include "base/str.h"

// Adds the files that the text entered (flag 1) and `files` does not hold yet, in their order, as the
// compiler spells them. A #line of the source is no file, and neither are the main file, which nobody
// enters, and <built-in> and its like. Copies.
void ks_line_markers(struct ks_arena *arena, struct ks_slice text, struct ks_strv *files);

#endif
