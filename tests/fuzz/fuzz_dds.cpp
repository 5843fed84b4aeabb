// libFuzzer: any bytes as a DDS file.
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "container/dds.h"

using namespace texcast;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto* first = reinterpret_cast<const std::byte*>(data);
  const std::vector<std::byte> file(first, first + size);
  const auto texture = container::read_dds(file);
  if (!texture) return 0;
  // What it gives lies inside the file and fits its own description.
  if (texture->blocks.size() != texture_layout(texture->desc).total_bytes) std::abort();
  if (texture->blocks.data() < file.data() || &texture->blocks.back() > &file.back()) std::abort();
  return 0;
}
