#include "compact/opencl_lossy_backend.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "base/ensure.h"
#include "compact/opencl_lossless_backend.h"
#include "compact/rd_costs.h"
#include "compact/tables.h"
#include "compact/window_index.h"
#include "component_argument.h"
#include "device_memory.h"
#include "kernels/compact.h"
#include "ocl/program.h"
#include "stage.h"
#include "stages/source_argument.h"
#include "stages/stage.h"

namespace texcast::compact {
namespace {

constexpr size_t kTileItems = 32;  // of a work-group, which is a tile's
constexpr size_t kFactsItems = TEXCAST_LOSSY_FACTS_ITEMS;
constexpr size_t kHalfItems = 64;  // of those whose items are half-blocks
constexpr size_t kWindowItems = 64, kMostWindowVotes = 256;
constexpr size_t kWindowWays = 4;
constexpr size_t kTellItems = 64;
// Of choose_lossy, which takes 157 where it can, so that twelve tiles have room in a multiprocessor; sixteen take a
// twelfth less time (an H100, 3840x2160).
constexpr const char* kFewRegisters = " -DLOSSY_GROUP= -cl-nv-maxrregcount=128";
constexpr size_t kCodeItems = 16;  // whose tiles take about as long as each other
// Of a half-block, in the mean of those that are chosen at once: more have no room. Few films need three.
constexpr size_t kSymbolsOfHalf = 16;

static_assert(sizeof(texcast_lossy_component) == 24 * 4 && sizeof(texcast_lossy_tile) == 30 * 4);
static_assert(kChanged == TEXCAST_CHANGED && kContents == TEXCAST_CONTENTS &&
              static_cast<int>(Content::screen) == TEXCAST_SCREEN);

// Sub-blocks that lie together: the first one and how many.
struct Range {
  size_t begin, count;
};

// What draws pictures of a format.
struct SourceKernel {
  FrameFormat format;
  FramePlacement placed;
  cl::Buffer frame;
  PinnedBytes on_host;
  cl::Kernel draw;
  SourceKernel(const ocl::Device& device, const cl::CommandQueue& queue, const FrameFormat& of)
      : format(of),
        placed(place_frame(of)),
        frame(device.context(), CL_MEM_READ_ONLY, placed.padded_bytes),
        on_host(device, queue, placed.padded_bytes) {
    draw = cl::Kernel(ocl::build_program(device, "compact/source.cl", stages::source_defines(of)), "draw_source");
  }
};

class Chooser final : public OpenClLossyBackend {
 public:
  Chooser(const ocl::Device& device, const TileGrid& grid, const FrameFormat* picture)
      : device_(device),
        grid_(grid),
        queue_(device.make_queue()),
        halves_(grid.texture_bytes() / 8),
        pixels_(static_cast<size_t>(grid.component(0).blocks_x) * grid.component(0).blocks_y * 16),
        texture_on_host_(device, queue_, halves_ * 8),
        made_(device, queue_, halves_ * 8),
        symbols_of_tile_(kSymbolsOfHalf * halves_of_tile(grid)),
        symbols_(device, queue_, with_trials(grid) * symbols_of_tile_ * sizeof(uint16_t)),
        tiles_(device, queue_, kMostBatches * size_t{grid.tiles()}),
        told_(device, queue_, kMostBatches * size_t{grid.tiles()}),
        words_of_tile_(grid.most_raw_bytes(1) / 2),
        words_(device, queue_, with_trials(grid) * words_of_tile_ * sizeof(uint16_t)),
        list_(device, queue_, kMostLists * size_t{grid.tiles()}),
        changes_(device, queue_, grid.tiles()),
        winners_(device, queue_, grid.tiles()),
        looks_(device, queue_, grid.tiles()),
        movements_(grid.tiles()),
        details_(grid.tiles()),
        windows_shift_(64 - window_index_bits(grid)),
        windows_bytes_((kWindowWays << window_index_bits(grid)) * sizeof(uint32_t)) {
    const auto memory = [&](size_t bytes) { return cl::Buffer(device_.context(), CL_MEM_READ_WRITE, bytes); };
    for (cl::Buffer* texture : {&texture_, &given_texture_, &before_, &made_on_device_}) *texture = memory(halves_ * 8);
    for (cl::Buffer* plane : {&now_, &given_, &then_}) *plane = memory(pixels_);
    colours_ = memory(pixels_ * 2 * sizeof(int16_t));
    for (cl::Buffer* windows : {&windows_, &latest_windows_}) *windows = memory(windows_bytes_);
    source_on_device_ = memory(halves_ * sizeof(SubBlockTexels));
    choices_ = memory(halves_ * sizeof(texcast_lossy_choice));
    symbols_on_device_ = memory(with_trials(grid) * symbols_of_tile_ * sizeof(uint16_t));
    for (cl::Buffer* words : {&words_by_tile_, &words_on_device_})
      *words = memory(with_trials(grid) * words_of_tile_ * sizeof(uint16_t));
    for (cl::Buffer* used : {&used_symbols_, &used_words_}) *used = memory(sizeof(cl_uint));
    facts_ = memory(grid.tiles() * halves_of_tile(grid) * sizeof(texcast_lossy_facts));
    std::vector<texcast_lossy_component> components;
    std::array<std::vector<uint16_t>, 2> costs;  // of symbols; of contexts
    for (int content = 0; content < kContents; ++content) {
      for (int i = 0; i < grid_.component_count(); ++i) {
        const RdCosts prices = rd_costs(grid_, i);
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
    std::vector<uint32_t> slots;
    for (int content = 0; content < kContents; ++content)
      for (int i = 0; i < grid_.component_count(); ++i)
        std::ranges::copy(lossy_symbol_slots(static_cast<Content>(content), grid_.component(i).tables),
                          std::back_inserter(slots));
    slots_ = constant_buffer(device_, slots);
    for (const texcast_lossy_component& component : components) arguments_.push_back(component.component);
    components_ = constant_buffer(device_, components);
    cost_ = constant_buffer(device_, costs[0]);
    least_cost_ = constant_buffer(device_, costs[1]);
    const cl::Program choosing = ocl::build_program(device_, "compact/lossy.cl",
                                                    std::string("-DCHANNEL=1 -DLOSSY_ITEMS=")
                                                        .append(std::to_string(kTileItems))
                                                        .append(" -DRANK_ITEMS=")
                                                        .append(device.info().is_gpu ? "4" : "1")
                                                        .append(stages::limits_registers(device) ? kFewRegisters : ""));
    find_facts_ = cl::Kernel(choosing, "find_lossy_facts");
    choose_ = cl::Kernel(choosing, "choose_lossy");
    search_ = cl::Kernel(ocl::build_program(device_, "compact/half_search.cl", "-DCHANNEL=1"), "search_halves");
    draw_plane_ = cl::Kernel(ocl::build_program(device_, "compact/motion.cl", "-DCHANNEL=1"), "draw_plane");
    const cl::Program texels = ocl::build_program(device_, "compact/texels.cl", "-DCHANNEL=1");
    texels_of_luma_ = cl::Kernel(texels, "texels_of_luma");
    texels_of_colour_ = cl::Kernel(texels, "texels_of_colour");
    texels_of_blocks_ = cl::Kernel(texels, "texels_of_blocks");
    tell_ = cl::Kernel(ocl::build_program(device_, "compact/tell.cl",
                                          std::string("-DCHANNEL=1 -DTELL_ITEMS=").append(std::to_string(kTellItems))),
                       "tell_tiles");
    const cl::Program rans = ocl::build_program(device_, "compact/rans.cl", "");
    code_ = cl::Kernel(rans, "code_tiles");
    gather_ = cl::Kernel(rans, "gather_tiles");
    const cl::Program changes = ocl::build_program(device_, "compact/changes.cl", "-DCHANNEL=1");
    find_changes_ = cl::Kernel(changes, "find_changes");
    keep_halves_ = cl::Kernel(changes, "keep_halves");
    keep_plane_ = cl::Kernel(changes, "keep_plane");
    const cl::Program windows = ocl::build_program(device_, "compact/windows.cl", "-DCHANNEL=1");
    vote_ = cl::Kernel(windows, "vote_windows");
    put_windows_ = cl::Kernel(windows, "put_windows");
    find_detail_ = cl::Kernel(ocl::build_program(device_, "compact/detail.cl", "-DCHANNEL=1"), "find_detail");
    if (picture != nullptr) sources_.emplace(device_, queue_, *picture);
    found_.reserve(grid.tiles());
    found_slices_.reserve(grid.tiles());
  }

  void start(const EncoderState& state, Workers& workers) override {
    workers_ = &workers;
    outcome_ = {};
    ocl::guarded(device_, [&] {
      const auto write = [&](const cl::Buffer& to, const auto& from) {
        if (!from.empty()) queue_.enqueueWriteBuffer(to, CL_TRUE, 0, from.size_bytes(), from.data());
      };
      write(now_, state.source_plane);
      write(given_, state.previous_plane);
      write(given_texture_, state.previous_source);
      write(before_, state.reference);
      write(colours_, state.source_chroma);
      for (const cl::Buffer& windows : {windows_, latest_windows_})
        queue_.enqueueFillBuffer(windows, cl_uint{0}, 0, windows_bytes_);
      ENSURE(state.window_index_entries.empty() || state.window_index_entries.size_bytes() == windows_bytes_);
      write(windows_, state.window_index_entries);
      if (state.reference.empty()) return;
      used_list_ = 0;
      std::vector<uint32_t> all(grid_.tiles());
      std::iota(all.begin(), all.end(), 0);
      draw_plane(before_, put(all), then_);
      send();
      wait_for_sent();
    });
  }

  std::span<const TileDifference> begin(const BackendFrame& frame) override {
    frame_ = frame;
    used_list_ = used_tiles_ = symbols_place_ = words_place_ = 0;
    for (Stage* stage : {&begin_, &search_stage_, &choosing_, &telling_, &download_}) stage->clear();
    ocl::guarded(device_, [&] {
      wait_for_sent();  // for a batch of the frame before that nobody asked for
      const List given = put(outcome_.redrawn), told = put(outcome_.coded), compared = put(frame.compared);
      keep(given, texture_, given_texture_);
      if (given.count > 0) {
        set_arguments(keep_plane_, arguments_[0], list_.device(), given.first, given.count, now_, given_);
        launch(keep_plane_, given.count * first_halves(), begin_);
      }
      if (told.count > 0 && !frame.reference.empty()) {
        keep(told, made_on_device_, before_);
        for_ranges(outcome_.recoded, [&](const Range& range) { upload(frame.reference, before_, range, begin_); });
        draw_plane(before_, told, then_);
      }
      for_ranges(frame.compared, [&](const Range& range) {
        const auto at = static_cast<std::byte*>(texture_on_host_.data()) + range.begin * 8;
        copy_lines(1, 0, range.count * 8, frame.texture.data() + range.begin * 8, 0, at);
        queue_.enqueueWriteBuffer(texture_, CL_FALSE, range.begin * 8, range.count * 8, at, nullptr, begin_.next());
      });
      queue_.enqueueFillBuffer(changes_.device(), cl_uint{0}, 0, grid_.tiles() * sizeof(cl_uint), nullptr,
                               begin_.next());
      for (size_t i = 0; i < arguments_.size() && compared.count > 0; ++i) {
        set_arguments(find_changes_, arguments_[i], list_.device(), compared.first, compared.count, texture_,
                      given_texture_, cl_int{frame.reference.empty()}, cl_int{i == 0}, changes_.device());
        launch(find_changes_, compared.count * tile_halves(arguments_[i]), begin_);
      }
      changes_.download(queue_, grid_.tiles(), begin_.next());
      send();
      wait_for_sent();
    });
    return changes_.host();
  }

  std::span<const MotionCandidates> find_candidates(const FrameView* picture, std::span<const uint32_t> drawn,
                                                    std::span<const uint32_t> changed) override {
    picture_ = picture;
    const std::span<MotionCandidates> movements = std::span(movements_).first(changed.size());
    std::ranges::fill(movements, MotionCandidates{});
    ocl::guarded(device_, [&] {
      if (picture != nullptr && (!sources_ || sources_->format != picture->format))
        sources_.emplace(device_, queue_, picture->format);
      const List to_draw = put(drawn), to_vote = put(changed);
      if (to_draw.count > 0 && picture != nullptr) {
        upload_picture(drawn);
        set_arguments(sources_->draw, sources_->frame, stages::source_argument(sources_->format), arguments_[0],
                      list_.device(), to_draw.first, to_draw.count, now_, colours_);
        launch(sources_->draw, to_draw.count * first_halves(), begin_);
      } else if (to_draw.count > 0) {
        draw_plane(texture_, to_draw, now_);
      }
      if (to_vote.count == 0) {
        send();
        return wait_for_sent();  // for the picture, which is nobody's afterwards
      }
      const bool is_first = frame_.reference.empty();
      if (!is_first) {
        set_arguments(vote_, arguments_[0], list_.device(), to_vote.first, now_, given_, windows_, windows_shift_,
                      winners_.device(), cl::Local(kWindowItems * sizeof(cl_uint)),
                      cl::Local(kMostWindowVotes * sizeof(cl_uint)), cl::Local(kMostWindowVotes * sizeof(cl_uint2)));
        queue_.enqueueNDRangeKernel(vote_, cl::NullRange, cl::NDRange(to_vote.count * kWindowItems),
                                    cl::NDRange(kWindowItems), nullptr, begin_.next());
        winners_.download(queue_, to_vote.count, begin_.next());
      }
      cl::Event voted;
      queue_.enqueueMarkerWithWaitList(nullptr, &voted);
      for (const cl_int settles : {0, 1}) {
        set_arguments(put_windows_, arguments_[0], list_.device(), to_vote.first, to_vote.count, now_, windows_shift_,
                      settles, latest_windows_, windows_);
        launch(put_windows_, to_vote.count * first_halves() * 16, begin_);
      }
      send();
      voted.wait();
      if (is_first) return;
      const auto unpacked = [](cl_uint v) {
        return MotionVector{static_cast<int16_t>(v & 0xFFFF), static_cast<int16_t>(v >> 16)};
      };
      for (size_t i = 0; i < movements.size(); ++i) {
        const cl_uint4& w = winners_.host()[i];
        movements[i] = {{{unpacked(w.s[0]), w.s[1]}, {unpacked(w.s[2]), w.s[3]}}};
      }
    });
    return movements;
  }

  std::span<const TileComplexity> complexity(std::span<const TileToMeasure> tiles,
                                             std::span<const MotionVector> votes) override {
    const std::span<TileComplexity> details = std::span(details_).first(tiles.size());
    ocl::guarded(device_, [&] {
      if (tiles.empty()) return;
      wait_for_sent();
      for (size_t i = 0; i < tiles.size(); ++i) {
        const TileToMeasure& tile = tiles[i];
        texcast_lossy_look& look = looks_.host()[i] = {.tile = static_cast<int>(tile.tile),
                                                       .alone = tile.intra,
                                                       .vectors = {tile.own.x, tile.own.y},
                                                       .usual = {},
                                                       .detail = 0,
                                                       .is_anew = 0};
        put_vectors(tile.previous_vectors, look.usual);
      }
      looks_.upload(queue_, tiles.size(), begin_.next());
      set_arguments(find_detail_, arguments_[0], looks_.device(), now_, given_, then_, vectors_of(votes),
                    static_cast<cl_int>(votes.size()), cl::Local(kTileItems * sizeof(cl_int)));
      queue_.enqueueNDRangeKernel(find_detail_, cl::NullRange, cl::NDRange(tiles.size() * kTileItems),
                                  cl::NDRange(kTileItems), nullptr, begin_.next());
      looks_.download(queue_, tiles.size(), begin_.next());
      send();
      wait_for_sent();
      for (size_t i = 0; i < tiles.size(); ++i)
        details[i] = {.estimate = looks_.host()[i].detail, .is_new_content = looks_.host()[i].is_anew != 0};
    });
    return details;
  }

  void encode(std::span<const TileToEncode> tiles, std::span<const MotionVector> votes) override {
    ENSURE(used_tiles_ + tiles.size() <= tiles_.host().size() && votes.size() <= 4);
    batch_ = {.first = used_tiles_, .count = tiles.size()};
    Batch& batch = batch_;
    ocl::guarded(device_, [&] {
      if (tiles.empty()) return;
      for (const TileToEncode& tile : tiles) tiles_.host()[used_tiles_++] = argument(tile);
      const size_t at = batch.first * sizeof(texcast_lossy_tile), bytes = tiles.size() * sizeof(texcast_lossy_tile);
      queue_.enqueueWriteBuffer(tiles_.device(), CL_FALSE, at, bytes, tiles_.host().data() + batch.first, nullptr,
                                search_stage_.next());
      const std::vector<Range> ranges = ranges_of(tiles);
      const auto first = static_cast<cl_int>(batch.first);
      const auto count = static_cast<cl_uint>(tiles.size());
      set_arguments(search_, arguments_[0], tiles_.device(), first, now_, then_, given_, vectors_of(votes),
                    static_cast<cl_int>(votes.size()), cl::Local(16 * sizeof(cl_int2)),
                    cl::Local(kTileItems * sizeof(cl_int)));
      queue_.enqueueNDRangeKernel(search_, cl::NullRange, cl::NDRange(tiles.size() * kTileItems),
                                  cl::NDRange(kTileItems), nullptr, search_stage_.next());
      for (int i = 0; i < grid_.component_count(); ++i) {
        const auto& component = arguments_[static_cast<size_t>(i)];
        cl::Kernel& kernel = picture_ == nullptr ? texels_of_blocks_ : i == 0 ? texels_of_luma_ : texels_of_colour_;
        if (picture_ == nullptr)
          set_arguments(kernel, component, tiles_.device(), first, count, texture_, source_on_device_);
        else if (i == 0)
          set_arguments(kernel, component, tiles_.device(), first, count, now_, source_on_device_);
        else
          set_arguments(kernel, arguments_[0], component, tiles_.device(), first, count, colours_, i - 1,
                        source_on_device_);
        launch(kernel, tiles.size() * tile_halves(component), search_stage_);
      }
      const int components = grid_.component_count();
      set_arguments(find_facts_, before_, source_on_device_, components_, components, tiles_.device(), first,
                    static_cast<cl_int>(count), texture_, facts_);
      choose_components(find_facts_, tiles.size() * kFactsItems, kFactsItems, 0, components);
      set_arguments(choose_, before_, source_on_device_, components_, components, tiles_.device(), first, cost_,
                    least_cost_, facts_, made_on_device_, choices_);
      // Contexts of the others ask what the first one chose.
      choose_components(choose_, tiles.size() * kTileItems, kTileItems, 0, 1);
      if (components > 1) choose_components(choose_, tiles.size() * kTileItems, kTileItems, 1, components - 1);
      // Their symbols lie behind those of the batches before.
      batch.begin = symbols_place_;
      batch.end = std::min(batch.begin + tiles.size() * symbols_of_tile_, with_trials(grid_) * symbols_of_tile_);
      symbols_place_ = batch.end;
      queue_.enqueueFillBuffer(used_symbols_, cl_uint{0}, 0, sizeof(cl_uint), nullptr, telling_.next());
      set_arguments(tell_, components_, components, tiles_.device(), first, cost_, made_on_device_, choices_,
                    static_cast<cl_uint>(batch.begin), static_cast<cl_uint>(batch.end), used_symbols_,
                    symbols_on_device_, told_.device(), cl::Local(kTellItems * sizeof(cl_uint)),
                    cl::Local(TEXCAST_CONTENTS * kTellItems * sizeof(cl_int)), cl::Local(3 * sizeof(cl_uint)));
      queue_.enqueueNDRangeKernel(tell_, cl::NullRange, cl::NDRange(tiles.size() * kTellItems), cl::NDRange(kTellItems),
                                  nullptr, telling_.next());
      batch.first_word = words_place_;
      batch.end_word = std::min(batch.first_word + tiles.size() * words_of_tile_, with_trials(grid_) * words_of_tile_);
      words_place_ = batch.end_word;
      batch.is_coded = batch.end_word - batch.first_word == tiles.size() * words_of_tile_;
      const size_t most_words = batch.is_coded ? std::min(frame_.most_slice_bytes / 2, words_of_tile_) : 0;
      queue_.enqueueFillBuffer(used_words_, cl_uint{0}, 0, sizeof(cl_uint), nullptr, telling_.next());
      const auto stride = static_cast<cl_uint>(words_of_tile_);
      set_arguments(code_, count, first, symbols_on_device_, slots_, components, static_cast<cl_uint>(most_words),
                    stride, static_cast<cl_uint>(batch.first_word), used_words_, words_by_tile_, told_.device());
      launch(code_, tiles.size(), telling_, kCodeItems);
      set_arguments(gather_, first, words_by_tile_, told_.device(), stride, words_on_device_);
      queue_.enqueueNDRangeKernel(gather_, cl::NullRange, cl::NDRange(tiles.size() * kHalfItems),
                                  cl::NDRange(kHalfItems), nullptr, telling_.next());
      queue_.enqueueReadBuffer(tiles_.device(), CL_FALSE, at, bytes, tiles_.host().data() + batch.first, nullptr,
                               download_.next());
      queue_.enqueueReadBuffer(told_.device(), CL_FALSE, batch.first * sizeof(texcast_lossy_told),
                               tiles.size() * sizeof(texcast_lossy_told), told_.host().data() + batch.first, nullptr,
                               download_.next());
      for (const Range& range : ranges) download(made_on_device_, made_, range, 8);
      // About as many symbols as there were of tiles before; how many there are nobody knows here yet.
      batch.downloaded = std::min(batch.begin + tiles.size() * usual_symbols_, batch.end);
      download_numbers(symbols_on_device_, symbols_, batch.begin, batch.downloaded);
      batch.downloaded_words = std::min(batch.first_word + tiles.size() * usual_words_, batch.end_word);
      download_numbers(words_on_device_, words_, batch.first_word, batch.downloaded_words);
      send();
    });
  }

  EncodedBatch wait() override {
    const Batch& batch = batch_;
    ocl::guarded(device_, [&] { wait_for_sent(); });
    found_.clear();
    found_slices_.clear();
    size_t used = batch.begin, used_words = batch.first_word;  // to the ends of the last ones
    for (size_t i = batch.first; i < batch.first + batch.count; ++i) {
      const texcast_lossy_tile& tile = tiles_.host()[i];
      const texcast_lossy_told& told = told_.host()[i];
      EncodedTile& found = found_.emplace_back();
      for (size_t area = 0; area < found.vectors.size(); ++area)
        found.vectors[area] = {tile.vectors[2 * area], tile.vectors[2 * area + 1]};
      std::ranges::copy(tile.lambda_parts, found.lambda_weights.begin());
      ENSURE(told.content < kContents);
      found.content = static_cast<Content>(told.content);
      if (told.first == TEXCAST_LOSSY_UNTOLD || !batch.is_coded) continue;
      std::ranges::copy(told.end, found.ends.begin());
      const size_t count = told.end[grid_.component_count() - 1];
      ENSURE(told.first >= batch.begin && told.first + count <= batch.end);
      found.symbols = {static_cast<const uint16_t*>(symbols_.data()) + told.first, count};
      used = std::max(used, told.first + count);
      if (told.words == 0) continue;
      ENSURE(told.first_word >= batch.first_word && told.first_word + size_t{told.words} <= batch.end_word);
      BackendSlice& slice = found_slices_.emplace_back();
      slice.bytes = {static_cast<const std::byte*>(words_.data()) + size_t{told.first_word} * sizeof(uint16_t),
                     told.words * sizeof(uint16_t)};
      found.slices[0] = {&slice, 1};
      used_words = std::max(used_words, told.first_word + size_t{told.words});
    }
    if (used > batch.downloaded || used_words > batch.downloaded_words)
      ocl::guarded(device_, [&] {
        download_numbers(symbols_on_device_, symbols_, batch.downloaded, used);
        download_numbers(words_on_device_, words_, batch.downloaded_words, used_words);
        send();
        wait_for_sent();
      });
    if (batch.count > 0) {
      usual_symbols_ = (used - batch.begin) * 9 / 8 / batch.count + 8;
      usual_words_ = (used_words - batch.first_word) * 9 / 8 / batch.count + 8;
    }
    return {.tiles = found_, .reconstruction = {static_cast<const std::byte*>(made_.data()), halves_ * 8}};
  }

  std::span<const SubBlockTexels> texels() override {
    ocl::guarded(device_, [&] {
      source_.resize(halves_);
      queue_.enqueueReadBuffer(source_on_device_, CL_FALSE, 0, halves_ * sizeof(SubBlockTexels), source_.data());
      send();
      wait_for_sent();
    });
    return source_;
  }

  void end(const FrameOutcome& outcome) override { outcome_ = outcome; }

  LossyBackendTimes times() const override {
    LossyBackendTimes times;
    ocl::guarded(device_, [&] {
      wait_for_sent();
      times = {.begin = begin_.time(),
               .search = search_stage_.time(),
               .choosing = choosing_.time(),
               .telling = telling_.time(),
               .download = download_.time()};
    });
    return times;
  }

 private:
  // A tile may be chosen for a trial, and then again.
  static constexpr size_t kMostBatches = 2;
  // Given, told, compared, drawn, changed.
  static constexpr size_t kMostLists = 5;
  struct Batch {
    size_t first, count;                                        // of tiles_
    size_t begin = 0, end = 0;                                  // of symbols_, its room
    size_t downloaded = 0;                                      // to there
    size_t first_word = 0, end_word = 0, downloaded_words = 0;  // the same of words_
    bool is_coded = false;                                      // there is room for whatever they take
  };

  // All commands so far; by an event, as finish() of Rusticl (Mesa 22.3) does not wait for what was flushed before.
  void send() {
    queue_.enqueueMarkerWithWaitList(nullptr, &sent_);
    queue_.flush();
  }
  void wait_for_sent() const {
    if (sent_() == nullptr) return;
    sent_.wait();
    device_.proved();
  }

  void launch(const cl::Kernel& kernel, size_t items, Stage& stage, size_t group = kHalfItems) {
    queue_.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange((items + group - 1) / group * group),
                                cl::NDRange(group), nullptr, stage.next());
  }
  void choose_components(const cl::Kernel& kernel, size_t items, size_t group, int first, int count) {
    queue_.enqueueNDRangeKernel(kernel, cl::NDRange(0, static_cast<size_t>(first)),
                                cl::NDRange(items, static_cast<size_t>(count)), cl::NDRange(group, 1), nullptr,
                                choosing_.next());
  }
  // Of a frame's tiles up to an eighth and some are tried before (FrameEncoder).
  static size_t with_trials(const TileGrid& grid) { return grid.tiles() + grid.tiles() / 8 + 32; }
  static size_t halves_of_tile(const TileGrid& grid) {
    size_t halves = 0;
    for (int i = 0; i < grid.component_count(); ++i)
      halves += static_cast<size_t>(grid.component(i).tile_columns() * grid.component(i).tile_rows());
    return halves;
  }
  static size_t tile_halves(const texcast_component& component) {
    return static_cast<size_t>(component.tile_columns) * static_cast<size_t>(component.tile_rows);
  }
  size_t first_halves() const { return tile_halves(arguments_[0]); }

  // Tiles in list_, of which a frame has several.
  struct List {
    cl_int first;
    cl_uint count;
  };
  List put(std::span<const uint32_t> tiles) {
    ENSURE(used_list_ + tiles.size() <= list_.host().size());
    const List list{static_cast<cl_int>(used_list_), static_cast<cl_uint>(tiles.size())};
    std::ranges::copy(tiles, list_.host().begin() + list.first);
    used_list_ += tiles.size();
    if (!tiles.empty())
      queue_.enqueueWriteBuffer(list_.device(), CL_FALSE, static_cast<size_t>(list.first) * sizeof(uint32_t),
                                tiles.size_bytes(), &list_.host()[static_cast<size_t>(list.first)], nullptr,
                                begin_.next());
    return list;
  }
  void keep(const List& list, const cl::Buffer& from, const cl::Buffer& to) {
    for (const texcast_component& component : arguments_) {
      if (list.count == 0) return;
      set_arguments(keep_halves_, component, list_.device(), list.first, list.count, from, to);
      launch(keep_halves_, list.count * tile_halves(component), begin_);
    }
  }
  // The luma of tiles.
  void draw_plane(const cl::Buffer& texture, const List& list, const cl::Buffer& plane) {
    set_arguments(draw_plane_, texture, arguments_[0], list_.device(), list.first, list.count, plane);
    launch(draw_plane_, list.count * first_halves(), begin_);
  }
  static cl_int8 vectors_of(std::span<const MotionVector> votes) {
    cl_int8 vectors{};
    ENSURE(votes.size() <= 4);
    for (size_t i = 0; i < votes.size(); ++i) {
      vectors.s[2 * i] = votes[i].x;
      vectors.s[2 * i + 1] = votes[i].y;
    }
    return vectors;
  }
  static void put_vectors(const TileVectors& vectors, int (&to)[16]) {
    for (size_t area = 0; area < vectors.size(); ++area) {
      to[2 * area] = vectors[area].x;
      to[2 * area + 1] = vectors[area].y;
    }
  }
  void upload(Bytes from, const cl::Buffer& to, const Range& range, Stage& stage) {
    queue_.enqueueWriteBuffer(to, CL_FALSE, range.begin * 8, range.count * 8, from.data() + range.begin * 8, nullptr,
                              stage.next());
  }
  void download_numbers(const cl::Buffer& from, const PinnedBytes& to, size_t begin, size_t end) {
    if (begin >= end) return;
    const size_t at = begin * sizeof(uint16_t), bytes = (end - begin) * sizeof(uint16_t);
    queue_.enqueueReadBuffer(from, CL_FALSE, at, bytes, static_cast<std::byte*>(to.data()) + at, nullptr,
                             download_.next());
  }
  void download(const cl::Buffer& from, const PinnedBytes& to, const Range& range, size_t bytes) {
    queue_.enqueueReadBuffer(from, CL_FALSE, range.begin * bytes, range.count * bytes,
                             static_cast<std::byte*>(to.data()) + range.begin * bytes, nullptr, download_.next());
  }

  // Rows of the picture in which tiles are drawn.
  void upload_picture(std::span<const uint32_t> drawn) {
    const FrameView& view = *picture_;
    const FramePlacement& placed = sources_->placed;
    for_rows(drawn, [&](int first, int last) {
      for (int i = 0; i < plane_count(view.format.pixel_format); ++i) {
        const auto plane = static_cast<size_t>(i);
        const int rows = plane_rows(view.format, i), of = view.format.height > rows ? 2 : 1;
        const int begin = std::min(first * kTileHeight / of, rows);
        const int end = std::min((last + 1) * kTileHeight / of, rows);
        const auto bytes = static_cast<size_t>(plane_row_bytes(view.format, i));
        const PlaneView& from = view.planes[plane];
        const size_t at = static_cast<size_t>(placed.offset[plane]) +
                          static_cast<size_t>(begin) * static_cast<size_t>(placed.stride[plane]);
        if (begin >= end) continue;
        const auto lines = static_cast<size_t>(end - begin), stride = static_cast<size_t>(placed.stride[plane]);
        std::byte* const on_host = static_cast<std::byte*>(sources_->on_host.data()) + at;
        copy_lines(lines, stride, bytes, from.data + begin * from.stride_bytes, from.stride_bytes, on_host);
        queue_.enqueueWriteBuffer(sources_->frame, CL_FALSE, at, (lines - 1) * stride + bytes, on_host, nullptr,
                                  begin_.next());
      }
    });
  }
  // To memory that the device fetches from by itself: several threads are quicker than a driver's one.
  void copy_lines(size_t lines, size_t stride, size_t bytes, const std::byte* from, ptrdiff_t from_stride,
                  std::byte* to) const {
    constexpr size_t kPart = 128 << 10;
    const size_t lines_of_part = std::max<size_t>(1, kPart / bytes),
                 parts = (lines + lines_of_part - 1) / lines_of_part;
    const size_t cuts = lines > 1 ? 1 : (bytes + kPart - 1) / kPart;  // of a single line
    workers_->parallel_for(parts * cuts, [&](size_t part) {
      const size_t at = cuts > 1 ? part * kPart : 0, count = cuts > 1 ? std::min(kPart, bytes - at) : bytes;
      const size_t first = cuts > 1 ? 0 : part * lines_of_part;
      for (size_t line = first; line < std::min(first + lines_of_part, lines); ++line)
        std::memcpy(to + line * stride + at, from + static_cast<ptrdiff_t>(line) * from_stride + at, count);
    });
  }

  texcast_lossy_tile argument(const TileToEncode& tile) const {
    texcast_lossy_tile argument{.tile = static_cast<int>(tile.tile),
                                .content = static_cast<int>(tile.expected),
                                .alone = tile.intra,
                                .lambda = tile.parameters.lambda,
                                .quantiser = tile.parameters.quantiser,
                                .candidates = frame_.effort.candidates,
                                .refits = frame_.effort.refits,
                                .least_saved = frame_.effort.least_saved,
                                .lambda_parts = {},
                                .vector_price = tile.parameters.vector_cost,
                                .own = {tile.own.x, tile.own.y},
                                .changed_areas = tile.changed_partitions,
                                .vectors = {}};
    put_vectors(tile.previous_vectors, argument.vectors);
    return argument;
  }

  static uint32_t tile_of(uint32_t tile) { return tile; }
  static uint32_t tile_of(const TileToEncode& tile) { return tile.tile; }
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
  std::vector<Range> ranges_of(std::span<const TileToEncode> tiles) const {
    std::vector<Range> ranges;
    for_ranges(tiles, [&](const Range& range) { ranges.push_back(range); });
    return ranges;
  }

  const ocl::Device device_;
  const TileGrid grid_;
  const cl::CommandQueue queue_;
  const size_t halves_, pixels_;
  std::vector<texcast_component> arguments_;
  cl::Kernel find_facts_, choose_, search_, draw_plane_, texels_of_luma_, texels_of_colour_, texels_of_blocks_, tell_,
      code_, gather_, find_changes_, keep_halves_, keep_plane_, vote_, put_windows_, find_detail_;
  std::optional<SourceKernel> sources_;  // of pictures of the format at hand
  cl::Buffer components_, cost_, least_cost_;
  // As the block encoder made the frame at hand, and the one before; as decoders have that; as the frame is chosen.
  cl::Buffer texture_, given_texture_, before_, made_on_device_;
  cl::Buffer source_on_device_, choices_, symbols_on_device_, used_symbols_, slots_, words_by_tile_, words_on_device_,
      used_words_, facts_;
  // Planes: of the frame at hand, of the one before as it was given and as decoders have it; differences of colour.
  cl::Buffer now_, given_, then_, colours_;
  cl::Buffer windows_, latest_windows_;  // of the plane drawn last
  PinnedBytes texture_on_host_, made_;   // the host's likenesses
  std::vector<SubBlockTexels> source_;   // where it was asked for
  const size_t symbols_of_tile_;         // that there is room for
  PinnedBytes symbols_;
  size_t usual_symbols_ = 64;  // of a tile
  MirroredList<texcast_lossy_tile> tiles_;
  MirroredList<texcast_lossy_told> told_;
  const size_t words_of_tile_;  // plain
  PinnedBytes words_;
  size_t usual_words_ = 64;  // of a tile
  MirroredList<uint32_t> list_;
  MirroredList<TileDifference> changes_;
  MirroredList<cl_uint4> winners_;
  MirroredList<texcast_lossy_look> looks_;
  std::vector<MotionCandidates> movements_;
  std::vector<TileComplexity> details_;
  const cl_int windows_shift_;
  const size_t windows_bytes_;
  Workers* workers_ = nullptr;
  BackendFrame frame_;
  FrameOutcome outcome_;                                                         // of the previous frame
  const FrameView* picture_ = nullptr;                                           // of the frame
  size_t used_list_ = 0, used_tiles_ = 0, symbols_place_ = 0, words_place_ = 0;  // of the frame
  std::vector<EncodedTile> found_;                                               // of the batch
  std::vector<BackendSlice> found_slices_;                                       // of found_
  Batch batch_{};                                                                // that was asked for last
  cl::Event sent_;                                                               // what was sent last
  Stage begin_, search_stage_, choosing_, telling_, download_;
};

}  // namespace

std::unique_ptr<OpenClLossyBackend> make_opencl_lossy_backend(const DeviceInfo& device, const TileGrid& grid,
                                                              const FrameFormat* picture) {
  ENSURE(grid.has_planes_of_channels());
  const ocl::Device opened(device);
  std::unique_ptr<OpenClLossyBackend> chooser;
  ocl::guarded(opened, [&] { chooser = std::make_unique<Chooser>(opened, grid, picture); });
  return chooser;
}

std::unique_ptr<EncoderBackend> usual_lossy_backend(const std::string& selectors, const TextureDesc& texture) {
  const TileGrid grid(texture);
  const auto device = grid.has_planes_of_channels() ? usual_device(selectors) : std::nullopt;
  return device ? make_opencl_lossy_backend(*device, grid) : nullptr;
}

}  // namespace texcast::compact
