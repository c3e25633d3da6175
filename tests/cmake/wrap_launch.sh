# Programs built by ks-nvcc, on the mock runtime: the rows of tests/dispatch/cases.txt with `driver`.
. "$KS_TEST_SOURCE/tests/lib.sh"
dispatch=$KS_TEST_SOURCE/tests/dispatch
for file in mock_cudart mock_memory; do
    cc -O1 -c "$dispatch/$file.c" -o $file.o || fail "the mock"
done
mkdir inc
cat > inc/lib.cuh <<'END'
#pragma once
namespace lib {
#pragma ks optimize
#pragma ks workload let(n=1024) inout(v[n]) grid(ceildiv(n,256)) block(256)
template <class T> __global__ void add(T *v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        v[i] += 3;
}
}
END
for unit in a b c; do
    cat > $unit.cu <<END
#include "lib.cuh"
void $unit(float *v, int n) { lib::add<float><<<(n + 255) / 256, 256>>>(v, n); }
END
done
cat > main.cpp <<'END'
void a(float *, int);
void b(float *, int);
void c(float *, int);
int main()
{
    static float v[1024];
    a(v, 256);
    a(v, 100);
    b(v, 512);
    c(v, 256);
}
END
cat > add.yaml <<'END'
params: [v, n]
source: |
  __global__ void one(float *v, int n)
  {
      for (int i = blockIdx.x * 128 + threadIdx.x; i < n; i += gridDim.x * 128)
          v[i] += 3;
  }
when: n >= 128
plan: [{kernel: one, grid: ["n / 128"], block: 128, args: [v, n]}]
END
g++ -c main.cpp -o main.o || fail "main"
shown() { echo "$1" >> shown; }
# launches [VARIABLE=VALUE]: what the program tells of its launches.
launches() {
    g++ main.o a.o b.o c.o "${link[@]}" mock_cudart.o mock_memory.o -pthread -o program ||
        fail "linking"
    rm -f trace && : > trace
    env KS_TRACE="$PWD/trace" "$@" ./program || fail "the program exits with $?"
    sed 's/-> [0-9a-f]\{16\}$/-> ID/' trace > told
}
tells() { # tells LINE...
    printf '%s\n' "$@" | diff - told || fail "launches"
}
kernel='ks: lib::add<float>'

link=()
words=(-arch=sm_90 -Iinc)
variant --kernel='lib::add<float>' add.yaml a.cu -- "${words[@]}"
for unit in a b; do
    compile "${words[@]}" -c $unit.cu -o $unit.o
    reason applied
    substituted $unit.o
done
"$nvcc" "${words[@]}" -c c.cu -o c.o || fail "nvcc"
launches
tells "$kernel -> ID" "$kernel -> original (guard)" "$kernel -> ID"
shown build.header-in-units
launches KS_DISABLE=1
tells "$kernel -> original (disabled)" "$kernel -> original (disabled)" \
    "$kernel -> original (disabled)"
shown build.disabled-program

# Separate compilation: the linker keeps one stub of a template, so the third unit's launch too.
rdc=("${words[@]}" -rdc=true)
variant --kernel='lib::add<float>' add.yaml a.cu -- "${rdc[@]}"
for unit in a b; do
    compile "${rdc[@]}" -c $unit.cu -o $unit.o
    substituted $unit.o
done
"$nvcc" "${rdc[@]}" -c c.cu -o c.o && "$nvcc" -arch=sm_90 -dlink a.o b.o c.o -o dlink.o ||
    fail "nvcc"
link=(dlink.o)
launches
tells "$kernel -> ID" "$kernel -> original (guard)" "$kernel -> ID" "$kernel -> ID"
shown build.rdc
link=()

# untouched WORDS...: the objects are nvcc's, and nothing is dispatched.
untouched() {
    "$nvcc" "$@" -objtemp -c a.cu -o a.o && cp a.o plain.o || fail "nvcc $*"
    compile "$@" -objtemp -c a.cu -o a.o
    same a.o plain.o
    plain a.o
}
untouched -arch=sm_90 -Iinc -rdc=true -dlto
reason lto
shown build.dlto
untouched -arch=sm_90 -Iinc -G
reason debug-build
for unit in b c; do
    "$nvcc" "${words[@]}" -c $unit.cu -o $unit.o
done
launches
[ ! -s told ] || fail "a -G build dispatches"
shown build.device-debug
compile "${words[@]}" -c a.cu b.cu
plain a.o
plain b.o
shown build.several-inputs

# An nvcc that says it is older.
mkdir old
cat > old/nvcc <<END
#!/bin/sh
[ "\$1" = --version ] || exec $nvcc "\$@"
$nvcc --version | sed 's/release 1[0-9.]*, V[0-9.]*/release 12.8, V12.8.93/'
END
chmod +x old/nvcc
export KS_NVCC_REAL=$PWD/old/nvcc
untouched -arch=sm_90 -Iinc
reason toolkit
says 'nvcc 12.8.93'
shown build.older-toolkit

awk -F ' *[|] *' '$2 == "driver" { print $1 }' "$dispatch/cases.txt" | sort | diff - <(sort shown) ||
    fail "cases.txt has other rows"
no_litter
