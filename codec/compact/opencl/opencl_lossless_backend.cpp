#include "compact/opencl_lossless_backend.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>
#include <vector>

#include "base/ensure.h"
#include "compact/slice_bytes.h"
#include "compact/tables.h"
#include "component_argument.h"
#include "device_memory.h"
#include "devices/llvmpipe.h"
#include "kernels/compact.h"
#include "ocl/program.h"
#include "stage.h"

namespace texcast::compact {
namespace {

constexpr size_t kItems = 64;  // of a work-group, of those kernels whose items do not know each other
constexpr size_t kWalkItems = 32, kRansItems = 32, kSearchItems = 32, kVoteItems = 64;
constexpr size_t kMostLevels = 4;
// Of a half-block: kind, end points with six differences of four symbols each, indices with eight pairs; or with two
// differences, and sixteen far ranks. Of a unit's eight vectors as many as eleven each.
constexpr size_t kMostHalfSymbols = 35, kMostVectorSymbols = 8 * 11;
constexpr int kMostPixels = 1 << 15;  // vectors have 16 bits here

static_assert(sizeof(texcast_component) == 11 * 4 && sizeof(texcast_facts) == 96 && sizeof(texcast_coded_unit) == 128);

MotionVector unpacked(uint32_t v) { return {static_cast<int16_t>(v & 0xFFFF), static_cast<int16_t>(v >> 16)}; }

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
    const SymbolTables tables = symbol_tables(c.tables);
    cost = constant_buffer(device, tables.costs);
    rank_cost = constant_buffer(device, tables.of_ranks);
    places = memory(places_bytes());
    facts = memory(grid.tiles() * tile_halves * sizeof(texcast_facts));
    choices = memory(grid.tiles() * tile_halves * sizeof(cl_uint2));
  }
  size_t places_bytes() const { return (size_t{1} << (64 - argument.places_shift)) * 8 * sizeof(uint32_t); }
  bool is_channel() const { return argument.kind == TEXCAST_CHANNEL; }
};

class Decider final : public OpenClLosslessBackend {
 public:
  Decider(const ocl::Device& device, const TileGrid& grid, size_t most_slice_bytes)
      : device_(device),
        grid_(grid),
        queue_(device.make_queue()),
        most_unit_bytes_(most_slice_bytes),
        stride_((std::min(grid.most_raw_bytes(1), most_slice_bytes) + 1) / 2),
        texture_bytes_((grid.texture_bytes() + 7) / 8 * 8),
        changed_(device, queue_, grid.tiles()),
        due_(device, queue_, grid.tiles()),
        to_code_(device, queue_, grid.tiles()),
        rooms_(device, queue_, grid.tiles()),
        winners_(device, queue_, grid.tiles()),
        coded_(device, queue_, grid.tiles()),
        totals_(device, queue_, 2),
        bytes_(device, queue_, most_bytes()),
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
    symbols_ = memory(most_symbols() * sizeof(uint16_t));
    words_ = memory(grid_.tiles() * stride_ * sizeof(uint16_t));
    all_words_ = memory(grid_.tiles() * stride_ * sizeof(uint16_t));
    std::vector<uint32_t> slots;
    for (int i = 0; i < grid_.component_count(); ++i) {
      const auto of_component = symbol_tables(grid_.component(i).tables).slots;
      slots.insert(slots.end(), of_component.begin(), of_component.end());
    }
    slots_ = constant_buffer(device_, slots);
    for (auto& level : levels_) level.reserve(grid_.tiles());
    for (auto* list : {&cut_, &changed_tiles_}) list->reserve(grid_.tiles());
    slices_.reserve(grid_.tiles());
    to_encode_.reserve(grid_.tiles());
    encoded_.reserve(grid_.tiles());
    differences_.resize(grid_.tiles());
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
    const cl::Program rans = ocl::build_program(device_, "compact/rans.cl", "");
    code_units_ = cl::Kernel(rans, "code_units");
    gather_units_ = cl::Kernel(rans, "gather_units");
    upload({});
  }

  void start(const EncoderState& state, Workers& workers) override {
    workers_ = &workers;
    upload(state);
  }

  // Comparing the textures in the host's memory takes less time than uploading all of one.
  std::span<const TileDifference> begin(const BackendFrame& frame) override {
    frame_ = frame;
    std::ranges::fill(differences_, TileDifference{0});
    workers_->parallel_for(frame.compared.size(), [&](size_t i) {
      const uint32_t tile = frame.compared[i];
      if (frame.reference.empty() || differs(grid_, {.tile = tile}, frame.texture.data(), frame.reference.data()))
        differences_[tile] = kChanged;
    });
    return differences_;
  }

  std::span<const MotionCandidates> find_candidates(const FrameView*, std::span<const uint32_t>,
                                                    std::span<const uint32_t> changed) override {
    changed_tiles_.assign(changed.begin(), changed.end());
    const std::span<MotionCandidates> movements = std::span(movements_).first(changed.size());
    std::ranges::fill(movements, MotionCandidates{});
    ocl::guarded(device_, [&] {
      queue_.finish();  // what end() began
      for (Stage* stage : {&upload_, &motion_, &symbols_made_, &coding_, &download_, &remembering_}) stage->clear();
      upload_changes();
      if (frame_.reference.empty() || changed.empty()) return;
      const size_t tiles = changed.size();
      set_arguments(vote_, now_, before_, components_[0].argument, changed_.device(), components_[0].places,
                    winners_.device(), own_, cl::Local(2 * kVoteItems * sizeof(cl_uint2)),
                    cl::Local(2 * kVoteItems * sizeof(cl_uint)));
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

  std::span<const TileComplexity> complexity(std::span<const TileToMeasure>, std::span<const MotionVector>) override {
    return {};  // for rate control, which lossless streams have none of
  }

  void encode(std::span<const TileToEncode> tiles, std::span<const MotionVector> global) override {
    ENSURE(frame_.most_slice_bytes == most_unit_bytes_);
    slices_.clear();
    used_bytes_ = 0;
    to_encode_.assign(tiles.begin(), tiles.end());
    ocl::guarded(device_, [&] {
      if (tiles.empty()) return;
      for (size_t i = 0; i < tiles.size(); ++i) due_.host()[i] = unit_argument(i, 0, 0);
      due_.upload(queue_, tiles.size());
      search(tiles.size(), global, motion_);
      cut_.clear();
      for (size_t i = 0; i < tiles.size(); ++i) cut_.push_back(static_cast<uint32_t>(i));
      for (int level = 0; level < static_cast<int>(kMostLevels); ++level) {
        levels_[static_cast<size_t>(level)].assign(tiles.size(), {});
        if (cut_.empty()) continue;
        ENSURE(level < most_levels());
        code(level);
        std::erase_if(cut_, [&](uint32_t i) { return has_room(i, level); });
      }
      queue_.finish();
      device_.proved();
    });
  }

  EncodedBatch wait() override {
    coded_slices_.clear();
    for (const texcast_coded_unit& slice : slices_)
      coded_slices_.push_back(
          {.bytes = Bytes(static_cast<const std::byte*>(bytes_.data()) + slice.first_word * sizeof(uint16_t),
                          slice.words * sizeof(uint16_t)),
           .referenced = {slice.touched_tiles, std::min<size_t>(slice.touched, TEXCAST_JUMPS)},
           .references_more = slice.touched > TEXCAST_JUMPS});
    encoded_.clear();
    for (size_t i = 0; i < to_encode_.size(); ++i) {
      EncodedTile& tile = encoded_.emplace_back();
      for (size_t level = 0; level < kMostLevels; ++level)
        tile.slices[level] = std::span(coded_slices_).subspan(levels_[level][i].first, levels_[level][i].count);
      const texcast_coded_unit& whole = slices_[levels_[0][i].first];
      for (size_t area = 0; area < tile.vectors.size(); ++area) tile.vectors[area] = unpacked(whole.vectors[area]);
    }
    return {.tiles = encoded_};
  }

  std::span<const SubBlockTexels> texels() override { return {}; }  // for lossy streams

  void end(const FrameOutcome& outcome) override {
    const size_t tiles = changed_tiles_.size();
    const std::span<const uint32_t> recoded = outcome.recoded;
    ocl::guarded(device_, [&] {
      for (size_t i = 0; i < recoded.size(); ++i) due_.host()[i] = recoded[i] | TEXCAST_UNIT_ALONE;
      due_.upload(queue_, recoded.size());
      if (!recoded.empty()) search(recoded.size(), {}, remembering_);  // they have no vectors
      if (tiles == 0) return;
      const bool is_first = frame_.reference.empty();
      for (const DeviceComponent& c : components_) {
        for (const int empties : {1, 0}) {
          set_arguments(put_places_, now_, before_, c.argument, changed_.device(), static_cast<cl_uint>(tiles),
                        static_cast<int>(is_first), empties, c.places);
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

  LosslessBackendTimes times() const override {
    LosslessBackendTimes times;
    ocl::guarded(device_, [&] {
      queue_.finish();
      times = {.upload = upload_.time(),
               .motion = motion_.time(),
               .symbols = symbols_made_.time(),
               .coding = coding_.time(),
               .download = download_.time(),
               .remembering = remembering_.time()};
    });
    return times;
  }

 private:
  void upload(const EncoderState& state) {
    ocl::guarded(device_, [&] {
      queue_.enqueueFillBuffer(field_, cl_uint{0}, 0, grid_.tiles() * sizeof(TileVectors));
      for (size_t i = 0; i < components_.size(); ++i) {
        const DeviceComponent& component = components_[i];
        if (state.sub_blocks[i].empty()) {
          queue_.enqueueFillBuffer(component.places, cl_uint{0}, 0, component.places_bytes());
        } else {
          ENSURE(state.sub_blocks[i].size_bytes() == component.places_bytes());
          queue_.enqueueWriteBuffer(component.places, CL_FALSE, 0, component.places_bytes(),
                                    state.sub_blocks[i].data());
        }
      }
      if (!state.reference.empty()) {
        ENSURE(state.reference.size() == grid_.texture_bytes() && state.vectors.size() == grid_.tiles());
        for (const cl::Buffer& texture : {now_, before_})
          queue_.enqueueWriteBuffer(texture, CL_FALSE, 0, state.reference.size(), state.reference.data());
        queue_.enqueueWriteBuffer(field_, CL_FALSE, 0, state.vectors.size_bytes(), state.vectors.data());
        for (uint32_t tile = 0; tile < grid_.tiles(); ++tile) changed_.host()[tile] = tile;
        changed_.upload(queue_, grid_.tiles());
        draw(before_, grid_.tiles(), then_plane_, remembering_);
      }
      queue_.finish();
    });
  }

  // Of a tile, in slices_.
  struct SlicesOfTile {
    uint32_t first = 0, count = 0;
  };

  size_t most_symbols() const {
    size_t of_tile = kMostVectorSymbols;
    for (int i = 0; i < grid_.component_count(); ++i)
      of_tile +=
          static_cast<size_t>(grid_.component(i).tile_columns()) * grid_.component(i).tile_rows() * kMostHalfSymbols;
    return of_tile * grid_.tiles();
  }
  // Into 1, 2, 4 or 8 strips: until a strip is no longer than it may be, plain.
  int most_levels() const {
    int levels = 1;
    while (grid_.most_raw_bytes(static_cast<uint8_t>(1 << (levels - 1))) > most_unit_bytes_) ++levels;
    return levels;
  }
  // Of all levels' units.
  size_t most_bytes() const {
    size_t of_tile = 0;
    for (int level = 0; level < most_levels(); ++level) {
      const auto sub_slices = static_cast<uint8_t>(1 << level);
      of_tile += sub_slices * (std::min(grid_.most_raw_bytes(sub_slices), most_unit_bytes_) + 1);
    }
    return of_tile * grid_.tiles();
  }
  SymbolKernels& kernels_of(const DeviceComponent& c) { return c.is_channel() ? *of_channels_ : *of_colors_; }

  void launch(const cl::Kernel& kernel, size_t items, size_t group, Stage& stage) {
    queue_.enqueueNDRangeKernel(kernel, cl::NullRange, rounded_up(items, group), cl::NDRange(group), nullptr,
                                stage.next());
  }
  void draw(const cl::Buffer& texture, size_t tiles, const cl::Buffer& plane, Stage& stage) {
    const DeviceComponent& first = components_[0];
    set_arguments(draw_plane_, texture, first.argument, changed_.device(), 0, static_cast<cl_uint>(tiles), plane);
    launch(draw_plane_, tiles * first.tile_halves, kItems, stage);
  }
  // Of the first tiles in due_.
  void search(size_t count, std::span<const MotionVector> votes, Stage& stage) {
    cl_int8 vectors{};
    ENSURE(votes.size() <= 4);
    for (size_t i = 0; i < votes.size(); ++i) {
      vectors.s[2 * i] = votes[i].x;
      vectors.s[2 * i + 1] = votes[i].y;
    }
    set_arguments(search_vectors_, now_, before_, components_[0].argument, due_.device(), now_plane_, then_plane_, own_,
                  vectors, static_cast<int>(votes.size()), field_, cl::Local(16 * sizeof(cl_int2)),
                  cl::Local(kSearchItems * sizeof(cl_int)));
    launch(search_vectors_, count * kSearchItems, kSearchItems, stage);
  }

  // Rows of tiles in which something changed: call(offset, bytes) for what lies there together in the texture.
  template <typename Call>
  void for_changed_rows(const Call& call) const {
    const auto across = static_cast<uint32_t>(grid_.across());
    const auto row_of = [&](size_t i) { return static_cast<int>(changed_tiles_[i] / across); };
    for (size_t i = 0; i < changed_tiles_.size();) {
      const int first = row_of(i);
      int last = first;
      for (; i < changed_tiles_.size() && row_of(i) <= last + 1; ++i) last = row_of(i);
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

  void upload_changes() {
    for_changed_rows([&](size_t at, size_t bytes) {
      queue_.enqueueWriteBuffer(now_, CL_FALSE, at, bytes, frame_.texture.data() + at, nullptr, upload_.next());
    });
    std::ranges::copy(changed_tiles_, changed_.host().begin());
    changed_.upload(queue_, changed_tiles_.size());
  }

  Slice unit_of(size_t i, int level, uint8_t sub_slice) const {
    return {.tile = to_encode_[i].tile, .sub_slices = static_cast<uint8_t>(1 << level), .sub_slice = sub_slice};
  }
  uint32_t unit_argument(size_t i, int level, uint8_t sub_slice) const {
    return to_encode_[i].tile | static_cast<uint32_t>(level) << TEXCAST_UNIT_STRIPS_AT |
           static_cast<uint32_t>(sub_slice) << TEXCAST_UNIT_STRIP_AT | (to_encode_[i].intra ? TEXCAST_UNIT_ALONE : 0);
  }
  bool has_room(uint32_t i, int level) const {
    const auto sub_slices = static_cast<uint8_t>(1 << level);
    for (uint8_t sub_slice = 0; sub_slice < sub_slices; ++sub_slice) {
      const size_t plain = grid_.raw_bytes(unit_of(i, level, sub_slice));
      if (plain == 0) break;
      if (slices_[levels_[static_cast<size_t>(level)][i].first + sub_slice].words == 0 && plain > most_unit_bytes_)
        return false;
    }
    return true;
  }

  // The tiles in cut_, in 2^level strips, as many at once as there is memory for.
  void code(int level) {
    size_t count = 0;
    for (const uint32_t i : cut_) {
      SlicesOfTile& of_tile = levels_[static_cast<size_t>(level)][i];
      of_tile.first = static_cast<uint32_t>(slices_.size() + count);
      const auto sub_slices = static_cast<uint8_t>(1 << level);
      for (uint8_t sub_slice = 0; sub_slice < sub_slices; ++sub_slice) {
        const size_t plain = grid_.raw_bytes(unit_of(i, level, sub_slice));
        if (plain == 0) break;
        if (count == grid_.tiles()) {
          code_units(count);
          count = 0;
        }
        to_code_.host()[count] = unit_argument(i, level, sub_slice);
        rooms_.host()[count] = static_cast<uint32_t>((std::min(plain, most_unit_bytes_ + 1) - 1) / 2);
        ++count;
        ++of_tile.count;
      }
    }
    code_units(count);
  }

  // The first units of to_code_ and rooms_; adds them to units_ and bytes_.
  void code_units(size_t count) {
    to_code_.upload(queue_, count);
    rooms_.upload(queue_, count);
    queue_.enqueueFillBuffer(totals_.device(), cl_uint{0}, 0, 2 * sizeof(cl_uint));
    const auto slices = static_cast<cl_uint>(count);
    const auto components = static_cast<int>(components_.size());
    for (int i = 0; i < components; ++i) {
      const DeviceComponent& c = components_[i];
      SymbolKernels& kernels = kernels_of(c);
      set_arguments(kernels.find_facts, now_, before_, c.argument, to_code_.device(), slices, field_, c.cost,
                    c.rank_cost, c.places, c.facts);
      launch(kernels.find_facts, count * c.tile_halves, kItems, symbols_made_);
      set_arguments(kernels.walk_units, before_, c.argument, to_code_.device(), slices, field_, c.cost, c.facts,
                    c.choices, coded_.device(), totals_.device(), i, components,
                    cl::Local(16 * kWalkItems * sizeof(cl_ushort)));
      launch(kernels.walk_units, count, kWalkItems, symbols_made_);
    }
    for (int i = 0; i < components; ++i) {
      const DeviceComponent& c = components_[i];
      SymbolKernels& kernels = kernels_of(c);
      set_arguments(kernels.write_symbols, now_, c.argument, to_code_.device(), slices, field_, c.facts, c.choices,
                    coded_.device(), symbols_, i);
      launch(kernels.write_symbols, count * c.tile_halves, kItems, symbols_made_);
    }
    const auto stride = static_cast<cl_uint>(stride_);
    set_arguments(code_units_, slices, rooms_.device(), symbols_, slots_, components, stride, words_, coded_.device(),
                  totals_.device());
    launch(code_units_, count, kRansItems, coding_);
    set_arguments(gather_units_, words_, coded_.device(), stride, all_words_);
    launch(gather_units_, count * kItems, kItems, coding_);
    totals_.download(queue_, 2);
    coded_.download(queue_, count);
    queue_.finish();
    const size_t base = used_bytes_ / sizeof(uint16_t), bytes = totals_.host()[1] * sizeof(uint16_t);
    if (bytes > 0)
      queue_.enqueueReadBuffer(all_words_, CL_FALSE, 0, bytes, static_cast<std::byte*>(bytes_.data()) + used_bytes_,
                               nullptr, download_.next());
    used_bytes_ += bytes;
    for (size_t i = 0; i < count; ++i) {
      slices_.push_back(coded_.host()[i]);
      slices_.back().first_word += static_cast<uint32_t>(base);
    }
  }

  const ocl::Device device_;
  const TileGrid grid_;
  const cl::CommandQueue queue_;
  const size_t most_unit_bytes_, stride_;  // stride_: words of 16 bits that a unit has at most
  const size_t texture_bytes_;
  std::vector<DeviceComponent> components_;
  std::optional<SymbolKernels> of_colors_, of_channels_;
  cl::Kernel draw_plane_, vote_, search_vectors_, put_places_, code_units_, gather_units_;
  cl::Buffer now_, before_;  // textures; but for what changed in the frame at hand they are the same
  cl::Buffer now_plane_, then_plane_;
  cl::Buffer field_, own_, symbols_, words_, all_words_, slots_;
  MirroredList<uint32_t> changed_, due_, to_code_, rooms_;  // due_: whose vectors are searched for
  MirroredList<cl_uint4> winners_;
  MirroredList<texcast_coded_unit> coded_;
  MirroredList<cl_uint> totals_;  // symbols, words
  PinnedBytes bytes_;             // of the units
  std::vector<MotionCandidates> movements_;
  std::vector<texcast_coded_unit> slices_;                     // of the frame; first_word is in bytes_
  std::array<std::vector<SlicesOfTile>, kMostLevels> levels_;  // of each tile in to_encode_, in slices_
  std::vector<uint32_t> cut_;                                  // places in to_encode_, to be coded
  std::vector<TileToEncode> to_encode_;
  std::vector<BackendSlice> coded_slices_;  // of slices_
  std::vector<EncodedTile> encoded_;
  std::vector<uint32_t> changed_tiles_;
  std::vector<TileDifference> differences_;
  Workers* workers_ = nullptr;
  size_t used_bytes_ = 0;  // of bytes_
  BackendFrame frame_;
  Stage upload_, motion_, symbols_made_, coding_, download_, remembering_;  // of the frame
};

}  // namespace

std::optional<DeviceInfo> usual_device(const std::string& selectors) {
  for (const DeviceChoice& choice : choose_devices(selectors))
    if (!choice.cpu_reference && choice.device.is_gpu && !is_llvmpipe(choice.device)) return choice.device;
  return std::nullopt;
}

std::unique_ptr<OpenClLosslessBackend> make_opencl_lossless_backend(const DeviceInfo& device, const TileGrid& grid,
                                                                    size_t most_slice_bytes) {
  if (grid.texture().width >= kMostPixels || grid.texture().height >= kMostPixels)
    throw Error(ErrorKind::no_device, "compact streams of so large pictures have no kernels");
  const ocl::Device opened(device);
  std::unique_ptr<OpenClLosslessBackend> decider;
  ocl::guarded(opened, [&] { decider = std::make_unique<Decider>(opened, grid, most_slice_bytes); });
  return decider;
}

}  // namespace texcast::compact
