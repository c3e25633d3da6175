# Files that cannot be explained: one line, file:line, and the next step. The same for each verb.
. "$KS_TEST_SOURCE/tests/verbs/verbs.sh"
launcher 90
all() { # all STATUS TEXT WORDS...: of every verb that looks at a file
    local want=$1 text=$2 verb
    shift 2
    for verb in explain show diff tune; do
        status "$want" "$ks" $verb "$@"
        says "$text"
        one_line
    done
    json "$want" explain "$@"
}
write_scale good.cu
sed 's/in(x\[n\])/in(q[n])/' good.cu > bad.cu
all 2 'bad.cu:2: .*q.*its parameters are' bad.cu
sed 's/ks optimize/ks optimise/' good.cu > bad.cu
all 2 'bad.cu:1: .*optimise' bad.cu
# The other kernels of the file are told of all the same; a wrong mark over no kernel is told too.
sed "s/in(x\[n\])/in(q[n])/; s/scale/other/g; /^}/q" good.cu > two.cu
cat good.cu >> two.cu
printf '#pragma ks optimize\nint nothing;\n' >> two.cu
for target in two.cu two.cu:scale; do
    status 2 "$ks" explain $target
    says 'two.cu:2: .*q.*its parameters are'
    says "'int' on line .* stands between"
    grep -q '^two.cu:.* scale, sm_.*: pending' out || fail "$target: scale is not explained"
done
status 2 "$ks" explain two.cu
grep -q '^two.cu:3: other, sm_.*: bad-mark' out || fail "other's mark is right"
status 2 "$ks" tune two.cu:other && has 'the mark is wrong' # and scale would have been tuned
json 2 explain two.cu + kernels
has '"reason": "bad-mark"'
status 2 "$ks" explain --why two.cu:scale && has vectorize
sed '/^#pragma/d' good.cu > plain.cu
all 2 'plain.cu: no kernel is marked; put .*docs/marks.md' plain.cu
sed 's/y\[i\] =/y[i] = nothing_of_that_name +/' good.cu > broken.cu
all 2 'broken.cu does not compile with these options: broken.cu(7): error' broken.cu
all 2 'does not compile with these options: .*sm_999' good.cu -- -arch=sm_999
all 2 'good.cu: -E only preprocesses; give the nvcc options of its compile behind --' good.cu -- -E
all 2 'no marked kernel `other`; there are: scale' good.cu:other
cp good.cu header.cuh
all 2 'header.cuh: a header .*give one of them' header.cuh
(printf '#pragma ks off\nint first;\n'; cat good.cu) > off.cu
all 2 "off.cu: the file's first mark is .ks off.: .*remove that line" off.cu

# Marks of ks.yaml that reach nothing, and a ks.yaml that may not be believed.
mkdir side
sed '/^#pragma/d' good.cu > side/v.cu
printf 'kernels:\n  - file: "*.cu"\n    kernel: scal\n' > side/ks.yaml
all 2 'v.cu: no kernel is marked; .*side/ks.yaml:2 names `scal`, which it does not define' side/v.cu
chmod o+w side/ks.yaml
all 2 "v.cu: no kernel is marked, and .*side/ks.yaml can be written by everybody; mend" side/v.cu

# Nothing said: the options of the build that left it pending; a template's name for its instances.
cat > step.cu <<'END'
#pragma ks optimize
template <int K> __global__ void step(float *x) { x[0] = K; }
#ifdef SEVEN
template __global__ void step<7>(float *);
#endif
END
mkdir build
(cd build && compile -arch=sm_86 -DSEVEN -c ../step.cu -o step.o)
for target in step.cu step.cu:step step 'step<7>'; do
    status 0 "$ks" explain "$target"
    has 'step.cu:2: step<7>, sm_86: pending'
    has 'it has no workload line, and tuning needs one'
done
json 0 explain step.cu + kernels
has '"text": "it has no workload line'
status 0 "$ks" explain step.cu && has "compiled as the build in $PWD/build did"
status 2 "$ks" run step.cu -- -DSEVEN && says 'step.cu:1: the kernel has no workload to be run with'
status 1 "$ks" show step.cu && has 'kernel step<7> for sm_86'
status 0 "$ks" explain step.cu -- -arch=sm_90
has 'step.cu:2: step: not-compiled'
lacks sm_0

# A struct by value: clauses name its members, and what they forget is told. One variant right, one wrong.
cat > job.cu <<'END'
struct job { const float *x; float *y; float a; unsigned n; };
#pragma ks optimize
#pragma ks workload let(n=2048) set(p.a=2.5, p.n=n) in(p.x[n]=uniform(-1,1)) out(p.y[n]) grid(ceildiv(n,128)) block(128)
__global__ void scale(job p)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < p.n)
        p.y[i] = p.a * p.x[i];
}
END
cat > job.yaml <<'END'
params: [p]
source: |
  __global__ void scale(job p)
  {
      for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < p.n; i += blockDim.x * gridDim.x)
          p.y[i] = p.a * p.x[i];
  }
plan:
  - {kernel: scale, grid: ["grid.x"], block: ["block.x"], args: [p]}
END
status 0 "$ks" verify job.cu --variant job.yaml --device emu --no-sandbox
has 'CORRECT'
has 'domain       passed'
sed -i 's/p\.a \* /2.5f + /' job.yaml
status 1 "$ks" verify job.cu --variant job.yaml --device emu --no-sandbox
has 'WRONG'
sed -i 's/set(p.a=2.5, /set(/' job.cu
status 2 "$ks" verify job.cu --variant job.yaml --device emu --no-sandbox
says "job.cu:3: member 'p.a' (float) of job is given nothing; add set(p.a=...)"
sed -i "s,set(p.n=n) in(p.x.n.=uniform(-1\,1)) out(p.y.n.),set(p=1)," job.cu
status 2 "$ks" explain job.cu
has "job.cu:3: parameter 'p' of type job cannot be set by a clause; set its members, as in set(p.n=1), or capture a launch"

# A lambda's members have no names that a clause could say.
cat > lambda.cu <<'END'
#pragma ks workload inout(x[4]) set(f=1) grid(1) block(4)
template <class F> __global__ void each(float *x, F f) { x[threadIdx.x] = f(x[threadIdx.x]); }
void run(float *x, float by) { each<<<1, 4>>>(x, [=] __device__(float v) { return by * v; }); }
END
status 2 "$ks" explain lambda.cu -- --extended-lambda
has "lambda.cu:1: parameter 'f' of type run (float*,float)::{lambda (float)#1} cannot be set by a clause; capture a launch"

# A flag by its word, an enum by its number: one value, which the domain asks for; the proposal may name the enum.
cat > turn.cu <<'END'
namespace way { enum class turn : unsigned char { left, right = 200 }; }
#pragma ks optimize
#pragma ks workload let(n=2048) set(to=200, twice=true) inout(x[n]=uniform(-1,1)) grid(ceildiv(n,128)) block(128)
__global__ void go(float *x, int n, way::turn to, bool twice)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] *= (to == way::turn::right ? 3.f : 5.f) * (twice ? 2.f : 1.f);
}
END
cat > turn.yaml <<'END'
params: [x, n, to, twice]
source: |
  __global__ void go(float *x, int n, way::turn to, bool twice)
  {
      for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
          x[i] *= (to == way::turn::right ? 3.f : 7.f) * (twice ? 2.f : 1.f);
  }
plan:
  - {kernel: go, grid: ["grid.x"], block: ["block.x"], args: [x, n, to, twice]}
END
for clauses in 'set(to=200, twice=true)' 'let(to=200, twice=true)' 'let(twice=1) set(to=100 * 2)'; do
    sed "s/set(.*true)/$clauses/" turn.cu > turned.cu
    status 0 "$ks" verify turned.cu --variant turn.yaml --device emu --no-sandbox
    has 'CORRECT'
    has 'domain       passed'
done
sed 's/to=200/to=0/' turn.cu > turned.cu
status 1 "$ks" verify turned.cu --variant turn.yaml --device emu --no-sandbox
has 'WRONG'
sed 's/to=200/to.n=200/' turn.cu > turned.cu
status 2 "$ks" explain turned.cu
has "turned.cu:3: parameter 'to' of type way::turn is an enum and has no members; give it a number, as in set(to=0)"
sed 's/to=200/to=300/' turn.cu > turned.cu
status 2 "$ks" run turned.cu
says 'to = 300 does not fit its type way::turn'

# nullptr is for pointers, whatever they are called.
cat > call.cu <<'END'
typedef float *place;
typedef float (*change)(float);
struct none { int n; };
#pragma ks workload inout(x[4]) set(y=nullptr) set(f=nullptr) grid(1) block(4)
__global__ void call(float *x, place y, change f) { x[threadIdx.x] = y ? y[0] : f(x[threadIdx.x]); }
END
status 0 "$ks" explain call.cu -- -arch=sm_90
has 'call.cu:5: call, sm_90: indirect-call'
sed -i 's/change f/none f/; s/f(x.threadIdx.x.)/f.n/' call.cu
status 2 "$ks" explain call.cu
has "call.cu:4: set(f=nullptr): 'f' is no pointer but none"

# An enumerator is chosen by its number; inst() that chooses nothing says what there is.
cat > paint.cu <<'END'
enum class colour { red, green };
#pragma ks optimize inst(colour::green)
#pragma ks workload out(x[1]) grid(1) block(1)
template <colour C> __global__ void paint(int *x) { x[0] = (int)C; }
template __global__ void paint<colour::green>(int *);
END
status 0 "$ks" explain paint.cu -- -arch=sm_90
has 'inst() names none of those compiled: paint<(colour)1>'
status 2 "$ks" run paint.cu
says 'paint.cu: no marked kernel was compiled: inst() names none'
sed 's/inst(.*)/inst(1)/' paint.cu > green.cu
status 0 "$ks" explain green.cu -- -arch=sm_90
has 'green.cu:4: paint<(colour)1>, sm_90: pending'
mkdir sided
sed '/^#pragma/d' paint.cu > sided/paint.cu
printf 'kernels:\n  - file: paint.cu\n    kernel: paint<0>\n    workloads:\n      - out(x[1]) grid(1) block(1)\n' > sided/ks.yaml
status 0 "$ks" explain sided/paint.cu -- -arch=sm_90
has 'ks.yaml names none of those compiled: paint<(colour)1>'
sed -i 's/<0>/<1>/' sided/ks.yaml
status 0 "$ks" explain sided/paint.cu -- -arch=sm_90
has 'paint<(colour)1>, sm_90: pending'

# A variant without the original's assert is stored as one, and told of.
cat > sure.cu <<'END'
#include <cassert>
#pragma ks workload let(n=2048) in(i[n]=randint(0,100)) in(x[n]=uniform(-1,1)) out(y[n]) grid(ceildiv(n,128)) block(128)
__global__ void sure(const int *i, const float *x, float *y, int n)
{
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    assert(at >= n || i[at] >= 0);
    if (at < n)
        y[at] = 2.f * x[at];
}
END
cat > sure.yaml <<'END'
params: [i, x, y, n]
source: |
  __global__ void sure(const float *x, float *y, int n)
  {
      for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
          y[i] = 2.f * x[i];
  }
plan:
  - {kernel: sure, grid: ["grid.x"], block: ["block.x"], args: [x, y, n]}
END
status 0 "$ks" verify sure.cu --variant sure.yaml --device emu --no-sandbox
has 'note: an assert or a trap of the original is not in the variant'
# One that stops there too, if without the text, leaves nothing out.
sed 's/const float \*x, float/const int *at, const float *x, float/; s/^          y\[i\]/          if (at[i] < 0) __trap(); else y[i]/; s/args: \[x/args: [i, x/' sure.yaml > trap.yaml
status 0 "$ks" verify sure.cu --variant trap.yaml --device emu --no-sandbox
lacks 'assert'
sed -i 's/^    assert.*$//' sure.cu
status 0 "$ks" verify sure.cu --variant sure.yaml --device emu --no-sandbox
lacks 'assert'

export KS_NVCC_REAL=/nowhere/nvcc
all 2 'KS_NVCC_REAL' good.cu
no_litter
