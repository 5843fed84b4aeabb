// transform_part_decoder.h — reconstructs the transform slices of received frames, and keeps the samples of the
// reference frame, from which they are predicted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "compact/reconstruction_backend.h"
#include "compact/tile_grid.h"
#include "decoding_buffers.h"
#include "decoding_tables.h"
#include "device_memory.h"
#include "device_queue.h"
#include "stage.h"
#include "tile_rows.h"

namespace texcast::compact {

// Samples exist from the first frame on that needs them: one with transform slices, or one for which the host has
// samples. Until then there is no memory for them, and no work. Not thread-safe. Calls in a frame: take_reference(),
// reconstruct() if there are transform slices, and end_frame() once all slices are reconstructed.
class TransformPartDecoder {
 public:
  // The grid can_transform(); it, the queue, the buffers and the tables must outlive the decoder.
  TransformPartDecoder(const DeviceQueue& queue, const TileGrid& grid, const DecodingBuffers& buffers,
                       const DecodingTables& tables);

  // After the buffers' reference texture is up to date. `has_slices`: the frame has transform slices.
  void take_reference(const FrameToReconstruct& frame, bool has_slices, Stage& stage);
  // Reconstructs and fits the first `parts` parts, which are of transform slices.
  void reconstruct(size_t parts, bool has_reference, Stage& stage);
  // Makes the samples of the other slices' parts.
  void end_frame(const SliceRange& of_blocks, Stage& stage);
  // After a frame: waits for its samples, in the layout of SampleLayout. Empty if there are none.
  std::vector<uint8_t> read() const;

 private:
  void make_samples(Stage& stage);
  void sample_tiles(const cl::Buffer& tiles, size_t count, Stage& stage);
  void list_outdated(const FrameToReconstruct& frame, Stage& stage);
  void upload_samples(const FrameToReconstruct& frame, Stage& stage);

  const DeviceQueue& queue_;
  const TileGrid& grid_;
  const DecodingBuffers& buffers_;
  const DecodingTables& tables_;
  cl::Kernel reconstruct_, fit_, sample_tiles_, sample_parts_, take_samples_;
  bool has_samples_ = false;  // of the reference frame
  // Null as long as no frame has needed samples. New samples are those of the frame's transform slices until they are
  // fitted; before them the host's planes lie there.
  cl::Buffer samples_, new_samples_, all_tiles_;
  std::optional<MirroredList<cl_uint>> outdated_, eighths_;  // FrameToReconstruct
  TileRows rows_;                                            // of which the host has samples
};

}  // namespace texcast::compact
