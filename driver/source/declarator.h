// Reads one kernel's declaration, from its first token to before its '{'. Part of kernel.c's work.
#ifndef KS_DECLARATOR_H
#define KS_DECLARATOR_H

#include "source/kernel.h"
#include "source/stream.h"

// Fills name, path (a written `ns::` before the name, "" if none, "ns::" otherwise), template head
// and parameters, launch bounds, extern_c and `problem` of *decl from the tokens [begin, body).
// Nothing fails: what is not understood becomes `problem`.
void ks_declarator_read(struct ks_arena *arena, const struct ks_stream *stream, size_t begin,
                        size_t body, struct ks_kernel_decl *decl, const char **path);
// First token of the declaration proper: macro calls that happen to stand before it are passed
// over.
size_t ks_declarator_begin(const struct ks_stream *stream, size_t begin, size_t body);

#endif
