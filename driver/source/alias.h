// Other names of builtin types in a program: `typedef int index_t;`, `using real = float;`. Read off the text, for what
// reads bodies of kernels by the types that they name.
#ifndef KS_ALIAS_H
#define KS_ALIAS_H

#include "base/str.h"
#include "source/word_index.h"

struct ks_alias {
    const char *name, *type; // type: a builtin one, or a CUDA vector, as ks_type_parse knows it
};
struct ks_alias_list {
    struct ks_alias *at;
    size_t len, cap;
};

// Of the words of `text` that may be types, those that `unit` defines as nothing else, wherever it defines them.
void ks_aliases_find(struct ks_arena *arena, struct ks_slice text, const struct ks_word_index *unit, struct ks_alias_list *aliases);
// Whether what stands at `at`, `n` bytes, is being made another name of a type there.
bool ks_alias_defines(struct ks_slice unit, const char *at, size_t n);
// What the name stands for, or NULL.
const char *ks_alias_type(const struct ks_alias_list *aliases, const char *name);

#endif
