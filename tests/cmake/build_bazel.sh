# What Bazel does to a compiler wrapper: an absolute path, no HOME, an execution root of links, relative
# paths, a folder that is not the project's. And Bazel itself, where it is installed.
. "$KS_TEST_SOURCE/tests/lib.sh"

mkdir src
write_scale src/a.cu
sed -i '1i #include "factor.cuh"' src/a.cu
echo '#define FACTOR 1' > src/factor.cuh
write_scale4 p.yaml
touch src/ks.yaml
variant p.yaml src/a.cu -- -arch=sm_90
# Nobody's home: the signer must be listed.
printf 'trust:\n  - %s\n' "$("$make_variant" --public --key="$HOME/.config/ks/key.sec")" > src/ks.yaml

# sandboxed WORDS...: as an action runs, in `root`, which alone can be written.
unset KS_NVCC_REAL
sandboxed() {
    (cd root && env -i PATH=/usr/bin:/bin TMPDIR="$TMPDIR" XDG_CACHE_HOME="$PWD/empty" \
        XDG_CONFIG_HOME="$PWD/empty" XDG_STATE_HOME="$PWD/empty" CUDA_HOME="$(dirname "${nvcc%/*}")" "$ks_nvcc" "$@") \
        > out 2> log || fail "$* exits with $?"
}
for kind in links copies; do
    rm -rf root
    mkdir -p root/pkg root/bazel-out/bin
    for file in a.cu factor.cuh ks.yaml .ks; do
        case $kind in
        links) ln -s "$PWD/src/$file" root/pkg/$file ;;
        copies) cp -r "src/$file" root/pkg/ ;;
        esac
    done
    sandboxed -arch=sm_90 -Ipkg -c pkg/a.cu -o bazel-out/bin/a.o
    substituted root/bazel-out/bin/a.o
    [ ! -s log ] || fail "$kind: something is said"
    sandboxed -arch=sm_90 -Ipkg -M pkg/a.cu -o bazel-out/bin/a.d
    depends root/bazel-out/bin/a.d pkg/a.cu
done
# Without a signer that is trusted here, the original.
: > src/ks.yaml
rm -rf root/pkg/ks.yaml
sandboxed -arch=sm_90 -Ipkg -c pkg/a.cu -o bazel-out/bin/a.o
plain root/bazel-out/bin/a.o
git_ks=$(cat src/.ks/index)
printf 'trust:\n  - %s\n' "$("$make_variant" --public --key="$HOME/.config/ks/key.sec")" > src/ks.yaml

command -v bazel > /dev/null || { echo "no bazel: its own part is left out"; exit 0; }
touch src/WORKSPACE
cat > src/BUILD <<'END'
load(":cuda.bzl", "cuda_object")
cuda_object(name = "a", src = "a.cu", headers = ["factor.cuh"], decisions = glob([".ks/**", "ks.yaml"]))
END
cat > src/cuda.bzl <<END
def _impl(ctx):
    out = ctx.actions.declare_file(ctx.label.name + ".o")
    ctx.actions.run(
        executable = "$ks_nvcc",
        arguments = ["-arch=sm_90", "-c", ctx.file.src.path, "-o", out.path],
        inputs = [ctx.file.src] + ctx.files.headers + ctx.files.decisions,
        outputs = [out],
        mnemonic = "CudaCompile",
        use_default_shell_env = True,
    )
    return [DefaultInfo(files = depset([out]))]
cuda_object = rule(implementation = _impl, attrs = {
    "src": attr.label(allow_single_file = True),
    "headers": attr.label_list(allow_files = True),
    "decisions": attr.label_list(allow_files = True),
})
END
export PATH=${nvcc%/*}:$PATH
# One server for all builds: it takes seconds to start.
in_bazel() {
    (cd src && bazel --output_user_root="$PWD/../bazel" --max_idle_secs=120 \
        --host_jvm_args=-XX:TieredStopAtLevel=1 "$@")
}
trap 'in_bazel shutdown > /dev/null 2>&1' EXIT
build() { # build ACTIONS: so many ran
    in_bazel build --noshow_progress --symlink_prefix=../bazel- //:a > log 2>&1 || fail "bazel"
    grep -q "processes\?: .*\(sandbox\|local\)" log && ran=1 || ran=0
    [ $ran = "$1" ] || fail "bazel runs $ran actions, not $1"
}
object() { find -L bazel-bin -name a.o; }
build 1
substituted "$(object)"
build 0
mv "$(dirname "$variant")" withdrawn
: > src/.ks/index
build 1
plain "$(object)"
mv withdrawn "$(dirname "$variant")"
printf '%s\n' "$git_ks" > src/.ks/index
build 1
substituted "$(object)"
chmod -R u+w bazel # for who sweeps up
