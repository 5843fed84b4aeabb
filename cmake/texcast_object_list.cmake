# texcast_object_list(SOURCE CHECKS ROOM… ALWAYS OBJECT…): sets SOURCE to a C++ file that lists which object files each object
# of CHECKS, an object library of test cases, can reach: in CHECKS itself, in the modules ROOM…, and in the libraries that these
# link (tests/ledger/list-objects). It depends on all of them, so that a program never has the list of another build.
function(texcast_object_list source checks)
  cmake_parse_arguments(arg "" "" "ALWAYS" ${ARGN})
  set(rooms "")
  foreach(room IN LISTS arg_UNPARSED_ARGUMENTS)
    texcast_linked_rooms(${room} rooms)
  endforeach()
  set(objects $<TARGET_OBJECTS:${checks}>)
  foreach(room IN LISTS rooms)
    list(APPEND objects $<TARGET_OBJECTS:${room}>)
  endforeach()
  set(list ${CMAKE_CURRENT_BINARY_DIR}/objects.txt)
  file(GENERATE OUTPUT ${list} CONTENT "$<JOIN:${objects},\n>\n")
  set(output ${CMAKE_CURRENT_BINARY_DIR}/object_list.cpp)
  set(script ${PROJECT_SOURCE_DIR}/tests/ledger/list-objects)
  file(GLOB data CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/data/*)
  add_custom_command(OUTPUT ${output}
    COMMAND ${script} ${output} ${list} ${PROJECT_BINARY_DIR} /${checks}.dir/ ${PROJECT_SOURCE_DIR}/tests/data
      "embedded_ocl.cpp|data_folder.cpp" ${arg_ALWAYS}
    DEPENDS ${script} ${list} ${objects} ${data}
    COMMENT "Listing object files that test cases reach" VERBATIM)
  set_source_files_properties(${output} PROPERTIES INCLUDE_DIRECTORIES ${PROJECT_SOURCE_DIR}/tests/ledger)
  set(${source} ${output} PARENT_SCOPE)
endfunction()

# texcast_linked_rooms(ROOM LIST): adds the static library ROOM to LIST, and all static libraries of this project that it
# links.
function(texcast_linked_rooms room list)
  set(rooms ${${list}})
  if(NOT TARGET ${room} OR room IN_LIST rooms)
    return()
  endif()
  get_target_property(type ${room} TYPE)
  get_target_property(imported ${room} IMPORTED)
  if(type STREQUAL "STATIC_LIBRARY" AND NOT imported)
    list(APPEND rooms ${room})
    get_target_property(links ${room} LINK_LIBRARIES)
    foreach(link IN LISTS links)
      texcast_linked_rooms(${link} rooms)
    endforeach()
  endif()
  set(${list} ${rooms} PARENT_SCOPE)
endfunction()
