# make_tar.cmake — writes FILES, without their folders, into the archive OUTPUT, whose bytes depend on them alone. To be run
# as a script: cmake -DOUTPUT=… -DFILES=… -P make_tar.cmake
set(folder ${OUTPUT}.files)
file(REMOVE_RECURSE ${folder})
file(MAKE_DIRECTORY ${folder})
set(names "")
foreach(file IN LISTS FILES)
  configure_file(${file} ${folder} COPYONLY)
  cmake_path(GET file FILENAME name)
  list(APPEND names ${name})
endforeach()
list(SORT names)
execute_process(COMMAND tar --create --file=${OUTPUT} --format=ustar --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=0644
  --directory=${folder} ${names} COMMAND_ERROR_IS_FATAL ANY)
file(REMOVE_RECURSE ${folder})
