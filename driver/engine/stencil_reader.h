// Private to stencil*.c: a kernel's body as statements in a row, loops of few turns written out, reads by their names.
#ifndef KS_STENCIL_READER_H
#define KS_STENCIL_READER_H

#include "base/vec.h"
#include "engine/edit.h"
#include "engine/stencil.h"
#include "engine/subject.h"

struct ks_stencil_named { // a local that stands for an expression
    const char *name;
    const struct ks_node *node;
};
struct ks_stencil_reader {
    struct ks_arena *arena;
    const struct ks_subject *s;
    struct ks_stencil *stencil;
    struct ks_affine env; // where elements lie, by the variables in sight
    struct ks_buf out;    // statements
    struct {
        struct ks_stencil_named *at;
        size_t len, cap;
    } tests, tables; // `bool edge = x == 0;`, `const float c[] = {1, 2};`
    struct ks_strv values; // variables that hold values
    struct ks_strv folded; // that say where an element lies, or one that stands for it beyond an end
    struct {
        struct ks_stencil_division {
            const char *name; // its symbol
            struct ks_poly of, by;
        } *at;
        size_t len, cap;
    } divisions;
    int bounded;           // tests round here, without which an element may lie beyond an end
    bool *stored;          // by parameter
    bool placed;
    struct ks_poly place; // of the element that is written
    int turns;            // loops round here that are written out
    bool other;           // statements are of elements that the stencil does not reach
    bool left;            // what follows is not reached
    const char *why;
};

bool ks_stencil_refuse(struct ks_stencil_reader *r, const struct ks_node *at, const char *what);
// The parameter of which the node is an element.
bool ks_stencil_element(const struct ks_stencil_reader *r, const struct ks_node *node, size_t *param);
// A number that the text says, or an argument of the template.
bool ks_stencil_number(const struct ks_stencil_reader *r, const struct ks_node *e, int64_t *number);
// An index over thread numbers, integer parameters and places; not known where something else takes part. *folded: of an element
// for which another stands beyond an end, which the index does not say.
struct ks_poly ks_stencil_index(struct ks_stencil_reader *r, const struct ks_node *e, bool *folded);
// Whether a symbol is a quotient of places, rounded down.
bool ks_stencil_is_division(const struct ks_stencil_reader *r, const char *symbol);
// The same of what a place is made of: `x > 0 ? x - 1 : 0` is x - 1, folded.
struct ks_poly ks_stencil_fold(struct ks_stencil_reader *r, const struct ks_node *e, bool *folded);
// Whether that is the same for all elements: over integer parameters alone.
bool ks_stencil_is_fixed(const struct ks_stencil_reader *r, const struct ks_poly *p);
// The expression with elements by their names; NULL where it is not understood.
const char *ks_stencil_text(struct ks_stencil_reader *r, const struct ks_node *e);
// Whether an expression is of places alone.
bool ks_stencil_is_place(const struct ks_stencil_reader *r, const struct ks_node *e);
// Whether a test of places comes out one way, which the text tells.
bool ks_stencil_decides(const struct ks_stencil_reader *r, const struct ks_node *test, bool *holds);
// Takes down of what a test of places speaks.
void ks_stencil_note(struct ks_stencil_reader *r, const struct ks_node *test);

// Writes out the body. False, with r->why, where it is not understood.
bool ks_stencil_walk(struct ks_stencil_reader *r);

#endif
