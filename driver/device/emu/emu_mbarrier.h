// mbarrier: what its instructions carry in op and flags, and what runs them.
#ifndef KS_EMU_MBARRIER_H
#define KS_EMU_MBARRIER_H

#include "device/emu/emu_ir.h"

enum {
    KS_EMU_MB_INIT,
    KS_EMU_MB_INVAL,
    KS_EMU_MB_ARRIVE,
    KS_EMU_MB_EXPECT_TX,
    KS_EMU_MB_COMPLETE_TX,
    KS_EMU_MB_WAIT,
    KS_EMU_MB_COPIES,
};
enum {
    KS_EMU_MB_RELAXED = 1,
    KS_EMU_MB_DROP = 2,
    KS_EMU_MB_NO_COMPLETE = 4,
    KS_EMU_MB_PARITY = 8,
    KS_EMU_MB_TX = 16,
    KS_EMU_MB_NO_INC = 32,
};

ks_emu_op ks_emu_mbarrier_init, ks_emu_mbarrier_arrive, ks_emu_mbarrier_transfer,
    ks_emu_mbarrier_copies, ks_emu_mbarrier_wait, ks_emu_mbarrier_count;

#endif
