// A kernel's definition as the preprocessor left it for one architecture: macros of the program and
// conditional lines mean nothing in a variant, which sees neither.
#ifndef KS_EXPANDED_H
#define KS_EXPANDED_H

#include "source/kernel.h"

// Looks for `decl`, found in `text` of the file that line markers of `preprocessed` spell `file`
// (or that has its base name), and gives its definition with what the preprocessor put in. CUDA's
// own words (__shared__, NULL) stand as they are written. Lines keep their numbers; `expanded` has
// offsets into *definition. False where it is not found, or where the preprocessor changed nothing:
// then the text as it stands, with its comments, says more.
bool ks_kernel_expanded(struct ks_arena *arena, const char *file, struct ks_slice text,
                        const struct ks_kernel_decl *decl, struct ks_slice preprocessed,
                        const char **definition, struct ks_kernel_decl *expanded);
// Preprocessed text with CUDA's own words as they are written, without directives and comments; NULL for too much of it.
const char *ks_text_restored(struct ks_arena *arena, const char *text);

#endif
