# texcast_precompiled(TARGET [TESTS | COLD | HOT]): the standard library's and fmt's headers, which nearly every file includes,
# are read and parsed once for all targets of a unity build: that is a third of the time of such a build. A precompiled header
# is of use with its own options alone. TESTS: compiled unoptimised, as tests are, and with doctest. COLD, HOT: with the
# options of such modules. A build file by file does without, so that each file is seen to include what it needs.
set(texcast_precompiled_headers <algorithm> <array> <atomic> <charconv> <chrono> <cmath> <condition_variable> <cstring> <deque>
  <filesystem> <functional> <map> <memory> <mutex> <optional> <span> <string> <string_view> <thread> <utility> <vector>
  <fmt/core.h> <fmt/format.h>)

function(texcast_precompiled target)
  cmake_parse_arguments(arg "TESTS;COLD;HOT" "" "" ${ARGN})
  set(words texcast_precompiled ${ARGN})
  list(JOIN words _ owner)
  string(TOLOWER ${owner} owner)
  set(headers ${texcast_precompiled_headers})
  if(arg_TESTS)
    list(APPEND headers <doctest/doctest.h>)
  endif()
  if(NOT TARGET ${owner})
    file(WRITE ${PROJECT_BINARY_DIR}/${owner}.cpp "")
    add_library(${owner} OBJECT ${PROJECT_BINARY_DIR}/${owner}.cpp)
    target_link_libraries(${owner} PRIVATE fmt::fmt Threads::Threads texcast_warnings)
    target_precompile_headers(${owner} PRIVATE ${headers})
    if(arg_COLD)
      target_compile_options(${owner} PRIVATE -Og)
    endif()
    if(arg_HOT)
      texcast_optimised(${owner})
    endif()
    if(arg_TESTS)
      target_link_libraries(${owner} PRIVATE doctest::doctest)
      texcast_unoptimised(${owner})
      # For programs, which CMake compiles otherwise than libraries.
      set_target_properties(${owner} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
      target_compile_options(${owner} PRIVATE -fPIE)
    endif()
  endif()
  target_precompile_headers(${target} REUSE_FROM ${owner})
endfunction()
