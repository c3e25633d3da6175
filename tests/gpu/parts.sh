# Sourced by the scripts of this folder: the same work in parts side by side, each with state of its own.
# Verdicts do not depend on the neighbours; times are taken under the GPU's lock, but for figures run alone.
# shellcheck shell=bash

at_once=${JOBS:-$(nproc)}
[ "$at_once" -le 8 ] || at_once=8 # contexts of more processes wait for each other

# parts OUT FUNCTION WORD...: FUNCTION WORD for each word, `at_once` of them together, standard output and error in
# OUT/N.txt and OUT/N.log by the word's position. The number of failures is the status.
parts() {
    local out=$1 function=$2 n=0 failed=0 word
    shift 2
    rm -rf "$out"
    mkdir -p "$out"
    for word in "$@"; do
        while [ "$(jobs -rp | wc -l)" -ge "$at_once" ]; do wait -n; done
        n=$((n + 1))
        (
            export KS_CACHE_DIR=$out/$n/cache KS_STATE_DIR=$out/$n/state KS_CONFIG_DIR=$out/$n/config
            "$function" "$word" >"$out/$n.txt" 2>"$out/$n.log" || touch "$out/$n.failed"
        ) &
    done
    wait
    for ((n = 1; n <= $#; n++)); do [ ! -e "$out/$n.failed" ] || failed=$((failed + 1)); done
    return "$failed"
}

# told OUT txt|log: what they printed, in the order of the words.
told() {
    local n
    for ((n = 1; ; n++)); do
        [ -e "$1/$n.$2" ] || return 0
        cat "$1/$n.$2"
    done
}
