#include "live/paced_sender.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <thread>
#include <utility>

#include "base/ensure.h"
#include "live/stream_format.h"

namespace texcast::stream {
namespace {

constexpr nanoseconds kLongestWait = std::chrono::seconds(1);
// A frame that is whole goes to the packetizer piece by piece all the same: what it does to each byte (parity,
// encryption) is done between packets, and not before the first.
constexpr size_t kSlice = size_t{1} << 17;
// Where others do that, a slice is as long as fills several calls of the kernel's.
constexpr size_t kSliceWithHelpers = size_t{1} << 19;

transport::PacketizerSettings packetizer_settings(const SendSettings& settings, const TextureDesc& texture, bool ipv6) {
  std::random_device random;  // RFC 3550 asks for random beginnings
  return {.stream = stream_of(texture, settings.fps),
          .mtu = settings.mtu,
          .ipv6 = ipv6,
          .ssrc = random(),
          .first_sequence = static_cast<uint16_t>(random()),
          .first_buffer_id = random() & 0x3FFFFF,
          .timestamp_offset = random()};
}

}  // namespace

PacedSender::PacedSender(Destinations& destinations, std::unique_ptr<WorkAhead> helpers,
                         std::unique_ptr<transport::FramePacketizer> packetizer,
                         std::unique_ptr<transport::RetransmitStore> store, const transport::PacerSettings& pace,
                         AutoResetEvent& progress)
    : destinations_(destinations),
      helpers_(std::move(helpers)),
      packetizer_(std::move(packetizer)),
      store_(std::move(store)),
      pacer_(pace),
      progress_(progress),
      thread_([this](const std::stop_token& stop) { run(stop); },
              [this](const std::exception_ptr&) { frame_is_over(); }) {}

bool PacedSender::idle() {
  thread_.rethrow_failure();
  const std::lock_guard lock(mutex_);
  return !frame_;
}

void PacedSender::start(const EncodedFrame& frame) { start(frame, frame.texture.blocks.size()); }

void PacedSender::start(const EncodedFrame& frame, size_t ready_bytes) {
  {
    const std::lock_guard lock(mutex_);
    ENSURE(!frame_ && ready_bytes <= frame.texture.blocks.size());
    frame_ = frame;
    encoded_ = frame.times.encoded;
    ready_bytes_ = ready_bytes;
  }
  destinations_.wake();
}

void PacedSender::advance(size_t ready_bytes) {
  {
    const std::lock_guard lock(mutex_);
    if (!frame_) return;
    ready_bytes_ = ready_bytes;
  }
  destinations_.wake();
}

void PacedSender::finish(WallTime encoded) {
  {
    const std::lock_guard lock(mutex_);
    if (!frame_) return;
    encoded_ = encoded;
    ready_bytes_ = frame_->texture.blocks.size();
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

void PacedSender::run(const std::stop_token& stop) {
  const std::stop_callback wake(stop, [this] { destinations_.wake(); });
  while (!stop.stop_requested()) {
    if (const auto frame = waiting_frame()) {
      send(*frame);
      frame_is_over();
    } else {
      wait_until(steady_now() + kLongestWait);
    }
  }
}

void PacedSender::frame_is_over() {
  if (helpers_) helpers_->finish();  // nobody reads the frame any more
  {
    const std::lock_guard lock(mutex_);
    frame_.reset();
  }
  progress_.set();
}

void PacedSender::wait_until(SteadyTime deadline) { destinations_.wait(deadline, on_feedback_); }

void PacedSender::on_feedback(const transport::Feedback& feedback) {
  const uint64_t requests = store_ ? store_->requests() : 0;
  if (store_) {
    const auto packets = store_->answer(feedback.destination, feedback.datagram, feedback.arrived);
    if (!packets.empty()) destinations_.send_to(feedback.destination, packets);
  }
  const std::lock_guard lock(mutex_);
  if (!store_ || store_->requests() == requests) ++status_.feedback;
  if (!store_) return;
  status_.requests = store_->requests();
  status_.again = store_->sent_again();
}

// The packetizer's, kept for those who lose them.
std::span<const transport::OutgoingPacket> PacedSender::next_packets(size_t ready_bytes) {
  const auto packets = packetizer_->advance(ready_bytes);
  if (store_ && packetizer_->requestable_frame()) store_->keep(packets);
  return packets;
}

void PacedSender::send(const EncodedFrame& frame) {
  const bool real_time = destinations_.real_time();
  while (real_time && steady_now() < line_free_ && !closing()) wait_until(line_free_);
  FrameTimes times = frame.times;
  // A capture alone is written as if it had been sent in real time, by an encoder that takes none.
  times.sent = real_time ? wall_now() : times.available;
  if (!real_time) times.encoded = times.available;
  packetizer_->begin(frame.texture.blocks, times);
  if (const auto number = packetizer_->requestable_frame(); number && store_)
    store_->begin_frame(*number, steady_now());
  const size_t frame_bytes = frame.texture.blocks.size();
  const SteadyTime begun = steady_now();
  const Sent sent = real_time ? send_paced(frame_bytes) : send_stamped(frame_bytes, times.sent);
  usual_wire_bytes_ = sent.wire_bytes;

  const std::lock_guard lock(mutex_);
  ++status_.frames;
  if (!status_.first_frame) status_.first_frame = begun;
  status_.last_frame = begun;
  status_.packets += sent.packets;
  status_.bytes += sent.bytes;
  status_.refused = destinations_.refused();
  if (const uint64_t changes = destinations_.receiver_changes(); changes != receiver_changes_) {
    receiver_changes_ = changes;
    status_.receivers.assign(destinations_.receivers().begin(), destinations_.receivers().end());
  }
  if (!real_time) return;
  status_.encode.add(encoded_ - times.available);
  status_.send.add(wall_now() - encoded_);
  status_.first.add(sent.first - times.available);
  status_.last.add(wall_now() - times.available);
}

size_t PacedSender::on_wire(const transport::OutgoingPacket& packet) const {
  return packet.size() + transport::wire_overhead(destinations_.ipv6());
}

// Where the encoder is slower than the wire, the schedule waits with it: packets never leave faster than they would
// have if the frame had been whole.
PacedSender::Sent PacedSender::send_paced(size_t frame_bytes) {
  Sent sent;
  SteadyTime begin = steady_now();
  size_t all_bytes = std::max(usual_wire_bytes_, frame_bytes);  // on the line; exact once the frame is whole
  size_t given = 0, prepared = 0;                               // of the frame, to the packetizer
  const size_t slice = helpers_ ? kSliceWithHelpers : kSlice;
  std::span<const transport::OutgoingPacket> packets;
  const auto look = [&] {
    const size_t ready = ready_bytes_;
    if (prepared != ready) packetizer_->prepare(prepared = ready);
    if (!packets.empty() || ready == given) return;
    while (packets.empty() && given < ready) packets = next_packets(given = std::min(ready, given + slice));
    size_t known_bytes = sent.wire_bytes + frame_bytes - given;
    for (const auto& packet : packets) known_bytes += on_wire(packet);
    all_bytes = given < frame_bytes ? std::max(all_bytes, known_bytes) : known_bytes;
  };
  while (!closing()) {
    look();
    if (packets.empty() && given < frame_bytes) {  // all that is final has left
      const SteadyTime starved = steady_now();
      wait_until(starved + kLongestWait);
      begin += steady_now() - starved;
      continue;
    }
    const size_t due = pacer_.bytes_due(all_bytes, steady_now() - begin);
    size_t count = 0;
    for (; count < packets.size() && sent.wire_bytes < due; ++count) {
      sent.bytes += packets[count].size();
      sent.wire_bytes += on_wire(packets[count]);
    }
    if (count > 0) {
      if (sent.packets == 0) sent.first = wall_now();
      destinations_.send(packets.first(count), wall_now());
      sent.packets += count;
      packets = packets.subspan(count);
    }
    if (packets.empty()) {
      if (given == frame_bytes) break;
      continue;
    }
    const SteadyTime next_tick = begin + ((steady_now() - begin) / pacer_.tick() + 1) * pacer_.tick();
    do wait_until(next_tick);
    while (steady_now() < next_tick && !closing());
  }
  line_free_ = begin + pacer_.line_time(sent.wire_bytes);
  return sent;
}

PacedSender::Sent PacedSender::send_stamped(size_t frame_bytes, WallTime begin) {
  const auto packets = next_packets(frame_bytes);
  size_t bytes = 0, wire_bytes = 0;
  for (const auto& packet : packets) {
    bytes += packet.size();
    wire_bytes += on_wire(packet);
  }
  const nanoseconds duration = pacer_.duration(wire_bytes);
  size_t gone = 0;
  for (size_t i = 0; i < packets.size(); ++i) {
    const double part = static_cast<double>(gone) / static_cast<double>(wire_bytes);
    destinations_.send(packets.subspan(i, 1),
                       begin + nanoseconds(static_cast<int64_t>(part * static_cast<double>(duration.count()))));
    gone += on_wire(packets[i]);
  }
  return {.packets = packets.size(), .bytes = bytes, .wire_bytes = wire_bytes, .first = begin};
}

// By what a core of 2023 does at least: it seals 4 Gb/s, and makes 12 Gb/s of the usual parity.
int helper_threads(size_t frame_bytes, double fps, const transport::WireChoice& wire) {
  constexpr double kSealed = 4e9, kProtected = 12e9;
  constexpr double kLeastBits = 1.5e9;  // a second: whatever is done to 1920x1080 at 60, one thread does it
  constexpr double kToSpare = 0.3;      // of the sending thread's time, for that
  constexpr double kOfAHelper = 0.25;   // so that a frame is ready well before the next one
  constexpr int kMost = 7;
  const double bits = static_cast<double>(frame_bytes) * 8 * (fps > 0 ? fps : 60);
  const transport::FecChoice fec = transport::fec_on_wire(wire);
  const double parity = fec.kind == transport::FecKind::parity ? fec.percent : 0;
  double load = bits / kProtected * parity / transport::kUsualParityPercent;
  if (wire.crypto == transport::CryptoChoice::texcast) load += bits / kSealed;
  if (bits < kLeastBits || load <= kToSpare) return 0;
  const int processors = static_cast<int>(std::thread::hardware_concurrency());
  return std::clamp(std::min(processors - 2, static_cast<int>(std::ceil(std::min(load / kOfAHelper, 100.0)))), 0,
                    kMost);
}

std::unique_ptr<PacedSender> make_paced_sender(Destinations& destinations, const SendSettings& settings,
                                               const TextureDesc& texture, AutoResetEvent& progress) {
  const auto packets = packetizer_settings(settings, texture, destinations.ipv6());
  transport::WireChoice wire = settings.wire;
  wire.answers_requests = wire.answers_requests && destinations.real_time() && destinations.all_unicast();
  const int threads = helper_threads(texture_layout(texture).total_bytes, settings.fps, wire);
  auto helpers = threads > 0 ? std::make_unique<WorkAhead>(threads) : nullptr;
  auto packetizer = transport::make_packetizer(packets, wire, helpers.get());
  return std::make_unique<PacedSender>(
      destinations, std::move(helpers), std::move(packetizer),
      transport::make_retransmit_store(packets, wire, destinations.addresses()),
      transport::PacerSettings{
          .fps = settings.fps, .spread = settings.spread, .rate_bits_per_s = settings.rate_bits_per_s},
      progress);
}

}  // namespace texcast::stream
