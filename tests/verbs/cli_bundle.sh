# ks export and ks import: one file from Ann's machine to Bob's, a folder that both share, and files
# that are not as they should be (each byte of them: tests/unit/test_bundle.c).
. "$KS_TEST_SOURCE/tests/verbs/verbs.sh"
as() { # as NAME COMMAND...: on that user's machine
    local home=$PWD/$1
    shift
    mkdir -p "$home"
    HOME=$home "$@"
}
ks_as() { local who=$1; shift; status "${want:-0}" env HOME="$PWD/$who" "$ks" "$@"; }
mkdir -p ann bob site/project
touch site/project/ks.yaml
want=1 ks_as ann export --out=empty.ksb
says 'no usable decision here'
[ ! -e empty.ksb ] || fail "an empty file"
want=2 ks_as ann export && says 'give --out=FILE or --to=DIR'
want=2 ks_as ann export --out=x --to=y

HOME=$PWD/ann plant --kernel='scale<float>' ann/.cache/ks/variants 0a
HOME=$PWD/ann plant --kernel=sum --lower=1.3 ann/.cache/ks/variants 0b
HOME=$PWD/ann plant --kernel=copy --original ann/.cache/ks/variants 0c
ks_as ann trust add "$(public carol.sec)" --user # who also works there
plant --sign=carol.sec --kernel=carols ann/.cache/ks/variants 0d
echo '# changed by hand' >> "$planted"            # not usable: stays behind
plant --sign=carol.sec --kernel=carols ann/.cache/ks/variants 0e
ks_as ann export --out=all.ksb && has 'all.ksb: 4 decisions'
cp all.ksb first.ksb
ks_as ann export --out=all.ksb
same first.ksb all.ksb
ks_as ann export --out=one.ksb scale && has 'one.ksb: 1 decisions'
ks_as ann export --out=two.ksb 0b00 original && has 'two.ksb: 2 decisions'
want=2 ks_as ann export --out=none.ksb scales && says 'no usable decision of a kernel, key or variant `scales`'
[ ! -e none.ksb ] || fail "none.ksb was made"
json 2 export --project --out=x.ksb && has 'no project here'
HOME=$PWD/ann json 0 export --out=all.ksb + decisions
has '"kernel": "scale<float>"'

# Standard tools see through it.
mkdir open && tar -C open -xf all.ksb || fail "tar"
(cd open && sha256sum --quiet -c CONTENTS) || fail "sha256sum"
ann_key=$(as ann "$ks" trust | awk '$1 == "own" { print $4 }') ann_id=$(as ann "$ks" trust | awk '$1 == "own" { print $2 }')
grep -q "^# exporter $ann_id $ann_key\$" open/CONTENTS || fail "CONTENTS does not name Ann"
if command -v minisign > /dev/null; then
    minisign -Vm open/CONTENTS -P "$ann_key" > out 2>&1 || fail "minisign"
    has 'Trusted comment: ks bundle contents'
fi

# Bob does not know Ann: nothing, and the line that changes it.
cd site/project || exit 1
import() { status "$1" env HOME="$PWD/../../bob" "$ks" "${@:2}"; }
import 1 import ../../all.ksb
says "exported by key $ann_id, which is not trusted in this project; nothing is imported"
[ ! -e .ks ] || fail "something was imported"
line=$(sed -n 's/.*`ks \(trust add .*\)`/\1/p' log)
# shellcheck disable=SC2086 # the words of the line
import 0 $line
import 1 import ../../all.ksb --dry-run
has '3 of 4 decisions would be imported'
[ ! -e .ks ] || fail "--dry-run imports"
import 1 import ../../all.ksb
has '3 of 4 decisions imported'
says "if you trust it: ks trust add $(public ../../carol.sec) --project"
import 0 list
has 'scale<float>' && has 'original stays' && lacks carols && lacks 'not used'
[ "$(wc -l < .ks/index)" = 3 ] || fail "the index"
# shellcheck disable=SC2046
import 0 $(sed -n 's/.*if you trust it: ks //p' <<< "$(HOME=$PWD/../../bob "$ks" import ../../all.ksb 2>&1)")
HOME=$PWD/../../bob json 0 import ../../all.ksb + decisions
has '"result": "same"' && has '"result": "new"' && has '"imported": 1'
import 1 import ../../all.ksb --user --dry-run && says 'not trusted by you' # a project's trust is its own
# Back from there it is the same file but for who exported it.
import 0 export --project --out=back.ksb
mkdir back && tar -C back -xf back.ksb && rm back/CONTENTS* ../../open/CONTENTS*
diff -r back ../../open || fail "what came back is another"
rm -r back back.ksb

# A pinned kernel stays as it is; --replace says otherwise.
HOME=$PWD/../../ann plant --kernel=sum --lower=1.9 ../../ann/.cache/ks/variants 0b
status 0 env HOME="$PWD/../../ann" "$ks" export --user --out=better.ksb sum
import 0 gc --pin=sum
import 0 import better.ksb && has 'kept-pinned'
import 0 import better.ksb --replace && has 'replaced'
status 0 env HOME="$PWD/../../ann" "$ks" export --user --out=better.ksb sum
import 0 import better.ksb && has 'same'
export KS_READONLY=1
import 2 import better.ksb && says KS_READONLY
import 0 import better.ksb --dry-run
unset KS_READONLY

# Files that are not as they should be: one line, nothing written.
before=$(find .ks -type f -exec cksum {} + | sort)
wrong() { # wrong TEXT FILE
    import 2 import "$2"
    one_line
    says "$1"
    says 'nothing is imported'
    [ "$(find .ks -type f -exec cksum {} + | sort)" = "$before" ] || fail "$2 changed the store"
}
for ((n = 0; n < $(stat -c %s better.ksb); n += 1000)); do
    head -c $n better.ksb > cut.ksb
    wrong 'cut.ksb: ' cut.ksb
done
import 2 import nowhere.ksb && one_line && says 'nowhere.ksb'
ln -s /etc/passwd link.yaml
tar --format=ustar -cf link.ksb link.yaml
wrong 'byte 0: not a header as ks writes it' link.ksb
gzip -c better.ksb > packed.ksb
wrong 'byte 0' packed.ksb
HOME=$PWD/../../bob json 2 import packed.ksb
has '"status": "format"'

# A folder that both share: written by export alone, read by everybody who trusts the signer.
cd ../.. || exit 1
want=2 ks_as ann export --to=shared --dry-run --out=x
status 2 env HOME="$PWD/ann" KS_READONLY=1 "$ks" export --to=shared && says KS_READONLY
ks_as ann export --to=shared --dry-run && has '4 of 4 decisions would be written'
[ ! -e shared ] || fail "--dry-run writes"
ks_as ann export --to=shared && has '4 of 4 decisions written'
[ "$(wc -l < shared/index)" = 4 ] || fail "the shared index"
export KS_STORE_DIR=$PWD/nowhere:$PWD/shared
ks_as bob list && has 'not used (untrusted)' # what the project trusts does not count
ks_as bob trust add "$ann_key" --user
ks_as bob list && has ' shared '
json 0 list + kernels
HOME=$PWD/ann plant --kernel=sum --lower=1.2 ann/.cache/ks/variants 0b
ks_as ann export --to=shared sum && has 'kept-better'
ks_as ann export --to=shared sum --replace && has 'replaced'
rm -r ann/.cache && ks_as ann list && has ' shared '
no_litter
