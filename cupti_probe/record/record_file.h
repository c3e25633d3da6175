// Where a recording goes: lines appended to a file that several processes share (profile/recording.h says
// what they hold). Nothing stays open between writes, so that a program that closes every descriptor, or
// forks, takes nothing of it along. Not thread-safe: callers hold the library's lock.
#ifndef KS_RECORD_FILE_H
#define KS_RECORD_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// `path` is absolute and outlives the library. Lines are gathered until record_flush.
void record_open(const char *path);
// Begins a line `{"p":pid`; what follows is put as text or numbers; record_end closes it with `}`.
void record_begin(void);
void record_text(const char *text);        // as it is
void record_string(const char *text);      // quoted and escaped
void record_number(int64_t value);
void record_end(void);
size_t record_length(void);                // bytes in the line begun
// Appends what was gathered, in one write. False once a write failed (a full disk, a limit): from then on
// nothing more is written, and nothing is said.
bool record_flush(void);

#endif
