__device__ float far(float x) { return x + 1; }
