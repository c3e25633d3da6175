// Growable byte strings with a hard maximum, borrowed slices, and small text helpers.
#ifndef KS_STR_H
#define KS_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/status.h"

// A borrowed run of bytes; not terminated.
struct ks_slice {
    const char *at;
    size_t len;
};

#define KS_SLICE(literal) ((struct ks_slice){(literal), sizeof(literal) - 1})
struct ks_slice ks_slice_of(const char *text); // NULL gives the empty slice
bool ks_slice_eq(struct ks_slice slice, const char *text);
struct ks_slice ks_slice_trim(struct ks_slice slice); // white space off both ends

// A buffer that owns its bytes. Always terminated, so `data` is a C string when it holds text.
// Growing past `max` makes the buffer `failed` and drops further input: check once at the end.
struct ks_buf {
    char *data; // NULL until the first append
    size_t len;
    size_t cap;
    size_t max;
    bool failed;
};

#define KS_BUF(limit) ((struct ks_buf){.max = (limit)})
void ks_buf_free(struct ks_buf *buf);
void ks_buf_clear(struct ks_buf *buf); // keeps memory
void ks_buf_add(struct ks_buf *buf, const void *data, size_t n);
void ks_buf_puts(struct ks_buf *buf, const char *text);
void ks_buf_putc(struct ks_buf *buf, char c);
void ks_buf_slice(struct ks_buf *buf, struct ks_slice slice);
void ks_buf_printf(struct ks_buf *buf, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
// KS_E_LIMIT if the buffer overflowed its maximum; `what` names it in the message.
enum ks_status ks_buf_check(const struct ks_buf *buf, const char *what, struct ks_err *err);
// "" instead of NULL for an empty buffer.
const char *ks_buf_text(const struct ks_buf *buf);
// Moves the contents out as a malloc'ed string (caller frees); the buffer is empty afterwards.
char *ks_buf_take(struct ks_buf *buf);

// A list of C strings, kept NULL-terminated so that it can be an argv. Strings are borrowed.
struct ks_strv {
    const char **at;
    size_t len;
    size_t cap;
};
void ks_strv_add(struct ks_arena *arena, struct ks_strv *list, const char *text);

bool ks_starts_with(const char *text, const char *prefix);
bool ks_ends_with(const char *text, const char *suffix);
// Whole-text decimal (or 0x) integer; false on garbage or overflow.
bool ks_parse_i64(const char *text, int64_t *value);
bool ks_parse_f64(const char *text, double *value); // finite, locale-independent, whole text
// A copy of at most size - 1 bytes; what does not fit is left off behind a word, and " ..." stands for it.
void ks_text_fit(char *out, size_t size, const char *text);
// Last path component (borrowed from path), and the directory part ("." if none).
const char *ks_path_base(const char *path);
char *ks_path_dir(struct ks_arena *arena, const char *path);
// a/b, or b alone when b is absolute or a empty.
char *ks_path_join(struct ks_arena *arena, const char *a, const char *b);
// Nearest of `words` (NULL-terminated) within edit distance 2 of `text`, or NULL. For suggestions.
const char *ks_nearest_word(const char *text, const char *const *words);

#endif
