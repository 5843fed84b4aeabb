// Frames of transform slices beside others, in whole tiles and in sub-slices, some of them damaged or lost: the frame
// decoder has the textures of the oracle, with a backend that keeps samples of its own too.
#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "compact/block_fit.h"
#include "compact/frame_decoder.h"
#include "compact/payload.h"
#include "compact/rans.h"
#include "compact/sample_planes.h"
#include "compact/slice_bytes.h"
#include "compact/sub_block.h"
#include "oracle_check.h"
#include "sample_slice_encoder.h"
#include "texcast/error.h"
#include "textures.h"
#include "transform_slice_decoder.h"
#include "transform_slices.h"

namespace texcast::compact {
namespace {

using Texture = std::vector<std::byte>;

constexpr TextureFormat kSampleFormats[] = {TextureFormat::ycocg_bc4_420, TextureFormat::ycocg_bc4_422,
                                            TextureFormat::ycocg_bc4_444};

// The frame as the oracle has it.
struct Expected {
  Texture texture;
  oracle::Samples samples;
};

// Makes up frames, and decodes them by the oracle.
class RandomStream {
 public:
  // `is_clean`: without damaged slices and tiles that lack sub-slices.
  RandomStream(const TextureDesc& desc, uint32_t seed, bool is_clean = false)
      : grid_(desc), is_clean_(is_clean), oracle_(desc), writer_(grid_, 4000), random_(seed) {
    expected_.texture.resize(grid_.texture_bytes());
    expected_.samples = oracle_.samples_of(expected_.texture);
  }
  const TileGrid& grid() const { return grid_; }
  const Expected& expected() const { return expected_; }

  // `tiles_of_8`: how many tiles of eight are coded. `kind`: raw slices only, or any.
  enum class Kind : uint8_t { raw, intra, any };
  textures::Payloads next(Kind kind, unsigned tiles_of_8) {
    const Expected reference = expected_;
    is_first_ = frame_++ == 0;
    bytes_.clear();
    slices_.clear();
    for (uint32_t tile = 0; tile < grid_.tiles(); ++tile) {
      if (random_() % 8 >= tiles_of_8) continue;
      const auto sub_slices = static_cast<uint8_t>(1u << random_() % 3);
      // Some tiles lack the last sub-slices.
      for (uint8_t part = 0; part < sub_slices && (part == 0 || is_clean_ || random_() % 8 != 0); ++part)
        if (const Slice slice{tile, sub_slices, part}; grid_.raw_bytes(slice) == 0 || !add(slice, kind, reference))
          break;
    }
    for (size_t i = 0; i < slices_.size(); ++i) {
      slices_[i].bytes = bytes_[i];
      slices_[i].check = slice_check(grid_, slices_[i].slice, expected_.texture.data());
    }
    return textures::copied(writer_.write(slices_));
  }

 private:
  // False: the slice would be too long.
  bool add(const Slice& slice, Kind kind, const Expected& reference) {
    const bool intra = is_first_ || kind == Kind::intra || random_() % 4 == 0;
    Coding coding = intra ? Coding::lossy_intra : Coding::lossy_inter;
    std::vector<std::byte> bytes;
    const auto choice = random_() % 5;
    if (kind == Kind::raw || choice == 0) {
      coding = Coding::raw;
      bytes.resize(grid_.raw_bytes(slice));
      // As a repair does: the same blocks, but not always the same samples.
      if (random_() % 2 == 0)
        write_raw(grid_, slice, reference.texture.data(), bytes);
      else
        for (std::byte& byte : bytes) byte = static_cast<std::byte>(random_());
    } else if (choice == 4) {
      coding = Coding::samples;
      bytes = of_samples(slice);
    } else if (choice == 1 || slice.sub_slices > kMostTransformSubSlices) {
      bytes = of_blocks(slice, intra, reference);
    } else {
      bytes = transform_slices::random_slice(grid_, slice, {.intra = intra, .quantiser = 14, .furthest = 60}, random_);
    }
    if (bytes.size() > kMostSliceBytes) return false;
    if (!is_clean_ && coding != Coding::raw && random_() % 16 == 0) bytes.back() ^= std::byte{0x41};
    decode(slice, coding, bytes, reference);
    bytes_.push_back(std::move(bytes));
    slices_.push_back({slice, coding, 0, {}});
    return true;
  }

  // As key frames have them: samples of the frame so far, some of which have changed, and the sub-blocks of both.
  std::vector<std::byte> of_samples(const Slice& slice) {
    SamplePlanes planes(grid_);
    size_t at = 0;
    for (const auto& plane : expected_.samples)
      for (const int sample : plane) planes.all()[at++] = static_cast<uint8_t>(sample);
    Texture texture = expected_.texture;
    for (int c = 0; c < kTransformComponents; ++c) {
      const BlockRect rect = grid_.blocks(grid_.component(c), slice);
      for (int y = rect.y0; y < rect.y1; ++y)
        for (int x = rect.x0; x < rect.x1; ++x) {
          if (random_() % 2 == 0) continue;
          U8x16 wanted{};
          for (int i = 0; i < 16; ++i) {
            wanted[i] = static_cast<uint8_t>(60 + random_() % 60);
            *planes.at(c, 4 * x + i % 4, 4 * y + i / 4) = wanted[i];
          }
          store_sub_block(texture.data() + grid_.component(c).at(x, y), fit_block(wanted).sub_block);
        }
    }
    Texture memory(40000);
    const size_t used = SampleSliceEncoder(grid_).encode(slice, texture.data(), planes.all(), false, memory);
    REQUIRE(used > 0);
    return {memory.end() - static_cast<ptrdiff_t>(used), memory.end()};
  }

  std::vector<std::byte> of_blocks(const Slice& slice, bool intra, const Expected& reference) {
    oracle::RandomSymbols chooser{.random = std::mt19937(random_()), .likely = true, .makes_transform = false};
    Texture made = reference.texture;
    oracle_.make_up_slice({slice.tile, slice.sub_slices, slice.sub_slice, intra ? 4u : 3u, {}, 1},
                          intra ? nullptr : &reference.texture, made, chooser);
    SymbolList list;
    list.make_room(chooser.chosen.size());
    for (const auto& [set, context, symbol] : chooser.chosen) list.put(tables_of(set), context, symbol);
    Texture memory(40000);
    const size_t used = list.write(memory, kLossyEndState);
    REQUIRE(used > 0);
    return {memory.end() - static_cast<ptrdiff_t>(used), memory.end()};
  }

  // A damaged slice leaves texture and samples as they were.
  void decode(const Slice& slice, Coding coding, Bytes bytes, const Expected& reference) {
    const auto number = static_cast<unsigned>(coding);
    Expected made = expected_;
    try {
      oracle_.decode_slice({slice.tile, slice.sub_slices, slice.sub_slice, number, bytes, 1},
                           is_first_ ? nullptr : &reference.texture, made.texture, &reference.samples, &made.samples);
      expected_ = made;
    } catch (const oracle::Damage&) {
    }
  }

  const TileGrid grid_;
  const bool is_clean_;
  oracle::Decoder oracle_;
  PayloadWriter writer_;
  std::mt19937 random_;
  Expected expected_;
  bool is_first_ = true;
  int frame_ = 0;
  std::vector<std::vector<std::byte>> bytes_;
  std::vector<CodedSlice> slices_;
};

// Decodes by the CPU as a device does: with a texture and samples of its own, which it gets only where they are
// outdated.
class DeviceOnCpu : public ReconstructionBackend {
 public:
  // `frames`: after so many of them it fails.
  DeviceOnCpu(const TileGrid& grid, int frames, int& decoded)
      : grid_(grid), frames_(frames), decoded_(decoded), samples_(grid), reference_samples_(grid) {
    texture_.assign(grid.texture_bytes(), std::byte{0x11});
    std::ranges::fill(samples_.all(), uint8_t{0x22});
  }
  void begin(const FrameToReconstruct& frame) override {
    if (frames_-- == 0) throw Error(ErrorKind::no_device, "a failure");
    ++decoded_;
    reference_ = texture_;
    reference_samples_ = samples_;
    if (frame.reference.empty()) {
      std::ranges::fill(reference_, std::byte{0});
      std::ranges::fill(reference_samples_.all(), uint8_t{0});
    } else {
      const bool has_samples = !frame.samples.empty();  // otherwise those of outdated tiles are those of their blocks
      if (has_samples) REQUIRE(frame.outdated_parts.size() == frame.outdated.size());
      for (size_t i = 0; i < frame.outdated.size(); ++i) {
        take(frame, frame.outdated[i], has_samples ? frame.outdated_parts[i] : uint8_t{0});
        if (!has_samples) reference_samples_.decode(grid_, {.tile = frame.outdated[i]}, reference_.data());
      }
      REQUIRE(std::ranges::equal(reference_, frame.reference));
    }
    texture_ = reference_;
    samples_ = reference_samples_;
    answers_.clear();
    for (const SliceToReconstruct& slice : frame.slices) decode(slice, frame);
  }
  ReconstructedFrame result() override { return {.slices = answers_, .texture = texture_}; }
  // Those of slices that it did not decode are anything.
  std::span<const uint8_t> samples() override { return samples_.all(); }

 private:
  void take(const FrameToReconstruct& frame, uint32_t tile, uint8_t parts) {
    grid_.for_each_sub_block({.tile = tile}, [&](size_t at) {
      std::copy_n(frame.reference.begin() + static_cast<ptrdiff_t>(at), 8,
                  reference_.begin() + static_cast<ptrdiff_t>(at));
    });
    SamplePlanes given(grid_);
    if (parts != 0) std::ranges::copy(frame.samples, given.all().begin());
    const auto count = static_cast<uint8_t>(grid_.most_sub_slices());
    for (uint8_t i = 0; i < count; ++i)
      if ((parts >> (8 / count * i) & 1) != 0) reference_samples_.copy(grid_, {tile, count, i}, given);
  }
  void decode(const SliceToReconstruct& which, const FrameToReconstruct& frame) {
    ReceivedSlice received{
        .parsed = {which.slice, which.intra ? Coding::lossy_intra : Coding::lossy_inter, which.bytes}};
    const bool has_reference = !frame.reference.empty();
    compact::decode(received,
                    {.grid = grid_,
                     .reference = has_reference ? reference_.data() : nullptr,
                     .reference_right = frame.right,
                     .samples = {&reference_samples_, &samples_}},
                    texture_.data());
    if (!received.decoded)
      samples_.copy(grid_, which.slice, reference_samples_);
    else if (!received.is_transform)
      samples_.decode(grid_, which.slice, texture_.data());
    answers_.push_back({received.decoded, received.refers_right, received.changed, received.check});
  }

  const TileGrid grid_;
  int frames_;
  int& decoded_;
  Texture texture_, reference_;
  SamplePlanes samples_, reference_samples_;
  std::vector<ReconstructedSlice> answers_;
};

// A decoder with its last two textures.
class TwoTextures {
 public:
  TwoTextures(const TextureDesc& desc, int threads) : workers_(threads), decoder(desc, workers_) {
    shown.resize(decoder.grid().texture_bytes());
    before_ = shown;
  }
  DecodedCounts decode(const textures::Payloads& payloads) {
    before_.swap(shown);
    std::ranges::fill(shown, std::byte{0x5A});
    return decoder.decode(textures::views(payloads), std::exchange(is_first_, false) ? nullptr : before_.data(), shown);
  }
  bool has_samples(const oracle::Samples& expected) {
    SamplePlanes planes(decoder.grid());
    return decoder.read_samples(shown.data(), planes.all()) && of_oracle(planes) == expected;
  }

 private:
  Workers workers_;

 public:
  FrameDecoder decoder;
  Texture shown;

 private:
  Texture before_;
  bool is_first_ = true;
};

}  // namespace

TEST_CASE("samples: frames of transform slices beside all others are those of the oracle") {
  for (const TextureFormat format : kSampleFormats) {
    CAPTURE(name(format));
    for (const int threads : {0, 3}) {
      const TextureDesc desc{.format = format, .width = 150, .height = 83};
      RandomStream stream(desc, 11);
      TwoTextures receiver(desc, threads);
      uint32_t transform = 0;
      for (int frame = 0; frame < 40; ++frame) {
        CAPTURE(frame);
        const auto kind = frame % 9 == 5   ? RandomStream::Kind::raw
                          : frame % 9 == 6 ? RandomStream::Kind::intra
                                           : RandomStream::Kind::any;
        transform += receiver.decode(stream.next(kind, frame % 4 == 1 ? 1 : 5)).transform;
        REQUIRE(receiver.shown == stream.expected().texture);
        if (frame % 3 == 2) REQUIRE(receiver.has_samples(stream.expected().samples));
      }
      CHECK(transform > 50);
    }
  }
}

TEST_CASE("samples: a backend that keeps samples gets those that the CPU made, and small frames that need its own") {
  for (const TextureFormat format : kSampleFormats) {
    CAPTURE(name(format));
    const TextureDesc desc{.format = format, .width = 150, .height = 83};
    for (const uint32_t least_tiles : {0, 4}) {
      for (const uint32_t self_check : {0, 30}) {
        RandomStream stream(desc, 12);
        TwoTextures receiver(desc, 0);
        int decoded = 0;
        receiver.decoder.use_backend(std::make_unique<DeviceOnCpu>(stream.grid(), 1000, decoded), self_check,
                                     least_tiles);
        for (int frame = 0; frame < 40; ++frame) {
          CAPTURE(frame);
          const auto kind = frame % 9 == 5 ? RandomStream::Kind::raw : RandomStream::Kind::any;
          receiver.decode(stream.next(kind, frame % 4 == 1 ? 1 : 5));
          REQUIRE(receiver.shown == stream.expected().texture);
          if (frame % 5 == 4) REQUIRE(receiver.has_samples(stream.expected().samples));
        }
        CHECK(decoded > 20);
      }
    }
  }
}

TEST_CASE("samples: tiles whose samples are lost with the backend are wrong until they are coded without them") {
  uint32_t wrong = 0;
  for (const TextureFormat format : kSampleFormats) {
    CAPTURE(name(format));
    const TextureDesc desc{.format = format, .width = 150, .height = 83};
    RandomStream stream(desc, 13, true);
    TwoTextures receiver(desc, 0);
    int decoded = 0;
    receiver.decoder.use_backend(std::make_unique<DeviceOnCpu>(stream.grid(), 6, decoded));
    for (int frame = 0; frame < 30; ++frame) {
      CAPTURE(frame);
      const auto counts = receiver.decode(stream.next(RandomStream::Kind::any, frame % 4 == 1 ? 1 : 5));
      if (frame < 6) REQUIRE(receiver.shown == stream.expected().texture);
      if (frame >= 6) wrong += counts.wrong;
      CHECK(counts.disagreed == 0);
      const auto differing = textures::differing(stream.grid(), receiver.shown, stream.expected().texture);
      for (uint32_t tile = 0; tile < stream.grid().tiles(); ++tile)
        REQUIRE((receiver.decoder.right()[tile] == 0 || differing[tile] == 0));
    }
    CHECK(decoded == 6);
    for (int frame = 0; frame < 40; ++frame) receiver.decode(stream.next(RandomStream::Kind::raw, 8));
    CHECK(receiver.shown == stream.expected().texture);
  }
  CHECK(wrong > 0);
}

}  // namespace texcast::compact
