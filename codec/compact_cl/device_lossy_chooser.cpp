#include "compact_cl/device_lossy_chooser.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/ensure.h"
#include "component_argument.h"
#include "device_memory.h"
#include "kernels/compact.h"
#include "ocl/program.h"
#include "stage.h"

namespace texcast::compact_cl {
namespace {

using compact::ChosenHalf;
using compact::Component;
using compact::HalfBlock;
using compact::HalfTexels;
using compact::TileGrid;
using compact::TileToChoose;

constexpr size_t kTileItems = 32;  // of a work-group, which is a tile's

static_assert(sizeof(texcast_lossy_component) == 24 * 4 && sizeof(texcast_lossy_tile) == 26 * 4);
static_assert(sizeof(ChosenHalf) == sizeof(texcast_lossy_choice) &&
              ChosenHalf::kDifferenceAt == TEXCAST_LOSSY_DIFFERENCE_AT &&
              ChosenHalf::kDifferenceBits == TEXCAST_LOSSY_DIFFERENCE_BITS);

class Chooser final : public DeviceLossyChooser {
 public:
  Chooser(const ocl::Device& device, const TileGrid& grid)
      : device_(device),
        grid_(grid),
        queue_(device.make_queue()),
        halves_(grid.texture_bytes() / 8),
        source_(device, queue_, halves_ * sizeof(HalfTexels)),
        made_(device, queue_, halves_ * 8),
        choices_(device, queue_, halves_ * sizeof(ChosenHalf)),
        tiles_(device, queue_, grid.tiles()) {
    const auto memory = [&](size_t bytes) { return cl::Buffer(device_.context(), CL_MEM_READ_WRITE, bytes); };
    before_on_device_ = memory(halves_ * 8);
    source_on_device_ = memory(halves_ * sizeof(HalfTexels));
    made_on_device_ = memory(halves_ * 8);
    choices_on_device_ = memory(halves_ * sizeof(ChosenHalf));
    std::vector<texcast_lossy_component> components;
    std::array<std::vector<uint16_t>, 2> costs;  // of symbols; of contexts
    for (int content = 0; content < compact::kContents; ++content) {
      for (int i = 0; i < grid_.component_count(); ++i) {
        const compact::LossyPrices prices = compact::lossy_prices(grid_, i);
        const auto of_content = static_cast<size_t>(content);
        costs[0].insert(costs[0].end(), prices.costs[of_content].begin(), prices.costs[of_content].end());
        costs[1].insert(costs[1].end(), prices.least_costs[of_content].begin(), prices.least_costs[of_content].end());
        if (content > 0) continue;
        texcast_lossy_component component{
            .component = component_argument(grid_, grid_.component(i)), .weight = prices.weight, .least_range = {}};
        std::ranges::copy(prices.least_range, component.least_range);
        components.push_back(component);
      }
    }
    components_ = constant(components);
    cost_ = constant(costs[0]);
    least_cost_ = constant(costs[1]);
    const cl::Program program =
        ocl::build_program(device_, "compact/lossy.cl", "-DCHANNEL=1 -DLOSSY_ITEMS=" + std::to_string(kTileItems));
    choose_ = cl::Kernel(program, "choose_lossy");
    batches_.reserve(grid_.tiles());
  }

  void begin(const compact::FrameToChoose& frame) override {
    frame_ = frame;
    used_tiles_ = asked_ = 0;
    batches_.clear();
    for (Stage* stage : {&upload_, &choosing_, &download_}) stage->clear();
    ocl::guarded(device_, [&] {
      queue_.finish();  // batches of a frame before that nobody asked for
      if (frame.before.empty()) return;
      queue_.enqueueWriteBuffer(before_on_device_, CL_FALSE, 0, frame.before.size(), frame.before.data(), nullptr,
                                upload_.next());
      queue_.flush();
    });
  }

  std::span<HalfTexels> source() override { return {static_cast<HalfTexels*>(source_.data()), halves_}; }

  void choose(std::span<const TileToChoose> tiles) override {
    ENSURE(used_tiles_ + tiles.size() <= grid_.tiles());
    batches_.emplace_back();
    ocl::guarded(device_, [&] {
      if (tiles.empty()) return;
      const size_t first = used_tiles_;
      for (const TileToChoose& tile : tiles) tiles_.host()[used_tiles_++] = argument(tile);
      const size_t bytes = tiles.size() * sizeof(texcast_lossy_tile);
      queue_.enqueueWriteBuffer(tiles_.device(), CL_FALSE, first * sizeof(texcast_lossy_tile), bytes,
                                tiles_.host().data() + first, nullptr, upload_.next());
      const auto ranges = ranges_of(tiles);
      for (const auto& [begin, count] : ranges) {
        queue_.enqueueWriteBuffer(source_on_device_, CL_FALSE, begin * sizeof(HalfTexels), count * sizeof(HalfTexels),
                                  source().data() + begin, nullptr, upload_.next());
        queue_.enqueueWriteBuffer(made_on_device_, CL_FALSE, begin * 8, count * 8, frame_.texture.data() + begin * 8,
                                  nullptr, upload_.next());
      }
      set(before_on_device_, source_on_device_, components_, grid_.component_count(), tiles_.device(),
          static_cast<cl_int>(first), cost_, least_cost_, made_on_device_, choices_on_device_,
          cl::Local(16 * sizeof(cl_ulong)), cl::Local(TEXCAST_LOSSY_NUMBERS * sizeof(cl_int)), cl::Local(32));
      queue_.enqueueNDRangeKernel(choose_, cl::NullRange, cl::NDRange(tiles.size() * kTileItems),
                                  cl::NDRange(kTileItems), nullptr, choosing_.next());
      for (const auto& [begin, count] : ranges) {
        queue_.enqueueReadBuffer(made_on_device_, CL_FALSE, begin * 8, count * 8,
                                 static_cast<std::byte*>(made_.data()) + begin * 8, nullptr, download_.next());
        queue_.enqueueReadBuffer(choices_on_device_, CL_FALSE, begin * sizeof(ChosenHalf), count * sizeof(ChosenHalf),
                                 static_cast<ChosenHalf*>(choices_.data()) + begin, nullptr, download_.next());
      }
      queue_.enqueueMarkerWithWaitList(nullptr, &batches_.back());
      queue_.flush();
    });
  }

  compact::ChosenBatch chosen() override {
    ENSURE(asked_ < batches_.size());
    const cl::Event& done = batches_[asked_++];
    ocl::guarded(device_, [&] {
      if (done() != nullptr) done.wait();
    });
    return {.texture = {static_cast<const std::byte*>(made_.data()), halves_ * 8},
            .halves = {static_cast<const ChosenHalf*>(choices_.data()), halves_}};
  }

  ChooserTimes times() const override {
    ChooserTimes times;
    ocl::guarded(device_, [&] {
      queue_.finish();
      times = {.upload = upload_.time(), .choosing = choosing_.time(), .download = download_.time()};
    });
    return times;
  }

 private:
  template <typename List>
  cl::Buffer constant(const List& list) const {
    // Read alone: OpenCL's bindings have no const here.
    return {device_.context(), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, list.size() * sizeof list[0],
            const_cast<void*>(static_cast<const void*>(list.data()))};
  }
  template <typename... Arguments>
  void set(const Arguments&... arguments) {
    cl_uint index = 0;
    (choose_.setArg(index++, arguments), ...);
  }
  texcast_lossy_tile argument(const TileToChoose& tile) const {
    texcast_lossy_tile argument{.tile = static_cast<int>(tile.tile),
                                .content = static_cast<int>(tile.expected),
                                .alone = tile.alone,
                                .lambda = tile.target.lambda,
                                .quantiser = tile.target.quantiser,
                                .candidates = frame_.effort.candidates,
                                .least_saved = frame_.effort.least_saved,
                                .lambda_parts = {},
                                .unused = 0,
                                .vectors = {}};
    std::ranges::copy(tile.lambda_parts, argument.lambda_parts);
    for (size_t area = 0; area < tile.vectors.size(); ++area) {
      argument.vectors[2 * area] = tile.vectors[area].x;
      argument.vectors[2 * area + 1] = tile.vectors[area].y;
    }
    return argument;
  }
  // What lies together of the rows of tiles that these are in: first half-block and how many.
  struct Range {
    size_t begin, count;
  };
  std::vector<Range> ranges_of(std::span<const TileToChoose> tiles) const {
    std::vector<Range> ranges;
    const auto across = static_cast<uint32_t>(grid_.across());
    for (size_t i = 0; i < tiles.size();) {
      const auto first = static_cast<int>(tiles[i].tile / across);
      int last = first;
      for (; i < tiles.size() && static_cast<int>(tiles[i].tile / across) <= last + 1; ++i)
        last = static_cast<int>(tiles[i].tile / across);
      for (int c = 0; c < grid_.component_count(); ++c) {
        const Component& component = grid_.component(c);
        const size_t begin = component.at(0, std::min(first * component.tile_rows(), component.blocks_y)) / 8;
        const size_t end = component.at(0, std::min((last + 1) * component.tile_rows(), component.blocks_y)) / 8;
        if (begin < end) ranges.push_back({begin, end - begin});
      }
    }
    return ranges;
  }

  const ocl::Device device_;
  const TileGrid grid_;
  const cl::CommandQueue queue_;
  const size_t halves_;
  cl::Kernel choose_;
  cl::Buffer components_, cost_, least_cost_;
  cl::Buffer before_on_device_, source_on_device_, made_on_device_, choices_on_device_;
  PinnedBytes source_, made_, choices_;  // the host's likenesses
  MirroredList<texcast_lossy_tile> tiles_;
  compact::FrameToChoose frame_;
  size_t used_tiles_ = 0, asked_ = 0;  // of the frame: tiles_, batches_
  std::vector<cl::Event> batches_;     // when they are there; without one: none of it has a tile
  Stage upload_, choosing_, download_;
};

}  // namespace

bool can_choose(const TileGrid& grid) {
  for (int i = 0; i < grid.component_count(); ++i)
    if (grid.component(i).kind != HalfBlock::channel || grid.component(i).stride != 8) return false;
  return true;
}

std::unique_ptr<DeviceLossyChooser> make_device_lossy_chooser(const DeviceInfo& device, const TileGrid& grid) {
  ENSURE(can_choose(grid));
  const ocl::Device opened(device);
  std::unique_ptr<DeviceLossyChooser> chooser;
  ocl::guarded(opened, [&] { chooser = std::make_unique<Chooser>(opened, grid); });
  return chooser;
}

}  // namespace texcast::compact_cl
