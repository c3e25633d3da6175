// What devices fill buffers with, as test_emu_fill.c asks for it (KS_EMU_FLAGS: -fmad=false, driver/ on the include path).
#include "device/trusted.cu"
