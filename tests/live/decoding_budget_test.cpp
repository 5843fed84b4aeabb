// Decoding that senders may cause before and after they are trusted: in simulated time, as counts of work.
#include "live/decoding_budget.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "live/source_validation.h"

using namespace texcast;
using namespace texcast::stream;
using namespace std::chrono_literals;

namespace {

// A sender of equal coded frames, and what its receiver decodes: each frame at once, or never.
struct SentFrames {
  double fps = 30;           // according to its time stamps
  nanoseconds apart = 33ms;  // the real distance of its frames
  size_t frame_bytes = 1000, first_bytes = 1000;
  size_t frame_work = 0, first_work = 0;  // bytes of textures
};

struct Decoded {
  size_t work = 0;
  int frames = 0, decoded = 0;
  bool trusted = false;
};

Decoded decoded_of(const SentFrames& sender, nanoseconds time) {
  SourceValidation trust;
  trust.select(false);
  DecodingBudget budget(true);
  budget.begin();
  Decoded outcome;
  const std::vector<std::byte> memory(sender.first_bytes + sender.frame_bytes);
  for (SteadyTime now{1s}; now < SteadyTime{1s} + time; now += sender.apart) {
    const bool first = outcome.frames == 0;
    const std::array<Bytes, 1> payloads{Bytes(memory).first(first ? sender.first_bytes : sender.frame_bytes)};
    transport::ReceivedFrame frame;
    frame.stream.coding = 1;
    frame.stream.fps = sender.fps;
    frame.new_stream = first;
    frame.times.pts = from_seconds(outcome.frames / sender.fps);
    frame.payloads = payloads;
    trust.note(frame, now);
    if (trust.trusted()) budget.trust();
    budget.received(payloads[0].size(), now);
    const size_t work = first ? sender.first_work : sender.frame_work;
    ++outcome.frames;
    if (!budget.affords(work)) continue;
    budget.spend(work);
    outcome.work += work;
    ++outcome.decoded;
  }
  outcome.trusted = trust.trusted();
  return outcome;
}

constexpr size_t kMega = size_t{1} << 20;
constexpr size_t k1080 = 1920 * 1080 * 3 / 2;    // bytes of ycocg-bc4
constexpr size_t k2160 = 4 * k1080;              // of 3840x2160
constexpr size_t kForged = 4096 * 4096 * 3 / 2;  // of ycocg-bc4-444

}  // namespace

TEST_CASE("a burst of complete frames is no proof: it is faster than its time stamps") {
  // 1,200 datagrams of 871 bytes in less than a second, each of which codes all of a picture of 25 MB.
  const Decoded burst = decoded_of(
      {.fps = 30, .apart = 800us, .frame_bytes = 871, .first_bytes = 871, .frame_work = kForged, .first_work = kForged},
      960ms);
  CHECK(burst.frames == 1200);
  CHECK_FALSE(burst.trusted);
  CHECK(burst.work <= DecodingBudget::kAtFirst + 1200 * 871 * DecodingBudget::kPerByte);
  CHECK(burst.decoded <= 11);
}

TEST_CASE("neither one nor many small datagrams afford a large picture") {
  DecodingBudget budget(true);
  budget.received(90, SteadyTime{1s});
  CHECK_FALSE(budget.affords(kForged));
  CHECK(budget.affords(2 * k1080));  // a stream of 1920x1080 may begin with any frame
  for (int i = 0; i < 100; ++i) budget.received(90, SteadyTime{1s});
  CHECK_FALSE(budget.affords(kForged));
}

TEST_CASE("small frames that code large pictures are decoded now and then, even if their sender is trusted") {
  // 0.2 Mbit/s, 29 frames a second. All of them would be 730 MB a second.
  const Decoded steady = decoded_of(
      {.fps = 29, .apart = 34ms, .frame_bytes = 871, .first_bytes = 871, .frame_work = kForged, .first_work = kForged},
      60s);
  CHECK(steady.trusted);
  CHECK(steady.work / 60 < 180 * kMega);
  CHECK(steady.decoded < steady.frames / 4);
  CHECK(steady.decoded > 60);
}

TEST_CASE("every frame of genuine streams is decoded, from the first one on") {
  struct Row {
    const char* name;
    SentFrames sender;
  };
  const Row rows[] = {
      {"film, 1920x1080 at 60, 10 Mbit/s",
       {.fps = 60,
        .apart = 16ms,
        .frame_bytes = 20'000,
        .first_bytes = 90'000,
        .frame_work = k1080,
        .first_work = 2 * k1080}},
      {"film, 3840x2160 at 60, 30 Mbit/s",
       {.fps = 60,
        .apart = 16ms,
        .frame_bytes = 62'000,
        .first_bytes = 300'000,
        .frame_work = k2160,
        .first_work = 2 * k2160}},
      {"film, 1920x1080 at 24, 1.5 Mbit/s",
       {.fps = 24,
        .apart = 41ms,
        .frame_bytes = 7'800,
        .first_bytes = 40'000,
        .frame_work = k1080,
        .first_work = 2 * k1080}},
      {"desktop, 1920x1080, of which no tile is coded",
       {.fps = 60, .apart = 200ms, .frame_bytes = 30, .first_bytes = 900, .frame_work = 0, .first_work = 2 * k1080}},
      {"lossless, 1920x1080 at 60, 100 Mbit/s",
       {.fps = 60,
        .apart = 16ms,
        .frame_bytes = 200'000,
        .first_bytes = 800'000,
        .frame_work = k1080,
        .first_work = 2 * k1080}}};
  for (const Row& row : rows) {
    CAPTURE(row.name);
    const Decoded outcome = decoded_of(row.sender, 60s);
    CHECK(outcome.decoded == outcome.frames);
  }
}

TEST_CASE("a sender is trusted after some complete frames, and not for frames of which little arrived") {
  const auto trusted_after = [](int missing_of_ten, nanoseconds apart) {
    SourceValidation trust;
    trust.select(false);
    const std::array<Bytes, 10> payloads{};
    for (int i = 0; i < 1000; ++i) {
      transport::ReceivedFrame frame;
      frame.stream.coding = 1;
      frame.stream.fps = 60;
      frame.payloads = payloads;
      frame.payloads_missing = static_cast<uint32_t>(missing_of_ten);
      frame.times.pts = i * apart;
      trust.note(frame, SteadyTime{1s} + i * apart);
      if (trust.trusted()) return i;
    }
    return -1;
  };
  CHECK(trusted_after(0, 10ms) == 25);
  CHECK(trusted_after(5, 10ms) == 25);
  CHECK(trusted_after(6, 10ms) == -1);
  CHECK(trusted_after(0, 1s) == 3);
  SourceValidation sealed;
  sealed.select(true);
  CHECK(sealed.trusted());
}

TEST_CASE("a sender that is known to be genuine has no budget") {
  DecodingBudget budget(false);
  CHECK(budget.affords(SIZE_MAX));
  budget.spend(SIZE_MAX);
  CHECK(budget.affords(SIZE_MAX));
}
