// Region allocator for short-lived data: everything is freed together, nothing singly.
//
// Functions that take an arena return pointers that live as long as the arena. Out of memory
// aborts the process: in compiler mode the parent of the work turns that into plain nvcc.
#ifndef KS_ARENA_H
#define KS_ARENA_H

#include <stdarg.h>
#include <stddef.h>

struct ks_arena {
    struct ks_arena_block *head; // private
};

// An arena is valid when zeroed: `struct ks_arena a = {0};`
void ks_arena_free(struct ks_arena *arena);

// Zeroed memory, aligned for any type. size 0 gives a valid unique pointer.
void *ks_arena_alloc(struct ks_arena *arena, size_t size);
// count * size, checked for overflow (aborts).
void *ks_arena_array(struct ks_arena *arena, size_t count, size_t size);
char *ks_arena_strdup(struct ks_arena *arena, const char *text);
// Copies n bytes and terminates them.
char *ks_arena_strndup(struct ks_arena *arena, const char *text, size_t n);
void *ks_arena_memdup(struct ks_arena *arena, const void *data, size_t n);
char *ks_arena_printf(struct ks_arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
char *ks_arena_vprintf(struct ks_arena *arena, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));

#define KS_NEW(arena, type) ((type *)ks_arena_alloc((arena), sizeof(type)))
#define KS_NEW_ARRAY(arena, type, count) ((type *)ks_arena_array((arena), (count), sizeof(type)))

#endif
