# ks-nvcc installed, its prefix moved, and used from there: find_package beside a plain nvcc, a build folder
# that is switched over and back, the toolchain snippet, the presets, plain commands.
. "$KS_TEST_SOURCE/tests/lib.sh"
. "$KS_TEST_SOURCE/tests/cmake/build_lib.sh"
command -v cmake > /dev/null || skip "no cmake"
command -v ninja > /dev/null || skip "no ninja"

cmake --install "$(dirname "$KS_TEST_BIN")" --prefix "$PWD/first" > log 2>&1 || fail "install"
mv first "a prefix" # moved, and with a blank
prefix="$PWD/a prefix" package=$(dirname "$(find "$PWD/a prefix" -name KsNvccConfig.cmake)")
grep -rIl -e "$PWD/first" "$prefix" > log && fail "an installed file holds the prefix"
[ "$("$prefix/bin/ks" --version)" = "$("$KS_TEST_BIN/ks" --version)" ] || fail "ks --version"

mkdir src
write_scale src/a.cu
echo 'int main() { run(nullptr, nullptr, 0); return 0; }' >> src/a.cu
write_scale src/b.cu
sed -i 's/scale/undecided/; s/void run/void run_b/; s/a \* x/a + x/' src/b.cu
cat > src/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.25)
set(CMAKE_CUDA_ARCHITECTURES 90)
project(p LANGUAGES CUDA)
if(USE_KS)
  find_package(KsNvcc REQUIRED)
endif()
add_executable(program a.cu)
add_library(other OBJECT b.cu)
if(USE_KS)
  ks_optimize(program REMARKS applied)
endif()
END
touch src/ks.yaml
write_scale4 p.yaml
variant p.yaml src/a.cu -- -arch=sm_90
a=CMakeFiles/program.dir/a.cu.o b=CMakeFiles/other.dir/b.cu.o
build() { cmake --build build -v > log 2>&1 || fail "the build"; }

# A project configured with nvcc as ever. ks_optimize: this target alone.
configure_nvcc() { cmake -G Ninja -S src -B build -DCMAKE_CUDA_COMPILER="$nvcc" "$@" > log 2>&1 || fail "cmake $*"; }
configure_nvcc
build
plain build/$a
identity=$(cat build/CMakeFiles/[0-9]*/CMakeCUDACompiler.cmake)
configure_nvcc -DUSE_KS=ON -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_EXPORT_COMPILE_COMMANDS=ON
build
rebuilt a.cu
substituted build/$a
says 'scale: variant .*ks:applied'
grep -q ks- build/compile_commands.json && fail "compile_commands.json holds words that nvcc does not know"
build
rebuilt
# One variable, for all targets, in the build folder that is there; and back.
configure_nvcc -DUSE_KS=OFF
build
rebuilt a.cu
plain build/$a
configure_nvcc -DCMAKE_CUDA_COMPILER_LAUNCHER="$prefix/bin/ks-nvcc"
build
rebuilt a.cu b.cu
substituted build/$a
plain build/$b
[ "$(cat build/CMakeFiles/[0-9]*/CMakeCUDACompiler.cmake)" = "$identity" ] || fail "another compiler"
configure_nvcc -DCMAKE_CUDA_COMPILER_LAUNCHER=
build
plain build/$a
build/program || fail "the program fails"

# The toolchain snippet, with its own find_package.
cmake -G Ninja -S src -B toolchain -DUSE_KS=ON -DCMAKE_TOOLCHAIN_FILE="$package/KsToolchain.cmake" \
    -DCMAKE_PREFIX_PATH="$prefix" > log 2>&1 || fail "toolchain"
grep -qF "CMAKE_CUDA_COMPILER \"$prefix/bin/ks-nvcc\"" toolchain/CMakeFiles/[0-9]*/CMakeCUDACompiler.cmake ||
    fail "the toolchain has another compiler"
cmake --build toolchain > log 2>&1 || fail "the build with the toolchain file"
substituted toolchain/$a
[ "$(grep -c 'ks:applied' log)" = 1 ] || fail "not one remark"

# The presets, copied into a project that has none; ks-nvcc on PATH.
cp "$package/ks-presets.json" src/CMakePresets.json
PATH=$prefix/bin:$PATH
cd src || exit 1
for preset in ks-consume ks-strict ks-off; do
    cmake --preset $preset -G Ninja > ../log 2>&1 || { cd ..; fail "preset $preset"; }
done
cmake --list-presets=build | grep -q ks-tune || fail "no preset ks-tune"
for preset in ks-consume ks-off; do
    cmake --build --preset $preset > ../log 2>&1 || { cd ..; fail "build preset $preset"; }
done
cmake --build --preset ks-strict -v > ../log 2>&1 && { cd ..; fail "ks-strict lets an undecided kernel pass"; }
cd ..
says 'b.cu:3: error: ks strict: `undecided`'
substituted src/build/ks-consume/$a
substituted src/build/ks-strict/$a
plain src/build/ks-off/$a
[ ! -e src/build/ks-strict/$b ] || fail "ks-strict makes an object"

# FindCUDA, as projects from before CMake 3.8 still use it: the compiler is named by the environment, and
# dependencies are asked for with -M.
mkdir old
cat > old/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.25)
project(old LANGUAGES CXX)
find_package(CUDA REQUIRED)
set(CUDA_NVCC_FLAGS -arch=sm_90)
cuda_add_executable(program ../src/a.cu)
END
CUDA_NVCC_EXECUTABLE=$prefix/bin/ks-nvcc cmake -G "Unix Makefiles" -S old -B old/build > log 2>&1 ||
    fail "FindCUDA"
old() { # old new|same: what becomes of the object
    touch before
    make -C old/build > log 2>&1 || fail "the build with FindCUDA"
    grep -qi warning log && fail "FindCUDA warns"
    a=$(find old/build -name '*a.cu.o')
    if [ "$a" -nt before ]; then [ "$1" = new ]; else [ "$1" = same ]; fi || fail "the object is not the $1"
}
old new
substituted "$a"
old same
rm "$variant" && : > src/.ks/index # withdrawn
old new
plain "$a"
old same
rm -r "$cache"
old same
no_litter
