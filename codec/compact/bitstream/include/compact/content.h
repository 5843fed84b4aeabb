// content.h — the content classes of lossy slices. Each class has its own probability tables, and each lossy slice
// signals its class.
#pragma once

#include <cstdint>

namespace texcast::compact {

enum class Content : uint8_t { film, screen, fine_film, transform };
inline constexpr int kContents = 3;  // of block coding; transform slices have tables of their own (transform_syntax.h)

}  // namespace texcast::compact
