# Command lines with marked files, by nvcc and by ks-nvcc, first without and then with a manifest.
#
#   fidelity_marked.sh marked         nothing is stored: all is nvcc's, bytes of objects too
#   fidelity_marked.sh substituted    a variant is stored: all but the objects' bytes is nvcc's, and
#                                     each object holds the dispatch table; lists whose name begins so
#   fidelity_marked.sh substituted_link  the same for commands that compile and link: the program does
#
# The one thing more are our own files in dependency files, and the one thing less the name of a
# temporary file in an error of ptxas: under --keep it is another.
. "$KS_TEST_SOURCE/tests/lib.sh"
. "$KS_TEST_SOURCE/tests/cmake/fidelity_lib.sh"
list=${1:?usage: fidelity_marked.sh LIST}
export KS_CACHE_DIR=$start/own/cache KS_CONFIG_DIR=$start/own/config

is_elf() {
    local magic=
    IFS= read -r -d '' -n 4 magic < "$1"
    [ "$magic" = $'\x7fELF' ]
}

# Prerequisites at the end of the first rule, and a rule for each at the end.
without_index() {
    find "$1" -type f \( -name '*.d' -o -name '*.dep' \) -exec \
        sed -z -E -i "s, \\\\\n    $start/own/[^ \n]*,,g; s,\n$start/own/[^ \n]*:\n,,g" {} +
}

# Objects and programs become empty, after a look for the table in what came of a substituted file. In a
# line that begins with ": plain" there is to be none.
without_code() { # without_code NAME LINE
    local file
    find "$1" -type f | while IFS= read -r file; do
        is_elf "$file" || continue
        if [ "$1" != nvcc ] && [[ $file == *.o || $list == *_link ]]; then
            has_section "$file" .ks_table && found=a || found=no
            [[ $2 == ": plain"* ]] && wanted=no || wanted=a
            [ $found = $wanted ] || echo "$found table in $file" >> "$1/stderr"
        fi
        : > "$file"
    done
}

# ran OBJECT: links it and runs the program. (A shell says with a number that one was killed.)
ran() { g++ "$1" -o ran -L"${nvcc%/bin/nvcc}/lib64" -lcudart_static && ./ran 2>&1 | cat; }

# lines OBJECT: what debug information says of the user's text: source lines of the kernels' PTX (made
# with --no-compress) and of host functions. Files of nvcc's own have names that change.
lines() {
    strings -n 1 -a "$1" | awk '
        $1 == ".file" { sub(/,.*/, ""); n = $2; sub(/^[^"]*/, ""); file[n] = $0 }
        $1 == ".entry" || $2 == ".entry" {
            inside = !/ks_[0-9a-f]+/
            if (inside)
                row[++rows] = $0
        }
        $1 == ".loc" && inside {
            gsub(/,/, " ")
            row[++rows] = $2 " " $3 " " $4 ($7 == "inlined_at" ? " " $8 " " $9 " " $10 : "")
        }
        /^}/ { inside = 0 }
        END {
            for (i = 1; i <= rows; i++) {
                n = split(row[i], word, " ")
                for (w = 1; w <= n; w++)
                    printf "%s ", (w % 3 == 1 && word[w] in file ? file[word[w]] : word[w])
                print ""
            }
        }'
    readelf --debug-dump=decodedline "$1" | awk '
        /^[^ ].*:$/ { file = $0 }
        $NF == "x" && file !~ /<ks|tmpxft|cudafe1|\/cuda|host_runtime/ { print file, $2 }' | uniq
    readelf --debug-dump=info "$1" | grep -o 'DW_AT_comp_dir.*: /.*' | sed 's/.*: //'
}

compare() {
    local round status
    side nvcc "$nvcc" "$1"
    [[ $list != substituted* ]] || without_code nvcc "$1"
    rm -rf own/cache
    [ ! -d seed ] || cp -a seed own/cache
    for round in first second; do
        side ks "$ks_nvcc" "$1"
        without_index ks
        [[ $list != substituted* ]] || without_code ks "$1"
        alike nvcc ks || alike_but "$names" nvcc ks ||
            complain "$1" "nvcc (<) and ks-nvcc (>) differ, $round time"
        [ "$round" = second ] || find own/cache/manifests -type f -printf '%p %i\n' > manifests 2> /dev/null
    done
    find own/cache/manifests -type f -printf '%p %i\n' 2> /dev/null | diff manifests - > difference ||
        complain "$1" "the second compile is no hit"
    # What cannot be remembered tells the time, or does not compile.
    status=$(cat nvcc/status)
    [[ $list != substituted* || $list == *_link || $1 == *__TIMESTAMP__* || $status != 0 || -s manifests ]] ||
        complain "$1" "nothing is remembered"
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
[ $compared -ge 15 ] || fail "too few commands"
[ $failed = 0 ]
