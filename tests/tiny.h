// tiny.h — smaller pictures in tests that support them. tools/test asks for them (TEXCAST_TEST_TINY=1) in builds with
// sanitizers and interpreters. The same code runs in a fraction of the time; release builds test the full size.
#pragma once

#include <cstdlib>

namespace texcast::test {

inline bool tiny_only() {
  const char* value = std::getenv("TEXCAST_TEST_TINY");
  return value != nullptr && *value == '1';
}

}  // namespace texcast::test
