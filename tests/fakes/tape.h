// Compiles of the real nvcc, recorded once and played back in a millisecond, for the stand-in of
// tests/cli/fake_nvcc.c. What a compile is recognised by: its words (less the places of outputs) and the
// bytes of its .cu files. What is recorded: status, both streams, object, depfile, and what --keep
// leaves. Of the system's headers in depfiles a few stand for all.
//   KS_FAKE_TAPE=DIR      play back; a compile that is not on the tape fails with 97
//   KS_FAKE_RECORD=NVCC   record those, by running this program
//   KS_FAKE_ROOT=DIR      the folder of the test: its path is left out of what is recorded
//   KS_FAKE_DIE=WHICH:WHEN:SIGNAL   end so, playing back: WHICH compile is "shadow" or "plain", WHEN
//                         "before" anything is written, "half" way through the object, or "after"
#ifndef TAPE_H
#define TAPE_H

int tape_run(const char *dir, int argc, char **argv); // the exit status

#endif
