#include "genuine.h"

#include <algorithm>
#include <string>
#include <vector>

#include "texcast/format.h"
#include "textures/stream_format.h"

namespace texcast::attack {
namespace {

using namespace transport;

constexpr nanoseconds kFrameTime = nanoseconds(1'000'000'000) / kFps;
constexpr size_t kBlocks = size_t{kWidth} * kHeight / 16;

StreamDesc stream_of(TextureFormat format) {
  return stream::stream_of({.format = format, .width = kWidth, .height = kHeight}, kFps);
}

WireChoice wire_of(const std::shared_ptr<const WireKeys>& keys) {
  WireChoice wire{.fec = parse_fec("auto").value(), .answers_requests = true};
  if (!keys) return wire;
  wire.crypto = CryptoChoice::texcast;
  wire.keys = keys;
  wire.sealer = std::make_shared<Sealer>(*keys);
  return wire;
}

}  // namespace

PacketizerSettings genuine_stream(const Task& task) {
  PacketizerSettings settings = transport::test::small_settings(0x0BADCAFE + task.seed);
  settings.mtu = 1500;
  settings.stream = stream_of(TextureFormat::bc1);
  return settings;
}

Genuine::Genuine(const Task& task, const std::shared_ptr<const WireKeys>& keys, uint16_t port, Pattern pattern)
    : pattern_(pattern),
      marked_(task.seed * 7919, kBlocks),
      wire_(wire_of(keys)),
      settings_(genuine_stream(task)),
      address_(resolve_address("rtp://127.0.0.1:" + std::to_string(port), false)),
      sender_({.destinations = {&address_, 1}, .control = true}) {
  settings_.numbers = numbering_of(settings_);
}

Genuine::Now Genuine::planned(uint32_t frame_time) const {
  const uint32_t second = frame_time / kFps;
  if (pattern_ == Pattern::pauses && second % 2 == 1) return Now::silent;
  if (pattern_ == Pattern::changes && second % 4 >= 2) return Now::bc5;
  return Now::bc1;
}

void Genuine::become(Now format) {
  if (now_ == format) return;
  now_ = format;
  settings_.stream = stream_of(format == Now::bc5 ? TextureFormat::bc5 : TextureFormat::bc1);
  packetizer_ = make_packetizer(settings_, wire_);
  store_ = make_retransmit_store(settings_, wire_, 1);
}

void Genuine::run(const std::atomic<bool>& stop) {
  SteadyTime due = steady_now();
  const std::vector<std::byte> other(16 * kBlocks);
  for (uint32_t frame_time = 0; !stop; ++frame_time) {
    const Now wanted = planned(frame_time);
    if (wanted != Now::silent) become(wanted);
    if (wanted == Now::bc1) send_frame(due, frame_time, marked_.frame(sent_++));
    if (wanted == Now::bc5) send_frame(due, frame_time, other);
    due = std::max(due + kFrameTime, steady_now() - kFrameTime);
    answer_until(due);
  }
}

void Genuine::send_frame(SteadyTime due, uint32_t frame_time, Bytes frame) {
  FrameTimes times = transport::test::pts_only(kFrameTime * frame_time);
  times.available = times.encoded = times.sent = wall_now();
  const auto packets = packetizer_->packetize(frame, times);
  if (const auto number = packetizer_->requestable_frame()) store_->begin_frame(*number, steady_now());
  store_->keep(packets);
  for (size_t i = 0; i < packets.size(); ++i) {
    sender_.send(packets.subspan(i, 1));
    answer_until(due + kFrameTime * static_cast<int64_t>(3 * i) / static_cast<int64_t>(4 * packets.size()));
  }
}

void Genuine::answer_until(SteadyTime until) {
  do {
    sender_.wait(until, [&](const Feedback& feedback) {
      if (feedback.control || !store_) return;
      const auto packets = store_->answer(feedback.destination, feedback.datagram, feedback.arrived);
      if (!packets.empty()) sender_.send_to(feedback.destination, packets);
    });
  } while (steady_now() < until);
}

}  // namespace texcast::attack
