#include "compact/opencl_lossy_backend.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "attempt_order.h"
#include "base/ensure.h"
#include "change_detection.h"
#include "compact/opencl_lossless_backend.h"
#include "complexity_estimate.h"
#include "device_queue.h"
#include "host_copy.h"
#include "picture_drawing.h"
#include "rd_decision.h"
#include "rd_frame_buffers.h"
#include "rd_symbol_coder.h"
#include "rd_tables.h"
#include "tile_lists.h"
#include "transform_coder.h"
#include "window_search.h"

namespace texcast::compact {
namespace {

class LossyBackend final : public OpenClLossyBackend {
 public:
  LossyBackend(const ocl::Device& device, const TileGrid& grid, const FrameFormat* picture, bool transform,
               bool has_times)
      : grid_(grid),
        queue_(device, has_times),
        block_queue_(device, has_times),
        buffers_(queue_, grid_),
        lists_(queue_, grid_),
        tables_(device, grid_),
        copies_(queue_),
        changes_(queue_, grid_, buffers_, tables_, lists_),
        windows_(queue_, grid_, buffers_, lists_),
        complexity_(queue_, grid_, buffers_),
        decision_(queue_, grid_, buffers_, tables_),
        symbols_(block_queue_, grid_, buffers_, tables_),
        are_texels_drawn_(grid.tiles()),
        order_(grid.tiles()) {
    if (picture != nullptr) drawing_.emplace(queue_, grid_, *picture);
    if (transform && grid.can_transform()) transform_.emplace(queue_, grid_, buffers_, tables_);
    kept_.reserve(grid.tiles());
    tiles_.reserve(grid.tiles());
    slices_.reserve(kCodings * grid.tiles());
  }

  void start(const EncoderState& state, Workers& workers) override {
    workers_ = &workers;
    guarded([&] {
      const auto write = [&](const cl::Buffer& to, const auto& from) {
        if (!from.empty()) queue_.commands().enqueueWriteBuffer(to, CL_TRUE, 0, from.size_bytes(), from.data());
      };
      write(buffers_.source_plane, state.source_plane);
      write(buffers_.previous_plane, state.previous_plane);
      write(buffers_.previous_texture, state.previous_source);
      write(buffers_.reference, state.reference);
      write(buffers_.chroma, state.source_chroma);
      windows_.start(state.window_index_entries);
      if (state.reference.empty()) return;
      std::vector<uint32_t> all(grid_.tiles());
      std::iota(all.begin(), all.end(), 0);
      lists_.clear();
      const TileList all_tiles = lists_.put(queue_, all, times_.begin);
      changes_.draw_reference(all_tiles, times_.begin);
      if (transform_) transform_->start_reference(state.samples, lists_, times_.transform.reference);
      send_and_wait();
    });
  }

  std::span<const TileDifference> begin(const BackendFrame& frame) override {
    frame_ = frame;
    to_index_ = {};
    times_ = {};
    guarded([&] {
      block_queue_.wait();  // for a batch for which nobody waited
      lists_.clear();
      decision_.begin_frame();
      symbols_.begin_frame();
      if (transform_) transform_->begin_frame();
      std::ranges::fill(are_texels_drawn_, uint8_t{0});
      compare_and_upload(frame);
      queue_.wait();
    });
    return changes_.differences();
  }

  std::span<const MotionCandidates> find_candidates(const FrameView* picture, std::span<const uint32_t> drawn,
                                                    std::span<const uint32_t> changed) override {
    has_picture_ = picture != nullptr;
    const bool has_reference = !frame_.reference.empty(), has_looked_ahead = std::exchange(looks_ahead_, false);
    const bool is_searched = has_looked_ahead && has_picture_ && drawn.size() == changed.size();
    std::span<const MotionCandidates> candidates = windows_.none(changed.size());
    expects_changes_ = has_reference && 2 * changed.size() > frame_.compared.size();
    guarded([&] {
      if (!is_searched) draw_and_search(picture, drawn, changed);
      if (changed.empty()) return send_and_wait();  // the picture is not valid afterwards
      for (const uint32_t tile : drawn) are_texels_drawn_[tile] = has_picture_ ? 1 : 0;
      if (!has_reference) return;
      queue_.wait(candidates_found_);
      candidates = windows_.candidates(is_searched ? frame_.compared : changed, changed);
    });
    return candidates;
  }

  std::span<const TileComplexity> complexity(std::span<const TileToMeasure> tiles,
                                             std::span<const MotionVector> global) override {
    std::span<const TileComplexity> result;
    guarded([&] {
      if (tiles.empty()) return;
      queue_.wait();
      complexity_.start(tiles, global, times_.begin);
      send_and_wait();
      result = complexity_.result(tiles.size());
    });
    return result;
  }

  void encode(std::span<const TileToEncode> tiles, std::span<const MotionVector> global) override {
    order_.set(tiles);
    texels_ = texel_source();
    ENSURE(transform_ || order_.with_transform() == 0);
    guarded([&] {
      decision_.start(order_, frame_.effort, *workers_, times_.search);
      if (tiles.empty()) return;
      const cl::Event blocks_searched = search_blocks(global);
      const size_t with_blocks = order_.with_blocks();
      decision_.search(queue_, with_blocks, order_.size() - with_blocks, global, texels_, times_.search);
      queue_.commands().flush();
      decision_.decide(block_queue_, with_blocks, times_.decision);
      block_queue_.commands().flush();
      code_blocks();
      const cl::Event& blocks_done = block_queue_.sent();
      if (order_.with_transform() > 0) queue_.wait_on_device(blocks_searched);
      if (transform_)
        transform_->start(order_, decision_, has_picture_, symbols_, blocks_done, frame_.most_slice_bytes,
                          times_.transform, times_.download);
      else
        queue_.wait_on_device(blocks_done);
      for_ranges(grid_, tiles, [&](size_t at, size_t bytes) {
        queue_.download(buffers_.reconstruction, at, bytes,
                        static_cast<std::byte*>(buffers_.host_reconstruction.data()) + at, times_.download);
      });
      nearly_done_ = queue_.marker();
      decision_.download(tiles.size(), times_.download);
      if (transform_) transform_->download_usual(times_.download);
      queue_.send();
      index_windows();
    });
  }

  EncodedBatch wait() override {
    guarded([&] {
      if (order_.size() > 0) {
        queue_.wait(nearly_done_);
        workers_->wake();
      }
      queue_.wait();
      if (order_.with_blocks() > 0 && symbols_.download_rest(order_.with_blocks(), *workers_, times_.coding)) {
        block_queue_.send();
        block_queue_.wait();
      }
      if (transform_ && transform_->download_rest(*workers_, times_.download)) send_and_wait();
    });
    tiles_.resize(order_.size());
    slices_.resize(order_.size());
    for_chunks(*workers_, order_.size(), [&](size_t i) { tiles_[i] = result(order_.place(i), slices_[i]); });
    symbols_.end_batch(order_.with_blocks());
    if (transform_) transform_->end_batch();
    return {.tiles = tiles_,
            .reconstruction = {static_cast<std::byte*>(buffers_.host_reconstruction.data()), buffers_.sub_blocks * 8}};
  }

  std::span<const SubBlockTexels> texels() override {
    std::span<const SubBlockTexels> texels;
    guarded([&] {
      texels = decision_.read_direct_levels(times_.download);
      send_and_wait();
    });
    return texels;
  }

  std::span<const uint8_t> samples() override {
    std::span<const uint8_t> samples;
    guarded([&] {
      if (transform_) samples = transform_->read_samples();
    });
    return samples;
  }

  std::span<const uint8_t> reference_samples() override {
    std::span<const uint8_t> samples;
    guarded([&] {
      if (transform_) samples = transform_->read_reference();
    });
    return samples;
  }

  void end(const FrameOutcome& outcome) override {
    guarded([&] {
      index_windows();
      list_kept(outcome);
      const TileList coded = lists_.put(queue_, kept_, times_.end);
      changes_.keep(outcome, coded, times_.end);
      if (transform_) transform_->keep(outcome, lists_, coded, times_.end);
      queue_.send();
    });
  }

  LossyBackendTimes times() const override {
    LossyBackendTimes times;
    ocl::guarded(queue_.device(), [&] {
      wait_for_queues();
      times = {.begin = times_.begin.time(),
               .search = std::max(times_.search.time(), times_.block_search.time()),
               .choosing = times_.decision.time(),
               .telling = times_.coding.time(),
               .planes = times_.transform.source.time() + times_.transform.reference.time(),
               .transform = times_.transform.decision.time(),
               .transform_coding = times_.transform.coding.time(),
               .download = times_.download.time()};
    });
    return times;
  }

  std::vector<LossyBackendStage> timeline() const override {
    std::vector<LossyBackendStage> stages;
    ocl::guarded(queue_.device(), [&] {
      wait_for_queues();
      const auto add = [&](const char* name, const Stage& stage) {
        if (stage.is_used()) stages.push_back({name, stage.begin(times_.begin), stage.end(times_.begin)});
      };
      add("changes, candidates", times_.begin);
      add("texels of chroma", times_.texels);
      add("windows for the next frame", times_.index);
      add("motion search", times_.search);
      add("block coding: search", times_.block_search);
      add("block coding: decision", times_.decision);
      add("block coding: symbols, download", times_.coding);
      add("texels of blocks", times_.transform.source);
      add("transform coding: decision", times_.transform.decision);
      add("transform coding: symbols, choice", times_.transform.coding);
      add("download", times_.download);
      add("reference frame", times_.end);
      add("its samples", times_.transform.reference);
    });
    return stages;
  }

 private:
  static constexpr size_t kCodings = 2;  // of a tile: by blocks, and by transform coding
  struct Stages {
    Stage begin, texels, index, search, block_search, decision, coding, download, end;
    TransformCoder::Stages transform;
  };

  template <typename Call>
  void guarded(const Call& call) {
    ocl::guarded(queue_.device(), call);
  }
  EncodedTile result(size_t place, BackendSlice& slice) {
    EncodedTile tile;
    decision_.result(place, tile);
    if (place < order_.with_blocks()) symbols_.result(place, tile, slice);
    if (place >= order_.first_transform()) transform_->result(place - order_.first_transform(), tile, slice);
    return tile;
  }
  // Block coding takes the longest, and has a queue of its own, so that a device works on both codings at once. The
  // event completes when its tiles have been searched.
  cl::Event search_blocks(std::span<const MotionVector> global) {
    const cl::Event uploaded = queue_.marker();
    queue_.commands().flush();
    block_queue_.wait_on_device(uploaded);
    decision_.search(block_queue_, 0, order_.with_blocks(), global, texels_, times_.block_search);
    const cl::Event searched = block_queue_.marker();
    block_queue_.commands().flush();
    return searched;
  }
  void code_blocks() {
    symbols_.start(decision_, order_.with_blocks(), frame_.most_slice_bytes, times_.coding);
    symbols_.download_usual(order_.with_blocks(), times_.coding);
    block_queue_.send();
  }
  // Copies and compares the texture. If most tiles changed in the previous frame, the picture is uploaded at once, and
  // the tiles that turn out to be changed are drawn and searched before the host knows which.
  void compare_and_upload(const BackendFrame& frame) {
    looks_ahead_ = frame.picture != nullptr && expects_changes_ && !frame.reference.empty();
    if (drawing_) drawing_->begin_frame();
    copies_.clear();
    const TileList compared = changes_.upload(frame, copies_, times_.begin);
    copies_.then([&] {
      changes_.find(frame, compared, times_.begin);
      queue_.send();
    });
    if (looks_ahead_) {
      prepare_drawing(frame.picture->format);
      drawing_->upload(*frame.picture, frame.compared, copies_, times_.begin);
    }
    copies_.run(*workers_);
    if (looks_ahead_)
      draw_and_search({.list = compared, .only_changed = true}, {.list = compared, .only_changed = true});
  }
  void draw_and_search(const FrameView* picture, std::span<const uint32_t> drawn, std::span<const uint32_t> changed) {
    const TileList to_draw = lists_.put(queue_, drawn, times_.begin);
    const TileList to_find = lists_.put(queue_, changed, times_.begin);
    if (picture != nullptr) {
      prepare_drawing(picture->format);
      copies_.clear();
      drawing_->upload(*picture, drawn, copies_, times_.begin);
      copies_.run(*workers_);
    } else if (to_draw.count > 0) {
      changes_.draw_blocks(to_draw, times_.begin);
    }
    draw_and_search({.list = picture != nullptr ? to_draw : TileList{}}, {.list = to_find});
  }
  // Draws tiles of the picture, if there are any, and searches for the windows of others. The texels of tiles are found
  // while the host lists what to encode.
  void draw_and_search(const SomeTiles& drawn, const SomeTiles& searched) {
    to_index_ = searched;
    if (drawn.list.count > 0) drawing_->draw(lists_, drawn, buffers_, times_.begin);
    if (searched.list.count > 0 && !frame_.reference.empty()) windows_.find(searched, times_.begin);
    candidates_found_ = queue_.marker();
    if (drawn.list.count > 0) drawing_->find_colours(lists_, drawn, buffers_, times_.texels);
    queue_.commands().flush();
  }
  // The coded tiles, with what is kept of them; last the recoded ones.
  void list_kept(const FrameOutcome& outcome) {
    kept_.clear();
    for (const bool lists_recoded : {false, true}) {
      auto recoded = outcome.recoded.begin(), redrawn = outcome.redrawn.begin();
      const auto is_next = [](uint32_t tile, auto& next, const auto& list) {
        const bool is = next != list.end() && *next == tile;
        if (is) ++next;
        return is;
      };
      for (const uint32_t tile : outcome.coded) {
        const bool is_recoded = is_next(tile, recoded, outcome.recoded);
        const bool is_redrawn = is_next(tile, redrawn, outcome.redrawn);
        if (is_recoded != lists_recoded) continue;
        const bool has_samples = transform_ && transform_->keeps_samples(tile, is_recoded, outcome);
        kept_.push_back(tile | (is_redrawn ? TEXCAST_KEPT_REDRAWN : 0) | (has_samples ? TEXCAST_KEPT_SAMPLES : 0));
      }
      if (outcome.recoded.empty()) break;
    }
  }
  // For the next frame.
  void index_windows() {
    const SomeTiles tiles = std::exchange(to_index_, {});
    if (tiles.list.count == 0) return;
    windows_.index(tiles, times_.index);
    queue_.commands().flush();
  }
  TexelSource texel_source() const {
    if (!has_picture_) return TexelSource::blocks;
    for (size_t place = 0; place < order_.size(); ++place)
      if (are_texels_drawn_[order_.tile(place).tile] == 0) return TexelSource::picture;
    return TexelSource::drawn;
  }
  void send_and_wait() {
    queue_.send();
    queue_.wait();
  }
  void wait_for_queues() const {
    block_queue_.wait();
    queue_.wait();
  }
  void prepare_drawing(const FrameFormat& format) {
    if (!drawing_ || drawing_->format() != format) drawing_.emplace(queue_, grid_, format);
  }

  const TileGrid grid_;
  DeviceQueue queue_, block_queue_;
  RdFrameBuffers buffers_;
  TileLists lists_;
  const RdTables tables_;
  HostCopies copies_;
  ChangeDetection changes_;
  std::optional<PictureDrawing> drawing_;  // of pictures of the latest format
  WindowSearch windows_;
  ComplexityEstimate complexity_;
  RdDecision decision_;
  RdSymbolCoder symbols_;
  std::optional<TransformCoder> transform_;
  Workers* workers_ = nullptr;
  BackendFrame frame_;
  bool has_picture_ = false;                  // of the frame
  bool expects_changes_ = false;              // in most tiles, as in the previous frame
  bool looks_ahead_ = false;                  // the changed tiles are drawn and searched before the host knows them
  std::vector<uint8_t> are_texels_drawn_;     // of each tile, in this frame
  TexelSource texels_ = TexelSource::blocks;  // of the batch
  SomeTiles to_index_;                        // whose windows the next frame looks for
  cl::Event candidates_found_;
  std::vector<uint32_t> kept_;  // list_kept()
  AttemptOrder order_;          // of the batch
  cl::Event nearly_done_;
  std::vector<EncodedTile> tiles_;
  std::vector<BackendSlice> slices_;
  Stages times_;
};

}  // namespace

std::unique_ptr<OpenClLossyBackend> make_opencl_lossy_backend(const DeviceInfo& device, const TileGrid& grid,
                                                              const FrameFormat* picture, bool transform,
                                                              bool has_times) {
  ENSURE(grid.has_planes_of_channels());
  const ocl::Device opened(device);
  std::unique_ptr<OpenClLossyBackend> backend;
  ocl::guarded(opened, [&] { backend = std::make_unique<LossyBackend>(opened, grid, picture, transform, has_times); });
  return backend;
}

std::unique_ptr<EncoderBackend> usual_lossy_backend(const std::string& selectors, const TextureDesc& texture,
                                                    bool transform) {
  const TileGrid grid(texture);
  const auto device = grid.has_planes_of_channels() ? usual_device(selectors) : std::nullopt;
  return device ? make_opencl_lossy_backend(*device, grid, nullptr, transform) : nullptr;
}

}  // namespace texcast::compact
