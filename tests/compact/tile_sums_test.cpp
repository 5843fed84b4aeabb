// Checksums of rows of tiles: sender and receiver have the same if the row is valid, and different ones if payloads
// were forged.
#include "compact/tile_sums.h"

#include <doctest/doctest.h>

#include <random>

#include "compact/frame_decoder.h"
#include "compact/frame_encoder.h"
#include "textures.h"

using namespace texcast;
using namespace textures;

namespace {

// An encoder, and a decoder that gets its payloads.
class BothEnds {
 public:
  BothEnds(const TextureDesc& desc, bool lossy)
      : lossy_(lossy),
        encoder_(desc, {.most_slice_bytes = 600, .lossy = lossy}, workers_),
        writer_(encoder_.grid(), 700),
        decoder_(desc, workers_),
        sent_(encoder_.grid()),
        shown_(encoder_.grid().texture_bytes()),
        before_(shown_.size()) {}
  Payloads encode(const Texture& texture) {
    std::vector<uint8_t> wrong;
    if (frames_ > 0)
      for (const uint8_t right : decoder_.right()) wrong.push_back(right == 0);
    const auto slices = encoder_.encode({.texture = texture,
                                         .intra = wrong,
                                         .wrong = wrong,
                                         .target = lossy_ ? std::optional(compact::rd_parameters(24)) : std::nullopt});
    sent_.begin();
    for (const compact::CodedSlice& slice : slices) {
      sent_.add(slice.slice, slice.check);
      joined += slice.slice.tiles > 1;
      sub_slices += slice.slice.sub_slices > 1;
    }
    return copied(writer_.write(slices));
  }
  void decode(const Payloads& payloads) {
    before_.swap(shown_);
    decoder_.decode(views(payloads), frames_++ == 0 ? nullptr : before_.data(), shown_);
    for (int row = 0; row < grid().down(); ++row) {
      right += decoder_.is_right(row);
      mistaken += decoder_.is_right(row) && decoder_.sum(row) != sent_.row(row);
    }
  }
  const compact::TileGrid& grid() const { return encoder_.grid(); }
  compact::FrameDecoder& decoder() { return decoder_; }
  int right = 0, mistaken = 0;     // rows in all frames
  int joined = 0, sub_slices = 0;  // slices

 private:
  const bool lossy_;
  Workers workers_{0};
  compact::FrameEncoder encoder_;
  compact::PayloadWriter writer_;
  compact::FrameDecoder decoder_;
  compact::TileSums sent_;
  Texture shown_, before_;
  int frames_ = 0;
};

}  // namespace

TEST_CASE("the checksum of a valid row is the encoder's, through losses and repairs") {
  int joined = 0, sub_slices = 0;
  for (const TextureFormat format : {TextureFormat::bc1, TextureFormat::ycocg_bc4_420, TextureFormat::bc3})
    for (const bool lossy : {false, true}) {
      if (lossy && !compact::TileGrid::can_be_lossy(format)) continue;
      CAPTURE(name(format));
      CAPTURE(lossy);
      const TextureDesc desc{.format = format, .width = 250, .height = 120};
      BothEnds ends(desc, lossy);
      std::mt19937 random(5);
      for (int i = 0; i < 24; ++i) {
        auto payloads = ends.encode(i % 6 == 5 ? noise(desc, static_cast<uint32_t>(i)) : photograph(desc, i / 3, i));
        if (i % 3 == 1) payloads[random() % payloads.size()].clear();  // lost
        ends.decode(payloads);
      }
      CHECK(ends.mistaken == 0);
      CHECK(ends.right > 40);
      CHECK(ends.right < 24 * 4);
      joined += ends.joined;
      sub_slices += ends.sub_slices;
    }
  CHECK(joined > 0);
  CHECK(sub_slices > 0);
}

TEST_CASE("the checksum of a row with a forged tile differs, and those of other rows do not") {
  const TextureDesc desc{.format = TextureFormat::bc1, .width = 250, .height = 120};
  BothEnds ends(desc, false);
  const Texture still = photograph(desc, 0, 0), other = noise(desc, 3);
  for (int i = 0; i < 3; ++i) ends.decode(ends.encode(still));
  const compact::Slice tile{.tile = 9};  // in the third row
  std::vector<std::byte> raw;
  ends.grid().for_each_sub_block(tile, [&](size_t at) { raw.insert(raw.end(), &other[at], &other[at] + 8); });
  const compact::CodedSlice forged{.slice = tile,
                                   .coding = compact::Coding::raw,
                                   .check = compact::slice_check(ends.grid(), tile, other.data()),
                                   .bytes = raw};
  compact::PayloadWriter writer(ends.grid(), 1400);
  auto payloads = copied(writer.write({&forged, 1}));
  for (auto& payload : ends.encode(still)) payloads.push_back(std::move(payload));
  CHECK(ends.mistaken == 0);
  ends.decode(payloads);
  CHECK(ends.mistaken == 1);
  CHECK(ends.right == 4 * 4);  // the decoder cannot know better
  ends.decoder().lose_row(2);
  CHECK_FALSE(ends.decoder().is_right(2));
  for (const int row : {0, 1, 3}) CHECK(ends.decoder().is_right(row));
}
