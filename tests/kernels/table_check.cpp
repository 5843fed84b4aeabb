// The rows of kernel_table.cpp: no field is missing, and all files and kernels exist.
#include <doctest/doctest.h>

#include <string>

#include "kernel_table.h"
#include "ocl/program.h"
#include "stages/stage.h"

using namespace texcast;
using namespace texcast::stages;

TEST_CASE("kernel table: every method of every encoded format has a kernel of one work-item per block") {
  for (const TextureFormat texture : encoded_formats())
    for (const Method method : kMethods) {
      CAPTURE(name(texture));
      CAPTURE(name(method));
      if (!has_method(texture, method)) continue;
      CHECK(has_form({.source = {PixelFormat::nv12, 64, 32, {}}, .texture = texture, .method = method}));
      for (const Pass& pass : format_passes(texture)) CHECK(find_kernel(pass.encoding, Form::wide, method) != nullptr);
    }
}

TEST_CASE("kernel table: a format's kernels write each byte of its blocks once") {
  for (const TextureFormat texture : encoded_formats()) {
    CAPTURE(name(texture));
    const TextureLayout layout = texture_layout(texture, 64, 32);
    for (int plane = 0; plane < layout.plane_count; ++plane) {
      int whole = 0, first = 0, second = 0;
      for (const Pass& pass : format_passes(texture)) {
        if (plane < pass.first_plane || plane >= pass.first_plane + pass.planes) continue;
        ++(pass.half == Pass::kWholeBlock ? whole : pass.half == 0 ? first : second);
        if (pass.half != Pass::kWholeBlock) CHECK(layout.planes[static_cast<size_t>(plane)].block_bytes == 16);
      }
      CHECK(whole + first == 1);
      CHECK(first == second);
    }
  }
}

TEST_CASE("kernel table: formats that are received only have no kernels") {
  for (const TextureFormat texture : received_formats()) CHECK(format_passes(texture).empty());
}

TEST_CASE("kernel table: all files and kernels exist") {
  for (const KernelRow& row : kernel_rows()) {
    CAPTURE(row.name);
    const std::string text = ocl::program_source(row.file);
    CHECK(text.find("void " + std::string(row.name) + "(") != std::string::npos);
    if (row.traits.table_entries > 0)
      CHECK(text.find("void " + std::string(row.traits.table_kernel) + "(") != std::string::npos);
  }
}
