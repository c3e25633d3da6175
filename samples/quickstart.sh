#!/usr/bin/env bash
# The quick start: installs what is missing, builds ks-nvcc, then builds the five samples with it.
# With a GPU they are tuned live, in a copy, and run before and after; without one they are built
# with the variants committed under each sample's .ks/, and what was taken is listed.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
build=${KS_BUILD:-$root/build}
samples="elementwise rowsum transpose gemm stencil"

"$root/cmake/deps.sh"
prefix=("-DCMAKE_PREFIX_PATH=$("$root/cmake/deps.sh" --prefix)")
generator=()
command -v ninja >/dev/null && generator=(-G Ninja)
cmake "${generator[@]}" -S "$root" -B "$build" "${prefix[@]}" >"$build.log" 2>&1 ||
    { cat "$build.log"; exit 1; }
cmake --build "$build" -j >>"$build.log" 2>&1 || { tail -50 "$build.log"; exit 1; }
rm -f "$build.log"
ks=$build/bin/ks
echo "built: $build/bin/ks-nvcc, $ks"

# Samples are built in a copy, so that this checkout stays as it is.
work=$build/quickstart
rm -rf "$work"
mkdir -p "$work"
cp -r "$root/samples" "$work/samples"

configure() { # sample, folder, mode
    KS_MODE=$3 cmake "${generator[@]}" -S "$work/samples/$1" -B "$2" \
        -DCMAKE_CUDA_COMPILER="$build/bin/ks-nvcc" >"$2.log" 2>&1 || { cat "$2.log"; exit 1; }
}
compile() { # folder, mode
    KS_MODE=$2 cmake --build "$1" || exit 1
}

unset KS_DEPS # of this script and deps.sh only
doctor=$("$ks" doctor --json || true)
if ! grep -q '"text": "none' <<<"$doctor"; then
    echo "GPU found: tuning the samples live (at most a minute a kernel)"
    for sample in $samples; do
        rm -rf "$work/samples/$sample/.ks"
        configure "$sample" "$work/plain-$sample" off
        compile "$work/plain-$sample" off >/dev/null
        configure "$sample" "$work/tuned-$sample" tune
        compile "$work/tuned-$sample" tune | grep -v '^\[\|^--' || true
        "$work/plain-$sample/$sample" >"$work/$sample.before" 2>"$work/$sample.before.time"
        "$work/tuned-$sample/$sample" >"$work/$sample.after" 2>"$work/$sample.after.time"
        cmp -s "$work/$sample.before" "$work/$sample.after" ||
            { echo "$sample: the output changed"; diff "$work/$sample.before" "$work/$sample.after"; exit 1; }
        echo "$sample: same output: $(cat "$work/$sample.after")"
        echo "  before $(cat "$work/$sample.before.time")"
        echo "  after  $(cat "$work/$sample.after.time")"
        (cd "$work/samples/$sample" && "$ks" list)
    done
else
    echo "no GPU here: the samples take the variants committed under their .ks/, where there are any"
    for sample in $samples; do
        configure "$sample" "$work/$sample" consume
        compile "$work/$sample" consume >/dev/null
        echo "$sample:"
        "$ks" inspect "$work/$sample/$sample"
        if [ -n "$(find "$work/samples/$sample/.ks" -name '*.yaml' 2>/dev/null)" ]; then
            (cd "$work/samples/$sample" && "$ks" list)
        else
            echo "no variant is committed for it: build it on a machine with a GPU and KS_MODE=tune"
        fi
    done
fi
echo "next: put '#pragma ks optimize' and a workload line over a kernel of yours (docs/marks.md)"
