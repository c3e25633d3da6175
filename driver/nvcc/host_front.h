// In front of gcc's own front end. gcc looks for a file included in quotes in the folder of the text that
// includes it, and where that folder is the current one it has no name: "x.h", not "./x.h", in
// diagnostics, __FILE__ and debug information. A shadow, which lies elsewhere, gets the same names only
// where gcc reads it from its standard input. (clang says "./x.h" of its own accord.)
//
// Under -B DIR gcc starts DIR/cc1plus instead of its own: a link there to ks-nvcc.
#ifndef KS_HOST_FRONT_H
#define KS_HOST_FRONT_H

#include "base/str.h"

#define KS_HOST_FRONT "cc1plus"

// Whether a program was started as gcc's front end, by its argv[0].
bool ks_host_front_is(const char *program);
// Becomes gcc's own, with the input that lies beside argv[0] on its standard input. Returns only on
// failure, with an exit status: gcc then fails too.
int ks_host_front(int argc, char **argv);

#endif
