# Words: help, versions, what is misspelt, where settings come from.
. "$KS_TEST_SOURCE/tests/verbs/verbs.sh"

status 0 "$ks" help
diff "$KS_TEST_SOURCE/tests/verbs/help.expected" out || fail "ks help has changed"
status 2 "$ks"
says 'usage: ks VERB'
status 0 "$ks" --version
grep -qx 'ks [0-9][0-9.]*' out || fail "version"

# Every verb of the overview explains itself, in both spellings, in less than 40 lines.
verbs=$(sed -n 's/^  \([a-z]*\) .*/\1/p' "$KS_TEST_SOURCE/tests/verbs/help.expected")
[ "$(wc -w <<< "$verbs")" -ge 10 ] || fail "the overview lists too few verbs"
for verb in $verbs; do
    status 0 "$ks" help "$verb"
    has "usage: ks $verb"
    [ "$(wc -l < out)" -lt 40 ] || fail "ks help $verb is too long"
    mv out first
    status 0 "$ks" "$verb" --help
    cmp first out || fail "ks $verb --help differs from ks help $verb"
    status 2 "$ks" "$verb" --bogus
    says "no option \`--bogus\`"
    one_line
    json 2 "$verb" --bogus
    has '"schema": "ks.error"'
done

status 2 "$ks" tnue && says 'do you mean `tune`'
status 2 "$ks" help tnue && says 'do you mean `tune`'
status 2 "$ks" list --jsno && says 'do you mean `--json`'
status 2 "$ks" tune a.cu --bugdet=5 && says 'do you mean `--budget=`'
status 2 "$ks" tune a.cu --budget=soon && says 'no time'
status 2 "$ks" tune a.cu --budget= && says 'wants a value'
status 2 "$ks" tune a.cu b.cu && says 'give one FILE.cu'
status 2 "$ks" tune && one_line
status 2 "$ks" list x && says 'takes no arguments'
status 2 "$ks" list -- -O3 && says 'no nvcc options'
status 2 "$ks" diff a.cu --variant=ab && says '4 digits'
status 2 "$ks" list --ks-mod=off && says 'do you mean --ks-mode'
status 2 env KS_MODE=fast "$ks" list && says 'use consume, tune, strict or off'

# A variable that nothing reads is named once; one that is read is not.
status 0 env KS_MDOE=off KS_MODE=off "$ks" list
says 'KS_MDOE (do you mean KS_MODE?)'
one_line
status 0 "$ks" --ks-mode=off list
silent

# Files that are not there, or not what they should be.
for verb in tune explain diff; do
    status 2 "$ks" $verb nowhere.cu
    says 'nowhere.cu: no such file'
    one_line
done
status 2 "$ks" show nothing && says 'no such file, and no stored kernel'
status 2 "$ks" explain nothing && says 'no such file, and no build left'
status 2 "$ks" inspect nowhere.o && says 'no such file'
status 2 "$ks" inspect . && says 'is a folder'
echo text > text.o
status 2 "$ks" inspect text.o && says 'no object, library or program'
json 0 inspect "$ks"
has '"proved": false'

# An answer that cannot be written is no answer.
if [ -c /dev/full ]; then
    "$ks" help > /dev/full 2> log
    got=$?
    [ $got = 100 ] || fail "a full disk: exits with $got"
    says 'stdout cannot be written: No space left on device'
fi
