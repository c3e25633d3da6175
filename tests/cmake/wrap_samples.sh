# The variants committed with the samples still hit: same keys, trusted, and compiling here to what was
# judged on the GPU. With another toolkit the keys are others, and that is no fault of theirs.
. "$KS_TEST_SOURCE/tests/lib.sh"
"$nvcc" --version | grep -q 'V13\.0\.88' || skip "the samples were tuned with nvcc 13.0.88"
cp -r "$KS_TEST_SOURCE/samples" .
expected() { # SAMPLE FILE KERNEL...: each is substituted with the options of the sample's own build
    local sample=$1 file=$2 kernel
    shift 2
    (cd "samples/$sample" && "$ks_nvcc" --ks-remarks=all -O3 -DNDEBUG -std=c++17 \
        "--generate-code=arch=compute_90,code=[compute_90,sm_90]" -x cu -c "$file" -o a.o) 2> log ||
        fail "$sample does not compile"
    for kernel; do
        grep -q ": $kernel: variant .*\[ks:applied\]\$" log || fail "$sample: $kernel is not substituted"
    done
    substituted "samples/$sample/a.o"
}
expected elementwise chain.cu scale_bias_relu multiply_add clamp_square
expected rowsum rowsum.cu row_sum
expected transpose transpose.cu transpose
expected gemm gemm.cu gemm
expected stencil stencil.cu heat_step
