// Plain text tables for people: columns aligned, numbers right, no borders.
#ifndef KS_TABLE_H
#define KS_TABLE_H

#include <stdio.h>

#include "base/str.h"

struct ks_table {
    struct ks_arena *arena; // borrowed
    size_t columns;
    const char **cells;     // row-major, the header first
    size_t len, cap;
};

// `header` holds `columns` names; a name that begins with '>' makes its column right-aligned.
void ks_table_begin(struct ks_table *table, struct ks_arena *arena, const char *const *header,
                    size_t columns);
void ks_table_cell(struct ks_table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void ks_table_print(const struct ks_table *table, FILE *out);

#endif
