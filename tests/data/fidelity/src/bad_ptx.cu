__global__ void bad_ptx(float *x) { asm("no.such.instruction;"); }
