// pcm_samples.h — converts samples from and to UltraGrid's format: signed, little-endian, 8, 16, 24 or 32 bits, one
// channel at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/bytes.h"

namespace texcast::transport {

// Bytes of one sample; 0 if the number of bits is not supported.
size_t pcm_bytes(int bits);

// Converts one channel of interleaved floats (-1..1, clipped): in[stride * i], rounded to nearest. `out` has
// pcm_bytes(bits) for each of the samples.
void floats_to_pcm(std::span<const float> in, size_t stride, int bits, MutableBytes out);
// The reverse: writes all whole samples of `in` to out[stride * i], as far as there is room. Samples of up to 24 bits
// survive the round trip unchanged.
void pcm_to_floats(Bytes in, int bits, std::span<float> out, size_t stride);

}  // namespace texcast::transport
