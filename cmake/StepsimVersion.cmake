# Defines stepsim::version, the library that implements model/base/version.h. Every build writes the commit into a
# generated source if it has changed. So a new commit rebuilds only this file and does not reconfigure.

set(STEPSIM_COMMIT_FILE ${PROJECT_BINARY_DIR}/generated/commit.cpp)
add_custom_target(stepsim_commit
  COMMAND ${CMAKE_COMMAND} -D SOURCE_DIR=${PROJECT_SOURCE_DIR} -D OUTPUT=${STEPSIM_COMMIT_FILE}
          -P ${CMAKE_CURRENT_LIST_DIR}/write_commit.cmake
  BYPRODUCTS ${STEPSIM_COMMIT_FILE}
  COMMENT "Looking up the commit")

add_library(stepsim_version STATIC ${PROJECT_SOURCE_DIR}/model/base/version.cpp ${STEPSIM_COMMIT_FILE})
add_library(stepsim::version ALIAS stepsim_version)
add_dependencies(stepsim_version stepsim_commit)
set_source_files_properties(${PROJECT_SOURCE_DIR}/model/base/version.cpp PROPERTIES
  COMPILE_DEFINITIONS STEPSIM_VERSION="${PROJECT_VERSION}")
_stepsim_settings(stepsim_version)
target_sources(stepsim_version PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}
  FILES ${PROJECT_SOURCE_DIR}/model/base/version.h)
set_target_properties(stepsim_version PROPERTIES EXPORT_NAME version)
