# CMake's kinds of targets with ks-nvcc: separable compilation, resolved or not, object, static, shared and
# interface libraries, unity builds, a library that is installed, exported and used; and ks_optimize.
. "$KS_TEST_SOURCE/tests/lib.sh"
. "$KS_TEST_SOURCE/tests/cmake/build_lib.sh"
command -v cmake > /dev/null || skip "no cmake"
command -v ninja > /dev/null || skip "no ninja"
package=$(dirname "$KS_TEST_BIN")
ks=$KS_TEST_BIN/ks

mkdir src
named() { # named NAME: the marked unit with its kernel and function called so
    write_scale "src/$1.cu"
    sed -i "s/scale/k_$1/g; s/void run/void run_$1/" "src/$1.cu"
}
for name in resolved late object shared one two strict kernels; do named $name; done
# A kernel in a header, for whoever includes it.
sed 's/k_one/k_header/g; s/void run_one/inline void run_header/' src/one.cu > src/header.cuh
sed -i '1i #pragma once' src/header.cuh
printf '#include "header.cuh"\nvoid use_header(float *y, float *x, int n) { run_header(y, x, n); }\n' > src/user.cu
# Two kernels, of which one is chosen; the other differs from it.
sed 's/k_kernels/k_other/; s/a \* x/a + x/; /^void/d' src/kernels.cu > other
cat other >> src/kernels.cu
{
    functions="resolved late object shared one two"
    for name in $functions; do echo "void run_$name(float *, float *, int);"; done
    echo "void use_header(float *, float *, int);"
    echo "int main() {"
    for name in $functions; do echo "run_$name(nullptr, nullptr, 0);"; done
    echo "use_header(nullptr, nullptr, 0); return 0; }"
} > src/main.cpp
cat > src/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.25)
set(CMAKE_CUDA_ARCHITECTURES 90)
project(p LANGUAGES CXX CUDA)
find_package(KsNvcc REQUIRED)
find_package(CUDAToolkit REQUIRED)
message(STATUS "toolkit ${CUDAToolkit_VERSION} ${CUDAToolkit_NVCC_EXECUTABLE}")
include(CheckSourceCompiles)
check_source_compiles(CUDA "__global__ void k() {} int main() { k<<<1, 1>>>(); return 0; }" GOOD)
check_source_compiles(CUDA "__global__ void k() { int x = nothing; } int main() {}" BAD)

add_library(resolved STATIC resolved.cu)
set_target_properties(resolved PROPERTIES CUDA_SEPARABLE_COMPILATION ON CUDA_RESOLVE_DEVICE_SYMBOLS ON)
add_library(late STATIC late.cu)
set_target_properties(late PROPERTIES CUDA_SEPARABLE_COMPILATION ON)
add_library(object OBJECT object.cu)
add_library(shared SHARED shared.cu)
# As CMake from 3.31 on does for UNITY_BUILD; before, that has no effect on CUDA.
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/Unity/unity_0_cu.cu
  "#include \"${CMAKE_CURRENT_SOURCE_DIR}/one.cu\"\n#include \"${CMAKE_CURRENT_SOURCE_DIR}/two.cu\"\n")
add_library(unity STATIC ${CMAKE_CURRENT_BINARY_DIR}/Unity/unity_0_cu.cu)
add_library(header INTERFACE)
target_include_directories(header INTERFACE $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}>)
add_library(user STATIC user.cu)
target_link_libraries(user PRIVATE header)
add_executable(program main.cpp)
target_link_libraries(program resolved late object shared unity user)

add_library(strict OBJECT EXCLUDE_FROM_ALL strict.cu)
ks_optimize(strict MODE strict PROJECT ${CMAKE_CURRENT_SOURCE_DIR}/undecided)
add_library(off OBJECT strict.cu)
ks_optimize(off MODE off)
add_library(kernels OBJECT kernels.cu)
ks_optimize(kernels KERNELS k_kernels REMARKS applied missed)

install(TARGETS resolved EXPORT scaling ARCHIVE DESTINATION lib)
install(EXPORT scaling NAMESPACE scaling:: DESTINATION lib/cmake/scaling FILE scaling-config.cmake)
END
mkdir src/undecided
touch src/ks.yaml src/undecided/ks.yaml
write_scale4 p.yaml
variant p.yaml src/one.cu -- -arch=sm_90
variant --lower=2 p.yaml src/late.cu -- -arch=sm_90 -rdc=true # other machine code, its own evidence

configure build -G Ninja -S src -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$package" \
    -DCMAKE_EXPORT_COMPILE_COMMANDS=ON
grep -q "toolkit $("$nvcc" --version | sed -n 's/.*release \([0-9.]*\).*/\1/p')" log || fail "FindCUDAToolkit"
{ grep -q 'GOOD - Success' log && grep -q 'BAD - Failed' log; } || fail "check_source_compiles"
build() { cmake --build build -v -j2 > log 2>&1 || fail "the build"; }
build
for target in resolved late object shared kernels; do
    substituted build/CMakeFiles/$target.dir/$target.cu.o
done
substituted build/CMakeFiles/user.dir/user.cu.o
substituted build/CMakeFiles/unity.dir/Unity/unity_0_cu.cu.o
plain build/CMakeFiles/off.dir/strict.cu.o
says 'k_kernels: variant .*ks:applied'
says 'k_other: .*ks:mode-off'
build
rebuilt
"$ks" inspect build/program > out || fail "ks inspect"
for name in resolved late object one two header; do
    grep -q "k_$name" out || fail "k_$name is not in the program"
done
"$ks" inspect build/libshared.so | grep -q k_shared || fail "k_shared is not in the library"
build/program || fail "the program fails"

# Strict is this target's alone, and says which kernel has no decision.
cmake --build build --target strict > log 2>&1 && fail "strict lets an undecided kernel pass"
says 'strict.cu:3: error: ks strict: `k_strict`'

# Installed, exported, and linked by a project that has never heard of ks-nvcc.
cmake --install build --prefix "$PWD/prefix" > log 2>&1 || fail "install"
grep -rq 'ks-\|ks_' prefix/lib/cmake && fail "the export speaks of ks-nvcc"
mkdir user
cat > user/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.25)
project(user LANGUAGES CXX)
find_package(CUDAToolkit REQUIRED)
find_package(scaling REQUIRED)
add_executable(user main.cpp)
target_link_libraries(user scaling::resolved CUDA::cudart_static)
END
printf 'void run_resolved(float *, float *, int);\nint main() { run_resolved(nullptr, nullptr, 0); }\n' > user/main.cpp
cmake -G Ninja -S user -B user/build -DCMAKE_PREFIX_PATH="$PWD/prefix;$(dirname "${nvcc%/*}")" > log 2>&1 ||
    fail "the user of the library does not configure"
cmake --build user/build > log 2>&1 || fail "the user of the library"
user/build/user || fail "the user's program fails"
"$ks" inspect user/build/user | grep -q k_resolved || fail "k_resolved is not in the user's program"

# What ks_optimize refuses.
refuses() { # refuses TEXT LINES
    printf 'cmake_minimum_required(VERSION 3.25)\nproject(p LANGUAGES NONE)\nfind_package(KsNvcc REQUIRED)\n%b' \
        "$2" > bad/CMakeLists.txt
    cmake -S bad -B bad/build -DCMAKE_PREFIX_PATH="$package" > log 2>&1 && fail "'$2' passes"
    tr -s ' \n' ' ' < log > flat
    grep -q "$1" flat || fail "'$2' is refused otherwise"
}
mkdir bad
refuses 'there is no such target' 'ks_optimize(nothing)\n'
refuses 'compiles nothing itself' 'add_library(i INTERFACE)\nks_optimize(i)\n'
refuses 'MODE fast is none of' 'ks_optimize(i MODE fast)\n'
refuses 'cannot read .FASTER.' 'ks_optimize(i FASTER)\n'
refuses 'CUDA is not enabled' 'add_library(i STATIC i.c)\nks_optimize(i)\n'
no_litter
