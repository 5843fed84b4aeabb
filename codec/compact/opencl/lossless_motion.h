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
  void begin_frame() { changed_count_ = 0; }
  // Adds changed tiles, of which the texture is being uploaded, to those of the frame. With a reference frame it starts
  // finding their motion candidates.
  void add_changed(std::span<const uint32_t> changed, bool has_reference, Stage& stage);
  std::span<const uint32_t> changed() const { return changed_.host().first(changed_count_); }
  // The candidates of a frame without a reference frame.
  std::span<const MotionCandidates> none();
  // Waits for the candidates of the changed tiles.
  std::span<const MotionCandidates> candidates();
  // Searches the vectors of tiles, which are listed by their numbers, with TEXCAST_SLICE_INTRA if they are intra.
  void search(std::span<const uint32_t> tiles, std::span<const MotionVector> global, Stage& stage);
  // Adds the changed tiles to the index, and their luma to the reference plane. `is_first`: there is no previous frame.
  void keep(bool is_first, Stage& stage);

 private:
  void add(std::span<const uint32_t> changed);
  void find_candidates(size_t first, size_t count, Stage& stage);
  void draw(const cl::Buffer& texture, size_t first, size_t count, const cl::Buffer& plane, Stage& stage);

  const DeviceQueue& queue_;
  LosslessBuffers& buffers_;
  cl::Kernel draw_plane_, find_candidates_, search_, index_sub_blocks_;
  MirroredList<uint32_t> changed_, searched_;
  size_t changed_count_ = 0;
  MirroredList<cl_uint4> found_;
  cl::Event found_all_;  // so far
  cl::Event listed_;     // searched_ is uploaded
  cl::Buffer own_;       // each tile's best candidate
  std::vector<MotionCandidates> candidates_;
};

}  // namespace texcast::compact
