#include "moved.cuh"
void launch(float *p) { other::mix<float><<<1, 128>>>(p, 3); }
