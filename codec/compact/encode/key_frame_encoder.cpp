#include "compact/key_frame_encoder.h"

#include <algorithm>
#include <vector>

#include "base/ensure.h"
#include "base/misuse.h"
#include "coded_tiles.h"
#include "compact/payload.h"
#include "lossless_slice_encoder.h"
#include "sample_slice_encoder.h"
#include "slice_encoder_pool.h"

namespace texcast::compact {
namespace {

struct Encoders {
  explicit Encoders(const TileGrid& grid) : of_samples(grid) {}
  LosslessSliceEncoder lossless;
  SampleSliceEncoder of_samples;
};

class LosslessCoder final : public SliceCoder {
 public:
  LosslessCoder(const TileGrid& grid, const std::byte* texture, LosslessSliceEncoder& encoder)
      : grid_(grid), texture_(texture), encoder_(encoder) {}
  Bytes encode(const Slice& slice, const Reference& reference, MutableBytes memory) override {
    return memory.last(encoder_.encode(grid_, slice, texture_, reference, memory));
  }

 private:
  const TileGrid& grid_;
  const std::byte* texture_;
  LosslessSliceEncoder& encoder_;
};

}  // namespace

class KeyFrameEncoder::Impl {
 public:
  Impl(const TextureDesc& texture, size_t most_slice_bytes, Workers& workers)
      : grid_(texture),
        most_slice_bytes_(most_slice_bytes),
        workers_(workers),
        tiles_(grid_, most_slice_bytes),
        of_samples_(grid_.tiles()),
        encoders_(workers.threads() + 1, [this] { return Encoders(grid_); }) {
    REQUIRE_USE(grid_.can_transform(), "only formats that can have transform coding have samples");
    ENSURE(most_slice_bytes >= kLeastSliceBytes);
  }

  std::span<const CodedSlice> encode(Bytes texture, std::span<const uint8_t> samples) {
    ENSURE(texture.size() == grid_.texture_bytes() && samples.size() == SampleLayout(grid_).samples());
    const Workers::Awake awake(workers_);
    tiles_.clear();
    workers_.parallel_for(static_cast<size_t>(grid_.down()), [&](size_t row) {
      const SliceEncoderPool<Encoders>::Use encoders(encoders_);
      const auto across = static_cast<uint32_t>(grid_.across()), first = static_cast<uint32_t>(row) * across;
      for (uint32_t tile = first; tile < first + across; ++tile) encode(tile, texture.data(), samples, *encoders);
    });
    slices_.clear();
    for (uint32_t tile = 0; tile < grid_.tiles(); ++tile) {
      const auto lossless = tiles_.slices(tile);
      slices_.insert(slices_.end(), lossless.begin(), lossless.end());
      slices_.insert(slices_.end(), of_samples_[tile].slices.begin(), of_samples_[tile].slices.end());
    }
    return slices_;
  }

 private:
  static constexpr size_t kLeastSliceBytes = 1024;  // the smallest sub-slices have room with all samples as literals

  // The sample slices of a tile; none if it has others.
  struct OfTile {
    std::vector<CodedSlice> slices;
    std::vector<std::byte> memory;
  };

  void encode(uint32_t tile, const std::byte* texture, std::span<const uint8_t> samples, Encoders& encoders) {
    of_samples_[tile].slices.clear();
    if (encoders.of_samples.is_of_blocks(tile, texture, samples)) {
      LosslessCoder coder(grid_, texture, encoders.lossless);
      tiles_.pack(tile, {.texture = texture}, {}, coder);
      tiles_.check(tile, texture);
      return;
    }
    for (int sub_slices = 1; sub_slices <= grid_.most_sub_slices(); sub_slices *= 2)
      if (encode_samples(tile, sub_slices, texture, samples, false, encoders.of_samples)) return;
    ENSURE(encode_samples(tile, grid_.most_sub_slices(), texture, samples, true, encoders.of_samples));
  }

  // False: a slice is too long.
  bool encode_samples(uint32_t tile, int sub_slices, const std::byte* texture, std::span<const uint8_t> samples,
                      bool as_literals, SampleSliceEncoder& encoder) {
    OfTile& to = of_samples_[tile];
    to.slices.clear();
    to.memory.resize(static_cast<size_t>(sub_slices) * most_slice_bytes_);
    for (int i = 0; i < sub_slices; ++i) {
      const Slice slice{tile, static_cast<uint8_t>(sub_slices), static_cast<uint8_t>(i)};
      const size_t raw_bytes = grid_.raw_bytes(slice);
      if (raw_bytes == 0) continue;
      // Literals need no more, so that PayloadWriter has room for any frame.
      const size_t most = std::min(most_slice_bytes_, raw_bytes * 9 / 4 + 16);
      const MutableBytes room = MutableBytes(to.memory).subspan(static_cast<size_t>(i) * most_slice_bytes_, most);
      const size_t bytes = encoder.encode(slice, texture, samples, as_literals, room);
      if (bytes == 0) return false;
      to.slices.push_back({.slice = slice,
                           .coding = Coding::samples,
                           .check = slice_check(grid_, slice, texture),
                           .bytes = room.last(bytes)});
    }
    return true;
  }

  const TileGrid grid_;
  const size_t most_slice_bytes_;
  Workers& workers_;
  CodedTiles tiles_;
  std::vector<OfTile> of_samples_;
  SliceEncoderPool<Encoders> encoders_;
  std::vector<CodedSlice> slices_;
};

KeyFrameEncoder::KeyFrameEncoder(const TextureDesc& texture, size_t most_slice_bytes, Workers& workers)
    : impl_(std::make_unique<Impl>(texture, most_slice_bytes, workers)) {}
KeyFrameEncoder::~KeyFrameEncoder() = default;
std::span<const CodedSlice> KeyFrameEncoder::encode(Bytes texture, std::span<const uint8_t> samples) {
  return impl_->encode(texture, samples);
}

}  // namespace texcast::compact
