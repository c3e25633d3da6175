// The clauses of one directive as text: words with balanced parentheses, cut and numbered by line.
// Shared by the parsers of `optimize` and `workload`; private to them and to mark.c.
#ifndef KS_CLAUSE_H
#define KS_CLAUSE_H

#include "source/mark.h"

// `text` is a clean directive: line splices are newlines, comments are blanks.
struct ks_clause_text {
    struct ks_arena *arena;
    const char *file; // NULL: `where` is the place of all of it
    int line;         // of the text's first byte, when `file` is given
    const char *where;
    const char *text; // terminated
    const char *at;   // how far it is read
    struct ks_err *err;
};

struct ks_clause {
    const char *name;
    const char *begin; // of the name, in the text: for messages
    bool has_args;
    struct ks_slice args; // between the parentheses
};

// "file:line" of a byte of the text.
const char *ks_clause_where(const struct ks_clause_text *ct, const char *at);
// KS_E_USER "file:line: ...".
enum ks_status ks_clause_fail(const struct ks_clause_text *ct, const char *at, const char *format,
                              ...) __attribute__((format(printf, 3, 4)));
// The next clause; *done when there is none.
enum ks_status ks_clause_next(struct ks_clause_text *ct, struct ks_clause *clause, bool *done);
// The error for a clause that does not exist, with the nearest of `known`.
enum ks_status ks_clause_unknown(const struct ks_clause_text *ct, const struct ks_clause *clause,
                                 const char *directive, const char *const *known);
// Cuts the arguments at top-level commas. An empty one is an error.
enum ks_status ks_clause_split(const struct ks_clause_text *ct, const struct ks_clause *clause,
                               struct ks_slice **parts, size_t *n);
// The one argument as an identifier; `dashes` allows '-' and '.' inside (capture names).
enum ks_status ks_clause_id(const struct ks_clause_text *ct, const struct ks_clause *clause,
                            bool dashes, const char **id);
// Takes "NAME =" off the front of *part; *name is NULL when there is no such prefix.
void ks_clause_assigned(struct ks_arena *arena, struct ks_slice *part, const char **name);
// A finite decimal number; a C suffix f is accepted.
bool ks_clause_number(struct ks_arena *arena, struct ks_slice text, double *value);
// Length of the bracketed run that begins at `at` ('(', '[' or '{'), quotes observed;
// 0 when it is never closed before `end`.
size_t ks_clause_balanced(const char *at, const char *end);

enum ks_status ks_clauses_optimize(struct ks_clause_text *ct, struct ks_mark *mark);
enum ks_status ks_clauses_workload(struct ks_clause_text *ct, struct ks_mark *mark);

#endif
