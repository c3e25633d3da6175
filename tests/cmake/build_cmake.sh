# CMake with ks-nvcc as its CUDA compiler: found out to be nvcc in every way of naming it, and with each
# generator what is rebuilt when a decision comes or goes, and nothing else.
. "$KS_TEST_SOURCE/tests/lib.sh"
. "$KS_TEST_SOURCE/tests/cmake/build_lib.sh"
command -v cmake > /dev/null || skip "no cmake"
command -v git > /dev/null || skip "no git"
command -v make > /dev/null || skip "no make"

write_project
cat > src/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.25)
set(CMAKE_CUDA_ARCHITECTURES 90)
project(p LANGUAGES CUDA)
add_executable(program a.cu lib/b.cu main.cu)
END
commit "with CMakeLists"

# What CMake notes about the compiler, with nvcc and with ks-nvcc, is the same but for its path.
identify() { # identify FOLDER WORDS...
    cmake -S src -B "$@" > "$1.log" 2>&1 || { cp "$1.log" log; fail "cmake $*"; }
    sed "s|$ks_nvcc|$nvcc|g" "$1"/CMakeFiles/[0-9]*/CMakeCUDACompiler.cmake > "$1.id"
    sed -i "s|$PWD/$1|BUILD|g" "$1.id"
}
identify plain -DCMAKE_CUDA_COMPILER="$nvcc"
grep -q 'CMAKE_CUDA_COMPILER_ID "NVIDIA"' plain.id || fail "nvcc is not recognised"
identify path -DCMAKE_CUDA_COMPILER="$ks_nvcc"
PATH=$KS_TEST_BIN:$PATH identify name -DCMAKE_CUDA_COMPILER=ks-nvcc
PATH=$KS_TEST_BIN:$PATH CUDACXX=ks-nvcc identify variable
for way in path name variable; do
    grep -q "CMAKE_CUDA_COMPILER:.*=$ks_nvcc\$" $way/CMakeCache.txt || fail "$way: another compiler"
    diff plain.id $way.id || fail "$way: CMake finds another compiler"
done
found=$(echo "$PWD"/path/CMakeFiles/[0-9]*)

for generator in Ninja "Ninja Multi-Config" "Unix Makefiles"; do
    case $generator in
    Ninja*) command -v ninja > /dev/null || { echo "no ninja"; continue; } ;;
    esac
    rm -rf build src/.ks src/lib/.ks "$cache"
    objects=build/CMakeFiles/program.dir
    case $generator in
    *Multi*) objects=$objects/Release ;;
    esac
    a=$objects/a.cu.o b=$objects/lib/b.cu.o
    configure build -G "$generator" -S src -DCMAKE_BUILD_TYPE=Release
    build() { cmake --build build --config Release -v -j2 > log 2>&1 || fail "$generator: the build"; }
    follow_decisions
done
no_litter
