# ks record: what it tells of a program's launches, and that the program is none the wiser.
. "$KS_TEST_SOURCE/tests/record/record.sh"

# The program alone: what it prints, its status.
LD_LIBRARY_PATH=$KS_TEST_FAKES "$app" status > alone; [ $? = 7 ] || fail "the program ends otherwise"

status 7 "$ks" record -- "$app" status
[ "$(head -1 out)" = "$(cat alone)" ] || fail "the program's output is not its own"
[ ! -s log ] || fail "something is said"
has '37 launches of 3 kernels, 1.288 ms of GPU time'
grep -q '^99.4 %  1.280 * 30 .* ns::scale<float>$' out || { cat out; fail "no line of the first kernel"; }
grep -q 'grid 2, block 256, 16 registers, 4096 bytes shared, occupancy .*, in a graph$' out || fail "no graph"
grep -q 'ks_0123456789abcdef::scale4 \[variant 0123456789abcdef\]$' out || fail "no variant"
has 'variants ran: 1 of 37 launches'
no_litter

# As JSON, with the program's own output elsewhere.
json 7 record -- "$app" status + kernels sessions
grep -qx "$(cat alone)" log || fail "the program's output is lost"
is 'r["launches"]' 37
is '[k["launches"] for k in r["kernels"]]' '[30, 6, 1]'
is 'r["kernels"][0]["symbol"]' _ZN2ns5scaleIfEEvPT_PKS1_fi
is '[c["grid"] + [c["launches"], c["total_us"]] for c in r["kernels"][0]["classes"]]' \
    '[[64, 1, 1, 20, 640.0], [128, 1, 1, 10, 640.0]]'
is '[c["graph"] for c in r["kernels"][1]["classes"]]' '[False, True]'
is 'r["kernels"][1]["classes"][0]["dynamic_shared"]' 4096
is '[k["variant"] for k in r["kernels"]]' "[None, None, '0123456789abcdef']"
is 'r["kernels"][0]["classes"][0]["device"]' 'Fake GPU'
is 'r["streams"]' 3

# Kept, and read later.
status 0 "$ks" record -o kept.rec -- "$app" plain
json 0 record --report kept.rec + kernels
is 'r["launches"]' 37
is 'r["status"]' None
head -c 1500 kept.rec > part.rec # as if the writer had been cut off in a line
json 0 record --report part.rec
is 'r["torn"]' 1
: > empty.rec
status 2 "$ks" record --report empty.rec && says 'is no recording' && one_line
status 2 "$ks" record --report absent.rec && one_line
status 2 "$ks" record && one_line
status 2 "$ks" record -- ./absent && says 'no such program' && one_line
status 2 "$ks" record --report kept.rec -- "$app" && one_line

# Input is the program's; one that never opens the driver is told apart.
echo words > words
status 0 sh -c '"$1" record -- "$2" input < words' sh "$ks" "$app"
has 'read words'
status 0 "$ks" record -- "$app" none && says 'initialised CUDA in none'

# A million launches, none lost; more shapes than are held at once.
json 0 record -o many.rec -- "$app" many
is 'r["launches"]' 1000037
is 'sum(c["launches"] for k in r["kernels"] for c in k["classes"])' 1000037
[ "$(stat -c %s many.rec)" -le 200000000 ] || fail "too large"
json 0 record -- "$app" shapes
is 'r["launches"]' 70037
is 'r["torn"]' 0

# ks bench of a whole program tells whether variants ran.
json 0 bench --runs 2 -- "$app" plain
is '(r["launches"], r["variant_launches"])' '(37, 1)'
is 'round(r["variant_share"], 5)' 0.00155
status 0 "$ks" bench --runs 2 -- "$app" plain
has 'variants ran: 1 of 37 launches, 0.2 % of GPU time'
export FAKE_CUPTI=refuse
json 0 bench --runs 2 -- "$app" plain
is 'r["variant_launches"]' None
status 0 "$ks" bench --runs 2 -- "$app" plain
has 'whether variants ran is not known: cupti-refused'
unset FAKE_CUPTI
status 0 "$ks" bench --runs 2 -- "$app" none
has 'whether variants ran is not known: no process of it initialised CUDA'
