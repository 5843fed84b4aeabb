#include "lossless_motion.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "base/ensure.h"
#include "ocl/program.h"
#include "vector_arguments.h"

namespace texcast::compact {
namespace {

constexpr size_t kSearchItems = 32, kCandidateItems = 64;  // one work-group for each tile

}  // namespace

LosslessMotion::LosslessMotion(const DeviceQueue& queue, const TileGrid& grid, LosslessBuffers& buffers)
    : queue_(queue),
      buffers_(buffers),
      changed_(queue.device(), queue.commands(), grid.tiles()),
      searched_(queue.device(), queue.commands(), grid.tiles()),
      found_(queue.device(), queue.commands(), grid.tiles()),
      own_(queue.memory(grid.tiles() * sizeof(cl_uint))),
      candidates_(grid.tiles()) {
  const cl::Program motion = ocl::build_program(queue.device(), "compact/motion.cl",
                                                "-DCHANNEL=" + std::to_string(buffers.components[0].is_channel()));
  draw_plane_ = cl::Kernel(motion, "draw_plane");
  find_candidates_ = cl::Kernel(motion, "find_candidates");
  search_ = cl::Kernel(motion, "search_vectors");
  index_sub_blocks_ = cl::Kernel(motion, "index_sub_blocks");
}

void LosslessMotion::start(const EncoderState& state) {
  const cl::CommandQueue& commands = queue_.commands();
  Stage stage;
  queue_.clear(buffers_.vectors, candidates_.size() * sizeof(TileVectors), stage);
  for (size_t i = 0; i < buffers_.components.size(); ++i) {
    const LosslessComponent& component = buffers_.components[i];
    const auto entries = state.sub_blocks[i];
    ENSURE(entries.empty() || entries.size_bytes() == component.index_bytes());
    if (entries.empty())
      queue_.clear(component.index, component.index_bytes(), stage);
    else
      queue_.upload(component.index, 0, entries.size_bytes(), entries.data(), stage);
  }
  if (!state.reference.empty()) {
    ENSURE(state.reference.size() <= buffers_.texture_bytes && state.vectors.size() == candidates_.size());
    for (const cl::Buffer& texture : {buffers_.texture, buffers_.reference})
      queue_.upload(texture, 0, state.reference.size(), state.reference.data(), stage);
    queue_.upload(buffers_.vectors, 0, state.vectors.size_bytes(), state.vectors.data(), stage);
    std::vector<uint32_t> all(candidates_.size());
    std::iota(all.begin(), all.end(), 0);
    begin_frame();
    add(all);
    draw(buffers_.reference, 0, changed_count_, buffers_.reference_plane, stage);
  }
  commands.finish();
}

void LosslessMotion::add(std::span<const uint32_t> changed) {
  const std::span<uint32_t> host = changed_.host().subspan(changed_count_, changed.size());
  std::ranges::copy(changed, host.begin());
  queue_.commands().enqueueWriteBuffer(changed_.device(), CL_FALSE, changed_count_ * sizeof(uint32_t),
                                       host.size_bytes(), host.data());
  changed_count_ += changed.size();
}

void LosslessMotion::add_changed(std::span<const uint32_t> changed, bool has_reference, Stage& stage) {
  const size_t first = changed_count_;
  add(changed);
  if (has_reference) find_candidates(first, changed.size(), stage);
  draw(buffers_.texture, first, changed.size(), buffers_.source_plane, stage);
}

void LosslessMotion::find_candidates(size_t first, size_t count, Stage& stage) {
  set_arguments(find_candidates_, buffers_.texture, buffers_.reference, buffers_.components[0].argument,
                changed_.device(), static_cast<cl_int>(first), buffers_.components[0].index, found_.device(), own_,
                cl::Local(2 * kCandidateItems * sizeof(cl_uint2)), cl::Local(2 * kCandidateItems * sizeof(cl_uint)));
  queue_.launch_groups(find_candidates_, count, kCandidateItems, stage);
  queue_.commands().enqueueReadBuffer(found_.device(), CL_FALSE, first * sizeof(cl_uint4), count * sizeof(cl_uint4),
                                      found_.host().data() + first, nullptr, &found_all_);
}

std::span<const MotionCandidates> LosslessMotion::none() {
  const auto candidates = std::span(candidates_).first(changed_count_);
  std::ranges::fill(candidates, MotionCandidates{});
  return candidates;
}

std::span<const MotionCandidates> LosslessMotion::candidates() {
  if (changed_count_ > 0) found_all_.wait();
  for (size_t i = 0; i < changed_count_; ++i) candidates_[i] = unpacked_candidates(found_.host()[i]);
  return std::span(candidates_).first(changed_count_);
}

void LosslessMotion::search(std::span<const uint32_t> tiles, std::span<const MotionVector> global, Stage& stage) {
  if (tiles.empty()) return;
  if (listed_() != nullptr) listed_.wait();
  std::ranges::copy(tiles, searched_.host().begin());
  searched_.upload(queue_.commands(), tiles.size(), &listed_);
  set_arguments(search_, buffers_.texture, buffers_.reference, buffers_.components[0].argument, searched_.device(),
                buffers_.source_plane, buffers_.reference_plane, own_, global_vectors(global),
                static_cast<int>(global.size()), buffers_.vectors, cl::Local(16 * sizeof(cl_int2)),
                cl::Local(kSearchItems * sizeof(cl_int)));
  queue_.launch_groups(search_, tiles.size(), kSearchItems, stage);
  queue_.commands().flush();  // the caller prepares what comes next
}

void LosslessMotion::keep(bool is_first, Stage& stage) {
  for (const LosslessComponent& component : buffers_.components)
    for (const int empties : {1, 0}) {
      set_arguments(index_sub_blocks_, buffers_.texture, buffers_.reference, component.argument, changed_.device(),
                    static_cast<cl_uint>(changed_count_), static_cast<int>(is_first), empties, component.index);
      queue_.launch(index_sub_blocks_, changed_count_ * component.sub_blocks, stage);
    }
  draw(buffers_.texture, 0, changed_count_, buffers_.reference_plane, stage);
}

// Draws the luma of some changed tiles.
void LosslessMotion::draw(const cl::Buffer& texture, size_t first, size_t count, const cl::Buffer& plane,
                          Stage& stage) {
  const LosslessComponent& component = buffers_.components[0];
  set_arguments(draw_plane_, texture, component.argument, changed_.device(), static_cast<cl_int>(first),
                static_cast<cl_uint>(count), plane);
  queue_.launch(draw_plane_, count * component.sub_blocks, stage);
}

}  // namespace texcast::compact
