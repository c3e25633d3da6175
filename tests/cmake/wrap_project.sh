# CMake with ks-nvcc as its CUDA compiler, both generators: configured, built, rebuilt when a variant
# comes or goes, and nothing else.
. "$KS_TEST_SOURCE/tests/lib.sh"
command -v cmake > /dev/null || skip "no cmake"
mkdir -p project/transpose
cp -r "$KS_TEST_SOURCE/samples/common" project/
cp "$KS_TEST_SOURCE"/samples/transpose/{CMakeLists.txt,transpose.cu} project/transpose/
cd project/transpose || exit 1
sed '/#pragma ks/,/^[^#]*$/{/#pragma ks/d}' transpose.cu | sed '/grid(ceildiv/d; /int main/,$d' |
    sed 's/void transpose/void unmarked/' > other.cu
sed -i 's/add_executable(transpose/& other.cu/' CMakeLists.txt
touch ks.yaml # a project: variants go below it
cat > p.yaml <<'END'
params: [a, b, rows, cols]
source: |
  __global__ void tiled(const float *a, float *b, int rows, int cols)
  {
      __shared__ float tile[32][33];
      int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
      for (int k = 0; k < 32; k += 8)
          if (r + k < rows && c < cols)
              tile[threadIdx.y + k][threadIdx.x] = a[(size_t)(r + k) * cols + c];
      __syncthreads();
      c = blockIdx.y * 32 + threadIdx.x;
      r = blockIdx.x * 32 + threadIdx.y;
      for (int k = 0; k < 32; k += 8)
          if (r + k < cols && c < rows)
              b[(size_t)(r + k) * rows + c] = tile[threadIdx.x][threadIdx.y + k];
  }
plan:
  - {kernel: tiled, grid: ["ceildiv(cols,32)", "ceildiv(rows,32)"], block: [32, 8], args: [a, b, rows, cols]}
END

build() { cmake --build build -v > log 2>&1 || fail "the build"; }
compiled() { # compiled N: so many device compiles did the last build run
    local n
    n=$(grep -c -e ' -c .*\.cu ' log)
    [ "$n" = "$1" ] || fail "$n compiles, not $1"
}
for generator in Ninja "Unix Makefiles"; do
    [ "$generator" = Ninja ] && ! command -v ninja > /dev/null && continue
    rm -rf build .ks
    cmake -G "$generator" -S . -B build -DCMAKE_CUDA_COMPILER="$ks_nvcc" > log 2>&1 ||
        fail "$generator does not configure"
    grep -q "The CUDA compiler identification is NVIDIA $("$nvcc" --version | sed -n 's/.*, V//p')" log ||
        fail "the compiler's identity"
    object=$(realpath -m build/CMakeFiles/transpose.dir/transpose.cu.o)
    build
    compiled 2
    plain "$object"
    [ -e .ks/index ] || fail "no index"
    build
    compiled 0

    index=$(cat .ks/index)
    variant p.yaml transpose.cu -- -arch=sm_90 -O3 -std=c++17
    [[ $variant == $PWD/.ks/* ]] || fail "the variant is at $variant"
    build
    compiled 1
    substituted "$object"
    has_section build/transpose .ks_note || fail "the program has no note"
    build
    compiled 0

    rm -r "$(dirname "$variant")" # withdrawn, as by a checkout
    printf '%s' "$index" > .ks/index
    build
    compiled 1
    plain "$object"
    build
    compiled 0
done
cd ../..
no_litter
