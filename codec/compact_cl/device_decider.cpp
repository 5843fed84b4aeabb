#include "compact_cl/device_decider.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <vector>

#include "base/ensure.h"
#include "device_memory.h"
#include "kernels/compact.h"
#include "ocl/profile.h"
#include "ocl/program.h"

namespace texcast::compact_cl {
namespace {

using compact::Component;
using compact::HalfBlock;
using compact::Movements;
using compact::TileGrid;
using compact::TileVectors;
using compact::Vector;

constexpr size_t kItems = 64;  // of a work-group, of those kernels whose items do not know each other
constexpr size_t kWalkItems = 32, kSearchItems = 32, kVoteItems = 64;
// Of a half-block: kind, end points with six differences of four symbols each, indices with eight pairs; or with two
// differences, and sixteen far ranks. Of a unit's eight vectors as many as eleven each.
constexpr size_t kMostHalfSymbols = 35, kMostVectorSymbols = 8 * 11;
constexpr int kMostPixels = 1 << 15;  // vectors have 16 bits here

static_assert(sizeof(texcast_component) == 11 * 4 && sizeof(texcast_facts) == 96 &&
              sizeof(texcast_unit_symbols) == 128);
static_assert(static_cast<int>(HalfBlock::color) == TEXCAST_COLOR &&
              static_cast<int>(HalfBlock::four_color) == TEXCAST_FOUR_COLOR &&
              static_cast<int>(HalfBlock::channel) == TEXCAST_CHANNEL);

texcast_component component_argument(const TileGrid& grid, const Component& c) {
  return {.kind = static_cast<int>(c.kind),
          .blocks_x = c.blocks_x,
          .blocks_y = c.blocks_y,
          .across = c.across,
          .down = c.down,
          .first = static_cast<int>(c.offset / 8),
          .step = static_cast<int>(c.stride / 8),
          .tile_columns = c.tile_columns(),
          .tile_rows = c.tile_rows(),
          .tiles_across = grid.across(),
          .places_shift = 64 - compact::places_bits(c)};
}

Vector unpacked(uint32_t v) { return {static_cast<int16_t>(v & 0xFFFF), static_cast<int16_t>(v >> 16)}; }

// Commands of one queue that belong together: the first and the last of them.
class Stage {
 public:
  void clear() { first_ = last_ = cl::Event(); }
  cl::Event* next() { return first_() == nullptr ? &first_ : &last_; }
  nanoseconds time() const {
    if (first_() == nullptr) return {};
    return last_() == nullptr ? ocl::duration(first_) : ocl::duration(first_, last_);
  }

 private:
  cl::Event first_, last_;
};

cl::NDRange rounded_up(size_t items, size_t group) { return cl::NDRange((items + group - 1) / group * group); }

// The kernels for half-blocks of colours, or of channels.
struct SymbolKernels {
  cl::Kernel find_facts, walk_units, write_symbols;
  SymbolKernels(const ocl::Device& device, bool channel) {
    const cl::Program program =
        ocl::build_program(device, "compact/symbols.cl",
                           "-DCHANNEL=" + std::to_string(channel) + " -DWALK_ITEMS=" + std::to_string(kWalkItems));
    find_facts = cl::Kernel(program, "find_facts");
    walk_units = cl::Kernel(program, "walk_units");
    write_symbols = cl::Kernel(program, "write_symbols");
  }
};

// What a component has on the device.
struct DeviceComponent {
  texcast_component argument;
  size_t tile_halves;  // half-blocks in a tile
  cl::Buffer places, cost, rank_cost, facts, choices;

  DeviceComponent(const ocl::Device& device, const TileGrid& grid, const Component& c)
      : argument(component_argument(grid, c)), tile_halves(static_cast<size_t>(c.tile_columns()) * c.tile_rows()) {
    const auto memory = [&](size_t bytes) { return cl::Buffer(device.context(), CL_MEM_READ_WRITE, bytes); };
    const auto constant = [&](const auto& list) {
      // Read alone: OpenCL's bindings have no const here.
      return cl::Buffer(device.context(), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, list.size_bytes(),
                        const_cast<void*>(static_cast<const void*>(list.data())));
    };
    const compact::SymbolCosts costs = compact::symbol_costs(c.tables);
    cost = constant(costs.of);
    rank_cost = constant(costs.of_ranks);
    places = memory(places_bytes());
    facts = memory(grid.tiles() * tile_halves * sizeof(texcast_facts));
    choices = memory(grid.tiles() * tile_halves * sizeof(cl_uint2));
  }
  size_t places_bytes() const { return (size_t{1} << (64 - argument.places_shift)) * 8 * sizeof(uint32_t); }
  bool is_channel() const { return argument.kind == TEXCAST_CHANNEL; }
};

class Decider final : public DeviceDecider {
 public:
  Decider(const ocl::Device& device, const TileGrid& grid)
      : device_(device),
        grid_(grid),
        queue_(device.make_queue()),
        texture_bytes_((grid.texture_bytes() + 7) / 8 * 8),
        changed_(device, queue_, grid.tiles()),
        due_(device, queue_, grid.tiles()),
        plain_(device, queue_, grid.tiles()),
        winners_(device, queue_, grid.tiles()),
        units_(device, queue_, grid.tiles()),
        total_(device, queue_, 1),
        symbols_(device, queue_, most_symbols()),
        movements_(grid.tiles()) {
    const auto memory = [&](size_t bytes) { return cl::Buffer(device_.context(), CL_MEM_READ_WRITE, bytes); };
    now_ = memory(texture_bytes_);
    before_ = memory(texture_bytes_);
    const Component& first = grid_.component(0);
    const size_t pixels = static_cast<size_t>(first.blocks_x) * first.blocks_y * 16;
    now_plane_ = memory(pixels);
    then_plane_ = memory(pixels);
    field_ = memory(grid_.tiles() * sizeof(TileVectors));
    own_ = memory(grid_.tiles() * sizeof(cl_uint));
    for (int i = 0; i < grid_.component_count(); ++i) {
      components_.emplace_back(device_, grid_, grid_.component(i));
      auto& kernels = components_.back().is_channel() ? of_channels_ : of_colors_;
      if (!kernels) kernels.emplace(device_, components_.back().is_channel());
    }
    const cl::Program motion =
        ocl::build_program(device_, "compact/motion.cl", "-DCHANNEL=" + std::to_string(components_[0].is_channel()));
    draw_plane_ = cl::Kernel(motion, "draw_plane");
    vote_ = cl::Kernel(motion, "vote");
    search_vectors_ = cl::Kernel(motion, "search_vectors");
    put_places_ = cl::Kernel(motion, "put_places");
    begin({});
  }

  void begin(const compact::DeciderState& state) override {
    ocl::guarded(device_, [&] {
      queue_.enqueueFillBuffer(field_, cl_uint{0}, 0, grid_.tiles() * sizeof(TileVectors));
      for (size_t i = 0; i < components_.size(); ++i) {
        const DeviceComponent& component = components_[i];
        if (state.places[i].empty()) {
          queue_.enqueueFillBuffer(component.places, cl_uint{0}, 0, component.places_bytes());
        } else {
          ENSURE(state.places[i].size_bytes() == component.places_bytes());
          queue_.enqueueWriteBuffer(component.places, CL_FALSE, 0, component.places_bytes(), state.places[i].data());
        }
      }
      if (!state.before.empty()) {
        ENSURE(state.before.size() == grid_.texture_bytes() && state.field.size() == grid_.tiles());
        for (const cl::Buffer& texture : {now_, before_})
          queue_.enqueueWriteBuffer(texture, CL_FALSE, 0, state.before.size(), state.before.data());
        queue_.enqueueWriteBuffer(field_, CL_FALSE, 0, state.field.size_bytes(), state.field.data());
        for (uint32_t tile = 0; tile < grid_.tiles(); ++tile) changed_.host()[tile] = tile;
        changed_.upload(queue_, grid_.tiles());
        draw(before_, grid_.tiles(), then_plane_, remembering_);
      }
      queue_.finish();
    });
  }

  std::span<const Movements> vote(const compact::FrameToDecide& frame) override {
    frame_ = frame;
    const std::span<Movements> movements = std::span(movements_).first(frame.changed.size());
    std::ranges::fill(movements, Movements{});
    ocl::guarded(device_, [&] {
      queue_.finish();  // what remember() began
      for (Stage* stage : {&upload_, &motion_, &symbols_made_, &download_, &remembering_}) stage->clear();
      upload();
      if (frame.is_first || frame.changed.empty()) return;
      const size_t tiles = frame.changed.size();
      set(vote_, now_, before_, components_[0].argument, changed_.device(), components_[0].places, winners_.device(),
          own_, cl::Local(2 * kVoteItems * sizeof(cl_uint2)), cl::Local(2 * kVoteItems * sizeof(cl_uint)));
      launch(vote_, tiles * kVoteItems, kVoteItems, motion_);
      winners_.download(queue_, tiles);
      draw(now_, tiles, now_plane_, motion_);
      queue_.finish();
      for (size_t i = 0; i < tiles; ++i) {
        const cl_uint4& w = winners_.host()[i];
        movements[i] = {{{unpacked(w.s[0]), w.s[1]}, {unpacked(w.s[2]), w.s[3]}}};
      }
    });
    return movements;
  }

  void decide(std::span<const Vector> votes) override {
    const size_t due = frame_.due.size();
    ocl::guarded(device_, [&] {
      if (due == 0) return;
      search(due_.device(), due, votes, motion_);
      queue_.enqueueFillBuffer(total_.device(), cl_uint{0}, 0, sizeof(cl_uint));
      const auto count = static_cast<int>(components_.size());
      for (int i = 0; i < count; ++i) {
        const DeviceComponent& c = components_[i];
        SymbolKernels& kernels = kernels_of(c);
        set(kernels.find_facts, now_, before_, c.argument, due_.device(), static_cast<cl_uint>(due), field_, c.cost,
            c.rank_cost, c.places, c.facts);
        launch(kernels.find_facts, due * c.tile_halves, kItems, symbols_made_);
        set(kernels.walk_units, before_, c.argument, due_.device(), static_cast<cl_uint>(due), field_, c.cost, c.facts,
            c.choices, units_.device(), total_.device(), i, count, cl::Local(16 * kWalkItems * sizeof(cl_ushort)));
        launch(kernels.walk_units, due, kWalkItems, symbols_made_);
      }
      total_.download(queue_, 1);
      units_.download(queue_, due);
      for (int i = 0; i < count; ++i) {
        const DeviceComponent& c = components_[i];
        SymbolKernels& kernels = kernels_of(c);
        set(kernels.write_symbols, now_, c.argument, due_.device(), static_cast<cl_uint>(due), field_, c.facts,
            c.choices, units_.device(), symbols_.device(), i);
        launch(kernels.write_symbols, due * c.tile_halves, kItems, symbols_made_);
      }
      queue_.finish();
      symbols_.download(queue_, total_.host()[0], download_.next());
      queue_.finish();
    });
  }

  compact::DecidedTile decided(size_t i) const override {
    const texcast_unit_symbols& unit = units_.host()[i];
    compact::DecidedTile tile;
    const size_t last = components_.size() - 1;
    tile.symbols = symbols_.host().subspan(unit.first, unit.end[last]);
    for (size_t c = 0; c < components_.size(); ++c) tile.end[c] = unit.end[c];
    for (size_t area = 0; area < tile.vectors.size(); ++area) tile.vectors[area] = unpacked(unit.vectors[area]);
    tile.touched = {unit.touched_tiles, std::min<size_t>(unit.touched, TEXCAST_JUMPS)};
    tile.touches_more = unit.touched > TEXCAST_JUMPS;
    return tile;
  }

  void remember(std::span<const uint32_t> plain) override {
    const size_t tiles = frame_.changed.size();
    ocl::guarded(device_, [&] {
      for (size_t i = 0; i < plain.size(); ++i) plain_.host()[i] = plain[i] | TEXCAST_TILE_ALONE;
      plain_.upload(queue_, plain.size());
      if (!plain.empty()) search(plain_.device(), plain.size(), {}, remembering_);  // they have none
      if (tiles == 0) return;
      for (const DeviceComponent& c : components_) {
        for (const int empties : {1, 0}) {
          set(put_places_, now_, before_, c.argument, changed_.device(), static_cast<cl_uint>(tiles),
              static_cast<int>(frame_.is_first), empties, c.places);
          launch(put_places_, tiles * c.tile_halves, kItems, remembering_);
        }
      }
      draw(now_, tiles, then_plane_, remembering_);
      for_changed_rows([&](size_t at, size_t bytes) {
        queue_.enqueueCopyBuffer(now_, before_, at, at, bytes, nullptr, remembering_.next());
      });
      queue_.flush();
    });
  }

  DeciderTimes times() const override {
    DeciderTimes times;
    ocl::guarded(device_, [&] {
      queue_.finish();
      times = {.upload = upload_.time(),
               .motion = motion_.time(),
               .symbols = symbols_made_.time(),
               .download = download_.time(),
               .remembering = remembering_.time()};
    });
    return times;
  }

 private:
  size_t most_symbols() const {
    size_t of_tile = kMostVectorSymbols;
    for (int i = 0; i < grid_.component_count(); ++i)
      of_tile +=
          static_cast<size_t>(grid_.component(i).tile_columns()) * grid_.component(i).tile_rows() * kMostHalfSymbols;
    return of_tile * grid_.tiles();
  }
  SymbolKernels& kernels_of(const DeviceComponent& c) { return c.is_channel() ? *of_channels_ : *of_colors_; }

  template <typename... Arguments>
  static void set(cl::Kernel& kernel, const Arguments&... arguments) {
    cl_uint index = 0;
    (kernel.setArg(index++, arguments), ...);
  }
  void launch(const cl::Kernel& kernel, size_t items, size_t group, Stage& stage) {
    queue_.enqueueNDRangeKernel(kernel, cl::NullRange, rounded_up(items, group), cl::NDRange(group), nullptr,
                                stage.next());
  }
  void draw(const cl::Buffer& texture, size_t tiles, const cl::Buffer& plane, Stage& stage) {
    const DeviceComponent& first = components_[0];
    set(draw_plane_, texture, first.argument, changed_.device(), static_cast<cl_uint>(tiles), plane);
    launch(draw_plane_, tiles * first.tile_halves, kItems, stage);
  }
  void search(const cl::Buffer& tiles, size_t count, std::span<const Vector> votes, Stage& stage) {
    cl_int8 vectors{};
    ENSURE(votes.size() <= 4);
    for (size_t i = 0; i < votes.size(); ++i) {
      vectors.s[2 * i] = votes[i].x;
      vectors.s[2 * i + 1] = votes[i].y;
    }
    set(search_vectors_, now_, before_, components_[0].argument, tiles, now_plane_, then_plane_, own_, vectors,
        static_cast<int>(votes.size()), field_, cl::Local(16 * sizeof(cl_int2)),
        cl::Local(kSearchItems * sizeof(cl_int)));
    launch(search_vectors_, count * kSearchItems, kSearchItems, stage);
  }

  // Rows of tiles in which something changed: call(offset, bytes) for what lies there together in the texture.
  template <typename Call>
  void for_changed_rows(const Call& call) const {
    const auto across = static_cast<uint32_t>(grid_.across());
    const auto row_of = [&](size_t i) { return static_cast<int>(frame_.changed[i] / across); };
    for (size_t i = 0; i < frame_.changed.size();) {
      const int first = row_of(i);
      int last = first;
      for (; i < frame_.changed.size() && row_of(i) <= last + 1; ++i) last = row_of(i);
      for (int c = 0; c < grid_.component_count(); ++c) {
        const Component& component = grid_.component(c);
        // Both halves of a block at once.
        if (component.offset % component.stride != 0) continue;
        const size_t begin = component.at(0, std::min(first * component.tile_rows(), component.blocks_y));
        const size_t end = component.at(0, std::min((last + 1) * component.tile_rows(), component.blocks_y));
        if (begin < end) call(begin, end - begin);
      }
    }
  }

  void upload() {
    for_changed_rows([&](size_t at, size_t bytes) {
      queue_.enqueueWriteBuffer(now_, CL_FALSE, at, bytes, frame_.texture.data() + at, nullptr, upload_.next());
    });
    std::ranges::copy(frame_.changed, changed_.host().begin());
    changed_.upload(queue_, frame_.changed.size());
    const auto host = due_.host();
    for (size_t i = 0; i < frame_.due.size(); ++i) {
      const uint32_t tile = frame_.due[i];
      const bool alone = frame_.is_first || (!frame_.alone.empty() && frame_.alone[tile] != 0);
      host[i] = tile | (alone ? TEXCAST_TILE_ALONE : 0);
    }
    due_.upload(queue_, frame_.due.size());
  }

  const ocl::Device device_;
  const TileGrid grid_;
  const cl::CommandQueue queue_;
  const size_t texture_bytes_;
  std::vector<DeviceComponent> components_;
  std::optional<SymbolKernels> of_colors_, of_channels_;
  cl::Kernel draw_plane_, vote_, search_vectors_, put_places_;
  cl::Buffer now_, before_;  // textures; but for what changed in the frame at hand they are the same
  cl::Buffer now_plane_, then_plane_;
  cl::Buffer field_, own_;
  MirroredList<uint32_t> changed_, due_, plain_;
  MirroredList<cl_uint4> winners_;
  MirroredList<texcast_unit_symbols> units_;
  MirroredList<cl_uint> total_;
  MirroredList<uint16_t> symbols_;
  std::vector<Movements> movements_;
  compact::FrameToDecide frame_;
  Stage upload_, motion_, symbols_made_, download_, remembering_;  // of the frame
};

}  // namespace

bool is_worth_it(const DeviceInfo& device) { return device.is_gpu && !device.shares_host_memory; }

std::unique_ptr<DeviceDecider> make_device_decider(const DeviceInfo& device, const compact::TileGrid& grid) {
  if (grid.texture().width >= kMostPixels || grid.texture().height >= kMostPixels)
    throw Error(ErrorKind::no_device, "compact streams of so large pictures have no kernels");
  const ocl::Device opened(device);
  std::unique_ptr<DeviceDecider> decider;
  ocl::guarded(opened, [&] { decider = std::make_unique<Decider>(opened, grid); });
  return decider;
}

}  // namespace texcast::compact_cl
