// Binary fields of a file that only this machine reads back: 64-bit integers as they lie in memory,
// texts with length and terminator. The caller adds version and checksum.
#ifndef KS_WIRE_H
#define KS_WIRE_H

#include "base/str.h"

void ks_wire_put(struct ks_buf *out, const void *data, size_t n);
void ks_wire_put_int(struct ks_buf *out, int64_t value);
void ks_wire_put_text(struct ks_buf *out, const char *text); // NULL as ""

// Reads past the end give zeroes and "" and set `failed`: check once behind the last field.
struct ks_wire {
    const char *at, *end;
    bool failed;
};
bool ks_wire_get(struct ks_wire *wire, void *out, size_t n);
int64_t ks_wire_int(struct ks_wire *wire);
// A number of things that take at least `least` bytes each; 0 and failed when they cannot fit.
size_t ks_wire_count(struct ks_wire *wire, size_t least);
const char *ks_wire_text(struct ks_wire *wire); // borrowed from the file

#endif
