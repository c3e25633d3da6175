# Keys and signatures against minisign itself, both ways: what ks signs, minisign verifies; what
# minisign makes and signs, ks believes.
. "$KS_TEST_SOURCE/tests/verbs/verbs.sh"
command -v minisign > /dev/null || skip "no minisign"
touch ks.yaml
plant --sign=ours.sec "$PWD/.ks" ab
public=$(public ours.sec)
minisign -Vm "$planted" -P "$public" > out 2> log || fail "minisign does not verify what ks signed"
has "Trusted comment: ks key $(basename "$(dirname "$planted")") decision $(basename "$planted" .yaml)"
minisign -Vm "$planted" -H -P "$public" > /dev/null 2>&1 || fail "not prehashed"
status 1 minisign -Vm "$planted" -P "$(public other.sec)"
cp "$planted" changed.yaml && echo >> changed.yaml
status 1 minisign -Vm changed.yaml -x "$planted.minisig" -P "$public"
# The secret key's file is minisign's too: it gives back the public half.
minisign -R -s ours.sec -p ours.pub > /dev/null 2>&1 || fail "minisign does not read the secret key"
[ "$(tail -n 1 ours.pub)" = "$public" ] || fail "minisign reads another key"

# The other way: a key by minisign, without a password, trusted from its own file.
minisign -G -W -s theirs.sec -p theirs.pub > /dev/null || fail "minisign -G"
comment="ks key $(basename "$(dirname "$planted")") decision $(basename "$planted" .yaml)"
minisign -S -W -s theirs.sec -t "$comment" -m "$planted" > /dev/null || fail "minisign -S"
status 0 "$ks" list && has 'not used (untrusted)'
status 0 "$ks" trust add theirs.pub --project
# minisign writes the number without leading zeros.
id=$(sed -n 's/.*minisign public key //p' theirs.pub)
while [ ${#id} -lt 16 ]; do id=0$id; done
has "key $id is now trusted"
status 0 "$ks" list && lacks 'not used' && has "$id"
minisign -S -W -s theirs.sec -t "ks key of another place" -m "$planted" > /dev/null || fail "minisign -S"
status 0 "$ks" list && has 'not used (corrupt)' && has 'for another place'
minisign -S -W -l -s theirs.sec -t "$comment" -m "$planted" > /dev/null || fail "minisign -S -l"
status 0 "$ks" list && has 'not used (untrusted)' && has 'not prehashed'
plant --sign=theirs.sec "$PWD/.ks" cd # ks signs with the key that minisign made
minisign -Vm "$planted" -p theirs.pub > /dev/null || fail "minisign does not verify its own key's"

# One with a password is refused with the way out.
printf 'pw\npw\n' | minisign -G -s locked.sec -p locked.pub > /dev/null 2>&1 || skip "no locked key"
status 1 "$KS_TEST_TOOLS/ks-plant-decision" --sign=locked.sec "$PWD/.ks" ef
says 'encrypted; make one without a password (minisign -G -W)'
