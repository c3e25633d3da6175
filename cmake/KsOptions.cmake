# Build type, language level, warnings, sanitizers and output folders.
#
# The project's own targets get all of it from the interface target ks_options; nothing is set
# globally except the default build type and the folder that programs go to.

option(KS_WERROR "Treat warnings as errors (CI does)" OFF)
option(KS_LIBFUZZER "Build tests/fuzz for libFuzzer (clang)" OFF)
option(KS_SANITIZE "Build with the address and undefined-behaviour sanitizers" OFF)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Debug, Release, RelWithDebInfo or MinSizeRel" FORCE)
endif()

set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON) # gnu17
set(CMAKE_POSITION_INDEPENDENT_CODE ON) # the probe's injection library is a shared object
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

add_library(ks_options INTERFACE)
target_include_directories(ks_options INTERFACE ${PROJECT_SOURCE_DIR}/driver)
target_compile_definitions(ks_options INTERFACE _GNU_SOURCE KS_VERSION="${PROJECT_VERSION}"
  KS_SANITIZED=$<BOOL:${KS_SANITIZE}>)
target_compile_options(ks_options INTERFACE
  $<$<COMPILE_LANGUAGE:C>:-Wall;-Wextra;-Wshadow;-Wstrict-prototypes;-Wmissing-prototypes>
  $<$<COMPILE_LANGUAGE:C>:-Wformat=2;-Wvla;-Wundef;-Wconversion>)
if(KS_WERROR)
  target_compile_options(ks_options INTERFACE $<$<COMPILE_LANGUAGE:C>:-Werror>)
endif()
# ks-nvcc starts before every compile: it loads no library that it does not call.
target_link_options(ks_options INTERFACE -Wl,--as-needed)
if(KS_SANITIZE)
  # Recovery is off so that undefined behaviour fails the test that met it.
  set(sanitize -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_compile_options(ks_options INTERFACE ${sanitize})
  target_link_options(ks_options INTERFACE ${sanitize})
endif()
if(KS_LIBFUZZER)
  target_compile_options(ks_options INTERFACE $<$<COMPILE_LANGUAGE:C>:-fsanitize=fuzzer-no-link>)
  target_link_options(ks_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
