# ks gc: what goes, what stays, pins; the property test is tests/unit/test_collect.c.
. "$KS_TEST_SOURCE/tests/verbs/verbs.sh"
status 0 "$ks" gc && has 'dropped 0'
[ ! -e "$cache" ] || fail "a cache was made"
status 2 "$ks" gc --max-size=much && says 'is no size'
status 2 "$ks" gc --keep=-1 && says 'no number of days'
status 2 "$ks" gc now && says 'takes options alone'
status 2 "$ks" gc --pin=nothing && says 'no stored kernel, key or variant `nothing`'
status 2 "$ks" gc --pin=x --dry-run && says 'give them alone'

touch ks.yaml
old() { touch -d "$1 days ago" "$2" "$2.minisig"; }
declare -A file
for name in a:60 b:50 c:40 d:20 e:90; do
    plant --kernel="${name%:*}" "$cache/variants" "${name%:*}0"
    file[${name%:*}]=$planted
    old "${name#*:}" "$planted"
done
plant --kernel=p "$PWD/.ks" f0
old 400 "$planted"
: > "$cache/.ks-0123456789abcdef" && touch -d '2 hours ago' "$cache/.ks-0123456789abcdef"
status 0 "$ks" gc --pin=e && has 'pinned e00000000000 e'
status 2 env KS_READONLY=1 "$ks" gc && says 'KS_READONLY'
json 0 gc --dry-run --max-size=1 + dropped pins
[ "$(grep -c '"kind": "decision"' out)" = 3 ] || fail "not a, b and c would go"
[ -e "${file[a]}" ] || fail "--dry-run drops"

# All fit: only the leftover goes.
status 0 "$ks" gc && has 'dropped leftover' && has '; dropped 1'
[ ! -e "$cache/.ks-0123456789abcdef" ] || fail "the leftover stays"
# One too many: the longest unused goes, its signature with it, and the index says so.
size=$("$ks" gc --json | sed -n 's/.*"after": \([0-9]*\).*/\1/p')
status 0 "$ks" gc --max-size=$((size - 1)) && has "dropped decision, unused for 60 days: ${file[a]}"
[ ! -e "${file[a]}.minisig" ] || fail "a's signature stays"
[ -e "${file[b]}" ] || fail "b went too"
grep -q ^a0 "$cache/variants/index" && fail "the index still has a"
grep -q ^b0 "$cache/variants/index" || fail "the index lost b"
# Nothing fits: what is pinned or recent stays, and the user is told. So does the project's.
status 0 "$ks" gc --max-size=0
has '1 pinned, 0 that a build refers to, 1 used within 30 days'
has 'all that is left is in use'
for name in d e; do [ -e "${file[$name]}" ] || fail "$name went"; done
for name in b c; do [ ! -e "${file[$name]}" ] || fail "$name stays"; done
[ -e "$planted" ] || fail "the project's decision went"
status 0 "$ks" gc --keep=10 --max-size=0 && has "${file[d]}"
status 0 "$ks" gc --unpin="$(basename "${file[e]}" .yaml)" && has 'let go e0'
status 0 "$ks" gc --max-size=0 && has "${file[e]}"

# A compile whose file is gone is not pending any more.
printf '{"key":"%064d","kernel":"k","file":"/nowhere/a.cu","cwd":"/","arch":90,"argv":["-c"]}\n' 7 > "$cache/pending"
status 0 "$ks" gc --dry-run && has 'would drop 1 pending'
status 0 "$ks" gc && has 'dropped 1 pending'
status 0 "$ks" gc && lacks 'pending compiles'
no_litter
