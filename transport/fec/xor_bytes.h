// xor_bytes.h — the XOR of several byte ranges of equal length, four of them at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>

namespace texcast::transport {

inline void xor_into(std::byte* __restrict to, const std::byte* __restrict from, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) to[i] ^= from[i];
}

// The destructor writes the XOR of all added ranges to `out` (zeros if there are none). They must neither overlap `out`
// nor change until then.
class XorBytes {
 public:
  XorBytes(std::byte* out, size_t bytes) : out_(out), bytes_(bytes) {}
  XorBytes(const XorBytes&) = delete;
  XorBytes& operator=(const XorBytes&) = delete;
  ~XorBytes() {
    if (!written_ && count_ == 0)
      std::memset(out_, 0, bytes_);
    else if (count_ > 0)
      flush();
  }
  void add(const std::byte* source) {
    sources_[count_++] = source;
    if (count_ == sources_.size()) flush();
  }

 private:
  template <typename Sum>
  void write(Sum sum) {
    std::byte* __restrict out = out_;
    if (written_)
      for (size_t i = 0; i < bytes_; ++i) out[i] ^= sum(i);
    else
      for (size_t i = 0; i < bytes_; ++i) out[i] = sum(i);
  }
  void flush() {
    const std::byte *a = sources_[0], *b = sources_[1], *c = sources_[2], *d = sources_[3];
    switch (count_) {
      case 1: write([=](size_t i) { return a[i]; }); break;
      case 2: write([=](size_t i) { return a[i] ^ b[i]; }); break;
      case 3: write([=](size_t i) { return a[i] ^ b[i] ^ c[i]; }); break;
      default: write([=](size_t i) { return a[i] ^ b[i] ^ c[i] ^ d[i]; });
    }
    written_ = true;
    count_ = 0;
  }

  std::byte* out_;
  size_t bytes_;
  std::array<const std::byte*, 4> sources_{};
  size_t count_ = 0;
  bool written_ = false;
};

}  // namespace texcast::transport
