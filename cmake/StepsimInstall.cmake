# Defines what `cmake --install` installs. Component runtime is the program. Component dev is the libraries, their
# headers and the files for find_package(stepsim). Component capture is the module that is loaded into captured
# programs, and the header that these programs can include.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(STEPSIM_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/stepsim)
install(TARGETS stepsim COMPONENT runtime)
install(FILES ${PROJECT_BINARY_DIR}/generated/schema.json DESTINATION ${CMAKE_INSTALL_DATADIR}/stepsim COMPONENT runtime)
install(DIRECTORY ${PROJECT_BINARY_DIR}/generated/share/ DESTINATION ${CMAKE_INSTALL_DATADIR} COMPONENT runtime)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/scenarios/library ${PROJECT_SOURCE_DIR}/scenarios/samples
  ${PROJECT_SOURCE_DIR}/scenarios/clusters ${PROJECT_SOURCE_DIR}/scenarios/schemas DESTINATION ${CMAKE_INSTALL_DATADIR}/stepsim/scenarios COMPONENT runtime)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime
  FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN "*.png" PATTERN "*.csv" PATTERN "*.ipynb")
if(STEPSIM_BUILD_PYTHON)
  set(STEPSIM_PYTHON_FOLDER lib/python3/dist-packages CACHE STRING "Where the Python package is installed, below the prefix")
  install(TARGETS stepsim_python LIBRARY DESTINATION ${STEPSIM_PYTHON_FOLDER}/stepsim COMPONENT python)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/python/stepsim DESTINATION ${STEPSIM_PYTHON_FOLDER} COMPONENT python
    PATTERN __pycache__ EXCLUDE)
endif()
install(TARGETS stepsim_capture_module LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/stepsim COMPONENT capture)
install(FILES ${PROJECT_SOURCE_DIR}/capture/capture.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/stepsim/capture COMPONENT capture)
foreach(folder IN ITEMS model ingest sim scenarios)
  get_property(rooms GLOBAL PROPERTY stepsim_rooms_of_${folder})
  list(APPEND STEPSIM_LIBRARIES ${rooms})
endforeach()

# Target `installed` builds what is installed.
add_custom_target(installed DEPENDS stepsim stepsim_capture_module ${STEPSIM_LIBRARIES})
if(STEPSIM_BUILD_PYTHON)
  add_dependencies(installed stepsim_python)
endif()

install(TARGETS ${STEPSIM_LIBRARIES} stepsim_version EXPORT stepsimTargets
  ARCHIVE COMPONENT dev
  FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/stepsim COMPONENT dev)
# The inline profiler is a single header, for programs that need nothing else from stepsim.
install(FILES ${PROJECT_SOURCE_DIR}/capture/inline.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/stepsim/capture COMPONENT dev)

install(EXPORT stepsimTargets NAMESPACE stepsim:: DESTINATION ${STEPSIM_PACKAGE_DIR} COMPONENT dev)

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/stepsimConfig.cmake.in
  ${PROJECT_BINARY_DIR}/generated/stepsimConfig.cmake INSTALL_DESTINATION ${STEPSIM_PACKAGE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/generated/stepsimConfigVersion.cmake
  COMPATIBILITY SameMajorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/generated/stepsimConfig.cmake
  ${PROJECT_BINARY_DIR}/generated/stepsimConfigVersion.cmake
  DESTINATION ${STEPSIM_PACKAGE_DIR} COMPONENT dev)

# For builds without CMake. The libraries are static, so a library comes before those that it uses.
foreach(library IN LISTS STEPSIM_LIBRARIES)
  get_target_property(type ${library} TYPE)
  if(type STREQUAL "STATIC_LIBRARY")
    string(PREPEND STEPSIM_LINK_FLAGS " -l${library}")
  endif()
endforeach()
file(RELATIVE_PATH STEPSIM_PC_TO_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${CMAKE_CURRENT_LIST_DIR}/stepsim.pc.in ${PROJECT_BINARY_DIR}/generated/stepsim.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/generated/stepsim.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)
