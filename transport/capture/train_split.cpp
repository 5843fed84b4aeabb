#include "train_split.h"

#include <cstring>

#include "transport/packet.h"

namespace texcast::transport {
namespace {

constexpr size_t kShortest = kRtpHeaderBytes + kVideoHeaderBytes;

bool continues(Bytes train, size_t previous, size_t at) {
  if (train.size() - at < kRtpHeaderBytes) return false;
  constexpr unsigned kVersionBits = 0xC0, kTypeBits = 0x7F;
  const auto bits = [&](size_t offset, unsigned mask) { return load_u8(train, offset) & mask; };
  return std::memcmp(&train[previous + 4], &train[at + 4], 8) == 0 &&  // time stamp, SSRC
         bits(previous, kVersionBits) == bits(at, kVersionBits) &&
         bits(previous + 1, kTypeBits) == bits(at + 1, kTypeBits) &&
         load_be16(train, at + 2) == static_cast<uint16_t>(load_be16(train, previous + 2) + 1);
}

}  // namespace

size_t train_segment_bytes(Bytes train) {
  if (!parse_rtp(train)) return train.size();
  for (size_t size = kShortest; size + kRtpHeaderBytes <= train.size(); ++size) {
    size_t at = size;
    while (at < train.size() && continues(train, at - size, at)) at += size;
    if (at >= train.size()) return size;
  }
  return train.size();
}

}  // namespace texcast::transport
