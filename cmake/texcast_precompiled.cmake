# texcast_precompiled(TARGET [TESTS | COLD | HOT]): precompiles the headers of the standard library and of fmt, which nearly
# every file includes, once for all targets of a unity build. That saves a third of the time of such a build. A precompiled
# header works only with the options that it was compiled with. TESTS: unoptimised, as tests are, and with doctest. COLD, HOT:
# with the options of such modules. Builds that compile file by file do not use it, so that missing includes are found.
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
      # As for executables, which CMake compiles with other options than libraries.
      set_target_properties(${owner} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
      target_compile_options(${owner} PRIVATE -fPIE)
    endif()
  endif()
  target_precompile_headers(${target} REUSE_FROM ${owner})
endfunction()
