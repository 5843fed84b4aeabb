#include "pw/library.h"

#include <cstdlib>

namespace texcast::pw {

Library::Library() {
  pw_init(nullptr, nullptr);
  if (std::getenv("PIPEWIRE_DEBUG") == nullptr) pw_log_set_level(SPA_LOG_LEVEL_NONE);
}

}  // namespace texcast::pw
