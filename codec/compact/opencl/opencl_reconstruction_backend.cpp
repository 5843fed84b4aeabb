#include "compact/opencl_reconstruction_backend.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <vector>

#include "base/ensure.h"
#include "base/log.h"
#include "compact/opencl_lossless_backend.h"
#include "component_argument.h"
#include "device_memory.h"
#include "device_queue.h"
#include "kernels/compact.h"
#include "ocl/program.h"

namespace texcast::compact {
namespace {

static_assert(sizeof(texcast_decoded_component) == 24 * 4 && sizeof(texcast_slice_to_decode) == 8 * 4 &&
              sizeof(texcast_decoded_part) == 24 * 4 && sizeof(texcast_decoded_slice) == 2 * 4);
constexpr size_t kFirstWords = size_t{1} << 18;  // of all slices; grows if there are more

// Constants for the kernels.
struct DecodingTables {
  DecodingTables(const ocl::Device& device, const TileGrid& grid) {
    const ReconstructionTables tables = reconstruction_tables(grid);
    sets = static_cast<cl_int>(tables.sets);
    std::vector<texcast_decoded_component> of_components;
    for (int i = 0; i < grid.component_count(); ++i) {
      const ReconstructionTables::OfComponent& of = tables.components[static_cast<size_t>(i)];
      texcast_decoded_component component{
          .component = component_argument(grid, grid.component(i)), .tables = of.set, .least_range = {}};
      std::ranges::copy(of.least_range, component.least_range);
      of_components.push_back(component);
      sub_blocks.push_back(static_cast<size_t>(component.component.tile_columns * component.component.tile_rows));
      ENSURE(sub_blocks.back() <= TEXCAST_DECODE_ITEMS);
    }
    components = constant_buffer(device, of_components);
    buckets = constant_buffer(device, tables.buckets);
    starts = constant_buffer(device, tables.starts);
  }
  cl_int sets = 0;
  cl::Buffer components, buckets, starts;
  std::vector<size_t> sub_blocks;  // in a tile of each component
};

class ReconstructionByOpenCl final : public OpenClReconstructionBackend {
 public:
  ReconstructionByOpenCl(const ocl::Device& device, const TileGrid& grid)
      : grid_(grid),
        queue_(device),
        tables_(device, grid),
        most_slices_(size_t{grid.tiles()} * static_cast<size_t>(grid.most_sub_slices())),
        reference_(queue_.memory(grid.texture_bytes())),
        reconstruction_(queue_.memory(grid.texture_bytes())),
        symbols_(queue_.memory(grid.texture_bytes() / 8 * sizeof(cl_uint4))),
        parts_(queue_.memory(most_slices_ * sizeof(texcast_decoded_part))),
        host_reconstruction_(device, queue_.commands(), grid.texture_bytes()),
        slices_(device, queue_.commands(), most_slices_),
        results_(device, queue_.commands(), most_slices_),
        right_(device, queue_.commands(), grid.tiles()) {
    words_.emplace(device, queue_.commands(), kFirstWords);
    const cl::Program program = ocl::build_program(device, "compact/decode.cl", "-DCHANNEL=1");
    parse_ = cl::Kernel(program, "parse_slices");
    reconstruct_ = cl::Kernel(program, "reconstruct");
    check_ = cl::Kernel(program, "check_slices");
    results_of_frame_.reserve(most_slices_);
    has_row_.resize(static_cast<size_t>(grid_.down()));
  }

  void begin(const FrameToReconstruct& frame) override {
    ENSURE(frame.slices.size() <= most_slices_);
    ENSURE(frame.reference.empty() || frame.reference.size() == grid_.texture_bytes());
    times_ = {};
    slice_count_ = frame.slices.size();
    guarded([&] {
      queue_.wait();
      const size_t parts = list_slices(frame.slices);
      take_reference(frame);
      if (slice_count_ > 0) {
        std::ranges::copy(frame.right, right_.host().begin());
        right_.upload(queue_.commands(), grid_.tiles(), times_.upload.next());
        slices_.upload(queue_.commands(), slice_count_, times_.upload.next());
        words_->upload(queue_.commands(), word_count_, times_.upload.next());
        launch(parts, !frame.reference.empty());
        results_.download(queue_.commands(), slice_count_, times_.download.next());
        for_texture_rows(
            frame.slices, [](const SliceToReconstruct& slice) { return slice.slice.tile; },
            [&](size_t at, size_t bytes) {
              queue_.download(reconstruction_, at, bytes, static_cast<std::byte*>(host_reconstruction_.data()) + at,
                              times_.download);
            });
      }
      queue_.send();
    });
  }

  ReconstructedFrame result() override {
    guarded([&] { queue_.wait(); });
    results_of_frame_.clear();
    for (const texcast_decoded_slice& slice : results_.host().first(slice_count_))
      results_of_frame_.push_back({.decoded = (slice.flags & TEXCAST_DECODED_VALID) != 0,
                                   .refers_right = (slice.flags & TEXCAST_DECODED_INVALID_REFERENCE) == 0,
                                   .changed = (slice.flags & TEXCAST_DECODED_CHANGED) != 0,
                                   .check = slice.check});
    return {.slices = results_of_frame_,
            .texture = {static_cast<const std::byte*>(host_reconstruction_.data()), grid_.texture_bytes()}};
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
  struct Stages {
    Stage upload, parsing, reconstruction, checks, download;
  };

  template <typename Call>
  void guarded(const Call& call) {
    ocl::guarded(queue_.device(), call);
  }

  // Stores the slices' bytes one after the other, each beginning at a whole word. Returns the number of tiles and
  // sub-slices.
  size_t list_slices(std::span<const SliceToReconstruct> slices) {
    size_t words = 0, parts = 0;
    for (const SliceToReconstruct& slice : slices) words += (slice.bytes.size() + 1) / 2;
    if (words > words_->host().size()) words_.emplace(queue_.device(), queue_.commands(), 2 * words);
    word_count_ = 0;
    auto* const to = reinterpret_cast<std::byte*>(words_->host().data());
    for (size_t i = 0; i < slices.size(); ++i) {
      const auto& [slice, intra, bytes] = slices[i];
      slices_.host()[i] = {.tile = static_cast<cl_int>(slice.tile),
                           .tiles = slice.tiles,
                           .sub_slices = slice.sub_slices,
                           .sub_slice = slice.sub_slice,
                           .intra = intra,
                           .first_word = static_cast<cl_uint>(word_count_),
                           .bytes = static_cast<cl_uint>(bytes.size()),
                           .first_part = static_cast<cl_int>(parts)};
      std::ranges::copy(bytes, to + word_count_ * sizeof(uint16_t));
      word_count_ += (bytes.size() + 1) / 2;
      parts += slice.tiles;
    }
    ENSURE(parts <= most_slices_);
    return parts;
  }

  // The latest reconstruction becomes the reference, except in tiles that the CPU decoded.
  void take_reference(const FrameToReconstruct& frame) {
    std::swap(reference_, reconstruction_);
    if (frame.reference.empty()) {
      for (const cl::Buffer& texture : {reference_, reconstruction_})
        queue_.clear(texture, grid_.texture_bytes(), times_.upload);
      return;
    }
    for_texture_rows(
        frame.outdated, [](uint32_t tile) { return tile; },
        [&](size_t at, size_t bytes) {
          queue_.upload(reference_, at, bytes, frame.reference.data() + at, times_.upload);
        });
    queue_.commands().enqueueCopyBuffer(reference_, reconstruction_, 0, 0, grid_.texture_bytes(), nullptr,
                                        times_.upload.next());
  }

  void launch(size_t parts, bool has_reference) {
    const auto count = static_cast<cl_int>(grid_.component_count());
    set_arguments(parse_, words_->device(), slices_.device(), tables_.components, count, tables_.buckets,
                  tables_.starts, tables_.sets, parts_, symbols_, results_.device());
    queue_.launch_groups(parse_, slice_count_, 1, times_.parsing);
    for (cl_int number = 0; number < count; ++number) {
      set_arguments(reconstruct_, reference_, tables_.components, number, parts_, symbols_, right_.device(),
                    static_cast<cl_int>(has_reference), reconstruction_, results_.device());
      queue_.launch_groups(reconstruct_, parts, tables_.sub_blocks[static_cast<size_t>(number)], times_.reconstruction);
    }
    set_arguments(check_, reconstruction_, slices_.device(), tables_.components, count, results_.device());
    queue_.launch_groups(check_, slice_count_, 1, times_.checks);
  }

  // Calls `call(first byte, bytes)` for the rows of tiles in which slices of `list` begin, plane by plane.
  template <typename List, typename TileOf, typename Call>
  void for_texture_rows(const List& list, const TileOf& tile_of, const Call& call) {
    std::ranges::fill(has_row_, uint8_t{0});
    for (const auto& of : list) has_row_[tile_of(of) / static_cast<uint32_t>(grid_.across())] = 1;
    for (auto row = has_row_.begin(); row != has_row_.end();) {
      const auto begin = std::find(row, has_row_.end(), 1);
      row = std::find(begin, has_row_.end(), 0);
      for (int c = 0; c < grid_.component_count(); ++c) {
        const Component& component = grid_.component(c);
        const auto at = [&](auto of) {
          const auto first = static_cast<int>(of - has_row_.begin()) * component.tile_rows();
          return component.at(0, std::min(first, component.blocks_y));
        };
        if (at(begin) < at(row)) call(at(begin), at(row) - at(begin));
      }
    }
  }

  const TileGrid grid_;
  DeviceQueue queue_;
  const DecodingTables tables_;
  const size_t most_slices_;
  cl::Kernel parse_, reconstruct_, check_;
  cl::Buffer reference_, reconstruction_, symbols_, parts_;
  PinnedBytes host_reconstruction_;
  MirroredList<texcast_slice_to_decode> slices_;
  MirroredList<texcast_decoded_slice> results_;
  MirroredList<uint8_t> right_;
  std::optional<MirroredList<uint16_t>> words_;  // of all slices
  size_t slice_count_ = 0, word_count_ = 0;      // of the frame
  std::vector<ReconstructedSlice> results_of_frame_;
  std::vector<uint8_t> has_row_;  // of tiles
  Stages times_;
};

}  // namespace

std::unique_ptr<OpenClReconstructionBackend> make_opencl_reconstruction_backend(const DeviceInfo& device,
                                                                                const TileGrid& grid) {
  ENSURE(grid.has_planes_of_channels());
  const ocl::Device opened(device);
  std::unique_ptr<OpenClReconstructionBackend> backend;
  ocl::guarded(opened, [&] { backend = std::make_unique<ReconstructionByOpenCl>(opened, grid); });
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
