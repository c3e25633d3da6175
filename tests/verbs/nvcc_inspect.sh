# ks inspect: objects, archives, libraries and programs; what strip and the linker leave of them; whose
# stub a program launches through, held against what the program says when it runs; signatures.
. "$KS_TEST_SOURCE/tests/verbs/verbs.sh"
for tool in strip ar objcopy; do command -v $tool > /dev/null || skip "no $tool"; done
cat > h.cuh <<'END_OF_TEXT'
#pragma ks optimize
template <int K> __global__ void step(float *y, const float *x, float a)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = a * x[i] * K;
}
END_OF_TEXT
cat > a.cu <<'END_OF_TEXT'
#include "h.cuh"
void run_a(float *y, float *x) { step<2><<<16, 256>>>(y, x, 2.f); }
END_OF_TEXT
sed 's/run_a/run_b/' a.cu > b.cu
echo 'void run_a(float *, float *); void run_b(float *, float *);
int main() { run_a(0, 0); run_b(0, 0); }' > main.cc
cat > p.yaml <<'END_OF_TEXT'
params: [y, x, a]
source: |
  __global__ void step4(float *y, const float *x, float a)
  {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      y[i] = x[i] * a * 2;
  }
plan:
  - {kernel: step4, grid: [16], block: [256], args: [y, x, a]}
END_OF_TEXT
touch ks.yaml
words=(-arch=sm_90 -rdc=true -Xcompiler=-fPIC)
variant p.yaml a.cu -- "${words[@]}"
id=$(basename "$variant" .yaml)
for unit in a b; do
    compile "${words[@]}" -c $unit.cu -o $unit.o
    compile "${words[@]}" --ks-mode=off -c $unit.cu -o $unit.plain.o
done
g++ -c main.cc -o main.o || fail "g++"

# An object, an archive (the plain members do not count), a thin one.
status 0 "$ks" inspect a.o
has "step<2>, sm_90: variant $id, 1.650x, at least 1.500x on test, measured"
has ": trusted ($variant)"
lacks cannot
ar rc lib.a a.plain.o a.o main.o && ar rcT thin.a b.plain.o b.o main.o || fail "ar"
status 0 "$ks" inspect lib.a && has "step<2>, sm_90, in a.o: variant $id"
json 0 inspect lib.a + kernels
has '"proved": true'
has '"member": "a.o"'
status 0 "$ks" inspect thin.a && has "in b.o: variant $id"
mkdir -p other && (cd other && "$ks" inspect ../thin.a) > out || fail "from another folder"
has "in b.o: variant $id"
ar rc none.a a.plain.o && status 0 "$ks" inspect none.a && has 'no kernel was replaced'
head -c 200 lib.a > cut.a && status 2 "$ks" inspect cut.a && says 'damaged archive'
printf '!<arch>\n' > empty.a && status 0 "$ks" inspect empty.a && has 'no kernel was replaced'

# A program: the linker keeps the first stub, and `live` says whose. The program agrees: only a stub
# with a table leaves a trace (without a GPU, that the original ran).
kept() { # kept TRACES LIVE-IN-ORDER OBJECTS...
    local traces=$1 live=$2
    shift 2
    "$nvcc" -arch=sm_90 "$@" main.o -o program 2> log || fail "the link of $*"
    json 0 inspect program + kernels
    got=$(sed -n 's/.*"live": \(.*\),/\1/p' out | tr '\n' ' ')
    [ "$got" = "$live " ] || fail "$*: live is $got, not $live"
    [ "$(KS_TRACE=1 ./program 2>&1 | grep -c '^ks: step<2>')" = "$traces" ] || fail "$*: traces"
}
kept 2 true a.o b.plain.o
kept 0 false b.plain.o a.o
status 0 "$ks" inspect program
has 'step<2>, sm_90, in a: variant'
has "the linker kept another unit's stub of this kernel"
kept 2 'true false' a.o b.o
has '"unit": "a"'
has '"unit": "b"'
kept 2 'true false' b.o a.o

# What strip and section garbage collection leave: all but the unit.
for how in 'strip -s' 'strip --strip-unneeded' 'strip -g'; do
    cp program small
    $how small || fail "$how"
    json 0 inspect small + kernels
    has "\"variant\": \"$id\""
    has '"proved": true'
done
cp program small && strip -s small
status 0 "$ks" inspect small
has 'stripped: where several units hold one kernel, whose stub the linker kept cannot be told'
json 0 inspect small
has '"live": null'
has '"stripped": true'
for linker in bfd lld; do
    command -v ld.$linker > /dev/null || continue
    "$nvcc" -arch=sm_90 -dlink a.o b.o -o dlink.o || fail "device link"
    g++ -fuse-ld=$linker -Wl,--gc-sections -Wl,-s a.o b.o dlink.o main.o -o small \
        -L"$(dirname "$nvcc")/../lib64" -lcudadevrt -lcudart_static -lpthread -ldl -lrt 2> log ||
        fail "ld.$linker --gc-sections"
    json 0 inspect small + kernels
    has '"proved": true'
done
"$nvcc" -arch=sm_90 -shared a.o b.o -o lib.so 2> log || fail "a shared library"
status 0 "$ks" inspect lib.so && has "in a: variant $id"
strip -s lib.so && status 0 "$ks" inspect lib.so && has "step<2>, sm_90: variant $id"
# Not even section headers.
if llvm-strip-14 --strip-sections -o small program 2> /dev/null ||
   objcopy --strip-section-headers program small 2> /dev/null; then
    json 0 inspect small + kernels
    has "\"variant\": \"$id\""
    has '"proved": true'
fi

# Hook or table gone: said, of the object and of the program.
for section in .ks_hook .ks_table; do
    objcopy -R $section a.o a.cut.o || fail "objcopy"
    status 0 "$ks" inspect a.cut.o
    has 'cannot dispatch: hook or table are not in the file, so the originals run'
    objcopy -R $section program cut && json 0 inspect cut + kernels
    has '"proved": false'
    has '"live": false'
    lacks '"live": true'
done

# Signatures, now and here.
state() { # state NAME TEXT
    json 0 inspect a.o + kernels
    has "\"signature\": \"$1\""
    status 0 "$ks" inspect a.o
    has "$2"
}
state trusted "trusted ($variant)"
"$make_variant" --key=other.sec --resign "$variant" > /dev/null
state unknown-key 'unknown key now'
printf 'trust:\n  - %s\n' "$("$make_variant" --public --key=other.sec)" > ks.yaml
state trusted "trusted ($variant)"
echo '# a word' >> "$variant"
state untrusted 'untrusted now'
rm "$variant.minisig"
state untrusted 'no signature'
rm -r .ks
state absent 'not in the store here'
no_litter
