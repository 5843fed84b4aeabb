// key_frame_encoder.h — codes a texture and its samples (sample_planes.h) exactly, as a frame that refers to no
// other: a decoder that begins with it can decode what follows of a stream with transform coding.
//
//     compact::KeyFrameEncoder encoder(desc, compact::kMostSliceBytes, workers);
//     decoder.read_samples(texture, samples);
//     for (const compact::CodedSlice& slice : encoder.encode(texture, samples)) …
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/bytes.h"
#include "base/workers.h"
#include "compact/coded_slice.h"
#include "compact/tile_grid.h"

namespace texcast::compact {

// Not thread-safe. Returns the same bytes with any number of workers.
class KeyFrameEncoder {
 public:
  // The grid of `texture` can_transform() (else misuse). `most_slice_bytes`: at least 1024. `workers` share the tiles,
  // and must outlive this.
  KeyFrameEncoder(const TextureDesc& texture, size_t most_slice_bytes, Workers& workers);
  ~KeyFrameEncoder();
  // Both are those of a decoder after the same frame. The slices are valid until the next frame. Tiles whose samples
  // are what their blocks decode to have lossless or raw slices, and the others sample slices.
  std::span<const CodedSlice> encode(Bytes texture, std::span<const uint8_t> samples);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace texcast::compact
