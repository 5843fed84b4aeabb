# texcast_lazy_library(NAME FILES … PACKAGE target PURPOSE "…" [OBJECTS …] [FUNCTIONS …] [DEBIAN_PACKAGES …])
# A target texcast_lazy_NAME, which parts of the program link instead of PACKAGE (a target of pkg_check_modules). It has
# PACKAGE's headers, and a function for each one that the shared libraries FILES export. The first call loads the libraries
# (codec/lazy). OBJECTS: exported variables that are used. FUNCTIONS: the functions that are used, for a library with
# thousands of others. DEBIAN_PACKAGES: those of FILES, if they are not named by Debian Policy, section 8.1. PURPOSE ends the
# sentence "… is needed for …".
# On processors without support, and with sanitizers, which need libraries before main(), the target links PACKAGE.
enable_language(ASM)
set_property(GLOBAL PROPERTY texcast_lazy_packages "")

function(texcast_lazy_library name)
  cmake_parse_arguments(arg "" "PACKAGE;PURPOSE" "FILES;OBJECTS;FUNCTIONS;DEBIAN_PACKAGES" ${ARGN})
  set(target texcast_lazy_${name})
  if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|aarch64|arm64)$" OR NOT CMAKE_SIZEOF_VOID_P EQUAL 8
      OR CMAKE_CXX_FLAGS MATCHES "sanitize" OR NOT CMAKE_NM)
    add_library(${target} INTERFACE)
    target_link_libraries(${target} INTERFACE ${arg_PACKAGE})
    return()
  endif()
  set(sonames "")
  set(packages "")
  set(functions "")
  set(objects "")
  foreach(file IN LISTS arg_FILES)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    texcast_soname(soname ${file})
    texcast_debian_package(package ${soname})
    list(APPEND sonames ${soname})
    list(APPEND packages ${package})
    # "ADDRESS BYTES T NAME@@VERSION"; W is a weak function, i an indirect one (IFUNC).
    execute_process(COMMAND ${CMAKE_NM} -D -S --defined-only ${file} OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
    string(REGEX MATCHALL "[0-9a-f]+ [TWi] [A-Za-z0-9_]+" found "${symbols}")
    list(TRANSFORM found REPLACE ".* " "")
    list(APPEND functions ${found})
    foreach(object IN LISTS arg_OBJECTS)
      if("${symbols}" MATCHES "([0-9a-f]+) [BDRV] ${object}[@\n]")
        string(APPEND objects "lazy_object ${object}, 0x${CMAKE_MATCH_1}\n")
      endif()
    endforeach()
  endforeach()
  list(REMOVE_DUPLICATES functions)
  list(REMOVE_ITEM functions _init _fini)
  foreach(function IN LISTS arg_FUNCTIONS)
    if(NOT function IN_LIST functions)
      message(FATAL_ERROR "${arg_FILES} have no function ${function}")
    endif()
  endforeach()
  if(arg_FUNCTIONS)
    set(functions ${arg_FUNCTIONS})
  endif()
  if(arg_DEBIAN_PACKAGES)
    set(packages ${arg_DEBIAN_PACKAGES})
  endif()
  list(TRANSFORM functions PREPEND "lazy_function ")
  list(JOIN functions "\n" functions)
  set_property(GLOBAL APPEND PROPERTY texcast_lazy_packages ${packages})
  list(JOIN sonames " " sonames)
  list(JOIN packages " " packages)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${target}.S)
  file(CONFIGURE OUTPUT ${source} @ONLY CONTENT "// Made by texcast_lazy_library.cmake.
#include \"functions.S\"
lazy_library \"@sonames@\", \"@packages@\", \"@arg_PURPOSE@\"
lazy_objects
@objects@lazy_objects_end
@functions@
")
  add_library(${target} STATIC ${source})
  set_property(SOURCE ${source} PROPERTY OBJECT_DEPENDS ${PROJECT_SOURCE_DIR}/codec/lazy/functions.S)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/codec/lazy)
  target_include_directories(${target} SYSTEM INTERFACE $<TARGET_PROPERTY:${arg_PACKAGE},INTERFACE_INCLUDE_DIRECTORIES>)
  target_compile_options(${target} INTERFACE $<TARGET_PROPERTY:${arg_PACKAGE},INTERFACE_COMPILE_OPTIONS>)
  target_link_libraries(${target} PRIVATE texcast_lazy)
endfunction()

# The SONAME of a shared library.
function(texcast_soname result file)
  execute_process(COMMAND ${CMAKE_READELF} -d ${file} OUTPUT_VARIABLE dynamic COMMAND_ERROR_IS_FATAL ANY)
  if(NOT dynamic MATCHES "\\(SONAME\\)[^[]*\\[([^]]+)\\]")
    message(FATAL_ERROR "${file} has no SONAME")
  endif()
  set(${result} ${CMAKE_MATCH_1} PARENT_SCOPE)
endfunction()

# Debian's package of a SONAME, by Debian Policy, section 8.1 ("libfoo.so.1" is in libfoo1, "libfoo2.so.1" in libfoo2-1).
function(texcast_debian_package result soname)
  string(TOLOWER ${soname} package)
  string(REPLACE "_" "-" package ${package})
  string(REGEX REPLACE "([0-9])\\.so\\." "\\1-" package ${package})
  string(REPLACE ".so." "" package ${package})
  set(${result} ${package} PARENT_SCOPE)
endfunction()
