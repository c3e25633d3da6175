#!/bin/bash
# model.sh KS SOURCE: the modelled times prefer the samples' variants, which an H200 measured as faster, to
# their originals; and an original that is proposed as a variant of itself gains nothing.
set -u
ks=$1 source=$2
nvcc=${KS_NVCC_REAL:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
[ -x "$nvcc" ] && "$nvcc" --version | grep -q 'V13\.0\.88' ||
    { echo "the samples were tuned with nvcc 13.0.88: skipped"; exit 77; }
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
export HOME=$dir KS_NVCC_REAL=$nvcc
unset KS_CACHE_DIR KS_STATE_DIR KS_CONFIG_DIR KS_MODE KS_DEVICE
cp -r "$source/samples" "$dir/samples"
words=(-O3 -DNDEBUG -std=c++17 "--generate-code=arch=compute_90,code=[compute_90,sm_90]")
bad=0
# ratio FILE.cu:KERNEL WORDS...: "CORRECTNESS SPEED RATIO" of the first verdict.
ratio() {
    local file=$1
    shift
    (cd "$(dirname "$file")" &&
     "$ks" --json verify "$(basename "$file")" --device=emu "$@" -- "${words[@]}" 2> "$dir/log") |
        tr -d '",' | awk '$1 == "correctness:" { c = $2 } $1 == "speed:" { s = $2 }
                          $1 == "geomean:" { print c, s, $2; exit }'
}
for one in elementwise/chain.cu:scale_bias_relu rowsum/rowsum.cu:row_sum \
           transpose/transpose.cu:transpose gemm/gemm.cu:gemm; do
    read -r correct speed gain < <(ratio "$dir/samples/$one")
    echo "$one: $correct $speed $gain"
    [ "$correct $speed" = 'CORRECT MODELLED' ] || { cat "$dir/log"; bad=1; }
    awk -v g="$gain" 'BEGIN { exit !(g > 1.05) }' || { echo "not preferred"; bad=1; }
done
cat > "$dir/same.yaml" <<'END_YAML'
params: [x, y, a, b, n]
source: |
  __global__ void again(const float *x, float *y, float a, float b, int n)
  {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) {
          float v = a * x[i] + b;
          y[i] = v > 0.0f ? v : 0.0f;
      }
  }
when: "grid.x * block.x >= n"
plan:
  - {kernel: again, grid: [grid.x], block: [block.x], args: [x, y, a, b, n]}
END_YAML
read -r correct speed gain < <(ratio "$dir/samples/elementwise/chain.cu:scale_bias_relu" --variant "$dir/same.yaml")
echo "the original as its own variant: $correct $speed $gain"
[ "$correct $speed" = 'CORRECT NOT_FASTER' ] || { cat "$dir/log"; bad=1; }
exit $bad
