# Installs the headers, the CMake package and the licence.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_DATADIR}/cmake/iso)

# Headers only, so one package serves every architecture. While the major version is 0, a minor version may
# break its users.
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(compatibility SameMinorVersion)
else()
  set(compatibility SameMajorVersion)
endif()
write_basic_package_version_file(${PROJECT_BINARY_DIR}/iso-config-version.cmake
                                 COMPATIBILITY ${compatibility} ARCH_INDEPENDENT)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS iso EXPORT iso)
install(EXPORT iso FILE iso-targets.cmake NAMESPACE iso:: DESTINATION ${package_dir})
install(FILES ${PROJECT_SOURCE_DIR}/cmake/iso-config.cmake ${PROJECT_SOURCE_DIR}/cmake/iso-cuda.cmake
              ${PROJECT_BINARY_DIR}/iso-config-version.cmake DESTINATION ${package_dir})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/licenses/iso)
