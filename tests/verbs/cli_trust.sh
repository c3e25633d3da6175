# ks trust: keys added, listed, removed; what that makes of the decisions they sign.
. "$KS_TEST_SOURCE/tests/verbs/verbs.sh"
status 0 "$ks" trust && has 'no key is trusted here'
json 0 trust list
status 2 "$ks" trust add && one_line
status 2 "$ks" trust give x && says 'no action `give`'
friend=$(public friend.sec)
status 2 "$ks" trust add "$friend" && says 'say for what: --project'
status 2 "$ks" trust add "$friend" --project && says 'no project here'
status 2 "$ks" trust add nonsense --user && says "'nonsense' is not a public key"
status 2 env KS_READONLY=1 "$ks" trust add "$friend" --user && says 'KS_READONLY'
[ ! -e home/.config ] || fail "a file was made all the same"

# For the user: the friend's decision in the cache becomes one to take, and not one in a project.
touch ks.yaml
plant "$cache/variants" 0a
plant --sign=friend.sec "$cache/variants" 0b
plant --sign=friend.sec "$PWD/.ks" 0c
status 0 "$ks" trust
has 'own         '
has 'nobody      '
json 0 trust + keys
has '"place": "nobody"'
status 0 "$ks" trust
[ "$(awk '$1 == "nobody" { print $3 }' out)" = 2 ] || fail "the stranger's decisions are not counted"
[ "$(awk '$1 == "own" { print $3 }' out)" = 1 ] || fail "the own decision is not counted"
status 0 "$ks" trust add "$friend" --user && has 'is now trusted by you'
[ "$(cat home/.config/ks/trusted.keys)" = "$friend" ] || fail "trusted.keys"
status 0 "$ks" trust add "$friend" --user # again: nothing changes
[ "$(wc -l < home/.config/ks/trusted.keys)" = 1 ] || fail "twice in trusted.keys"
status 0 "$ks" list
[ "$(grep -c 'not used (untrusted)' out)" = 1 ] || { cat out; fail "not just the project's is untrusted"; }
has "not used (untrusted): $planted"

# For the project: one line more in ks.yaml, everything else byte for byte.
cat > before <<'END'
# Ours.
settings: {mode: consume}   # as ever
trust:   # who
    # the build machine
    - RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3 # Ann

kernels: []
END
cp before ks.yaml
printf 'untrusted comment: minisign public key\n%s\n' "$friend" > friend.pub
status 0 "$ks" trust add friend.pub --project && has 'is now trusted in this project'
diff before ks.yaml > changes
[ "$(cat changes)" = "5a6
>     - $friend" ] || fail "ks.yaml: $(cat changes)"
status 0 "$ks" list && lacks 'not used'
json 0 trust list + keys
has "\"file\": \"$PWD/ks.yaml\""
json 0 trust remove friend.pub --project
has '"done": true'
cmp before ks.yaml || fail "ks.yaml is not what it was"
status 0 "$ks" list && has "not used (untrusted): $planted"

# By its id, and what that costs.
id=$("$ks" trust | awk '$1 == "user" { print $2 }')
status 0 "$ks" trust remove "$id" --user && has 'builds take the 1 decisions that it signs no more'
status 2 "$ks" trust remove friend.pub --user && says 'does not list'
own=$("$ks" trust | awk '$1 == "own" { print $4 }')
status 2 "$ks" trust remove "$own" --user && says 'your own key'

# What cannot be edited surely is for the hand: nothing is written, and the line is there to copy.
printf 'trust: [%s]\n' "$(public other.sec)" | tee before > ks.yaml
status 1 "$ks" trust add "$friend" --project
says "add the line \`  - $friend\` below \`trust:\`"
cmp before ks.yaml || fail "ks.yaml was written"
json 1 trust add "$friend" --project
has '"done": false'

# Other lines and comments of trusted.keys stay.
printf '# mine\nuntrusted comment: Ann\n%s' "$(public other.sec)" > home/.config/ks/trusted.keys
cp home/.config/ks/trusted.keys before
status 0 "$ks" trust add "$friend" --user
status 0 "$ks" trust remove "$friend" --user
[ "$(cat before)" = "$(cat home/.config/ks/trusted.keys)" ] || fail "trusted.keys is not what it was"
no_litter
