# What `cmake --install` installs: component runtime is the program, component dev the libraries with their headers and
# the files that find_package(stepsim) reads.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(STEPSIM_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/stepsim)
install(TARGETS stepsim COMPONENT runtime)
foreach(folder IN ITEMS model ingest sim scenarios)
  get_property(rooms GLOBAL PROPERTY stepsim_rooms_of_${folder})
  list(APPEND STEPSIM_LIBRARIES ${rooms})
endforeach()

install(TARGETS ${STEPSIM_LIBRARIES} stepsim_version EXPORT stepsimTargets
  ARCHIVE COMPONENT dev
  FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/stepsim COMPONENT dev)
install(EXPORT stepsimTargets NAMESPACE stepsim:: DESTINATION ${STEPSIM_PACKAGE_DIR} COMPONENT dev)

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/stepsimConfig.cmake.in
  ${PROJECT_BINARY_DIR}/generated/stepsimConfig.cmake INSTALL_DESTINATION ${STEPSIM_PACKAGE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/generated/stepsimConfigVersion.cmake
  COMPATIBILITY SameMajorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/generated/stepsimConfig.cmake
  ${PROJECT_BINARY_DIR}/generated/stepsimConfigVersion.cmake
  DESTINATION ${STEPSIM_PACKAGE_DIR} COMPONENT dev)
