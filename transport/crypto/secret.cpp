#include "transport/secret.h"

#include <sodium.h>

#include <cstring>
#include <new>

#include "base/ensure.h"

namespace texcast::transport {

void* secret_allocate(size_t bytes) {
  ENSURE(sodium_init() >= 0);  // the system has no source of random bytes
  // It puts the end at the end of a page, so whole 64s are aligned.
  const size_t rounded = (bytes + 63) / 64 * 64;
  void* memory = sodium_malloc(rounded);
  if (!memory) throw std::bad_alloc();
  std::memset(memory, 0, rounded);
  return memory;
}

void secret_free(void* memory) noexcept { sodium_free(memory); }

}  // namespace texcast::transport
