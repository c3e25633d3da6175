# Sourced by fidelity.sh and fidelity_marked.sh: lists of command lines, each run in the same folder by
# nvcc and by ks-nvcc, and everything that came of it compared.
#
# A list (tests/data/fidelity/*.txt) holds one shell command a line, in which `nvcc` is either program;
# `#` begins a comment, and `@ needs PROGRAM` a condition for the next line. Each runs in a fresh copy of
# data/fidelity/src with an empty folder `out`.
# shellcheck shell=bash disable=SC2034,SC2154
data=$KS_TEST_SOURCE/tests/data/fidelity
compared=0 failed=0 skipped=0
unordered=
start=$PWD

# side NAME PROGRAM LINE: runs it, and keeps all that came of it in the folder NAME.
side() {
    local name=$1 program=$2 line=$3
    case $line in
    *' -t'[0-9]* | *' -t '[0-9]* | *' -threads'*) unordered=1 ;;
    *) unordered= ;;
    esac
    rm -rf work tmp home "$name"
    mkdir tmp home "$name"
    cp -a "$data/src" work
    chmod -R u+w work
    mkdir work/out
    (
        cd work || exit 99
        # shellcheck disable=SC2317 # the line calls them
        nvcc() { "$program" "$@"; }
        # `... | old FILE`: written long ago, so that a manifest may trust its time.
        old() { cat > "$1" && touch -d 2024-01-01 "$1"; }
        eval "$line"
    ) < /dev/null > "$name/stdout" 2> "$name/stderr"
    echo $? > "$name/status"
    chmod -R u+rwX work
    find work tmp home -printf '%p|%y|%m|%n|%l\n' | sort > "$name/listing"
    mv work tmp home "$name/"
}

# nvcc puts process numbers and addresses into the names of its temporary files, and prints how long
# ptxas took.
names='s/tmpxft_[0-9a-f]{8}_[0-9a-f]{8}/tmpxft_P/g;s/(tmpxft_P-[0-9]+)_[0-9a-f]+_std(out|err)/\1_A_std\2/g'
names="$names;s/Compile time = [0-9.]+ ms/Compile time = T ms/"
numbers="$names;s/[0-9]+(\\.[0-9]+)?/N/g"

# adjusted EXPRESSION NAME...: copies NAME.adjusted with contents and names of files edited. Where steps run
# side by side ($unordered, set by `side`) the order of messages goes too: nvcc has none, even where many
# runs on one machine show the same.
adjusted() {
    local expression=$1 name path
    shift
    for name; do
        rm -rf "$name.adjusted"
        cp -a "$name" "$name.adjusted"
        find "$name.adjusted" -type f -exec sed -E -i "$expression" {} +
        [ -z "$unordered" ] || sort -o "$name.adjusted/stderr" "$name.adjusted/stderr"
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

complain() { # complain LINE TEXT
    failed=$((failed + 1))
    echo "FAILED: $2"
    echo "  $1"
    head -c 3000 difference | sed 's/^/  /'
}

# Two runs of nvcc show that the names, and nothing else, must be made equal.
names_differ() {
    local line='nvcc --dryrun plain.cu; nvcc -Xptxas -v -cubin plain.cu'
    side nvcc "$nvcc" "$line"
    side again "$nvcc" "$line"
    alike nvcc again && fail "nvcc repeats the names of its temporary files: they can be compared"
    alike_but "$names" nvcc again || fail "nvcc does not repeat itself"
}

# each_line LIST FUNCTION: calls FUNCTION with each command whose needs are met.
each_line() {
    local line needs=
    while IFS= read -r line <&9; do
        case $line in
        '' | '#'*) continue ;;
        '@ needs '*)
            needs=${line#@ needs }
            continue
            ;;
        esac
        if [ -n "$needs" ] && ! command -v "$needs" > /dev/null; then
            echo "skipped for want of $needs: $line"
            skipped=$((skipped + 1))
        else
            cd "$start" || exit 1
            compared=$((compared + 1))
            "$2" "$line"
        fi
        needs=
    done 9< "$data/$1.txt"
}
