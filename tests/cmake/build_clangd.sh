# clangd on compile_commands.json made with ks-nvcc: no more complaints than with nvcc, and with the settings
# of docs/builds.md none at all. (clangd 14 does not know CUDA 13; the settings for old ones are used.)
. "$KS_TEST_SOURCE/tests/lib.sh"
. "$KS_TEST_SOURCE/tests/cmake/build_lib.sh"
command -v clangd-14 > /dev/null || skip "no clangd-14"
command -v cmake > /dev/null || skip "no cmake"
command -v ninja > /dev/null || skip "no ninja"

mkdir src
write_scale src/a.cu
cat > src/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.25)
set(CMAKE_CUDA_ARCHITECTURES 90)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
project(p LANGUAGES CUDA)
find_package(KsNvcc REQUIRED)
add_library(a OBJECT a.cu)
target_compile_options(a PRIVATE -Xcompiler=-Wall)
ks_optimize(a MODE consume)
END
configure ours -G Ninja -S src -DCMAKE_PREFIX_PATH="$(dirname "$KS_TEST_BIN")"
grep -q 'ks-nvcc.*--ks-mode=consume' ours/compile_commands.json || fail "compile_commands.json is not of ks-nvcc"
mkdir plain
sed "s|$ks_nvcc|$nvcc|; s|--ks-mode=consume||" ours/compile_commands.json > plain/compile_commands.json

complaints() { # complaints FOLDER: clangd's, without times
    clangd-14 --check=src/a.cu --compile-commands-dir="$1" > log 2>&1
    grep '^E' log | sed 's/^E\[[^]]*\] //' | grep -v "tweak\|unsupported option '--ks-mode"
}
complaints plain > plain.text
complaints ours > ours.text
diff plain.text ours.text || fail "clangd complains otherwise of ks-nvcc's commands"

# The settings as documented, with this machine's toolkit.
sed -n '/^<!-- clangd, old -->$/,/^```$/p' "$KS_TEST_SOURCE/docs/builds.md" | sed '/^<!--/d; /^```/d' |
    sed "s|/usr/local/cuda|$(dirname "${nvcc%/*}")|" > src/.clangd
[ -s src/.clangd ] || fail "docs/builds.md has no such settings"
mkdir -p src/.clangd.d
: > src/.clangd.d/texture_fetch_functions.h
sed -i "s|-I.clangd.d|-I$PWD/src/.clangd.d|" src/.clangd
complaints ours > ours.text
[ ! -s ours.text ] || { cp ours.text log; fail "clangd complains"; }
grep -qi 'unknown pragma' log && fail "clangd complains of the pragma"
clangd-14 --check=src/a.cu --compile-commands-dir=ours > log 2>&1 || fail "clangd --check exits with $?"
# It can fail: an error in the file is told.
sed -i 's/a \* x\[i\]/a * nothing[i]/' src/a.cu
complaints ours > ours.text
grep -q nothing ours.text || fail "clangd does not read the file"
exit 0
