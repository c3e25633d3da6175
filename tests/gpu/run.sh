#!/usr/bin/env bash
# Everything that needs a GPU, in one command: device self-test, launches of substituted kernels, the
# adversarial suite of the judge (adversarial.sh), the five samples tuned inside a build, and a rebuild
# that must take the same variants with no driver in sight. Prints a line a check, a table of gains,
# and "N passed, N failed". Exit 77 without a GPU.
#   tests/gpu/run.sh [BUILD] [OUT] [SAMPLE...]    OUT receives logs and the tuned .ks folders
#   PARTS="device adversarial oracle products findings ceiling profile record programs samples" (all)   where ten
#   minutes are all there is, or two GPUs: each part goes by itself, to an OUT of its own
set -uo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "${1:-$root/build}" && pwd)
out=${2:-$build/gpu}
mkdir -p "$out"
out=$(cd "$out" && pwd)
ks=$build/bin/ks
chosen=${*:3}
[ -n "$chosen" ] || chosen="elementwise rowsum transpose gemm stencil"
known="device adversarial oracle products findings ceiling profile record programs samples"
wanted=${PARTS:-$known}
for part in $wanted; do
    [[ " $known " == *" $part "* ]] || { echo "run.sh: no part '$part'; there are: $known" >&2; exit 2; }
done
. "$root/tests/gpu/parts.sh"
passed=0 failed=0

"$ks" doctor >"$out/doctor.txt"
cat "$out/doctor.txt"
grep -q '^gpu .*none' "$out/doctor.txt" && { echo "no GPU here: skipped"; exit 77; }

arch=$("$ks" doctor | sed -n 's/^gpu .*, sm_\([0-9]*\),.*/\1/p')

# The status stands first: a $(...) in the name would replace $? before it is read.
check() { # status, name
    if [ "$1" -eq 0 ]; then passed=$((passed + 1)); echo "ok   $2"; else failed=$((failed + 1)); echo "FAIL $2"; fi
}

# State of its own: nothing on the machine is read or changed.
export KS_CACHE_DIR=$out/cache KS_STATE_DIR=$out/state KS_CONFIG_DIR=$out/config
unset KS_MODE KS_DISABLE KS_TRACE KS_DEPS

device() {
    "$build/tests/device_test" >"$out/device_test.txt" 2>&1
    check $? "device self-test: $(tail -1 "$out/device_test.txt")"
    "$root/tests/dispatch/run_gpu.sh" "$build" "$out" >"$out/launch.txt" 2>&1
    check $? "launches of substituted kernels: $(tail -1 "$out/launch.txt")"

    # What the judge rests on, asked of this GPU: for the reader, no check.
    nvcc=$(sed -n 's/^KS_NVCC:[A-Z]*=//p' "$build/CMakeCache.txt")
    "$nvcc" -std=c++17 -arch="sm_$arch" "$root/tests/gpu/hardware.cu" -o "$out/hardware" && "$out/hardware" >"$out/hardware.txt" 2>&1
    check $? "what this hardware does: $(wc -l <"$out/hardware.txt") answers"

    "$root/tests/gpu/emu_corpus.sh" "$build" "$out/corpus" >"$out/corpus.txt" 2>&1
    check $? "emulated device against this GPU: $(tail -1 "$out/corpus.txt")"
}
adversarial() {
    "$root/tests/gpu/adversarial.sh" "$build" "$out" >"$out/suite.txt"
    status=$?
    cat "$out/suite.txt"
    check $status "adversarial suite: $(tail -1 "$out/suite.txt")"
}
one_of_oracle() { "$ks" verify --suite "$root/tests/oracle" --only="${1%-*}"; }
oracle() {
    (cd "$root/tests/oracle" && parts "$out/oracle" one_of_oracle [AR][0-9]*/)
    status=$?
    # One fixture by itself ends well where it is not judgeable, too.
    right=$(told "$out/oracle" txt | grep -c '^ *ok  *[AR]')
    all=$(ls -d "$root"/tests/oracle/[AR][0-9]*/ | wc -l)
    told "$out/oracle" txt | grep -E '^ *(FAIL|--) '
    [ "$right" = "$all" ] || told "$out/oracle" log
    [ $status = 0 ] && [ "$right" = "$all" ]
    check $? "tolerances measured in double: $right of $all verdicts"
}
products() {
    "$root/tests/gpu/products.sh" "$build" "$out" >"$out/products.txt" 2>&1
    check $? "products on tensor cores: $(tail -1 "$out/products.txt")"
}
findings() {
    "$root/tests/gpu/findings.sh" "$build" >"$out/findings.txt" 2>&1
    check $? "originals at fault: $(grep -c '^ok ' "$out/findings.txt") of 4 told with the place"
}
ceiling() {
    "$root/tests/gpu/ceiling.sh" "$build" "$out" >"$out/ceiling.txt" 2>&1
    check $? "near a ceiling, left alone: $(tail -1 "$out/ceiling.txt")"
    grep '^FAIL' "$out/ceiling.txt"
}
profile() {
    "$root/tests/gpu/profile.sh" "$build" "$out" >"$out/profile.txt" 2>&1
    check $? "kernels profiled: $(tail -1 "$out/profile.txt")"
    grep -E '^(FAIL|skip)' "$out/profile.txt"
}
record() {
    "$root/tests/gpu/record.sh" "$build" "$out" >"$out/record.txt" 2>&1
    check $? "programs recorded: $(tail -1 "$out/record.txt"); $(tail -2 "$out/record.txt" | head -1)"
    grep '^FAIL' "$out/record.txt"
}
programs() {
    "$root/tests/gpu/programs.sh" "$build" "$out" >"$out/programs.txt" 2>&1
    check $? "larger programs, recorded and tuned by what was suggested: $(tail -1 "$out/programs.txt")"
    grep '^FAIL' "$out/programs.txt"
}
samples() {
    work=$out/samples
    rm -rf "$work"
    cp -r "$root/samples" "$work"
    for sample in $chosen; do
        rm -rf "$work/$sample/.ks"
        generator=$(command -v ninja >/dev/null && echo Ninja || echo "Unix Makefiles")
        log=$out/$sample.log
        : >"$log"
        for kind in plain tuned; do
            mode=off; [ $kind = tuned ] && mode=tune
            KS_MODE=off cmake -G "$generator" -S "$work/$sample" -B "$work/$sample/$kind" \
                -DCMAKE_CUDA_COMPILER="$build/bin/ks-nvcc" >>"$log" 2>&1
            KS_LOG=info KS_MODE=$mode cmake --build "$work/$sample/$kind" >>"$log" 2>&1
            check $? "$sample: build ($mode)"
        done
        "$work/$sample/plain/$sample" >"$out/$sample.before" 2>"$out/$sample.before.time"
        check $? "$sample: original runs: $(cat "$out/$sample.before")"
        KS_TRACE=$out/$sample.trace "$work/$sample/tuned/$sample" >"$out/$sample.after" 2>"$out/$sample.after.time"
        check $? "$sample: tuned runs"
        cmp -s "$out/$sample.before" "$out/$sample.after"
        check $? "$sample: output unchanged"
        "$ks" inspect "$work/$sample/tuned/$sample" >"$out/$sample.inspect"
        # Every launch that the program's own timing counted must have gone to a variant.
        grep -q ' -> ' "$out/$sample.trace"
        check $? "$sample: variants were launched: $(sort "$out/$sample.trace" | uniq -c | sed 's/ *\([0-9]*\) ks: /\1 x /' | paste -sd';')"

        # The same build, no driver visible, must hold the same variants.
        env CUDA_VISIBLE_DEVICES= KS_MODE=consume KS_STATE_DIR="$out/none" cmake -G "$generator" \
            -S "$work/$sample" -B "$work/$sample/again" -DCMAKE_CUDA_COMPILER="$build/bin/ks-nvcc" >>"$log" 2>&1
        env CUDA_VISIBLE_DEVICES= KS_MODE=consume KS_STATE_DIR="$out/none" cmake --build "$work/$sample/again" >>"$log" 2>&1
        "$ks" inspect "$work/$sample/again/$sample" >"$out/$sample.inspect.again"
        cmp -s "$out/$sample.inspect" "$out/$sample.inspect.again"
        check $? "$sample: consume build takes the same variants"
        # Finalists went under the toolkit's sanitizers where it has them; else their evidence says why not.
        for variant in $(find "$work/$sample/.ks" -name '*.yaml' ! -name original.yaml); do
            looked=$(grep -cE '^ +- (memcheck|racecheck)$' "$variant")
            [ "$looked" = 2 ] || ! grep -q '^sanitizer  *ok' "$out/doctor.txt" || grep -q 'compute-sanitizer does not run here' "$variant"
            check $? "$sample: $looked of 2 sanitizers looked at the variant $(grep -oE '(memcheck|racecheck)[a-z ]* (not made|original too).*' "$variant" | tr '\n' ' ')"
        done
        # The whole program, paired: what it gains is printed, not asked for.
        "$ks" bench --runs 11 -- "$work/$sample/tuned/$sample" >"$out/$sample.bench" 2>&1
        check $? "$sample: whole program: $(tail -1 "$out/$sample.bench" | sed 's/^ *//')"
        echo "  before $(cat "$out/$sample.before.time")"
        echo "  after  $(cat "$out/$sample.after.time")"
        grep -E '^ks: +[^:]*: .*(faster|stays|fault|not tuned)|^ks:   ' "$log" | sed 's/^/  /'
        (cd "$work/$sample" && "$ks" list) | sed 's/^/  /'
    done
    # Another ptxas option is another key: what was tuned is judged anew there, not searched for.
    if [ -d "$work/transpose/.ks" ]; then
        words=(-O3 -DNDEBUG -std=c++17 "--generate-code=arch=compute_$arch,code=[compute_$arch,sm_$arch]" -Xptxas=-O3)
        cd "$work/transpose" || exit 1
        "$ks" requalify transpose.cu -- "${words[@]}" >"$out/requalify.txt" 2>&1
        check $? "transpose: requalified for another ptxas option: $(grep -m1 'faster' "$out/requalify.txt")"
        variant=$(sed -n 's/^ks:   stored //p' "$out/requalify.txt")
        grep -q "parent: [0-9a-f]\{64\}/$(basename "${variant:-none}" .yaml)" "$variant"
        check $? "transpose: the new variant names the old one"
        env CUDA_VISIBLE_DEVICES= "$build/bin/ks-nvcc" --ks-remarks=all "${words[@]}" -x cu -c transpose.cu \
            -o again.o 2>"$out/requalify.remarks"
        grep -q '\[ks:applied\]$' "$out/requalify.remarks"
        check $? "transpose: a build with that option takes it"
        "$ks" bench transpose.cu --device cuda -- "${words[@]}" >"$out/bench.txt" 2>&1
        check $? "transpose: original against variant: $(tail -1 "$out/bench.txt" | sed 's/^ *//')"
        "$ks" bench transpose.cu --device cuda --variant "$variant" --variant "$variant" -- "${words[@]}" >"$out/bench-same.txt" 2>&1
        check $? "transpose: variant against itself: $(tail -1 "$out/bench-same.txt" | sed 's/^ *//')"
        cd "$root" || exit 1
    fi
}
for part in $wanted; do "$part"; done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
