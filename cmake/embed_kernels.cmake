# embed_kernels.cmake — writes every file of KERNELS (a ;-list of paths) into OUTPUT as byte arrays, and a table of
# them. Run as a script: cmake -DKERNELS=… -DOUTPUT=… -P embed_kernels.cmake
set(arrays "")
set(table "")
string(REPLACE "," ";" KERNELS "${KERNELS}")
foreach(path IN LISTS KERNELS)
  get_filename_component(file "${path}" NAME)
  string(MAKE_C_IDENTIFIER "${file}" symbol)
  file(READ "${path}" hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(APPEND arrays "static const unsigned char ${symbol}[] = {${bytes}0};\n")
  string(APPEND table "    {\"${file}\", reinterpret_cast<const char*>(${symbol})},\n")
endforeach()
file(WRITE "${OUTPUT}" "// Made by embed_kernels.cmake.\n#include \"embedded.h\"\n\nnamespace texcast::ocl {\nnamespace {\n${arrays}}  // namespace\n\nconst std::vector<EmbeddedFile>& embedded_files() {\n  static const std::vector<EmbeddedFile> files = {\n${table}  };\n  return files;\n}\n\n}  // namespace texcast::ocl\n")
