# Tuning without a GPU: the emulated device judges, a model ranks, and builds take the outcome only where they ask
# for modelled evidence. What is modelled never stands in the way of what was measured.
. "$KS_TEST_SOURCE/tests/verbs/verbs.sh"
# A sample, as its user would: a copy, no decision yet, one attempt, and all the time that a busy machine needs.
cp -r "$KS_TEST_SOURCE/samples/common" "$KS_TEST_SOURCE/samples/transpose" .
cd transpose || exit 1
rm -rf .ks
sed -i 's/^#pragma ks optimize$/#pragma ks optimize budget(1)/' transpose.cu
words=(-arch=sm_90 -std=c++17)

# Nobody named a device: the emulated one is taken, and that is said in one line.
json 0 tune transpose.cu --budget=15m -- "${words[@]}" + kernels
[ "$(grep -c 'on the emulated device' log)" = 1 ] || fail "the choice of the device is not said in one line"
has '"status": "variant"' && has '"evidence": "modelled"' && has 'modelled for NVIDIA H200'
stored=$(find .ks -name '*.yaml')
[ "$(wc -l <<< "$stored")" = 1 ] || fail "stored: $stored"
grep -q '^speed: MODELLED' "$stored" && grep -q '  level: modelled' "$stored" || fail "$stored hides that it was modelled"
grep -q 'emulated with rows=' "$stored" || fail "the sizes that ran are not in the evidence"
[ -z "$(find .ks -name original.yaml)" ] || fail "a model decided that the original stays"

# The default takes what was measured alone, and leaves the kernel pending.
compile "${words[@]}" -c transpose.cu -o a.o
plain a.o && reason evidence-level
status 0 "$ks" stats && has 'pending now: 1'
status 0 "$ks" inspect a.o && lacks transpose
status 1 "$ks" diff transpose.cu -- "${words[@]}"
says 'not used (evidence-level)' && says 'modelled evidence only'
status 0 "$ks" explain transpose.cu -- "${words[@]}" && has ': evidence-level'
status 0 "$ks" explain transpose.cu --device emu -- "${words[@]}" && has ': applied'
export KS_ACCEPT=modelled
# Where the build asks for it, the program carries the variant.
compile "${words[@]}" transpose.cu -o program
substituted program && reason applied && says 'modelled for NVIDIA H200'
json 0 inspect program + kernels
has '"kernel": "transpose"' && has modelled && has "$(basename "$stored" .yaml)"
status 0 "$ks" list && has ' modelled '
status 0 "$ks" explain transpose.cu && has ', modelled, signed by'
json 0 stats + builds && has '"modelled": 1'
status 0 "$ks" stats && has '1 of the applied on modelled evidence'
status 0 "$ks" tune transpose.cu --device emu -- "${words[@]}" && has 'decided before (applied)'

# The judge on its own gives the same word, and no confirmation of a speed.
json 0 verify transpose.cu --device=emu + verdicts 'verdicts[].timings'
has '"correctness": "CORRECT"' && has '"speed": "MODELLED"'

# PTX of another architecture is emulated too, and its GPU is another.
json 0 verify transpose.cu --variant "$stored" --device=emu --set rows=200 --set cols=300 -- -arch=sm_80 -std=c++17
has '"correctness": "CORRECT"' && has 'modelled for NVIDIA A100 80GB'

# A GPU is not kept from measuring: there, the variant is no decision.
launcher 90
status 100 "$ks" tune transpose.cu -- "${words[@]}" && lacks 'decided before'
unset KS_DEVICE

# The same code measured: no modelled evidence replaces it. make_variant signs what it is given.
id=$(basename "$stored" .yaml) key=$(basename "$(dirname "$stored")")
sed -n '/^params:/,/^domain:/p' "$stored" | sed '/^domain:/d' > p.yaml
variant p.yaml transpose.cu -- "${words[@]}"
[ "$variant" -ef "$stored" ] || fail "another variant: $variant"
grep -q '  level: measured' "$stored" || fail "what is measured does not replace what was modelled"
cp "$stored" before
variant --level=modelled p.yaml transpose.cu -- "${words[@]}"
same before "$stored"

# That the original stays was measured too: it wins, and is not withdrawn.
rm -r ".ks/$key"
variant --original transpose.cu -- "${words[@]}"
variant --level=modelled p.yaml transpose.cu -- "${words[@]}"
[ -e ".ks/$key/original.yaml" ] || fail "a modelled variant withdraws a decision"
[ -e ".ks/$key/$id.yaml" ] || fail "the modelled variant is not there"
compile "${words[@]}" -c transpose.cu -o c.o
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
# Where no action knows what to do with a kernel, the first one's reason is told with its line.
cat > lambda.cu <<'END'
#pragma ks optimize
#pragma ks workload let(n=4000) in(x[n]) out(y[n]) grid(ceildiv(n,256)) block(256)
__global__ void squares(const float *x, float *y, int n)
{
    auto square = [](float v) { return v * v + 1.5f; };
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && i % 3 != 1)
        y[i] = square(x[i]) * sinf(x[(i * 7) % n]);
}
END
status 0 "$ks" tune lambda.cu --device emu --budget 30s -- "${words[@]}"
has '0 looked at (' && has ': line 5: lambda is not understood'

# Machine text that the device makes nothing of is the candidate's matter, not the tool's.
cat > squares.yaml << 'END'
source: |
  __global__ void k(const float *x, float *y, int n)
  {
      float many[1 << 18];
      many[n] = 1;
      if (many[n / 2] != 77)
          y[0] = x[0];
  }
plan:
  - {kernel: k, grid: [1], block: [32], args: [x, y, n]}
END
status 1 "$ks" verify lambda.cu:squares --variant squares.yaml --device emu --no-sandbox -- "${words[@]}"
has 'UNSUPPORTED: this device cannot judge it: PTX line' && has 'more than 512 KiB of local memory'
cd .. && no_litter
