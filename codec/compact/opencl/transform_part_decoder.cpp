#include "transform_part_decoder.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/ensure.h"
#include "compact/sample_planes.h"
#include "compact/transform_syntax.h"
#include "kernels/compact.h"
#include "ocl/program.h"

namespace texcast::compact {

TransformPartDecoder::TransformPartDecoder(const DeviceQueue& queue, const TileGrid& grid,
                                           const DecodingBuffers& buffers, const DecodingTables& tables)
    : queue_(queue), grid_(grid), buffers_(buffers), tables_(tables), rows_(grid) {
  // Kernels find a component's plane by its first sub-block.
  const SampleLayout layout(grid);
  for (int c = 0; c < kTransformComponents; ++c) ENSURE(layout.offset(c) == 2 * grid.component(c).offset);
  const cl::Program program = ocl::build_program(queue.device(), "compact/reconstruct_transform.cl", "-DCHANNEL=1");
  reconstruct_ = cl::Kernel(program, "reconstruct_transform");
  fit_ = cl::Kernel(program, "fit_transform");
  sample_tiles_ = cl::Kernel(program, "sample_tiles");
  sample_parts_ = cl::Kernel(program, "sample_parts");
  take_samples_ = cl::Kernel(program, "take_samples");
}

void TransformPartDecoder::take_reference(const FrameToReconstruct& frame, bool has_slices, Stage& stage) {
  const bool has_reference = !frame.reference.empty();
  if (!has_reference) has_samples_ = false;  // the texture is 0 everywhere
  const bool has_host_samples = has_reference && !frame.samples.empty();
  if (!has_samples_ && !has_slices && !has_host_samples) return;
  if (!has_samples_) make_samples(stage);
  if (has_reference && !frame.outdated.empty()) {
    list_outdated(frame, stage);
    if (has_host_samples)
      upload_samples(frame, stage);
    else
      sample_tiles(outdated_->device(), frame.outdated.size(), stage);
  }
}

// Those of the reference frame's sub-blocks.
void TransformPartDecoder::make_samples(Stage& stage) {
  if (samples_() == nullptr) {
    std::vector<cl_uint> all(grid_.tiles());
    std::iota(all.begin(), all.end(), 0u);
    all_tiles_ = constant_buffer(queue_.device(), all);
    outdated_.emplace(queue_.device(), queue_.commands(), all.size());
    eighths_.emplace(queue_.device(), queue_.commands(), all.size());
    new_samples_ = queue_.memory(2 * grid_.texture_bytes());
    samples_ = queue_.memory(2 * grid_.texture_bytes());
  }
  sample_tiles(all_tiles_, grid_.tiles(), stage);
  has_samples_ = true;
}

void TransformPartDecoder::sample_tiles(const cl::Buffer& tiles, size_t count, Stage& stage) {
  set_arguments(sample_tiles_, tiles, tables_.descriptions, buffers_.reference, samples_);
  queue_.launch_groups(sample_tiles_, count, TEXCAST_SAMPLES_ITEMS, stage);
}

void TransformPartDecoder::list_outdated(const FrameToReconstruct& frame, Stage& stage) {
  const size_t count = frame.outdated.size();
  ENSURE(count <= grid_.tiles());
  rows_.clear();
  for (size_t i = 0; i < count; ++i) {
    outdated_->host()[i] = frame.outdated[i];
    eighths_->host()[i] = i < frame.outdated_parts.size() ? frame.outdated_parts[i] : 0;
    if (eighths_->host()[i] != 0) rows_.mark(frame.outdated[i]);
  }
  outdated_->upload(queue_.commands(), count, queue_.event(stage));
  eighths_->upload(queue_.commands(), count, queue_.event(stage));
}

// They become those of the outdated parts.
void TransformPartDecoder::upload_samples(const FrameToReconstruct& frame, Stage& stage) {
  const SampleLayout layout(grid_);
  ENSURE(frame.samples.size() == layout.samples());
  rows_.for_ranges([&](int begin, int end) {
    for (int c = 0; c < kTransformComponents; ++c) {
      const Component& component = grid_.component(c);
      const size_t from = layout.at(c, 0, 4 * TileRows::first_sub_block(component, begin));
      const size_t to = layout.at(c, 0, 4 * TileRows::first_sub_block(component, end));
      if (from < to) queue_.upload(new_samples_, from, to - from, frame.samples.data() + from, stage);
    }
  });
  set_arguments(take_samples_, outdated_->device(), eighths_->device(), tables_.descriptions, new_samples_, samples_);
  queue_.launch_groups(take_samples_, frame.outdated.size(), TEXCAST_SAMPLES_ITEMS, stage);
}

void TransformPartDecoder::reconstruct(size_t parts, bool has_reference, Stage& stage) {
  if (parts == 0) return;
  set_arguments(reconstruct_, samples_, tables_.descriptions, buffers_.parts, buffers_.macroblocks, buffers_.levels,
                buffers_.right.device(), new_samples_, buffers_.results.device(),
                cl::Local(sizeof(texcast_transform_group)));
  queue_.launch_groups(reconstruct_, parts, TEXCAST_TRANSFORM_DECODE_ITEMS, stage);
  set_arguments(fit_, buffers_.reference, tables_.descriptions, buffers_.parts, buffers_.macroblocks, new_samples_,
                static_cast<cl_int>(has_reference), buffers_.reconstruction, samples_, buffers_.results.device(),
                cl::Local(sizeof(texcast_fit_group)));
  queue_.launch_groups(fit_, parts, TEXCAST_FIT_ITEMS, stage);
}

// The device has the 16 samples of each sub-block together (cl_kernels/compact/reference_samples.cl).
std::vector<uint8_t> TransformPartDecoder::read() const {
  std::vector<uint8_t> samples;
  if (!has_samples_) return samples;
  const SampleLayout layout(grid_);
  samples.resize(layout.samples());
  std::vector<uint8_t> of_device(samples.size());
  queue_.commands().enqueueReadBuffer(samples_, CL_TRUE, 0, of_device.size(), of_device.data());
  for (int c = 0; c < kTransformComponents; ++c) {
    const uint8_t* from = of_device.data() + layout.offset(c);
    for (int y = 0; y < layout.height(c); y += 4)
      for (int x = 0; x < layout.width(c); x += 4)
        for (int row = 0; row < 4; ++row, from += 4) std::copy_n(from, 4, &samples[layout.at(c, x, y + row)]);
  }
  return samples;
}

void TransformPartDecoder::end_frame(const SliceRange& of_blocks, Stage& stage) {
  if (!has_samples_ || of_blocks.parts == 0) return;
  set_arguments(sample_parts_, static_cast<cl_int>(of_blocks.first_part), buffers_.parts, tables_.descriptions,
                buffers_.reconstruction, samples_);
  queue_.launch_groups(sample_parts_, of_blocks.parts, TEXCAST_SAMPLES_ITEMS, stage);
}

}  // namespace texcast::compact
