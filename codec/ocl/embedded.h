// embedded.h — the kernel files as they were when the program was built.
#pragma once

#include <vector>

namespace texcast::ocl {

struct EmbeddedFile {
  const char* name;
  const char* text;
};

const std::vector<EmbeddedFile>& embedded_files();

}  // namespace texcast::ocl
