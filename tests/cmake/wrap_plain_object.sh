# What has no variant is nvcc's own: no mark, and a mark without a decision.
. "$KS_TEST_SOURCE/tests/lib.sh"
words=(-arch=sm_90 -objtemp -MD)

# Without a mark: nothing of ours, not even an index.
write_scale marked.cu
sed '/#pragma/d' marked.cu > none.cu
"$nvcc" "${words[@]}" -MF none.d -c none.cu -o none.o || fail "nvcc"
mv none.o expected.o && mv none.d expected.d
compile "${words[@]}" -MF none.d -c none.cu -o none.o
silent
same none.o expected.o
same none.d expected.d
[ ! -e "$cache" ] || fail "a unit without marks made $cache"

# With a mark: equal objects; the depfile gains the index. Then again, answered by the manifest.
for options in "" "-g -lineinfo" "-rdc=true" "-dc" "-gencode arch=compute_80,code=sm_80 -O1" \
               "-Xcompiler=-Wall,-Wextra -std=c++20" "-Xcompiler -fPIC --maxrregcount 32"; do
    # shellcheck disable=SC2206
    all=("${words[@]}" $options)
    "$nvcc" "${all[@]}" -MF marked.d -c marked.cu -o marked.o 2> /dev/null || fail "nvcc $options"
    mv marked.o expected.o
    mv marked.d expected.d
    for round in miss hit; do
        rm -f marked.o marked.d
        compile "${all[@]}" -MF marked.d -c marked.cu -o marked.o
        reason pending
        same marked.o expected.o
        depends marked.d "$cache/variants/index"
        tr -s ' \\\n' '\n' < expected.d | sort -u > a
        tr -s ' \\\n' '\n' < marked.d | sort -u > b
        [ "$(comm -13 a b)" = "$cache/variants/index"$'\n'"$cache/variants/index:" ] &&
            [ -z "$(comm -23 a b)" ] || fail "$round: the depfile differs otherwise"
    done
done

# A cache that was deleted makes make compile again, not stop.
printf 'marked.o:\n\t@echo compiled\ninclude marked.d\n' > Makefile
[ -z "$(make -s marked.o 2>&1 | grep -v 'up to date')" ] || fail "made without a change"
mv "$cache/variants" "$cache/away"
[ "$(make -s marked.o 2>&1)" = compiled ] || fail "make stops without the cache"
mv "$cache/away" "$cache/variants"
[ -z "$(ls marked.o.* 2>/dev/null)" ] || fail "-objtemp left $(ls marked.o.*)"

# Without a depfile there is none; the default object's name.
compile -arch=sm_90 -c marked.cu
[ -s marked.o ] && [ ! -e marked.d.orig ] || fail "no marked.o"
mv marked.d keep.d
compile -arch=sm_90 -c marked.cu
[ ! -e marked.d ] || fail "a depfile that nobody asked for"
echo 'int main() { return 0; }' >> marked.cu
compile -arch=sm_90 marked.cu -o program
./program || fail "the program fails"
# The user's pragma is no warning, although plain nvcc would stop at it.
compile -arch=sm_90 -Xcompiler=-Wall,-Werror -c marked.cu -o marked.o
no_litter
