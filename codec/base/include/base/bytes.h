// bytes.h — reads and writes integers of a stated byte order in spans of bytes. Callers check the bounds first
// (ByteReader does it for them); a wrong offset is misuse.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

#include "base/ensure.h"

namespace texcast {

using Bytes = std::span<const std::byte>;
using MutableBytes = std::span<std::byte>;

// From byte `begin` up to `end` of some memory.
struct MemoryRange {
  size_t begin = 0;
  size_t end = 0;
};

template <typename T>
Bytes as_bytes_of(const T& container) {
  return std::as_bytes(std::span(container));
}

template <int kSize>
uint64_t load_le(Bytes bytes, size_t offset) {
  ENSURE(offset + kSize <= bytes.size());
  uint64_t value = 0;
  for (int i = kSize - 1; i >= 0; --i) value = value << 8 | std::to_integer<uint64_t>(bytes[offset + i]);
  return value;
}
template <int kSize>
uint64_t load_be(Bytes bytes, size_t offset) {
  ENSURE(offset + kSize <= bytes.size());
  uint64_t value = 0;
  for (int i = 0; i < kSize; ++i) value = value << 8 | std::to_integer<uint64_t>(bytes[offset + i]);
  return value;
}
template <int kSize>
void store_le(MutableBytes bytes, size_t offset, uint64_t value) {
  ENSURE(offset + kSize <= bytes.size());
  for (int i = 0; i < kSize; ++i, value >>= 8) bytes[offset + i] = static_cast<std::byte>(value & 0xFF);
}
template <int kSize>
void store_be(MutableBytes bytes, size_t offset, uint64_t value) {
  ENSURE(offset + kSize <= bytes.size());
  for (int i = kSize - 1; i >= 0; --i, value >>= 8) bytes[offset + i] = static_cast<std::byte>(value & 0xFF);
}

inline uint8_t load_u8(Bytes bytes, size_t offset) { return static_cast<uint8_t>(load_le<1>(bytes, offset)); }
inline uint16_t load_le16(Bytes bytes, size_t offset) { return static_cast<uint16_t>(load_le<2>(bytes, offset)); }
inline uint32_t load_le32(Bytes bytes, size_t offset) { return static_cast<uint32_t>(load_le<4>(bytes, offset)); }
inline uint64_t load_le64(Bytes bytes, size_t offset) { return load_le<8>(bytes, offset); }
inline uint16_t load_be16(Bytes bytes, size_t offset) { return static_cast<uint16_t>(load_be<2>(bytes, offset)); }
inline uint32_t load_be32(Bytes bytes, size_t offset) { return static_cast<uint32_t>(load_be<4>(bytes, offset)); }
inline uint64_t load_be64(Bytes bytes, size_t offset) { return load_be<8>(bytes, offset); }
inline void store_le16(MutableBytes bytes, size_t offset, uint16_t value) { store_le<2>(bytes, offset, value); }
inline void store_le32(MutableBytes bytes, size_t offset, uint32_t value) { store_le<4>(bytes, offset, value); }
inline void store_le64(MutableBytes bytes, size_t offset, uint64_t value) { store_le<8>(bytes, offset, value); }
inline void store_be16(MutableBytes bytes, size_t offset, uint16_t value) { store_be<2>(bytes, offset, value); }
inline void store_be32(MutableBytes bytes, size_t offset, uint32_t value) { store_be<4>(bytes, offset, value); }
inline void store_be64(MutableBytes bytes, size_t offset, uint64_t value) { store_be<8>(bytes, offset, value); }

// Reads bytes from outside. Every read checks what is left, and returns nothing if that is too little.
class ByteReader {
 public:
  explicit ByteReader(Bytes bytes) : rest_(bytes) {}
  size_t remaining() const { return rest_.size(); }
  Bytes rest() const { return rest_; }

  std::optional<Bytes> take(size_t count) {
    if (count > rest_.size()) return std::nullopt;
    const Bytes taken = rest_.first(count);
    rest_ = rest_.subspan(count);
    return taken;
  }
  template <int kSize>
  std::optional<uint64_t> take_le() {
    const auto taken = take(kSize);
    return taken ? std::optional(load_le<kSize>(*taken, 0)) : std::nullopt;
  }
  template <int kSize>
  std::optional<uint64_t> take_be() {
    const auto taken = take(kSize);
    return taken ? std::optional(load_be<kSize>(*taken, 0)) : std::nullopt;
  }

 private:
  Bytes rest_;
};

}  // namespace texcast
