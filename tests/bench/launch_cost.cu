// launch_cost [ROUNDS]: host time that a table adds to an asynchronous launch, as one JSON line.
//
// Each round times a batch of launches of every kind in one process, one kind after the other in
// an order that rotates, and takes the differences to that round's plain batch; the medians over
// all rounds are told. So clock speed, other load and the process's layout cancel. `control` is a
// second plain kernel of the first's object: its distance from 0 is the measurement's own error.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

__global__ void plain(float *y, const float *x, int n, int m);
__global__ void plain_quick(float *y, const float *x, int n, int m);
__global__ void fourth(float *y, const float *x, int n, int m);

typedef std::chrono::steady_clock timer;
typedef void (*kernel)(float *, const float *, int, int);
enum { PLAIN, CONTROL, SUBSTITUTED, GUARD_FALSE, KINDS };
static const struct {
    kernel run;
    int n;
} kinds[KINDS] = {{plain, 1024}, {plain_quick, 1024}, {fourth, 1024}, {fourth, 1023}};

static void check(cudaError_t e, const char *what)
{
    if (e == cudaSuccess)
        return;
    fprintf(stderr, "launch_cost: %s: error %d\n", what, (int)e);
    exit(1);
}

static double median(std::vector<double> v)
{
    std::nth_element(v.begin(), v.begin() + v.size() / 2, v.end());
    return v[v.size() / 2];
}

// Fewer launches than the device queues, so that none waits for it.
static double batch_ns(int kind)
{
    const int launches = 128;
    float *const y = (float *)0x400000, *const x = (float *)0x800000; // not dereferenced: n >= 0
    const kernel run = kinds[kind].run;
    const int n = kinds[kind].n;
    for (int i = 0; i < 8; i++) // the first launches wake an idle device
        run<<<4, 256>>>(y, x, n, 1);
    timer::time_point begin = timer::now();
    for (int i = 0; i < launches; i++)
        run<<<4, 256>>>(y, x, n, 1);
    timer::time_point end = timer::now();
    check(cudaGetLastError(), "launch");
    check(cudaDeviceSynchronize(), "synchronize");
    return std::chrono::duration<double, std::nano>(end - begin).count() / launches;
}

template <class F> static double call_ns(F call)
{
    const int batches = 101, calls = 1000;
    std::vector<double> ns;
    for (int b = 0; b < batches; b++) {
        timer::time_point begin = timer::now();
        for (int i = 0; i < calls; i++)
            check(call(), "query");
        timer::time_point end = timer::now();
        ns.push_back(std::chrono::duration<double, std::nano>(end - begin).count() / calls);
    }
    return median(ns);
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 1000;
    std::vector<double> ns[KINDS], added[KINDS];
    check(cudaFree(0), "context");
    for (int round = -100; round < rounds; round++) { // the first 100 warm up: modules, clocks
        double now[KINDS];
        for (int i = 0; i < KINDS; i++) {
            int at = (round + 100 + i) % KINDS, kind = round % 2 ? KINDS - 1 - at : at;
            now[kind] = batch_ns(kind);
        }
        for (int i = 0; i < KINDS && round >= 0; i++) {
            ns[i].push_back(now[i]);
            added[i].push_back(now[i] - now[PLAIN]);
        }
    }
    int device;
    printf("{\"substituted\": %.2f, \"guard_false\": %.2f, \"control\": %.2f, \"plain\": %.2f, ",
           median(added[SUBSTITUTED]), median(added[GUARD_FALSE]), median(added[CONTROL]),
           median(ns[PLAIN]));
    printf("\"cudaPeekAtLastError\": %.2f, ", call_ns([] { return cudaPeekAtLastError(); }));
    printf("\"cudaGetDevice\": %.2f}\n", call_ns([&] { return cudaGetDevice(&device); }));
    return 0;
}
