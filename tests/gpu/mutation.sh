#!/usr/bin/env bash
# Mutants of the samples' kernels and of the fixtures that must be accepted, before the judge on this
# machine's GPU: which classes of mistakes it lets through. Prints the survivors, a table by class and a
# closing line of JSON; exit 0 if at least 95 % are killed, no class of five or more under 85 %, of at least 400
# mutants unless a lower LIMIT is given; classes of fewer than five have no rate and are named. 77 without a GPU.
# `--device=emu` needs none.
#   tests/gpu/mutation.sh [--device=NAME] [BUILD] [OUT] [LIMIT]   at most LIMIT mutants of each of 24 texts
#                                                                (24); JOBS=N at a time
set -uo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
device=
case ${1:-} in --device=*) device=$1; shift ;; esac
build=$(cd "${1:-$root/build}" && pwd)
mkdir -p "${2:-$build/gpu}"
out=$(cd "${2:-$build/gpu}" && pwd)
usual=24
limit=${3:-$usual}
least=400
[ "$limit" -ge $usual ] || least=1
unset KS_MODE KS_DISABLE KS_TRACE KS_DEPS
. "$root/tests/gpu/parts.sh"
cd "$root" || exit 1
[ -n "$device" ] || ! "$build/bin/ks" doctor | grep -q '^gpu .*none' || { echo "no GPU here: skipped"; exit 77; }
targets=(samples/elementwise/chain.cu:{scale_bias_relu,multiply_add,clamp_square}
    samples/rowsum/rowsum.cu samples/transpose/transpose.cu samples/gemm/gemm.cu
    samples/stencil/stencil.cu:heat_step)
for fixture in tests/adversarial/A*/; do
    file=$(sed -n 's/^file: //p' "$fixture/expect.yaml")
    targets+=("$(realpath --relative-to=. "$fixture${file:-kernel.cu}")=${fixture}proposal.yaml")
done

mutate() { "$build/bin/ks-mutate" ${device:+"$device"} --limit="$limit" "$1"; }
start=$SECONDS
parts "$out/mutation" mutate "${targets[@]}"
told "$out/mutation" log >&2 # what could not be judged at all
told "$out/mutation" txt >"$out/mutation.txt"
grep -E '^(SURVIVED|EXCUSED)' "$out/mutation.txt"
# The tables of all parts as one.
awk -v texts=${#targets[@]} -v least=$least -v seconds=$((SECONDS - start)) '
    /^class / { head = $0; table = 1; parts++; next }
    /^[{]/ { table = 0; next }
    table && NF == 8 {
        if (!($1 in judged)) order[n++] = $1
        judged[$1] += $2; killed[$1] += $3; survived[$1] += $4; excused[$1] += $5; invalid[$1] += $6; left[$1] += $7
    }
    function rate(k, s) { return k + s > 0 ? 100 * k / (k + s) : 100 }
    END {
        print head
        for (i = 0; i < n; i++) {
            c = order[i]
            unrated = judged[c] < 5
            printf "%-10s %7d %7d %9d %8d %8d %5d %7s\n", c, judged[c], killed[c], survived[c], excused[c], invalid[c],
                left[c], unrated ? "-" : sprintf("%.1f%%", rate(killed[c], survived[c]))
            if (unrated) few = few sprintf("%s%s (%d judged)", few == "" ? "" : ", ", c, judged[c])
            J += judged[c]; K += killed[c]; S += survived[c]; E += excused[c]; I += invalid[c]; L += left[c]
            low = low || (!unrated && rate(killed[c], survived[c]) < 85)
        }
        if (few != "") printf "classes without a rate: %s\n", few
        if (J < least) printf "too few mutants: %d judged of %d wanted\n", J, least
        printf "{\"schema\": \"bench.mutation\", \"texts\": %d, \"texts_judged\": %d, \"mutants\": %d, \"killed\": %d, \"survived\": %d, \"excused\": %d, \"invalid\": %d, \"left\": %d, \"mutation_kill\": %.1f, \"seconds\": %d}\n",
            texts, parts, J, K, S, E, I, L, rate(K, S), seconds
        exit parts < texts || J < least || low || rate(K, S) < 95
    }' "$out/mutation.txt"
