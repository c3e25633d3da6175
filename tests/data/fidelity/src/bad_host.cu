__global__ void good(float *x) { *x = 1; }
static_assert(sizeof(int) == 3, "three");
#ifndef __CUDA_ARCH__
inline void f() { asm("no such instruction %0" : : "r"(1)); }
void g() { f(); }
#endif
