# Device code compiled to a fat binary and embedded as a C array: machine code for the usual GPUs, PTX
# for every other from compute capability 7.5 on (the oldest that CUDA 13 compiles for). Not PTX
# alone: the driver's translator is a library of its own, which containers may lack.

# ks_embed_device(<target> <file.cu> <array>): adds `const unsigned char <array>[]` to the target.
set(KS_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_DIR}/embed.cmake CACHE INTERNAL "")
function(ks_embed_device target source array)
  set(image ${CMAKE_CURRENT_BINARY_DIR}/${array}.fatbin)
  set(code ${CMAKE_CURRENT_BINARY_DIR}/${array}.c)
  get_filename_component(source ${source} ABSOLUTE)
  add_custom_command(OUTPUT ${image}
    COMMAND ${KS_NVCC} -fatbin -fmad=false -I${CMAKE_CURRENT_FUNCTION_LIST_DIR}/.. -o ${image} ${source}
      -gencode=arch=compute_75,code=compute_75 -gencode=arch=compute_80,code=sm_80
      -gencode=arch=compute_90,code=sm_90
    DEPENDS ${source} ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../workload/number.h ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../workload/fill.h
    COMMENT "Device code ${array}" VERBATIM)
  add_custom_command(OUTPUT ${code}
    COMMAND ${CMAKE_COMMAND} -DIN=${image} -DOUT=${code} -DNAME=${array} -P ${KS_EMBED_SCRIPT}
    DEPENDS ${image} ${KS_EMBED_SCRIPT} VERBATIM)
  target_sources(${target} PRIVATE ${code})
endfunction()

ks_embed_device(ks_device ${CMAKE_CURRENT_LIST_DIR}/trusted.cu ks_trusted_code)

# The same bytes on every machine: no contraction of a*b+c into one rounding (workload/number.h), there as here.
set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/../workload/fill.c PROPERTIES COMPILE_OPTIONS -ffp-contract=off)
