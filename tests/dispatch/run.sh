#!/bin/bash
# run.sh MAKE_SHADOW NVCC HOOK_DIR WORK_DIR: substituted programs on a CUDA runtime without a GPU.
# The cases are in cases.txt; what can be shown on a device too is shown there by run_gpu.sh.
set -eu
make_shadow=$1 nvcc=$2 hook=$3 work=$4
backend=mock extra_units=mocked
cd "$(dirname "$0")"
[ -x "$nvcc" ] || { echo "no nvcc: skipped"; exit 77; }
rm -rf "$work"
mkdir -p "$work"
unset KS_DISABLE KS_TRACE SUITE_ONLY
. ./build.sh
common
gcc -shared -o "$work/libmock.so" "$work/mock_cudart.o" "$work/mock_memory.o" -pthread
compile_all
# The stubs' own `static volatile` variables are nvcc's, and race.
printf 'race_top:__device_stub__\n' > "$work/nvcc.supp"
export TSAN_OPTIONS="suppressions=$work/nvcc.supp"
for mode in "${modes[@]}"; do
    link "$mode" shadow
    run_suite run "$mode" shadow
    held "$mode" run
    run_suite disabled "$mode" shadow KS_DISABLE=1 SUITE_SKIP=mock.
    only_originals "$mode" disabled disabled
    if [ "${phase_of[$mode]}" = -c ]; then # the same program without substitution
        link "$mode" plain
        run_suite plain "$mode" plain SUITE_SKIP=mock.
        only_originals "$mode" plain
        same_effects "$mode" plain run
        same_effects "$mode" plain disabled
    fi
    echo "$mode: $(tail -1 "$work/$mode/run.out")"
done

# Other machines: what depends on them, and that nothing else does.
for machine in Alike=90,90 Single=90 Differing=90,80 Older=75 Reset=90 Reset=90,90; do
    group=${machine%=*} devices=${machine#*=}
    run_suite "$group" whole shadow MOCK_DEVICES="$devices" SUITE_ONLY="$group"
    held whole "$group"
done
for devices in 90 90,90; do
    run_suite "on-$devices" whole shadow MOCK_DEVICES="$devices"
    same "$work/whole/run.results" "$work/whole/on-$devices.results"
done

# Nothing known yet but to eight threads at once.
run_suite first race shadow SUITE_ONLY=launch.threads
held race first

switches() { # KS_DISABLE that says no, and KS_TRACE to stderr
    local value
    for value in 0 ""; do
        run_suite on whole shadow KS_DISABLE="$value" SUITE_ONLY=guard.
        held whole on
    done
    KS_TRACE=1 SUITE_ONLY=guard. "$work/whole/shadow/program" /dev/null /dev/null 2>&1 > /dev/null |
        diff "$work/whole/on.trace" -
}
row switch.disable-zero switches
row trace.stderr switches
names() { # instances by their names
    grep -q '^ks: fill<float,256> -> [0-9a-f]\{16\}$' "$work/whole/run.trace" &&
        grep -q '^ks: outer::sum -> original (capture)$' "$work/whole/run.trace"
}
row trace.names names
noted() { readelf -p .ks_note "$work/whole/shadow/program" | grep -q 'note for outer::sum'; }
row note.linked noted
neutral() { # the hook without a table
    "$nvcc" -arch=sm_90 --extended-lambda "-I$hook" -Werror all-warnings \
        -Xcompiler=-Wall,-Wextra,-Werror,-Wshadow -c cases/bare.cu -o "$work/whole/shadow/bare.o" &&
        link whole shadow && run_suite neutral whole shadow &&
        same "$work/whole/run.results" "$work/whole/neutral.results" &&
        echo 'int nothing;' > "$work/nothing.cu" &&
        "$nvcc" -arch=sm_90 "-I$hook" -Werror all-warnings -c "$work/nothing.cu" -o "$work/nothing.o"
}
row hook.neutral neutral
other_path() { # the header's other branch, as far as this toolkit has CUDA 12's
    local args
    mapfile -t args < "$work/whole/shadow/library.args"
    mkdir -p "$work/other/crt" &&
        printf '#define __NV_LEGACY_LAUNCH\n#include_next "crt/host_runtime.h"\n' \
            > "$work/other/crt/host_runtime.h" &&
        "$nvcc" "-I$work/other" "${args[@]}" -arch=sm_90 --extended-lambda \
            -c "$work/whole/shadow/library.cu" -o "$work/other.o" || return 1
    nm "$work/other.o" | grep -q ' U cudaLaunchKernel$' || return 1
    ! readelf -SW "$work/other.o" | grep -q ' .ks_hook '
}
row hook.other-launch-path other_path
all_shown
