# Command lines through nvcc and through ks-nvcc: the same text on both streams, the same exit status,
# the same files with the same bytes and modes, nothing left over anywhere.
#
#   fidelity.sh LIST...    tests/data/fidelity/LIST.txt
#
# What differs beyond names of temporary files, and the order of messages of -t, must also differ between two
# runs of nvcc, in nothing but numbers (a table of times).
. "$KS_TEST_SOURCE/tests/lib.sh"
. "$KS_TEST_SOURCE/tests/cmake/fidelity_lib.sh"
lists=("${@:?usage: fidelity.sh LIST...}")

compare() {
    side nvcc "$nvcc" "$1"
    side ks "$ks_nvcc" "$1"
    alike nvcc ks && return
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

names_differ
for list in "${lists[@]}"; do
    each_line "$list" compare
done
echo "${lists[*]}: $compared commands compared, $skipped skipped"
[ $compared -gt 20 ] || fail "too few commands"
[ $failed = 0 ]
