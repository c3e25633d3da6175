#pragma once
#include <cstdio>
#define TELL(who)                                                                                  \
    std::printf("%s: %s:%d, %d, level %d, of %s\n", who, __FILE__, __LINE__, __COUNTER__,          \
                __INCLUDE_LEVEL__, __BASE_FILE__)
static void tell_header() { TELL("header"); }
