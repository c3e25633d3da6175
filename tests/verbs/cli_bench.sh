# ks bench of whole programs: runs with KS_DISABLE=1 against runs without, and no claim beyond the bounds.
. "$KS_TEST_SOURCE/tests/verbs/verbs.sh"
status 2 "$ks" bench && says 'or -- and a program'
status 2 "$ks" bench -- && says 'or -- and a program'
status 2 "$ks" bench --runs 0 -- true && says 'from 1 to 1000'
status 2 "$ks" bench --runs many -- true && says 'from 1 to 1000'
status 2 "$ks" bench --variant original -- true && says 'goes with a program'
status 2 "$ks" bench a.cu --runs 5 && says 'goes with a program'
status 2 "$ks" bench -- ./none && says './none: no such program'
one_line

# app BODY: ./app logs its arm and runs BODY with $arm (1 original, empty substituted).
app() {
    printf '#!/bin/sh\narm=$KS_DISABLE\necho "arm=$arm" >> arms\necho noise\necho noise >&2\n%s\n' "$1" > app
    chmod +x app
    rm -f arms
}
app '[ -n "$arm" ] && sleep 0.4; exit 0'
json 0 bench --runs 6 -- ./app one two + words
# Slept for, whatever else the machine does: the originals take longer in every pair.
has '"shown": "faster"' && has '"status": 0' && has '"reason": ""'
# One of each before, then in turn: A B, A B B A A B B A ...; at the end one that is recorded, not timed.
[ "$(tr -d '\n' < arms)" = "$(for a in 1 '' 1 '' '' 1 1 '' '' 1 1 '' '' 1 ''; do printf 'arm=%s' "$a"; done)" ] ||
    fail "the arms ran as $(tr '\n' ' ' < arms)"
lacks noise
app '[ -n "$arm" ] || sleep 0.4; exit 0'
status 0 "$ks" bench --runs 6 -- ./app
has '  slower with the variants: 0.' && has 'medians of 6 pairs'
lacks noise
# The caller's own KS_DISABLE is for neither arm.
app 'exit 0'
KS_DISABLE=1 status 0 "$ks" bench --runs 1 -- ./app
grep -qx 'arm=' arms && grep -qx 'arm=1' arms || fail "both arms were not run"

# Too few pairs have no bounds, however far apart the arms are.
app '[ -n "$arm" ] && sleep 0.2; exit 0'
json 0 bench --runs 5 -- ./app
has '"shown": "too-few"' && has '"lower": null' && has '"upper": null'
status 0 "$ks" bench --runs 5 -- ./app && has 'fewer than 6 pairs show nothing'
lacks 'faster with'

# What it ends with is compared: arms that differ, runs that differ, and a failure of its own.
app '[ -n "$arm" ] && exit 3; exit 0'
json 1 bench -- ./app
has '"status": 3' && has '"status_substituted": 0' && has '"shown": null' && has '"pairs": 0'
status 1 "$ks" bench -- ./app && has 'it exits with 3 with the originals, with 0 with the variants'
[ "$(wc -l < arms)" = 4 ] || fail "it was run on" # twice in all: once each
app 'n=$(wc -l < arms); [ $n -gt 4 ] && exit 9; exit 0'
status 1 "$ks" bench -- ./app && has 'it exits with 0 and with 9'
app 'kill -SEGV $$'
status 0 "$ks" bench --runs 1 -- ./app && has 'it exits with 139, with and without them'

# A program of its own that holds no variant is told apart from a script, of which nothing is known.
cp "$(type -P true)" ./plain
status 0 "$ks" bench --runs 1 -- ./plain && has 'note: no variant is compiled into it'
status 0 "$ks" bench --runs 1 -- ./app && lacks note:
# Whatever takes longer then is no gain of theirs.
cp "$(type -P bash)" ./shell
json 0 bench --runs 6 -- ./shell -c 'if [ -n "$KS_DISABLE" ]; then sleep 0.3; fi'
has '"shown": "no-variant"'
status 0 "$ks" bench --runs 6 -- ./shell -c 'if [ -n "$KS_DISABLE" ]; then sleep 0.3; fi'
has 'no variant ran' && lacks 'faster with'
no_litter
