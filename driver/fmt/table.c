#include "fmt/table.h"

#include <stdarg.h>
#include <string.h>

static void add(struct ks_table *table, const char *text)
{
    if (table->len == table->cap) {
        size_t cap = table->cap == 0 ? 64 : table->cap * 2;
        const char **cells = KS_NEW_ARRAY(table->arena, const char *, cap);
        if (table->len > 0)
            memcpy(cells, table->cells, table->len * sizeof *cells);
        table->cells = cells;
        table->cap = cap;
    }
    table->cells[table->len++] = text;
}

void ks_table_begin(struct ks_table *table, struct ks_arena *arena, const char *const *header,
                    size_t columns)
{
    KS_ASSERT(columns > 0);
    *table = (struct ks_table){.arena = arena, .columns = columns};
    for (size_t i = 0; i < columns; i++)
        add(table, header[i]);
}

void ks_table_cell(struct ks_table *table, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add(table, ks_arena_vprintf(table->arena, format, args));
    va_end(args);
}

// Code points; none of what we print is wide or combining.
static size_t width_of(const char *text)
{
    size_t width = 0;
    for (; *text != '\0'; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

static bool is_right(const struct ks_table *table, size_t column)
{
    return table->cells[column][0] == '>';
}

static const char *cell(const struct ks_table *table, size_t row, size_t column)
{
    size_t at = row * table->columns + column;
    if (at >= table->len) // the last row may be short
        return "";
    return row == 0 && is_right(table, column) ? table->cells[at] + 1 : table->cells[at];
}

void ks_table_print(const struct ks_table *table, FILE *out)
{
    size_t rows = (table->len + table->columns - 1) / table->columns;
    struct ks_arena arena = {0};
    size_t *widths = KS_NEW_ARRAY(&arena, size_t, table->columns);
    for (size_t row = 0; row < rows; row++)
        for (size_t column = 0; column < table->columns; column++) {
            size_t width = width_of(cell(table, row, column));
            if (width > widths[column])
                widths[column] = width;
        }
    for (size_t row = 0; row < rows; row++) {
        size_t owed = 0; // blanks not yet printed, so that no line ends in them
        for (size_t column = 0; column < table->columns; column++) {
            const char *text = cell(table, row, column);
            size_t fill = widths[column] - width_of(text);
            if (is_right(table, column))
                owed += fill;
            if (text[0] != '\0') {
                fprintf(out, "%*s%s", (int)owed, "", text);
                owed = 0;
            }
            owed += 2 + (is_right(table, column) ? 0 : fill);
        }
        fputc('\n', out);
    }
    ks_arena_free(&arena);
}
