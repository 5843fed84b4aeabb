// coding_strategy.h — how a frame encoder codes tiles: lossless, or with rate-distortion optimisation. For each frame
// FrameEncoder calls begin(), then encode() for each batch and may_send() for its slices, then end().
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "compact/coded_slice.h"
#include "compact/encoder_backend.h"
#include "compact/self_check.h"

namespace texcast::compact {

// Rows of tiles whose slices are sent together.
struct Batch {
  size_t first_row = 0, end_row = 0;
  std::vector<uint32_t> tiles;  // to be coded, ascending
};

struct BatchSize {
  size_t least_tiles = 1;  // coded tiles per batch
  int most_batches = 1;    // per frame
};

class CodingStrategy {
 public:
  virtual ~CodingStrategy() = default;
  virtual void use_backend(std::unique_ptr<EncoderBackend> backend, const SelfCheckSettings& check) = 0;
  virtual bool is_checking() const = 0;
  // The next frame is coded as the first one is. There is no reference frame.
  virtual void forget() {}
  // Finds the dirty tiles and their motion, and plans the frame.
  virtual void begin() = 0;
  virtual BatchSize batch_size() const = 0;
  // Codes the tiles of a batch into CodedTiles. Some may be deferred.
  virtual void encode(const Batch& batch) = 0;
  // Whether the slices of `tile`, or the slice that begins there, are sent. Called in sending order. Rate control may
  // have no room for them, and then defers the tiles.
  virtual bool may_send(uint32_t /*tile*/) { return true; }
  // Whether the lossy slices of `tile`, or the slice that begins there, are transform slices.
  virtual bool is_transform(uint32_t /*tile*/) const { return false; }
  virtual void end_batch() {}
  // The frame becomes the reference. `coded`: the number of coded tiles.
  virtual void end(size_t coded) = 0;
  // Whether the next frame codes something even if the picture does not change.
  virtual bool is_waiting() const { return false; }
};

}  // namespace texcast::compact
