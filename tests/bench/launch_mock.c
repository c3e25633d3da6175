// The mock as the launch benchmark wants it: one device, and launches that cost nothing; or, with
// LAUNCH_MOCK=cold, launches that leave the caches as a driver does, full of its own code and data.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../dispatch/mock_cudart.h"

// 256 functions of some 200 bytes: more code than a level-1 cache holds.
#define STEP(k) x = (x ^ (x >> 7)) * (2654435761u + (unsigned)(k));
#define STEPS(k) STEP(k) STEP(k + 1) STEP(k + 2) STEP(k + 3) STEP(k + 4) STEP(k + 5) STEP(k + 6)
#define CODE(n)                                                                                    \
    static __attribute__((noinline)) uint32_t code_##n(uint32_t x)                                 \
    {                                                                                              \
        STEPS(n * 8)                                                                               \
        return x;                                                                                  \
    }
#define EACH10(f, n)                                                                               \
    f(n##0) f(n##1) f(n##2) f(n##3) f(n##4) f(n##5) f(n##6) f(n##7) f(n##8) f(n##9)
#define EACH(f, n)                                                                                 \
    EACH10(f, n##0) EACH10(f, n##1) EACH10(f, n##2) EACH10(f, n##3) EACH10(f, n##4)                \
    EACH10(f, n##5) EACH10(f, n##6) EACH10(f, n##7) EACH10(f, n##8) EACH10(f, n##9)
EACH(CODE, 1)
EACH(CODE, 2)
EACH(CODE, 3)
#define NAME(n) code_##n,
static uint32_t (*const codes[])(uint32_t) = {EACH(NAME, 1) EACH(NAME, 2) EACH(NAME, 3)};
static volatile unsigned char data[96 << 10]; // twice a level-1 cache
static volatile uint32_t sink;

static void nothing(void)
{
}

static void cold(void)
{
    uint32_t x = sink;
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        x = codes[i](x);
    for (size_t i = 0; i < sizeof data; i += 64)
        x += data[i]++;
    sink = x;
}

static __attribute__((constructor)) void prepare(void)
{
    const char *kind = getenv("LAUNCH_MOCK");
    mock_instead = kind != NULL && strcmp(kind, "cold") == 0 ? cold : nothing;
}
