#!/usr/bin/env bash
# Mutants of the samples' kernels and of the fixtures that must be accepted, before the judge on this
# machine's GPU: which classes of mistakes it lets through. Prints a line a mutant, a table by class and a
# closing line of JSON; exit 0 if at least 95 % are killed, no class under 85 %; 77 without a GPU.
#   tests/gpu/mutation.sh [BUILD] [OUT] [LIMIT]     at most LIMIT mutants of each of 20 texts (40)
set -uo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "${1:-$root/build}" && pwd)
out=${2:-$build/gpu}
limit=${3:-40}
mkdir -p "$out"
export KS_CACHE_DIR=$out/cache KS_STATE_DIR=$out/state KS_CONFIG_DIR=$out/config
unset KS_MODE KS_DISABLE KS_TRACE KS_DEPS
cd "$root" || exit 1
targets=(samples/elementwise/chain.cu:{scale_bias_relu,multiply_add,clamp_square}
    samples/rowsum/rowsum.cu samples/transpose/transpose.cu samples/gemm/gemm.cu
    samples/stencil/stencil.cu:heat_step)
for fixture in tests/adversarial/A*/; do
    file=$(sed -n 's/^file: //p' "$fixture/expect.yaml")
    targets+=("$(realpath --relative-to=. "$fixture$file")=${fixture}proposal.yaml")
done
"$build/bin/ks-mutate" --limit="$limit" "${targets[@]}" >"$out/mutation.txt" 2>"$out/mutation.log"
status=$?
grep '^SURVIVED' "$out/mutation.txt"
sed -n '/^class /,$p' "$out/mutation.txt"
cat "$out/mutation.log" >&2
exit $status
