# Usage: cmake -D BUILD=... -D WORK=... -D CONSUMER=... -D JOB=... -D COMPILER=... -D FLAGS=... -P check_install.cmake
# Installs the build into WORK, builds the consumer against it, and runs both programs. The consumer is built with the
# build's compiler and with clang++, because users may have another compiler than the one that made the libraries.

cmake_minimum_required(VERSION 3.25)

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# Builds the consumer in WORK/<folder> and runs it.
function(check_consumer compiler folder)
  run(${CMAKE_COMMAND} -S ${CONSUMER} -B ${WORK}/${folder} -G Ninja
    -D CMAKE_PREFIX_PATH=${WORK}/prefix -D CMAKE_CXX_COMPILER=${compiler} -D CMAKE_CXX_FLAGS=${FLAGS})
  run(${CMAKE_COMMAND} --build ${WORK}/${folder})
  run(${WORK}/${folder}/consumer ${JOB})
endfunction()

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
run(${WORK}/prefix/bin/stepsim --version)
file(READ ${WORK}/prefix/share/stepsim/schema.json schema)
string(JSON answers LENGTH ${schema} oneOf)
# It finds the module that it injects into programs.
run(${WORK}/prefix/bin/stepsim capture --dir ${WORK}/traces -- true)
check_consumer(${COMPILER} build)
# The same without CMake. `sh -c` divides what pkg-config prints into words.
set(ENV{PKG_CONFIG_PATH} ${WORK}/prefix/lib/pkgconfig)
run(sh -c "'${COMPILER}' -std=c++20 ${FLAGS} -o '${WORK}/consumer' '${CONSUMER}/main.cpp' $(pkg-config --cflags --libs stepsim)")
run(${WORK}/consumer ${JOB})
# It finds the Python code that it injects into programs.
run(${WORK}/prefix/bin/stepsim capture --torch --dir ${WORK}/traces -- true)

find_program(CLANG clang++)
if(NOT CLANG)
  message(STATUS "skipped: clang++ is not installed, so the consumer is built with ${COMPILER} only")
elseif(FLAGS MATCHES "-fsanitize")
  message(STATUS "skipped: the sanitizers of ${COMPILER} do not link with clang++")
else()
  check_consumer(${CLANG} build-clang)
endif()
