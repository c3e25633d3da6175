# A variant is compiled in: proved on the first build, from the manifest on the second, same object.
. "$KS_TEST_SOURCE/tests/lib.sh"
write_scale a.cu
write_scale4 p.yaml

variant p.yaml a.cu -- -arch=sm_90
compile -arch=sm_90 -objtemp -MD -MF a.d -c a.cu -o a.o
reason applied
substituted a.o
readelf -p .ks_note a.o | grep -q "kernel=scale .*evidence=measured.*device=test" || fail "note"
strings -a a.o | grep -q "scale4" || fail "the variant's kernel is not in the object"
depends a.d "$cache/variants/index"
depends a.d a.cu
tr -s ' \\\n' '\n' < a.d | grep -q 'shadow\|<ks\|^ks/' && fail "the depfile names a shadow"
cp a.o proved.o

compile -arch=sm_90 -objtemp -MD -MF a.d -c a.cu -o a.o
reason applied
same a.o proved.o
depends a.d a.cu
for word in $(sed 's/^[^:]*://' a.d | tr -d '\\'); do
    [ -e "$word" ] || fail "the depfile names $word, which does not exist"
done

# What `ks` says of it, where it is built.
ks=$KS_TEST_BIN/ks
if [ -x "$ks" ]; then
    id=$(basename "$variant" .yaml)
    for ask in "inspect a.o" "list" "explain a.cu -- -arch=sm_90"; do
        # shellcheck disable=SC2086
        "$ks" $ask > log 2>&1 || fail "ks $ask exits with $?"
        says "$id"
    done
    says 'applied'
fi

# The manifest is what answered: one compile, not two. (A script stands for nvcc and counts.)
count_runs
for expected in 2 1 1; do
    compile -arch=sm_90 -objtemp -c a.cu -o a.o
    reason applied
    substituted a.o
    runs $expected
done
KS_NVCC_REAL=$nvcc

# Debug information, position-independent code, warnings as errors.
for options in "-g -lineinfo" "-Xcompiler=-fPIC,-Wall,-Wextra,-Werror -Werror all-warnings" \
               "-std=c++20 -default-stream per-thread"; do
    for round in proof hit; do
        # shellcheck disable=SC2086
        compile -arch=sm_90 $options -c a.cu -o a.o
        reason applied
        substituted a.o
    done
done

# ptxas makes other code for separate compilation: its kernels have keys of their own, and what was
# judged for the one is none of the other's business.
compile -arch=sm_90 -rdc=true -c a.cu -o a.o
reason pending
plain a.o
if [ -x "$ks" ]; then
    "$ks" explain a.cu -- -arch=sm_90 -rdc=true > log 2>&1 || fail "ks explain"
    says "variant $id, sm_90, is for another key"
    grep -A1 '^ *rdc$' log | grep -q '^ *+true$' || fail "explain does not tell of rdc"
fi
variant p.yaml a.cu -- -arch=sm_90 -rdc=true
for words in -rdc=true -dc "-dc -rdc=true" ""; do
    for round in proof hit; do
        # shellcheck disable=SC2086
        compile -arch=sm_90 $words -c a.cu -o a.o
        reason applied
        substituted a.o
    done
done

no_litter

# ks-nvcc reads what it wrote: an object put into another folder, a depfile by -MMD and -MP.
mkdir sub
for round in proof hit; do
    compile -arch=sm_90 -MD -MP -MF sub/a.d -MT other/a.o -c a.cu -o sub/a.o
    substituted sub/a.o
    grep -q '^other/a.o *:' sub/a.d || fail "-MT is lost"
    compile -arch=sm_90 -MMD -MF sub/m.d -c a.cu -o sub/m.o
    substituted sub/m.o
done
