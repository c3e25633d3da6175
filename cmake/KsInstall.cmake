# The install tree, and the same shape in the build tree, so that a program finds its data at
# ../share/ks whether it is installed or not.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

foreach(program ks-nvcc ks ks-worker ks-probe)
  if(TARGET ${program})
    install(TARGETS ${program} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  endif()
endforeach()
if(TARGET ks-inject) # the library that cupti_probe loads into the observed program
  install(TARGETS ks-inject LIBRARY DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

# hook: headers that a substituted compile sees; skills: data of the expert engine.
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/share/ks)
foreach(data hook:driver/source/hook skills:skills)
  string(REGEX REPLACE ":.*" "" name ${data})
  string(REGEX REPLACE ".*:" "" folder ${data})
  if(IS_DIRECTORY ${PROJECT_SOURCE_DIR}/${folder})
    file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${folder} ${CMAKE_BINARY_DIR}/share/ks/${name} SYMBOLIC)
    install(DIRECTORY ${folder}/ DESTINATION ${CMAKE_INSTALL_DATADIR}/ks/${name})
  endif()
endforeach()

configure_package_config_file(cmake/KsNvccConfig.cmake.in
  ${CMAKE_BINARY_DIR}/lib/cmake/KsNvcc/KsNvccConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/KsNvcc)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/lib/cmake/KsNvcc/KsNvccConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${CMAKE_BINARY_DIR}/lib/cmake/KsNvcc/KsNvccConfig.cmake
  ${CMAKE_BINARY_DIR}/lib/cmake/KsNvcc/KsNvccConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/KsNvcc)
