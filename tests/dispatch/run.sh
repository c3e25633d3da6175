#!/bin/bash
# run.sh MAKE_SHADOW NVCC HOOK_DIR WORK_DIR: substituted programs on a CUDA runtime without a GPU.
# Each mode compiles the units plainly (for the stub), makes their shadows, compiles those, links
# them with the mock, and runs the launches of tu/main.cu.
set -eu
make_shadow=$1 nvcc=$2 hook=$3 work=$4
cd "$(dirname "$0")"
[ -x "$nvcc" ] || { echo "no nvcc: skipped"; exit 77; }
rm -rf "$work"
mkdir -p "$work"
cc -O1 -Wall -Wextra -Werror -c mock_cudart.c -o "$work/mock.o"

# shadow UNIT MODE_DIR NVCC_OPTIONS...: $dir/UNIT.o from its shadow
shadow() {
    local unit=$1 dir=$2
    shift 2
    mkdir -p "$dir/keep-$unit"
    "$nvcc" "$@" -cuda --keep --keep-dir "$dir/keep-$unit" -o "$dir/keep-$unit/out.ii" "tu/$unit.cu"
    local stub
    stub=$(ls "$dir/keep-$unit"/*.cudafe1.stub.c | head -1)
    "$make_shadow" "tu/$unit.cu" "$stub" "tu/$unit.yaml" "$dir/$unit.cu" "$hook" > "$dir/$unit.args"
    local -a args
    mapfile -t args < "$dir/$unit.args"
    "$nvcc" "${args[@]}" "$@" -Werror all-warnings -Xcompiler=-Wall,-Wextra,-Werror,-Wshadow \
        -c "$dir/$unit.cu" -o "$dir/$unit.o"
    local section
    for section in .ks_hook .ks_table .ks_note; do
        readelf -SW "$dir/$unit.o" | grep -q " $section .* AR " ||
            { echo "$dir/$unit.o: no retained section $section"; exit 1; }
    done
}

# program MODE NVCC_OPTIONS...: $work/MODE/program
program() {
    local dir=$work/$1 rdc= dlink=
    shift
    mkdir -p "$dir"
    shadow kernels "$dir" "$@" &
    local first=$!
    shadow other "$dir" "$@"
    "$nvcc" "$@" -c tu/main.cu -o "$dir/main.o"
    wait $first
    local objects="$dir/kernels.o $dir/other.o $dir/main.o"
    case " $* " in *" -rdc=true "*)
        "$nvcc" "$@" -dlink $objects -o "$dir/dlink.o"
        objects="$objects $dir/dlink.o" ;;
    esac
    g++ -Wl,--gc-sections -o "$dir/program" $objects "$work/mock.o"
    echo "$dir/program"
}

check() { # check PROGRAM: all launches, other machines, kill switch, trace
    "$1"
    "$1" alike
    "$1" single
    KS_DISABLE=1 "$1" off
    KS_DISABLE=0 KS_TRACE=$1.trace "$1" traced
    sed 's/ks: scale -> [0-9a-f]\{16\}$/ks: scale -> ID/' "$1.trace" | diff trace.expected - ||
        { echo "$1: the trace differs"; exit 1; }
    KS_TRACE=1 "$1" traced 2>&1 | diff "$1.trace" -
    readelf -p .ks_note "$1" | grep -q 'note for outer::sum' || { echo "$1: no note"; exit 1; }
}

cat > "$work/modes" <<EOF
whole -arch=sm_90 -O2
rdc -arch=sm_90 -rdc=true -std=c++11
two -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90 -std=c++20
stream -arch=sm_90 -default-stream per-thread
EOF
clang=$(command -v clang++-14) &&
    echo "clang -arch=sm_90 -ccbin $clang -std=c++17" >> "$work/modes"
while read -r mode options; do
    # shellcheck disable=SC2086
    program "$mode" $options > "$work/$mode.log" 2>&1 & # `set -e` has no effect in a condition
    wait $! || { cat "$work/$mode.log"; exit 1; }
    check "$work/$mode/program"
    echo "$mode: ok"
done < "$work/modes"
