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
what_gcc_got() {
    local words=() i
    [ ! -e "$GOT" ] || mapfile -d '' words < "$GOT"
    for ((i = 0; i < ${#words[@]}; i++)); do
        # An option's value may be a word of its own.
        [[ ${words[i]} != -[DI] ]] || words[i + 1]=${words[i]}${words[i + 1]}
        [[ ${words[i]} != -[DI]Q* ]] || printf '%s\n' "${words[i]}"
    done
}
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
        theirs=$(what_gcc_got | sort)
        [ $status = 0 ] && [ -n "$mine" ] && [ "$mine" = "$theirs" ] && continue
        echo "nvcc ($status): $(cat err) $theirs"
    fi
    failed=$((failed + 1))
    echo "FAILED: $where $expected $text: ks-nvcc reads: $mine"
done < "$data"
echo "$((n - failed)) passed, $failed failed"
[ $failed = 0 ] && [ $n -gt 30 ]
