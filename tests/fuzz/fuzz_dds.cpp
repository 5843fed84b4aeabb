// Any bytes as a DDS file.
#include "fuzz_still.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  texcast::fuzz_still(texcast::container::StillKind::dds, data, size);
  return 0;
}
