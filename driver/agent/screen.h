// Words that no advice to others holds: libraries in disguise, lower precision, work left out, one
// kernel's sizes.
#ifndef KS_SCREEN_H
#define KS_SCREEN_H

#include "base/str.h"

// Why a text is no advice for others, or NULL.
const char *ks_screen_advice(struct ks_arena *arena, const char *text);

#endif
