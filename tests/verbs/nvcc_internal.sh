# Kernels of internal linkage in units that show no name to others: what each compile calls them differs, by the number of
# nvcc's process. They are judged, stored and taken like any other.
. "$KS_TEST_SOURCE/tests/verbs/verbs.sh"
cat > turn.cu <<'END_CU'
namespace {
#pragma ks optimize budget(1)
#pragma ks workload let(rows=2048) let(cols=2048) in(a[rows*cols]) out(b[rows*cols]) grid(ceildiv(cols,32), ceildiv(rows,8)) block(32,8)
template <class T> __global__ void transpose(const T *a, T *b, int rows, int cols)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols)
        b[col * rows + row] = a[row * cols + col];
}
void (*const kernel)(const float *, float *, int, int) = transpose<float>;
struct starter {
    starter() { kernel<<<1, 1>>>(nullptr, nullptr, 0, 0); }
} start;
}
END_CU
for name in one other; do
    echo "// $name" >> turn.cu
    "$nvcc" -arch=sm_90 -ptx turn.cu -o "$name.ptx" && sed -n 's/.*\.entry \([^(]*\).*/\1/p' "$name.ptx" > "$name"
done
cmp -s one other && fail "both compiles call the kernel $(cat one), so this shows nothing"
json 0 tune turn.cu --device emu --budget=15m -- -arch=sm_90 + kernels
has '"status": "variant"'
export KS_ACCEPT=modelled
compile -arch=sm_90 -c turn.cu -o turn.o
substituted turn.o && reason applied

# A function without a name outside among the template's arguments, and an internal kernel of a unit that is linked later.
cat > each.cu <<'END_CU'
static __device__ float triple(float v) { return 3 * v; }
#pragma ks optimize
#pragma ks workload let(n=4096) in(x[n]) out(y[n]) grid(ceildiv(n,128)) block(128)
template <float (*op)(float)> static __global__ void each(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = op(x[i]);
}
static void (*const kernel)(const float *, float *, int) = each<triple>;
static struct starter {
    starter() { kernel<<<1, 1>>>(nullptr, nullptr, 0); }
} start;
END_CU
cat > each.yaml <<'END_YAML'
params: [x, y, n]
source: |
  __global__ void k(const float *x, float *y, int n)
  {
      int i = blockIdx.x * 256 + threadIdx.x;
      if (i < n)
          y[i] = 3 * x[i];
  }
plan:
  - {kernel: k, grid: ["ceildiv(n,256)"], block: [256], args: [x, y, n]}
END_YAML
for words in "" -rdc=true; do
    # shellcheck disable=SC2086
    json 0 verify each.cu --variant each.yaml --device=emu -- -arch=sm_90 $words + verdicts
    has '"correctness": "CORRECT"'
    sed 's/3 \* x/4 * x/' each.yaml > wrong.yaml
    # shellcheck disable=SC2086
    json 1 verify each.cu --variant wrong.yaml --device=emu -- -arch=sm_90 $words + verdicts
    has '"correctness": "WRONG"'
done
# Where the original fails, the line is found by a compile of its own.
sed 's/op(x\[i\])/op(x[i + 1])/' each.cu > beyond.cu
status 1 "$ks" tune beyond.cu --device emu -- -arch=sm_90
says 'at beyond.cu:8'
# It is told as long as nothing else came of the kernel.
status 0 "$ks" explain beyond.cu -- -arch=sm_90
has 'pending'
has 'as tuning here found: beyond.cu:'
has 'at beyond.cu:8'
# However much there is to tell, both places of a race are told, and the next step.
cat > a_kernel_whose_file_has_a_name_of_some_length.cu <<'EOF'
#pragma ks workload let(number_of_rows=32, number_of_columns=160, threads_of_a_block=128) in(x[number_of_rows]) \
    out(y[number_of_rows]) grid(1) block(threads_of_a_block) shared(4*threads_of_a_block)
__global__ void sums(const float *x, float *y, int number_of_rows, int number_of_columns)
{
    extern __shared__ float part[];
    part[threadIdx.x] = threadIdx.x < number_of_rows ? x[threadIdx.x] : 0;
    float sum = 0;
    for (int i = 0; i < blockDim.x; i++)
        sum += part[i];
    if (threadIdx.x < number_of_rows)
        y[threadIdx.x] = sum + number_of_columns;
}
EOF
status 1 "$ks" tune a_kernel_whose_file_has_a_name_of_some_length.cu --device emu -- -arch=sm_90
says 'some_length.cu:9; the earlier one by thread .* at a_kernel_whose_file_has_a_name_of_some_length.cu:6'
says 'put a barrier between the two .*, or a fence and an atomic$'
