#include "stream/paced_sender.h"

#include <utility>

#include "base/ensure.h"

namespace texcast::stream {
namespace {

constexpr nanoseconds kLongestWait = std::chrono::seconds(1);

}  // namespace

PacedSender::PacedSender(Destinations& destinations, std::unique_ptr<transport::FramePacketizer> packetizer,
                         const transport::PacerSettings& pace, Doorbell& bell)
    : destinations_(destinations), packetizer_(std::move(packetizer)), pacer_(pace), bell_(bell), thread_([this] {
        run();
      }) {}

PacedSender::~PacedSender() {
  closing_ = true;
  destinations_.wake();
  thread_.join();
}

bool PacedSender::idle() {
  const std::lock_guard lock(mutex_);
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  return !frame_;
}

void PacedSender::start(const EncodedFrame& frame) {
  {
    const std::lock_guard lock(mutex_);
    ENSURE(!frame_);
    frame_ = frame;
  }
  destinations_.wake();
}

SentStatus PacedSender::status() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

std::optional<EncodedFrame> PacedSender::waiting_frame() const {
  const std::lock_guard lock(mutex_);
  return frame_;
}

void PacedSender::run() {
  while (!closing_) {
    try {
      const auto frame = waiting_frame();
      if (!frame) {
        wait_until(steady_now() + kLongestWait);
        continue;
      }
      send(*frame);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      failure_ = std::current_exception();
    }
    {
      const std::lock_guard lock(mutex_);
      frame_.reset();
    }
    bell_.ring();
  }
}

void PacedSender::wait_until(SteadyTime deadline) { destinations_.wait(deadline, on_feedback_); }

void PacedSender::on_feedback(const transport::Feedback& /*feedback*/) {
  const std::lock_guard lock(mutex_);
  ++status_.feedback;
}

void PacedSender::send(const EncodedFrame& frame) {
  const bool real_time = destinations_.real_time();
  FrameTimes times = frame.times;
  // A capture alone is written as if it had been sent in real time, by an encoder that takes none.
  times.sent = real_time ? wall_now() : times.available;
  if (!real_time) times.encoded = times.available;
  const auto packets = packetizer_->packetize(frame.texture.blocks, times);
  size_t bytes = 0;
  for (const auto& packet : packets) bytes += packet.size();
  if (real_time)
    send_paced(packets, bytes);
  else
    send_stamped(packets, bytes, times.sent);

  const std::lock_guard lock(mutex_);
  ++status_.frames;
  status_.packets += packets.size();
  status_.bytes += bytes;
  status_.refused = destinations_.refused();
  if (!real_time) return;
  status_.encode.add(frame.times.encoded - frame.times.available);
  status_.send.add(wall_now() - frame.times.encoded);
}

void PacedSender::send_paced(std::span<const transport::OutgoingPacket> packets, size_t bytes) {
  const SteadyTime begin = steady_now();
  size_t next = 0;
  size_t gone = 0;
  for (int tick = 1; next < packets.size() && !closing_; ++tick) {
    const size_t due = pacer_.bytes_due(bytes, steady_now() - begin);
    const size_t first = next;
    for (; next < packets.size() && gone < due; ++next) gone += packets[next].size();
    if (next > first) destinations_.send(packets.subspan(first, next - first), wall_now());
    if (next == packets.size()) break;
    const SteadyTime next_tick = begin + tick * pacer_.tick();
    do wait_until(next_tick);
    while (steady_now() < next_tick && !closing_);
  }
}

void PacedSender::send_stamped(std::span<const transport::OutgoingPacket> packets, size_t bytes, WallTime begin) {
  const nanoseconds duration = pacer_.duration(bytes);
  size_t gone = 0;
  for (size_t i = 0; i < packets.size(); ++i) {
    const double part = static_cast<double>(gone) / static_cast<double>(bytes);
    destinations_.send(packets.subspan(i, 1),
                       begin + nanoseconds(static_cast<int64_t>(part * static_cast<double>(duration.count()))));
    gone += packets[i].size();
  }
}

}  // namespace texcast::stream
