// The tests' nvcc: the real one with -std=c++14 in front of what it compiles and says no standard of
// its own: the headers of C++17, nvcc's default, make a compile a half dearer.
#ifndef START_NVCC_H
#define START_NVCC_H

int start_nvcc(int argc, char **argv); // returns where it cannot

#endif
