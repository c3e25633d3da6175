// launch_cost [ROUNDS]: host time that a table adds to an asynchronous launch, as one JSON line.
//
// Each round times a batch of launches of every kind in one process, one kind after the other in
// an order that rotates, and takes the differences to that round's plain batch; the medians over
// all rounds are told. So clock speed, other load and the process's layout cancel. `control` is a
// second plain kernel of the first's object: its distance from 0 is the measurement's own error.
// `direct` launches the variant's kernel itself, by its own <<<>>> with the plan's geometry: what it
// costs more than plain is no cost of dispatching.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

__global__ void plain(float *y, const float *x, int n, int m);
__global__ void plain_quick(float *y, const float *x, int n, int m);
__global__ void fourth(float *y, const float *x, int n, int m);
typedef void (*kernel)(float *, const float *, int, int);
kernel direct_kernel(); // appended to the substituted unit by launch_cost.sh

// Where launch_stages.c is linked.
extern "C" __attribute__((weak)) struct {
    uint64_t begin, before, inside;
} launch_stages;

typedef std::chrono::steady_clock timer;
enum { PLAIN, CONTROL, DIRECT, SUBSTITUTED, GUARD_FALSE, KINDS };
static const char *const names[KINDS] = {"plain", "control", "direct", "substituted", "guard_false"};
static const struct {
    kernel run;
    int n;
} kinds[KINDS] = {{plain, 1024}, {plain_quick, 1024}, {direct_kernel(), 1024}, {fourth, 1024},
                  {fourth, 1023}};
struct cost {
    double ns, before, inside;
};

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
static cost batch(int kind)
{
    const int launches = 128;
    float *const y = (float *)0x400000, *const x = (float *)0x800000; // not dereferenced: n >= 0
    const kernel run = kinds[kind].run;
    const int n = kinds[kind].n;
    const bool stages = &launch_stages != nullptr;
    for (int i = 0; i < 8; i++) // the first launches wake an idle device
        run<<<4, 256>>>(y, x, n, 1);
    if (stages)
        launch_stages = {};
    timer::time_point begin = timer::now();
    uint64_t cycles = __builtin_ia32_rdtsc();
    for (int i = 0; i < launches; i++) {
        if (stages)
            launch_stages.begin = __builtin_ia32_rdtsc();
        run<<<4, 256>>>(y, x, n, 1);
    }
    cycles = __builtin_ia32_rdtsc() - cycles;
    timer::time_point end = timer::now();
    check(cudaGetLastError(), "launch");
    check(cudaDeviceSynchronize(), "synchronize");
    double ns = std::chrono::duration<double, std::nano>(end - begin).count();
    double of_cycle = ns / (double)cycles / launches;
    return {ns / launches, stages ? (double)launch_stages.before * of_cycle : 0,
            stages ? (double)launch_stages.inside * of_cycle : 0};
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
    std::vector<double> added[KINDS], before[KINDS], inside[KINDS], plain_ns, over_direct;
    check(cudaFree(0), "context");
    for (int round = -100; round < rounds; round++) { // the first 100 warm up: modules, clocks
        cost now[KINDS];
        for (int i = 0; i < KINDS; i++) {
            int at = (round + 100 + i) % KINDS, kind = round % 2 ? KINDS - 1 - at : at;
            now[kind] = batch(kind);
        }
        if (round < 0)
            continue;
        for (int i = 0; i < KINDS; i++) {
            added[i].push_back(now[i].ns - now[PLAIN].ns);
            before[i].push_back(now[i].before - now[PLAIN].before);
            inside[i].push_back(now[i].inside - now[PLAIN].inside);
        }
        plain_ns.push_back(now[PLAIN].ns);
        over_direct.push_back(now[SUBSTITUTED].ns - now[DIRECT].ns);
    }
    int device;
    printf("{\"plain\": %.2f, \"substituted_over_direct\": %.2f, ", median(plain_ns),
           median(over_direct));
    for (int i = CONTROL; i < KINDS; i++)
        printf("\"%s\": %.2f, \"%s_before\": %.2f, \"%s_inside\": %.2f, ", names[i],
               median(added[i]), names[i], median(before[i]), names[i], median(inside[i]));
    printf("\"cudaPeekAtLastError\": %.2f, ", call_ns([] { return cudaPeekAtLastError(); }));
    printf("\"cudaGetDevice\": %.2f}\n", call_ns([&] { return cudaGetDevice(&device); }));
    return 0;
}
