// A GPU on which every kernel is y = a * x, done right, and takes a time that follows from its launch: with up
// to two elements a thread a variant beats the original below 2500 elements and loses above, with more it wins
// from 5000 on, in packs a little more than one by one. For searches whose best variant depends on the size.
#define FAKE_COPY_GBS 1e4
#define FAKE_PAIRS_RUN 2
#include "fake_worker.h"

static bool steady; // up to two elements a thread always win a little
static bool shapes; // n is rows * cols
// Four words in place of that: what packs and what others take of the original's time, below 5000 elements and from
// there on.
static double packs[2], others[2];

static int64_t threads_of(const json_t *step)
{
    int64_t threads = 1;
    for (size_t d = 0; d < 3; d++)
        threads *= json_integer_value(json_array_get(json_object_get(step, "grid"), d)) *
                   json_integer_value(json_array_get(json_object_get(step, "block"), d));
    return threads;
}

static bool fake_kernel(struct fake_call *call, const char *name, double *us)
{
    if (call->n < (shapes ? 5 : 4) || call->pointer[0] == NULL || call->pointer[1] == NULL) {
        fake_fail(call->f, "launch", "another kernel's arguments");
        return false;
    }
    float *y = (float *)(void *)call->pointer[0], a = call->real[2];
    const float *x = (const float *)(void *)call->pointer[1];
    int64_t n = call->number[3] * (shapes ? call->number[4] : 1), threads = threads_of(call->step);
    call->f->runs++;
    for (int64_t i = 0; i < n; i++)
        y[i] = a * x[i];
    bool few = n <= 2 * threads;
    double factor = strncmp(name, "_Z5scale", 8) == 0 ? 1
                    : few                             ? (steady ? 0.8 : n < 2500 ? 0.6 : 1.3)
                                                      : (n < 5000 ? 1.3 : 0.5);
    if (!few && n >= 5000 && strstr(name, "_packed") == NULL)
        factor *= 1.1;
    // One block of 1024 holds all of the small size two to a thread, whatever a thread takes of the large one: no
    // variant is to be good at both.
    if (factor < 1 && json_integer_value(json_array_get(json_object_get(call->step, "block"), 0)) > 512)
        factor = 1.3;
    if (packs[0] > 0 && factor != 1)
        factor = (strstr(name, "_packed") != NULL ? packs : others)[n >= 5000];
    *us = factor * (5 + (double)n * 16e-3);
    return true;
}

int main(int argc, char **argv)
{
    steady = argc > 1 && strcmp(argv[1], "steady") == 0;
    shapes = argc > 1 && strcmp(argv[1], "shapes") == 0;
    int words = steady || shapes;
    if (argc > 4 && atof(argv[1]) > 0) {
        words = 4;
        packs[0] = atof(argv[1]);
        others[0] = atof(argv[2]);
        packs[1] = atof(argv[3]);
        others[1] = atof(argv[4]);
    }
    return fake_worker_main(argc - words, argv + words);
}
