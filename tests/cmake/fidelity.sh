# Command lines through nvcc and through ks-nvcc in the same folder: the same text on both streams, the
# same exit status, the same files with the same bytes and modes, nothing left over anywhere.
#
#   fidelity.sh LIST...    tests/data/fidelity/LIST.txt
#
# A list holds one shell command a line, in which `nvcc` is either program; `#` begins a comment, and
# `@ needs PROGRAM` a condition for the next line. Each runs in a fresh copy of data/fidelity/src with a
# folder `out`. nvcc puts process numbers and addresses into the names of its temporary files: two runs
# of nvcc show that first of all. What differs otherwise must also differ between two runs of nvcc, in
# nothing but numbers (a table of times).
. "$KS_TEST_SOURCE/tests/lib.sh"
lists=("${@:?usage: fidelity.sh LIST...}")
data=$KS_TEST_SOURCE/tests/data/fidelity
compared=0 numbered=0 failed=0 skipped=0
start=$PWD

# side NAME PROGRAM LINE: runs it, and keeps all that came of it in the folder NAME.
side() {
    local name=$1 program=$2 line=$3
    rm -rf work tmp home "$name"
    mkdir tmp home "$name"
    cp -a "$data/src" work
    chmod -R u+w work
    mkdir work/out
    (
        cd work || exit 99
        nvcc() { "$program" "$@"; }
        eval "$line"
    ) < /dev/null > "$name/stdout" 2> "$name/stderr"
    echo $? > "$name/status"
    chmod -R u+rwX work
    find work tmp home -printf '%p|%y|%m|%l\n' | sort > "$name/listing"
    mv work tmp home "$name/"
}

# Process numbers and addresses in names of temporary files; then also every number.
names='s/tmpxft_[0-9a-f]{8}_[0-9a-f]{8}/tmpxft_P/g;s/(tmpxft_P-[0-9]+)_[0-9a-f]+_std(out|err)/\1_A_std\2/g'
numbers="$names;s/[0-9]+(\\.[0-9]+)?/N/g"

# adjusted EXPRESSION NAME...: copies NAME.adjusted with contents and names of files edited.
adjusted() {
    local expression=$1 name path
    shift
    for name; do
        rm -rf "$name.adjusted"
        cp -a "$name" "$name.adjusted"
        find "$name.adjusted" -type f -exec sed -E -i "$expression" {} +
        find "$name.adjusted" -depth -name 'tmpxft_*' | while read -r path; do
            mv "$path" "${path%/*}/$(basename "$path" | sed -E "$expression")"
        done
    done
}

alike() { diff -r --no-dereference "$1" "$2" > difference 2>&1; }
alike_but() { # alike_but EXPRESSION NAME NAME
    adjusted "$1" "$2" "$3"
    alike "$2.adjusted" "$3.adjusted"
}

complain() {
    failed=$((failed + 1))
    echo "FAILED: $2"
    echo "  $1"
    head -c 3000 difference | sed 's/^/  /'
}

compare() { # LINE, after both sides ran
    compared=$((compared + 1))
    alike nvcc ks && return
    numbered=$((numbered + 1))
    alike_but "$names" nvcc ks && return
    side again "$nvcc" "$1"
    if alike_but "$names" nvcc again; then
        alike nvcc.adjusted ks.adjusted
        complain "$1" "nvcc (<) and ks-nvcc (>) differ"
    elif ! alike_but "$numbers" nvcc again; then
        complain "$1" "nvcc does not repeat itself"
    else
        alike_but "$numbers" nvcc ks || complain "$1" "nvcc (<) and ks-nvcc (>) differ"
    fi
}

line='nvcc --dryrun -t2 -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90 plain.cu'
side nvcc "$nvcc" "$line"
side again "$nvcc" "$line"
alike nvcc again && fail "nvcc repeats the names of its temporary files: this test may compare them"
alike_but "$names" nvcc again || fail "nvcc does not repeat itself"

for list in "${lists[@]}"; do
    needs=
    while IFS= read -r line <&9; do
        case $line in
        '' | '#'*) continue ;;
        '@ needs '*) needs=${line#@ needs } && continue ;;
        esac
        if [ -n "$needs" ] && ! command -v "$needs" > /dev/null; then
            echo "skipped for want of $needs: $line"
            skipped=$((skipped + 1)) needs=
            continue
        fi
        needs=
        cd "$start" || exit 1
        side nvcc "$nvcc" "$line"
        side ks "$ks_nvcc" "$line"
        compare "$line"
    done 9< "$data/$list.txt"
done
echo "${lists[*]}: $compared commands compared, $skipped skipped, $numbered with names of temporary files"
[ $compared -gt 20 ] || fail "too few commands"
[ $failed = 0 ]
