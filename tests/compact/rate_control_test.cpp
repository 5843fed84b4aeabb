// Streams with a rate: what a frame takes is never more than there is room for, whatever it shows; what has no room
// comes later, and what stands gets sharp.
#include "compact/rate_control.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "capture_bound.h"
#include "compact/frame_decoder.h"
#include "compact/frame_encoder.h"
#include "compact/repair_plan.h"
#include "ref/decode.h"
#include "texcast/image.h"
#include "textures.h"

using namespace texcast;
using namespace textures;
using compact::TileNeed;
using compact::TileToCode;

namespace {

constexpr TextureDesc kPicture{.format = TextureFormat::ycocg_bc4_420, .width = 640, .height = 352};  // 10 x 11 tiles
constexpr size_t kPayload = 1390;
constexpr double kFps = 30;

// A packet each, with headers of 66 bytes.
size_t on_the_line(const compact::PayloadSizes::Sum& sum) { return sum.bytes + sum.payloads * 66; }

// The line by itself, told of what leaves.
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

// Both ends of a stream with a rate, which agree, and never take more than there is room for.
class RatedStream {
 public:
  explicit RatedStream(double bits_per_s, int threads = 0, double crf = compact::kFinestCrf)
      : workers_(threads),
        encoder_(kPicture, {.most_unit_bytes = compact::unit_room(kPayload), .lossy = true}, workers_),
        writer_(encoder_.grid(), kPayload),
        decoder_(kPicture, workers_),
        rate_(
            encoder_.grid().tiles(),
            {.bits_per_s = bits_per_s, .fps = kFps, .crf = crf, .payload_bytes = kPayload, .line_bytes = on_the_line}),
        line_(bits_per_s, compact::RateSettings{}.buffer_frames),
        plan_(encoder_.grid(), {}),
        shown_(encoder_.grid().texture_bytes()),
        before_(shown_.size()) {}
  // Bytes of the line. Tiles of which receivers said that they are not right are repaired.
  size_t pass(const Texture& texture) {
    writer_.begin(is_first_ ? nullptr : &plan_.history());
    rate_.begin(1, writer_.history_bytes());
    const auto units = encoder_.encode({.texture = texture,
                                        .alone = plan_.next(),
                                        .wrong = plan_.repaired(),
                                        .target = rate_.target(),
                                        .rate = &rate_});
    payloads_ = copied(writer_.add(units));
    for (const auto& payload : copied(writer_.end())) payloads_.push_back(payload);
    plan_.coded(units);
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
  compact::RepairPlan& plan() { return plan_; }
  compact::FrameEncoder& encoder() { return encoder_; }
  const compact::DecodedCounts& counts() const { return counts_; }
  uint32_t late() const { return encoder_.counts().late; }
  std::span<const uint8_t> right() const { return decoder_.right(); }
  double psnr(const Texture& texture) const { return psnr_between(kPicture, texture, shown_); }
  const Payloads& payloads() const { return payloads_; }

 private:
  Workers workers_;
  compact::FrameEncoder encoder_;
  compact::PayloadWriter writer_;
  compact::FrameDecoder decoder_;
  compact::RateControl rate_;
  Line line_;
  compact::RepairPlan plan_;
  Texture shown_, before_;
  bool is_first_ = true;
  compact::DecodedCounts counts_;
  Payloads payloads_;
};

// A pan with a cut each eight frames.
Texture cut_film(int frame) {
  return photograph(kPicture, frame / 8 * 300 + frame % 8 * 3, frame / 8 % 3 * 150 + frame % 8);
}

}  // namespace

TEST_CASE("rate: no frame takes more than the buffer has room for, whatever it shows") {
  for (const double mbit : {1.0, 2.5, 8.0, 30.0}) {
    CAPTURE_BOUND(mbit);
    RatedStream stream(mbit * 1e6);
    size_t bytes = 0;
    for (int i = 0; i < 32; ++i) {
      CAPTURE_BOUND(i);
      bytes += stream.pass(i % 8 == 5 ? noise(kPicture, 3) : cut_film(i));
    }
    CHECK(static_cast<double>(bytes) <= (32 + 2) * mbit * 1e6 / 8 / kFps);
  }
}

TEST_CASE("rate: the same bytes whatever the number of threads") {
  RatedStream alone(2.5e6, 0), shared(2.5e6, 3);
  for (int i = 0; i < 20; ++i) {
    CAPTURE_BOUND(i);
    alone.pass(cut_film(i));
    shared.pass(cut_film(i));
    CHECK(alone.payloads() == shared.payloads());
  }
}

TEST_CASE("rate: behind a cut it is coarse for some frames, then as before") {
  RatedStream stream(4e6);
  std::vector<double> psnr;
  for (int i = 0; i < 32; ++i) {
    stream.pass(cut_film(i));
    psnr.push_back(stream.psnr(cut_film(i)));
  }
  for (const int cut : {8, 16, 24}) {
    CAPTURE_BOUND(cut);
    CHECK(psnr[static_cast<size_t>(cut)] > 21);
    CHECK(psnr[static_cast<size_t>(cut) + 3] > psnr[static_cast<size_t>(cut)] + 4);
    CHECK(psnr[static_cast<size_t>(cut) + 3] > psnr[static_cast<size_t>(cut) - 1] - 5);
  }
}

TEST_CASE("rate: what stands gets as sharp as without one, and then costs nothing") {
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

TEST_CASE("rate: a first picture for which there is no room comes in parts, and is right in the end") {
  RatedStream stream(0.6e6);  // 2500 bytes a frame, for 110 tiles
  const Texture picture = cut_film(0);
  stream.pass(picture);
  CHECK(stream.late() > 20);
  CHECK(stream.encoder().is_waiting());
  CHECK(stream.counts().wrong == stream.late());
  int frames = 0;
  for (; stream.counts().wrong > 0 && frames < 30; ++frames) {
    const auto wrong = stream.counts().wrong;
    stream.pass(picture);
    CHECK(stream.counts().wrong < wrong);
  }
  CHECK(frames < 20);
  CHECK(stream.psnr(picture) > 18);
}

TEST_CASE("rate: nothing starves, though there is never room for all") {
  RatedStream stream(0.6e6);
  std::vector<int> told(stream.encoder().grid().tiles(), 0);
  for (int i = 0; i < 60; ++i) {
    stream.pass(noise(kPicture, static_cast<uint32_t>(i)));
    for (uint32_t tile = 0; tile < told.size(); ++tile) told[tile] += stream.right()[tile] != 0;
  }
  CHECK(stream.late() > 0);
  CHECK(std::ranges::min(told) > 0);
}

TEST_CASE("rate: repairs for which there is no room come later, and nothing is coded against what is wrong meanwhile") {
  RatedStream stream(2e6);
  int i = 0;
  for (; i < 6; ++i) stream.pass(cut_film(i));
  CHECK(stream.counts().wrong == 0);
  // A receiver that has lost all of a frame while the picture moves: the whole of it is repaired, and there is no room.
  stream.plan().ask(5, {}, true);
  std::vector<uint8_t> repaired(stream.encoder().grid().tiles(), 0);
  uint32_t late = 0;
  for (; i < 8; ++i) {
    stream.pass(cut_film(i));
    late += stream.late();
  }
  for (int k = 0; k < 30 && stream.plan().is_waiting(); ++k) stream.pass(cut_film(7));
  CHECK(late > 0);
  CHECK(!stream.plan().is_waiting());
}

TEST_CASE("rate: what was sent beside frames is missing from the next ones") {
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
