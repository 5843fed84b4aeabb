#include "transport/pcm_samples.h"

#include <algorithm>
#include <cmath>

#include "base/ensure.h"

namespace texcast::transport {
namespace {

template <int kBytes>
void write_samples(std::span<const float> in, size_t stride, MutableBytes out) {
  constexpr double kScale = static_cast<double>(int64_t{1} << (8 * kBytes - 1));
  const size_t count = out.size() / kBytes;
  for (size_t i = 0; i < count; ++i) {
    const double value = std::clamp(static_cast<double>(in[i * stride]) * kScale, -kScale, kScale - 1);
    store_le<kBytes>(out, i * kBytes, static_cast<uint64_t>(std::llrint(value)));
  }
}

template <int kBytes>
void read_samples(Bytes in, std::span<float> out, size_t stride) {
  constexpr int kShift = 64 - 8 * kBytes;
  constexpr double kScale = 1.0 / static_cast<double>(int64_t{1} << (8 * kBytes - 1));
  const size_t count = std::min(in.size() / kBytes, (out.size() + stride - 1) / stride);
  for (size_t i = 0; i < count; ++i) {
    const auto value = static_cast<int64_t>(load_le<kBytes>(in, i * kBytes) << kShift) >> kShift;
    out[i * stride] = static_cast<float>(static_cast<double>(value) * kScale);
  }
}

}  // namespace

size_t pcm_bytes(int bits) {
  return bits == 8 || bits == 16 || bits == 24 || bits == 32 ? static_cast<size_t>(bits) / 8 : 0;
}

void floats_to_pcm(std::span<const float> in, size_t stride, int bits, MutableBytes out) {
  ENSURE(pcm_bytes(bits) > 0 && stride > 0 &&
         (out.size() < pcm_bytes(bits) || (out.size() / pcm_bytes(bits) - 1) * stride < in.size()));
  switch (bits) {
    case 8: return write_samples<1>(in, stride, out);
    case 16: return write_samples<2>(in, stride, out);
    case 24: return write_samples<3>(in, stride, out);
    default: return write_samples<4>(in, stride, out);
  }
}

void pcm_to_floats(Bytes in, int bits, std::span<float> out, size_t stride) {
  ENSURE(pcm_bytes(bits) > 0 && stride > 0);
  switch (bits) {
    case 8: return read_samples<1>(in, out, stride);
    case 16: return read_samples<2>(in, out, stride);
    case 24: return read_samples<3>(in, out, stride);
    default: return read_samples<4>(in, out, stride);
  }
}

}  // namespace texcast::transport
