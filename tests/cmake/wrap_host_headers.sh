# A host compiler whose headers lie below neither /usr nor the toolkit: what a variant's own includes bring of
# them is the compiler's. A header of the user's in their place is not.
. "$KS_TEST_SOURCE/tests/lib.sh"
headers=$(LC_ALL=C g++ -E -v -x c++ /dev/null 2>&1 | sed -n 's|^ \(/.*c++/[0-9.]*\)$|\1|p')
mkdir -p opt/bin opt/include mine
n=0
wrapped="exec $(command -v g++) -nostdinc++"
for folder in $headers; do
    n=$((n + 1))
    cp -rL "$folder" "opt/include/$n"
    wrapped+=" -isystem $PWD/opt/include/$n"
done
[ $n -gt 0 ] || fail "g++ names no folder of its C++ headers"
printf '#!/bin/sh\n%s "$@"\n' "$wrapped" > opt/bin/g++
chmod +x opt/bin/g++

write_scale a.cu
write_scale4 p.yaml
sed -i 's/^source:/includes: [cuda_pipeline.h]\nsource:/' p.yaml
words=(-arch=sm_90 -ccbin "$PWD/opt/bin/g++" -c a.cu -o a.o)
variant p.yaml a.cu -- "${words[@]}"
"$nvcc" "${words[@]:0:3}" -M a.cu 2> log | grep -q "$PWD/opt/include" || fail "this compiler reads no header of its own"
for again in "" -MD; do
    # shellcheck disable=SC2086
    compile "${words[@]}" $again
    reason applied
    substituted a.o
done
LC_ALL=C.UTF-8 compile "${words[@]}" -MMD
reason applied

# The user's own file of that name, first in the search: what it holds now was never judged.
echo '#include_next <cuda_pipeline.h>' > mine/cuda_pipeline.h
compile "${words[@]}" -I mine
reason dependencies-changed
plain a.o
no_litter
