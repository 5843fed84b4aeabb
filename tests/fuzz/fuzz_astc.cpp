// Any bytes as an .astc file, whose blocks are then checked (container/block_check.h).
#include "container/block_check.h"
#include "fuzz_still.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace texcast;
  fuzz_still(container::StillKind::astc, data, size);
  const auto* first = reinterpret_cast<const std::byte*>(data);
  const Bytes file(first, size);
  const auto info = container::inspect_still(container::StillKind::astc, file);
  const auto blocks = fuzz_read_part(container::StillKind::astc, file, {});
  if (info && blocks) container::look_at_blocks({info->desc, *blocks});
  return 0;
}
