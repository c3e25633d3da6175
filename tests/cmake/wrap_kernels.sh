# Kernels wherever they stand: headers, templates, unnamed namespaces, marks by comment and by ks.yaml,
# several architectures, several instances.
. "$KS_TEST_SOURCE/tests/lib.sh"
mkdir inc src
cat > inc/lib.cuh <<'END'
#pragma once
namespace lib {
#pragma ks optimize
#pragma ks workload let(n=1024) inout(v[n]) grid(ceildiv(n,256)) block(256)
template <class T, int K> __global__ void add(T *v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        v[i] += K;
}
}
END
cat > src/a.cu <<'END'
#include "lib.cuh"
namespace {
// ks: optimize
// ks: workload let(n=1024) inout(v[n]) grid(ceildiv(n,256)) block(256)
__global__ void twice(float *v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        v[i] *= 2;
}
}
namespace app {
__global__ void neg(float *v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        v[i] = -v[i];
}
}
void a(float *v, double *w, int n)
{
    lib::add<float, 3><<<(n + 255) / 256, 256>>>(v, n);
    lib::add<double, 3><<<(n + 255) / 256, 256>>>(w, n);
    twice<<<(n + 255) / 256, 256>>>(v, n);
    app::neg<<<(n + 255) / 256, 256>>>(v, n);
}
END
cat > src/b.cu <<'END'
#include "lib.cuh"
void b(float *v, int n) { lib::add<float, 3><<<(n + 255) / 256, 256>>>(v, n); }
END
cat > ks.yaml <<'END'
kernels:
  - file: src/*.cu
    kernel: app::neg
    workloads:
      - let(n=1024) inout(v[n]) grid(ceildiv(n,256)) block(256)
END
proposal() { # proposal EXPRESSION TYPE
    cat <<END
params: [v, n]
source: |
  __global__ void one($2 *v, int n)
  {
      for (int i = blockIdx.x * 128 + threadIdx.x; i < n; i += gridDim.x * 128)
          v[i] = $1;
  }
when: n >= 128
plan: [{kernel: one, grid: ["n / 128"], block: 128, args: [v, n]}]
END
}
count() { # count N: kernels applied in the last compile
    local n
    n=$(grep -c '\[ks:applied\]' log)
    [ "$n" = "$1" ] || fail "$n applied, not $1"
}
words=(-arch=sm_90 -Iinc -objtemp)
proposal 'v[i] + 3' float > add.yaml
proposal 'v[i] * 2' float > twice.yaml
proposal '-v[i]' float > neg.yaml
variant --kernel='lib::add<float,3>' add.yaml src/a.cu -- "${words[@]}"
variant --kernel=twice twice.yaml src/a.cu -- "${words[@]}"
variant --kernel=app::neg neg.yaml src/a.cu -- "${words[@]}"
for round in proof hit; do
    compile "${words[@]}" -MD -MF a.d -c src/a.cu -o a.o
    count 3
    says 'lib::add<double,3>: .*\[ks:pending\]'
    says 'app::neg: variant'
    substituted a.o
    # Another unit with the same header's kernel takes the same variant.
    compile "${words[@]}" -c src/b.cu -o b.o
    count 1
    substituted b.o
done
depends a.d inc/lib.cuh
depends a.d "$PWD/.ks/index"

# Both link into one program, with the device code of each.
echo 'void a(float *, double *, int); void b(float *, int);
int main(int argc, char **) { if (argc > 1) { a(0, 0, 1); b(0, 1); } }' > main.cu
"$nvcc" -arch=sm_90 main.cu a.o b.o -o program && ./program || fail "linking"

# ks.yaml enters: without its entry the kernel is not marked; a wrong name is a warning with its line.
sed -i 's/app::neg/app::no/; s/\*/a/' ks.yaml
compile "${words[@]}" -c src/a.cu -o a.o
says 'ks.yaml:2: .*app::no'
rm ks.yaml
compile "${words[@]}" -c src/a.cu -o a.o
count 2
grep -q 'app::neg' log && fail "app::neg is still marked"

# Two architectures: the variant of one of them is in the object, the other's kernel is pending.
two=(-gencode arch=compute_80,code=sm_80 -gencode 'arch=compute_90,code=[sm_90,compute_90]' -Iinc)
for round in proof hit; do
    compile "${two[@]}" -c src/b.cu -o b.o
    count 1
    says '\[ks:pending\]'
    substituted b.o
done
variant --arch=80 --kernel='lib::add<float,3>' add.yaml src/b.cu -- "${two[@]}"
for round in proof hit; do
    KS_MODE=strict compile "${two[@]}" -c src/b.cu -o b.o
    count 2
    substituted b.o
done

# For sm_90a nvcc makes PTX of compute_90 too: what only sm_90a has stays out of it, and it has no key of its own.
specific="__device__ void order() { asm volatile(\"wgmma.fence.sync.aligned;\" : : : \"memory\"); }"
sed "s/^source: |/&\n  $specific/; s/{$/{ order();/" add.yaml > specific.yaml
grep -q 'order();' specific.yaml || fail "specific.yaml"
for words in -arch=sm_90a -gencode=arch=compute_90a,code=sm_90a; do
    variant --kernel='lib::add<float,3>' specific.yaml src/b.cu -- $words -Iinc
    for round in proof hit; do
        KS_MODE=strict compile $words -Iinc -c src/b.cu -o b.o
        count 1
        substituted b.o
    done
done

# A debug build is nobody's to touch.
compile -G "${words[@]}" -c src/b.cu -o b.o
reason debug-build
plain b.o
# `off` holds for one kernel, or for a file.
sed 's/#pragma ks optimize/#pragma ks off/; /workload/d' inc/lib.cuh > inc/off.cuh
mkdir off && mv inc/off.cuh off/lib.cuh
compile -arch=sm_90 -Ioff -c src/b.cu -o b.o
plain b.o
no_litter
