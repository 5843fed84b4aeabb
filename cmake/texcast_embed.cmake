# texcast_embed(SOURCE NAMESPACE FOLDER FILE…): SOURCE becomes the path of a C++ file that has these files of FOLDER in it
# (embed_files.cmake), embedded_NAMESPACE.cpp. It is an object file of its own: the ledger of tests tells
# kernels from the code beside them by it (tests/ledger).
function(texcast_embed source namespace folder)
  list(JOIN ARGN "," files)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/embedded_${namespace}.cpp)
  set(script ${PROJECT_SOURCE_DIR}/cmake/embed_files.cmake)
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DFOLDER=${folder} -DFILES=${files} -DNAMESPACE=${namespace} -DOUTPUT=${output} -P ${script}
    DEPENDS ${ARGN} ${script}
    COMMENT "Embedding files of ${folder}" VERBATIM)
  set_source_files_properties(${output} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  set(${source} ${output} PARENT_SCOPE)
endfunction()
