#!/bin/bash
# search_record.sh BUILD_DIR OUT.jsonl [KERNEL...]: what searches of the kernels in search/ can reach, measured on all
# visible GPUs side by side (docs/search.md). Each kernel is a process; while one uses its GPU, others compile.
# A KERNEL is a file of search/, without .cu, or one of another folder here and its kernel, as templates/rows:divergence.
# A kernel that OUT.parts holds whole is not measured again.
#   NODES=N (120) transforms' proposals a kernel   SECONDS_EACH=N (400) no kernel goes on longer   SEED=N (1) of the draws
#   TOGETHER=N (5) kernels at a time on a GPU: more wait for its lock, and their compilers for cores, until none gets done
#   ARCH=sm_90a to compile for, in place of the GPU's
#   KS_DEVICE=emu: without a GPU, on modelled times, two kernels at a time
set -uo pipefail
build=$(cd "${1:?usage: search_record.sh BUILD_DIR OUT.jsonl [KERNEL...]}" && pwd)
out=$(realpath "${2:?usage: search_record.sh BUILD_DIR OUT.jsonl [KERNEL...]}")
here=$(cd "$(dirname "$0")" && pwd)
kernels=("${@:3}")
[ ${#kernels[@]} -gt 0 ] || for file in "$here"/search/*.cu; do kernels+=("$(basename "$file" .cu)"); done
nodes=${NODES:-120} seconds=${SECONDS_EACH:-400} seed=${SEED:-1}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export KS_CACHE_DIR=$work/cache KS_CONFIG_DIR=$work/config KS_STATE_DIR=$work/state
mkdir -p "$out.parts"
if [ "${KS_DEVICE:-}" = emu ]; then
    gpus=2 words=(unprofiled) arch=sm_90 together=1
else
    nvidia-smi > /dev/null 2>&1 || { echo "SKIP: no GPU"; exit 77; }
    gpus=$(nvidia-smi -L | wc -l) words=() together=${TOGETHER:-5}
    arch=${ARCH:-sm_$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader -i 0 | tr -d .)}
fi
file_of() { [[ $1 == *:* ]] && echo "$here/${1/:/.cu:}" || echo "$here/search/$1.cu"; }
part_of() { echo "$out.parts/${1//[:\/]/-}"; }
one() { # one GPU KERNEL
    local part=$(part_of "$2").jsonl start=$SECONDS
    ! tail -1 "$part" 2> /dev/null | grep -q '^{"end".*"whole":true' || return 0
    CUDA_VISIBLE_DEVICES=$1 timeout $((seconds + 60)) "$build/bin/search_record" "$(file_of "$2")" nodes="$nodes" \
        seed="$seed" seconds="$seconds" lock="$work/gpu-$1" "${words[@]}" -- -arch="$arch" > "$part" 2> "${part%.jsonl}.err" ||
        echo "$2: exit status $?: $(tail -1 "${part%.jsonl}.err")"
    echo "$2: $(grep -c '^{"of"' "$part") candidates, $(grep -c '"found":"CORRECT"' "$part") right, $((SECONDS - start)) s"
}
gpu() { # gpu INDEX: its share of the kernels
    local i
    for ((i = $1; i < ${#kernels[@]}; i += gpus)); do
        while [ "$(jobs -rp | wc -l)" -ge $together ]; do wait -n; done
        one "$1" "${kernels[$i]}" &
    done
    wait
}
for ((g = 0; g < gpus; g++)); do gpu "$g" & done
wait
for kernel in "${kernels[@]}"; do cat "$(part_of "$kernel").jsonl"; done > "$out"
echo "$(grep -c '^{"kernel"' "$out") kernels, $(grep -c '^{"of"' "$out") candidates in $SECONDS s: $out"
