# Third-party libraries as imported targets KsLib::<name>.
#
# find_path and find_library rather than pkg-config: the .pc files of Debian packages unpacked with
# `dpkg -x` into a CMAKE_PREFIX_PATH still say prefix=/usr. A static archive is preferred where
# `static` says so: a shared library costs ks-nvcc about 0.1 ms at each start.

set(ks_lib_suffixes lib usr/lib)
set(ks_include_suffixes include usr/include)
if(CMAKE_LIBRARY_ARCHITECTURE)
  list(APPEND ks_lib_suffixes usr/lib/${CMAKE_LIBRARY_ARCHITECTURE} lib/${CMAKE_LIBRARY_ARCHITECTURE})
  list(APPEND ks_include_suffixes usr/include/${CMAKE_LIBRARY_ARCHITECTURE})
endif()

# ks_library(<name> <header> <static|shared> <Debian package> <library name>...)
function(ks_library name header linkage package)
  set(names ${ARGN})
  if(linkage STREQUAL static)
    list(TRANSFORM ARGN REPLACE "(.+)" "lib\\1.a" OUTPUT_VARIABLE archives)
    set(names ${archives} ${ARGN})
  endif()
  find_path(KS_${name}_INCLUDE_DIR ${header} PATH_SUFFIXES ${ks_include_suffixes})
  find_library(KS_${name}_LIBRARY NAMES ${names} PATH_SUFFIXES ${ks_lib_suffixes})
  mark_as_advanced(KS_${name}_INCLUDE_DIR KS_${name}_LIBRARY)
  if(NOT KS_${name}_INCLUDE_DIR OR NOT KS_${name}_LIBRARY)
    set_property(GLOBAL APPEND PROPERTY KS_MISSING_PACKAGES ${package})
    return()
  endif()
  add_library(KsLib::${name} UNKNOWN IMPORTED GLOBAL)
  set_target_properties(KsLib::${name} PROPERTIES IMPORTED_LOCATION "${KS_${name}_LIBRARY}")
  # Marking the compiler's own folder as a system one would reorder its search list.
  if(NOT KS_${name}_INCLUDE_DIR STREQUAL "/usr/include")
    set_target_properties(KsLib::${name} PROPERTIES
      INTERFACE_INCLUDE_DIRECTORIES "${KS_${name}_INCLUDE_DIR}")
  endif()
endfunction()

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)

ks_library(yaml     yaml.h               static libyaml-dev           yaml)
ks_library(sodium   sodium.h             static libsodium-dev         sodium)
ks_library(jansson  jansson.h            static libjansson-dev        jansson)
ks_library(iberty   libiberty/demangle.h static libiberty-dev         iberty)
ks_library(sqlite3  sqlite3.h            shared libsqlite3-dev        sqlite3)
ks_library(curl     curl/curl.h          shared libcurl4-openssl-dev  curl)
# Without it captures are kept as they are, and packed ones cannot be read.
find_path(KS_zstd_INCLUDE_DIR zstd.h PATH_SUFFIXES ${ks_include_suffixes})
find_library(KS_zstd_LIBRARY NAMES libzstd.a zstd PATH_SUFFIXES ${ks_lib_suffixes})
if(KS_zstd_INCLUDE_DIR AND KS_zstd_LIBRARY)
  ks_library(zstd zstd.h static libzstd-dev zstd)
else()
  message(STATUS "No libzstd (libzstd-dev): captured launches are not compressed")
endif()
if(BUILD_TESTING OR NOT DEFINED BUILD_TESTING)
  ks_library(cmocka cmocka.h             shared libcmocka-dev         cmocka)
endif()

get_property(ks_missing GLOBAL PROPERTY KS_MISSING_PACKAGES)
if(ks_missing)
  list(JOIN ks_missing " " ks_missing)
  message(FATAL_ERROR "Missing libraries, as Debian packages: ${ks_missing}. Run cmake/deps.sh as \
root, or give the folder in which the packages are unpacked with -DCMAKE_PREFIX_PATH=DIR (see \
cmake/deps.sh --help).")
endif()
