# Defines the Debian packages that `./dev package` makes with CPack from the components of StepsimInstall.cmake.
# Debian's policy asks for files in each package that are not installed otherwise: package/debian_files.py adds them.

set(CPACK_GENERATOR DEB)
set(CPACK_COMPONENTS_ALL runtime capture dev)
if(STEPSIM_BUILD_PYTHON)
  list(APPEND CPACK_COMPONENTS_ALL python)
endif()
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_STRIP_FILES ON)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/package/debian_files.cmake)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "stepsim developers <stepsim@users.noreply.github.com>")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)

set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME stepsim)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION science)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_RECOMMENDS stepsim-capture)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SUGGESTS "graphviz, librsvg2-bin, python3-stepsim")
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION "replay simulator for distributed machine-learning training
 stepsim reads profiler traces of a training step of all ranks, replays them
 as one graph, and predicts how long the step would take after a change: a
 faster network, another GPU, other bucket sizes, more ranks. It says how far
 each number can be trusted.")

set(CPACK_DEBIAN_CAPTURE_PACKAGE_NAME stepsim-capture)
set(CPACK_DEBIAN_CAPTURE_PACKAGE_SECTION science)
set(CPACK_DEBIAN_CAPTURE_PACKAGE_SUGGESTS stepsim)
set(CPACK_COMPONENT_CAPTURE_DESCRIPTION "module that records CUDA programs for stepsim
 The module is loaded into a program and records what its GPU and its CUDA
 and NCCL calls do. The command stepsim capture uses it.")

set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-stepsim)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS "python3-numpy, python3-pandas")
set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "python3-matplotlib, python3-tqdm")
set(CPACK_COMPONENT_PYTHON_DESCRIPTION "replay simulator for distributed training (Python package)
 It gives Python the commands of stepsim: each result is an object with the
 fields of the command's JSON, and tasks and timelines are numpy columns.")
if(STEPSIM_BUILD_PYTHON)
  find_package(Python REQUIRED COMPONENTS Interpreter)
  math(EXPR next_minor "${Python_VERSION_MINOR} + 1")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
    "python3 (>= ${Python_VERSION_MAJOR}.${Python_VERSION_MINOR}), python3 (<< ${Python_VERSION_MAJOR}.${next_minor})")
endif()

set(CPACK_DEBIAN_DEV_PACKAGE_NAME libstepsim-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "libarchive-dev, libboost-dev, libeigen3-dev, libfmt-dev, libisal-dev, libre2-dev, libsimdjson-dev, libsqlite3-dev, libtbb-dev, libyaml-cpp-dev")
set(CPACK_COMPONENT_DEV_DESCRIPTION "replay simulator for distributed training (development files)
 Headers and static libraries of stepsim, with files for find_package in
 CMake and for pkg-config.")
include(CPack)
