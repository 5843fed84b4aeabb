#include "formats/row_changes.h"

#include <atomic>

namespace texcast {

uint64_t new_sequence() {
  static std::atomic<uint64_t> last = 0;
  return ++last;
}

}  // namespace texcast
