# Installs BUILD into FOLDER, and looks at what is there.
file(REMOVE_RECURSE ${FOLDER})
execute_process(COMMAND ${CMAKE_COMMAND} -E env DESTDIR=${FOLDER} ${CMAKE_COMMAND} --install ${BUILD} --prefix /usr/local
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
set(root ${FOLDER}/usr/local)
execute_process(COMMAND gzip -dk ${root}/share/man/man1/texcast.1.gz COMMAND_ERROR_IS_FATAL ANY)
foreach(file share/man/man1/texcast.1 share/bash-completion/completions/texcast share/zsh/site-functions/_texcast
    share/fish/vendor_completions.d/texcast.fish)
  file(READ ${root}/${file} text)
  if(NOT text MATCHES "texcast")
    message(FATAL_ERROR "${file} was installed without its words")
  endif()
endforeach()
execute_process(COMMAND ${root}/bin/texcast --version OUTPUT_VARIABLE version COMMAND_ERROR_IS_FATAL ANY)
if(NOT version MATCHES "^texcast ")
  message(FATAL_ERROR "the installed program says: ${version}")
endif()
