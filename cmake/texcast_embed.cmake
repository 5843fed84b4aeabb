# texcast_embed(SOURCE NAMESPACE FOLDER FILE…): sets SOURCE to the path of a C++ file that contains these files of FOLDER
# (embed_files.cmake), embedded_NAMESPACE.cpp. It has an object file of its own, by which the ledger of tests distinguishes
# kernels from other code (tests/ledger).
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
