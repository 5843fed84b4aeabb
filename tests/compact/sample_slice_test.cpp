// Sample slices: key frames with the samples of a stream, which a decoder begins with, against the oracle too.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "capture_bound.h"
#include "compact/block_fit.h"
#include "compact/frame_decoder.h"
#include "compact/frame_encoder.h"
#include "compact/key_frame_encoder.h"
#include "compact/payload.h"
#include "compact/sample_planes.h"
#include "compact/sub_block.h"
#include "oracle_check.h"
#include "sample_slice_encoder.h"
#include "textures.h"

namespace texcast::compact {
namespace {

using textures::Payloads;
using textures::Texture;
using Samples = std::vector<uint8_t>;

constexpr TextureFormat kPlaneFormats[] = {TextureFormat::ycocg_bc4_420, TextureFormat::ycocg_bc4_422,
                                           TextureFormat::ycocg_bc4_444};

// A decoder, and the frame that it decoded last.
class Receiver {
 public:
  explicit Receiver(const TextureDesc& desc) : decoder_(desc, workers_), texture_(decoder_.grid().texture_bytes()) {}
  DecodedCounts take(const Payloads& payloads) {
    const Texture reference = texture_;
    const DecodedCounts counts =
        decoder_.decode(textures::views(payloads), has_reference_ ? reference.data() : nullptr, texture_);
    has_reference_ = true;
    return counts;
  }
  const Texture& texture() const { return texture_; }
  Samples samples() {
    Samples samples(SampleLayout(decoder_.grid()).samples());
    REQUIRE(decoder_.read_samples(texture_.data(), samples));
    return samples;
  }

 private:
  Workers workers_{0};
  FrameDecoder decoder_;
  Texture texture_;
  bool has_reference_ = false;
};

// A stream of a soft picture that moves, with letters in a part of it, so that tiles have blocks of both codings.
class Stream {
 public:
  explicit Stream(const TextureDesc& desc)
      : desc_(desc),
        encoder_(desc, {.lossy = true, .effort = search_effort(Quality::fast), .transform = true}, workers_),
        writer_(encoder_.grid(), 1200) {}
  Payloads next() {
    Texture texture = textures::soft_photograph(desc_, 10 + 3 * frame_, 20 + frame_ / 2);
    const Texture letters = textures::letters(desc_, frame_ / 4);
    for (uint32_t tile = 0; tile < encoder_.grid().tiles(); tile += 3)
      textures::copy_tile(encoder_.grid(), tile, letters, texture);
    ++frame_;
    return textures::copied(writer_.write(encoder_.encode({.texture = texture, .target = rd_parameters(22)})));
  }
  const TileGrid& grid() const { return encoder_.grid(); }

 private:
  const TextureDesc desc_;
  Workers workers_{0};
  FrameEncoder encoder_;
  PayloadWriter writer_;
  int frame_ = 0;
};

Payloads key_frame_of(const TileGrid& grid, const Texture& texture, const Samples& samples, int threads = 0) {
  Workers workers(threads);
  KeyFrameEncoder encoder(grid.texture(), kMostSliceBytes, workers);
  PayloadWriter writer(grid, 16 << 10);
  return textures::copied(writer.write(encoder.encode(texture, samples)));
}

// Samples, and a texture of the sub-blocks that are fitted to them.
struct Picture {
  Samples samples;
  Texture texture;
};
template <typename Value>
Picture fitted(const TileGrid& grid, const Value& value) {
  SamplePlanes planes(grid);
  Texture texture(grid.texture_bytes());
  for (int c = 0; c < kTransformComponents; ++c) {
    const Component& component = grid.component(c);
    for (int y = 0; y < planes.layout().height(c); ++y)
      for (int x = 0; x < planes.layout().width(c); ++x) *planes.at(c, x, y) = value(c, x, y);
    for (int y = 0; y < component.blocks_y; ++y)
      for (int x = 0; x < component.blocks_x; ++x) {
        U8x16 wanted{};
        for (int i = 0; i < 16; ++i) wanted[i] = *planes.at(c, 4 * x + i % 4, 4 * y + i / 4);
        store_sub_block(texture.data() + component.at(x, y), fit_block(wanted).sub_block);
      }
  }
  return {{planes.all().begin(), planes.all().end()}, texture};
}

}  // namespace

TEST_CASE("a decoder that begins with a key frame of samples decodes the rest of a stream with transform coding") {
  for (const TextureFormat format : kPlaneFormats) {
    CAPTURE(name(format));
    const TextureDesc desc{.format = format, .width = 250, .height = 120};
    Stream stream(desc);
    Receiver complete(desc), late(desc);
    oracle::Decoder oracle(desc);
    Texture of_oracle(stream.grid().texture_bytes());
    uint32_t transform = 0;
    for (int frame = 0; frame < 14; ++frame) {
      CAPTURE(frame);
      const Payloads payloads = stream.next();
      transform += complete.take(payloads).transform;
      if (frame < 6) continue;
      // The sixth one, and another one later, take the place of the stream's.
      const bool is_key = frame == 6 || frame == 10;
      const Payloads recorded = is_key ? key_frame_of(stream.grid(), complete.texture(), complete.samples()) : payloads;
      const DecodedCounts counts = late.take(recorded);
      CHECK(counts.wrong + counts.damaged + counts.disagreed == 0);
      CHECK(late.texture() == complete.texture());
      CHECK(late.samples() == complete.samples());
      oracle.decode(recorded, frame == 6, of_oracle);
      CHECK(of_oracle == complete.texture());
      if (is_key) {
        CHECK(counts.intra + counts.plain == stream.grid().tiles());
        CHECK(textures::bytes_of(recorded) < complete.samples().size());
        CHECK(key_frame_of(stream.grid(), complete.texture(), complete.samples(), 3) == recorded);
      }
    }
    CHECK(transform > stream.grid().tiles());
    CHECK(oracle.seen().sample_slices > 0);
    CHECK(oracle.seen().sample_sources[0] > 0);
    CHECK(oracle.seen().codings[1] > 0);  // of letters
  }
}

TEST_CASE("sample slices reproduce all samples, and sub-blocks that are not fitted to theirs") {
  std::mt19937 random(4);
  oracle::Decoder::Seen seen{};
  for (const TextureFormat format : kPlaneFormats)
    for (const auto& [width, height] : {std::pair{130, 70}, {64, 32}, {3, 5}, {66, 4}})
      for (int kind = 0; kind < 4; ++kind) {
        CAPTURE(name(format));
        CAPTURE_BOUND(width);
        CAPTURE(kind);
        const TextureDesc desc{.format = format, .width = width, .height = height};
        const TileGrid grid(desc);
        Picture picture = fitted(grid, [&](int c, int x, int y) {
          switch (kind) {
            case 0: return static_cast<uint8_t>(random());                            // noise
            case 1: return static_cast<uint8_t>(90 + c + x / 3 + y + random() % 3);   // soft
            case 2: return static_cast<uint8_t>((x / 5 + y / 3) % 2 == 0 ? 0 : 255);  // the largest differences
            default: return static_cast<uint8_t>(random() % 40 == 0 ? random() : 100 + x / 2);  // both
          }
        });
        // Some sub-blocks are any, with the samples that they decode to.
        SamplePlanes planes(grid);
        std::ranges::copy(picture.samples, planes.all().begin());
        if (kind == 1 || kind == 3) {
          grid.for_each_sub_block({.tile = 0}, [&](size_t at) {
            if (random() % 3 == 0) store_sub_block(picture.texture.data() + at, uint64_t{random()} << 32 | random());
          });
          SamplePlanes of_blocks(grid);
          of_blocks.decode(grid, {.tile = 0}, picture.texture.data());
          for (int c = 0; c < kTransformComponents; ++c) {
            const BlockRect rect = grid.blocks(grid.component(c), {.tile = 0});
            for (int y = rect.y0; y < rect.y1; ++y)
              for (int x = rect.x0; x < rect.x1; ++x) {
                U8x16 samples{};
                for (int i = 0; i < 16; ++i) samples[i] = *planes.at(c, 4 * x + i % 4, 4 * y + i / 4);
                if (fit_block(samples).sub_block == load_sub_block(picture.texture.data() + grid.component(c).at(x, y)))
                  continue;
                for (int i = 0; i < 16; ++i)
                  *planes.at(c, 4 * x + i % 4, 4 * y + i / 4) = *of_blocks.at(c, 4 * x + i % 4, 4 * y + i / 4);
              }
          }
        }
        const Samples samples(planes.all().begin(), planes.all().end());
        const Payloads recorded = key_frame_of(grid, picture.texture, samples);
        Receiver receiver(desc);
        const DecodedCounts counts = receiver.take(recorded);
        CHECK(counts.wrong + counts.damaged + counts.disagreed == 0);
        CHECK(receiver.texture() == picture.texture);
        CHECK(receiver.samples() == samples);
        oracle::Decoder oracle(desc);
        Texture of_oracle(grid.texture_bytes());
        oracle.decode(recorded, true, of_oracle);
        CHECK(of_oracle == picture.texture);
        for (size_t i = 0; i < seen.sample_sources.size(); ++i)
          seen.sample_sources[i] += oracle.seen().sample_sources[i];
        for (size_t i = 0; i < seen.sub_slices.size(); ++i) seen.sub_slices[i] += oracle.seen().sub_slices[i];
      }
  for (const int source : seen.sample_sources) CHECK(source > 0);
  for (const size_t sub_slices : {1, 2, 8}) CHECK(seen.sub_slices[sub_slices] > 0);
}

TEST_CASE("damaged sample slices are refused as by the oracle, and write nothing outside") {
  std::mt19937 random(9);
  for (const TextureFormat format : kPlaneFormats) {
    const TextureDesc desc{.format = format, .width = 100, .height = 60};
    const TileGrid grid(desc);
    const Picture picture = fitted(grid, [&](int c, int x, int y) {
      return static_cast<uint8_t>(random() % 50 == 0 ? random() : 80 + 10 * c + x / 2 + y / 3 + random() % 2);
    });
    Texture texture = picture.texture;
    Samples samples = picture.samples;
    SampleSliceEncoder encoder(grid);
    oracle::Decoder oracle(desc);
    const Texture around(grid.texture_bytes(), std::byte{0xA5});
    const std::vector<uint8_t> right(grid.tiles(), 1);
    int decoded = 0, refused = 0;
    for (int round = 0; round < 160; ++round) {
      const auto sub_slices = static_cast<uint8_t>(1u << random() % 3);
      const Slice slice{static_cast<uint32_t>(random() % grid.tiles()), sub_slices,
                        static_cast<uint8_t>(random() % sub_slices)};
      Texture memory(8000);
      const size_t bytes = encoder.encode(slice, texture.data(), samples, round % 5 == 4, memory);
      REQUIRE(bytes > 0);
      const Bytes whole = Bytes(memory).last(bytes);
      const auto coded = round < 20 ? Texture(whole.begin(), whole.end()) : damaged(whole, round, random);
      const SliceToDecode what{grid, slice, coded, false, nullptr, around, nullptr, true};
      const OracleAnswer answer = answer_of_oracle(oracle, what);
      CHECK(agrees(what, answer, right));
      (answer.decoded ? decoded : refused) += 1;
      if (round < 20) CHECK(answer.decoded);
    }
    CHECK(decoded >= 20);
    CHECK(refused > 60);
  }
}

}  // namespace texcast::compact
