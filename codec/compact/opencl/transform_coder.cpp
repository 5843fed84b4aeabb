#include "transform_coder.h"

#include <algorithm>
#include <numeric>

#include "base/ensure.h"
#include "ocl/program.h"

namespace texcast::compact {
namespace {

// Calls `call(first, count)` for the parts of a layout that contain rows of tiles with some of `tiles`.
template <typename Call>
void for_sample_ranges(const TileGrid& grid, const SampleLayout& layout, std::span<const uint32_t> tiles,
                       const Call& call) {
  for_rows(grid, tiles, [&](int first, int last) {
    for (int c = 0; c < kTransformComponents; ++c) {
      const int rows = 4 * grid.component(c).tile_rows();
      const size_t begin = layout.at(c, 0, std::min(first * rows, layout.height(c)));
      const size_t end = layout.at(c, 0, std::min((last + 1) * rows, layout.height(c)));
      if (begin < end) call(begin, end - begin);
    }
  });
}

}  // namespace

TransformCoder::TransformCoder(const DeviceQueue& queue, const TileGrid& grid, const RdFrameBuffers& buffers,
                               const RdTables& tables)
    : queue_(queue),
      grid_(grid),
      buffers_(buffers),
      tables_(queue.device(), grid),
      planes_(queue, grid, buffers, tables),
      decision_(queue, grid, buffers, tables, tables_, planes_),
      symbols_(queue, grid, buffers, tables, tables_),
      decode_blocks_(ocl::build_program(queue.device(), "compact/transform_source.cl", "-DCHANNEL=1"), "decode_blocks"),
      is_transform_(grid.tiles()) {
  numbers_.reserve(grid.tiles());
}

void TransformCoder::start_reference(std::span<const uint8_t> samples, TileLists& lists, Stage& stage) {
  std::vector<uint32_t> all(grid_.tiles());
  std::iota(all.begin(), all.end(), samples.empty() ? 0 : TEXCAST_KEPT_SAMPLES);
  if (!samples.empty()) {
    ENSURE(samples.size() == planes_.layout().samples());
    queue_.upload(decision_.samples(), 0, samples.size(), samples.data(), stage);
  }
  planes_.update(lists, lists.put(queue_, all, stage), decision_.samples(), stage);
  planes_.interpolate(stage);
}

void TransformCoder::keep(const FrameOutcome& outcome, const TileLists& lists, const TileList& coded, Stage& stage) {
  if (coded.count == 0) return;
  const auto recoded = outcome.samples.empty() ? 0 : static_cast<cl_uint>(outcome.recoded.size());
  const TileList own{coded.first, coded.count - recoded};
  planes_.update(lists, own, decision_.samples(), stage);
  if (recoded > 0) {
    upload(outcome.samples, outcome.recoded, stage);
    planes_.update(lists, {own.first + static_cast<cl_int>(own.count), recoded}, decision_.samples(), stage);
  }
  planes_.interpolate(stage);
}

// Overwrites samples of the decision, which have become those of the reference frame already.
void TransformCoder::upload(std::span<const uint8_t> samples, std::span<const uint32_t> tiles, Stage& stage) {
  if (tiles.empty()) return;
  ENSURE(samples.size() == planes_.layout().samples());
  if (!host_samples_) host_samples_.emplace(queue_.device(), queue_.commands(), samples.size());
  auto* const host = static_cast<uint8_t*>(host_samples_->data());
  for_sample_ranges(grid_, planes_.layout(), tiles, [&](size_t first, size_t count) {
    std::copy_n(samples.data() + first, count, host + first);
    queue_.upload(decision_.samples(), first, count, host + first, stage);
  });
}

void TransformCoder::note(const AttemptOrder& order) {
  numbers_.clear();
  for (size_t place = 0; place < order.size(); ++place) {
    const uint32_t tile = order.tile(place).tile;
    is_transform_[tile] = 0;
    if (place >= order.first_transform()) numbers_.push_back(tile);
  }
}

void TransformCoder::start(const AttemptOrder& order, const RdDecision& search, bool has_picture,
                           const RdSymbolCoder& blocks, const cl::Event& blocks_done, size_t most_slice_bytes,
                           Stages& stages, Stage& download) {
  note(order);
  count_ = order.with_transform();
  if (count_ == 0) return queue_.wait_on_device(blocks_done);
  const size_t first = search.first() + order.first_transform();
  if (!has_picture) decode_blocks(search.device_tiles(), first, stages.source);
  const cl::Buffer& texels = has_picture ? search.texels() : texels_;
  decision_.start(search.device_tiles(), first, count_, texels, stages.decision);
  decision_.fit(search.device_tiles(), first, stages.decision);
  symbols_.start({.tiles = search.device_tiles(),
                  .first = first,
                  .count = count_,
                  .texels = texels,
                  .macroblocks = decision_.macroblocks(),
                  .levels = decision_.levels(),
                  .texture = decision_.texture()},
                 blocks.lists(), blocks_done, most_slice_bytes, stages.coding, download);
  decision_.download(download);
}

void TransformCoder::decode_blocks(const cl::Buffer& tiles, size_t first, Stage& stage) {
  if (texels_() == nullptr) texels_ = queue_.memory(buffers_.sub_blocks * sizeof(SubBlockTexels));
  for (const texcast_component& component : buffers_.components) {
    set_arguments(decode_blocks_, component, tiles, static_cast<cl_int>(first), static_cast<cl_uint>(count_),
                  buffers_.texture, texels_);
    queue_.launch(decode_blocks_, count_ * sub_blocks_of_tile(component), stage);
  }
}

std::span<const uint8_t> TransformCoder::read_samples() {
  read_.resize(planes_.layout().samples());
  queue_.commands().enqueueReadBuffer(decision_.samples(), CL_TRUE, 0, read_.size(), read_.data());
  return read_;
}

std::span<const uint8_t> TransformCoder::read_reference() {
  read_reference_.resize(planes_.layout().samples());
  planes_.read(read_reference_);
  return read_reference_;
}

void TransformCoder::result(size_t i, EncodedTile& tile, BackendSlice& slice) {
  is_transform_[numbers_[i]] = symbols_.kept(i) == KeptCoding::transform ? 1 : 0;
  switch (symbols_.kept(i)) {
    case KeptCoding::blocks: return;
    case KeptCoding::transform:
      decision_.result(i, tile);
      symbols_.result(i, tile, slice);
      return;
    case KeptCoding::none:
      tile.symbols = {};
      tile.slices = {};
      return;
  }
}

}  // namespace texcast::compact
