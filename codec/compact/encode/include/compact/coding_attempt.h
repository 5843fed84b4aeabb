// coding_attempt.h — which codings of a lossy tile are tried.
#pragma once

#include <cstdint>

namespace texcast::compact {

// `both`: the one with the lower D + lambda R is kept.
enum class CodingAttempt : uint8_t { blocks, transform, both };

}  // namespace texcast::compact
