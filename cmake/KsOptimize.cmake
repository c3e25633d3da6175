# ks_optimize(<target>
#             [MODE consume|tune|strict|off]   what to do with its marked kernels; else KS_MODE
#             [KERNELS <name>...]              only these of its marked kernels
#             [REMARKS applied|missed|all...]  notes while it is compiled
#             [BUDGET <time>]                  tuning time for each kernel: 90s, 5m
#             [PROJECT <folder>])              where ks.yaml and .ks/ are, for generated sources
#
# Compiles the target's CUDA sources with ks-nvcc, whichever nvcc the project is configured with: where
# that is not ks-nvcc itself, ks-nvcc becomes the target's CUDA_COMPILER_LAUNCHER, with a launcher that
# was there (ccache) behind it. To be called behind add_library() or add_executable().
function(ks_optimize target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "MODE;BUDGET;PROJECT" "KERNELS;REMARKS")
  if(DEFINED arg_UNPARSED_ARGUMENTS OR DEFINED arg_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "ks_optimize(${target}): cannot read "
      "'${arg_UNPARSED_ARGUMENTS}${arg_KEYWORDS_MISSING_VALUES}'; it takes MODE, KERNELS, REMARKS, "
      "BUDGET and PROJECT, each with a value")
  endif()
  if(DEFINED arg_MODE AND NOT arg_MODE MATCHES "^(consume|tune|strict|off)$")
    message(FATAL_ERROR "ks_optimize(${target}): MODE ${arg_MODE} is none of consume, tune, strict, off")
  endif()
  if(NOT TARGET ${target})
    message(FATAL_ERROR "ks_optimize(${target}): there is no such target")
  endif()
  get_target_property(type ${target} TYPE)
  get_target_property(imported ${target} IMPORTED)
  if(imported OR NOT type MATCHES "^(EXECUTABLE|(STATIC|SHARED|MODULE|OBJECT)_LIBRARY)$")
    message(FATAL_ERROR "ks_optimize(${target}): it compiles nothing itself; name the targets whose "
      "sources are compiled")
  endif()
  if(NOT CMAKE_CUDA_COMPILER_LOADED)
    message(FATAL_ERROR "ks_optimize(${target}): CUDA is not enabled; call project(... CUDA) or "
      "enable_language(CUDA) before")
  endif()
  if(NOT CMAKE_CUDA_COMPILER_ID STREQUAL "NVIDIA")
    message(STATUS "ks_optimize(${target}): left as it is, ${CMAKE_CUDA_COMPILER_ID} compiles CUDA here")
    return()
  endif()

  set(options)
  if(DEFINED arg_MODE)
    list(APPEND options --ks-mode=${arg_MODE})
  endif()
  if(DEFINED arg_REMARKS)
    list(JOIN arg_REMARKS "," arg_REMARKS)
    list(APPEND options --ks-remarks=${arg_REMARKS})
  endif()
  if(DEFINED arg_BUDGET)
    list(APPEND options --ks-budget=${arg_BUDGET})
  endif()
  if(DEFINED arg_PROJECT)
    get_filename_component(arg_PROJECT "${arg_PROJECT}" ABSOLUTE)
    list(APPEND options "--ks-project=${arg_PROJECT}")
  endif()
  foreach(kernel IN LISTS arg_KERNELS)
    list(APPEND options --ks-kernel=${kernel})
  endforeach()

  get_filename_component(compiler "${CMAKE_CUDA_COMPILER}" REALPATH)
  if(compiler MATCHES "/ks-nvcc$")
    foreach(option IN LISTS options)
      target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CUDA>:${option}>")
    endforeach()
    return()
  endif()
  # In front of nvcc, where compile_commands.json does not show what only ks-nvcc understands.
  get_target_property(launcher ${target} CUDA_COMPILER_LAUNCHER)
  if(NOT launcher)
    set(launcher)
  endif()
  list(TRANSFORM launcher REPLACE "^(.*/)?ks-nvcc$" "ks-nvcc" OUTPUT_VARIABLE names)
  list(FIND names ks-nvcc at)
  if(at EQUAL -1)
    list(PREPEND launcher "${KS_NVCC_COMPILER}")
    set(at 0)
  endif()
  if(options)
    math(EXPR at "${at} + 1")
    list(LENGTH launcher length)
    if(at EQUAL length)
      list(APPEND launcher ${options})
    else()
      list(INSERT launcher ${at} ${options})
    endif()
  endif()
  set_property(TARGET ${target} PROPERTY CUDA_COMPILER_LAUNCHER "${launcher}")
endfunction()
