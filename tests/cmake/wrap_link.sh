# Compiled and linked in one command: each marked unit as with -c, and the program that nvcc links.
. "$KS_TEST_SOURCE/tests/lib.sh"
. "$KS_TEST_SOURCE/tests/cmake/wrap_link_lib.sh"
ks=$KS_TEST_BIN/ks
export KS_BUILD_ID=here
# Nothing stored: the kernels are pending, with a command that compiles the unit alone.
compile -arch=sm_90 a.cu main.cpp -o app
rows 'scale pending'
plain app
linked ./app
if [ -x "$ks" ]; then
    "$ks" stats --build=here --json > log 2> /dev/null || fail "ks stats"
    says '"pending": 1'
    says "\"object\": \"$PWD/app (a.cu)\""
fi
LC_ALL=C grep -aq 'main.cpp' "$cache"/pending* && fail "what is pending names another input"

# A variant judged with -c is taken by the one command too: the same key.
variant p.yaml a.cu -- -arch=sm_90
for round in proof hit; do
    compile -arch=sm_90 a.cu main.cpp -o app
    rows 'scale applied'
    substituted app
    linked ./app
done
# From the manifest: a compile for each file.
count_runs
for expected in 3 2; do
    compile -arch=sm_90 a.cu main.cpp -o app
    runs $expected
done
export KS_NVCC_REAL=$nvcc
if [ -x "$ks" ]; then
    id=$(basename "$variant" .yaml)
    "$ks" inspect app > log 2> /dev/null || fail "ks inspect"
    says "scale, sm_90, in a: variant $id"
    "$ks" inspect app --json > log 2> /dev/null || fail "ks inspect"
    says '"live": true'
    "$ks" explain a.cu -- -arch=sm_90 a.cu b.cu main.cpp -lm -o app -run > log 2>&1 || fail "ks explain"
    says 'scale, sm_90: applied'
    says "$id"
fi

# One file and no -o; -odir; a library; -run, with words for the program; under another suffix.
{ cat a.cu; echo 'int main(int n, char **) { run(nullptr, nullptr, 0); return 2 + n; }'; } > whole.cu
compile -arch=sm_90 whole.cu
rows 'scale applied'
substituted a.out
linked ./a.out
mkdir folder
compile -arch=sm_90 -odir folder whole.cu
substituted folder/a.out
compile -arch=sm_90 --shared -Xcompiler -fPIC a.cu -o liba.so
substituted liba.so
compile -arch=sm_90 main.cpp liba.so -o app -Xlinker -rpath,.
linked ./app
status 5 "$ks_nvcc" -arch=sm_90 -run whole.cu -run-args one,two
substituted a.out
cp whole.cu whole.cpp
compile -arch=sm_90 -x cu whole.cpp -o app
substituted app
linked ./app

# Several units, of which one, then both have a variant; in either order.
for files in "a.cu b.cu" "b.cu a.cu"; do
    # shellcheck disable=SC2086
    compile -arch=sm_90 main.cpp $files -o app
    case $files in a*) rows 'scale applied' 'other pending' ;; *) rows 'other pending' 'scale applied' ;; esac
    substituted app
    linked ./app
done
variant q.yaml b.cu -- -arch=sm_90
for round in proof hit; do
    compile -arch=sm_90 a.cu b.cu main.cpp -o app
    rows 'scale applied' 'other applied'
    linked ./app
done
[ "$(strings -a app | grep -c '^kernel=.* variant=')" = 2 ] || fail "not two notes"
# Separate compilation has keys of its own.
compile -arch=sm_90 -rdc=true a.cu b.cu main.cpp -o app
rows 'scale pending' 'other pending'
plain app
variant q.yaml b.cu -- -arch=sm_90 -rdc=true
for round in proof hit; do
    compile -arch=sm_90 -rdc=true a.cu b.cu main.cpp -o app
    rows 'scale pending' 'other applied'
    substituted app
    linked ./app
done
# Base names that are equal, and the same file twice (which the linker refuses).
mkdir sub
cp b.cu sub/a.cu
compile -arch=sm_90 a.cu sub/a.cu main.cpp -o app
rows 'scale applied' 'other applied'
linked ./app
status 1 "$ks_nvcc" -arch=sm_90 a.cu a.cu main.cpp -o app
says "multiple definition of .run("
no_litter

# The dependency file names the sources, and the index that brings a new variant in.
for words in "" "-MF x.d" "-MT target -MP"; do
    rm -f ./*.d
    # shellcheck disable=SC2086
    $nvcc -arch=sm_90 -MD $words whole.cu -o app && mv ./*.d plain.dep
    # shellcheck disable=SC2086
    compile -arch=sm_90 -MD $words whole.cu -o app
    substituted app
    depends ./*.d "$cache/variants/index"
    [ "$(head -1 ./*.d)" = "$(head -1 plain.dep)" ] || fail "the dependency file begins with $(head -1 ./*.d)"
done

# A host source keeps its own includes: ours for the units do not reach it.
mkdir -p near far
echo '#define PLACE 3' > far/place.h
echo '#error of the folder of a.cu' > near/place.h
cp a.cu near/a.cu
echo '#include "far.h"' > far.cpp
echo '#include <place.h>
#include "place.h"
void run(float *, float *, int);
int main() { run(nullptr, nullptr, 0); return PLACE; }' > far/far.h
for round in proof hit; do
    compile -arch=sm_90 -Ifar near/a.cu far.cpp -o app
    rows 'scale applied'
    linked ./app
done
