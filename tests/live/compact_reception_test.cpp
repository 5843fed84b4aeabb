// What a receiver of a compact stream asks for, and how often.
#include "live/compact_reception.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <vector>

#include "compact/frame_encoder.h"
#include "compact/payload.h"

using namespace texcast;
using namespace texcast::stream;
using namespace std::chrono_literals;

namespace {

constexpr TextureDesc kTiles{.format = TextureFormat::bc1, .width = 256, .height = 128};  // 4 x 4

// A picture of noise, of which two tiles change with every frame; the sender never repairs anything.
class DeafStream {
 public:
  DeafStream() : blocks_(texture_layout(kTiles).total_bytes) {
    for (auto& byte : blocks_) byte = static_cast<std::byte>(random_());
  }
  // The next frame, received without the payloads that are lost. Gives what decode() did.
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
    return reception.decode(frame, out);
  }
  uint32_t newest() const { return 99 + static_cast<uint32_t>(number_); }

 private:
  std::mt19937 random_{2};
  std::vector<std::byte> blocks_;
  Workers workers_{0};
  compact::FrameEncoder encoder_{kTiles, {.most_unit_bytes = 1100}, workers_};
  compact::PayloadWriter writer_{encoder_.grid(), 1200};
  BlockPool pool_{4};
  uint64_t number_ = 0;
};

}  // namespace

TEST_CASE("a receiver of a compact stream asks with each frame while tiles are wrong, of the state that it has") {
  DeafStream stream;
  CompactReception reception(0);
  SteadyTime now{10s};
  CHECK(stream.receive(reception, 0) == 0);
  CHECK(!reception.query(now));
  CHECK(stream.receive(reception, 1));  // a payload is lost, which the next frame does not tell of
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
    CHECK(!reception.query(now + 12ms));  // nor again so soon, of the same frame
    stream.receive(reception, 0);
  }
  CHECK(reception.query(now));
  CHECK(!reception.query(now + 25ms));
  CHECK(reception.query(now + 60ms));  // the request may have been lost
}

TEST_CASE("who has nothing of a compact stream yet asks for all of it, of the state that it has") {
  DeafStream stream;
  CompactReception none(0), reception(0);
  stream.receive(none, 0);  // before the other one came
  CHECK(!stream.receive(reception, 0));
  const auto query = reception.query(SteadyTime{10s});
  REQUIRE(query);
  CHECK(query->state == stream.newest());
  CHECK((query->all || !query->ranges.empty()));
}

TEST_CASE("a sender that never answers is asked less and less often") {
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
