# The install tree, and the same shape in the build tree, so that a program finds its data at
# ../share/ks whether it is installed or not.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

foreach(program ks-nvcc ks ks-worker ks-probe)
  if(TARGET ${program})
    install(TARGETS ${program} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  endif()
endforeach()
if(TARGET ks-record) # the library that `ks record` has loaded into the observed program
  install(TARGETS ks-record LIBRARY DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

# hook: headers that a substituted compile sees; skills: data of the expert engine; devices: GPUs described.
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/share/ks)
foreach(data hook:driver/source/hook skills:skills devices:devices)
  string(REGEX REPLACE ":.*" "" name ${data})
  string(REGEX REPLACE ".*:" "" folder ${data})
  if(IS_DIRECTORY ${PROJECT_SOURCE_DIR}/${folder})
    file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${folder} ${CMAKE_BINARY_DIR}/share/ks/${name} SYMBOLIC)
    install(DIRECTORY ${folder}/ DESTINATION ${CMAKE_INSTALL_DATADIR}/ks/${name})
  endif()
endforeach()

# The CMake package for those who build with ks-nvcc. As deep in the build tree as in the install tree:
# its files find the prefix from where they lie.
set(ks_package ${CMAKE_INSTALL_LIBDIR}/cmake/KsNvcc)
foreach(file KsNvccConfig.cmake KsToolchain.cmake)
  configure_package_config_file(cmake/${file}.in ${CMAKE_BINARY_DIR}/${ks_package}/${file}
    INSTALL_DESTINATION ${ks_package}
    NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
endforeach()
write_basic_package_version_file(${CMAKE_BINARY_DIR}/${ks_package}/KsNvccConfigVersion.cmake
  COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
foreach(file KsOptimize.cmake ks-presets.json)
  configure_file(cmake/${file} ${CMAKE_BINARY_DIR}/${ks_package}/${file} COPYONLY)
endforeach()
install(DIRECTORY ${CMAKE_BINARY_DIR}/${ks_package}/ DESTINATION ${ks_package})
