// An encoder with several devices: order, bytes, a common frame pool, and the syntax that selects devices.
#include <doctest/doctest.h>

#include <cstring>
#include <utility>

#include "check.h"
#include "encoders.h"
#include "texcast/encoder.h"
#include "texcast/error.h"
#include "tuner/tune.h"

using namespace texcast;

namespace {

std::string usage_of(const std::string& selectors) {
  try {
    choose_devices(selectors);
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::usage);
    return error.what();
  }
  return "";
}

// The device under test and all other usable ones, including the slow reference.
std::string everything() {
  std::string selectors = std::to_string(check::device().info().index);
  selectors += ",cpu-reference";
  for (const DeviceInfo& d : list_devices())
    if (d.usable && d.index != check::device().info().index) selectors.append(",").append(std::to_string(d.index));
  return selectors;
}

void check_order(Encoder& encoder, const EncoderSettings& settings, bool from_pool) {
  const int frames = 6 * encoder.devices() + 1;
  const auto pool = encoder.frame_pool();
  REQUIRE(pool);
  int taken = 0;
  const auto take = [&] {
    const EncodedFrame encoded = encoder.next();
    const auto frame = check::make_frame(settings.source, check::Pattern::random, static_cast<uint32_t>(taken));
    const auto want = check::reference_blocks(frame, settings);
    REQUIRE(encoded.texture.blocks.size() == want.size());
    CHECK(encoded.times.pts == nanoseconds(taken++));
    CHECK(std::memcmp(encoded.texture.blocks.data(), want.data(), want.size()) == 0);
  };
  for (int i = 0; i < frames; ++i) {
    if (encoder.in_flight() == encoder.capacity()) take();
    const auto frame = check::make_frame(settings.source, check::Pattern::random, static_cast<uint32_t>(i));
    FrameTimes times;
    times.pts = nanoseconds(i);
    if (!from_pool) {
      encoder.submit(frame.view(), times);
      continue;
    }
    const FrameLease lease = pool->lend();
    REQUIRE(lease);
    std::memcpy(lease.data(), frame.bytes.data(), frame.bytes.size());
    encoder.submit(lease.view(), times);
  }
  while (encoder.in_flight() > 0) take();
  CHECK(taken == frames);
  CHECK(pool->lent() == 0);
}

void check_order(const std::string& selectors, bool from_pool) {
  const int count = static_cast<int>(choose_devices(selectors).size());
  const EncoderSettings settings{.source = {PixelFormat::nv12, 37, 21, {}}, .device = selectors, .frames_in_flight = 2};
  const auto encoder = check::make_built_encoder(settings);
  CHECK(encoder->devices() == count);
  CHECK(encoder->capacity() == 2 * count);
  check_order(*encoder, settings, from_pool);
}

enum class Fails { submitting, taking };

std::vector<std::unique_ptr<Encoder>> make_usual_encoders(const EncoderSettings& settings, const DeviceInfo& device) {
  const OclDevices opened = open_ocl_devices(settings, {device});
  return make_ocl_encoders(settings, opened,
                           {tuner::choose(opened.devices.front(), stage_settings(settings), TuneMode::off)});
}

// The scalar encoder as a device that is lost at its second frame.
class Failing : public Encoder {
 public:
  Failing(const EncoderSettings& settings, Fails fails) : works_(make_reference_encoder(settings)), fails_(fails) {}
  void submit(const FrameView& frame, const FrameTimes& times) override {
    if (fails_ == Fails::submitting && submitted_++ == 1) throw lost();
    works_->submit(frame, times);
  }
  EncodedFrame next() override {
    if (fails_ == Fails::taking && taken_++ == 1) throw lost();
    return works_->next();
  }
  void on_progress(std::function<void()>) override {}
  bool ready() const override { return works_->ready(); }
  int in_flight() const override { return works_->in_flight(); }
  int capacity() const override { return works_->capacity(); }
  TextureDesc texture_desc() const override { return works_->texture_desc(); }
  StageTimes last_stage_times() const override { return {}; }
  std::string device_name() const override { return "failing"; }

 private:
  static Error lost() { return Error(ErrorKind::no_device, "fell off the bus"); }
  std::unique_ptr<Encoder> works_;
  Fails fails_;
  int submitted_ = 0, taken_ = 0;
};

struct Ended {
  std::string message;
  int in_flight = 0, taken = 0;
  size_t lent_after = 0;  // after the encoder is destroyed
};

// Encodes frames of the pool on the device under test and on one that fails, until an error is thrown.
Ended run_until_error(Fails fails) {
  const EncoderSettings settings{.source = {PixelFormat::nv12, 37, 21, {}}, .frames_in_flight = 3};
  auto encoders = make_usual_encoders(settings, check::device().info());
  encoders.push_back(std::make_unique<Failing>(settings, fails));
  auto encoder = make_dealing_encoder(std::move(encoders), {"device 0", "device 1"});
  const auto pool = encoder->frame_pool();
  Ended ended;
  try {
    for (int i = 0; i < 20; ++i) {
      if (encoder->in_flight() == encoder->capacity()) {
        encoder->next();
        ++ended.taken;
      }
      const FrameLease lease = pool->lend();
      const auto frame = check::make_frame(settings.source, check::Pattern::random, 1);
      std::memcpy(lease.data(), frame.bytes.data(), frame.bytes.size());
      encoder->submit(lease.view(), {});
    }
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::no_device);
    ended.message = error.what();
  }
  ended.in_flight = encoder->in_flight();
  encoder = nullptr;
  ended.lent_after = pool->lent();
  return ended;
}

}  // namespace

// Uploads and downloads, as if the device had memory of its own.
TEST_CASE("with transfers, a queue per direction or per frame, one device or two: order and bytes") {
  if (check::spared("transfers in every layout of queues")) return;
  DeviceInfo info = check::device().info();
  info.shares_host_memory = false;
  for (const QueueLayout queues : {QueueLayout::per_direction, QueueLayout::per_frame})
    for (const size_t count : {size_t{1}, size_t{2}}) {
      CAPTURE(count);
      const EncoderSettings settings{
          .source = {PixelFormat::nv12, 37, 21, {}}, .frames_in_flight = 3, .queues = queues};
      std::vector<std::unique_ptr<Encoder>> encoders;
      while (encoders.size() < count) encoders.push_back(std::move(make_usual_encoders(settings, info).front()));
      check_order(*make_dealing_encoder(std::move(encoders), std::vector<std::string>(count, "device")), settings,
                  true);
    }
}

TEST_CASE("a device that fails is named, and the other devices' frames end before the encoder does") {
  if (check::spared("devices that fail")) return;
  const Ended submitting = run_until_error(Fails::submitting);
  CHECK(submitting.message == "device 1: fell off the bus");
  CHECK(submitting.in_flight == 3);  // frames 0, 1, 2; frame 3 failed
  CHECK(submitting.lent_after == 0);
  const Ended taking = run_until_error(Fails::taking);
  CHECK(taking.message == "device 1: fell off the bus");
  CHECK(taking.taken == 3);
  CHECK(taking.in_flight == 6);
  CHECK(taking.lent_after == 0);
}

TEST_CASE("several devices, fast and slow: all frames in order and complete, whichever device encoded them") {
  for (const bool from_pool : {false, true}) check_order(everything(), from_pool);
}

TEST_CASE("all devices give the same bytes") {
  const auto all = choose_devices("all");
  REQUIRE(!all.empty());
  for (const DeviceChoice& choice : all) CHECK(choice.device.is_gpu == all.front().device.is_gpu);
  check_order("all", true);
}

TEST_CASE("the names of all devices, in order") {
  const std::string one = std::to_string(check::device().info().index);
  const auto encoder =
      check::make_built_encoder({.source = {PixelFormat::gray, 8, 8, {}}, .device = "cpu-reference," + one});
  CHECK(encoder->device_name() ==
        "cpu-reference, " + check::device().info().name + " (" + check::device().info().platform + ")");
}

TEST_CASE("a device named twice, or an empty name, is a usage error that says so") {
  const std::string one = std::to_string(check::device().info().index);
  CHECK(usage_of(one + "," + one).find("twice") != std::string::npos);
  CHECK(usage_of("cpu-reference,cpu-reference").find("twice") != std::string::npos);
  CHECK(usage_of(one + "," + check::device().info().name).find(check::device().info().name) != std::string::npos);
  CHECK(usage_of(one + ",").find("comma") != std::string::npos);
  CHECK(usage_of(std::string(",").append(one)).find("comma") != std::string::npos);
  CHECK_THROWS_AS(choose_devices(one + ",no such device"), Error);
  CHECK(choose_devices(one).size() == 1);
  CHECK(choose_devices("").size() == 1);
}
