// Private to the reading of what functions do: classes of a unit, what methods they have, and of which class an object is.
// Nothing is resolved as a compiler would: classes of one name, specialisations among them, are taken together.
#ifndef KS_CALLEE_CLASS_H
#define KS_CALLEE_CLASS_H

#include "source/callee_read.h"

struct ks_class {
    struct ks_slice body;  // between its brackets
    struct ks_strv bases;  // last words of their names
};
// The next definition of a class of that name behind word `*word` (0: of all) of the unit; false where there is none.
bool ks_class_next(struct ks_arena *arena, const struct ks_word_index *unit, const char *name, uint32_t *word,
                   struct ks_class *found);
// Adds what methods of that name do, the class's own or of what it is derived from; false where it has none. `cut` where it may
// be derived from what is not seen. Where the name is that of something else too, of a template's parameter or another name of a
// type, there is none.
bool ks_class_method(struct ks_arena *arena, const struct ks_word_index *unit, const char *name, const char *method,
                     struct ks_callee *callee);

// Whether the name at `t` is that of a member: "." or "->" in front of it.
bool ks_class_is_method(const struct ks_token *first, const struct ks_token *t);
// Of a method that is called, its name at `t` behind "." or "->", "CLASS.METHOD" by the only type that the text from `first` on
// declares the object with; NULL where that is not told. `scope`: the class that the text is a method's of, or NULL.
const char *ks_class_called(struct ks_arena *arena, const struct ks_token *first, const struct ks_token *t, const char *scope);

#endif
