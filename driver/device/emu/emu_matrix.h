// Matrix instructions: types of elements, and one product for all of them.
#ifndef KS_EMU_MATRIX_H
#define KS_EMU_MATRIX_H

#include "device/emu/emu_decode.h"

enum ks_emu_elem {
    KS_EMU_M_F16, KS_EMU_M_BF16, KS_EMU_M_TF32, KS_EMU_M_F32, KS_EMU_M_F64, KS_EMU_M_S8, KS_EMU_M_U8,
    KS_EMU_M_S32, KS_EMU_M_NONE,
};
#define KS_EMU_M_MOST 512 // elements of the largest matrix
#define KS_EMU_M_STEP 8   // products of two elements in the time of a step (ks_emu_charge)

enum ks_emu_elem ks_emu_elem_of(struct ks_slice word);
unsigned ks_emu_elem_bytes(enum ks_emu_elem elem);
// The bits of one element as a number, exactly (integers and floats alike), and back, rounded.
double ks_emu_elem_get(enum ks_emu_elem elem, const unsigned char *at);
void ks_emu_elem_put(enum ks_emu_elem elem, unsigned char *at, double value);
// d = a * b + c, row by column: a m*k, b k*n, c and d (which may be c) m*n, row after row. `factors` are elements of a
// and b. Products are exact; a sum is
// rounded once to the type of d, where hardware rounds more often in an order that the PTX ISA leaves
// open (9.7.14.5: at least single precision). Integers wrap at 32 bits, or are clamped (`clamp`).
void ks_emu_product(unsigned m, unsigned n, unsigned k, enum ks_emu_elem factors, const double *a,
                    const double *b, const double *c, double *d, bool integers, bool clamp);
// "m16n8k16"; false for another word.
bool ks_emu_shape(struct ks_slice word, unsigned *m, unsigned *n, unsigned *k);
// The registers of a fragment operand into inst.more from `at` on; their number, 0 after unsupported.
unsigned ks_emu_fragment(struct ks_emu_decoder *d, unsigned operand, unsigned at, unsigned width);
bool ks_emu_decode_wmma(struct ks_emu_decoder *d), ks_emu_decode_wgmma(struct ks_emu_decoder *d);

#endif
