// Makes handlers of arithmetic instructions: one expression over the lanes' operands a, b, c.
#ifndef KS_EMU_ALU_H
#define KS_EMU_ALU_H

#include "device/emu/emu_decode.h"
#include "device/emu/emu_exec.h"

#define KS_EMU_ALL UINT32_MAX
// Lanes are independent, also where source and destination are one register.
#define KS_EMU_SIMD _Pragma("omp simd")

#define KS_EMU_EACH(body)                                                                         \
    if (mask == KS_EMU_ALL) {                                                                     \
        KS_EMU_SIMD                                                                               \
        for (unsigned l = 0; l < KS_EMU_LANES; l++)                                               \
            body                                                                                  \
    } else {                                                                                      \
        for (unsigned l = 0; l < KS_EMU_LANES; l++)                                               \
            if (mask >> l & 1)                                                                    \
                body                                                                              \
    }

#define KS_EMU_OP1(name, D, A, expr)                                                              \
    static void name(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, uint32_t mask)     \
    {                                                                                             \
        D *d = KS_EMU_REG(D, inst->d);                                                            \
        const A *pa = KS_EMU_REG(A, inst->a);                                                     \
        KS_EMU_EACH({                                                                             \
            const A a = pa[l];                                                                    \
            d[l] = (D)(expr);                                                                     \
        })                                                                                        \
    }

#define KS_EMU_OP2(name, D, A, B, expr)                                                           \
    static void name(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, uint32_t mask)     \
    {                                                                                             \
        D *d = KS_EMU_REG(D, inst->d);                                                            \
        const A *pa = KS_EMU_REG(A, inst->a);                                                     \
        const B *pb = KS_EMU_REG(B, inst->b);                                                     \
        KS_EMU_EACH({                                                                             \
            const A a = pa[l];                                                                    \
            const B b = pb[l];                                                                    \
            d[l] = (D)(expr);                                                                     \
        })                                                                                        \
    }

#define KS_EMU_OP3(name, D, A, B, C, expr)                                                        \
    static void name(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, uint32_t mask)     \
    {                                                                                             \
        D *d = KS_EMU_REG(D, inst->d);                                                            \
        const A *pa = KS_EMU_REG(A, inst->a);                                                     \
        const B *pb = KS_EMU_REG(B, inst->b);                                                     \
        const C *pc = KS_EMU_REG(C, inst->c);                                                     \
        KS_EMU_EACH({                                                                             \
            const A a = pa[l];                                                                    \
            const B b = pb[l];                                                                    \
            const C c = pc[l];                                                                    \
            d[l] = (D)(expr);                                                                     \
        })                                                                                        \
    }

#endif
