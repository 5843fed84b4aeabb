#include "compact/opencl_reconstruction_backend.h"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <optional>
#include <vector>

#include "base/ensure.h"
#include "base/log.h"
#include "compact/opencl_lossless_backend.h"
#include "decoding_buffers.h"
#include "decoding_tables.h"
#include "device_memory.h"
#include "device_queue.h"
#include "kernels/compact.h"
#include "ocl/program.h"
#include "tile_rows.h"
#include "transform_part_decoder.h"

namespace texcast::compact {
namespace {

class ReconstructionByOpenCl final : public OpenClReconstructionBackend {
 public:
  ReconstructionByOpenCl(const ocl::Device& device, const TileGrid& grid, bool has_times)
      : grid_(grid),
        queue_(device, has_times),
        tables_(device, grid),
        most_slices_(size_t{grid.tiles()} * static_cast<size_t>(grid.most_sub_slices())),
        buffers_(queue_, grid, most_slices_),
        host_reconstruction_(device, queue_.commands(), grid.texture_bytes()),
        rows_(grid),
        check_bytes_(sizeof(cl_ulong) * std::reduce(tables_.sub_blocks.begin(), tables_.sub_blocks.end(), size_t{0})) {
    const cl::Program program = ocl::build_program(device, "compact/decode.cl", "-DCHANNEL=1");
    parse_ = cl::Kernel(program, "parse_slices");
    reconstruct_ = cl::Kernel(program, "reconstruct");
    check_ = cl::Kernel(program, "check_slices");
    if (grid.can_transform()) transform_.emplace(queue_, grid_, buffers_, tables_);
    order_.reserve(most_slices_);
    results_of_frame_.reserve(most_slices_);
  }

  void begin(const FrameToReconstruct& frame) override {
    ENSURE(frame.slices.size() <= most_slices_);
    ENSURE(frame.reference.empty() || frame.reference.size() == grid_.texture_bytes());
    times_ = {};
    slice_count_ = frame.slices.size();
    guarded([&] {
      queue_.wait();
      list_slices(frame.slices);
      take_reference(frame);
      if (transform_) transform_->take_reference(frame, of_transform_.count > 0, times_.upload);
      if (slice_count_ > 0) {
        std::ranges::copy(frame.right, buffers_.right.host().begin());
        buffers_.right.upload(queue_.commands(), grid_.tiles(), queue_.event(times_.upload));
        buffers_.slices.upload(queue_.commands(), slice_count_, queue_.event(times_.upload));
        buffers_.words->upload(queue_.commands(), word_count_, queue_.event(times_.upload));
        launch(!frame.reference.empty());
        buffers_.results.download(queue_.commands(), slice_count_, queue_.event(times_.download));
        for_texture_rows(
            frame.slices, [](const SliceToReconstruct& slice) { return slice.slice.tile; },
            [&](size_t at, size_t bytes) {
              queue_.download(buffers_.reconstruction, at, bytes,
                              static_cast<std::byte*>(host_reconstruction_.data()) + at, times_.download);
            });
      }
      queue_.send();
    });
  }

  ReconstructedFrame result() override {
    guarded([&] { queue_.wait(); });
    results_of_frame_.resize(slice_count_);
    for (size_t i = 0; i < slice_count_; ++i) {
      const texcast_decoded_slice& slice = buffers_.results.host()[i];
      results_of_frame_[order_[i]] = {.decoded = (slice.flags & TEXCAST_DECODED_VALID) != 0,
                                      .refers_right = (slice.flags & TEXCAST_DECODED_INVALID_REFERENCE) == 0,
                                      .changed = (slice.flags & TEXCAST_DECODED_CHANGED) != 0,
                                      .check = slice.check};
    }
    return {.slices = results_of_frame_,
            .texture = {static_cast<const std::byte*>(host_reconstruction_.data()), grid_.texture_bytes()}};
  }

  std::span<const uint8_t> samples() override {
    if (transform_) guarded([&] { host_samples_ = transform_->read(); });
    return host_samples_;
  }

  ReconstructionBackendTimes times() const override {
    ReconstructionBackendTimes times;
    ocl::guarded(queue_.device(), [&] {
      queue_.wait();
      times = {.upload = times_.upload.time(),
               .symbols = times_.parsing.time(),
               .halves = times_.reconstruction.time(),
               .checks = times_.checks.time(),
               .download = times_.download.time()};
    });
    return times;
  }

 private:
  static constexpr size_t kCheckItems = 32;
  struct Stages {
    Stage upload, parsing, reconstruction, checks, download;
  };

  template <typename Call>
  void guarded(const Call& call) {
    ocl::guarded(queue_.device(), call);
  }

  // Stores the slices' bytes one after the other, each beginning at a whole word; first the transform slices.
  void list_slices(std::span<const SliceToReconstruct> slices) {
    size_t words = 0;
    for (const SliceToReconstruct& slice : slices) words += (slice.bytes.size() + 1) / 2;
    if (words > buffers_.words->host().size()) buffers_.words.emplace(queue_.device(), queue_.commands(), 2 * words);
    word_count_ = 0;
    order_.clear();
    of_transform_ = list_kind(slices, true, {});
    of_blocks_ = list_kind(slices, false, {.first = of_transform_.count, .first_part = of_transform_.parts});
    ENSURE(of_transform_.parts + of_blocks_.parts <= most_slices_);
  }
  // Those of one kind. Returns `range` with their numbers.
  SliceRange list_kind(std::span<const SliceToReconstruct> slices, bool of_transform, SliceRange range) {
    auto* const to = reinterpret_cast<std::byte*>(buffers_.words->host().data());
    for (size_t i = 0; i < slices.size(); ++i) {
      const auto& [slice, intra, bytes, is_transform] = slices[i];
      // The parser of block-coded slices refuses transform slices of other grids.
      if ((is_transform && grid_.can_transform()) != of_transform) continue;
      buffers_.slices.host()[range.first + range.count] = {
          .tile = static_cast<cl_int>(slice.tile),
          .tiles = slice.tiles,
          .sub_slices = slice.sub_slices,
          .sub_slice = slice.sub_slice,
          .intra = intra,
          .first_word = static_cast<cl_uint>(word_count_),
          .bytes = static_cast<cl_uint>(bytes.size()),
          .first_part = static_cast<cl_int>(range.first_part + range.parts)};
      std::ranges::copy(bytes, to + word_count_ * sizeof(uint16_t));
      word_count_ += (bytes.size() + 1) / 2;
      order_.push_back(i);
      ++range.count;
      range.parts += slice.tiles;
    }
    return range;
  }

  // The latest reconstruction becomes the reference, except in tiles that the CPU decoded.
  void take_reference(const FrameToReconstruct& frame) {
    std::swap(buffers_.reference, buffers_.reconstruction);
    if (frame.reference.empty()) {
      for (const cl::Buffer& texture : {buffers_.reference, buffers_.reconstruction})
        queue_.clear(texture, grid_.texture_bytes(), times_.upload);
      return;
    }
    for_texture_rows(
        frame.outdated, [](uint32_t tile) { return tile; },
        [&](size_t at, size_t bytes) {
          queue_.upload(buffers_.reference, at, bytes, frame.reference.data() + at, times_.upload);
        });
    queue_.commands().enqueueCopyBuffer(buffers_.reference, buffers_.reconstruction, 0, 0, grid_.texture_bytes(),
                                        nullptr, queue_.event(times_.upload));
  }

  void launch(bool has_reference) {
    buffers_.make_transform_room(queue_, of_transform_.parts);
    set_arguments(parse_, buffers_.words->device(), buffers_.slices.device(), static_cast<cl_int>(of_transform_.count),
                  tables_.descriptions, tables_.components, tables_.buckets, tables_.starts, tables_.sets,
                  tables_.transform_buckets, tables_.transform_starts, buffers_.parts, buffers_.symbols,
                  buffers_.macroblocks, buffers_.levels, buffers_.results.device(),
                  cl::Local(sizeof(texcast_block_parser)), cl::Local(sizeof(texcast_transform_parser)));
    queue_.launch_groups(parse_, slice_count_, 1, times_.parsing);
    if (transform_) transform_->reconstruct(of_transform_.parts, has_reference, times_.reconstruction);
    reconstruct_block_slices(has_reference);
    if (transform_) transform_->end_frame(of_blocks_, times_.reconstruction);
    set_arguments(check_, buffers_.reconstruction, buffers_.slices.device(), tables_.descriptions, tables_.components,
                  buffers_.results.device(), cl::Local(check_bytes_));
    queue_.launch_groups(check_, slice_count_, kCheckItems, times_.checks);
  }
  void reconstruct_block_slices(bool has_reference) {
    if (of_blocks_.count == 0) return;
    for (cl_int number = 0; number < tables_.components; ++number) {
      set_arguments(reconstruct_, static_cast<cl_int>(of_blocks_.first_part), buffers_.reference, tables_.descriptions,
                    number, buffers_.parts, buffers_.symbols, buffers_.right.device(),
                    static_cast<cl_int>(has_reference), buffers_.reconstruction, buffers_.results.device());
      queue_.launch_groups(reconstruct_, of_blocks_.parts, tables_.sub_blocks[static_cast<size_t>(number)],
                           times_.reconstruction);
    }
  }

  // Calls `call(first byte, bytes)` for the rows of tiles in which slices of `list` begin, plane by plane.
  template <typename List, typename TileOf, typename Call>
  void for_texture_rows(const List& list, const TileOf& tile_of, const Call& call) {
    rows_.clear();
    for (const auto& of : list) rows_.mark(tile_of(of));
    rows_.for_ranges([&](int begin, int end) {
      for (int c = 0; c < grid_.component_count(); ++c) {
        const Component& component = grid_.component(c);
        const size_t from = component.at(0, TileRows::first_sub_block(component, begin));
        const size_t to = component.at(0, TileRows::first_sub_block(component, end));
        if (from < to) call(from, to - from);
      }
    });
  }

  const TileGrid grid_;
  DeviceQueue queue_;
  const DecodingTables tables_;
  const size_t most_slices_;
  DecodingBuffers buffers_;
  cl::Kernel parse_, reconstruct_, check_;
  std::optional<TransformPartDecoder> transform_;  // if the grid can_transform()
  PinnedBytes host_reconstruction_;
  size_t slice_count_ = 0, word_count_ = 0;  // of the frame
  SliceRange of_transform_, of_blocks_;
  std::vector<size_t> order_;  // of the device's slices: their places in the frame
  std::vector<ReconstructedSlice> results_of_frame_;
  std::vector<uint8_t> host_samples_;  // read last
  TileRows rows_;                      // that are transferred
  const size_t check_bytes_;           // of local memory
  Stages times_;
};

}  // namespace

std::unique_ptr<OpenClReconstructionBackend> make_opencl_reconstruction_backend(const DeviceInfo& device,
                                                                                const TileGrid& grid, bool has_times) {
  ENSURE(grid.has_planes_of_channels());
  const ocl::Device opened(device);
  std::unique_ptr<OpenClReconstructionBackend> backend;
  ocl::guarded(opened, [&] { backend = std::make_unique<ReconstructionByOpenCl>(opened, grid, has_times); });
  return backend;
}

std::unique_ptr<ReconstructionBackend> usual_reconstruction_backend(const std::string& selectors,
                                                                    const TextureDesc& texture) {
  if (!TileGrid::can_be_lossy(texture.format)) return nullptr;
  const TileGrid grid(texture);
  if (!grid.has_planes_of_channels() || grid.tiles() < kLeastTilesForBackend) return nullptr;
  const auto device = usual_device(selectors);
  if (!device) return nullptr;
  auto rebuilder = make_opencl_reconstruction_backend(*device, grid);
  // Logged only once: anybody can send streams that start again and again.
  static std::atomic<bool> said = false;
  if (!said.exchange(true)) log_info("{} decodes coded streams", device->name);
  return rebuilder;
}

}  // namespace texcast::compact
