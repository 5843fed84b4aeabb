# TEXCAST_WEB: whether the player of browsers is built, as WebAssembly without threads and exceptions, by the clang-19 of
# Debian 12 (tools/packages.txt, section web). Without it, TEXCAST_WEB_PAGE can name the page of a release.
find_program(TEXCAST_WASM_CXX clang++-19)
find_program(TEXCAST_WASM_LD wasm-ld-19)
mark_as_advanced(TEXCAST_WASM_CXX TEXCAST_WASM_LD)
set(TEXCAST_WASM_LIBRARIES /usr/lib/wasm32-wasi/libc++.a /usr/lib/wasm32-wasi/libc++abi.a /usr/lib/wasm32-wasi/libc.a)
set(has_wasm ON)
foreach(needed IN LISTS TEXCAST_WASM_LIBRARIES TEXCAST_WASM_CXX TEXCAST_WASM_LD)
  if(needed MATCHES "^TEXCAST")
    set(needed "${${needed}}")
  endif()
  if(NOT needed OR NOT EXISTS "${needed}")
    set(has_wasm OFF)
  endif()
endforeach()
option(TEXCAST_WEB "build the player of browsers, which needs clang-19 and its libraries for WebAssembly" ${has_wasm})
set(TEXCAST_WEB_PAGE "" CACHE FILEPATH "a texcast-web-VERSION.tar of a release, instead of building the player of browsers")

# texcast_wasm(OUTPUT ROOMS … FILES … WITHOUT … HEADERS …): adds the rule that makes the file OUTPUT from the C++ files of rooms
# (targets' names without texcast_, whose public headers all files see) except WITHOUT and embedded files, and from other
# FILES. HEADERS: more folders of headers. Files and folders are named relative to the project's folder. A room is compiled
# at a time, as in builds with TEXCAST_UNITY.
function(texcast_wasm output)
  cmake_parse_arguments(arg "" "" "ROOMS;FILES;WITHOUT;HEADERS" ${ARGN})
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/wasm)
  # Only fmt's headers of the system's.
  file(MAKE_DIRECTORY ${folder}/include)
  get_target_property(fmt fmt::fmt INTERFACE_INCLUDE_DIRECTORIES)
  list(GET fmt 0 fmt)
  file(CREATE_LINK ${fmt}/fmt ${folder}/include/fmt SYMBOLIC)
  set(flags --target=wasm32-wasi -std=c++20 -msimd128 -fignore-exceptions -fno-rtti -fvisibility=hidden -DFMT_HEADER_ONLY -DFMT_STATIC_THOUSANDS_SEPARATOR=0
    -Wall -Wextra -Wno-missing-field-initializers "-ffile-prefix-map=${PROJECT_SOURCE_DIR}=." -isystem ${folder}/include
    -iquote ${PROJECT_SOURCE_DIR} -DTEXCAST_VERSION="${PROJECT_VERSION}")
  foreach(header_folder IN LISTS arg_HEADERS)
    list(APPEND flags -I${PROJECT_SOURCE_DIR}/${header_folder})
  endforeach()
  if(TEXCAST_WERROR)
    list(APPEND flags -Werror)
  endif()
  set(sources_files ${arg_FILES})
  foreach(room IN LISTS arg_ROOMS)
    get_target_property(room_folder texcast_${room} SOURCE_DIR)
    list(APPEND flags -I${room_folder}/include)
    get_target_property(type texcast_${room} TYPE)
    if(type STREQUAL "INTERFACE_LIBRARY")
      continue()
    endif()
    get_target_property(sources texcast_${room} TEXCAST_SOURCES)
    set(sources_${room} "")
    foreach(source IN LISTS sources)
      cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${room_folder})
      cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE path)
      if(NOT path IN_LIST arg_WITHOUT AND NOT source MATCHES "/embedded_")
        list(APPEND sources_${room} ${source})
      endif()
    endforeach()
  endforeach()
  list(TRANSFORM sources_files PREPEND ${PROJECT_SOURCE_DIR}/ REGEX "^[^/]")
  set(objects "")
  foreach(room IN LISTS arg_ROOMS ITEMS files)
    if(NOT sources_${room})
      continue()
    endif()
    # Embedded files are compiled for themselves, as their namespaces declare the same function.
    set(unit "// Made by texcast_wasm.cmake.\n")
    set(units ${folder}/${room}.cpp)
    foreach(source IN LISTS sources_${room})
      if(source MATCHES "/embedded_")
        list(APPEND units ${source})
      else()
        cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
        string(APPEND unit "#include \"${source}\"\n")
      endif()
    endforeach()
    file(CONFIGURE OUTPUT ${folder}/${room}.cpp CONTENT "${unit}" @ONLY)
    foreach(unit IN LISTS units)
      cmake_path(GET unit STEM name)
      set(object ${folder}/${name}.o)
      # Text and tables are rarely used: small code there.
      set(optimise -O3)
      if(room MATCHES "^(files|player_web|player_shaders|formats|frames|transport_.*)$")
        set(optimise -Oz)
      endif()
      add_custom_command(OUTPUT ${object}
        COMMAND ${CMAKE_CXX_COMPILER_LAUNCHER} ${TEXCAST_WASM_CXX} ${flags} ${optimise} -MD -MF ${object}.d -MT ${object}
          -c ${unit} -o ${object}
        DEPENDS ${unit} ${TEXCAST_WASM_CXX} DEPFILE ${object}.d
        COMMENT "Compiling ${name} to WebAssembly" VERBATIM)
      list(APPEND objects ${object})
    endforeach()
  endforeach()
  add_custom_command(OUTPUT ${output}
    COMMAND ${TEXCAST_WASM_CXX} --target=wasm32-wasi -mexec-model=reactor -Wl,--strip-all -Wl,--stack-first
      -Wl,-z,stack-size=1048576 ${objects} -o ${output}
    DEPENDS ${objects} ${TEXCAST_WASM_LIBRARIES}
    COMMENT "Linking ${output}" VERBATIM)
endfunction()
