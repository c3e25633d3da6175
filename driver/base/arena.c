#include "base/arena.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"

// A first block of 16 KiB covers an ordinary compile's strings; later blocks double up to 1 MiB.
#define FIRST_BLOCK ((size_t)16 * 1024)
#define LARGEST_BLOCK ((size_t)1024 * 1024)
#define ALIGNMENT _Alignof(max_align_t)

struct ks_arena_block {
    struct ks_arena_block *next;
    size_t used, cap;
    max_align_t data[];
};

static _Noreturn void out_of_memory(size_t size)
{
    ks_fatal("out of memory (%zu bytes)", size);
}

void ks_arena_free(struct ks_arena *arena)
{
    struct ks_arena_block *block = arena->head;
    while (block != NULL) {
        struct ks_arena_block *next = block->next;
        free(block);
        block = next;
    }
    arena->head = NULL;
}

static struct ks_arena_block *new_block(size_t cap)
{
    struct ks_arena_block *block = malloc(sizeof *block + cap);
    if (block == NULL)
        out_of_memory(cap);
    block->next = NULL;
    block->used = 0;
    block->cap = cap;
    return block;
}

// Not zeroed. An allocation above a quarter of the next block gets one of its own behind the head,
// so that the head's free rest stays in use.
static void *take(struct ks_arena *arena, size_t size)
{
    if (size > SIZE_MAX / 2)
        out_of_memory(size);
    size = size == 0 ? ALIGNMENT : (size + ALIGNMENT - 1) & ~(ALIGNMENT - 1);

    struct ks_arena_block *head = arena->head;
    if (head == NULL || size > head->cap - head->used) {
        size_t cap = head == NULL ? FIRST_BLOCK : head->cap * 2;
        if (cap > LARGEST_BLOCK)
            cap = LARGEST_BLOCK;
        if (size > cap / 4 && head != NULL) {
            struct ks_arena_block *single = new_block(size);
            single->used = size;
            single->next = head->next;
            head->next = single;
            return single->data;
        }
        struct ks_arena_block *block = new_block(size > cap ? size : cap);
        block->next = head;
        arena->head = head = block;
    }
    void *memory = (char *)head->data + head->used;
    head->used += size;
    return memory;
}

void *ks_arena_alloc(struct ks_arena *arena, size_t size)
{
    return memset(take(arena, size), 0, size);
}

void *ks_arena_array(struct ks_arena *arena, size_t count, size_t size)
{
    size_t total;
    if (__builtin_mul_overflow(count, size, &total))
        out_of_memory(SIZE_MAX);
    return ks_arena_alloc(arena, total);
}

char *ks_arena_strdup(struct ks_arena *arena, const char *text)
{
    return ks_arena_strndup(arena, text, strlen(text));
}

char *ks_arena_strndup(struct ks_arena *arena, const char *text, size_t n)
{
    if (n == SIZE_MAX)
        out_of_memory(n);
    char *copy = take(arena, n + 1);
    if (n > 0)
        memcpy(copy, text, n);
    copy[n] = '\0';
    return copy;
}

void *ks_arena_memdup(struct ks_arena *arena, const void *data, size_t n)
{
    void *copy = take(arena, n);
    if (n > 0)
        memcpy(copy, data, n);
    return copy;
}

char *ks_arena_vprintf(struct ks_arena *arena, const char *format, va_list args)
{
    char small[256];
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(small, sizeof small, format, args);
    char *text = NULL;
    if (n < 0) { // an encoding error of a %ls, which nothing here uses
        text = ks_arena_strdup(arena, "");
    } else if ((size_t)n < sizeof small) {
        text = ks_arena_strndup(arena, small, (size_t)n);
    } else {
        text = take(arena, (size_t)n + 1);
        vsnprintf(text, (size_t)n + 1, format, again);
    }
    va_end(again);
    return text;
}

char *ks_arena_printf(struct ks_arena *arena, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = ks_arena_vprintf(arena, format, args);
    va_end(args);
    return text;
}
