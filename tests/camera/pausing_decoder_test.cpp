// A decoder that works only while a program reads.
#include "stream/pausing_decoder.h"

#include <doctest/doctest.h>

#include <vector>

#include "../manual_clock.h"

using namespace texcast;
using namespace texcast::stream;
using namespace std::chrono_literals;

namespace {

struct Log {
  std::vector<uint64_t> decoded;  // numbers
  uint32_t wrong = 0;             // of each frame
  int asked = 0;
};

class FakeDecoder final : public PayloadDecoder {
 public:
  explicit FakeDecoder(Log& log) : log_(log) {}
  std::optional<uint32_t> decode(const transport::ReceivedFrame& frame, const FrameRef&) override {
    log_.decoded.push_back(frame.number);
    return log_.wrong;
  }
  std::optional<transport::TileQuery> query(SteadyTime) override {
    ++log_.asked;
    return std::nullopt;
  }

 private:
  Log& log_;
};

struct Pausing {
  Log log;
  bool is_watched = true;
  int undecoded = 0;
  test::ManualClock clock;
  BlockPool pool{2};
  PausingDecoder decoder{std::make_unique<FakeDecoder>(log), [this] { return is_watched; }, [this] { ++undecoded; },
                         clock};
  transport::ReceivedFrame frame;

  bool shows() {
    const FrameRef out = pool.acquire(8);
    ++frame.number;
    const bool shown = decoder.decode(frame, out).has_value();
    frame.new_stream = false;
    return shown;
  }
};

}  // namespace

TEST_CASE("frames are decoded while a program reads, and the first one always") {
  Pausing p;
  p.is_watched = false;
  p.frame.stream.width = 64;
  CHECK(p.shows());  // its size is needed
  CHECK_FALSE(p.shows());
  CHECK_FALSE(p.shows());
  p.decoder.query({});
  CHECK(p.log.asked == 0);
  CHECK(p.undecoded == 2);
  p.is_watched = true;
  CHECK(p.shows());
  p.decoder.query({});
  CHECK(p.log.asked == 1);
  CHECK(p.log.decoded == std::vector<uint64_t>{1, 4});
}

TEST_CASE("another size and another sender are decoded although no program reads") {
  Pausing p;
  CHECK(p.shows());
  p.is_watched = false;
  CHECK_FALSE(p.shows());
  p.frame.stream.width = 32;
  CHECK(p.shows());
  CHECK_FALSE(p.shows());
  p.frame.new_stream = true;
  CHECK(p.shows());
  CHECK_FALSE(p.shows());
}

TEST_CASE("after a pause frames are shown once one is right, or after a second") {
  Pausing p;
  CHECK(p.shows());
  for (const bool is_repaired : {true, false}) {
    p.is_watched = false;
    CHECK_FALSE(p.shows());
    p.is_watched = true;
    p.log.wrong = 5;
    CHECK_FALSE(p.shows());
    p.decoder.query({});  // it is decoded, so that the wrong tiles are requested
    p.clock.advance(500ms);
    CHECK_FALSE(p.shows());
    if (is_repaired)
      p.log.wrong = 0;
    else
      p.clock.advance(600ms);
    CHECK(p.shows());
    p.log.wrong = 1;  // losses after that are shown as ever
    CHECK(p.shows());
  }
  CHECK(p.log.asked == 2);
}
