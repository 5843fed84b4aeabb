// seal_magic.h — the first bytes of sealed datagrams.
#pragma once

#include <array>
#include <cstddef>

namespace texcast::transport {

inline constexpr std::array<std::byte, 4> kSealMagic{std::byte{'T'}, std::byte{'C'}, std::byte{2}, std::byte{1}};
// The mark of an earlier texcast, whose sessions carried no time.
inline constexpr std::array<std::byte, 4> kOldSealMagic{std::byte{'T'}, std::byte{'C'}, std::byte{1}, std::byte{1}};
inline constexpr size_t kOldSealOverhead = 36;

}  // namespace texcast::transport
