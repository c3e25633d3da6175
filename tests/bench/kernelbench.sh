#!/bin/bash
# kernelbench.sh BUILD_DIR OUT_DIR [options] [PORT...]: tunes and times the ports of samples/kernelbench on this machine's
# GPU, unattended; then the table of what OUT holds, and the line of JSON of figures.md. PORT is a part of a file's name;
# without one all are taken. What OUT holds is not measured again: run it until nothing is left.
#   --part K/N    every Nth port from the Kth on: parts of one run, each with ten minutes (about K/16 for all ports)
#   --shared      several runs at once fill one OUT, each with a GPU of its own (KS_CUDA_DEVICE) or on one together: each takes what none has taken,
#                 in a fixed order that has nothing to do with numbers, level by level; taken/ in OUT says what was taken
#   --without X   X is templates, transforms or memory: tunes without them, for comparing with an OUT that had them
#   --tf32        TF32 is allowed on both sides: marks say tol(sum=2e-3), and eager is PyTorch's with TF32; an OUT and a page of its own
#   BUDGET=12s for a kernel   LIMIT=570 seconds, after which no further port is begun   MOST=N seconds, after which a port
#   is stopped and left for another run   TORCH=1: PyTorch's own calls are timed at the ports' sizes, eager and
#   compiled, with PyTorch in python3; without, these columns say so   ARCH=sm_90a: ports are compiled for that, which has wgmma
#   KS_DEVICE=emu: without a GPU, on modelled times, to see that it works
set -uo pipefail
usage() { sed -n '2,13s/^# \{0,1\}//p' "$0" >&2; exit 2; }
[ $# -ge 2 ] && build=$(cd "$1" && pwd) && mkdir -p "$2" && out=$(cd "$2" && pwd) || usage
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../../samples/kernelbench" && pwd)
shift 2
part=1 parts=1 without= shared= tf32= only=()
while [ $# -gt 0 ]; do
    case $1 in
    --part) part=${2%/*} parts=${2#*/} && shift ;;
    --without) without=$2 && shift ;;
    --shared) shared=1 ;;
    --tf32) tf32=1 ;;
    -*) usage ;;
    *) only+=("$1") ;;
    esac
    shift
done
[[ $part =~ ^[1-9][0-9]*$ && $parts =~ ^[1-9][0-9]*$ && $part -le $parts ]] || usage
budget=${BUDGET:-12s} limit=${LIMIT:-570}
if [ "${KS_DEVICE:-}" = emu ]; then
    arch=sm_90 gpu=emulated driver=none
else
    nvidia-smi > /dev/null 2>&1 || { echo "SKIP: no GPU"; exit 77; }
    arch=${ARCH:-sm_$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader -i 0 | tr -d .)}
    gpu=$(nvidia-smi --query-gpu=name --format=csv,noheader -i 0)
    driver=$(nvidia-smi --query-gpu=driver_version --format=csv,noheader -i 0)
fi
# One OUT is one way of tuning on one kind of GPU: anything else would be averaged with it unseen.
printf '{"gpu": "%s", "driver": "%s", "arch": "%s", "budget": "%s", "without": "%s"%s}\n' \
    "$gpu" "$driver" "$arch" "$budget" "$without" "${tf32:+, \"tf32\": true}" > "$out/run.$$"
if [ -e "$out/run.json" ] && ! cmp -s "$out/run.json" "$out/run.$$"; then
    echo "kernelbench.sh: $out was begun differently: $(cat "$out/run.json")" >&2
    rm -f "$out/run.$$"
    exit 2
fi
mv "$out/run.$$" "$out/run.json"
mkdir -p "$out/rows" "$out/src" "$out/taken"
cp -ru "$source/port.h" "$source"/level? "$out/src/" # tuning writes beside the source
[ -z "$tf32" ] || grep -L 'tol(sum=2e-3)' "$out"/src/level?/*.cu |
    xargs -r sed -i -E 's/^(#pragma ks optimize)( .*)? tol\([^)]*\)|^(#pragma ks optimize)/\1\3\2 tol(sum=2e-3)/'
export KS_STATE_DIR=$out/state KS_CONFIG_DIR=$out/config
share=$out/share-$part${shared:+-$$}
case $without in
'' | memory) ;;
templates | transforms)
    rm -rf "$share" && cp -rL "$build/share/ks" "$share"
    grep -lE "^action: *\{ *${without%s}:" "$share"/skills/expert/*.yaml | xargs -r sed -i 's/^action:.*/action: none/'
    export KS_SHARE_DIR=$share
    ;;
*) usage ;;
esac

chosen() { # every port of this part, by level and number
    local i=0 file one level
    for level in "$out"/src/level?; do
        if [ -n "$shared" ]; then shuf -e --random-source="$source/port.h" "$level"/*.cu; else printf '%s\n' "$level"/*.cu; fi
    done | while IFS= read -r file; do
        [ $((i++ % parts)) -eq $((part - 1)) ] || continue
        [ ${#only[@]} -gt 0 ] || { echo "$file"; continue; }
        for one in "${only[@]}"; do [[ $file != *"$one"* ]] || { echo "$file"; break; }; done
    done
}
whole() { python3 -c 'import json, sys; sys.exit("kernels" not in json.load(open(sys.argv[1])))' "$1" 2> /dev/null; }
tune() { # tune FILE ROW: what `ks tune` says of it, and the times of those kernels that it has none of; false: beyond MOST
    local kernels seconds status most
    kernels=$(grep -c '^__global__' "$1")
    seconds=$((kernels * (${budget%s} + 60) + 420)) # inputs and outputs of gigabytes take their time, and originals of a second
    most=${MOST:-$seconds}
    [ "$most" -le "$seconds" ] || most=$seconds
    [ "$without" != memory ] || export KS_STATE_DIR=$out/state/$(basename "$2" .json)
    # Ports with the same kernel at other sizes are each judged and decided for themselves.
    export KS_CACHE_DIR=$out/cache/$(basename "$2" .json)
    timeout --foreground -s INT "$most" "$build/bin/ks" tune "$1" --again --budget "$budget" --json -- -arch="$arch" -O3 > "$2.new" 2> "$2.err"
    status=$?
    if [ $status -eq 124 ] && [ "$most" -lt "$seconds" ]; then
        rm -rf "$2.new" "$out/taken/$(basename "$2" .json)"
        return 1
    fi
    # Whoever stops the run stops what it measures: that is no result. A port beyond its time is one.
    if [ $status -eq 130 ] || { [ $status -ne 124 ] && grep -q '"status": *"interrupted"' "$2.new"; }; then
        rm -rf "$2.new" "$out/taken/$(basename "$2" .json)"
        exit 130
    fi
    if ! whole "$2.new"; then # a failure is a result: the table counts it
        python3 -c 'import json, sys; print(json.dumps({"kernels": [], "failed": sys.argv[1]}))' \
            "exit status $status: $(tail -c 300 "$2.err")" > "$2.new"
    elif ! python3 "$here/kernelbench_figures.py" --timed "$2.new"; then
        timeout --foreground -s INT 60 "$build/bin/ks" profile "$1" --json -- -arch="$arch" -O3 > "$2.profile" 2>> "$2.err"
    fi
    mv "$2.new" "$2"
}
left=0
while IFS= read -r file; do
    row=$out/rows/$(basename "$(dirname "$file")")-$(basename "$file" .cu).json
    [ ! -s "$row" ] || continue
    if [ "$SECONDS" -ge "$limit" ]; then
        left=$((left + 1))
        continue
    fi
    [ -z "$shared" ] || mkdir "$out/taken/$(basename "$row" .json)" 2> /dev/null || continue
    start=$SECONDS
    tune "$file" "$row" || { echo "$(basename "$row" .json): not done in $MOST s" && left=$((left + 1)) && continue; }
    echo "$(basename "$row" .json): $(python3 "$here/kernelbench_figures.py" --one "$row") $((SECONDS - start)) s"
done < <(chosen)
if [ "${KS_DEVICE:-}" != emu ] && [ ! -e "$out/cublas.err" ]; then
    nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
    if "$nvcc" -O3 -arch="$arch" "$here/kernelbench_cublas.cu" -lcublas -o "$out/cublas" 2> "$out/cublas.err" &&
        timeout 120 "$out/cublas" > "$out/library.new"; then
        mv "$out/library.new" "$out/library.json"
    else
        echo "library calls: not run: $(tail -1 "$out/cublas.err")"
    fi
fi
if [ -n "${TORCH:-}" ]; then
    python3 -c 'import torch' 2> /dev/null && python3 "$here/kernelbench_torch.py" "$out" $((limit - SECONDS)) "$part/$parts" ||
        echo "PyTorch's own calls: not run"
fi
[ $left -eq 0 ] || echo "$left ports of this part are left: run it again"
python3 "$here/kernelbench_figures.py" "$out"
