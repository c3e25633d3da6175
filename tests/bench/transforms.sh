#!/bin/bash
# transforms.sh BUILD_DIR OUT [FILE...]: what transforms alone gain, with no template and no model, on the samples and on kernels of
# search/, tuned and confirmed as `ks tune` does it. A file is one of search/ by its name, or of samples/ (gemm/gemm).
# OUT holds a row each; what it holds is not tuned again: run it until nothing is left. Prints a table, and last a line of
# JSON (figures.md, bench.transforms).
#   BUDGET=15s for a kernel   LIMIT=570 seconds, after which no further file is begun
#   KS_DEVICE=emu: without a GPU, on modelled times, to see that it works
set -uo pipefail
[ $# -ge 2 ] && build=$(cd "$1" && pwd) && mkdir -p "$2" && out=$(cd "$2" && pwd) || { sed -n '2,7s/^# \{0,1\}//p' "$0" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
shift 2
samples=(elementwise/chain gemm/gemm rowsum/rowsum stencil/stencil transpose/transpose)
own=(saxpy gelu threshold_bytes sum_rows matrix_vector sum_columns convolve filter_taps distances gravity histogram dot)
[ $# -gt 0 ] && chosen=("$@") || chosen=("${samples[@]}" "${own[@]}")
limit=${LIMIT:-570} budget=${BUDGET:-15s}
if [ "${KS_DEVICE:-}" = emu ]; then
    arch=sm_90
else
    nvidia-smi > /dev/null 2>&1 || { echo "SKIP: no GPU"; exit 77; }
    arch=sm_$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader -i 0 | tr -d .)
fi
export KS_CACHE_DIR=$out/cache KS_STATE_DIR=$out/state KS_CONFIG_DIR=$out/config KS_AGENT=none KS_SHARE_DIR=$out/share
rm -rf "$out/share" && cp -rL "$build/share/ks" "$out/share"
grep -lE '^action: *\{ *template:' "$out"/share/skills/expert/*.yaml | xargs -r sed -i 's/^action:.*/action: none/'
mkdir -p "$out/rows" "$out/src"
cp -ru "$here/search" "$here/../../samples/common" "$out/src/" # tuning writes beside the source
for sample in "${samples[@]%/*}"; do
    [ -d "$out/src/$sample" ] || { cp -r "$here/../../samples/$sample" "$out/src/" && rm -rf "$out/src/$sample/.ks"; }
done
left=0
for name in "${chosen[@]}"; do
    file=$out/src/$name.cu row=$out/rows/${name//\//-}.json
    [ -e "$file" ] || file=$out/src/search/$name.cu
    [ -e "$file" ] || { echo "transforms.sh: no $name in search/ or samples/" >&2; exit 2; }
    [ ! -s "$row" ] || continue
    [ $SECONDS -lt "$limit" ] || { left=$((left + 1)) && continue; }
    "$build/bin/ks" tune "$file" --again --budget "$budget" --json -- -arch="$arch" -O3 > "$row.new" 2> "$row.err"
    status=$?
    [ $status -ne 130 ] || exit 130
    [ -s "$row.new" ] || echo '{"kernels": [{"kernel": "'"$name"'", "status": "failed", "timings": []}]}' > "$row.new"
    mv "$row.new" "$row"
done
[ $left -eq 0 ] || echo "$left files are left: run it again"
python3 - "$out"/rows/*.json <<'END'
import json, math, sys
rows = [k for name in sys.argv[1:] for k in json.load(open(name))["kernels"]]
failed = [k for k in rows if k["status"] not in ("variant", "stays", "original", "budget")]
gains, evidence = [], set()
print("| kernel | original | variant | gain | at least | skill |\n|---|---|---|---|---|---|")
for k in rows:
    won = k["status"] == "variant"
    gains += [k["speedup"] if won else 1] if k not in failed else []
    evidence |= {k["evidence"]} if won else set()
    us = [sum(t[side] for t in k["timings"]) if won else None for side in ("original_us", "variant_us")]
    print("| %s | %s | %s | %s | %s | %s |" % (
        k["kernel"], *("%.1f us" % u if won else "-" for u in us),
        "%.2fx" % k["speedup"] if won else "failed" if k in failed else "stays",
        "%.2fx" % k["lower"] if won and k.get("lower") else "-", k.get("skill") or k.get("text") or "-"))
print(json.dumps({"schema": "bench.transforms", "kernels": len(rows), "faster": sum(g > 1 for g in gains),
                  "slower": sum(g < 1 for g in gains), "failed": len(failed), "evidence": sorted(evidence),
                  "geomean": round(math.exp(sum(map(math.log, gains)) / len(gains)), 4) if gains else None}))
END
