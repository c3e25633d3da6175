# ks stats: counted by reason, in total and for each build, its objects as they were compiled last.
# (Commands that go to nvcc as they are need no real compiler to be counted.)
. "$KS_TEST_SOURCE/tests/verbs/verbs.sh"
ks_fake() { env KS_FAKE_CREATE=1 "$ks_nvcc" "$@" > out 2> log || fail "$*"; silent; }
write_scale a.cu
sed 's/scale/again/' a.cu > b.cu
(cat a.cu b.cu) > both.cu
mkdir -p cmake/sub/objects ninja/x
plain=$(mktemp -d -p /tmp) # these tests themselves are below somebody's CMakeCache.txt
trap 'rm -rf "$plain"' EXIT
touch cmake/CMakeCache.txt ninja/build.ninja
here=$PWD

# Which build: the folder that a tool made its own above the object, the current one, a name.
ks_fake -G -c a.cu -o cmake/sub/objects/a.o
(cd ninja && ks_fake -G -c ../both.cu -o x/both.o)
cp b.cu "$plain"
(cd "$plain" && env KS_FAKE_CREATE=1 "$ks_nvcc" --keep -c b.cu -o b.o) || fail "another folder"
KS_BUILD_ID=nightly ks_fake -G -c a.cu -o ninja/n.o
status 0 "$ks" stats
has 'marked kernels met in builds since '
has ': 5'
has 'debug-build                     4  '
has 'command                         1  '
has "$here/cmake: 1 debug-build"
has "$here/ninja: 2 debug-build"
has "$plain: 1 command"
has 'nightly: 1 debug-build'
json 0 stats + builds
[ "$(grep -c '"build": ' out)" = 4 ] || fail "not four builds"
has '"debug-build": 4'

# One build: each kernel with its place; compiled anew, an object has its new kernels alone.
status 0 "$ks" stats --build=ninja/x/..
has "$here/ninja/../both.cu:3: scale: debug-build: -G"
has "both.cu:13: again: debug-build"
lacks nightly
json 0 stats --build=nightly + kernels builds
[ "$(grep -c '"kernel": ' out)" = 1 ] || fail "not one kernel"
has "\"object\": \"$here/ninja/n.o\""
has '"reason": "debug-build"'
cp b.cu both.cu
(cd ninja && ks_fake --keep -c ../both.cu -o x/both.o)
status 0 "$ks" stats --build=ninja
has 'both.cu:3: again: command: --keep'
lacks scale
status 0 "$ks" stats
has ': 6'
has "$here/ninja: 1 command"
# A mark that cannot be read counts as well.
sed 's/in(x/in(z/' a.cu > wrong.cu
"$ks_nvcc" -c wrong.cu -o ninja/wrong.o 2> /dev/null || fail "a wrong mark"
status 0 "$ks" stats --build=ninja
has "wrong.cu: ?: bad-mark: wrong.cu:2: "
json 0 stats --build=ninja + kernels

# Neither a look nor a build that may not write, or is switched off, counts.
"$ks" --json stats > before
KS_READONLY=1 ks_fake -G -c a.cu -o ninja/y.o
KS_MODE=off ks_fake -G -c a.cu -o ninja/y.o
ks_fake -E a.cu
KS_READONLY=1 "$ks" --json stats | cmp - before || fail "counted"
# A build goes with its folder, what it counted stays.
rm -r cmake
status 0 "$ks" stats
lacks "$here/cmake"
has ': 7'
status 2 "$ks" stats --build=cmake
says 'cmake: no build there'
one_line
status 2 "$ks" stats cmake && says 'takes --build=FOLDER'
status 100 env KS_READONLY=1 "$ks" stats --zero && says KS_READONLY
status 0 "$ks" stats --zero
has ': 7'
status 0 "$ks" stats
has 'met in builds: 0'
lacks nightly

# Sixty-four compiles at once: all of them, and no file grows for ever.
for i in {1..64}; do
    env KS_BUILD_ID=many KS_FAKE_CREATE=1 "$ks_nvcc" -G -c a.cu -o "$i.o" &
done
wait
status 0 "$ks" stats
has 'debug-build                    64'
has 'many: 64 debug-build'
# Without a home there is nothing to count, and nothing is said.
env -u HOME KS_CACHE_DIR= "$ks_nvcc" -G -c a.cu -o a.o 2> log || fail "no home"
silent
