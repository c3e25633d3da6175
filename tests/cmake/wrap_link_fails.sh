# Compiled and linked in one command where something goes wrong: nvcc's text, status and files, and
# no program that was not proved.
. "$KS_TEST_SOURCE/tests/lib.sh"
. "$KS_TEST_SOURCE/tests/cmake/wrap_link_lib.sh"
variant q.yaml b.cu -- -arch=sm_90
variant p.yaml a.cu -- -arch=sm_90

# What fails: nvcc's text and status, nothing left behind, an older program as nvcc leaves it.
echo 'int x = ;' > bad.cu
echo 'int nowhere(); int main() { return nowhere(); }' > lost.cpp
names='s/tmpxft_[0-9a-f]*_[0-9a-f]*/T/g'
fails() { # fails WORDS...
    local want got
    echo old > app
    "$nvcc" "$@" -o app > want.out 2> want.err
    want=$?
    ls > want.files
    echo old > app
    "$ks_nvcc" "$@" -o app > out 2> log
    got=$?
    [ $got = $want ] && [ $got != 0 ] || fail "$*: exit $got, nvcc's is $want"
    ls | diff want.files - || fail "$*: other files"
    diff <(sed "$names" want.err) <(sed "$names" log) && diff want.out out || fail "$*: other text"
    no_litter
}
touch want.files want.out want.err out log
fails -arch=sm_90 a.cu bad.cu main.cpp
fails -arch=sm_90 a.cu main.cpp nowhere.cu
fails -arch=sm_90 bad.cu b.cu a.cu
fails -arch=sm_90 a.cu lost.cpp
fails -arch=sm_90 a.cu b.cu
fails -arch=sm_90 -t2 bad.cu a.cu
fails -arch=sm_90 a.cu main.cpp -lno_such_library
rm -f app

# What nvcc says of the command itself it says once.
"$nvcc" -arch=sm_90 -O3 -O2 a.cu b.cu main.cpp -o app > out 2> want.err
status 0 "$ks_nvcc" -arch=sm_90 -O3 -O2 a.cu b.cu main.cpp -o app
diff want.err log || fail "other text"
compile -arch=sm_90 -O3 -O2 a.cu main.cpp -o app
rows 'scale command'
says 'nvcc says of the command itself: .*incompatible redefinition'
plain app

# A link that drops the table, or that does not bear it: nvcc's own program, and the reason.
echo 'SECTIONS { /DISCARD/ : { *(.ks_table) } } INSERT BEFORE .comment;' > drop.ld
compile -arch=sm_90 a.cu main.cpp -o app -Xlinker -T,drop.ld
rows 'scale no-proof'
plain app
linked ./app
echo 'SECTIONS { .ks_table : { *(.ks_table) } } INSERT AFTER .data;
ASSERT(SIZEOF(.ks_table) == 0, "no room for a table")' > refuse.ld
compile -arch=sm_90 a.cu b.cu main.cpp -o app -Xlinker -T,refuse.ld
rows 'scale shadow-failed' 'other shadow-failed'
plain app
linked ./app
for script in drop refuse; do
    status 1 "$ks_nvcc" --ks-mode=strict -arch=sm_90 a.cu main.cpp -o app -Xlinker -T,$script.ld
    says 'strict: .*table\|no room for a table'
    [ ! -e app ] || fail "strict: a program"
done

# Strict: every unit has a decision, or there is no program, not even an older one.
export KS_MODE=strict
status 0 "$ks_nvcc" -arch=sm_90 a.cu b.cu main.cpp -o app
silent
linked ./app
status 1 "$ks_nvcc" -arch=sm_90 -rdc=true b.cu a.cu main.cpp -o app
says '^b.cu:3: error: ks strict: `other` has no decision'
[ ! -e app ] || fail "a program"
status 1 "$ks_nvcc" -arch=sm_90 -O3 -O2 a.cu main.cpp -o app
says '^a.cu:3: error: ks strict: .*redefinition'
status 1 "$ks_nvcc" -arch=sm_90 a.cu lost.cpp -o app
says 'nowhere'
status 3 "$ks_nvcc" -arch=sm_90 -run a.cu main.cpp -o app
linked ./app
no_litter
unset KS_MODE

# A variant that is withdrawn goes with the next build.
rm "$variant"*
compile -arch=sm_90 a.cu main.cpp -o app
rows 'scale pending'
plain app
linked ./app
