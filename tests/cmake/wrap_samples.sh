# Every decision committed with the samples still hits: same key, trusted, and compiling here to what was
# judged on the GPU. With another toolkit the keys are others, and that is no fault of theirs.
. "$KS_TEST_SOURCE/tests/lib.sh"
ks=$KS_TEST_BIN/ks
export -n "${!KS_TEST_@}" # ks warns of variables that nothing reads
"$nvcc" --version | grep -q 'V13\.0\.88' || skip "the samples were tuned with nvcc 13.0.88"
cp -r "$KS_TEST_SOURCE/samples" .
words=(-O3 -DNDEBUG -std=c++17 "--generate-code=arch=compute_90,code=[compute_90,sm_90]") # of their builds

# hits SAMPLE: "KEY NAME" of each decision that a build of the sample takes.
hits() {
    local file
    for file in *.cu; do
        "$ks_nvcc" "${words[@]}" -x cu -c "$file" -o "$file.o" 2> log || fail "$1/$file does not compile"
        "$ks" inspect "$file.o" --json 2> log || fail "ks inspect $1/$file.o"
    done | tr -d '",' | awk '$1 == "key:" { key = $2 } $1 == "variant:" { print key, $2 }'
    [ -z "$(find .ks -name original.yaml)" ] || for file in *.cu; do
        "$ks" explain "$file" --json -- "${words[@]}" || fail "ks explain $1/$file"
    done | tr -d '",' | awk '$1 == "key:" { key = $2 } $0 ~ /reason: original-wins/ { print key, "original" }'
}
# missed SAMPLE: the committed decisions that are not among `hits`.
missed() {
    find .ks -mindepth 2 -name '*.yaml' | sed 's|^\.ks/\(.*\)/\(.*\)\.yaml$|\1 \2|' | sort > committed
    sort -u hits | comm -23 committed -
}
checked=0
for sample in samples/*/.ks; do
    sample=$(dirname "$sample")
    cd "$sample" || exit 1
    hits "$sample" > hits
    [ -z "$(missed)" ] || fail "$sample: no build takes $(missed)"
    cut -d' ' -f1,2 .ks/index | cmp -s - committed || fail "$sample: .ks/index does not list what is there"
    checked=$((checked + $(wc -l < committed)))
    # The check can fail: decisions that no build has a key for.
    "$KS_TEST_TOOLS/ks-plant-decision" "$PWD/.ks" ab > /dev/null
    "$KS_TEST_TOOLS/ks-plant-decision" --original "$PWD/.ks" cd > /dev/null
    [ "$(missed | wc -l)" = 2 ] || fail "a decision of another kernel would not be noticed"
    cd ../.. || exit 1
done
# So does the decision that the original stays count, where a build takes it, and then alone.
cd samples/transpose || exit 1
rm -r .ks/ab* .ks/cd*
"$make_variant" --original transpose.cu -- "${words[@]}" > /dev/null 2> log || fail "the original's decision"
hits transpose > hits
grep -q ' original$' hits || fail "the decision that the original stays is not seen"
[ "$(missed)" = "$(grep -v ' original$' committed)" ] || fail "it does not stand alone"
cd ../.. || exit 1
[ $checked -ge 7 ] || fail "only $checked decisions were found"
echo "$checked decisions"
