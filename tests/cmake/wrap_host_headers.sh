# A host compiler whose headers lie below neither /usr nor the toolkit: what a variant's own includes bring of
# them is the compiler's. A header of the user's in their place is not.
. "$KS_TEST_SOURCE/tests/lib.sh"
own=$(dirname "$(g++ -print-file-name=include/stdint.h)")
[ -e "$own/stdint.h" ] || fail "g++ has no stdint.h of its own"
mkdir -p opt/bin mine
cp -rL "$own" opt/include
folders=$(LC_ALL=C g++ -E -v -x c++ /dev/null 2>&1 | sed -n '/<...> search starts/,/^End/s|^ ||p')
options="-nostdinc -nostdinc++"
for folder in $folders; do
    [ "$(realpath "$folder")" != "$(realpath "$own")" ] || folder=$PWD/opt/include
    options+=" -isystem $folder"
done
printf '#!/bin/sh\nexec %s "$@" %s\n' "$(command -v g++)" "$options" > opt/bin/g++
chmod +x opt/bin/g++

write_scale a.cu
write_scale4 p.yaml
sed -i 's/^source:/includes: [cuda_pipeline.h]\nsource:/' p.yaml
words=(-arch=sm_90 -ccbin "$PWD/opt/bin/g++" -c a.cu -o a.o)
variant p.yaml a.cu -- "${words[@]}"
echo '#include <cuda_pipeline.h>' > read.cu
"$nvcc" "${words[@]:0:3}" -M read.cu > read 2> log && grep -q "$PWD/opt/include/stdint.h" read || fail "this compiler reads no header of its own"
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
NVCC_APPEND_FLAGS="-I mine" compile "${words[@]}"
reason dependencies-changed
no_litter
