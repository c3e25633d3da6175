# Command lines with marked files, by nvcc and by ks-nvcc, first without and then with a manifest.
#
#   fidelity_marked.sh marked         nothing is stored: all is nvcc's, bytes of objects too
#   fidelity_marked.sh substituted    a variant is stored: all but the objects' bytes is nvcc's, and
#                                     each object holds the dispatch table
#   fidelity_marked.sh substituted_link  the same for commands that compile and link: the program does
#
# The one thing more are our own files in dependency files, and the one thing less the name of a
# temporary file in an error of ptxas: under --keep it is another.
. "$KS_TEST_SOURCE/tests/lib.sh"
. "$KS_TEST_SOURCE/tests/cmake/fidelity_lib.sh"
list=${1:?usage: fidelity_marked.sh LIST}
export KS_CACHE_DIR=$start/own/cache KS_CONFIG_DIR=$start/own/config

is_elf() { [ "$(head -c 4 "$1" | tr -d '\0')" = $'\x7fELF' ]; }

# Prerequisites at the end of the first rule, and a rule for each at the end.
without_index() {
    find "$1" -type f \( -name '*.d' -o -name '*.dep' \) -exec \
        sed -z -E -i "s, \\\\\n    $start/own/[^ \n]*,,g; s,\n$start/own/[^ \n]*:\n,,g" {} +
}

# Objects and programs become empty, after a look for the table in what came of a substituted file.
without_code() {
    local file
    find "$1" -type f | while IFS= read -r file; do
        is_elf "$file" || continue
        [ "$1" = nvcc ] || [[ $file != *.o && $list != *_link ]] || has_section "$file" .ks_table ||
            echo "no table in $file" >> "$1/stderr"
        : > "$file"
    done
}

compare() {
    local round
    side nvcc "$nvcc" "$1"
    [[ $list != substituted* ]] || without_code nvcc
    rm -rf own/cache
    [ ! -d seed ] || cp -a seed own/cache
    for round in first second; do
        side ks "$ks_nvcc" "$1"
        without_index ks
        [[ $list != substituted* ]] || without_code ks
        alike nvcc ks || alike_but "$names" nvcc ks ||
            complain "$1" "nvcc (<) and ks-nvcc (>) differ, $round time"
        [ "$round" = second ] || find own/cache/manifests -type f -printf '%p %i\n' > manifests 2> /dev/null
    done
    find own/cache/manifests -type f -printf '%p %i\n' 2> /dev/null | diff manifests - > difference ||
        complain "$1" "the second compile is no hit"
}

mkdir own
names_differ
names="$names;s#[^ ]*/(tmpxft_P-[0-9]+_|ks-tmp-[0-9]+/ks-keep-[^/]*/)([^ ]*[.]ptx, line)#\2#"
if [[ $list == substituted* ]]; then
    mkdir -p tmp home
    cp "$data/src/scale.cu" .
    write_scale4 p.yaml
    variant p.yaml scale.cu -- -arch=sm_90
    variant p.yaml scale.cu -- -arch=sm_90 -rdc=true
    mv own/cache seed
fi
each_line "$list" compare
echo "$list: $compared commands compared, $skipped skipped"
[ $compared -ge 9 ] || fail "too few commands"
[ $failed = 0 ]
