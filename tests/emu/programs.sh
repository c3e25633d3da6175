#!/usr/bin/env bash
# Programs that hold their kernels against loops on the CPU (most in double, others exact) run on the emulated device,
# under several schedules: every sample, or every port of KernelBench.
#   tests/emu/programs.sh BUILD SOURCE samples|ports
set -u
build=$1 source=$2 which=$3
nvcc=${KS_NVCC_REAL:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
[ -x "$nvcc" ] || { echo "no nvcc here: skipped"; exit 77; }
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

# One unit of all, each in a namespace: headers are read once.
case $which in
samples)
    files=("$source"/samples/*/*.cu)
    arguments=75 # elements, rows: no multiple of a block
    seeds="0 1 2 3"
    echo '#include "common/sample.h"' > "$scratch/all.cu" ;;
ports)
    files=("$source"/samples/kernelbench/level*/*.cu)
    arguments=
    seeds="0 3"
    echo '#include "kernelbench/port.h"' > "$scratch/all.cu" ;;
esac
[ ${#files[@]} -ge 5 ] || { echo "where are they?"; exit 1; }
calls=
for i in "${!files[@]}"; do
    printf 'namespace n%d {\n#include "%s"\n}\n' "$i" "${files[i]}"
    calls+="    wrong += call(\"${files[i]}\", n$i::main);"$'\n'
done >> "$scratch/all.cu"
cat >> "$scratch/all.cu" << END
static char **words;
static int n_words;
static int call(const char *file, int (*program)())
{
    return program() != 0 && std::printf("FAIL: %s\n", file) > 0;
}
static int call(const char *file, int (*program)(int, char **))
{
    return program(n_words, words) != 0 && std::printf("FAIL: %s\n", file) > 0;
}
int main(int argc, char **argv)
{
    int wrong = 0;
    words = argv;
    n_words = argc;
$calls    std::printf("${#files[@]} programs, %d wrong\n", wrong);
    return wrong != 0;
}
END
"$nvcc" -w -O3 -lineinfo -std=c++17 -arch=compute_90 -code=compute_90 -no-compress -cudart=none -shared \
    -Xcompiler=-fPIC,-O0 -I "$source/samples" "$scratch/all.cu" -o "$scratch/all.so" || exit 1
bad=0
# shellcheck disable=SC2086 # lists of words
for seed in $seeds; do
    KS_EMU_SEED=$seed "$build/tests/emu_program" "$scratch/all.so" $arguments > "$scratch/out" 2> "$scratch/log" || bad=1
    grep -v '^time: ' "$scratch/log" && bad=1
    grep -E 'FAIL|wrong=[^0]' "$scratch/out" && bad=1
    echo "seed $seed: $(tail -1 "$scratch/out")"
done
exit $bad
