#include "compact_cl/device_lossy_chooser.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/ensure.h"
#include "component_argument.h"
#include "device_memory.h"
#include "kernels/compact.h"
#include "ocl/program.h"
#include "stage.h"
#include "stages/source_argument.h"

namespace texcast::compact_cl {
namespace {

using compact::ChosenHalf;
using compact::ChosenTile;
using compact::Component;
using compact::HalfBlock;
using compact::HalfTexels;
using compact::TileGrid;
using compact::TileToChoose;
using compact::Vector;

constexpr size_t kTileItems = 32;  // of a work-group, which is a tile's
constexpr size_t kFactsItems = TEXCAST_LOSSY_FACTS_ITEMS;
constexpr size_t kHalfItems = 64;  // of those whose items are half-blocks

static_assert(sizeof(texcast_lossy_component) == 24 * 4 && sizeof(texcast_lossy_tile) == 29 * 4);
static_assert(sizeof(ChosenHalf) == sizeof(texcast_lossy_choice) &&
              ChosenHalf::kDifferenceAt == TEXCAST_LOSSY_DIFFERENCE_AT &&
              ChosenHalf::kDifferenceBits == TEXCAST_LOSSY_DIFFERENCE_BITS);

// Half-blocks that lie together: the first one and how many.
struct Range {
  size_t begin, count;
};

// What draws pictures of a format.
struct SourceKernel {
  FrameFormat format;
  FramePlacement placed;
  cl::Buffer frame;
  cl::Kernel draw;
  SourceKernel(const ocl::Device& device, const FrameFormat& of)
      : format(of), placed(place_frame(of)), frame(device.context(), CL_MEM_READ_ONLY, placed.padded_bytes) {
    draw = cl::Kernel(ocl::build_program(device, "compact/source.cl", stages::source_defines(of)), "draw_source");
  }
};

class Chooser final : public DeviceLossyChooser {
 public:
  Chooser(const ocl::Device& device, const TileGrid& grid, const FrameFormat* picture)
      : device_(device),
        grid_(grid),
        queue_(device.make_queue()),
        halves_(grid.texture_bytes() / 8),
        pixels_(static_cast<size_t>(grid.component(0).blocks_x) * grid.component(0).blocks_y * 16),
        luma_(device, queue_, pixels_),
        source_(device, queue_, halves_ * sizeof(HalfTexels)),
        made_(device, queue_, halves_ * 8),
        choices_(device, queue_, halves_ * sizeof(ChosenHalf)),
        tiles_(device, queue_, kMostBatches * size_t{grid.tiles()}),
        list_(device, queue_, 3 * size_t{grid.tiles()}) {
    const auto memory = [&](size_t bytes) { return cl::Buffer(device_.context(), CL_MEM_READ_WRITE, bytes); };
    for (cl::Buffer* texture : {&before_, &made_on_device_}) *texture = memory(halves_ * 8);
    for (cl::Buffer* plane : {&now_, &given_, &then_}) *plane = memory(pixels_);
    colours_ = memory(pixels_ * 2 * sizeof(int16_t));
    source_on_device_ = memory(halves_ * sizeof(HalfTexels));
    choices_on_device_ = memory(halves_ * sizeof(ChosenHalf));
    size_t tile_halves = 0;
    for (int i = 0; i < grid.component_count(); ++i)
      tile_halves += static_cast<size_t>(grid.component(i).tile_columns() * grid.component(i).tile_rows());
    facts_ = memory(grid.tiles() * tile_halves * sizeof(texcast_lossy_facts));
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
    for (const texcast_lossy_component& component : components) arguments_.push_back(component.component);
    components_ = constant(components);
    cost_ = constant(costs[0]);
    least_cost_ = constant(costs[1]);
    const cl::Program choosing = ocl::build_program(device_, "compact/lossy.cl",
                                                    std::string("-DCHANNEL=1 -DLOSSY_ITEMS=")
                                                        .append(std::to_string(kTileItems))
                                                        .append(" -DRANK_ITEMS=")
                                                        .append(device.info().is_gpu ? "4" : "1"));
    find_facts_ = cl::Kernel(choosing, "find_lossy_facts");
    choose_ = cl::Kernel(choosing, "choose_lossy");
    search_ = cl::Kernel(ocl::build_program(device_, "compact/half_search.cl", "-DCHANNEL=1"), "search_halves");
    draw_plane_ = cl::Kernel(ocl::build_program(device_, "compact/motion.cl", "-DCHANNEL=1"), "draw_plane");
    const cl::Program texels = ocl::build_program(device_, "compact/texels.cl", "-DCHANNEL=1");
    texels_of_luma_ = cl::Kernel(texels, "texels_of_luma");
    texels_of_colour_ = cl::Kernel(texels, "texels_of_colour");
    texels_of_blocks_ = cl::Kernel(texels, "texels_of_blocks");
    keep_plane_ = cl::Kernel(texels, "keep_plane");
    if (picture != nullptr) sources_.emplace(device_, *picture);
    found_.reserve(tiles_.host().size());
    batches_.reserve(tiles_.host().size());
  }

  void start(const compact::ChooserState& state) override {
    ocl::guarded(device_, [&] {
      const auto write = [&](const cl::Buffer& to, const auto& from) {
        if (!from.empty()) queue_.enqueueWriteBuffer(to, CL_TRUE, 0, from.size_bytes(), from.data());
      };
      write(now_, state.drawn);
      write(given_, state.given);
      write(before_, state.before);
      write(colours_, state.colours);
      if (state.before.empty()) return;
      for (uint32_t tile = 0; tile < grid_.tiles(); ++tile) list_.host()[tile] = tile;
      list_.upload(queue_, grid_.tiles());
      draw(before_, 0, grid_.tiles(), then_);
      queue_.finish();
    });
  }

  void begin(const compact::FrameToChoose& frame) override {
    frame_ = frame;
    used_tiles_ = asked_ = 0;
    batches_.clear();
    found_.clear();
    for (Stage* stage : {&begin_, &search_stage_, &choosing_, &download_}) stage->clear();
    ocl::guarded(device_, [&] {
      wait();  // for batches of a frame before that nobody asked for
      if (frame.picture != nullptr && (!sources_ || sources_->format != frame.picture->format))
        sources_.emplace(device_, frame.picture->format);
      // One list: tiles that were given, told, and are drawn.
      const size_t given = frame.given.size(), told = frame.told.size(), drawn = frame.drawn.size();
      std::ranges::copy(frame.given, list_.host().begin());
      std::ranges::copy(frame.told, list_.host().begin() + static_cast<ptrdiff_t>(given));
      std::ranges::copy(frame.drawn, list_.host().begin() + static_cast<ptrdiff_t>(given + told));
      if (given + told + drawn == 0) return;
      queue_.enqueueWriteBuffer(list_.device(), CL_FALSE, 0, (given + told + drawn) * sizeof(uint32_t),
                                list_.host().data(), nullptr, begin_.next());
      if (given > 0) {
        set(keep_plane_, arguments_[0], list_.device(), 0, static_cast<cl_uint>(given), now_, given_);
        launch(keep_plane_, given * first_halves(), begin_);
      }
      if (told > 0 && !frame.before.empty()) {
        for_ranges(frame.told, [&](const Range& range) { upload(frame.before, before_, range, begin_); });
        draw(before_, given, told, then_);
      }
      if (drawn == 0) return send();
      if (frame.picture != nullptr) {
        upload_picture();
        set(sources_->draw, sources_->frame, stages::source_argument(sources_->format), arguments_[0], list_.device(),
            static_cast<cl_int>(given + told), static_cast<cl_uint>(drawn), now_, colours_);
        launch(sources_->draw, drawn * first_halves(), begin_);
      } else {
        for_ranges(frame.drawn, [&](const Range& range) { upload(frame.texture, made_on_device_, range, begin_); });
        draw(made_on_device_, given + told, drawn, now_);
      }
      for_rows(frame.drawn, [&](int first, int last) {
        const size_t row = static_cast<size_t>(grid_.component(0).blocks_x) * 4;
        const size_t at = static_cast<size_t>(first) * compact::kTileHeight * row;
        const size_t end = std::min(static_cast<size_t>(last + 1) * compact::kTileHeight * row, pixels_);
        queue_.enqueueReadBuffer(now_, CL_FALSE, at, end - at, static_cast<std::byte*>(luma_.data()) + at, nullptr,
                                 begin_.next());
      });
      send();
    });
  }

  std::span<const uint8_t> luma() override {
    ocl::guarded(device_, [&] { wait(); });
    return {static_cast<const uint8_t*>(luma_.data()), pixels_};
  }

  void choose(std::span<const TileToChoose> tiles, std::span<const Vector> votes) override {
    ENSURE(used_tiles_ + tiles.size() <= tiles_.host().size() && votes.size() <= 4);
    batches_.push_back({.first = used_tiles_, .count = tiles.size()});
    Batch& batch = batches_.back();
    ocl::guarded(device_, [&] {
      if (tiles.empty()) return;
      for (const TileToChoose& tile : tiles) tiles_.host()[used_tiles_++] = argument(tile);
      const size_t at = batch.first * sizeof(texcast_lossy_tile), bytes = tiles.size() * sizeof(texcast_lossy_tile);
      queue_.enqueueWriteBuffer(tiles_.device(), CL_FALSE, at, bytes, tiles_.host().data() + batch.first, nullptr,
                                search_stage_.next());
      const std::vector<Range> ranges = ranges_of(tiles);
      for (const Range& range : ranges) upload(frame_.texture, made_on_device_, range, search_stage_);
      const auto first = static_cast<cl_int>(batch.first);
      const auto count = static_cast<cl_uint>(tiles.size());
      cl_int8 vectors{};
      for (size_t i = 0; i < votes.size(); ++i) {
        vectors.s[2 * i] = votes[i].x;
        vectors.s[2 * i + 1] = votes[i].y;
      }
      set(search_, arguments_[0], tiles_.device(), first, now_, then_, given_, vectors,
          static_cast<cl_int>(votes.size()), cl::Local(16 * sizeof(cl_int2)), cl::Local(kTileItems * sizeof(cl_int)));
      queue_.enqueueNDRangeKernel(search_, cl::NullRange, cl::NDRange(tiles.size() * kTileItems),
                                  cl::NDRange(kTileItems), nullptr, search_stage_.next());
      for (int i = 0; i < grid_.component_count(); ++i) {
        const auto& component = arguments_[static_cast<size_t>(i)];
        cl::Kernel& kernel = frame_.picture == nullptr ? texels_of_blocks_
                             : i == 0                  ? texels_of_luma_
                                                       : texels_of_colour_;
        if (frame_.picture == nullptr)
          set(kernel, component, tiles_.device(), first, count, made_on_device_, source_on_device_);
        else if (i == 0)
          set(kernel, component, tiles_.device(), first, count, now_, source_on_device_);
        else
          set(kernel, arguments_[0], component, tiles_.device(), first, count, colours_, i - 1, source_on_device_);
        launch(kernel, tiles.size() * static_cast<size_t>(component.tile_columns * component.tile_rows), search_stage_);
      }
      const int components = grid_.component_count();
      set(find_facts_, before_, source_on_device_, components_, components, tiles_.device(), first,
          static_cast<cl_int>(count), made_on_device_, facts_);
      choose_components(find_facts_, tiles.size() * kFactsItems, kFactsItems, 0, components);
      set(choose_, before_, source_on_device_, components_, components, tiles_.device(), first, cost_, least_cost_,
          facts_, made_on_device_, choices_on_device_);
      // Contexts of the others ask what the first one chose.
      choose_components(choose_, tiles.size() * kTileItems, kTileItems, 0, 1);
      if (components > 1) choose_components(choose_, tiles.size() * kTileItems, kTileItems, 1, components - 1);
      queue_.enqueueReadBuffer(tiles_.device(), CL_FALSE, at, bytes, tiles_.host().data() + batch.first, nullptr,
                               download_.next());
      for (const Range& range : ranges) {
        download(made_on_device_, made_, range, 8);
        download(choices_on_device_, choices_, range, sizeof(ChosenHalf));
        download(source_on_device_, source_, range, sizeof(HalfTexels));
      }
      send();
      batch.done = sent_;
    });
  }

  compact::ChosenBatch chosen() override {
    ENSURE(asked_ < batches_.size());
    const Batch& batch = batches_[asked_++];
    ocl::guarded(device_, [&] {
      if (batch.done() != nullptr) batch.done.wait();
    });
    const size_t first = found_.size();
    for (size_t i = batch.first; i < batch.first + batch.count; ++i) {
      const texcast_lossy_tile& tile = tiles_.host()[i];
      ChosenTile& found = found_.emplace_back();
      for (size_t area = 0; area < found.vectors.size(); ++area)
        found.vectors[area] = {tile.vectors[2 * area], tile.vectors[2 * area + 1]};
      std::ranges::copy(tile.lambda_parts, found.lambda_parts.begin());
    }
    return {.tiles = std::span(found_).subspan(first),
            .texture = {static_cast<const std::byte*>(made_.data()), halves_ * 8},
            .halves = {static_cast<const ChosenHalf*>(choices_.data()), halves_},
            .source = {static_cast<const HalfTexels*>(source_.data()), halves_}};
  }

  ChooserTimes times() const override {
    ChooserTimes times;
    ocl::guarded(device_, [&] {
      wait();
      times = {.begin = begin_.time(),
               .search = search_stage_.time(),
               .choosing = choosing_.time(),
               .download = download_.time()};
    });
    return times;
  }

 private:
  // A tile may be chosen for a trial, and then again.
  static constexpr size_t kMostBatches = 2;
  struct Batch {
    size_t first, count;  // of tiles_
    cl::Event done{};     // without one there is no tile in it
  };

  // All commands so far; by an event, as finish() of Rusticl (Mesa 22.3) does not wait for what was flushed before.
  void send() {
    queue_.enqueueMarkerWithWaitList(nullptr, &sent_);
    queue_.flush();
  }
  void wait() const {
    if (sent_() != nullptr) sent_.wait();
  }

  template <typename List>
  cl::Buffer constant(const List& list) const {
    // Read alone: OpenCL's bindings have no const here.
    return {device_.context(), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, list.size() * sizeof list[0],
            const_cast<void*>(static_cast<const void*>(list.data()))};
  }
  template <typename... Arguments>
  static void set(cl::Kernel& kernel, const Arguments&... arguments) {
    cl_uint index = 0;
    (kernel.setArg(index++, arguments), ...);
  }
  void launch(const cl::Kernel& kernel, size_t items, Stage& stage) {
    queue_.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange((items + kHalfItems - 1) / kHalfItems * kHalfItems),
                                cl::NDRange(kHalfItems), nullptr, stage.next());
  }
  void choose_components(const cl::Kernel& kernel, size_t items, size_t group, int first, int count) {
    queue_.enqueueNDRangeKernel(kernel, cl::NDRange(0, static_cast<size_t>(first)),
                                cl::NDRange(items, static_cast<size_t>(count)), cl::NDRange(group, 1), nullptr,
                                choosing_.next());
  }
  size_t first_halves() const {
    return static_cast<size_t>(arguments_[0].tile_columns) * static_cast<size_t>(arguments_[0].tile_rows);
  }
  // The luma of tiles in list_ from `first` on.
  void draw(const cl::Buffer& texture, size_t first, size_t count, const cl::Buffer& plane) {
    set(draw_plane_, texture, arguments_[0], list_.device(), static_cast<cl_int>(first), static_cast<cl_uint>(count),
        plane);
    launch(draw_plane_, count * first_halves(), begin_);
  }
  void upload(Bytes from, const cl::Buffer& to, const Range& range, Stage& stage) {
    queue_.enqueueWriteBuffer(to, CL_FALSE, range.begin * 8, range.count * 8, from.data() + range.begin * 8, nullptr,
                              stage.next());
  }
  void download(const cl::Buffer& from, const PinnedBytes& to, const Range& range, size_t bytes) {
    queue_.enqueueReadBuffer(from, CL_FALSE, range.begin * bytes, range.count * bytes,
                             static_cast<std::byte*>(to.data()) + range.begin * bytes, nullptr, download_.next());
  }

  // Rows of the picture in which tiles are drawn.
  void upload_picture() {
    const FrameView& view = *frame_.picture;
    const FramePlacement& placed = sources_->placed;
    for_rows(frame_.drawn, [&](int first, int last) {
      for (int i = 0; i < plane_count(view.format.pixel_format); ++i) {
        const auto plane = static_cast<size_t>(i);
        const int rows = plane_rows(view.format, i), of = view.format.height > rows ? 2 : 1;
        const int begin = std::min(first * compact::kTileHeight / of, rows);
        const int end = std::min((last + 1) * compact::kTileHeight / of, rows);
        const auto bytes = static_cast<size_t>(plane_row_bytes(view.format, i));
        const PlaneView& from = view.planes[plane];
        const size_t at = static_cast<size_t>(placed.offset[plane]) +
                          static_cast<size_t>(begin) * static_cast<size_t>(placed.stride[plane]);
        if (begin >= end) continue;
        if (from.stride_bytes == placed.stride[plane]) {
          const size_t all = static_cast<size_t>(end - begin - 1) * static_cast<size_t>(placed.stride[plane]) + bytes;
          queue_.enqueueWriteBuffer(sources_->frame, CL_FALSE, at, all, from.data + begin * from.stride_bytes, nullptr,
                                    begin_.next());
          continue;
        }
        for (int row = begin; row < end; ++row)
          queue_.enqueueWriteBuffer(sources_->frame, CL_FALSE,
                                    at + static_cast<size_t>(row - begin) * static_cast<size_t>(placed.stride[plane]),
                                    bytes, from.data + row * from.stride_bytes, nullptr, begin_.next());
      }
    });
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
                                .vector_price = tile.target.vector_price,
                                .own = {tile.own.x, tile.own.y},
                                .changed_areas = tile.changed_areas,
                                .vectors = {}};
    for (size_t area = 0; area < tile.field.size(); ++area) {
      argument.vectors[2 * area] = tile.field[area].x;
      argument.vectors[2 * area + 1] = tile.field[area].y;
    }
    return argument;
  }

  static uint32_t tile_of(uint32_t tile) { return tile; }
  static uint32_t tile_of(const TileToChoose& tile) { return tile.tile; }
  // Rows of tiles that follow each other: call(first, last).
  template <typename Tiles, typename Call>
  void for_rows(const Tiles& tiles, const Call& call) const {
    const auto across = static_cast<uint32_t>(grid_.across());
    const auto row_of = [&](size_t i) { return static_cast<int>(tile_of(tiles[i]) / across); };
    for (size_t i = 0; i < tiles.size();) {
      const int first = row_of(i);
      int last = first;
      for (; i < tiles.size() && row_of(i) <= last + 1; ++i) last = row_of(i);
      call(first, last);
    }
  }
  template <typename Tiles, typename Call>
  void for_ranges(const Tiles& tiles, const Call& call) const {
    for_rows(tiles, [&](int first, int last) {
      for (int c = 0; c < grid_.component_count(); ++c) {
        const Component& component = grid_.component(c);
        const size_t begin = component.at(0, std::min(first * component.tile_rows(), component.blocks_y)) / 8;
        const size_t end = component.at(0, std::min((last + 1) * component.tile_rows(), component.blocks_y)) / 8;
        if (begin < end) call(Range{begin, end - begin});
      }
    });
  }
  std::vector<Range> ranges_of(std::span<const TileToChoose> tiles) const {
    std::vector<Range> ranges;
    for_ranges(tiles, [&](const Range& range) { ranges.push_back(range); });
    return ranges;
  }

  const ocl::Device device_;
  const TileGrid grid_;
  const cl::CommandQueue queue_;
  const size_t halves_, pixels_;
  std::vector<texcast_component> arguments_;
  cl::Kernel find_facts_, choose_, search_, draw_plane_, texels_of_luma_, texels_of_colour_, texels_of_blocks_,
      keep_plane_;
  std::optional<SourceKernel> sources_;  // of pictures of the format at hand
  cl::Buffer components_, cost_, least_cost_;
  cl::Buffer before_, made_on_device_, source_on_device_, choices_on_device_, facts_;
  // Planes: of the frame at hand, of the one before as it was given and as decoders have it; differences of colour.
  cl::Buffer now_, given_, then_, colours_;
  PinnedBytes luma_, source_, made_, choices_;  // the host's likenesses
  MirroredList<texcast_lossy_tile> tiles_;
  MirroredList<uint32_t> list_;
  compact::FrameToChoose frame_;
  size_t used_tiles_ = 0, asked_ = 0;  // of the frame: tiles_, batches_
  std::vector<ChosenTile> found_;      // of the batches that were asked for
  std::vector<Batch> batches_;
  cl::Event sent_;  // what was sent last
  Stage begin_, search_stage_, choosing_, download_;
};

}  // namespace

bool can_choose(const TileGrid& grid) {
  for (int i = 0; i < grid.component_count(); ++i)
    if (grid.component(i).kind != HalfBlock::channel || grid.component(i).stride != 8) return false;
  return true;
}

std::unique_ptr<DeviceLossyChooser> make_device_lossy_chooser(const DeviceInfo& device, const TileGrid& grid,
                                                              const FrameFormat* picture) {
  ENSURE(can_choose(grid));
  const ocl::Device opened(device);
  std::unique_ptr<DeviceLossyChooser> chooser;
  ocl::guarded(opened, [&] { chooser = std::make_unique<Chooser>(opened, grid, picture); });
  return chooser;
}

}  // namespace texcast::compact_cl
