# Sourced by run.sh (mock runtime) and run_gpu.sh (a device): compiles the suite's units in every
# mode, plain and substituted, and holds what a program printed against cases.txt.
# Expects make_shadow, nvcc, hook, work, backend ("mock" or "gpu"); the folder is tests/dispatch.
# shellcheck shell=bash disable=SC2154
jobs=$(nproc)
[ -e "$(dirname "$nvcc")/nvcc.profile" ] || nvcc=$(readlink -f "$nvcc")
cuda=$(dirname "$(dirname "$nvcc")")

# mode | units | what the plain compile makes | options. Where it makes no object, a unit goes only so far
# as its stub is written. The units say what the mode is there to show
# (kinds, twin and bare go together); "-c" makes the program without substitution too.
modes() {
    cat << 'END'
whole  | guards kinds twin bare loading library | -c    | -arch=sm_90 -O2
rdc    | guards kinds twin bare loading library | -cubin | -arch=sm_90 -rdc=true -std=c++11
clang  | guards kinds twin bare         | -cubin | -arch=sm_90 -ccbin clang++-14 -std=c++17 -Xcompiler=-Wno-unused-function
stream | guards                         | -c    | -arch=sm_90 -default-stream per-thread -std=c++20
two    | guards                         | -cuda | -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90 -t2 -g -Xcompiler=-O0
weak   | kinds twin bare                | -cubin | -arch=sm_90 -std=c++17 -static-global-template-stub=false
race   | guards                         | -cubin | -arch=sm_90 -Xcompiler=-fsanitize=thread
shared | kinds twin bare loading library        | -cubin | -arch=sm_90 -Xcompiler=-fPIC,-fvisibility=hidden
END
}
modes=()
declare -A units_of options_of phase_of
while IFS='|' read -r mode units phase options; do
    mode=${mode// /}
    if [ "$mode" = clang ] && ! command -v clang++-14 > /dev/null; then
        echo "skipped: mode clang: no clang++-14"
        continue
    fi
    if [ "$mode" = race ] && [ $backend != mock ]; then
        continue # it is about host code
    fi
    modes+=("$mode")
    units_of[$mode]=$units
    [[ $units != *guards* ]] || units_of[$mode]+=" $extra_units" # they launch its kernels
    phase_of[$mode]=${phase// /}
    [ $backend = mock ] || phase_of[$mode]=-c
    options_of[$mode]="$options --extended-lambda"
done < <(modes)

# unit MODE UNIT: $work/MODE/{plain,shadow}/UNIT.o; of a unit without variants only the first.
unit() {
    local dir=$work/$1 unit=$2 section stub
    local -a args options
    read -ra options <<< "${options_of[$1]}"
    [ "$unit" != library ] || options+=(-Xcompiler=-fPIC,-fvisibility=hidden)
    mkdir -p "$dir/plain" "$dir/shadow" "$dir/keep-$unit"
    if [ ! -e "cases/$unit.yaml" ]; then
        "$nvcc" "${options[@]}" -c "cases/$unit.cu" -o "$dir/plain/$unit.o" || return 1
        cp "$dir/plain/$unit.o" "$dir/shadow/"
        return
    fi
    "$nvcc" "${options[@]}" --keep --keep-dir "$dir/keep-$unit" "${phase_of[$1]}" "cases/$unit.cu" \
        -o "$dir/plain/$unit.o" || return 1
    stub=$(echo "$dir/keep-$unit"/*.cudafe1.stub.c)
    # Of several architectures the host's is the one beside this.
    [ -e "$stub" ] || stub=$(echo "$dir/keep-$unit"/*.cudafe1.cpp) stub=${stub%.cpp}.stub.c
    "$make_shadow" "cases/$unit.cu" "$stub" "cases/$unit.yaml" \
        "$dir/shadow/$unit.cu" "$hook" > "$dir/shadow/$unit.args" || return 1
    # Where a unit begins with an entity of its own, its path is in these hashes: not the shadow's.
    sed -i 's/\(_GLOBAL__N__\|_INTERNAL_\|"__nv_static_[0-9]*__\)[0-9a-f]\{8\}_/\10badc0de_/g' \
        "$dir/shadow/$unit.cu"
    mapfile -t args < "$dir/shadow/$unit.args"
    "$nvcc" "${args[@]}" -Werror all-warnings -Xcompiler=-Wall,-Wextra,-Werror,-Wshadow \
        "${options[@]}" -c "$dir/shadow/$unit.cu" -o "$dir/shadow/$unit.o" || return 1
    for section in .ks_hook .ks_table .ks_note; do
        readelf -SW "$dir/shadow/$unit.o" | grep -q " $section .* AR " ||
            { echo "$dir/shadow/$unit.o: no retained section $section"; return 1; }
    done
}

# What every program shares: the suite itself and what stands behind it.
common() {
    local file
    for file in suite "backend_$backend"; do
        g++ -O1 -std=c++17 -Wall -Wextra -Werror -I"$cuda/include" -c "cases/$file.cpp" \
            -o "$work/$file.o"
    done
    [ $backend != mock ] || for file in mock_cudart mock_memory; do
        gcc -O1 -fPIC -Wall -Wextra -Werror -c $file.c -o "$work/$file.o"
    done
}

# compile_all: every unit of every mode, as many at a time as there are processors.
compile_all() {
    local mode unit
    for mode in "${modes[@]}"; do
        for unit in ${units_of[$mode]}; do
            while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n || true; done
            { unit "$mode" "$unit" > "$work/$mode-$unit.log" 2>&1 ||
                echo "$mode $unit" >> "$work/failed"; } &
        done
    done
    wait
    [ ! -e "$work/failed" ] || {
        while read -r mode unit; do
            echo "$mode: $unit does not compile:"
            cat "$work/$mode-$unit.log"
        done < "$work/failed"
        return 1
    }
}

# link MODE KIND: $work/MODE/KIND/program with its libraries, KIND being plain or shadow.
link() {
    local dir=$work/$1/$2 unit objects=() runtime suite=("$work/suite.o" "$work/backend_$backend.o")
    for unit in ${units_of[$1]}; do
        [ "$unit" = library ] || objects+=("$dir/$unit.o")
    done
    [ "$1" != race ] || suite+=(-fsanitize=thread)
    local rdc=
    [[ " ${options_of[$1]} " != *" -rdc=true "* ]] || rdc=yes
    if [ $backend = mock ]; then
        runtime=("$work/libmock.so" -Wl,-rpath,"$work")
    else
        runtime=(-L"$cuda/lib64" -lcudart -Wl,-rpath,"$cuda/lib64")
    fi
    if [ -n "$rdc" ]; then
        "$nvcc" -arch=sm_90 -dlink "${objects[@]}" -o "$dir/dlink.o"
        "$nvcc" -arch=sm_90 -dlink -Xcompiler=-fPIC "$dir/library.o" -o "$dir/library-dlink.o"
        objects+=("$dir/dlink.o")
        set -- "$1" "$2" "$dir/library-dlink.o"
        [ $backend = mock ] || runtime+=(-L"$cuda/lib64" -lcudadevrt)
    fi
    if [[ ${units_of[$1]} == *library* ]]; then
        g++ -shared -o "$dir/first.so" "$dir/library.o" "${@:3}"
        cp "$dir/first.so" "$dir/second.so"
    fi
    if [ "$1" = shared ]; then # all cases in a library; what it needs is in the program
        g++ -shared -o "$dir/cases.so" "${objects[@]}"
        objects=()
    fi
    g++ -rdynamic -pthread -Wl,--gc-sections -o "$dir/program" "${suite[@]}" "${objects[@]}" \
        "${runtime[@]}" -ldl
}

# run_suite NAME MODE KIND [VARIABLE=VALUE...]: leaves results, effects and trace as NAME.*
run_suite() {
    local name=$work/$2/$1 dir=$work/$2/$3 library=()
    rm -f "$name".*
    [ "$2" != shared ] || library=("$dir/cases.so")
    : > "$name.trace"
    env KS_TRACE="$name.trace" SUITE_LIBRARIES="$dir" "${@:4}" "$dir/program" "$name.results" \
        "$name.effects" "${library[@]}" > "$name.out" 2>&1 ||
        { echo "$2: $1:"; cat "$name.out"; return 1; }
}

# The rows of cases.txt for this backend: "name TAB told TAB ran". A name ending in @MODE holds
# there instead of the row without.
rows() { # rows MODE
    awk -F ' *[|] *' -v mode="$1" -v backend=$backend '
        /^#/ || NF < 4 { next }
        $2 != "both" && $2 != backend { next }
        { name = $1; here = 1
          if (split(name, part, "@") == 2) { name = part[1]; here = part[2] == mode }
          if (here && (!(name in row) || name != $1)) row[name] = $3 "\t" $4 }
        END { for (name in row) print name "\t" row[name] }' cases.txt | sort
}

# held MODE NAME: each line of NAME.results is as the table says; "*" there is anything.
held() {
    rows "$1" > "$work/$1/rows"
    awk -F '\t' -v mode="$1" -v at="$2" '
        FNR == NR { told[$1] = $2; ran[$1] = $3; next }
        { seen++ }
        !($1 in told) { print mode ": " $1 ": not in cases.txt"; bad = 1; next }
        (told[$1] != "*" && told[$1] != $2) || (ran[$1] != "*" && ran[$1] != $3) {
            print mode ": " at ": " $1 ": told " $2 "; ran " $3
            print "  cases.txt says: told " told[$1] "; ran " ran[$1]; bad = 1 }
        END { exit bad || !seen }' "$work/$1/rows" "$work/$1/$2.results"
    cut -f1 "$work/$1/$2.results" >> "$work/shown"
}

# The same, whatever runs: nothing an application can see of its launches differs.
same_effects() { # same_effects MODE NAME NAME: of the cases that both have
    diff <(join -t $'\t' <(sort "$work/$1/$2.effects") <(sort "$work/$1/$3.effects") -o 1.1,1.2) \
        <(join -t $'\t' <(sort "$work/$1/$2.effects") <(sort "$work/$1/$3.effects") -o 1.1,2.2) \
        > "$work/$1/diff" ||
        { echo "$1: $2 and $3 differ in what the application sees:"; cat "$work/$1/diff"; return 1; }
}

same() { diff "$1" "$2" || { echo "$1 and $2 differ"; return 1; }; }

# Originals alone, and never but for the reason given.
only_originals() { # only_originals MODE NAME [REASON]
    awk -F '\t' -v why="${3:-}" '{ told = $2; gsub("original\\(" why "\\)(\\*[0-9]+)?", "", told)
        ran = $3; gsub(/o<[0-9.,]+>(\*[0-9]+)?/, "", ran); gsub(/[- ]/, "", told); gsub(/[- ]/, "", ran)
        if (told != "" || ran != "") { print "not the original: " $0; bad = 1 } }
        END { exit bad || !NR }' "$work/$1/$2.results"
}

row() { # row NAME COMMAND...: a row that the script shows itself
    local name=$1
    shift
    "$@" || { echo "FAILED: $name"; return 1; }
    echo "$name" >> "$work/shown"
}

# Every row for this backend was shown; rows of modes left out excepted.
all_shown() {
    awk -F ' *[|] *' -v backend=$backend -v have=" ${modes[*]} " '
        /^#/ || NF < 4 || ($2 != "both" && $2 != backend) { next }
        { n = split($1, part, "@"); if (n == 1 || index(have, " " part[2] " ")) print part[1] }' \
        cases.txt | sort -u | comm -23 - <(sort -u "$work/shown") > "$work/missing"
    [ ! -s "$work/missing" ] || { echo "in cases.txt, but never shown:"; cat "$work/missing"; return 1; }
}
