// Compares the rows of tiles that a decoder marks as changed with all textures that it has decoded so far.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <tuple>
#include <utility>

#include "compact/frame_decoder.h"
#include "compact/frame_encoder.h"
#include "textures.h"

using namespace texcast;
using namespace textures;

namespace {

// A byte for each row of tiles.
std::vector<uint8_t> rows_that_differ(const compact::TileGrid& grid, const Texture& a, const Texture& b) {
  std::vector<uint8_t> rows(static_cast<size_t>(grid.down()));
  const auto tiles = differing(grid, a, b);
  for (uint32_t tile = 0; tile < grid.tiles(); ++tile) rows[tile / grid.across()] |= tiles[tile];
  return rows;
}

// Decodes, keeps all textures, and compares the decoder's marks with them.
class RowWitness {
 public:
  explicit RowWitness(const TextureDesc& desc) : decoder_(desc, workers_) {}

  void decode(std::span<const Bytes> payloads, uint64_t frames_missing = 0, bool without_before = false) {
    const auto& grid = decoder_.grid();
    Texture shown(grid.texture_bytes());
    const bool is_first = made_.empty() || without_before;
    decoder_.decode(payloads, is_first ? nullptr : made_.back().texture.data(), shown, frames_missing);
    const RowChanges changes = decoder_.changes();
    REQUIRE(changes.changed_in.size() == static_cast<size_t>(grid.down()));
    REQUIRE(changes.sequence != 0);
    const auto since = [&](const Made& before, size_t row) { return changes.changed_in[row] > before.number; };
    for (const Made& before : made_) {
      CHECK(changes.know_since(changes.sequence, before.number));
      CHECK(changes.number > before.number);
      const auto differs = rows_that_differ(grid, before.texture, shown);
      for (size_t row = 0; row < differs.size(); ++row) CHECK(since(before, row) >= (differs[row] != 0));
    }
    // Marks of changes since the previous texture are exact.
    if (!is_first) {
      const auto differs = rows_that_differ(grid, made_.back().texture, shown);
      for (size_t row = 0; row < differs.size(); ++row) CHECK(since(made_.back(), row) == (differs[row] != 0));
      CHECK(changes.any_since(made_.back().number) == (made_.back().texture != shown));
    } else {
      CHECK(std::ranges::all_of(changes.changed_in, [&](uint64_t row) { return row == changes.number; }));
    }
    made_.push_back({changes.number, std::move(shown)});
  }
  size_t rows_changed() const {
    const RowChanges changes = decoder_.changes();
    return static_cast<size_t>(std::ranges::count(changes.changed_in, changes.number));
  }
  const compact::FrameDecoder& decoder() const { return decoder_; }
  const Texture& shown() const { return made_.back().texture; }

 private:
  struct Made {
    uint64_t number = 0;
    Texture texture;
  };
  Workers workers_{0};
  compact::FrameDecoder decoder_;
  std::vector<Made> made_;
};

}  // namespace

TEST_CASE("rows of tiles are marked as changed exactly if the texture differs from the previous one, with any loss") {
  std::mt19937 random(5);
  for (const TextureFormat format : cut_formats()) {
    CAPTURE(name(format));
    const TextureDesc desc{.format = format, .width = 150, .height = 221};  // 3 x 7 tiles, the last ones smaller
    Workers workers(0);
    compact::FrameEncoder encoder(desc, {.most_slice_bytes = 500}, workers);
    compact::PayloadWriter writer(encoder.grid(), 700);
    RowWitness witness(desc);
    Texture texture = photograph(desc, 0, 0);
    size_t partly = 0;
    for (int frame = 0; frame < 24; ++frame) {
      if (frame == 17) texture = photograph(desc, 3, 1);
      if (frame % 3 == 1)
        copy_tile(encoder.grid(), static_cast<uint32_t>(random() % encoder.grid().tiles()), noise(desc, frame),
                  texture);
      std::vector<uint8_t> intra(encoder.grid().tiles());
      for (uint32_t tile = 0; tile < intra.size(); ++tile)
        intra[tile] = frame % 2 == 0 && witness.decoder().right()[tile] == 0;
      const auto payloads = writer.write(encoder.encode({.texture = texture, .intra = intra}));
      if (frame % 7 == 6) continue;  // completely lost
      std::vector<Bytes> come;
      for (const Bytes payload : payloads)
        if (frame == 0 || random() % 4 != 0) come.push_back(payload);
      witness.decode(come, frame % 7 == 0 && frame > 0 ? 1 : 0, frame == 20);
      partly += witness.rows_changed() > 0 && witness.rows_changed() < 7;
    }
    CHECK(partly > 3);
  }
}

TEST_CASE("tiles that are coded but equal do not mark a row as changed, nor do damaged ones") {
  const TextureDesc desc{.format = TextureFormat::bc3, .width = 250, .height = 120};
  Workers workers(0);
  compact::FrameEncoder encoder(desc, {.most_slice_bytes = 500}, workers);
  compact::PayloadWriter writer(encoder.grid(), 700);
  RowWitness witness(desc);
  const Texture texture = photograph(desc, 0, 0);
  witness.decode(writer.write(encoder.encode({.texture = texture})));
  CHECK(witness.rows_changed() == 4);
  const std::vector<uint8_t> all(encoder.grid().tiles(), 1);
  const Payloads anew = copied(writer.write(encoder.encode({.texture = texture, .intra = all})));
  REQUIRE(bytes_of(anew) > texture.size() / 4);
  witness.decode(views(anew));
  CHECK(witness.rows_changed() == 0);
  CHECK(witness.shown() == texture);
  Payloads damaged = anew;
  std::mt19937 random(3);
  for (auto& payload : damaged)
    for (size_t i = payload.size() / 2; i < payload.size(); ++i) payload[i] = static_cast<std::byte>(random());
  witness.decode(views(damaged));
}

TEST_CASE("textures of two decoders belong to two sequences") {
  const TextureDesc desc{.format = TextureFormat::bc1, .width = 64, .height = 64};
  RowWitness one(desc), other(desc);
  one.decode({});
  other.decode({});
  const RowChanges a = one.decoder().changes(), b = other.decoder().changes();
  CHECK(a.number == b.number);
  CHECK(!a.know_since(b.sequence, b.number));
  CHECK(!RowChanges{}.know_since(0, 0));
}

TEST_CASE(
    "only changed rows are copied to memory with an earlier texture of the decoder, and all rows to other memory") {
  std::mt19937 random(8);
  for (const TextureFormat format : cut_formats()) {
    CAPTURE(name(format));
    const TextureDesc desc{.format = format, .width = 150, .height = 221};
    Workers workers(0);
    compact::FrameEncoder encoder(desc, {.most_slice_bytes = 500}, workers);
    compact::PayloadWriter writer(encoder.grid(), 700);
    compact::FrameDecoder fresh(desc, workers), again(desc, workers);
    Texture texture = photograph(desc, 0, 0);
    std::vector<std::pair<uint64_t, Texture>> made;
    int wrong = 0;
    for (int frame = 0; frame < 20; ++frame) {
      copy_tile(encoder.grid(), static_cast<uint32_t>(random() % encoder.grid().tiles()), noise(desc, frame), texture);
      std::vector<Bytes> come;
      const auto payloads = writer.write(encoder.encode({.texture = texture}));
      for (const Bytes payload : payloads)
        if (frame == 0 || random() % 3 != 0) come.push_back(payload);
      const bool has_before = frame != 0 && frame != 11;
      const std::byte* before = has_before ? made.back().second.data() : nullptr;
      Texture all(texture.size());
      fresh.decode(come, before, all);
      uint64_t held = 0;
      Texture rest = noise(desc, 99);
      if (frame > 0 && frame % 4 != 3) std::tie(held, rest) = made[random() % made.size()];
      again.decode(come, before, rest, 0, held);
      wrong += rest != all;
      made.emplace_back(again.changes().number, std::move(all));
    }
    CHECK(wrong == 0);

    // The caller's claim about the memory is trusted: other bytes remain if nothing changed there.
    Texture held = noise(desc, 7);
    again.decode(views(copied(writer.write(encoder.encode({.texture = texture})))), made.back().second.data(), held, 0,
                 made.back().first);
    const RowChanges changes = again.changes();
    const auto kept = differing(encoder.grid(), held, noise(desc, 7));
    for (uint32_t tile = 0; tile < encoder.grid().tiles(); ++tile)
      if (changes.changed_in[tile / encoder.grid().across()] <= made.back().first) CHECK(kept[tile] == 0);
    CHECK(std::ranges::count(kept, 0) > 0);
  }
}
