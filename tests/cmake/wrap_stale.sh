# What was remembered must not outlive what it was about.
. "$KS_TEST_SOURCE/tests/lib.sh"
mkdir first second
write_scale a.cu
sed -i '1i #include "factor.cuh"' a.cu
sed -i 's/a \* x\[i\]/FACTOR * a * x[i]/' a.cu
printf '#ifndef FACTOR\n#define FACTOR 1.f\n#endif\n' > second/factor.cuh
write_scale4 p.yaml
words=(-arch=sm_90 -Ifirst -Isecond -MD -MF a.d -c a.cu -o a.o)
variant p.yaml a.cu -- -arch=sm_90 -Isecond
for round in proof hit; do
    compile "${words[@]}"
    reason applied
done
sleep 0.02

# A header appears in front of another: same bytes everywhere, another program.
echo '#define FACTOR 7.f' > first/factor.cuh
for round in 1 2; do
    compile "${words[@]}"
    reason pending
    plain a.o
done
rm first/factor.cuh
compile "${words[@]}"
reason applied
substituted a.o

# An include reached by a macro, which the textual search does not see.
sed -i 's/#include "factor.cuh"/#define H "factor.cuh"\n#include H/' a.cu
for round in proof hit; do
    compile "${words[@]}"
    reason applied
done
echo '#define FACTOR 7.f' > first/factor.cuh
for round in 1 2; do
    compile "${words[@]}"
    reason pending
    plain a.o
done
rm first/factor.cuh

# An edit, and its undoing. Formatting and names keep the key.
sed -i 's/FACTOR 1/FACTOR 2/' second/factor.cuh
compile "${words[@]}"
reason pending
plain a.o
sed -i 's/FACTOR 2/FACTOR 1/' second/factor.cuh
compile "${words[@]}"
reason applied
sed -i 's/int i = /\n\n    int    i =   /; s/float a, int n/float a, int count/; s/i < n/i < count/' a.cu
sed -i 's/let(n=4096)/let(count=4096)/; s/\[n\]/[count]/g; s/ceildiv(n/ceildiv(count/' a.cu
compile "${words[@]}"
reason applied
substituted a.o
# Flags that change code make another kernel; the environment's count like the command's.
compile -use_fast_math "${words[@]}"
reason pending
NVCC_APPEND_FLAGS=-DFACTOR=3.f compile "${words[@]}"
reason pending
plain a.o
compile "${words[@]}"
reason applied
NVCC_APPEND_FLAGS=-G compile "${words[@]}"
plain a.o

# The variant means something else here: a helper of the unit with the same name as one it calls.
write_scale b.cu
sed -i '1i __device__ float helper(float v) { return v; }' b.cu
sed 's/= make_float4(a \* v.x/= make_float4(helper(a) * v.x/' p.yaml > h.yaml
rm -r "$cache/variants"
variant --lower=3 h.yaml b.cu -- -arch=sm_90
compile -arch=sm_90 -c b.cu -o b.o
reason applied
sed -i 's/return v;/return v + 1;/' b.cu
for round in 1 2; do
    compile -arch=sm_90 -objtemp -c b.cu -o b.o
    reason variant-differs
    plain b.o
    mv b.o ours.o
    "$nvcc" -arch=sm_90 -objtemp -c b.cu -o b.o 2> /dev/null
    same b.o ours.o
done
status 1 "$ks_nvcc" --ks-mode=strict -arch=sm_90 -objtemp -c b.cu -o b.o
# No helper at all: it does not compile.
sed -i '1d' b.cu
for round in 1 2; do
    compile -arch=sm_90 -c b.cu -o b.o
    reason shadow-failed
    plain b.o
done

# The file's own time and names are those of the user's file.
rm -r "$cache/variants"
write_scale c.cu
echo 'const char *names[] = {__TIMESTAMP__, __FILE__, __BASE_FILE__};' >> c.cu
touch -d '2001-02-03 04:05:06' c.cu
variant p.yaml c.cu -- -arch=sm_90
compile -arch=sm_90 -c c.cu -o c.o
reason applied
"$nvcc" -arch=sm_90 -c c.cu -o expected.o 2> /dev/null
for object in c.o expected.o; do
    strings -a $object | grep -q '2001' || fail "$object: another __TIMESTAMP__"
done
strings -a c.o | grep -qx '.*shadow/.*c\.cu' && fail "the shadow's path is in the object"
no_litter
