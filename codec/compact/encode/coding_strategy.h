// coding_strategy.h — how a frame encoder codes tiles: lossless, or with rate-distortion optimisation. FrameEncoder
// calls it for each frame: begin(), then encode() for each batch with may_send() for its slices, and end().
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "compact/coded_slice.h"
#include "compact/encoder_backend.h"
#include "compact/self_check.h"

namespace texcast::compact {

// Rows of tiles whose slices leave together.
struct Batch {
  size_t first_row = 0, end_row = 0;
  std::vector<uint32_t> tiles;  // to be coded, ascending
};

struct BatchSize {
  size_t least_tiles = 1;  // that are coded
  int most_batches = 1;    // in a frame
};

class CodingStrategy {
 public:
  virtual ~CodingStrategy() = default;
  virtual void use_backend(std::unique_ptr<EncoderBackend> backend, const SelfCheckSettings& check) = 0;
  // Finds out which tiles are dirty and how they moved, and plans the frame.
  virtual void begin() = 0;
  virtual BatchSize batch_size() const = 0;
  // Codes the tiles of a batch into CodedTiles. It may defer some.
  virtual void encode(const Batch& batch) = 0;
  // In the order in which slices leave: whether those of `tile`, or the one that begins there, are sent. Rate control
  // may have no room for them, and then defers the tiles.
  virtual bool may_send(uint32_t /*tile*/) { return true; }
  virtual void end_batch() {}
  // The frame becomes the reference. `coded`: how many tiles were.
  virtual void end(size_t coded) = 0;
  // Whether the next frame codes something even if nothing changes.
  virtual bool is_waiting() const { return false; }
};

}  // namespace texcast::compact
