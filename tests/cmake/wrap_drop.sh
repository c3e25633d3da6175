# One bad variant drops only itself, with its own reason; the manifest remembers what is left.
. "$KS_TEST_SOURCE/tests/lib.sh"

# Three kernels, each with a variant that calls a helper of the unit.
n=0
for k in one two three; do
    n=$((n + 1)) # another kernel each: equal ones have one key
    cat <<END
__device__ float of_$k(float v) { return v; }
#pragma ks optimize
#pragma ks workload let(n=1024) inout(v[n]) grid(ceildiv(n,256)) block(256)
__global__ void $k(float *v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        v[i] += $n;
}
void run_$k(float *v, int n) { $k<<<(n + 255) / 256, 256>>>(v, n); }
END
    cat > $k.yaml <<END
params: [v, n]
source: |
  __global__ void fast_$k(float *v, int n)
  {
      for (int i = blockIdx.x * 128 + threadIdx.x; i < n; i += gridDim.x * 128)
          v[i] = of_$k(v[i]) + $n;
  }
when: n >= 128
plan: [{kernel: fast_$k, grid: ["n / 128"], block: 128, args: [v, n]}]
END
done > a.cu
sed 's/n \/ 128/n \/ 256 + 1/' one.yaml > slow_one.yaml
for k in one two three; do
    variant --kernel=$k $k.yaml a.cu -- -arch=sm_90
    declare path_$k="$variant"
done
count_runs
words=(-arch=sm_90 -objtemp -c a.cu -o a.o)
build() { # build COMPILES: and that many runs of the compiler
    : > runs
    sleep 0.02 # a file as new as the process is not remembered
    compile "${words[@]}"
    runs "$1"
}
is() { says "remark: $1: .*\[ks:$2\]\$"; } # is KERNEL REASON
notes() { # notes KERNELS: whose variants the object holds
    local found
    found=$(readelf -p .ks_note a.o 2> /dev/null | grep -o 'kernel=[a-z]*' | sed 's/.*=//' |
        sort | xargs)
    [ "$found" = "$1" ] || fail "the object has variants of '$found', not '$1'"
}

build 2
for k in one two three; do is $k applied; done
notes "one three two"

# Its evidence is of other machine code: everything but that variant stays.
cp "$path_two" two.good
sed -i 's/sass: ..../sass: 0000/' "$path_two"
"$make_variant" --resign "$path_two" > /dev/null || fail resign
for compiles in 3 1 1; do
    build $compiles
    is one applied
    is two variant-differs
    is three applied
    notes "one three"
    mv a.o round$compiles.o
done
same round3.o round1.o
ks=$KS_TEST_BIN/ks
if [ -x "$ks" ]; then
    "$ks" stats > log 2>&1 || fail "ks stats"
    says 'variant-differs'
    "$ks" --json explain a.cu -- -arch=sm_90 > log 2>&1 || fail "ks explain"
    [ "$(grep -c '"status": "substituted"' log)" = 2 ] || fail "explain tells of other kernels"
    says '"reason": "variant-differs"'
fi
status 1 "$ks_nvcc" --ks-mode=strict "${words[@]}"
says '`two` has no decision for sm_90'
grep -q '`one`\|`three`' log && fail "strict names a kernel that is substituted"
[ ! -e a.o ] || fail "strict leaves an object"

# One more is bad in another way: its text does not compile here. Both reasons in one build.
sed -i '/of_three/d' a.cu
sed -i 's/__device__ float of_/__device__ float is_/' a.cu
build 2
is one shadow-failed
is three shadow-failed
is two shadow-failed
notes ""
sed -i 's/__device__ float is_one/__device__ float of_one/' a.cu
sed -i 's/__device__ float is_two/__device__ float of_two/' a.cu
for compiles in 4 1; do
    build $compiles
    is one applied
    is two variant-differs
    is three shadow-failed
    says 'three: .*identifier "of_three" is undefined'
    notes one
done

# So may its assembly be, which ptxas alone reads: it tells of a line.
sed -i 's/\(float of_two(float v) { \)return/\1asm("bogus %0;" : "+f"(v)); return/' a.cu
for compiles in 4 1; do
    build $compiles
    is one applied
    is two shadow-failed
    says "two: .*Not a name of any known instruction: 'bogus'"
    is three shadow-failed
    notes one
done
sed -i 's/asm("bogus.*(v)); //' a.cu

# The evidence is put right: another set, tried anew.
cp two.good "$path_two"
"$make_variant" --resign "$path_two" > /dev/null || fail resign
for compiles in 3 1; do
    build $compiles
    is two applied
    is three shadow-failed
    notes "one two"
done

# Of two variants of one kernel the one that holds is used.
sed -i 's/sass: ..../sass: 0000/' "$path_one"
"$make_variant" --resign "$path_one" > /dev/null || fail resign
variant --lower=1.2 --kernel=one slow_one.yaml a.cu -- -arch=sm_90
for compiles in 4 1; do
    build $compiles
    is one applied
    says "remark: one: variant $(basename "$variant" .yaml) for"
    says "remark: one: variant $(basename "$path_one" .yaml) is left out: .*\[ks:variant-differs\]"
    notes "one two"
done
if [ -x "$ks" ]; then
    "$ks" explain a.cu:one -- -arch=sm_90 > log 2>&1 || fail "ks explain"
    says ": one, sm_90: applied"
    says "^  variant $(basename "$path_one" .yaml), left out: "
    says "^    variant-differs: "
    says "^  variant $(basename "$variant" .yaml): 1"
    "$ks" explain a.cu:three -- -arch=sm_90 > log 2>&1 || fail "ks explain"
    says "^  variant $(basename "$path_three" .yaml), left out: "
fi
no_litter
