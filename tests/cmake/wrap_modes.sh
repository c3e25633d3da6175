# Modes, switches, and places that cannot be written.
. "$KS_TEST_SOURCE/tests/lib.sh"
write_scale a.cu
write_scale4 p.yaml
words=(-arch=sm_90 -objtemp -MD -MF a.d -c a.cu -o a.o)
"$nvcc" "${words[@]}" && cp a.o expected.o || fail "nvcc"

# strict wants a decision, in either path, and leaves no object.
for round in miss hit; do
    status 1 env KS_MODE=strict "$ks_nvcc" "${words[@]}"
    says 'a.cu:3: error: .*`scale` has no decision for sm_90'
    [ ! -e a.o ] || fail "strict leaves an object"
    status 1 "$ks_nvcc" --ks-mode=strict -arch=sm_90 -c a.cu -o a.o
    compile "${words[@]}"
    compile -arch=sm_90 -c a.cu -o a.o
done
variant --original a.cu -- -arch=sm_90
for round in miss hit; do
    KS_MODE=strict compile "${words[@]}"
    reason original-wins
    same a.o expected.o
done
rm -r "$cache/variants"
variant p.yaml a.cu -- -arch=sm_90
for round in proof hit; do
    KS_MODE=strict compile "${words[@]}"
    reason applied
    substituted a.o
done
# One line a kernel, whatever the number of architectures.
status 1 "$ks_nvcc" --ks-mode=strict -gencode arch=compute_80,code=sm_80 -gencode \
    arch=compute_86,code=sm_86 -gencode arch=compute_90,code=sm_90 -c a.cu -o m.o
[ "$(wc -l < log)" = 1 ] || fail "not one line"
says '^a.cu:3: error: .*`scale` has no decision for sm_80, sm_86: .*ks warm'
# A signature that is not trusted is no decision.
"$make_variant" --key=other.sec --resign "$variant" > /dev/null
status 1 "$ks_nvcc" --ks-mode=strict "${words[@]}"
says 'a.cu:3: error: .*trust:'
"$make_variant" --resign "$variant" > /dev/null
# Each instance by its name; what was not compiled has no architecture.
cat > t.cu <<'END'
#pragma ks optimize
template <int K> __global__ void step(float *x) { x[0] = K; }
template __global__ void step<1>(float *);
#pragma ks optimize
template <class T> __global__ void never(T *x) { x[0] = 0; }
END
status 1 "$ks_nvcc" --ks-mode=strict -arch=sm_90 -c t.cu -o t.o
says 't.cu:2: error: .*`step<1>` has no decision for sm_90: '
says 't.cu:5: error: .*`never` has no decision: '
# ks.yaml may ask for it.
mkdir project && cp a.cu project/
printf 'settings:\n  mode: strict\n' > project/ks.yaml
sed -i 's/a \* x/a + x/' project/a.cu
status 1 "$ks_nvcc" -arch=sm_90 -c project/a.cu -o a.o
status 0 "$ks_nvcc" --ks-mode=consume -arch=sm_90 -c project/a.cu -o a.o

# off, in all its forms.
for switch in KS_MODE=off KS_DISABLE=1; do
    status 0 env $switch KS_REMARKS=all "$ks_nvcc" "${words[@]}"
    silent
    same a.o expected.o
done
compile --ks-disable "${words[@]}"
same a.o expected.o
compile --ks-mode=off "${words[@]}"
same a.o expected.o
# A setting that is wrong: one line, and nvcc. With KS_DISABLE not even the line.
KS_BUDGET=fast compile "${words[@]}"
[ "$(wc -l < log)" = 1 ] || fail "not one line"
says 'KS_BUDGET'
same a.o expected.o
KS_DISABLE=1 KS_MODE=fast compile "${words[@]}"
silent
same a.o expected.o

# Read-only: the variant is used, nothing is written.
mkdir run
find home | sort > before
for round in first second; do
    KS_READONLY=1 XDG_RUNTIME_DIR=$PWD/run compile "${words[@]}"
    reason applied
    substituted a.o
done
find home | sort | diff before - || fail "KS_READONLY writes"

# A home that cannot be written or does not exist, a cache that is a file.
: > file
for setting in HOME=/nonexistent HOME=/proc HOME=/dev/null KS_CACHE_DIR="$PWD/file" \
               KS_CACHE_DIR=/proc/ks; do
    env "$setting" "$ks_nvcc" "${words[@]}" > out 2> log || fail "$setting: exit $?"
    [ "$(wc -l < log)" -le 1 ] || fail "$setting: more than a line"
    is_same a.o expected.o || substituted a.o
done
if [ "$(id -u)" != 0 ]; then
    chmod -R a-w home
    compile "${words[@]}"
    chmod -R u+w home
    substituted a.o
fi
# An output that cannot be written is nvcc's error, with nvcc's status.
"$nvcc" -arch=sm_90 -c a.cu -o no/such/a.o 2> expected
want=$?
status $want "$ks_nvcc" -arch=sm_90 -c a.cu -o no/such/a.o
# Without a folder for temporary files nvcc fails, and so do we, no worse.
TMPDIR=/nonexistent "$nvcc" "${words[@]}" 2> expected
want=$?
status $want env TMPDIR=/nonexistent "$ks_nvcc" "${words[@]}"
# Neither a device nor a link is renamed over.
compile -arch=sm_90 -c a.cu -o /dev/null
[ -c /dev/null ] || fail "/dev/null is gone"
ln -s target.o link.o
compile -arch=sm_90 -c a.cu -o link.o
[ -s target.o ] || [ -s link.o ] || fail "nothing behind the link"
no_litter
