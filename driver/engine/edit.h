// Replacements on a text, collected in any order and applied at once.
#ifndef KS_EDIT_H
#define KS_EDIT_H

#include "base/str.h"

struct ks_edit {
    size_t begin, end;
    const char *text;
};
struct ks_edit_list {
    struct ks_edit *at;
    size_t len, cap;
};

// An edit inside a wider one is dropped when applied: the wider one speaks for all of it. An insertion (begin
// and end the same) at its beginning stays.
void ks_edit_add(struct ks_arena *arena, struct ks_edit_list *edits, size_t begin, size_t end,
                 const char *text);
// text[begin, end) with the edits that lie inside it.
char *ks_edit_apply(struct ks_arena *arena, const struct ks_edit_list *edits,
                    struct ks_slice text, size_t begin, size_t end);
// Puts `spaces` blanks in front of each line that is not empty, after taking the common indentation
// off, and drops empty lines at both ends; the result ends with a newline unless it is empty.
char *ks_text_indent(struct ks_arena *arena, const char *text, int spaces);

#endif
