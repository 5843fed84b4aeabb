// pcm_samples.h — samples as UltraGrid sends them: signed, little-endian, of 8, 16, 24 or 32 bits, a channel at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/bytes.h"

namespace texcast::transport {

// Bytes of one sample; 0 for bits that are not taken.
size_t pcm_bytes(int bits);

// One channel of interleaved floats (-1..1, what is beyond is cut off): in[stride * i], rounded to the nearest. `out`
// has pcm_bytes(bits) for each of the samples.
void floats_to_pcm(std::span<const float> in, size_t stride, int bits, MutableBytes out);
// The other way: out[stride * i] of all whole samples in `in`, at most as many as there is room for. Of up to 24 bits a
// sample goes there and back unchanged.
void pcm_to_floats(Bytes in, int bits, std::span<float> out, size_t stride);

}  // namespace texcast::transport
