// What barrier instructions carry in ks_emu_inst.op.
#ifndef KS_EMU_CONTROL_H
#define KS_EMU_CONTROL_H

enum ks_emu_barrier_op {
    KS_EMU_BAR_SYNC, KS_EMU_BAR_ARRIVE, KS_EMU_BAR_POPC, KS_EMU_BAR_AND, KS_EMU_BAR_OR,
};

#endif
