# Functions that define stepsim's targets. All settings are per target; there are no global flags.

# Do not warn about members that a designated initialiser leaves out, because they have default values.
set(STEPSIM_WARNINGS
  -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wnon-virtual-dtor
  -Wold-style-cast -Wcast-align -Woverloaded-virtual -Wnull-dereference -Wdouble-promotion
  -Wformat=2 -Wimplicit-fallthrough -Wno-missing-field-initializers
  $<$<CXX_COMPILER_ID:GNU>:-Wduplicated-cond -Wlogical-op -Wuseless-cast>)

if(PROJECT_IS_TOP_LEVEL)
  find_program(STEPSIM_CCACHE ccache)
  if(STEPSIM_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${STEPSIM_CCACHE})
  endif()
endif()

option(STEPSIM_UNITY "Compile the sources of a folder as one unit: a third of the processor time" ON)

# Compiles the sources of a folder as one unit. Two warnings are turned off because they are wrong in such a unit: about a
# local name that hides a name of another source, and about a type from an anonymous namespace in an included file.
# clang-tidy and the stage `clang` of ./dev ci compile each source separately.
function(_stepsim_unity target)
  foreach(source IN LISTS ARGN)
    get_filename_component(folder ${source} ABSOLUTE)
    get_filename_component(folder ${folder} DIRECTORY)
    file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${folder})
    string(MAKE_C_IDENTIFIER "${folder}" group)
    set_property(SOURCE ${source} TARGET_DIRECTORY ${target} PROPERTY UNITY_GROUP ${group})
    # ./dev mutate changes one source at a time.
    if(STEPSIM_MUTATED AND "${folder}/" MATCHES "^${STEPSIM_MUTATED}/")
      set_property(SOURCE ${source} TARGET_DIRECTORY ${target} PROPERTY SKIP_UNITY_BUILD_INCLUSION ON)
      set_property(SOURCE ${source} TARGET_DIRECTORY ${target} PROPERTY COMPILE_OPTIONS -O0 -w -D_GLIBCXX_ASSERTIONS)
    endif()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${STEPSIM_UNITY} UNITY_BUILD_MODE GROUP)
  if(STEPSIM_UNITY)
    target_compile_options(${target} PRIVATE -Wno-shadow $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  endif()
  # gcc 12 is wrong about null pointers after moves inside std::vector<std::string>.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-null-dereference>)
endfunction()

# How a release optimizes the targets of a folder and of those below it. Rooms that only write documents or read options
# set -O1, which compiles them in two thirds of the time; reading, replaying and models need -O3.
set(STEPSIM_OPTIMIZATION -O3)

function(_stepsim_settings target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  target_compile_options(${target} PRIVATE ${STEPSIM_WARNINGS} -ffile-prefix-map=${PROJECT_SOURCE_DIR}=.)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:${STEPSIM_OPTIMIZATION}>)
  # gcc collects garbage each time its heap has grown by a third, which takes a tenth of the time of a large unit.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=500000>)
  # Position-independent code for the Python module would otherwise call each function as if it could be replaced.
  target_compile_options(${target} PRIVATE -fno-semantic-interposition)
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)
endfunction()

# stepsim_library(model_base SOURCES a.cpp ... HEADERS a.h ... LINKS stepsim::x ... PRIVATE fmt::fmt ...)
# defines the static library stepsim_model_base with the alias stepsim::model_base. HEADERS are installed; target
# all_verify_interface_header_sets compiles each of them separately.
function(stepsim_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;HEADERS;LINKS;PRIVATE" ${ARGN})
  add_library(stepsim_${name} STATIC ${ARG_SOURCES})
  add_library(stepsim::${name} ALIAS stepsim_${name})
  _stepsim_settings(stepsim_${name})
  _stepsim_unity(stepsim_${name} ${ARG_SOURCES})
  target_link_libraries(stepsim_${name} PUBLIC ${ARG_LINKS} PRIVATE ${ARG_PRIVATE})
  target_sources(stepsim_${name} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR} FILES ${ARG_HEADERS})
  set_target_properties(stepsim_${name} PROPERTIES EXPORT_NAME ${name})
endfunction()

# stepsim_rooms(model base job cost ...)
# defines stepsim::model as the libraries of its subfolders, stepsim_model_base and so on, and lists these for
# installation (StepsimInstall.cmake).
function(stepsim_rooms name)
  add_library(stepsim_${name} INTERFACE)
  add_library(stepsim::${name} ALIAS stepsim_${name})
  set_target_properties(stepsim_${name} PROPERTIES EXPORT_NAME ${name})
  list(TRANSFORM ARGN PREPEND stepsim_${name}_ OUTPUT_VARIABLE rooms)
  target_link_libraries(stepsim_${name} INTERFACE ${rooms})
  set_property(GLOBAL PROPERTY stepsim_rooms_of_${name} stepsim_${name} ${rooms})
endfunction()

# stepsim_registry(stepsim_ingest_formats formats
#   TYPE Format NAMESPACE stepsim::ingest HEADER ingest/formats/format.h SUFFIX _format
#   ENTRIES kineto/kineto byteps_comm ...)
# adds each entry's <entry>.cpp in the calling folder to the target, and generates the table returned by
# `std::span<const TYPE* const> formats()`. Entry kineto, or kineto/kineto if it is in a separate folder, is
# `extern const Format kineto_format`. A new entry needs one file and one line; nothing else lists the entries. Similar
# small entries can share a source: picture/pictures:dot is dot_exporter in picture/pictures.cpp.
function(stepsim_registry target table)
  cmake_parse_arguments(ARG "" "TYPE;NAMESPACE;HEADER;SUFFIX" "ENTRIES" ${ARGN})
  set(declarations "")
  set(addresses "")
  set(sources "")
  set(count 0)
  foreach(entry IN LISTS ARG_ENTRIES)
    string(REGEX REPLACE ":.*" ".cpp" source "${entry}.cpp")
    list(APPEND sources ${CMAKE_CURRENT_SOURCE_DIR}/${source})
    string(REGEX REPLACE ".*[:/]" "" entry ${entry})
    string(APPEND declarations "extern const ${ARG_TYPE} ${entry}${ARG_SUFFIX};\n")
    string(APPEND addresses "      &${entry}${ARG_SUFFIX},\n")
    math(EXPR count "${count} + 1")
  endforeach()
  list(REMOVE_DUPLICATES sources)
  target_sources(${target} PRIVATE ${sources})
  _stepsim_unity(${target} ${sources})
  set(file ${PROJECT_BINARY_DIR}/generated/${table}_registry.cpp)
  file(CONFIGURE OUTPUT ${file} @ONLY CONTENT
"// Generated by stepsim_registry() in cmake/StepsimTargets.cmake.
#include <array>
#include <span>

#include \"@ARG_HEADER@\"

namespace @ARG_NAMESPACE@ {

@declarations@
std::span<const @ARG_TYPE@* const> @table@() {
  static const std::array<const @ARG_TYPE@*, @count@> entries{
@addresses@  };
  return entries;
}

}  // namespace @ARG_NAMESPACE@
")
  target_sources(${target} PRIVATE ${file})
endfunction()

# stepsim_test(model_job_test FOLDERS job LINKS stepsim::model LABELS unit)
# builds one program from SOURCES and every *_test.cpp in and below FOLDERS, so a new test file needs no line here.
# ctest runs each program once: starting a process for each of some 2,800 cases takes longer than most of them. With
# STEPSIM_TEST_CASES it runs each case separately, so that `./dev test -R NAME` can select one. Most of a test's compile
# time is spent in headers, so ten files are compiled together. Therefore two files of a program cannot use the same name
# for different things, even in anonymous namespaces. Each file must also compile separately.
#
# Test cases in the files PARALLEL use several threads. They are in a separate program, model_job_parallel_test, with
# `parallel` in its label. Target `parallel_tests` builds these programs and stepsim, for the thread sanitizer.
function(stepsim_test name)
  cmake_parse_arguments(ARG "" "LABELS" "FOLDERS;SOURCES;PARALLEL;LINKS" ${ARGN})
  foreach(folder IN LISTS ARG_FOLDERS)
    get_filename_component(folder ${folder} ABSOLUTE)
    file(GLOB_RECURSE found CONFIGURE_DEPENDS ${folder}/*_test.cpp)
    list(APPEND ARG_SOURCES ${found})
  endforeach()
  if(NOT TARGET parallel_tests)
    add_custom_target(parallel_tests DEPENDS stepsim)
  endif()
  if(ARG_PARALLEL)
    list(TRANSFORM ARG_PARALLEL PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
    list(REMOVE_ITEM ARG_SOURCES ${ARG_PARALLEL})
    string(REGEX REPLACE "_test$" "_parallel_test" parallel ${name})
    _stepsim_test_program(${parallel} "${ARG_PARALLEL}" "${ARG_LINKS}" ${ARG_LABELS}-parallel)
    add_dependencies(parallel_tests ${parallel})
  endif()
  if(ARG_SOURCES)
    _stepsim_test_program(${name} "${ARG_SOURCES}" "${ARG_LINKS}" ${ARG_LABELS})
  endif()
endfunction()

option(STEPSIM_TEST_CASES "Let ctest run each test case in a process of its own" OFF)

function(_stepsim_test_program name sources links label)
  if(NOT TARGET test_programs)
    add_custom_target(test_programs DEPENDS stepsim)
  endif()
  add_dependencies(test_programs ${name})
  add_executable(${name} ${sources})
  _stepsim_settings(${name})
  target_link_libraries(${name} PRIVATE ${links} stepsim_source_folder GTest::gtest_main GTest::gmock fmt::fmt)
  # What a test covers guides no fuzzer.
  target_compile_options(${name} PRIVATE $<$<BOOL:${STEPSIM_BUILD_FUZZERS}>:-fno-sanitize=fuzzer-no-link>)
  set_target_properties(${name} PROPERTIES UNITY_BUILD ${STEPSIM_UNITY} UNITY_BUILD_BATCH_SIZE 10)
  # NO_PRETTY_VALUES keeps the text of parameters out of the test's name.
  list(TRANSFORM sources PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ REGEX "^[^/]")
  set_property(GLOBAL APPEND_STRING PROPERTY stepsim_test_programs "${name};${label};${sources}\n")
  if(STEPSIM_TEST_CASES)
    gtest_discover_tests(${name} NO_PRETTY_VALUES DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 600
      PROPERTIES LABELS "${label}")
  else()
    add_test(NAME ${name} COMMAND ${name} --gtest_brief=1)
    set_tests_properties(${name} PROPERTIES LABELS "${label}")
  endif()
endfunction()

# Adds a program to target `benchmarks`.
function(stepsim_benchmark name)
  if(NOT TARGET benchmarks)
    add_custom_target(benchmarks)
  endif()
  add_dependencies(benchmarks ${name})
endfunction()

# stepsim_bench(dag_bench SOURCES dag_bench.cpp LINKS stepsim::model)
function(stepsim_bench name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  _stepsim_settings(${name})
  target_link_libraries(${name} PRIVATE ${ARG_LINKS} benchmark::benchmark stepsim_source_folder benchmark::benchmark_main fmt::fmt)
  stepsim_benchmark(${name})
endfunction()

# stepsim_fuzz(kineto_fuzz LINKS stepsim::ingest)
# builds a fuzz target from tests/fuzz/<name>.cpp, or SOURCE, which defines LLVMFuzzerTestOneInput. It is a libFuzzer
# binary if STEPSIM_BUILD_FUZZERS is on, otherwise a program that runs the files of tests/fuzz/corpus/<name>/. In both
# cases, a test labelled fuzz runs it on that corpus. Target `fuzzers` builds all fuzz targets.
function(stepsim_fuzz name)
  cmake_parse_arguments(ARG "" "SOURCE" "LINKS" ${ARGN})
  set(folder ${PROJECT_SOURCE_DIR}/tests/fuzz)
  if(NOT ARG_SOURCE)
    set(ARG_SOURCE ${name}.cpp)
  endif()
  add_executable(${name} ${folder}/${ARG_SOURCE})
  if(NOT TARGET fuzzers)
    add_custom_target(fuzzers)
  endif()
  add_dependencies(fuzzers ${name})
  _stepsim_settings(${name})
  target_link_libraries(${name} PRIVATE ${ARG_LINKS} fmt::fmt)
  set(arguments "")
  if(STEPSIM_BUILD_FUZZERS)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    set(arguments -runs=0)
  else()
    if(NOT TARGET stepsim_run_corpus)
      add_library(stepsim_run_corpus STATIC ${folder}/run_corpus.cpp)  # has main()
      _stepsim_settings(stepsim_run_corpus)
    endif()
    target_link_libraries(${name} PRIVATE stepsim_run_corpus)
  endif()
  add_test(NAME fuzz.${name} COMMAND ${name} ${arguments} ${folder}/corpus/${name})
  set_tests_properties(fuzz.${name} PROPERTIES LABELS fuzz)
endfunction()
