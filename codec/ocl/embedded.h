// embedded.h — the kernel files, embedded at build time.
#pragma once

#include "base/embedded_file.h"

namespace texcast::ocl {

std::span<const EmbeddedFile> embedded_files();  // of cl_kernels

}  // namespace texcast::ocl
