# list, show, diff, explain and inspect over a store that has a variant, and one whose files are not
# used.
. "$KS_TEST_SOURCE/tests/verbs/verbs.sh"
write_scale a.cu
write_scale4 p.yaml
touch ks.yaml # the project
status 1 "$ks" show a.cu && has 'nothing is stored'
variant p.yaml a.cu -- -arch=sm_90
key=$(basename "$(dirname "$variant")") id=$(basename "$variant" .yaml)

status 0 "$ks" list
has 'scale   sm_90  1.65x  1.50x  measured  project'
has "$id"
json 0 list + kernels
has "\"variant\": \"$id\""

for name in scale "$key" "${key:0:4}" "${id:0:6}" a.cu:scale; do
    status 0 "$ks" show "$name"
    has "kernel scale for sm_90, key $key"
    has "variant $id: 1.65x, at least 1.50x"
done
# What this machine remembers of it: the profile's page, and the attempts.
state=home/.local/state/ks
mkdir -p $state/profiles
"$KS_TEST_TOOLS/ks-add-attempt" "$PWD/$state" "$key" || fail "no attempt was added"
echo '{"chip":"test","page":"bottleneck: made up\n"}' > "$state/profiles/$key.json"
status 0 "$ks" show scale
has 'bottleneck: made up'
has '1.250x as a test wants it'
silent
json 0 show scale + kernels 'kernels[].decisions' 'kernels[].attempts'
has '"chip": "test"'
status 0 "$ks" stats && has 'unroll         1        1       1    1.25x'
json 0 stats + skills
# The attempts as a tree: below what it adds to, wherever that came in time; judged again, only the newest.
for attempt in 'a1 block=256 unroll=4 width=4' 'a2 width=4' 'a3 block=256 unroll=4' 'a2 width=4'; do
    "$KS_TEST_TOOLS/ks-add-attempt" "$PWD/$state" "$key" ${attempt%% *} "${attempt#* }" || fail "no attempt was added"
done
status 0 "$ks" show --trajectory scale
cut -d'[' -f1 out | sed 's| *$||' > tree
cat > wanted <<'END_TREE'
scale as it stands
+- 1.250x unroll=4
|  +- 1.250x block=256 unroll=4
|     +- 1.250x block=256 unroll=4 width=4
+- 1.250x width=4
END_TREE
same wanted tree
echo '{"chip' > "$state/profiles/$key.json"
status 0 "$ks" show scale && says 'delete it and tune again'
rm -r $state

status 2 "$ks" show "${key:0:3}" && says 'no such file'
status 2 "$ks" show a.cu:scal && says 'no marked kernel `scal`; there are: scale'

status 0 "$ks" diff a.cu
has '--- a.cu:3'
has "+++ variant $id"
has '+__global__ void scale4('
has '+// when: n % 4 == 0'
lacks 'source:'
json 0 diff a.cu --variant="${id:0:5}" + kernels
status 1 "$ks" diff a.cu --variant=0000
says 'no variant is stored'

# Without options the architectures that are stored; with others, the field in which the keys differ.
status 0 "$ks" explain a.cu
has 'a.cu:3: scale, sm_90: applied'
has "variant $id"
json 0 explain a.cu -- -arch=sm_90 -maxrregcount=40 + kernels 'kernels[].near'
has '"reason": "pending"'
has '"field": "maxrregcount"'
status 0 env KS_MODE=off "$ks" explain a.cu && has 'scale, sm_90: mode-off'

# A variant that compiles to other code here than was judged: only ks-nvcc's compile can tell.
cp "$variant" good.yaml
sed -i 's/\(ptx: "*\)[0-9a-f]\{8\}/\100000000/' "$variant"
cmp -s "$variant" good.yaml && fail "the evidence was not changed"
"$make_variant" --resign "$variant" > /dev/null || fail "resign"
json 0 explain a.cu + kernels
has '"reason": "variant-differs"'
has '"status": "original"'
cp good.yaml "$variant"
"$make_variant" --resign "$variant" > /dev/null || fail "resign"
status 0 "$ks" stats && has 'met in builds: 0' # looking is no build

compile -arch=sm_90 -c a.cu -o a.o
status 0 "$ks" inspect a.o && has "scale, sm_90: variant $id, 1.650x"
json 0 inspect a.o + kernels
has '"proved": true'
compile -arch=sm_80 -c a.cu -o b.o
status 0 "$ks" inspect b.o && has 'no kernel was replaced'
status 0 "$ks" stats && has 'pending now: 1; `ks warm` tunes them'
json 0 stats
# The kernel's name alone: the command is that of the build that left it pending.
(cd / && "$ks" explain scale) > out || fail "ks explain scale"
has 'scale, sm_80: pending'

# The original as a decision.
"$make_variant" --original a.cu -- -arch=sm_80 > made || fail "the original's decision"
status 0 "$ks" list && has 'original stays'
status 0 "$ks" show a.cu -- -arch=sm_80 && has 'the original stays: 3 judged, 2 correct' && has 'at most 1.00x was seen'
# One that was left alone: nothing was seen, and what may be there is told.
sed -i 's/^tried: 3/tried: 0/; s/^upper_bound: .*/upper_bound: 1.07/' "$(tail -n 1 made)"
"$make_variant" --resign "$(tail -n 1 made)" > /dev/null || fail "resign"
status 0 "$ks" show a.cu -- -arch=sm_80 && has 'the original stays: 0 judged' && has 'at most 1.07x is left by the floor of a launch'
json 0 show a.cu + 'kernels[].decisions'
json 0 list + kernels

# Files that are not used are listed, each with its own reason.
unused() { # unused REASON TEXT
    status 0 "$ks" list
    has "not used ($1): $variant"
    has "$2"
    status 0 "$ks" show "${key:0:8}"
    has "not used ($1): $variant"
    json 0 list + kernels
    json 0 show "${key:0:8}" + 'kernels[].decisions'
    has "\"reason\": \"$1\""
}
echo '# changed' >> "$variant"
unused untrusted 'does not match the data'
printf 'kernel: [\n' > "$variant"
"$make_variant" --resign "$variant" > /dev/null
unused corrupt 'yaml:'
status 0 "$ks" explain a.cu -- -arch=sm_90 && has 'scale, sm_90: corrupt'
sed 's/^format: 1/format: 9/' good.yaml > "$variant"
"$make_variant" --resign "$variant" > /dev/null
unused newer-format 'format 9 is newer'
cp good.yaml "$variant" && rm "$variant.minisig"
unused untrusted 'no signature'
no_litter
