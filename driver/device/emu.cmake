# The emulator views lane registers as one type after another, and its loops over lanes are what it
# spends its time in.
file(GLOB ks_emu_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/device/emu/*.c)
set(ks_emu_options -O3 -fno-strict-aliasing -fopenmp-simd -ffp-contract=off)
if(CMAKE_C_COMPILER_ID MATCHES Clang)
  list(APPEND ks_emu_options -Wno-pass-failed) # loops with a library call in them stay scalar
endif()
set_source_files_properties(${ks_emu_sources} PROPERTIES COMPILE_OPTIONS "${ks_emu_options}")
