# What is found in the store and not believed: named, not substituted, never a failed build.
. "$KS_TEST_SOURCE/tests/lib.sh"
write_scale a.cu
write_scale4 p.yaml
words=(-arch=sm_90 -objtemp -c a.cu -o a.o)
"$nvcc" "${words[@]}" && mv a.o expected.o || fail "nvcc"
touch ks.yaml
variant p.yaml a.cu -- -arch=sm_90
[[ $variant == $PWD/.ks/* ]] || fail "not in the project"
cp -r .ks good

refused() { # refused REASON WHAT
    local round
    for round in first second; do
        compile "${words[@]}"
        reason "$1"
        same a.o expected.o
    done
    echo "$2: $1"
    rm -rf .ks
    cp -r good .ks
}
taken() {
    compile "${words[@]}"
    reason applied
    substituted a.o
}
taken
rm "$variant.minisig"
refused untrusted "no signature"
echo "# a word more" >> "$variant"
refused untrusted "changed after signing"
: > "$variant.minisig"
refused untrusted "empty signature"
"$make_variant" --key=other.sec --resign "$variant" > /dev/null
refused untrusted "signed by a stranger"
: > "$variant" && "$make_variant" --resign "$variant" > /dev/null
refused corrupt "empty, signed"
head -c 700 "$variant" > cut && cp cut "$variant" && "$make_variant" --resign "$variant" > /dev/null
refused corrupt "cut short, signed"
sed -i 's/^format: 1/format: 99/' "$variant" && "$make_variant" --resign "$variant" > /dev/null
refused newer-format "written by a newer ks"
sed -i 's/n % 4 == 0/n % 5 == 0/' "$variant" && "$make_variant" --resign "$variant" > /dev/null
refused corrupt "changed under its name, signed"
sed -i 's/^correctness: CORRECT/correctness: WRONG/' "$variant" &&
    "$make_variant" --resign "$variant" > /dev/null
refused corrupt "a loser, signed"
key=$(dirname "$variant")
mv "$key" "$(dirname "$key")/$(basename "$key" | tr 0-9a-f 1-9a-f0)"
refused pending "in another kernel's folder"
cp -r "$key" elsewhere && rm -r "$key" && mkdir -p "$key" && : > "$key/note.txt"
refused pending "an empty folder"
chmod 0 "$variant"
[ "$(id -u)" = 0 ] || refused corrupt "unreadable"
rm -rf .ks && cp -r good .ks

# Made-up evidence counts only where the user says so.
rm -r .ks
variant --level=modelled p.yaml a.cu -- -arch=sm_90
compile "${words[@]}"
reason evidence-level
same a.o expected.o
KS_ACCEPT=modelled taken
rm -rf .ks && cp -r good .ks
taken

# A stranger's key becomes a friend's by `trust:` in ks.yaml, for this project only.
"$make_variant" --key=other.sec --resign "$variant" > /dev/null
compile "${words[@]}"
reason untrusted
printf 'trust:\n  - %s\n' "$("$make_variant" --public --key=other.sec)" > ks.yaml
taken
mkdir -p "$cache/variants" && cp -r "$key" "$cache/variants/"
rm -r .ks
compile "${words[@]}"
reason untrusted

# A damaged ks.yaml: one line with its place, and nvcc.
printf 'trust: [\n' > ks.yaml
compile "${words[@]}"
[ "$(wc -l < log)" = 1 ] || fail "not one line"
says 'ks.yaml:[0-9]'
same a.o expected.o
