// Random streams that use all of the syntax, also what our encoders never write.
#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <random>

#include "compact/frame_decoder.h"
#include "compact/payload.h"
#include "compact/rans.h"
#include "oracle.h"
#include "oracle_check.h"
#include "slice_decoder.h"
#include "textures.h"

using namespace texcast;
using namespace textures;

namespace {

void check_random_units(bool lossy) {
  oracle::Decoder::Seen colors, channels, planes, opaque;
  for (const TextureFormat format : cut_formats()) {
    if (lossy && compact::TileGrid({.format = format, .width = 4, .height = 4}).is_opaque()) continue;
    CAPTURE(name(format));
    const TextureDesc desc{.format = format, .width = 150, .height = 75};
    const compact::TileGrid grid(desc);
    oracle::Decoder oracle(desc);
    Workers workers(0);
    compact::SymbolList list;
    compact::PayloadWriter writer(grid, 4000);
    std::mt19937 random(17);
    int through_frames = 0;
    for (int trial = 0; trial < 60; ++trial) {
      CAPTURE(trial);
      const Texture before =
          trial % 2 == 0 ? photograph(desc, trial, trial) : noise(desc, static_cast<uint32_t>(trial));
      const auto sub_slices = static_cast<uint8_t>(1u << random() % 3);
      compact::Slice slice{static_cast<uint32_t>(random() % grid.tiles()), sub_slices,
                           static_cast<uint8_t>(random() % sub_slices)};
      if (lossy && trial % 4 == 1)
        slice = {.tile = 3, .tiles = static_cast<uint8_t>(2 + trial / 4 % 2)};  // a row has three tiles
      const bool intra = trial % 5 == 0;
      Texture made = before, decoded = before;
      oracle::RandomSymbols chooser{.random = std::mt19937(static_cast<uint32_t>(trial)),
                                    .likely = lossy ? trial % 3 == 1 : trial % 3 != 0};
      const unsigned coding = (lossy ? 3u : 0u) + (intra ? 1u : 0u);
      oracle.make_up_slice({slice.tile, slice.sub_slices, slice.sub_slice, coding, {}, slice.tiles},
                           intra ? nullptr : &before, made, chooser);
      list.clear();
      list.make_room(chooser.chosen.size());
      for (const auto& [set, context, symbol] : chooser.chosen) list.put(compact::tables_of(set), context, symbol);
      Texture memory(40000);
      const size_t used = list.write(memory, lossy ? compact::kLossyEndState : compact::kLowest);
      REQUIRE(used > 0);
      const Bytes coded = Bytes(memory).last(used);
      std::optional<compact::SamplePlanes> before_samples, samples;
      if (grid.can_transform()) {
        before_samples.emplace(grid);
        for (uint32_t tile = 0; tile < grid.tiles(); ++tile)
          before_samples->decode(grid, {.tile = tile}, before.data());
        samples = before_samples;
      }
      REQUIRE(compact::decode_slice(grid, slice, coded, lossy, intra ? nullptr : before.data(), decoded.data(), nullptr,
                                    {before_samples ? &*before_samples : nullptr, samples ? &*samples : nullptr}));
      REQUIRE(decoded == made);
      // The oracle reads the slice that it made up, and tells of the same referenced tiles.
      const Texture* const reference = intra ? nullptr : &before;
      std::vector<uint8_t> right(grid.tiles(), 1);
      const compact::SliceToDecode whole{grid, slice, coded, lossy, reference, before};
      const compact::OracleAnswer answer = compact::answer_of_oracle(oracle, whole);
      REQUIRE(answer.decoded);
      REQUIRE(answer.texture == made);
      for (uint8_t& tile : right) {
        tile = 0;
        REQUIRE(compact::agrees(whole, answer, right));
        tile = 1;
      }
      for (int n = 0; n < 8; ++n) {
        const auto bytes = compact::damaged(coded, n, random);
        const compact::SliceToDecode what{grid, slice, bytes, lossy, reference, before};
        REQUIRE(compact::agrees(what, compact::answer_of_oracle(oracle, what), right));
      }

      // The same through FrameDecoder. The previous frame is raw.
      if (used > compact::kMostSliceBytes || grid.raw_bytes(slice) == 0) continue;
      ++through_frames;
      compact::FrameDecoder decoder(desc, workers);
      const std::vector<compact::CodedSlice> slices{
          {slice, static_cast<compact::Coding>(coding),
           oracle.check_of({slice.tile, slice.sub_slices, slice.sub_slice, 0, {}, slice.tiles}, made), coded}};
      Texture after(before.size());
      CHECK(decoder.decode(writer.write(slices), before.data(), after).damaged == 0);
      CHECK(after == made);
    }
    CHECK(through_frames > 20);
    if (format == TextureFormat::bc1) colors = oracle.seen();
    if (format == TextureFormat::bc4) channels = oracle.seen();
    if (format == TextureFormat::ycocg_bc4_444) planes = oracle.seen();
    if (format == TextureFormat::bc7) opaque = oracle.seen();
  }
  const auto all_seen = [](const auto& counts) { return std::ranges::all_of(counts, [](int n) { return n > 9; }); };
  if (!lossy) {
    CHECK(all_seen(opaque.kinds));
    CHECK(all_seen(opaque.sources));
    CHECK(all_seen(opaque.vectors));
  }
  for (const auto* seen : {&colors, &channels, &planes}) {
    const auto& all = all_seen;
    CHECK(all(seen->kinds));
    auto end_points = seen->end_points;
    if (!lossy) end_points[11] = 10;
    CHECK(all(end_points));
    // Luma, mirrored luma and direct levels occur only in lossy slices: the first two in 4:4:4, the last one in
    // channels.
    const bool has_texels = lossy && seen != &colors, has_luma = lossy && seen == &planes;
    CHECK(all(std::span(seen->indices).first(10)));
    for (const size_t mode : {10, 11}) CHECK((seen->indices[mode] > 9) == has_luma);
    CHECK((seen->indices[12] > 9) == has_texels);
    CHECK(all(seen->vectors));
    CHECK(seen->wrapped > 9);
    CHECK(seen->long_distances > 9);
    if (!lossy || seen != &planes) continue;
    CHECK(seen->transform_slices > 9);
    CHECK(all(seen->macroblock_modes));
    CHECK(seen->escapes > 9);
    CHECK(seen->exact_copies > 9);
  }
}

}  // namespace

TEST_CASE("random lossless syntax is decoded as the document says, in every format") { check_random_units(false); }

TEST_CASE("random lossy syntax is decoded as the document says, in every format") { check_random_units(true); }
