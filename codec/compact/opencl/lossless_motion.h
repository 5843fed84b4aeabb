// lossless_motion.h — motion candidates and motion search of a lossless encoder, and the index of the reference frame's
// sub-blocks.
#pragma once

#include <span>
#include <vector>

#include "compact/encoder_backend.h"
#include "lossless_buffers.h"

namespace texcast::compact {

class LosslessMotion {
 public:
  LosslessMotion(const DeviceQueue& queue, const TileGrid& grid, LosslessBuffers& buffers);

  // Uploads `state`, and waits for it.
  void start(const EncoderState& state);
  // Uploads the list of a frame's changed tiles.
  void upload_changed(std::span<const uint32_t> changed);
  // Returns the candidates of a frame without a reference.
  std::span<const MotionCandidates> none(size_t changed);
  // Waits for the motion candidates of these tiles.
  std::span<const MotionCandidates> candidates(Stage& stage);
  // Searches the vectors of tiles, which are listed by their numbers, with TEXCAST_SLICE_INTRA if they are intra.
  void search(std::span<const uint32_t> tiles, std::span<const MotionVector> global, Stage& stage);
  // Adds the changed tiles to the index, and their luma to the reference plane. `is_first`: there is no previous frame.
  void keep(bool is_first, Stage& stage);

 private:
  void draw(const cl::Buffer& texture, const cl::Buffer& plane, Stage& stage);

  const DeviceQueue& queue_;
  LosslessBuffers& buffers_;
  cl::Kernel draw_plane_, find_candidates_, search_, index_sub_blocks_;
  MirroredList<uint32_t> changed_, searched_;
  size_t changed_count_ = 0;
  MirroredList<cl_uint4> found_;
  cl::Buffer own_;  // each tile's best candidate
  std::vector<MotionCandidates> candidates_;
};

}  // namespace texcast::compact
