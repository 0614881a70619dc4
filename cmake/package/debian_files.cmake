# Run by CPack on the installed files of each component, before it packs them.
find_program(PYTHON python3 REQUIRED)
execute_process(COMMAND ${PYTHON} ${CMAKE_CURRENT_LIST_DIR}/debian_files.py ${CPACK_TEMPORARY_DIRECTORY} ${CPACK_PACKAGE_VERSION}
  COMMAND_ERROR_IS_FATAL ANY)
