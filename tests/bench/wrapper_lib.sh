# Sourced by wrapper.sh: measuring, the parts of the JSON object, the unit and the toolkit it works on.
# shellcheck shell=bash
json='' cases='' peak_added=0
add() { json+=", \"$1\": $2"; } # add KEY VALUE

# measure N A... -- B...: runs the pairs; their figures are in the array m.
declare -A m
measure() {
    local line before=()
    [ "$1" != --before ] || before=("${@:1:2}") && shift ${#before[@]}
    line=$("$tools/bench_pairs" "${before[@]}" "$@") || exit 1
    echo "  $line"
    read -ra line <<< "$line"
    for ((i = 0; i < ${#line[@]}; i += 2)); do m[${line[i]}]=${line[i + 1]}; done
}
put() { add "$1" "${m[$2]}"; } # put KEY FIGURE: of the last measurement

# played CASE [--before P] A... -- B...: commands that take milliseconds.
played() {
    local name=$1 before=()
    shift
    [ "$1" != --before ] || before=("${@:1:2}") && shift ${#before[@]}
    printf '  %s' "$name:"
    measure "${before[@]}" $((runs * 16)) "$@"
    cases+=", \"$name\": {\"wall_ms\": ${m[b]}, \"added_ms\": ${m[added]}, \"cpu_ms\": ${m[cpu]},"
    cases+=" \"peak_kib\": ${m[peak]}}"
}

# compared NAME N [--before P] A... -- B...: real compiles.
compared() {
    local name=$1 n=$2 before=()
    shift 2
    [ "$1" != --before ] || before=("${@:1:2}") && shift ${#before[@]}
    printf '  %s' "$name:"
    measure "${before[@]}" "$n" "$@"
    [ "$name" != hit_code ] || { put hit_code_ms added && return; }
    put "${name}_added_ms" added
    add "${name}_ci_ms" "[${m[low]}, ${m[high]}]"
    put "${name}_outside_ms" outside
}

# A unit with one marked kernel, and a proposal for it.
make_unit() {
    cp "$here/../../samples/transpose/transpose.cu" a.cu
    cp "$here/../../samples/common/sample.h" .
    sed -i 's|"../common/sample.h"|"sample.h"|' a.cu
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
    sleep 0.1 # a file younger than the process that compiles it enters no manifest
}

# A toolkit whose nvcc is replay_nvcc, and the program that makes ks-nvcc forget its manifests.
make_toolkit() {
    mkdir -p "$work/kit/bin" "$work/kit/nvvm/bin" "$work/kit/include" "$work/kept"
    kit=$work/kit/bin/nvcc
    cp "$tools/bench_replay_nvcc" "$kit"
    touch "$work/kit/bin/ptxas" "$work/kit/nvvm/bin/cicc" "$work/kit/include/cuda_runtime.h"
    "$nvcc" --version > "$work/kept/version"
    printf '#!/bin/sh\nexec rm -rf "%s/manifests"\n' "$cache" > "$work/forget"
    chmod +x "$work/forget"
    export KS_NVCC_REAL=$kit BENCH_KEPT=$work/kept
}
record() { BENCH_REAL=$nvcc "$@"; } # record COMMAND: with real compiles, whose outputs are kept
# What is stored and remembered is set aside, and taken up again.
keep_state() { cp -a "$cache" "$work/state_$1"; }
use_state() {
    rm -rf "$cache"
    cp -a "$work/state_$1" "$cache"
}

# memory CASE CALLS...: what waits while each case compiles, in so many calls of nvcc; the largest is
# peak_added_kib.
memory() {
    local kib
    while [ $# -gt 0 ]; do
        case $1 in
        first | true_key) "$work/forget" ;;
        *) compile "${words[@]}" ;; # remembers what a forgetful case before it forgot
        esac
        rm -f "$work/memory"
        BENCH_MEMORY=$work/memory compile "${words[@]}"
        kib=$(sort -n "$work/memory" | tail -1)
        echo "  $1: $kib KiB wait"
        [ "$(wc -l < "$work/memory")" = "$2" ] || fail "$1 takes other than $2 compiles"
        [ "$kib" -gt 0 ] || fail "$1 leaves no ks-nvcc waiting"
        [ "$kib" -le "$peak_added" ] || peak_added=$kib
        shift 2
    done
}

# build_many N: N files in as many folders, one in twenty marked, compiled as recorded.
build_many() {
    local n=$1 i marked=0 mode
    mkdir many
    cd many
    printf 'rule cc\n  command = cd $dir && $nvcc -arch=sm_90 -std=c++17 -MD -MF a.d -c a.cu -o a.o\n' \
        > build.ninja
    for ((i = 0; i < n; i++)); do
        mkdir "$i"
        if ((i % 20 == 0)); then
            cp ../unit/a.cu ../unit/sample.h "$i"
            marked=$((marked + 1))
        else
            cp ../plain.cu "$i/a.cu"
        fi
        printf 'build %d/a.o: cc %d/a.cu\n  dir = %d\n' "$i" "$i" "$i"
    done >> build.ninja
    sleep 0.1
    export KS_NVCC_REAL=$kit BENCH_KEPT=$work/kept
    ninja_run() { # ninja_run COMPILER: seconds of all compiles, in $seconds
        local begin
        find . -name a.o -delete
        printf 'nvcc = %s\ninclude build.ninja\n' "$1" > top.ninja
        begin=$(date +%s%N)
        ninja -j2 -f top.ninja > ninja.log || { cat ninja.log; exit 1; }
        seconds=$(awk -v ns=$(($(date +%s%N) - begin)) 'BEGIN { printf "%.3f", ns / 1e9 }')
    }
    ninja_run "$kit" # page cache
    "$work/forget"
    ninja_run "$ks_nvcc"
    add build_first_s "$seconds"
    substituted 0/a.o
    plain 1/a.o
    local sum_nvcc=0 sum_ks=0
    for mode in nvcc ks ks nvcc; do
        ninja_run "$([ $mode = ks ] && echo "$ks_nvcc" || echo "$kit")"
        echo "  $mode: $seconds s"
        if [ $mode = ks ]; then sum_ks+=" + $seconds"; else sum_nvcc+=" + $seconds"; fi
        [ $mode = nvcc ] || substituted 0/a.o
    done
    add build_files "$n"
    add build_marked "$marked"
    add build_nvcc_s "$(awk "BEGIN { printf \"%.3f\", ($sum_nvcc) / 2 }")"
    add build_ks_s "$(awk "BEGIN { printf \"%.3f\", ($sum_ks) / 2 }")"
    add build_added_ms "$(awk "BEGIN { printf \"%.3f\", (($sum_ks) - ($sum_nvcc)) / 2 / $n * 1000 }")"
    cd ..
}
