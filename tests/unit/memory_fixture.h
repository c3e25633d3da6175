// A memory in a folder of its own, and attempts to put into it.
#ifndef KS_TEST_MEMORY_FIXTURE_H
#define KS_TEST_MEMORY_FIXTURE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "memory/outcomes.h"
#include "os/file.h"

static struct ks_arena arena;

static struct ks_config fresh(void)
{
    char *dir;
    assert_int_equal(ks_dir_temp(&arena, "ks-memory", &dir, NULL), KS_OK);
    return (struct ks_config){.state_dir = dir};
}

static struct ks_outcomes *opened(const struct ks_config *config)
{
    struct ks_err err = {0};
    struct ks_outcomes *o;
    if (ks_outcomes_open(config, &o, &err) != KS_OK)
        fail_msg("%s", err.text);
    return o;
}

static struct ks_attempt attempt(const char *key, const char *skill, const char *correctness,
                                 double ratio)
{
    return (struct ks_attempt){.key = key, .kernel = "k", .proposal = "p", .skill = skill,
                               .direction = "d", .params = "x=1", .bottleneck = "dram",
                               .date = "2026-01-02", .arch = 90, .correctness = correctness,
                               .speed = ratio > 1 ? "FASTER" : "NOT_FASTER", .reason = "",
                               .ratio = ratio, .lower = ratio * 0.9, .seconds = 0.5,
                               .structure = "loop"};
}

static void add(struct ks_outcomes *o, struct ks_attempt a)
{
    struct ks_err err = {0};
    if (ks_outcomes_add(o, &a, &err) != KS_OK)
        fail_msg("%s", err.text);
}

#endif
