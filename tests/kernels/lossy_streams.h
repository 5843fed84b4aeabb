// lossy_streams.h — lossy streams by a device, frame after frame beside those of the CPU.
#pragma once

#include <doctest/doctest.h>
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/workers.h"
#include "check.h"
#include "compact/encoder_backend.h"
#include "compact/frame_decoder.h"
#include "compact/frame_encoder.h"
#include "compact/opencl_lossy_backend.h"
#include "compact/payload.h"
#include "compact/rate_control.h"
#include "textures.h"

namespace texcast::compact {

// Counts what a backend was asked for, and what it returned.
struct AttemptCounts {
  std::array<uint32_t, 3> attempts{};      // tiles, by CodingAttempt
  std::array<uint32_t, 2> kept_of_both{};  // tiles with both attempts: blocks, transform
  uint32_t inter = 0;                      // transform slices
  uint32_t without_bytes = 0;              // tiles with a transform attempt only, whose slice has no room
};

// A backend that fails, or returns wrong results, from a batch on.
class FaultyBackend : public EncoderBackend {
 public:
  enum class Fault {
    none,
    at_start,
    at_begin,
    at_drawing,
    at_details,
    at_choice,
    at_wait,
    at_texels,
    other_choices,
    other_vectors,
    other_changes,
    no_symbols,
    other_movements,
    other_macroblocks,
    other_contents,
    other_samples
  };
  // `counts` is borrowed; nullptr: nothing is counted.
  FaultyBackend(std::unique_ptr<EncoderBackend> backend, Fault fault, int from, std::function<void()> asked = {},
                AttemptCounts* counts = nullptr)
      : backend_(std::move(backend)), fault_(fault), from_(from), asked_(std::move(asked)), counts_(counts) {}
  void start(const EncoderState& state, Workers& workers) override {
    fail(Fault::at_start);
    backend_->start(state, workers);
  }
  std::span<const TileDifference> begin(const BackendFrame& frame) override {
    fail(Fault::at_begin);
    const auto differences = backend_->begin(frame);
    if (fault_ != Fault::other_changes || batches_ < from_) return differences;
    differences_.assign(differences.begin(), differences.end());
    differences_[0] ^= 1;
    return differences_;
  }
  std::span<const MotionCandidates> find_candidates(const FrameView* picture, std::span<const uint32_t> drawn,
                                                    std::span<const uint32_t> changed) override {
    fail(Fault::at_drawing);
    const auto movements = backend_->find_candidates(picture, drawn, changed);
    if (fault_ != Fault::other_movements || batches_ < from_) return movements;
    movements_.assign(movements.begin(), movements.end());
    for (MotionCandidates& of : movements_) ++of[0].matches;
    return movements_;
  }
  std::span<const TileComplexity> complexity(std::span<const TileToMeasure> tiles,
                                             std::span<const MotionVector> votes) override {
    fail(Fault::at_details);
    return backend_->complexity(tiles, votes);
  }
  void encode(std::span<const TileToEncode> tiles, std::span<const MotionVector> votes) override {
    ++batches_;
    if (asked_) asked_();
    fail(Fault::at_choice);
    asked_tiles_.assign(tiles.begin(), tiles.end());
    backend_->encode(tiles, votes);
  }
  EncodedBatch wait() override {
    fail(Fault::at_wait);
    EncodedBatch chosen = backend_->wait();
    count(chosen.tiles);
    if (fault_ == Fault::other_choices && batches_ >= from_) {
      texture_.assign(chosen.reconstruction.begin(), chosen.reconstruction.end());
      for (std::byte& byte : texture_) byte ^= std::byte{1};
      chosen.reconstruction = texture_;
    }
    if (fault_ == Fault::no_symbols) {  // no room for the symbols of every second tile
      tiles_.assign(chosen.tiles.begin(), chosen.tiles.end());
      for (size_t i = 0; i < tiles_.size(); i += 2) tiles_[i].symbols = {};
      chosen.tiles = tiles_;
    }
    change(Fault::other_vectors, chosen, [](EncodedTile& tile) { ++tile.vectors[0].x; });
    change(Fault::other_macroblocks, chosen, [](EncodedTile& tile) { tile.macroblock_vectors[0].x += 256; });
    change(Fault::other_contents, chosen, [](EncodedTile& tile) {
      tile.block_content = tile.block_content == Content::film ? Content::screen : Content::film;
    });
    return chosen;
  }
  std::span<const SubBlockTexels> texels() override {
    fail(Fault::at_texels);
    return backend_->texels();
  }
  std::span<const uint8_t> samples() override {
    const auto samples = backend_->samples();
    if (fault_ != Fault::other_samples || batches_ < from_) return samples;
    samples_.assign(samples.begin(), samples.end());
    for (uint8_t& sample : samples_) sample ^= 1;
    return samples_;
  }
  std::span<const uint8_t> reference_samples() override { return backend_->reference_samples(); }
  void end(const FrameOutcome& outcome) override { backend_->end(outcome); }

 private:
  template <typename Change>
  void change(Fault fault, EncodedBatch& chosen, const Change& change_tile) {
    if (fault_ != fault || batches_ < from_) return;
    tiles_.assign(chosen.tiles.begin(), chosen.tiles.end());
    for (EncodedTile& tile : tiles_) change_tile(tile);
    chosen.tiles = tiles_;
  }
  void count(std::span<const EncodedTile> tiles) {
    if (counts_ == nullptr) return;
    for (size_t i = 0; i < tiles.size(); ++i) {
      const TileToEncode& asked = asked_tiles_[i];
      const bool is_transform = tiles[i].content == Content::transform;
      ++counts_->attempts[static_cast<size_t>(asked.attempt)];
      if (asked.attempt == CodingAttempt::both) ++counts_->kept_of_both[is_transform ? 1 : 0];
      if (is_transform && !asked.intra) ++counts_->inter;
      if (asked.attempt == CodingAttempt::transform && tiles[i].symbols.empty()) ++counts_->without_bytes;
    }
  }
  void fail(Fault at) const {
    if (fault_ == at && batches_ >= from_) throw Error(ErrorKind::no_device, "the device is gone");
  }
  std::unique_ptr<EncoderBackend> backend_;
  Fault fault_;
  int from_, batches_ = 0;
  std::function<void()> asked_;  // called with each batch
  AttemptCounts* counts_;
  std::vector<TileToEncode> asked_tiles_;
  std::vector<std::byte> texture_;
  std::vector<uint8_t> samples_;
  std::vector<EncodedTile> tiles_;
  std::vector<TileDifference> differences_;
  std::vector<MotionCandidates> movements_;
};

// An encoder with the device and one without.
class LossyStreams {
 public:
  explicit LossyStreams(const TextureDesc& desc, const FrameEncoderSettings& settings, uint32_t self_check_slices = 0,
                        FaultyBackend::Fault fault = FaultyBackend::Fault::none, int from = 0)
      : LossyStreams(desc, settings, nullptr) {
    use_backend(self_check_slices, fault, from);
  }
  // The device is not used yet.
  LossyStreams(const TextureDesc& desc, const FrameEncoderSettings& settings, std::nullptr_t)
      : has_transform_(settings.transform),
        by_threads_(desc, settings, workers_),
        by_device_(desc, settings, workers_) {}
  void use_backend(uint32_t self_check_slices = 0, FaultyBackend::Fault fault = FaultyBackend::Fault::none,
                   int from = 0) {
    use_backend({.slices = self_check_slices}, fault, from);
  }
  void use_backend(const SelfCheckSettings& self_check, FaultyBackend::Fault fault, int from,
                   std::function<void()> asked = {}) {
    auto backend = make_opencl_lossy_backend(check::device().info(), grid(), nullptr, has_transform_);
    by_device_.use_backend(
        std::make_unique<FaultyBackend>(std::move(backend), fault, from, std::move(asked), &attempts_), self_check);
  }
  const TileGrid& grid() const { return by_threads_.grid(); }
  EncodedCounts counts() const { return by_device_.counts(); }
  void forget() {
    by_threads_.forget();
    by_device_.forget();
  }
  bool sub_slices() const { return has_sub_slices_; }
  const AttemptCounts& attempts() const { return attempts_; }
  bool is_checking() const { return by_device_.is_checking(); }
  void keep_to(const RateSettings& rate) {
    for (auto& of : rates_) of.emplace(grid().tiles(), rate);
  }
  bool same(FrameToEncode frame) {
    const auto encode = [&](FrameEncoder& encoder, std::optional<RateControl>& rate) {
      if (rate) {
        rate->begin(1);
        frame.target = rate->target();
        frame.rate = &*rate;
      }
      return encoder.encode(frame);
    };
    const auto want = encode(by_threads_, rates_[0]), got = encode(by_device_, rates_[1]);
    for (const CodedSlice& slice : want) has_sub_slices_ = has_sub_slices_ || slice.slice.sub_slices > 1;
    for (size_t i = 0; i < std::min(want.size(), got.size()); ++i)
      if (!is_same(want[i], got[i])) return differs_at(want[i], got[i]);
    return want.size() == got.size();
  }

 private:
  static bool is_same(const CodedSlice& a, const CodedSlice& b) {
    return a.slice == b.slice && a.coding == b.coding && a.check == b.check && std::ranges::equal(a.bytes, b.bytes) &&
           std::ranges::equal(a.touched.list(), b.touched.list()) && a.touched.any == b.touched.any;
  }
  static bool differs_at(const CodedSlice& want, const CodedSlice& got) {
    const auto show = [](const CodedSlice& slice) {
      return fmt::format("tile {} with {} more, part {} of {}, coding {}, {} bytes, check {:x}, reads {}{}",
                         slice.slice.tile, slice.slice.tiles - 1, slice.slice.sub_slice, slice.slice.sub_slices,
                         static_cast<int>(slice.coding), slice.bytes.size(), slice.check,
                         fmt::join(slice.touched.list(), " "), slice.touched.any ? " and others" : "");
    };
    fmt::print("by threads: {}\nby device:  {}\n", show(want), show(got));
    return false;
  }
  const bool has_transform_;
  AttemptCounts attempts_;
  Workers workers_{0};
  FrameEncoder by_threads_, by_device_;
  std::array<std::optional<RateControl>, 2> rates_;
  bool has_sub_slices_ = false;
};

// Decodes frames of a stream whose device may fail: none is damaged, and the last one is right.
inline void check_goes_on(FrameEncoder& encoder, const TextureDesc& desc, Workers& workers, int frames) {
  PayloadWriter writer(encoder.grid(), 1200);
  FrameDecoder decoder(desc, workers);
  textures::Texture before, shown(encoder.grid().texture_bytes());
  for (int i = 0; i < frames; ++i) {
    CAPTURE(i);
    const textures::Texture texture = textures::photograph(desc, 3 * i, 5 * i);
    const auto payloads = writer.write(encoder.encode({.texture = texture, .target = rd_parameters(24)}));
    const DecodedCounts counts = decoder.decode(payloads, before.empty() ? nullptr : before.data(), shown);
    before = shown;
    CHECK(counts.damaged == 0);
    CHECK(counts.disagreed == 0);
    if (i == frames - 1) CHECK(counts.wrong == 0);
  }
  CHECK(encoder.counts().late == 0);
  CHECK(encoder.counts().inter > 0);
}

}  // namespace texcast::compact
