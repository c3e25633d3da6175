# The ports of samples/kernelbench, all of them as one host program: each is held against its own loop
# on the CPU.
file(GLOB ports CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/samples/kernelbench/level*/*.cu)
set(all_ports "#include \"cuda_host.h\"\n#include \"port.h\"\n#include \"kernelbench_ports.h\"\n")
set(port_table "")
foreach(port IN LISTS ports)
  string(REGEX MATCH "level([0-9])/([0-9]+)_" named ${port})
  string(APPEND all_ports "namespace port${CMAKE_MATCH_1}_${CMAKE_MATCH_2} {\n#include \"${port}\"\n}\n")
  string(APPEND port_table "    {\"${port}\", port${CMAKE_MATCH_1}_${CMAKE_MATCH_2}::main},\n")
endforeach()
file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/all_ports.cpp @ONLY CONTENT
  "@all_ports@static const port ports[] = {\n@port_table@};\nint main() { return run_ports(ports, sizeof ports / sizeof *ports); }\n")
add_executable(kernelbench_ports ${CMAKE_CURRENT_BINARY_DIR}/all_ports.cpp)
target_include_directories(kernelbench_ports PRIVATE ${PROJECT_SOURCE_DIR}/tests/host_run
  ${PROJECT_SOURCE_DIR}/samples/kernelbench ${CMAKE_CURRENT_SOURCE_DIR})
set_source_files_properties(${CMAKE_CURRENT_BINARY_DIR}/all_ports.cpp PROPERTIES
  OBJECT_DEPENDS "${ports}"
  # kernels compare unsigned thread indexes with int sizes, and their marks are no host compiler's
  COMPILE_OPTIONS "-std=gnu++17;-O0;-Wno-sign-compare;-Wno-unknown-pragmas;-Wno-unneeded-internal-declaration")
set_target_properties(kernelbench_ports PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
add_test(NAME kernelbench_ports COMMAND kernelbench_ports)
set_tests_properties(kernelbench_ports PROPERTIES LABELS bench TIMEOUT 120)

set(scratch ${ks_test_scratch}/kernelbench_figures)
file(MAKE_DIRECTORY ${scratch})
add_test(NAME kernelbench_figures WORKING_DIRECTORY ${scratch}
  COMMAND ${ks_test_in_time} bash ${CMAKE_CURRENT_SOURCE_DIR}/test_kernelbench_figures.sh ${CMAKE_BINARY_DIR})
set_tests_properties(kernelbench_figures PROPERTIES LABELS bench SKIP_RETURN_CODE 77 TIMEOUT 120)

add_executable(kernelbench_marks kernelbench_marks.c)
target_link_libraries(kernelbench_marks PRIVATE ks_options ks_source)
set_target_properties(kernelbench_marks PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
add_test(NAME kernelbench_marks COMMAND kernelbench_marks ${ports})
set_tests_properties(kernelbench_marks PROPERTIES LABELS bench)

set(scratch ${ks_test_scratch}/kernelbench_recognition)
file(MAKE_DIRECTORY ${scratch})
add_test(NAME kernelbench_recognition WORKING_DIRECTORY ${scratch}
  COMMAND ${ks_test_in_time} bash ${CMAKE_CURRENT_SOURCE_DIR}/test_kernelbench_recognition.sh ${CMAKE_BINARY_DIR})
set_tests_properties(kernelbench_recognition PROPERTIES LABELS bench SKIP_RETURN_CODE 77 TIMEOUT 120
  FIXTURES_REQUIRED test_toolkit ENVIRONMENT "KS_NVCC_REAL=${KS_TEST_TOOLKIT_NVCC}")
