#ifdef __CUDACC__
#error "this is no CUDA"
#endif
int host(int x) { return x + 1; }
