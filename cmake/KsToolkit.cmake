# The CUDA toolkit, found without enabling CMake's CUDA language: the project compiles no CUDA code
# of its own, but its programs call nvcc and need the headers cuda.h and cupti.h.
#
# Looked up in this order: -DKS_NVCC=, $CUDACXX, $CUDA_HOME, $CUDA_PATH, /usr/local/cuda, PATH.
# /usr/local/cuda comes before PATH because an nvcc on PATH may be a wrapper.
# Gives KS_NVCC (path) and KsLib::cuda_headers.

find_program(KS_NVCC NAMES nvcc
  HINTS "$ENV{CUDACXX}/.." ENV CUDA_HOME ENV CUDA_PATH /usr/local/cuda
  PATH_SUFFIXES bin DOC "The real nvcc of the CUDA toolkit")
set(ks_no_toolkit "ks-nvcc needs the CUDA toolkit, version 12.0 or newer")
if(NOT KS_NVCC)
  message(FATAL_ERROR "${ks_no_toolkit}: install it (https://developer.nvidia.com/cuda-downloads) \
or name its compiler with -DKS_NVCC=/path/to/cuda/bin/nvcc.")
endif()

get_filename_component(ks_toolkit_root "${KS_NVCC}" REALPATH)
get_filename_component(ks_toolkit_root "${ks_toolkit_root}" DIRECTORY)
get_filename_component(ks_toolkit_root "${ks_toolkit_root}" DIRECTORY)
foreach(header cuda cupti)
  find_path(KS_${header}_INCLUDE_DIR ${header}.h
    HINTS ${ks_toolkit_root}
    PATH_SUFFIXES include targets/${CMAKE_SYSTEM_PROCESSOR}-linux/include targets/sbsa-linux/include
      extras/CUPTI/include
    DOC "Folder of the toolkit's ${header}.h")
  mark_as_advanced(KS_${header}_INCLUDE_DIR)
  if(NOT KS_${header}_INCLUDE_DIR)
    message(FATAL_ERROR "${ks_no_toolkit}: ${KS_NVCC} is there, but ${header}.h is not below \
${ks_toolkit_root}; install the toolkit's development files (package cuda-toolkit, or cuda-cupti-dev \
for cupti.h) or set -DKS_${header}_INCLUDE_DIR=.")
  endif()
endforeach()

file(STRINGS "${KS_cuda_INCLUDE_DIR}/cuda.h" ks_cuda_version REGEX "^#define CUDA_VERSION [0-9]+")
string(REGEX MATCH "[0-9]+" ks_cuda_version "${ks_cuda_version}")
if(NOT ks_cuda_version GREATER_EQUAL 12000)
  message(FATAL_ERROR "${ks_no_toolkit}: ${KS_cuda_INCLUDE_DIR}/cuda.h says version \
'${ks_cuda_version}'; install a newer one or name its compiler with -DKS_NVCC=.")
endif()

add_library(KsLib::cuda_headers INTERFACE IMPORTED)
set_target_properties(KsLib::cuda_headers PROPERTIES
  INTERFACE_INCLUDE_DIRECTORIES "${KS_cuda_INCLUDE_DIR};${KS_cupti_INCLUDE_DIR}")
