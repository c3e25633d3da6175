// ldmatrix and mma.sync (PTX ISA 9.7.14.5).
#include "device/emu/emu_alu.h"

bool ks_emu_decode_matrix(struct ks_emu_decoder *d)
{
    (void)d;
    return false;
}
