// transform_decision.h — mode decision and reconstruction of tiles by transform coding (MacroblockDecision with
// MacroblockEffort::usual).
#pragma once

#include "compact/encoder_backend.h"
#include "rd_frame_buffers.h"
#include "rd_tables.h"
#include "transform_planes.h"
#include "transform_tables.h"

namespace texcast::compact {

// How the kernel that decides macroblocks is compiled; the results are the same.
struct TransformForm {
  int items = 32;      // of a work-group, which decides a tile: 32, 64 or 128
  int registers = 64;  // of an item, at most, if stages::limits_registers(); 0: the compiler's choice
};

// The grid can_transform(). Results of a batch are valid on the device until the next start().
class TransformDecision {
 public:
  // All are borrowed. `planes`: of the reference frame; they are used if a tile is inter.
  TransformDecision(const DeviceQueue& queue, const TileGrid& grid, const RdFrameBuffers& buffers,
                    const RdTables& tables, const TransformTables& transform_tables, const TransformPlanes& planes,
                    const TransformForm& form = {});

  // Decides the macroblocks of `count` tiles of a list on the device (RdDecision::device_tiles()), from the tile at
  // `first` on. They have their vectors and lambda weights already. `texels`: RdDecision::texels().
  void start(const cl::Buffer& tiles, size_t first, size_t count, const cl::Buffer& texels, Stage& stage);
  // Makes the blocks of the same tiles.
  void fit(const cl::Buffer& tiles, size_t first, Stage& stage);

  // The samples of the tiles, in the layout of SampleLayout. Those of other tiles are kept.
  const cl::Buffer& samples() const { return samples_; }
  // A buffer as large as the textures, in ulong: the blocks, at the positions of the tiles' sub-blocks.
  const cl::Buffer& texture() const { return texture_; }
  // texcast_macroblock[slot][TEXCAST_MACROBLOCKS], four in a row. The slot is the tile's place from `first` on.
  // Those outside of the picture are 0.
  const cl::Buffer& macroblocks() const { return macroblocks_.device(); }
  // short[slot][TEXCAST_MACROBLOCKS][TEXCAST_TRANSFORM_BLOCKS][TEXCAST_COEFFICIENTS]: transform block
  // 4 * component + i, row by row. Only blocks with a bit in texcast_macroblock::coded are valid.
  const cl::Buffer& levels() const { return levels_; }

  // Downloads the macroblocks of the latest start().
  void download(Stage& stage) const;
  // Sets the macroblocks' vectors of the tile in slot `i`, and which of them are intra. Valid after
  // DeviceQueue::wait().
  void result(size_t i, EncodedTile& tile) const;

 private:
  const DeviceQueue& queue_;
  const RdFrameBuffers& buffers_;
  const RdTables& tables_;
  const TransformTables& transform_tables_;
  const TransformPlanes& planes_;
  const size_t items_, group_bytes_;  // of a work-group; the bytes are its local memory
  cl::Kernel decide_, fit_;
  cl::Buffer samples_, texture_, levels_;
  cl::Buffer trials_;  // what intra trials keep until one of them is chosen
  MirroredList<texcast_macroblock> macroblocks_;
  size_t count_ = 0;  // of the latest start()
};

}  // namespace texcast::compact
