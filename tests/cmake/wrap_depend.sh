# Depfiles are nvcc's own, but for what our decisions hang on; what they hide is watched all the same.
. "$KS_TEST_SOURCE/tests/lib.sh"
mkdir first second system
count_runs
build() { # build REASON COMPILES WORDS...: COMPILES "" for any number
    local want=$1 compiles=$2
    shift 2
    : > runs
    sleep 0.02 # a file as new as the process is not remembered
    compile "$@"
    reason "$want"
    case $want in applied) substituted a.o ;; *) plain a.o ;; esac
    [ -z "$compiles" ] || runs "$compiles"
}
write_scale a.cu
sed -i '1i #include "near.cuh"\n#include "sub/far.cuh"\n#include <far/system.cuh>\n#include <vector>' a.cu
sed -i 's/a \* x\[i\]/NEAR * FAR * SYSTEM * a * x[i]/' a.cu
mkdir sub system/far
echo '#define NEAR 1' > near.cuh
echo '#define FAR 1' > sub/far.cuh
echo '#define SYSTEM 1' > system/far/system.cuh
write_scale4 p.yaml
words=(-arch=sm_90 -isystem first -isystem system -c a.cu -o a.o)
variant p.yaml a.cu -- "${words[@]}"

# Each kind of depfile: nvcc's own, byte for byte, but for the files behind it, proof and hit alike.
echo "-MD -MP -MF a.d -MT other.o" > flags
for kind in "-MMD -MF a.d" "-MMD -MP -MF a.d -MT x/a.o" "-MD -MF a.d" "-MD -MP" "-optf flags"; do
    # shellcheck disable=SC2086
    "$nvcc" "${words[@]}" $kind 2> /dev/null && mv a.d expected.d || fail "nvcc $kind"
    for compiles in 2 1; do
        # shellcheck disable=SC2086
        build applied $compiles "${words[@]}" $kind
        depends a.d "$cache/variants/index"
        for path in $(sed -n "s|^\($HOME/.*\):\$|\1|p" a.d); do
            depends a.d "$path"
            sed -i -z "s|[ ]\\\\\n    $path||; s|\n$path:\n||" a.d
        done
        same a.d expected.d
    done
done
# -MMD names no system header; the manifest knows them all the same.
mmd=("${words[@]}" -MMD -MF a.d)
grep -q 'system.cuh' expected.d || fail "nvcc -MD names no -isystem header"
"$nvcc" "${mmd[@]}" 2> /dev/null && ! grep -q 'system.cuh' a.d || fail "nvcc -MMD names system headers"
build applied 1 "${mmd[@]}"
for file in system/far/system.cuh near.cuh sub/far.cuh; do
    sed -i 's/ 1$/ 3/' $file
    build pending 1 "${mmd[@]}"
    sed -i 's/ 3$/ 1/' $file
    build applied "" "${mmd[@]}"
    build applied 1 "${mmd[@]}"
done
# Another system header of the same name, in front.
mkdir -p first/far
echo '#define SYSTEM 7' > first/far/system.cuh
build pending "" "${mmd[@]}"
rm first/far/system.cuh
build applied "" "${mmd[@]}"

no_litter
