// content.h — the content classes of lossy slices. Each class has its own probability tables, and each lossy slice
// signals its class.
#pragma once

#include <cstdint>

namespace texcast::compact {

enum class Content : uint8_t { film, screen, fine_film };
inline constexpr int kContents = 3;

}  // namespace texcast::compact
