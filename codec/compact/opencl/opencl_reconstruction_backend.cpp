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
#include "kernels/compact.h"
#include "ocl/program.h"
#include "stage.h"

namespace texcast::compact {
namespace {

using compact::ReconstructedSlice;
using compact::ReconstructionTables;
using compact::Slice;
using compact::SliceToReconstruct;
using compact::TileGrid;

static_assert(sizeof(texcast_rebuilt_component) == 24 * 4 && sizeof(texcast_unit_to_rebuild) == 8 * 4 &&
              sizeof(texcast_rebuilt_part) == 24 * 4 && sizeof(texcast_rebuilt_unit) == 2 * 4);
constexpr size_t kFirstWords = size_t{1} << 18;  // of all units; more where they come

class Rebuilder final : public OpenClReconstructionBackend {
 public:
  Rebuilder(const ocl::Device& device, const TileGrid& grid)
      : device_(device),
        grid_(grid),
        queue_(device.make_queue()),
        most_units_(size_t{grid.tiles()} * static_cast<size_t>(grid.most_sub_slices())),
        made_(device, queue_, grid.texture_bytes()),
        slices_(device, queue_, most_units_),
        results_(device, queue_, most_units_),
        right_(device, queue_, grid.tiles()) {
    const auto memory = [&](size_t bytes) { return cl::Buffer(device_.context(), CL_MEM_READ_WRITE, bytes); };
    before_ = memory(grid.texture_bytes());
    now_ = memory(grid.texture_bytes());
    symbols_ = memory(grid.texture_bytes() / 8 * sizeof(cl_uint4));
    parts_ = memory(most_units_ * sizeof(texcast_rebuilt_part));
    words_.emplace(device_, queue_, kFirstWords);
    const ReconstructionTables tables = compact::reconstruction_tables(grid_);
    table_sets_ = static_cast<cl_int>(tables.sets);
    std::vector<texcast_rebuilt_component> components;
    for (int i = 0; i < grid_.component_count(); ++i) {
      const ReconstructionTables::OfComponent& of = tables.components[static_cast<size_t>(i)];
      texcast_rebuilt_component component{
          .component = component_argument(grid_, grid_.component(i)), .tables = of.set, .least_range = {}};
      std::ranges::copy(of.least_range, component.least_range);
      components.push_back(component);
      group_items_.push_back(static_cast<size_t>(component.component.tile_columns * component.component.tile_rows));
      ENSURE(group_items_.back() <= TEXCAST_REBUILD_ITEMS);
    }
    components_ = constant_buffer(device_, components);
    buckets_ = constant_buffer(device_, tables.buckets);
    starts_ = constant_buffer(device_, tables.starts);
    const cl::Program program = ocl::build_program(device_, "compact/rebuild.cl", "-DCHANNEL=1");
    parse_ = cl::Kernel(program, "parse_units");
    rebuild_ = cl::Kernel(program, "rebuild_halves");
    check_ = cl::Kernel(program, "check_units");
    rebuilt_.reserve(most_units_);
    has_row_.resize(static_cast<size_t>(grid_.down()));
  }
  // Who gave the frame may take its memory back.
  ~Rebuilder() override {
    try {
      wait();
    } catch (const cl::Error&) {
      // the device is lost: it does no more
    }
  }
  Rebuilder(const Rebuilder&) = delete;
  Rebuilder& operator=(const Rebuilder&) = delete;

  void begin(const compact::FrameToReconstruct& frame) override {
    ENSURE(frame.slices.size() <= most_units_);
    ENSURE(frame.before.empty() || frame.before.size() == grid_.texture_bytes());
    for (Stage* stage : {&upload_, &symbols_made_, &halves_made_, &checking_, &download_}) stage->clear();
    unit_count_ = frame.slices.size();
    ocl::guarded(device_, [&] {
      wait();
      const size_t parts = list_units(frame.slices);
      std::swap(before_, now_);
      if (frame.before.empty()) {
        for (const cl::Buffer& texture : {before_, now_})
          queue_.enqueueFillBuffer(texture, cl_uint{0}, 0, grid_.texture_bytes(), nullptr, upload_.next());
      } else {
        for_texture_rows(
            frame.told, [](uint32_t tile) { return tile; },
            [&](size_t at, size_t bytes) {
              queue_.enqueueWriteBuffer(before_, CL_FALSE, at, bytes, frame.before.data() + at, nullptr,
                                        upload_.next());
            });
        queue_.enqueueCopyBuffer(before_, now_, 0, 0, grid_.texture_bytes(), nullptr, upload_.next());
      }
      if (unit_count_ > 0) {
        std::ranges::copy(frame.right, right_.host().begin());
        right_.upload(queue_, grid_.tiles(), upload_.next());
        slices_.upload(queue_, unit_count_, upload_.next());
        words_->upload(queue_, word_count_, upload_.next());
        launch(parts, !frame.before.empty());
        results_.download(queue_, unit_count_, download_.next());
        for_texture_rows(
            frame.slices, [](const SliceToReconstruct& slice) { return slice.slice.tile; },
            [&](size_t at, size_t bytes) {
              queue_.enqueueReadBuffer(now_, CL_FALSE, at, bytes, static_cast<std::byte*>(made_.data()) + at, nullptr,
                                       download_.next());
            });
      }
      // By an event, as finish() of Rusticl (Mesa 22.3) does not wait for what was flushed before.
      queue_.enqueueMarkerWithWaitList(nullptr, &sent_);
      queue_.flush();
    });
  }

  compact::ReconstructedFrame rebuilt() override {
    ocl::guarded(device_, [&] { wait(); });
    rebuilt_.clear();
    for (const texcast_rebuilt_unit& slice : results_.host().first(unit_count_))
      rebuilt_.push_back({.decoded = (slice.flags & TEXCAST_REBUILT_GOOD) != 0,
                          .refers_right = (slice.flags & TEXCAST_REBUILT_WRONG) == 0,
                          .changed = (slice.flags & TEXCAST_REBUILT_CHANGED) != 0,
                          .check = slice.check});
    return {.slices = rebuilt_, .texture = {static_cast<const std::byte*>(made_.data()), grid_.texture_bytes()}};
  }

  ReconstructionBackendTimes times() const override {
    ReconstructionBackendTimes times;
    ocl::guarded(device_, [&] {
      wait();
      times = {.upload = upload_.time(),
               .symbols = symbols_made_.time(),
               .halves = halves_made_.time(),
               .checks = checking_.time(),
               .download = download_.time()};
    });
    return times;
  }

 private:
  void wait() const {
    if (sent_() == nullptr) return;
    sent_.wait();
    device_.proved();
  }

  // Their bytes one after the other, each from a whole word on. How many tiles or strips they are.
  size_t list_units(std::span<const SliceToReconstruct> slices) {
    size_t words = 0, parts = 0;
    for (const SliceToReconstruct& slice : slices) words += (slice.bytes.size() + 1) / 2;
    if (words > words_->host().size()) words_.emplace(device_, queue_, 2 * words);
    word_count_ = 0;
    auto* const to = reinterpret_cast<std::byte*>(words_->host().data());
    for (size_t i = 0; i < slices.size(); ++i) {
      const auto& [slice, intra, bytes] = slices[i];
      slices_.host()[i] = {.tile = static_cast<cl_int>(slice.tile),
                           .tiles = slice.tiles,
                           .strips = slice.sub_slices,
                           .strip = slice.sub_slice,
                           .alone = intra,
                           .first_word = static_cast<cl_uint>(word_count_),
                           .bytes = static_cast<cl_uint>(bytes.size()),
                           .first_part = static_cast<cl_int>(parts)};
      std::ranges::copy(bytes, to + word_count_ * sizeof(uint16_t));
      word_count_ += (bytes.size() + 1) / 2;
      parts += slice.tiles;
    }
    ENSURE(parts <= most_units_);
    return parts;
  }

  void launch(size_t parts, bool has_before) {
    const auto count = static_cast<cl_int>(grid_.component_count());
    set_arguments(parse_, words_->device(), slices_.device(), components_, count, buckets_, starts_, table_sets_,
                  parts_, symbols_, results_.device());
    queue_.enqueueNDRangeKernel(parse_, cl::NullRange, cl::NDRange(unit_count_), cl::NDRange(1), nullptr,
                                symbols_made_.next());
    for (cl_int number = 0; number < count; ++number) {
      const size_t items = group_items_[static_cast<size_t>(number)];
      set_arguments(rebuild_, before_, components_, number, parts_, symbols_, right_.device(),
                    static_cast<cl_int>(has_before), now_, results_.device());
      queue_.enqueueNDRangeKernel(rebuild_, cl::NullRange, cl::NDRange(parts * items), cl::NDRange(items), nullptr,
                                  halves_made_.next());
    }
    set_arguments(check_, now_, slices_.device(), components_, count, results_.device());
    queue_.enqueueNDRangeKernel(check_, cl::NullRange, cl::NDRange(unit_count_), cl::NDRange(1), nullptr,
                                checking_.next());
  }

  // Of the rows of tiles in which these begin: call(first byte, bytes), plane by plane, of several rows at once.
  template <typename List, typename TileOf, typename Call>
  void for_texture_rows(const List& list, const TileOf& tile_of, const Call& call) {
    std::ranges::fill(has_row_, uint8_t{0});
    for (const auto& of : list) has_row_[tile_of(of) / static_cast<uint32_t>(grid_.across())] = 1;
    for (auto row = has_row_.begin(); row != has_row_.end();) {
      const auto begin = std::find(row, has_row_.end(), 1);
      row = std::find(begin, has_row_.end(), 0);
      for (int c = 0; c < grid_.component_count(); ++c) {
        const compact::Component& component = grid_.component(c);
        const auto at = [&](auto of) {
          const auto first = static_cast<int>(of - has_row_.begin()) * component.tile_rows();
          return component.at(0, std::min(first, component.blocks_y));
        };
        if (at(begin) < at(row)) call(at(begin), at(row) - at(begin));
      }
    }
  }

  const ocl::Device device_;
  const TileGrid grid_;
  const cl::CommandQueue queue_;
  const size_t most_units_;
  cl::Kernel parse_, rebuild_, check_;
  cl::Buffer components_, buckets_, starts_;
  cl_int table_sets_ = 0;
  std::vector<size_t> group_items_;  // of components
  cl::Buffer before_, now_, symbols_, parts_;
  PinnedBytes made_;  // the host's likeness of now_
  MirroredList<texcast_unit_to_rebuild> slices_;
  MirroredList<texcast_rebuilt_unit> results_;
  MirroredList<uint8_t> right_;
  std::optional<MirroredList<uint16_t>> words_;  // of all units
  size_t unit_count_ = 0, word_count_ = 0;       // of the frame
  std::vector<ReconstructedSlice> rebuilt_;
  std::vector<uint8_t> has_row_;  // of tiles
  cl::Event sent_;                // what was sent last
  Stage upload_, symbols_made_, halves_made_, checking_, download_;
};

}  // namespace

std::unique_ptr<OpenClReconstructionBackend> make_opencl_reconstruction_backend(const DeviceInfo& device,
                                                                                const TileGrid& grid) {
  ENSURE(grid.has_planes_of_channels());
  const ocl::Device opened(device);
  std::unique_ptr<OpenClReconstructionBackend> rebuilder;
  ocl::guarded(opened, [&] { rebuilder = std::make_unique<Rebuilder>(opened, grid); });
  return rebuilder;
}

std::unique_ptr<compact::ReconstructionBackend> usual_reconstruction_backend(const std::string& selectors,
                                                                             const TextureDesc& texture) {
  if (!TileGrid::can_be_lossy(texture.format)) return nullptr;
  const TileGrid grid(texture);
  if (!grid.has_planes_of_channels() || grid.tiles() < compact::kLeastTilesForBackend) return nullptr;
  const auto device = usual_device(selectors);
  if (!device) return nullptr;
  auto rebuilder = make_opencl_reconstruction_backend(*device, grid);
  // Once: anybody can send streams that begin anew.
  static std::atomic<bool> said = false;
  if (!said.exchange(true)) log_info("{} decodes compact streams", device->name);
  return rebuilder;
}

}  // namespace texcast::compact
