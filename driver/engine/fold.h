// A block whose threads share the work on a row, as one thread that does it alone: loops that threads enter with their
// number and step by the block's size count by one, what they combine over the block (a tree in shared memory,
// shuffles, a function of the program that has these) is there already, barriers go, and what the first thread does is done; or of
// each warp, where warps, or the lines of blocks that are as wide as one, are numbered through the grid and share nothing. A kernel
// written so is a map over blocks, whose loops the other transforms deal out anew.
//
// Statement after statement, all threads' turns at it one after the other, is one of the orders in which a block may run
// between its barriers: what every order leaves the same, which the original needs itself, is the same so too. What is a
// thread's own between statements, other than parts of a value, is refused.
#ifndef KS_FOLD_H
#define KS_FOLD_H

#include "engine/reshape.h"

// A step of ks_reshape(): sets subject->folded and asks for the block's size.
ks_reshape_step ks_fold_threads;

#endif
