#include "no/such/header.cuh"
__global__ void k() {}
