// tiny.h — small pictures where a test has a choice: tools/test asks for them (TEXCAST_TEST_TINY=1) where a sanitizer
// or an interpreter watches every access. The same lines run, in a fraction of the time; release builds have all.
#pragma once

#include <cstdlib>

namespace texcast::test {

inline bool tiny_only() {
  const char* value = std::getenv("TEXCAST_TEST_TINY");
  return value != nullptr && *value == '1';
}

}  // namespace texcast::test
