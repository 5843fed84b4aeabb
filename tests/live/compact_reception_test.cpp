// The requests of a receiver of a coded stream, and their frequency.
#include "textures/compact_reception.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <vector>

#include "../compact/lossy_stream.h"
#include "compact/frame_encoder.h"
#include "compact/payload.h"
#include "compact/tile_sums.h"
#include "textures/stream_format.h"
#include "tile_payload.h"

using namespace texcast;
using namespace texcast::stream;
using namespace std::chrono_literals;

namespace {

constexpr TextureDesc kTiles{.format = TextureFormat::bc1, .width = 256, .height = 128};  // 4 x 4

// A picture of noise of which two tiles change with every frame; the sender never repairs anything.
class DeafStream {
 public:
  DeafStream() : blocks_(texture_layout(kTiles).total_bytes) {
    for (auto& byte : blocks_) byte = static_cast<std::byte>(random_());
  }
  // Receives the next frame without the lost payloads. Returns the result of decode(); the frame is latest().
  std::optional<uint32_t> receive(CompactReception& reception, size_t lost) {
    blocks_[0] = static_cast<std::byte>(random_());
    blocks_.back() = static_cast<std::byte>(random_());
    const auto payloads = writer_.write(encoder_.encode({.texture = blocks_}));
    std::vector<Bytes> come(payloads.begin(), payloads.end());
    come.resize(come.size() - std::min(lost, come.size()));
    const FrameRef out = pool_.acquire(blocks_.size());
    REQUIRE(out);
    out->desc = kTiles;
    transport::ReceivedFrame frame;
    frame.number = number_;
    frame.buffer_id = 100 + static_cast<uint32_t>(number_++);
    frame.payloads = come;
    latest_ = out;
    return reception.decode(frame, out);
  }
  const FrameRef& latest() const { return latest_; }
  bool is_latest(size_t byte) const { return latest_->blocks[byte] == blocks_[byte]; }
  uint32_t newest() const { return 99 + static_cast<uint32_t>(number_); }

 private:
  std::mt19937 random_{2};
  std::vector<std::byte> blocks_;
  Workers workers_{0};
  compact::FrameEncoder encoder_{kTiles, {.most_slice_bytes = 1100}, workers_};
  compact::PayloadWriter writer_{encoder_.grid(), 1200};
  BlockPool pool_{4};
  FrameRef latest_;
  uint64_t number_ = 0;
};

// Decodes frame `number` of a stream into memory of the pool.
FrameRef decoded(CompactReception& reception, BlockPool& pool, const TextureDesc& desc, uint8_t coding, uint64_t number,
                 const std::vector<Bytes>& payloads) {
  const FrameRef out = pool.acquire(texture_layout(desc).total_bytes);
  REQUIRE(out);
  out->desc = desc;
  out->id = 70 + number;
  transport::ReceivedFrame frame;
  frame.stream.coding = coding;
  frame.number = number;
  frame.payloads = payloads;
  REQUIRE(reception.decode(frame, out).has_value());
  return out;
}

}  // namespace

TEST_CASE("a receiver of a coded stream sends a request with each frame while tiles are wrong, with its state") {
  DeafStream stream;
  CompactReception reception(0);
  SteadyTime now{10s};
  CHECK(stream.receive(reception, 0) == 0);
  CHECK(!reception.query(now));
  CHECK(stream.receive(reception, 1));  // a payload is lost, which the next frame does not contain either
  CHECK(stream.receive(reception, 0));
  CHECK(stream.receive(reception, 0));
  CHECK(stream.receive(reception, 0));
  REQUIRE(reception.counts().wrong > 0);
  for (int i = 0; i < 3; ++i, now += 16ms) {
    CAPTURE(i);
    const auto query = reception.query(now);
    REQUIRE(query);
    CHECK(query->state == stream.newest());
    CHECK((query->all || !query->ranges.empty()));
    CHECK(!reception.query(now));         // not twice
    CHECK(!reception.query(now + 12ms));  // nor again so soon, for the same frame
    stream.receive(reception, 0);
  }
  CHECK(reception.query(now));
  CHECK(!reception.query(now + 25ms));
  CHECK(reception.query(now + 60ms));  // the request may have been lost
}

TEST_CASE("a receiver without any picture requests all tiles, without a state") {
  DeafStream stream;
  CompactReception none(0), reception(0);
  stream.receive(none, 0);  // before the other one started
  CHECK(!stream.receive(reception, 0));
  const auto query = reception.query(SteadyTime{10s});
  REQUIRE(query);
  CHECK(query->state == stream.newest());
  CHECK((query->all || !query->ranges.empty()));
}

TEST_CASE("a lossy frame that is right has its payloads, and the id of its reference frame") {
  const TextureDesc desc{.format = TextureFormat::ycocg_bc4_420, .width = 256, .height = 128};
  for (const uint8_t coding : {kLossyCoding, kTransformCoding, kLosslessCoding}) {
    test::LossyStream stream(desc);
    BlockPool pool(4);
    CompactReception reception(0);
    FrameRef before;
    for (uint64_t i = 0; i < 9; ++i) {
      CAPTURE(i);
      // Frame 3 lacks a payload, which frame 5 repairs; frame 7 does not arrive at all, and frame 8 does not depend on
      // it.
      stream.next(i == 5 ? std::vector<uint8_t>(stream.tiles(), 1) : std::vector<uint8_t>{});
      auto payloads = stream.payloads();
      if (i == 3) payloads[payloads.size() / 2] = {};
      if (i == 7) continue;
      const FrameRef out = decoded(reception, pool, desc, coding, i, payloads);
      const bool is_right = i != 3 && i != 4 && i != 8;
      CHECK(out->is_lossy == (coding != kLosslessCoding));
      CHECK(out->has_transform == (coding == kTransformCoding));
      const bool is_kept = out->is_lossy && is_right && i > 0;
      CHECK(out->payloads.empty() == !is_kept);
      if (is_kept) {
        CHECK(out->payloads == stream.payloads_with_lengths());
        CHECK(out->needs_id == before->id);
      }
      before = out;
    }
  }
}

TEST_CASE(
    "a right frame of a stream with transform coding has its samples: the first one, and those that are requested") {
  const TextureDesc desc{.format = TextureFormat::ycocg_bc4_420, .width = 200, .height = 70};
  for (const uint8_t coding : {kLossyCoding, kTransformCoding})
    for (const bool gives_first : {false, true}) {
      test::LossyStream stream(desc, coding == kTransformCoding);
      BlockPool pool(3);
      CompactReception reception(0);
      if (gives_first) reception.give_samples_first();
      for (uint64_t i = 0; i < 9; ++i) {
        CAPTURE(i);
        stream.next();
        std::vector<Bytes> payloads = stream.payloads();
        if (i == 4) payloads.pop_back();
        const FrameRef out = decoded(reception, pool, desc, coding, i, payloads);
        CHECK((out->wants_samples != nullptr) == (coding == kTransformCoding));
        // The request after the third frame waits for a right one, which never comes.
        const bool has_samples = coding == kTransformCoding && ((i == 0 && gives_first) || i == 2);
        CHECK(out->samples.empty() == !has_samples);
        if (has_samples) CHECK(out->samples == stream.samples());
        if (out->wants_samples && (i == 1 || i == 3)) out->wants_samples->store(true);
      }
    }
}

TEST_CASE("a sender that never answers gets fewer and fewer requests") {
  DeafStream stream;
  CompactReception reception(0);
  stream.receive(reception, 0);
  for (const size_t lost : {1, 0, 0, 0}) stream.receive(reception, lost);
  int first = 0, last = 0;
  for (int ms = 0; ms < 20'000; ++ms) {
    if (ms % 16 == 0) stream.receive(reception, 0);
    if (!reception.query(SteadyTime{100s} + ms * 1ms)) continue;
    ++(ms < 10'000 ? first : last);
  }
  CHECK(first > 12);
  CHECK(first < 40);
  CHECK(last >= 9);
  CHECK(last <= 11);
}

TEST_CASE("a frame of a coded stream knows which rows of tiles changed, until its memory is reused") {
  DeafStream stream;
  CompactReception reception(0), other(0);
  stream.receive(reception, 0);
  const RowChanges first = stream.latest()->changes();
  const uint64_t sequence = first.sequence, number = first.number;
  CHECK(sequence != 0);
  REQUIRE(first.changed_in.size() == 4);
  stream.receive(reception, 0);
  const RowChanges second = stream.latest()->changes();
  CHECK(second.know_since(sequence, number));
  // The tiles that change are the first and the last one.
  CHECK(second.changed_in[0] > number);
  CHECK(second.changed_in[1] == number);
  CHECK(second.changed_in[2] == number);
  CHECK(second.changed_in[3] > number);
  stream.receive(other, 0);
  CHECK(stream.latest()->changes().sequence != sequence);

  BlockPool pool(1);
  pool.acquire(100)->tell_changes(second);
  CHECK(pool.acquire(100)->changes().sequence == 0);
}

TEST_CASE("tiles that a frame's memory has from an earlier frame are not copied again") {
  DeafStream stream;
  CompactReception reception(0);
  stream.receive(reception, 0);
  const MutableBytes memory = stream.latest()->blocks;
  std::byte& unchanged = memory[memory.size() / 2];
  const std::byte was = unchanged;
  stream.receive(reception, 0);
  unchanged = ~was;  // nobody uses it now
  stream.receive(reception, 0);
  REQUIRE(stream.latest()->blocks.data() == memory.data());
  CHECK(unchanged == ~was);
  CHECK(stream.is_latest(0));
  CHECK(stream.is_latest(memory.size() - 1));
}

TEST_CASE("a pool's memory keeps a frame's blocks until it is reused, or has another size") {
  const RowChanges changes{.sequence = 5, .number = 9, .changed_in = {}};
  BlockPool pool(2);
  const auto use = [&](size_t bytes, uint64_t sequence) {
    const FrameRef frame = pool.acquire(bytes);
    const uint64_t held = frame->held(sequence);
    frame->tell_changes(changes);
    return held;
  };
  CHECK(use(1000, 5) == 0);
  CHECK(use(1000, 5) == 9);
  CHECK(use(1000, 6) == 0);  // of another sequence
  CHECK(use(900, 5) == 0);
  CHECK(use(900, 5) == 9);
  pool.acquire(900);  // nothing is known about it
  CHECK(use(900, 5) == 0);
  pool.take_back(pool.lend(900)->place);
  CHECK(use(900, 5) == 0);
  {
    const FrameRef kept = pool.acquire(900);
    CHECK(kept->held(5) == 9);
    CHECK(use(900, 5) == 0);  // other memory
  }
}

TEST_CASE("freed memory of a pool keeps nothing of a frame, even if new memory has its address") {
  BlockPool pool(3);
  {
    const FrameRef small = pool.acquire(900), large = pool.acquire(2'000'000);
    small->tell_changes({.sequence = 5, .number = 9, .changed_in = {}});
  }
  const FrameRef larger = pool.acquire(9'000'000);  // all others are freed for it
  CHECK(pool.acquire(900)->held(5) == 0);
}

namespace {

// A still picture of noise, with its sender's checksums over rows of tiles.
class StillStream {
 public:
  StillStream() : blocks_(texture_layout(kTiles).total_bytes) {
    for (auto& byte : blocks_) byte = static_cast<std::byte>(random_());
  }
  // Receives the next frame, preceded by another payload, or by none. `alone`: tiles coded intra.
  void receive(CompactReception& reception, Bytes forged = {}, std::span<const uint8_t> alone = {}) {
    const auto slices = encoder_.encode({.texture = blocks_, .intra = alone, .wrong = alone});
    sums_.begin();
    for (const compact::CodedSlice& slice : slices) sums_.add(slice.slice, slice.check);
    std::vector<Bytes> payloads;
    if (!forged.empty()) payloads.push_back(forged);
    for (const Bytes payload : writer_.write(slices)) payloads.push_back(payload);
    latest_ = pool_.acquire(blocks_.size());
    REQUIRE(latest_);
    latest_->desc = kTiles;
    transport::ReceivedFrame frame;
    frame.number = number_;
    frame.buffer_id = 100 + static_cast<uint32_t>(number_++);
    frame.payloads = payloads;
    reception.decode(frame, latest_);
  }
  void say_sums(CompactReception& reception, uint32_t frames_ago = 0) {
    std::vector<std::byte> bytes(16);
    for (size_t row = 0; row < 4; ++row) store_be32(bytes, 4 * row, sums_.row(static_cast<int>(row)));
    reception.compare({.buffer_id = 99 + static_cast<uint32_t>(number_) - frames_ago, .rows = 4, .sum_bytes = bytes});
  }
  bool is_shown() const { return std::ranges::equal(latest_->blocks, blocks_); }
  const compact::TileGrid& grid() const { return encoder_.grid(); }

 private:
  std::mt19937 random_{4};
  std::vector<std::byte> blocks_;
  Workers workers_{0};
  compact::FrameEncoder encoder_{kTiles, {.most_slice_bytes = 1100}, workers_};
  compact::PayloadWriter writer_{encoder_.grid(), 1200};
  compact::TileSums sums_{encoder_.grid()};
  BlockPool pool_{4};
  FrameRef latest_;
  uint64_t number_ = 0;
};

}  // namespace

TEST_CASE("a forged tile seems right until its row's checksum contradicts; then it is requested") {
  StillStream stream;
  CompactReception reception(0);
  for (int i = 0; i < 3; ++i) stream.receive(reception);
  stream.say_sums(reception);
  CHECK(reception.counts().refuted == 0);
  std::vector<std::byte> lies(texture_layout(kTiles).total_bytes, std::byte{0x5A});
  const auto forged = test::tile_payload(stream.grid(), 6, lies);
  stream.receive(reception, forged);
  stream.receive(reception);
  CHECK_FALSE(stream.is_shown());
  CHECK(reception.counts().wrong == 0);  // undetected
  stream.say_sums(reception, 1);         // of a past frame: without effect
  CHECK_FALSE(reception.query(SteadyTime{10s}));
  stream.say_sums(reception);
  CHECK(reception.counts().refuted == 1);
  const auto query = reception.query(SteadyTime{10s});
  REQUIRE(query);
  REQUIRE(query->ranges.size() == 1);
  CHECK(query->ranges[0] == transport::PacketRange{4, 4});  // the second row
  std::vector<uint8_t> alone(16);
  std::fill_n(alone.begin() + 4, 4, uint8_t{1});
  stream.receive(reception, {}, alone);
  CHECK(stream.is_shown());
  CHECK(reception.counts().wrong == 0);
  stream.say_sums(reception);
  CHECK(reception.counts().refuted == 1);
}

TEST_CASE("checksums that arrive before their frame is complete are compared once it has been decoded") {
  StillStream stream;
  CompactReception reception(0);
  stream.receive(reception);
  std::vector<std::byte> bytes(4);
  reception.compare({.buffer_id = 101, .rows = 1, .sum_bytes = bytes});  // an invalid checksum
  CHECK(reception.counts().refuted == 0);
  stream.receive(reception);
  CHECK(reception.counts().refuted == 1);
}

TEST_CASE("a large picture is not shown before a quarter of it has arrived, however long that takes") {
  constexpr TextureDesc kLarge{.format = TextureFormat::bc1, .width = 2048, .height = 2048};  // 2 MiB, 2048 tiles
  const compact::TileGrid grid(kLarge);
  const std::vector<std::byte> blocks(grid.texture_bytes(), std::byte{0x11});
  BlockPool pool(4);
  CompactReception reception(0);
  uint64_t number = 0;
  const auto shows = [&](uint32_t first, uint32_t count) {
    std::vector<std::vector<std::byte>> memory;
    for (uint32_t tile = first; tile < first + count; ++tile) memory.push_back(test::tile_payload(grid, tile, blocks));
    std::vector<Bytes> payloads(memory.begin(), memory.end());
    const FrameRef out = pool.acquire(grid.texture_bytes());
    REQUIRE(out);
    out->desc = kLarge;
    transport::ReceivedFrame frame;
    frame.times.assembled = WallTime{100s} + number * 100ms;
    frame.number = number++;
    frame.payloads = payloads;
    return reception.decode(frame, out).has_value();
  };
  for (int i = 0; i < 30; ++i) CHECK_FALSE(shows(0, 1));  // three seconds
  CHECK_FALSE(shows(1, 510));
  CHECK(shows(511, 1));
}

TEST_CASE("a receiver knows when it will send the next request") {
  DeafStream stream;
  CompactReception reception(0);
  CHECK_FALSE(reception.next_query());
  stream.receive(reception, 0);
  CHECK_FALSE(reception.next_query());
  for (const size_t lost : {1, 0, 0, 0}) stream.receive(reception, lost);
  SteadyTime now{10s};
  int asked = 0;
  for (; now < SteadyTime{20s}; ++asked) {
    const auto next = reception.next_query();
    REQUIRE(next);
    if (asked > 0) CHECK_FALSE(reception.query(*next - 1ms));
    now = std::max(now, *next);
    REQUIRE(reception.query(now));
  }
  CHECK(asked > 15);  // from every 30 ms to once a second
  CHECK(asked < 50);
}
