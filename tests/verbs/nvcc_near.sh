# Each field of the key on its own: another value is a miss with a reason, and `ks explain` shows the
# field and its two values; of the code, the instructions.
. "$KS_TEST_SOURCE/tests/verbs/verbs.sh"
cat > good.cu <<'END_OF_TEXT'
#pragma ks optimize
#pragma ks workload let(n=4096) set(a=2) in(x[n]=uniform(-1,1)) out(y[n]) grid(ceildiv(n,256)) block(256)
__global__ void scale(float *y, const float *x, float a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i];
}
END_OF_TEXT
write_scale4 p.yaml
touch ks.yaml
cp good.cu a.cu
variant p.yaml a.cu -- -arch=sm_90
id=$(basename "$variant" .yaml)

# The code: what it was is known once it was compiled here.
sed 's/a \* x\[i\]/a + x[i]/' good.cu > a.cu
status 0 "$ks" explain a.cu -- -arch=sm_90
has 'a.cu:3: scale, sm_90: pending'
has "variant $id, sm_90, is for another key; there (-) and here (+):"
has 'how it was is not known here'
cp good.cu a.cu
compile -arch=sm_90 -c a.cu -o a.o
reason applied
changed() { # changed SED-EXPRESSION TEXT...: this edit shows as these lines, the code's only
    sed "$1" good.cu > a.cu
    shift
    status 0 "$ks" explain a.cu -- -arch=sm_90
    has 'scale, sm_90: pending'
    sed -n '/as PTX/,/key /p' out | grep -E '^      [-+]' > lines
    printf '      %s\n' "$@" | diff - lines || { cat out; fail "another difference"; }
}
changed 's/a \* x\[i\]/a + x[i]/' '-mul.f32 %f3,%f2,%f1;' '+add.f32 %f3,%f2,%f1;'
changed 's/a \* x\[i\]/a * x[i] + 1.5f/' '-mul.f32 %f3,%f2,%f1;' '+fma.rn.f32 %f3,%f2,%f1,0f3FC00000;'
# A line more shifts registers and labels behind it; it alone is shown.
changed 's/        y\[i\] = a \* x\[i\]/        y[i] = __sinf(a) * x[i]/' '+sin.approx.f32 %f3,%f1;'
changed 's/i < n/i < n - 7/' '+add.s32 %r6,%r2,-7;'
json 0 explain a.cu -- -arch=sm_90 + kernels 'kernels[].near' 'kernels[].differences'
has '"field": "ptx"'
has '+add.s32 %r6,%r2,-7;'
cp good.cu a.cu

# differs FIELD THERE HERE: of the last explanation, that field alone.
differs() {
    [ "$(grep -c '"field": ' out)" = 1 ] || { cat out; fail "not one field"; }
    has "\"field\": \"$1\""
    has "\"there\": \"$2\""
    has "\"here\": \"$3\""
    has '"reason": "pending"'
}
json 0 explain a.cu -- -arch=sm_90 -maxrregcount=40 + 'kernels[].differences'
differs maxrregcount 0 40
json 0 explain a.cu -- -arch=sm_90 -Xptxas=-O1 + 'kernels[].differences'
differs ptxas '' '-O1'
sed -i 's/uniform(-1,1)/uniform(-1,2)/' a.cu
json 0 explain a.cu -- -arch=sm_90 + 'kernels[].differences'
differs contract '$1 in f32 [$3] uniform [-1,1]' '$1 in f32 [$3] uniform [-1,2]'
sed 's/ks optimize/ks optimize tol(ulp=2)/' good.cu > a.cu
json 0 explain a.cu -- -arch=sm_90 + 'kernels[].differences'
differs contract 'tolerance derived' 'tolerance ulp=2'
cp good.cu a.cu
json 0 explain a.cu -- -arch=sm_80 + 'kernels[].differences'
has '"field": "arch"'
has '"there": "sm_90"'
status 0 "$ks" explain a.cu -- -arch=sm_80
has '-sm_90'
has '+sm_80'
lacks 'as PTX' # it goes with the architecture
mkdir other
cat > other/nvcc <<END_OF_TEXT
#!/bin/sh
[ "\$*" = --version ] && exec sh -c '"$nvcc" --version | sed "s/13\.0\.88/13.0.99/"'
exec "$nvcc" "\$@"
END_OF_TEXT
chmod +x other/nvcc
KS_NVCC_REAL=$PWD/other/nvcc json 0 explain a.cu -- -arch=sm_90 + 'kernels[].differences'
differs nvcc 13.0.88 13.0.99
json 0 explain a.cu -- -arch=sm_90 -rdc=true + 'kernels[].differences'
differs rdc '' true
has 'here `rdc: true`, there `rdc: `'

# By name alone: the command of the build that left it pending last. A decision that the original stays
# is near as well.
rm -r .ks
compile -arch=sm_80 -c a.cu -o a.o
compile -arch=sm_86 -c a.cu -o a.o
"$make_variant" --original a.cu -- -arch=sm_90 > /dev/null || fail "the original's decision"
(cd / && "$ks" explain scale) > out || fail "ks explain scale"
has 'scale, sm_86: pending'
has 'the decision that the original stays, sm_90, is for another key'
no_litter
