#!/bin/bash
# make.sh: writes the .ptx files here anew from the .cu files, with the nvcc on PATH.
# Stored, so that the unit tests need no toolkit; tests/cmake/identity_*.sh ask the installed one.
set -e
cd "$(dirname "$0")"
nvcc -arch=sm_90 -std=c++17 -ptx base.cu -o base.ptx
nvcc -arch=sm_90 -std=c++17 -lineinfo -ptx moved.cu -o moved.ptx
nvcc -arch=sm_90 -std=c++17 -ptx constructs.cu -o constructs.ptx
# -lineinfo writes where this checkout stands, which is nobody's business.
sed -i "s|\"$PWD/|\"/src/|" moved.ptx
