# Tuning without a GPU: the emulated device judges, a model ranks, and builds take the outcome only where they ask
# for modelled evidence. What is modelled never stands in the way of what was measured.
. "$KS_TEST_SOURCE/tests/verbs/verbs.sh"
touch ks.yaml
cat > a.cu <<'END_CU'
#pragma ks optimize
#pragma ks workload let(n=67108864) set(a=1.5) in(x[n]=uniform(-1,1)) out(y[n]) grid(ceildiv(n,256)) block(256)
__global__ void scale(const float *x, float *y, float a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + 1.0f;
}
void run(float *x, float *y, int n) { scale<<<(n + 255) / 256, 256>>>(x, y, 1.5f, n); }
END_CU

# Nobody named a device: the emulated one is taken, and that is said in one line.
json 0 tune a.cu + kernels
[ "$(grep -c 'on the emulated device' log)" = 1 ] || fail "the choice of the device is not said in one line"
has '"status": "variant"' && has '"evidence": "modelled"' && has 'modelled for NVIDIA H200'
stored=$(find .ks -name '*.yaml')
[ "$(wc -l <<< "$stored")" = 1 ] || fail "stored: $stored"
grep -q '^speed: MODELLED' "$stored" && grep -q '  level: modelled' "$stored" || fail "$stored hides that it was modelled"
grep -q 'emulated with n=' "$stored" || fail "the sizes that ran are not in the evidence"
[ -z "$(find .ks -name original.yaml)" ] || fail "a model decided that the original stays"

# The default takes what was measured alone, and leaves the kernel pending.
compile -arch=sm_90 -c a.cu -o a.o
plain a.o && reason evidence-level
status 0 "$ks" stats && has 'pending now: 1'
export KS_ACCEPT=modelled
compile -arch=sm_90 -c a.cu -o b.o
substituted b.o && reason applied && says 'modelled for NVIDIA H200'
status 0 "$ks" inspect b.o && has modelled
status 0 "$ks" list && has ' modelled '
status 0 "$ks" explain a.cu && has ', modelled, signed by'
json 0 stats + builds && has '"modelled": 1'
status 0 "$ks" stats && has '1 of the applied on modelled evidence'
status 0 "$ks" tune a.cu && has 'decided before (applied)'

# The judge on its own gives the same word, and no confirmation of a speed.
json 0 verify a.cu --device=emu + verdicts 'verdicts[].timings'
has '"correctness": "CORRECT"' && has '"speed": "MODELLED"'

# PTX of another architecture is emulated too, and its GPU is another.
json 0 verify a.cu --variant "$stored" --device=emu --set n=40000 -- -arch=sm_80
has '"correctness": "CORRECT"' && has 'modelled for NVIDIA A100 80GB'

# A GPU is not kept from measuring: there, the variant is no decision.
launcher 90
status 100 "$ks" tune a.cu && lacks 'decided before'
unset KS_DEVICE

# The same code measured: no modelled evidence replaces it. make_variant signs what it is given.
id=$(basename "$stored" .yaml) key=$(basename "$(dirname "$stored")")
sed -n '/^params:/,/^domain:/p' "$stored" | sed '/^domain:/d' > p.yaml
variant p.yaml a.cu -- -arch=sm_90
[ "$variant" -ef "$stored" ] || fail "another variant: $variant"
grep -q '  level: measured' "$stored" || fail "what is measured does not replace what was modelled"
cp "$stored" before
variant --level=modelled p.yaml a.cu -- -arch=sm_90
same before "$stored"

# That the original stays was measured too: it wins, and is not withdrawn.
rm -r ".ks/$key"
variant --original a.cu -- -arch=sm_90
variant --level=modelled p.yaml a.cu -- -arch=sm_90
[ -e ".ks/$key/original.yaml" ] || fail "a modelled variant withdraws a decision"
[ -e ".ks/$key/$id.yaml" ] || fail "the modelled variant is not there"
compile -arch=sm_90 -c a.cu -o c.o
plain c.o && reason original-wins

# An original that fails on smaller sizes alone is not accused: one size stays as it is declared. Where nothing
# bearable serves, the message says what the sizes stand for.
cat > gather.cu <<'END_CU'
#pragma ks optimize
#pragma ks workload let(n=262144,m=524288) in(x[n]) in(at[m]=randint(0,262143)) out(y[m]) grid(ceildiv(m,256)) block(256)
__global__ void gather(const float *x, const int *at, float *y, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < m)
        y[i] = x[at[i + SKIP]];
}
END_CU
cat > wrong.yaml <<'END_YAML'
params: [x, at, y, n, m]
source: |
  __global__ void k(float *y, int m)
  {
      for (int i = threadIdx.x; i < m; i += 128)
          y[i] = 1.0f;
  }
plan:
  - {kernel: k, grid: [1], block: [128], args: [y, m]}
END_YAML
status 1 "$ks" verify gather.cu --variant wrong.yaml --device emu -- -arch=sm_90 -DSKIP=0
has ': WRONG: '
has 'emulated with n=262144,m=65536 in place of the declared sizes'
sed -i 's/m=524288/m=1048576/' gather.cu
status 1 "$ks" verify gather.cu --variant wrong.yaml --device emu -- -arch=sm_90 -DSKIP=1048576-m
has 'BASELINE_FAULT: '
has 'These sizes stand for the declared ones'
no_litter
