extern __device__ float far(float x);
__global__ void call(float *x) { *x = far(*x); }
int main() { return 0; }
