// Bytes of unknown origin: whether they are text, and as digits.
#ifndef KS_ANSWER_BYTES_H
#define KS_ANSWER_BYTES_H

#include "base/str.h"

bool ks_is_utf8(struct ks_slice bytes); // also false for a zero byte
void ks_hex(const char *bytes, size_t n, char *out); // 2n digits and a terminator
size_t ks_unhex(const char *digits, char *out, size_t most); // stops at what is no pair of digits

#endif
