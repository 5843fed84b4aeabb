#include "transport/retransmit_store.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace texcast::transport {

RetransmitStore::RetransmitStore(const RetransmitSettings& settings)
    : settings_(settings),
      opener_(settings.ssrc, settings.keys),
      budgets_(settings.destinations, 0.0),
      budget_limit_(static_cast<double>(settings.at_once)) {}

void RetransmitStore::begin_frame(uint32_t buffer_id, SteadyTime now) {
  newest_ = (newest_ + 1) % kFrames;
  Kept& frame = frames_[newest_];
  frame.used = true;
  frame.buffer_id = buffer_id;
  frame.begun = now;
  frame.bytes = 0;
  frame.ends.clear();
}

void RetransmitStore::keep(std::span<const OutgoingPacket> packets) {
  Kept& frame = frames_[newest_];
  size_t added = 0;
  for (const OutgoingPacket& packet : packets) added += packet.size();
  // A burst may be as large as the share of the largest frame, so that all losses of one frame can be answered.
  budget_limit_ = std::max(budget_limit_, settings_.part * static_cast<double>(frame.bytes + added));
  for (double& budget : budgets_)
    budget = std::min(budget + settings_.part * static_cast<double>(added), budget_limit_);
  size_t kept = added;
  for (const Kept& each : frames_) kept += each.bytes;
  for (size_t older = 1; older < kFrames && kept > settings_.max_bytes; ++older) {  // the oldest first
    Kept& old = frames_[(newest_ + older) % kFrames];
    kept -= old.bytes;
    old.used = false;
    old.bytes = 0;
    old.ends.clear();
  }
  if (kept > settings_.max_bytes) frame.used = false;  // the frame cannot be requested either
  if (!frame.used) return;

  if (frame.bytes + added > frame.capacity) grow(frame, frame.bytes + added);
  std::byte* to = frame.memory.get() + frame.bytes;
  frame.bytes += added;
  largest_ = std::max(largest_, frame.bytes);
  for (const OutgoingPacket& packet : packets) {
    std::memcpy(to, packet.header.data(), packet.header.size());
    if (!packet.payload.empty()) std::memcpy(to + packet.header.size(), packet.payload.data(), packet.payload.size());
    to += packet.size();
    frame.ends.push_back(static_cast<uint32_t>(to - frame.memory.get()));
  }
}

// Frames that are no longer stored keep their memory for later ones: otherwise large streams would allocate all of it
// with every frame. Excess memory is freed.
void RetransmitStore::grow(Kept& frame, size_t bytes) {
  const size_t wanted = std::max(std::min(bytes + bytes / 4, settings_.max_bytes), largest_);
  size_t all = wanted;
  for (const Kept& each : frames_) all += &each == &frame ? 0 : each.capacity;
  for (Kept& each : frames_) {
    if (all <= 2 * settings_.max_bytes || each.bytes > 0 || &each == &frame) continue;
    all -= std::exchange(each.capacity, 0);
    each.memory.reset();
  }
  auto memory = std::make_unique_for_overwrite<std::byte[]>(wanted);
  if (frame.bytes > 0) std::memcpy(memory.get(), frame.memory.get(), frame.bytes);
  frame.memory = std::move(memory);
  frame.capacity = wanted;
}

RetransmitStore::Kept* RetransmitStore::find(uint32_t buffer_id) {
  for (Kept& frame : frames_)
    if (frame.used && frame.buffer_id == buffer_id) return &frame;
  return nullptr;
}

std::span<const OutgoingPacket> RetransmitStore::answer(size_t destination, Bytes datagram, SteadyTime now) {
  const FeedbackOpener::Asked asked = opener_.read(datagram);
  if (!asked.packets) return {};
  return answer(destination, *asked.packets, now);
}

std::span<const OutgoingPacket> RetransmitStore::answer(size_t destination, const RetransmitRequest& request,
                                                        SteadyTime now) {
  answer_.clear();
  if (destination >= budgets_.size() || request.ssrc != settings_.ssrc) return {};
  ++requests_;
  const Kept* frame = find(request.buffer_id);
  if (!frame || now - frame->begun > settings_.keep_for) return {};
  double& budget = budgets_[destination];
  for (size_t r = 0; r < request.ranges; ++r) {
    const PacketRange range = request.range(r);
    const size_t last = std::min<size_t>(size_t{range.first} + range.count, frame->ends.size());
    for (size_t packet = range.first; packet < last; ++packet) {
      const size_t begin = packet == 0 ? 0 : frame->ends[packet - 1];
      const Bytes bytes = Bytes(frame->memory.get() + begin, frame->ends[packet] - begin);
      if (budget < static_cast<double>(bytes.size())) return answer_;
      budget -= static_cast<double>(bytes.size());
      answer_.push_back({bytes, {}});
      ++sent_again_;
    }
  }
  return answer_;
}

}  // namespace texcast::transport
