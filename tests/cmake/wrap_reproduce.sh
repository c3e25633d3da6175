# With -objtemp a substituted object is the same, byte for byte, from build to build: whether it was
# proved or taken from the manifest, under another process id, in another checkout.
. "$KS_TEST_SOURCE/tests/lib.sh"
write_scale4 p.yaml
write_scale one.cu
# Kernels whose names carry a hash of the unit, beside one that others see.
{
    cat one.cu
    echo 'namespace {'
    sed '/^void run/d; s/scale/shrink/; s/a \* x/a * 2 * x/' one.cu
    echo '}'
    sed '/^void run/d; s/scale/local/; s/a \* x/a * 3 * x/; s/^__global__/static &/' one.cu
    echo 'void all(float *y, float *x) { shrink<<<1, 9>>>(y, x, 1, 9); local<<<1, 9>>>(y, x, 1, 9); }'
} > three.cu
mkdir sub
variant --kernel=scale p.yaml one.cu -- -arch=sm_90 -rdc=true
for words in -arch=sm_90 "-arch=sm_90 -rdc=true"; do
    # shellcheck disable=SC2086
    variant p.yaml three.cu -- $words
done
variant --arch=80 --kernel=scale p.yaml one.cu -- -arch=sm_80

applied() { # applied N: kernels of the last compile
    local n
    n=$(grep -c '\[ks:applied\]$' log)
    [ "$n" = "$1" ] || fail "$n applied, not $1"
}
# reproduces N FILE WORDS...: the proof's object, and a hit's, with N kernels substituted.
reproduces() {
    local n=$1 file=$2
    shift 2
    rm -rf "$cache/manifests"
    for round in proof hit; do
        compile -objtemp "$@" "$file" -o sub/a.o
        applied "$n"
        substituted sub/a.o
        mv sub/a.o $round.o
    done
    cmp proof.o hit.o || fail "$file $*: another object in the second build"
}
reproduces 3 three.cu -arch=sm_90 -c
reproduces 3 three.cu -arch=sm_90 -g -lineinfo -c
reproduces 3 three.cu -arch=sm_90 -rdc=true -g -lineinfo -c
reproduces 3 three.cu -arch=sm_90 -dc
two=(-gencode arch=compute_80,code=sm_80 -gencode 'arch=compute_90,code=[sm_90,compute_90]')
reproduces 2 one.cu "${two[@]}" -t 2 -c
if command -v clang++-14 > /dev/null; then
    reproduces 3 three.cu -arch=sm_90 -ccbin clang++-14 -g -c
fi

# Another user: another cache folder. (In another checkout the names of what is internal to a unit
# differ, as nvcc's own do: they hold a hash of the unit's path, so that units never clash.)
mkdir -p here/src elsewhere/far/src
cp one.cu here/src
for home in first second; do
    (cd here && KS_CACHE_DIR=$PWD/$home KS_REMARKS=all "$ks_nvcc" -objtemp -arch=sm_90 -c src/one.cu \
        -o one.o) 2> log || fail "for $home user"
    applied 0
    cp -r "$cache/variants" here/$home/
    rm -rf here/$home/manifests
    (cd here && KS_CACHE_DIR=$PWD/$home KS_REMARKS=all "$ks_nvcc" -objtemp -arch=sm_90 -c src/one.cu \
        -o one.o) 2> log || fail "for $home user"
    reason applied
    substituted here/one.o
    mv here/one.o here/$home.o
done
same here/first.o here/second.o

# Units of the same bytes and name in one program do not clash over the variant that both hold.
sed -i 's/void run(/void RUN(/; s/^__global__/static &/' here/src/one.cu
cp here/src/one.cu elsewhere/far/src
for words in -arch=sm_90 "-arch=sm_90 -rdc=true"; do
    # shellcheck disable=SC2086
    variant p.yaml here/src/one.cu -- $words
    for unit in here elsewhere/far; do
        # shellcheck disable=SC2086
        (cd $unit && KS_REMARKS=all "$ks_nvcc" $words -DRUN=run_${unit%/*} -c src/one.cu -o one.o) \
            2> log || fail "$unit"
        applied 1
    done
    echo 'void run_here(float *, float *, int); void run_elsewhere(float *, float *, int);
    int main(int n, char **) { if (n > 1) { run_here(0, 0, 1); run_elsewhere(0, 0, 1); } }' > main.cu
    # shellcheck disable=SC2086
    "$nvcc" $words main.cu here/one.o elsewhere/far/one.o -o program 2> log && ./program ||
        fail "linking $words"
done
no_litter
