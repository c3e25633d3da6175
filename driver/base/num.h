// Checked 64-bit arithmetic and rounding helpers. Each returns false on overflow, leaving *out alone.
#ifndef KS_NUM_H
#define KS_NUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool ks_add_i64(int64_t a, int64_t b, int64_t *out);
bool ks_sub_i64(int64_t a, int64_t b, int64_t *out);
bool ks_mul_i64(int64_t a, int64_t b, int64_t *out);
bool ks_mul_size(size_t a, size_t b, size_t *out);
bool ks_add_size(size_t a, size_t b, size_t *out);
// Rounds up to a power-of-two multiple.
size_t ks_align_up(size_t n, size_t align);

// Whether a number has no fraction; infinities have none, NaN is no number. Not floor(3): ks-nvcc uses
// nothing else of libm, and loading that costs 0.06 ms of every command.
bool ks_is_whole(double value);

// IEEE binary16 and bfloat16 bit patterns to float (exact), and back with round-to-nearest-even.
float ks_f16_to_f32(uint16_t bits);
uint16_t ks_f32_to_f16(float value);
float ks_bf16_to_f32(uint16_t bits);
uint16_t ks_f32_to_bf16(float value);

#endif
