# Device code compiled to PTX and embedded as a C array, for any GPU from compute capability 7.5 on
# (the oldest that CUDA 13 compiles for); the driver translates it when it is loaded.

# ks_embed_ptx(<target> <file.cu> <array>): adds `const unsigned char <array>[]` to the target.
set(KS_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_DIR}/embed.cmake CACHE INTERNAL "")
function(ks_embed_ptx target source array)
  set(ptx ${CMAKE_CURRENT_BINARY_DIR}/${array}.ptx)
  set(code ${CMAKE_CURRENT_BINARY_DIR}/${array}.c)
  get_filename_component(source ${source} ABSOLUTE)
  add_custom_command(OUTPUT ${ptx}
    COMMAND ${KS_NVCC} -ptx -arch=compute_75 -o ${ptx} ${source}
    DEPENDS ${source} COMMENT "Device code ${array}" VERBATIM)
  add_custom_command(OUTPUT ${code}
    COMMAND ${CMAKE_COMMAND} -DIN=${ptx} -DOUT=${code} -DNAME=${array} -P ${KS_EMBED_SCRIPT}
    DEPENDS ${ptx} ${KS_EMBED_SCRIPT} VERBATIM)
  target_sources(${target} PRIVATE ${code})
endfunction()

ks_embed_ptx(ks_device ${CMAKE_CURRENT_LIST_DIR}/trusted.cu ks_trusted_ptx)

# The same bytes on every machine: no contraction of a*b+c into one rounding (workload/values.h).
set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/../workload/values.c
  ${CMAKE_CURRENT_LIST_DIR}/../workload/fill.c PROPERTIES COMPILE_OPTIONS -ffp-contract=off)
