#include "stream/paced_sender.h"

#include <algorithm>
#include <utility>

#include "base/ensure.h"
#include "frame_schedule.h"

namespace texcast::stream {
namespace {

constexpr nanoseconds kLongestWait = std::chrono::seconds(1);
// A complete frame goes to the packetizer in chunks too, so that its work on each byte (parity, encryption) is done
// between packets and does not delay the first one.
constexpr size_t kChunk = size_t{1} << 17;
// If helper threads do that work, a chunk fills several system calls.
constexpr size_t kChunkWithHelpers = size_t{1} << 19;

}  // namespace

PacedSender::PacedSender(Destinations& destinations, StreamWire wire, const transport::PacerSettings& pace,
                         AutoResetEvent& progress, SentStatus so_far)
    : destinations_(destinations),
      wire_(std::move(wire)),
      pacer_(pace),
      progress_(progress),
      status_(std::move(so_far)),
      requests_before_(status_.requests),
      again_before_(status_.again),
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
    ENSURE(wire_.plain && !frame_ && ready_bytes <= frame.texture.blocks.size());
    frame_ = frame;
    is_frame_wanted_ = false;
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

void PacedSender::start(const FrameTimes& times) {
  {
    const std::lock_guard lock(mutex_);
    ENSURE(wire_.compact && !frame_);
    frame_ = EncodedFrame{.texture = {}, .times = times};
    encoded_ = times.encoded;
    payloads_.clear();
    total_ = 0;
  }
  destinations_.wake();
}

void PacedSender::add(std::span<const Bytes> payloads) {
  {
    const std::lock_guard lock(mutex_);
    if (!frame_) return;
    ENSURE(total_ == 0);
    payloads_.insert(payloads_.end(), payloads.begin(), payloads.end());
  }
  destinations_.wake();
}

void PacedSender::finish(WallTime encoded) {
  {
    const std::lock_guard lock(mutex_);
    if (!frame_) return;
    encoded_ = encoded;
    ready_bytes_ = frame_->texture.blocks.size();
    total_ = static_cast<uint32_t>(payloads_.size());
    ENSURE(wire_.plain || total_ > 0);
  }
  destinations_.wake();
}

void PacedSender::put_beside(Bytes datagram) {
  const std::lock_guard lock(mutex_);
  beside_.assign(datagram.begin(), datagram.end());
}

SentStatus PacedSender::status() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

RateSigns PacedSender::signs(std::vector<transport::ReceiverOpinion>& memory) const {
  const std::lock_guard lock(mutex_);
  memory = status_.receivers;
  return {.packets = status_.packets,
          .again = status_.again,
          .line_bytes = line_bytes_,
          .again_line_bytes = again_line_bytes_,
          .destinations = destinations_.addresses() + destinations_.viewers(),
          .to_group = !destinations_.all_unicast() || destinations_.viewers() > 1,
          .hears_losses = wire_.store != nullptr,
          .receivers = memory};
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
  if (wire_.helpers) wire_.helpers->finish();  // afterwards no helper reads the frame
  {
    const std::lock_guard lock(mutex_);
    frame_.reset();
  }
  progress_.set();
}

void PacedSender::wait_until(SteadyTime deadline) { destinations_.wait(deadline, on_feedback_); }

void PacedSender::on_feedback(const transport::Feedback& feedback) {
  const transport::FeedbackOpener::Asked asked = wire_.opener.read(feedback.datagram);
  const bool tiles = asked.tiles && wire_.on_tile_request;
  if (tiles) wire_.on_tile_request(feedback.from, *asked.tiles);
  if (asked.tiles && wire_.plain) {  // from somebody who has just come; any frame has all that is asked for
    is_frame_wanted_ = true;
    progress_.set();
  }
  std::span<const transport::OutgoingPacket> again;
  if (asked.packets && wire_.store) again = wire_.store->answer(feedback.destination, *asked.packets, feedback.arrived);
  count_feedback(asked, tiles, again);  // before sending: status() must include what a receiver has
  if (!again.empty()) destinations_.send_to(feedback.destination, again);
}

void PacedSender::count_feedback(const transport::FeedbackOpener::Asked& asked, bool tiles,
                                 std::span<const transport::OutgoingPacket> again) {
  size_t again_line_bytes = 0;
  for (const auto& packet : again) again_line_bytes += on_wire(packet);
  const std::lock_guard lock(mutex_);
  if (tiles)
    ++status_.tile_requests;
  else if (!asked.packets || !wire_.store)
    ++status_.feedback;
  again_line_bytes_ += again_line_bytes;
  if (!wire_.store) return;
  status_.requests = requests_before_ + wire_.store->requests();
  status_.again = again_before_ + wire_.store->sent_again();
}

// Returns the frame's number if receivers may send NACKs for its packets.
std::optional<uint32_t> PacedSender::begin(const EncodedFrame& frame, const FrameTimes& times) {
  if (wire_.compact) {
    wire_.compact->begin(times);
    return wire_.compact->requestable_frame();
  }
  wire_.plain->begin(frame.texture.blocks, times);
  return wire_.plain->requestable_frame();
}

// The packets of data that became final since the last call, which are also kept for NACKs. May be empty.
std::span<const transport::OutgoingPacket> PacedSender::next_packets(Progress& progress) {
  const auto packets = wire_.compact ? next_of_payloads(progress) : next_of_bytes(progress);
  const auto number = wire_.compact ? wire_.compact->requestable_frame() : wire_.plain->requestable_frame();
  if (wire_.store && number) wire_.store->keep(packets);
  return packets;
}

std::span<const transport::OutgoingPacket> PacedSender::next_of_bytes(Progress& progress) {
  const size_t ready = ready_bytes_;
  std::span<const transport::OutgoingPacket> packets;
  while (packets.empty() && progress.given < ready) {
    const size_t chunk = std::min(ready - progress.given, wire_.helpers ? kChunkWithHelpers : kChunk);
    packets = wire_.plain->advance(progress.given += chunk);
    progress.rest -= chunk;
  }
  progress.over = progress.rest == 0;
  return packets;
}

std::span<const transport::OutgoingPacket> PacedSender::next_of_payloads(Progress& progress) {
  std::span<const transport::OutgoingPacket> packets;
  bool more = true;
  while (packets.empty() && more && !progress.over) {
    uint32_t total = 0;
    {
      const std::lock_guard lock(mutex_);
      total = total_;
      chunk_.clear();
      progress.rest = 0;
      size_t bytes = 0, next = progress.given;
      for (; next < payloads_.size() && bytes < kChunk; ++next) {
        chunk_.push_back(payloads_[next]);
        bytes += payloads_[next].size();
      }
      progress.given = next;
      for (; next < payloads_.size(); ++next) progress.rest += payloads_[next].size();
    }
    more = !chunk_.empty();
    packets = wire_.compact->add(chunk_, total);
    progress.over = wire_.compact->ended();
  }
  return packets;
}

void PacedSender::send_beside() {
  leaving_.clear();
  {
    const std::lock_guard lock(mutex_);
    leaving_.swap(beside_);
  }
  if (leaving_.empty()) return;
  const transport::OutgoingPacket packet{.header = leaving_, .payload = {}};
  destinations_.send({&packet, 1}, wall_now());
}

void PacedSender::send(const EncodedFrame& frame) {
  const bool real_time = destinations_.real_time();
  while (real_time && steady_now() < line_free_ && !closing()) wait_until(line_free_);
  send_beside();
  FrameTimes times = frame.times;
  // If captures are the only destinations they are written as if sent in real time, by an encoder that takes no time.
  times.sent = real_time ? wall_now() : times.available;
  if (!real_time) times.encoded = times.available;
  captured_ = times.available;
  if (const auto number = begin(frame, times); number && wire_.store) wire_.store->begin_frame(*number, steady_now());
  const size_t frame_bytes = frame.texture.blocks.size();
  const double rate = rate_bits_per_s_;
  pacer_.limit(rate > 0 ? std::optional(rate) : std::nullopt);
  const SteadyTime begun = steady_now();
  const Sent sent = real_time ? send_paced(frame_bytes) : send_stamped(frame_bytes, times.sent);
  usual_wire_bytes_ = sent.wire_bytes;

  const std::lock_guard lock(mutex_);
  ++status_.frames;
  if (!status_.first_frame) status_.first_frame = begun;
  status_.last_frame = begun;
  status_.packets += sent.packets;
  status_.bytes += sent.bytes;
  line_bytes_ += sent.wire_bytes;
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

PacedSender::Sent PacedSender::send_paced(size_t frame_bytes) {
  Sent sent;
  FrameSchedule schedule(pacer_, std::max(usual_wire_bytes_, frame_bytes), steady_now());
  Progress progress{.rest = frame_bytes};
  size_t prepared = 0;  // bytes of a raw frame that the packetizer's helpers have
  std::span<const transport::OutgoingPacket> packets;
  const auto look = [&] {
    if (const size_t ready = ready_bytes_; wire_.plain && prepared != ready) wire_.plain->prepare(prepared = ready);
    if (!packets.empty() || progress.over) return;
    packets = next_packets(progress);
    size_t known_bytes = schedule.sent_bytes() + progress.rest;
    for (const auto& packet : packets) known_bytes += on_wire(packet);
    schedule.know(known_bytes, progress.over);
  };
  while (!closing()) {
    look();
    if (packets.empty() && !progress.over) {  // everything that is final has left
      const SteadyTime starved = steady_now();
      wait_until(starved + kLongestWait);
      schedule.starved(steady_now() - starved);
      continue;
    }
    const size_t due = schedule.bytes_due(steady_now());
    size_t count = 0;
    for (; count < packets.size() && schedule.sent_bytes() < due; ++count) {
      sent.bytes += packets[count].size();
      schedule.sent(on_wire(packets[count]));
    }
    if (count > 0) {
      if (sent.packets == 0) sent.first = wall_now();
      destinations_.send(packets.first(count), wall_now(), captured_);
      sent.packets += count;
      packets = packets.subspan(count);
    }
    if (packets.empty()) {
      if (progress.over) break;
      continue;
    }
    const SteadyTime next_tick = schedule.next_tick(steady_now());
    do wait_until(next_tick);
    while (steady_now() < next_tick && !closing());
  }
  line_free_ = schedule.line_free();
  sent.wire_bytes = schedule.sent_bytes();
  return sent;
}

PacedSender::Sent PacedSender::send_stamped(size_t frame_bytes, WallTime begin) {
  Progress progress{.rest = frame_bytes};
  std::vector<transport::OutgoingPacket> packets;  // valid until the next frame
  while (!progress.over && !closing()) {
    const auto some = next_packets(progress);
    packets.insert(packets.end(), some.begin(), some.end());
    if (some.empty() && !progress.over) wait_until(steady_now() + kLongestWait);
  }
  size_t bytes = 0, wire_bytes = 0;
  for (const auto& packet : packets) {
    bytes += packet.size();
    wire_bytes += on_wire(packet);
  }
  const nanoseconds duration = pacer_.duration(wire_bytes);
  size_t gone = 0;
  for (size_t i = 0; i < packets.size(); ++i) {
    const double part = static_cast<double>(gone) / static_cast<double>(wire_bytes);
    destinations_.send(std::span(packets).subspan(i, 1),
                       begin + nanoseconds(static_cast<int64_t>(part * static_cast<double>(duration.count()))));
    gone += on_wire(packets[i]);
  }
  return {.packets = packets.size(), .bytes = bytes, .wire_bytes = wire_bytes, .first = begin};
}

namespace {

// TCP paces itself, so that waiting would only add latency.
transport::PacerSettings pace_of(const SendSettings& settings, const Destinations& destinations) {
  return {.fps = settings.fps,
          .spread = destinations.only_web() ? 0 : settings.spread,
          .rate_bits_per_s = settings.rate_bits_per_s};
}

}  // namespace

std::unique_ptr<PacedSender> make_paced_sender(Destinations& destinations, const SendSettings& settings,
                                               const TextureDesc& texture, AutoResetEvent& progress,
                                               const StreamIdentity& identity) {
  return std::make_unique<PacedSender>(destinations, raw_wire(destinations, settings, texture, identity),
                                       pace_of(settings, destinations), progress, identity.so_far);
}

std::unique_ptr<PacedSender> make_compact_sender(Destinations& destinations, const SendSettings& settings,
                                                 const TextureDesc& texture, const CompactStream& compact,
                                                 AutoResetEvent& progress, const StreamIdentity& identity) {
  constexpr size_t kLeastATick = 16'384;  // 260 Mbit/s: any port can queue it, and TCP starts with as much
  transport::PacerSettings pace = pace_of(settings, destinations);
  pace.least_a_tick = kLeastATick;
  return std::make_unique<PacedSender>(destinations, coded_wire(destinations, settings, texture, identity, compact),
                                       pace, progress, identity.so_far);
}

}  // namespace texcast::stream
