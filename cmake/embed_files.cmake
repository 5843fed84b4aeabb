# embed_files.cmake — writes every file of FILES (paths below FOLDER, separated by commas) into the C++ file OUTPUT as a raw
# string literal, which compilers read as fast as a comment. OUTPUT also has a table of the files by their path in FOLDER:
# embedded_files() of base/embedded_file.h, in the namespace texcast::NAMESPACE. To be run as a script:
# cmake -DFOLDER=… -DFILES=… -DNAMESPACE=… -DOUTPUT=… -P embed_files.cmake
file(WRITE "${OUTPUT}" "// Made by embed_files.cmake.\n#include \"base/embedded_file.h\"\n\nnamespace texcast::${NAMESPACE} {\n\n"
  "std::span<const EmbeddedFile> embedded_files() {\n  using namespace std::string_view_literals;\n  static const EmbeddedFile kFiles[] = {\n")
string(REPLACE "," ";" FILES "${FILES}")
foreach(path IN LISTS FILES)
  file(RELATIVE_PATH name "${FOLDER}" "${path}")
  file(READ "${path}" text)
  file(APPEND "${OUTPUT}" "    {\"${name}\", R\"texcast(" "${text}" ")texcast\"sv},\n")
endforeach()
file(APPEND "${OUTPUT}" "  };\n  return kFiles;\n}\n\n}  // namespace texcast::${NAMESPACE}\n")
