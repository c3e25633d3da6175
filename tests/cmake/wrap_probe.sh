# A file that appears can change a kernel although no file that was read has changed: __has_include asks
# for it, or it takes another's place.
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
# Whether a file exists, asked by the unit itself, by a header that it includes, with a name that a
# macro makes. The file is read by nobody.
write_scale4 p.yaml
write_scale a.cu
cat > asks.cuh <<'END'
#pragma once
#define NAME "third.h"
#if __has_include("fast.h") || __has_include(<other.h>) || __has_include(NAME)
#define FACTOR 7
#else
#define FACTOR 1
#endif
END
sed -i '1i #include "asks.cuh"' a.cu
sed -i 's/a \* x\[i\]/FACTOR * a * x[i]/' a.cu
words=(-arch=sm_90 -Ifirst -isystem system -c a.cu -o a.o)
variant p.yaml a.cu -- "${words[@]}"
probe() { # probe FILE KIND...: of depfile
    local file=$1
    shift
    build applied "" "${words[@]}" "$@"
    build applied 1 "${words[@]}" "$@"
    touch $file
    build pending "" "${words[@]}" "$@"
    build pending 1 "${words[@]}" "$@"
    rm $file
    build applied "" "${words[@]}" "$@"
}
probe fast.h
probe first/other.h -MD -MF a.d
probe system/third.h -MMD -MF a.d
touch fast.h
status 1 "$ks_nvcc" --ks-mode=strict "${words[@]}"
rm fast.h
status 0 "$ks_nvcc" --ks-mode=strict "${words[@]}"
# Such a build says what nvcc says, once.
sed -i '/^void run/i __global__ void unused() { int never; }' a.cu
variant p.yaml a.cu -- "${words[@]}"
for compiles in 2 1; do
    build applied $compiles "${words[@]}"
    [ "$(grep -c 'never.* was declared' log)" = 1 ] || fail "nvcc's warning is not there once"
done

# A kernel without a variant: a header that comes in front of another changes its key at once.
sed -i 's/asks.cuh/factor.cuh/' a.cu
echo '#define FACTOR 2' > second/factor.cuh
words=(-arch=sm_90 -Ifirst -Isecond -c a.cu -o a.o)
for round in 1 2; do build pending 1 "${words[@]}"; done
echo '#define FACTOR 1' > first/factor.cuh
build applied "" "${words[@]}"
rm first/factor.cuh
build pending "" "${words[@]}"
no_litter
