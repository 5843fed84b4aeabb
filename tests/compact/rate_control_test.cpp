// Streams under rate control: no frame exceeds the buffer, tiles without room are deferred, and the quality of static
// areas ramps up.
#include "compact/rate_control.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <vector>

#include "capture_bound.h"
#include "compact/frame_decoder.h"
#include "compact/frame_encoder.h"
#include "compact/intra_refresh.h"
#include "ref/decode.h"
#include "texcast/image.h"
#include "textures.h"
#include "tiny.h"

using namespace texcast;
using namespace textures;
using compact::TileNeed;
using compact::TileToCode;

namespace {

constexpr TextureDesc kPicture{.format = TextureFormat::ycocg_bc4_420, .width = 640, .height = 352};  // 10 x 11 tiles
constexpr size_t kPayload = 1390;
constexpr double kFps = 30;

// Each payload is a packet with headers of 66 bytes.
size_t on_the_line(const compact::PayloadSizes::Sum& sum) { return sum.bytes + sum.payloads * 66; }

// An independent model of the line.
class Line {
 public:
  Line(double bits_per_s, double frames) : of_a_frame_(bits_per_s / 8 / kFps), room_(frames * of_a_frame_) {}
  void frame(double bytes) {
    fill_ = std::max(0.0, fill_ - of_a_frame_) + bytes;
    CHECK(fill_ <= room_);
  }
  double waiting() const { return fill_ / of_a_frame_; }

 private:
  double of_a_frame_, room_, fill_ = 0;
};

// Encoder and decoder of a stream under rate control. Checks that they agree, and that no frame exceeds the buffer.
class RatedStream {
 public:
  explicit RatedStream(double bits_per_s, int threads = 0, bool transform = false, double crf = compact::kFinestCrf)
      : workers_(threads),
        encoder_(kPicture,
                 {.most_slice_bytes = compact::slice_room(kPayload),
                  .lossy = true,
                  .effort = compact::search_effort(Quality::fast),
                  .transform = transform},
                 workers_),
        writer_(encoder_.grid(), kPayload),
        decoder_(kPicture, workers_),
        rate_(
            encoder_.grid().tiles(),
            {.bits_per_s = bits_per_s, .fps = kFps, .crf = crf, .payload_bytes = kPayload, .line_bytes = on_the_line}),
        line_(bits_per_s, compact::RateSettings{}.buffer_frames),
        refresh_(encoder_.grid(), {}),
        shown_(encoder_.grid().texture_bytes()),
        before_(shown_.size()) {}
  // Codes and decodes a frame, and returns its line bytes. Requested tiles are repaired.
  size_t pass(const Texture& texture) {
    writer_.begin(is_first_ ? nullptr : &refresh_.history());
    rate_.begin(1, writer_.history_bytes());
    const auto slices = encoder_.encode({.texture = texture,
                                         .intra = refresh_.next(),
                                         .wrong = refresh_.repaired(),
                                         .target = rate_.target(),
                                         .rate = &rate_});
    payloads_ = copied(writer_.add(slices));
    for (const auto& payload : copied(writer_.end())) payloads_.push_back(payload);
    refresh_.coded(slices);
    const size_t bytes = bytes_of(payloads_) + payloads_.size() * 66;
    CHECK(bytes <= rate_.most_bytes());
    CHECK(bytes == rate_.taken_bytes());
    line_.frame(static_cast<double>(bytes));
    before_.swap(shown_);
    counts_ = decoder_.decode(views(payloads_), is_first_ ? nullptr : before_.data(), shown_);
    is_first_ = false;
    CHECK(counts_.damaged == 0);
    CHECK(counts_.disagreed == 0);
    return bytes;
  }
  compact::RateControl& rate() { return rate_; }
  compact::IntraRefresh& refresh() { return refresh_; }
  compact::FrameEncoder& encoder() { return encoder_; }
  const compact::DecodedCounts& counts() const { return counts_; }
  uint32_t deferred() const { return encoder_.counts().late; }
  std::span<const uint8_t> right() const { return decoder_.right(); }
  double psnr(const Texture& texture) const { return psnr_between(kPicture, texture, shown_); }
  const Payloads& payloads() const { return payloads_; }
  const Texture& shown() const { return shown_; }
  // A frame of another encoder, without a reference frame.
  Payloads whole(const Texture& texture) {
    compact::FrameEncoder encoder(kPicture, {}, workers_);
    compact::PayloadWriter writer(encoder.grid(), kPayload);
    return copied(writer.write(encoder.encode({.texture = texture})));
  }

 private:
  Workers workers_;
  compact::FrameEncoder encoder_;
  compact::PayloadWriter writer_;
  compact::FrameDecoder decoder_;
  compact::RateControl rate_;
  Line line_;
  compact::IntraRefresh refresh_;
  Texture shown_, before_;
  bool is_first_ = true;
  compact::DecodedCounts counts_;
  Payloads payloads_;
};

// A pan with a scene cut every eight frames.
const Texture& cut_film(int frame) {
  static std::map<int, Texture> made;
  auto& texture = made[frame];
  if (texture.empty()) texture = scene(kPicture, frame / 8, frame % 8 * 3, frame % 8);
  return texture;
}

// Simulates an encoder: the bytes of a tile with a lambda are given by a function.
class SimulatedEncoder {
 public:
  explicit SimulatedEncoder(double bits_per_s)
      : rate(kTiles, {.bits_per_s = bits_per_s, .fps = kFps, .payload_bytes = kPayload, .line_bytes = on_the_line}) {}
  struct Frame {
    size_t bytes = 0, most = 0;
    uint32_t refined = 0, deferred = 0;  // refinements that were sent; other tiles that were not
    double first_crf = 0;
  };
  template <typename BytesOf>
  Frame pass(std::vector<TileToCode> tiles, const BytesOf& bytes_of, double frame_times = 1) {
    Frame frame;
    rate.begin(frame_times);
    frame.most = rate.most_bytes();
    compact::RdParameters target = rate.plan(tiles);
    const auto bytes = [&](const TileToCode& tile) {
      const double size = bytes_of(tile, tile.need == TileNeed::refinement ? tile.lambda : target.lambda);
      return static_cast<size_t>(std::clamp(size, 3.0, 1300.0));
    };
    if (rate.needs_trial()) {
      for (size_t i = 0; i < tiles.size(); i += 8)
        if (tiles[i].is_chosen && tiles[i].need != TileNeed::refinement) rate.add_trial(tiles[i], bytes(tiles[i]));
      target = rate.plan(tiles);
    }
    frame.first_crf = 23 + 3 * std::log2(target.lambda / 300.0);
    for (size_t i = 0; i < tiles.size(); ++i) {
      if (i % 16 == 0 && i > 0) target = rate.next_batch();
      const TileToCode& tile = tiles[i];
      const compact::CodedSlice slice{.slice = {.tile = tile.tile},
                                      .coding = compact::Coding::lossy_inter,
                                      .bytes = Bytes(memory_).first(bytes(tile))};
      const bool has_room = tile.is_chosen && rate.admit({&tile, 1}, {&slice, 1}) == compact::Admission::admitted;
      const bool is_refinement = tile.need == TileNeed::refinement;
      frame.refined += has_room && is_refinement;
      frame.deferred += !has_room && !is_refinement;
      frames_deferred[tile.tile] =
          has_room ? uint8_t{0} : static_cast<uint8_t>(std::min(frames_deferred[tile.tile] + 1, 255));
    }
    rate.end();
    frame.bytes = rate.taken_bytes();
    return frame;
  }
  // `count` tiles, each with this complexity.
  std::vector<TileToCode> tiles(uint32_t count, TileNeed need, uint32_t complexity, int lambda = 0) const {
    std::vector<TileToCode> all;
    for (uint32_t i = 0; i < count; ++i)
      all.push_back(
          {.tile = i, .need = need, .frames_deferred = frames_deferred[i], .complexity = complexity, .lambda = lambda});
    return all;
  }
  static constexpr uint32_t kTiles = 400;
  compact::RateControl rate;
  std::vector<uint8_t> frames_deferred = std::vector<uint8_t>(kTiles);

 private:
  std::vector<std::byte> memory_ = std::vector<std::byte>(1400);
};

// Similar to film: half the bytes with four times lambda.
double as_film(const TileToCode& tile, int lambda) {
  constexpr double kCosts[] = {0.4, 1.0, 0.4};
  return kCosts[static_cast<size_t>(tile.need)] * tile.complexity / std::sqrt(lambda);
}

}  // namespace

TEST_CASE("rate: no frame exceeds the buffer, whatever it shows") {
  for (const double mbit : {1.0, 4.0, 30.0}) {
    CAPTURE_BOUND(mbit);
    RatedStream stream(mbit * 1e6);
    size_t bytes = 0;
    const int frames = texcast::test::tiny_only() ? 11 : 18;  // a scene cut and a frame of noise, or two of each
    for (int i = 0; i < frames; ++i) {
      CAPTURE_BOUND(i);
      bytes += stream.pass(i % 8 == 5 ? noise(kPicture, 3) : cut_film(i));
    }
    CHECK(static_cast<double>(bytes) <= (frames + 2) * mbit * 1e6 / 8 / kFps);
  }
}

TEST_CASE("rate: the buffer never overflows, with any bytes of tiles and any frame times") {
  for (const uint32_t seed : {1u, 2u, 3u}) {
    SimulatedEncoder stream(5e6);
    std::mt19937 random(seed);
    const double of_a_frame = 5e6 / 8 / kFps;
    double fill = 0;
    for (int i = 0; i < 300; ++i) {
      std::vector<TileToCode> tiles;
      for (uint32_t tile = 0; tile < SimulatedEncoder::kTiles; ++tile)
        if (random() % 4 != 0)
          tiles.push_back({.tile = tile,
                           .need = static_cast<TileNeed>(random() % 3),
                           .frames_deferred = stream.frames_deferred[tile],
                           .complexity = static_cast<uint32_t>(random() % 6000),
                           .lambda = 4000});
      const double frame_times = i % 7 == 0 ? 0.3 : i % 11 == 0 ? 5 : 1;
      const auto any = [&](const TileToCode&, int) { return static_cast<double>(random() % 1300); };
      const auto frame = stream.pass(tiles, any, frame_times);
      fill = std::max(0.0, fill - frame_times * of_a_frame) + static_cast<double>(frame.bytes);
      CHECK(fill <= 2 * of_a_frame);
      CHECK(frame.bytes <= frame.most);
    }
  }
}

TEST_CASE("rate: film uses at least nine tenths of the rate, with little delay") {
  SimulatedEncoder stream(10e6);
  double bytes = 0, waiting = 0;
  for (int i = 0; i < 60; ++i) {
    const auto frame = stream.pass(stream.tiles(400, TileNeed::inter, 4000), as_film);
    if (i < 30) continue;
    CHECK(frame.deferred == 0);
    bytes += static_cast<double>(frame.bytes);
    waiting = std::max(waiting, stream.rate.waiting());
  }
  CHECK(bytes * 8 > 0.9 * 10e6);
  CHECK(waiting < 1.3);
}

TEST_CASE("rate: a scene cut is coarser, exceeds a frame time's bytes, and the buffer recovers within ten frames") {
  SimulatedEncoder stream(10e6);
  const double of_a_frame = 10e6 / 8 / kFps;
  SimulatedEncoder::Frame before;
  for (int i = 0; i < 30; ++i) before = stream.pass(stream.tiles(400, TileNeed::inter, 4000), as_film);
  const auto cut = stream.pass(stream.tiles(400, TileNeed::intra, 12'000), as_film);
  CHECK(cut.deferred == 0);
  CHECK(cut.first_crf > before.first_crf + 3);
  CHECK(static_cast<double>(cut.bytes) > 1.3 * of_a_frame);
  SimulatedEncoder::Frame after;
  for (int i = 0; i < 10; ++i) after = stream.pass(stream.tiles(400, TileNeed::inter, 4000), as_film);
  CHECK(stream.rate.waiting() < 1.1);
  CHECK(after.first_crf < before.first_crf + 1);
}

TEST_CASE("rate: refinements get a quarter if changed tiles could use all bytes, and all if nothing changes") {
  SimulatedEncoder stream(5e6);
  const auto both = [&] {
    auto tiles = stream.tiles(400, TileNeed::inter, 4000);
    for (size_t i = 200; i < 400; ++i) {
      tiles[i].need = TileNeed::refinement;
      tiles[i].lambda = 64;
    }
    return tiles;
  };
  uint32_t refined_beside = 0;
  for (int i = 0; i < 20; ++i) {
    const auto frame = stream.pass(both(), as_film);
    if (i < 10) continue;
    CHECK(frame.deferred == 0);
    refined_beside += frame.refined;
  }
  CHECK(refined_beside >= 20);
  CHECK(refined_beside < 200);
  CHECK(stream.pass(stream.tiles(400, TileNeed::refinement, 4000, 64), as_film).refined > 2 * refined_beside / 10);
}

TEST_CASE("rate: coarse static tiles get the quality of changed tiles at once") {
  SimulatedEncoder stream(10e6);
  for (int i = 0; i < 5; ++i) stream.pass(stream.tiles(400, TileNeed::inter, 6000), as_film);
  auto tiles = stream.tiles(400, TileNeed::inter, 6000);
  for (size_t i = 200; i < 400; ++i) {
    tiles[i].need = TileNeed::refinement;
    tiles[i].lambda = 100'000;
    tiles[i].complexity = 3000;
  }
  stream.rate.begin(1);
  const compact::RdParameters moving = stream.rate.plan(tiles);
  CHECK(std::ranges::all_of(tiles, [](const TileToCode& tile) { return tile.is_chosen; }));
  CHECK(tiles[300].lambda < 1.4 * moving.lambda);
  CHECK(tiles[300].lambda > 0.6 * moving.lambda);
}

TEST_CASE("rate: lambda grows while there is no time for all changed tiles, and shrinks again after that") {
  SimulatedEncoder stream(100e6);
  const auto crf = [&](uint32_t in_time) {
    auto tiles = stream.tiles(400, TileNeed::inter, 1000);
    for (uint32_t i = in_time; i < 400; ++i) tiles[i].has_time = false;
    return stream.pass(tiles, as_film).first_crf;
  };
  for (int i = 0; i < 5; ++i) CHECK(crf(400) < 17);
  for (int i = 0; i < 10; ++i) crf(100);
  CHECK(crf(100) > 24);
  for (int i = 0; i < 100; ++i) crf(400);
  CHECK(crf(400) < 17);
}

TEST_CASE("rate: quality is never better than the settings allow") {
  SimulatedEncoder stream(100e6);
  const auto frame = stream.pass(stream.tiles(20, TileNeed::inter, 4000), as_film);
  CHECK(frame.first_crf == doctest::Approx(compact::kFinestCrf).epsilon(0.01));
}

TEST_CASE("rate: a refinement that is too large for any frame is given up") {
  SimulatedEncoder stream(0.3e6);
  stream.rate.begin(1);
  auto tiles = stream.tiles(1, TileNeed::refinement, 4000, 64);
  stream.rate.plan(tiles);
  const std::vector<std::byte> memory(1380);
  const compact::CodedSlice slice{.slice = {.tile = 0}, .coding = compact::Coding::lossy_inter, .bytes = memory};
  CHECK(stream.rate.admit(tiles, {&slice, 1}) == compact::Admission::never);
}

TEST_CASE("rate: a new rate takes effect with the next frame") {
  SimulatedEncoder stream(20e6);
  for (int i = 0; i < 20; ++i) stream.pass(stream.tiles(400, TileNeed::inter, 4000), as_film);
  stream.rate.set_rate(5e6);
  double bytes = 0;
  for (int i = 0; i < 30; ++i) {
    const auto frame = stream.pass(stream.tiles(400, TileNeed::inter, 4000), as_film);
    if (i > 3) CHECK(frame.deferred == 0);
    bytes += static_cast<double>(frame.bytes);
  }
  CHECK(bytes * 8 < 5e6 + 2 * 5e6 / kFps);
  CHECK(bytes * 8 > 0.75 * 5e6);
}

TEST_CASE("rate: the number of threads does not change the bytes") {
  for (const bool transform : {false, true}) {
    RatedStream intra(2.5e6, 0, transform), shared(2.5e6, 3, transform);
    const int frames = texcast::test::tiny_only() ? 10 : 20;  // one scene cut or two
    for (int i = 0; i < frames; ++i) {
      CAPTURE_BOUND(i);
      intra.pass(cut_film(i));
      shared.pass(cut_film(i));
      CHECK(intra.payloads() == shared.payloads());
    }
  }
}

TEST_CASE("rate: after a scene cut quality is low for some frames, then as before") {
  const int cuts = texcast::test::tiny_only() ? 1 : 3;
  for (const bool transform : {false, true}) {
    RatedStream stream(4e6, 0, transform);
    std::vector<double> psnr;
    for (int i = 0; i < 8 * cuts + 4; ++i) {
      stream.pass(cut_film(i));
      psnr.push_back(stream.psnr(cut_film(i)));
    }
    for (int cut = 8; cut <= 8 * cuts; cut += 8) {
      CAPTURE(cut);
      CAPTURE_BOUND(transform);
      CHECK(psnr[static_cast<size_t>(cut)] > 21);
      // The first frame of a shot is better with transform coding.
      CHECK(psnr[static_cast<size_t>(cut) + 3] > psnr[static_cast<size_t>(cut)] + (transform ? 2 : 4));
      CHECK(psnr[static_cast<size_t>(cut) + 3] > psnr[static_cast<size_t>(cut) - 1] - 5);
    }
  }
}

TEST_CASE("rate: static areas reach the same quality as without a rate, and then cost nothing") {
  RatedStream stream(4e6);
  for (int i = 0; i < 12; ++i) stream.pass(cut_film(i));
  const Texture still = cut_film(12);
  int frames = 0;
  for (stream.pass(still); stream.encoder().is_waiting() && frames < 90; ++frames) stream.pass(still);
  MESSAGE(frames << " frames until " << stream.psnr(still) << " dB");
  CHECK(frames < 60);
  CHECK(stream.psnr(still) > 46);
  CHECK(stream.pass(still) < 300);
  CHECK(stream.encoder().counts().skipped == stream.encoder().grid().tiles());
}

TEST_CASE(
    "rate: film with transform coding uses the rate, and is refined up to crf 14 where it stands still for long") {
  RatedStream stream(1.2e6, 0, true);
  size_t bytes = 0, coded = 0, by_transform = 0;
  for (int i = 0; i < 8; ++i) {
    bytes += stream.pass(scene(kPicture, 3, 3 * i, i));
    const auto counts = stream.encoder().counts();
    coded += counts.inter + counts.intra;
    by_transform += counts.transform;
  }
  CHECK(static_cast<double>(bytes) * 8 > 0.8 * 1.2e6 * 8 / kFps);
  CHECK(by_transform * 10 > coded * 9);
  const Texture still = scene(kPicture, 3, 3 * 7, 7);
  const double moving = stream.psnr(still);
  int frames = 0;
  for (stream.pass(still); stream.encoder().is_waiting() && frames < 120; ++frames) stream.pass(still);
  CHECK(frames > 10);
  CHECK(frames < 120);
  CHECK(stream.psnr(still) > moving + 2);
  CHECK(stream.pass(still) < 300);
}

TEST_CASE("rate: a first picture that does not fit is sent in parts, and is complete in the end") {
  for (const bool transform : {false, true}) {
    RatedStream stream(0.6e6, 0, transform);  // 2500 bytes for each frame of 110 tiles
    const Texture picture = cut_film(0);
    stream.pass(picture);
    CHECK(stream.deferred() > 20);
    CHECK(stream.encoder().is_waiting());
    CHECK(stream.counts().wrong == stream.deferred());
    int frames = 0;
    for (; stream.counts().wrong > 0 && frames < 30; ++frames) {
      const auto wrong = stream.counts().wrong;
      stream.pass(picture);
      CHECK(stream.counts().wrong < wrong);
    }
    CHECK(frames < 20);
    CHECK(stream.psnr(picture) > 18);
  }
}

TEST_CASE("rate: no tile references deferred intra tiles until these are coded") {
  for (int which = 0; which < 4; ++which) {
    const bool are_wrong = which % 2 == 1, transform = which >= 2;
    Workers workers(0);
    compact::FrameEncoder encoder(
        kPicture, {.lossy = true, .effort = compact::search_effort(Quality::fast), .transform = transform}, workers);
    compact::RateControl rate(encoder.grid().tiles(), {.bits_per_s = 30e6, .fps = kFps, .line_bytes = on_the_line});
    const auto encode = [&](const Texture& texture, std::span<const uint8_t> intra) {
      rate.begin(1);
      return encoder.encode({.texture = texture, .intra = intra, .target = rate.target(), .rate = &rate});
    };
    encode(cut_film(0), {});
    REQUIRE(encoder.counts().late == 0);
    const std::vector<uint8_t> all(encoder.grid().tiles(), 1);
    rate.set_rate(0.6e6);
    rate.begin(1000);  // the buffer has drained
    std::vector<uint8_t> owed(encoder.grid().tiles(), are_wrong ? 1 : 0);
    for (const auto& slice : encode(cut_film(1), are_wrong ? all : std::vector<uint8_t>()))
      for (uint8_t i = 0; i < slice.slice.tiles; ++i) owed[slice.slice.tile + i] = 0;
    rate.set_rate(30e6);
    size_t touched_owed = 0, touched_others = 0, owed_against = 0;
    for (const auto& slice : encode(cut_film(2), {})) {
      if (!compact::needs_reference(slice.coding)) continue;
      owed_against += owed[slice.slice.tile];
      for (const uint32_t tile : slice.touched.list()) {
        touched_owed += owed[tile];
        touched_others += tile != slice.slice.tile;
      }
    }
    CHECK(encoder.counts().late == 0);
    CHECK(touched_owed == 0);
    CHECK(owed_against == 0);
    const auto count = std::ranges::count(owed, 1);
    CHECK((are_wrong ? count > 20 && count < 100 : count == 0));
    if (!are_wrong) CHECK(touched_others > 20);  // because of the motion
  }
}

TEST_CASE("rate: no tile is deferred forever, although there is never room for all") {
  for (const bool transform : {false, true}) {
    RatedStream stream(0.6e6, 0, transform);
    std::vector<int> frames_valid(stream.encoder().grid().tiles(), 0);
    for (int i = 0; i < 60; ++i) {
      stream.pass(noise(kPicture, static_cast<uint32_t>(i)));
      for (uint32_t tile = 0; tile < frames_valid.size(); ++tile) frames_valid[tile] += stream.right()[tile] != 0;
    }
    CHECK(stream.deferred() > 0);
    CHECK(std::ranges::min(frames_valid) > 0);
  }
}

TEST_CASE("rate: repairs without room are deferred, and meanwhile no tile references wrong ones") {
  for (const bool transform : {false, true}) {
    RatedStream stream(0.6e6, 0, transform);
    int i = 0;
    while (stream.encoder().is_waiting() || i == 0) {
      stream.pass(cut_film(0));
      if (++i == 60) break;
    }
    REQUIRE(stream.counts().wrong == 0);
    // A second receiver has the same state, and then loses a complete frame during motion.
    Workers workers(0);
    compact::FrameDecoder decoder(kPicture, workers);
    Texture before = stream.shown(), after(before.size());
    decoder.decode(views(stream.whole(before)), nullptr, after);
    REQUIRE(after == before);
    stream.pass(cut_film(1));
    stream.refresh().request(static_cast<uint64_t>(i), {}, true);
    uint32_t deferred = 0, wrong = 0;
    bool is_first = true;
    for (int k = 0; k < 40; ++k) {
      stream.pass(cut_film(2 + std::min(k, 4)));
      deferred += stream.deferred();
      before.swap(after);
      const auto counts = decoder.decode(views(stream.payloads()), before.data(), after, is_first ? 1 : 0);
      is_first = false;
      CHECK(counts.disagreed == 0);
      const auto differs = differing(stream.encoder().grid(), after, stream.shown());
      for (uint32_t tile = 0; tile < differs.size(); ++tile) CHECK((differs[tile] == 0 || decoder.right()[tile] == 0));
      wrong = counts.wrong + counts.unsure;
      if (wrong == 0 && !stream.refresh().is_waiting()) break;
    }
    CHECK(deferred > 0);
    CHECK(wrong == 0);
    CHECK(after == stream.shown());
  }
}

TEST_CASE("rate: other bytes that were sent reduce those of the next frames") {
  RatedStream stream(4e6), other(4e6);
  for (int i = 0; i < 4; ++i) {
    stream.pass(cut_film(i));
    other.pass(cut_film(i));
  }
  stream.rate().charge(20'000);
  stream.pass(cut_film(4));
  other.pass(cut_film(4));
  CHECK(stream.rate().most_bytes() + 10'000 < other.rate().most_bytes());
}
