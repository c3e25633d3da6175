# What ks-nvcc reads off quoted words against what the host compiler gets from nvcc, for the lines of
# tests/data/option_quoting.txt.
set -u
words=$1 nvcc=$2 data=$3
[ -x "$nvcc" ] || { echo "SKIP: no nvcc"; exit 77; }
gcc=$(command -v g++) || { echo "SKIP: no g++"; exit 77; }
unset NVCC_PREPEND_FLAGS NVCC_APPEND_FLAGS
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export GOT=$work/got
# Keeps what a preprocessing gets, each word behind a NUL.
printf '#!/bin/bash\ncase " $* " in *" -E "*) printf "%%s\\0" "$@" > "$GOT" ;; esac\nexec %q "$@"\n' "$gcc" > g++
chmod +x g++
echo 'int x;' > a.cu
failed=0 n=0
while read -r where expected text; do
    case $where in '#'* | '') continue ;; esac
    n=$((n + 1))
    escaped=${text//\\n/$'\n'}
    escaped=${escaped//\\t/$'\t'}
    given=() flags=
    case $where in
        file) printf '%s' "$escaped" > options && given=(-optf options) ;;
        append) flags=$escaped ;;
        line) while IFS= read -r -d '|' word; do given+=("$word"); done <<< "$escaped|" ;;
        *) echo "FAILED: line '$where $text'" && exit 1 ;;
    esac
    rm -f got
    mine=$(NVCC_APPEND_FLAGS=$flags "$words" "${given[@]}" a.cu | sort)
    NVCC_APPEND_FLAGS=$flags "$nvcc" -E -ccbin "$work/g++" "${given[@]}" a.cu > /dev/null 2> err
    status=$?
    if [ "$expected" = doubt ]; then
        [ "$mine" = doubt ] && continue
    else
        # gcc may get an option's value as a word of its own
        theirs=$(python3 - <<'PY' | sort
import os
words = open(os.environ["GOT"]).read().split("\0") if os.path.exists(os.environ["GOT"]) else []
i = 0
while i < len(words):
    word = words[i]
    if word in ("-D", "-I"):
        i += 1
        word += words[i]
    if word[:3] in ("-DQ", "-IQ"):
        print(word)
    i += 1
PY
)
        [ $status = 0 ] && [ -n "$mine" ] && [ "$mine" = "$theirs" ] && continue
        echo "nvcc ($status): $(cat err) $theirs"
    fi
    failed=$((failed + 1))
    echo "FAILED: $where $expected $text: ks-nvcc reads: $mine"
done < "$data"
echo "$((n - failed)) passed, $failed failed"
[ $failed = 0 ] && [ $n -gt 30 ]
