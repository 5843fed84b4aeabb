// embedded.h — the kernel files as they were when the program was built.
#pragma once

#include "base/embedded_file.h"

namespace texcast::ocl {

std::span<const EmbeddedFile> embedded_files();  // of cl_kernels

}  // namespace texcast::ocl
