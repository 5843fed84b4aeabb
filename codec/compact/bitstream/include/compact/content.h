// content.h — the kinds of pictures that lossy slices are coded for. Each kind has probability tables of its own, and
// each lossy slice signals which it was coded with.
#pragma once

#include <cstdint>

namespace texcast::compact {

enum class Content : uint8_t { film, screen, fine_film };
inline constexpr int kContents = 3;

}  // namespace texcast::compact
