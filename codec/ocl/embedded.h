// embedded.h — the kernel files as they were when the program was built.
#pragma once

#include <vector>

namespace texcast::ocl {

struct EmbeddedFile {
  const char* path;  // in cl_kernels
  const char* text;
};

const std::vector<EmbeddedFile>& embedded_files();

}  // namespace texcast::ocl
