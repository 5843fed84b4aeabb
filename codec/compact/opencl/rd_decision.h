// rd_decision.h — motion search and rate-distortion mode decision of tiles.
#pragma once

#include <span>
#include <vector>

#include "attempt_order.h"
#include "base/workers.h"
#include "compact/encoder_backend.h"
#include "rd_frame_buffers.h"
#include "rd_tables.h"

namespace texcast::compact {

// What RdDecision::search() makes the texels of, which tiles approximate.
enum class TexelSource : uint8_t {
  drawn,    // nothing: RdFrameBuffers::texels has them
  picture,  // the source plane and chroma
  blocks    // the texture
};

// A frame's tiles may be encoded in several batches, and on trial before these.
class RdDecision {
 public:
  static constexpr size_t kMostBatches = 2;  // of a tile: it may be encoded on trial, and then again

  RdDecision(const DeviceQueue& queue, const TileGrid& grid, const RdFrameBuffers& buffers, const RdTables& tables);

  void begin_frame() { used_ = 0; }
  // Begins a batch: uploads its tiles.
  void start(const AttemptOrder& order, const SearchEffort& effort, Workers& workers, Stage& stage);
  // Motion search of `count` tiles of the batch from `begin` on, and the texels that they approximate. `queue` may be
  // another one than that of start().
  void search(const DeviceQueue& queue, size_t begin, size_t count, std::span<const MotionVector> global,
              TexelSource texels, Stage& stage);
  // Block coding of the batch's first `count` tiles, by the queue that searched them.
  void decide(const DeviceQueue& queue, size_t count, Stage& stage);
  // The first of the tiles of the latest start().
  size_t first() const { return first_; }
  const cl::Buffer& device_tiles() const { return tiles_.device(); }
  // The texels that the tiles approximate: uchar[sub-blocks of a texture][16].
  const cl::Buffer& texels() const { return buffers_.texels; }
  const cl::Buffer& choices() const { return choices_; }
  void download(size_t count, Stage& stage) const;
  // Vectors and weights of a tile. Valid after DeviceQueue::wait().
  void result(size_t i, EncodedTile& tile) const;

  // The texels that the tiles approximate, at the positions of their sub-blocks. Valid after DeviceQueue::wait().
  std::span<const SubBlockTexels> read_direct_levels(Stage& stage);

 private:
  void find_texels(const DeviceQueue& queue, size_t first, size_t count, TexelSource from, Stage& stage);

  const DeviceQueue& queue_;
  const RdFrameBuffers& buffers_;
  const RdTables& tables_;
  cl::Kernel search_, texels_of_luma_, texels_of_chroma_, texels_of_blocks_, analyse_, decide_;
  MirroredList<texcast_lossy_tile> tiles_;
  size_t used_ = 0, first_ = 0;  // of tiles_, in this frame
  cl::Buffer analysis_, choices_;
  std::vector<SubBlockTexels> host_texels_;  // only if requested
};

}  // namespace texcast::compact
