// The words of a candidate's name that say what it does to the kernel's time.
#ifndef KS_ARM_WORDS_H
#define KS_ARM_WORDS_H

#include "base/arena.h"
#include "base/str.h"

// "transform block=256 width=4" gives its options; "template gemm a=x m=rows form=plain bk=8" its
// name, form and settings, marked as the template's, and leaves out how roles are bound.
const char *ks_arm_words(struct ks_arena *arena, const char *name);

#endif
