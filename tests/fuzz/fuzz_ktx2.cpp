// Any bytes as a KTX2 file.
#include "fuzz_still.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  texcast::fuzz_still(texcast::container::StillKind::ktx2, data, size);
  return 0;
}
