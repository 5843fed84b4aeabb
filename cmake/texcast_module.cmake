# texcast_module(NAME [COLD|HOT] SOURCES … [USES …] [PRIVATE …])
# A static library `texcast_NAME`, which exports only the headers in include/ of its own folder. USES: libraries that its
# headers need; PRIVATE: those that only its sources need. COLD: the module has no loop over pixels, samples or packets, so
# that compiling it in three fifths of the time matters more than the fastest code. HOT: tests spend most of their time in
# the module. AddressSanitizer builds optimise these modules only, and compile the others in half the time.
function(texcast_module name)
  cmake_parse_arguments(arg "COLD;HOT" "" "SOURCES;USES;PRIVATE" ${ARGN})
  add_library(texcast_${name} STATIC ${arg_SOURCES})
  set_target_properties(texcast_${name} PROPERTIES TEXCAST_SOURCES "${arg_SOURCES}")  # see texcast_wasm()
  target_include_directories(texcast_${name} PUBLIC include PRIVATE .)
  target_link_libraries(texcast_${name} PUBLIC ${arg_USES} PRIVATE ${arg_PRIVATE} texcast_warnings)
  if(arg_COLD AND CMAKE_BUILD_TYPE STREQUAL "Release")
    # GCC's data flow analysis needs inlining; without it the warning has false positives.
    target_compile_options(texcast_${name} PRIVATE -Og $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
    texcast_unity(texcast_${name} COLD)
  elseif(arg_HOT AND TEXCAST_UNOPTIMISED)
    texcast_optimised(texcast_${name})
    texcast_unity(texcast_${name} HOT)
  else()
    texcast_unity(texcast_${name})
  endif()
endfunction()

# Builds for a single run (with sanitizers, of tools/test and tools/demo) compile a whole module at once, with precompiled
# headers, in a third of the time.
function(texcast_unity target)
  if(TEXCAST_UNITY OR CMAKE_CXX_FLAGS MATCHES "sanitize")
    set_target_properties(${target} PROPERTIES TEXCAST_ONE_UNIT ON)
    texcast_precompiled(${target} ${ARGN})
    # Deferred until all sources and their properties are known. (A deferred call is evaluated then, so that EVAL inserts the
    # name now.)
    cmake_language(EVAL CODE "cmake_language(DEFER CALL texcast_write_unit [[${target}]])")
  endif()
endfunction()

# Replaces the C++ files of a target by one that includes them, except those that set SKIP_UNITY_BUILD_INCLUSION or have
# options of their own. CMake's UNITY_BUILD writes absolute paths into such a file, so that ccache would miss in every
# other clone.
function(texcast_write_unit target)
  get_target_property(sources ${target} SOURCES)
  set(includes "")
  set(others "")
  foreach(source IN LISTS sources)
    set(alone "")
    foreach(property SKIP_UNITY_BUILD_INCLUSION COMPILE_OPTIONS COMPILE_DEFINITIONS GENERATED)
      get_source_file_property(value ${source} ${property})
      if(value)
        set(alone YES)
      endif()
    endforeach()
    if(alone OR NOT source MATCHES "[.]cpp$")
      list(APPEND others ${source})
      continue()
    endif()
    cmake_path(ABSOLUTE_PATH source)
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    string(APPEND includes "#include \"${source}\"\n")
  endforeach()
  set(unit ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${target}.dir/unit.cpp)
  file(CONFIGURE OUTPUT ${unit} CONTENT "// Made by texcast_module.cmake.\n${includes}" @ONLY)
  set_property(TARGET ${target} PROPERTY SOURCES ${others} ${unit})
  target_compile_options(${target} PRIVATE "SHELL:-iquote ${PROJECT_SOURCE_DIR}")
endfunction()

# Optimising doctest's macros, or generating debug information for them, doubles the time of a build, and tests gain nothing
# from it. (Debug builds keep debug information.)
function(texcast_unoptimised target)
  if(NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
    target_compile_options(${target} PRIVATE -O0 -g0)
  endif()
endfunction()

# Optimises a target in AddressSanitizer builds, whose other targets are not optimised.
if(CMAKE_CXX_FLAGS MATCHES "sanitize" AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  set(TEXCAST_UNOPTIMISED ON)
endif()
function(texcast_optimised target)
  if(TEXCAST_UNOPTIMISED)
    target_compile_options(${target} PRIVATE -O2)
    get_target_property(type ${target} TYPE)
    if(type STREQUAL "EXECUTABLE")  # clang takes no precompiled headers of unoptimised tests
      set_target_properties(${target} PROPERTIES DISABLE_PRECOMPILE_HEADERS ON)
    endif()
  endif()
endfunction()

# The linker uses the first copy of an inline function. In AddressSanitizer builds that would be the test's, which is not
# optimised. So these optimised libraries are linked before the test.
function(texcast_link_first target)
  if(TEXCAST_UNOPTIMISED)
    foreach(library IN LISTS ARGN)
      target_link_options(${target} PRIVATE "SHELL:-Wl,--whole-archive $<TARGET_FILE:${library}> -Wl,--no-whole-archive")
    endforeach()
  endif()
endfunction()

# Tests end by themselves, however slow the machine is. The limit only ends tests that hang.
set(TEXCAST_TEST_TIMEOUT 600)
if(CMAKE_CXX_FLAGS MATCHES "sanitize")
  math(EXPR TEXCAST_TEST_TIMEOUT "3 * ${TEXCAST_TEST_TIMEOUT}")
endif()

# texcast_test(NAME SOURCES … USES … LABELS … [ARGUMENTS …] [LOCKS …]): a doctest program with one CTest entry, which runs
# in parallel with others. LABELS contains one of
#   threads          the test starts threads: the thread sanitizer checks it
#   single-threaded  it does not: the thread sanitizer has nothing to check
# and `bytes` if a test with threads also parses packets or files or manages memory, so that the address sanitizer checks it
# too; or `words` or `figures` if a single-threaded test only parses user input, or computes figures. The labels asan and tsan
# follow from these; tools/test selects tests by them. LOCKS names resources that the test cannot share with another: CTest
# never runs two tests with the same lock at once. Cases in the suite "one-thread" take long, and have nothing for the thread
# sanitizer.
function(texcast_test name)
  cmake_parse_arguments(arg "" "" "SOURCES;USES;ARGUMENTS;LABELS;LOCKS" ${ARGN})
  if(NOT arg_LABELS MATCHES "(^|;)(threads|single-threaded|program)(;|$)")
    message(FATAL_ERROR "${name}: LABELS has none of threads, single-threaded and program")
  endif()
  if("threads" IN_LIST arg_LABELS)
    list(APPEND arg_LABELS tsan)
  endif()
  if(arg_LABELS MATCHES "single-threaded|bytes" AND NOT arg_LABELS MATCHES "figures|words")
    list(APPEND arg_LABELS asan)
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_USES} texcast_test_main texcast_warnings)
  texcast_unoptimised(${name})
  texcast_unity(${name} TESTS)
  if(CMAKE_CXX_FLAGS MATCHES "sanitize=thread")
    list(APPEND arg_ARGUMENTS -tse=one-thread)
  endif()
  add_test(NAME ${name} COMMAND ${name} ${arg_ARGUMENTS})
  set_tests_properties(${name} PROPERTIES
    SKIP_RETURN_CODE 77 TIMEOUT ${TEXCAST_TEST_TIMEOUT} LABELS "${arg_LABELS}" RESOURCE_LOCK "${arg_LOCKS}")
  texcast_unoptimised_kernels(${name})
  texcast_sanitized_driver(${name})
endfunction()

# In a build with a sanitizer, the test may use PoCL only. For tests without texcast_test(), which calls it.
function(texcast_sanitized_driver test)
  if(CMAKE_CXX_FLAGS MATCHES "sanitize")
    texcast_opencl_driver(${test} pocl)
  endif()
endfunction()

add_library(texcast_warnings INTERFACE)
target_compile_options(texcast_warnings INTERFACE -Wall -Wextra -Wpedantic
  # In a unity build files see each other's globals, and none is the main file, so that GCC warns about anonymous types.
  $<IF:$<BOOL:$<TARGET_PROPERTY:TEXCAST_ONE_UNIT>>,$<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>,-Wshadow>
  -Wconversion -Wno-sign-conversion
  -Wnon-virtual-dtor -Woverloaded-virtual)
if(TEXCAST_WERROR)
  target_compile_options(texcast_warnings INTERFACE -Werror)
endif()
