// One kernel a construct: eligible_* must be eligible, the others name the reason they must give.
#include <cooperative_groups.h>
#include <cstdio>
__device__ int counter;
__constant__ float settable[4] = {1, 2, 3, 4};
__constant__ float from_host[16];
__managed__ int shared_with_host;
typedef float (*function)(float);
static __device__ float one(float a) { return a + 1; }
static __device__ float two(float a) { return a * 2; }
__device__ function functions[2] = {one, two};
__device__ __noinline__ int bump(int n) { return atomicAdd(&counter, n); }

extern "C" {
__global__ void device_global(int *x) { x[0] = atomicAdd(&counter, 1); }
__global__ void device_global_by_helper(int *x, int n) { x[0] = bump(n); }
__global__ void device_global_settable(float *x, int n) { x[n] = settable[n]; }
__global__ void device_global_from_host(float *x, int n) { x[n] = from_host[n]; }
__global__ void device_global_local_state(int *x) { static __device__ int calls = 3; x[0] = calls++; }
__global__ void managed(int *x) { x[0] = shared_with_host; }
__global__ void texture(float *x, cudaTextureObject_t t) { x[0] = tex2D<float>(t, 1, 2); }
__global__ void texture_surface(int *x, cudaSurfaceObject_t s) { x[0] = surf2Dread<int>(s, 4, 2); }
__global__ void cluster(int *x)
{
    cooperative_groups::this_cluster().sync();
    x[0] = 1;
}
__global__ void __cluster_dims__(2, 1, 1) cluster_attribute(int *x) { x[blockIdx.x] = 1; }
__global__ void grid_sync(int *x)
{
    x[0] = 1;
    cooperative_groups::this_grid().sync();
    x[1] = x[0];
}
__global__ void grid_dependency_wait(int *x)
{
    cudaGridDependencySynchronize();
    x[0] = 1;
}
__global__ void system_scope(int *x) { x[0] = 1; __threadfence_system(); x[1] = 2; }
__global__ void system_scope_atomic(int *x) { atomicAdd_system(x, 1); }
__global__ void system_scope_volatile(volatile int *x) { x[0] = x[1]; }
__global__ void printf_(int n) { printf("%d\n", n); }
__global__ void malloc_(void **p) { p[0] = malloc(8); }
__global__ void malloc_free(void **p) { free(p[0]); }
__global__ void indirect_call(float *x, int n, function f) { x[n] = f(x[0]); }
__global__ void device_global_functions(float *x, int n) { x[n] = functions[n](x[0]); }

__global__ void eligible_volatile_shared(int *x)
{
    __shared__ volatile int tile[32];
    tile[threadIdx.x] = x[threadIdx.x];
    x[threadIdx.x] = tile[threadIdx.x ^ 1];
}
__global__ void eligible_math(double *x, float *y, int n)
{
    x[n] = sin(x[1]) + lgamma(x[3]);
    y[n] = cosf(y[1]);
}
__global__ void eligible_table(float *x, int n)
{
    static __constant__ float t[4] = {1, 2, 3, 4};
    x[n] = t[n];
}
__global__ void eligible_string(char *x, int n) { x[n] = "a string literal"[n]; }
__global__ void eligible_atomics(int *x) { atomicAdd(x, 1); __threadfence(); atomicMax(x + 1, 7); }
__global__ void eligible_dynamic_shared(int *x)
{
    extern __shared__ int s[];
    s[threadIdx.x] = 1;
    __syncthreads();
    x[0] = s[3];
}
}
