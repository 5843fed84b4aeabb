#include "nack_scheduler.h"

#include <algorithm>

namespace texcast::transport {
namespace {

// Parity packets of the group that may still arrive.
uint32_t parity_to_come(const FrameNacks& frame, const FrameParity& parity, uint32_t group) {
  const SymbolLayout& layout = parity.layout();
  if (frame.over || frame.quiet) return 0;
  if (parity.parity_unknown())
    return ReedSolomon::kMaxSymbols;  // assume enough, until a parity packet announces the number
  const uint32_t front = parity.parity_front();
  const uint32_t passed = front > group ? (front - group + layout.groups - 1) / layout.groups : 0;
  return layout.parity - std::min(passed, layout.parity);
}

// Packets below have been overtaken by later ones.
uint32_t passed_front(const FrameNacks& frame, const FrameParity& parity) {
  return frame.over || frame.quiet || parity.parity_front() > 0 ? parity.layout().packets() : parity.packets_front();
}

}  // namespace

void NackScheduler::arrived(FrameNacks& frame, const FrameParity& parity, bool asked_for, SteadyTime now) {
  if (frame.quiet && !asked_for) {
    frame.quiet = false;
    frame.checkpoint = std::min(frame.checkpoint, passed_front(frame, parity));
  }
  pace_.arrived();
  const uint32_t front = passed_front(frame, parity);
  while (frame.scanned < front && parity.has(frame.scanned)) ++frame.scanned;
  if (front == frame.scanned) return;
  if (frame.next_look == FrameNacks::kNever) {
    frame.checkpoint = front;
    frame.next_look = now + kReorderTime;
  } else if (now + kReorderTime <= frame.next_look + kReorderTime / 4) {
    // By the next look they will have been missing for nearly that long.
    frame.checkpoint = std::max(frame.checkpoint, front);
  }
}

void NackScheduler::over(FrameNacks& frame, const FrameParity& parity, SteadyTime now) {
  if (frame.over) return;
  frame.over = true;
  look_at_all(frame, parity, now);
}

void NackScheduler::quiet(FrameNacks& frame, const FrameParity& parity, SteadyTime now) {
  frame.quiet = true;
  look_at_all(frame, parity, now);
}

void NackScheduler::look_at_all(FrameNacks& frame, const FrameParity& parity, SteadyTime now) {
  if (frame.next_look != FrameNacks::kNever) return;  // that look finds the rest
  frame.checkpoint = parity.layout().packets();
  frame.next_look = now + kReorderTime;
}

bool NackScheduler::answered(FrameNacks& frame, uint32_t packet, SteadyTime now) {
  const auto hole = std::ranges::lower_bound(frame.holes, packet, {}, &FrameNacks::Hole::packet);
  if (hole == frame.holes.end() || hole->packet != packet || hole->times == 0) return false;
  pace_.answered(hole->asked, hole->times, now);
  hole->times = 0;
  frame.next_look = std::min(frame.next_look, now + kReorderTime);  // others may be due sooner than calculated
  return true;
}

void NackScheduler::find_holes(FrameNacks& frame, const FrameParity& parity, SteadyTime now) {
  std::erase_if(frame.holes, [&](const FrameNacks::Hole& hole) { return parity.has(hole.packet); });
  for (; frame.scanned < frame.checkpoint; ++frame.scanned)
    if (!parity.has(frame.scanned)) frame.holes.push_back({.packet = frame.scanned, .found = now});
}

// For each group: the number of holes without a pending request, minus the parity that will recover some.
void NackScheduler::count_wants(const FrameNacks& frame, const FrameParity& parity, SteadyTime now) {
  const uint32_t groups = parity.layout().groups;
  wants_.resize(groups);
  for (uint32_t group = 0; group < groups; ++group)
    wants_[group] = -static_cast<int>(parity.parity_there(group) + parity_to_come(frame, parity, group));
  for (const FrameNacks::Hole& hole : frame.holes)
    if (!on_its_way(hole, now)) ++wants_[hole.packet % groups];
}

bool NackScheduler::wants(const FrameNacks& frame, const FrameParity& parity) {
  const uint32_t groups = parity.layout().groups;
  wants_.resize(groups);
  for (uint32_t group = 0; group < groups; ++group)
    wants_[group] = -static_cast<int>(parity.parity_there(group) + parity_to_come(frame, parity, group));
  const auto count = [&](uint32_t packet) { return !parity.has(packet) && ++wants_[packet % groups] > 0; };
  for (const FrameNacks::Hole& hole : frame.holes)
    if (count(hole.packet)) return true;
  const uint32_t front = passed_front(frame, parity);
  for (uint32_t packet = frame.scanned; packet < front; ++packet)
    if (count(packet)) return true;
  return false;
}

void NackScheduler::put(uint32_t packet) {
  if (!ranges_.empty() && ranges_.back().first + ranges_.back().count == packet &&
      ranges_.back().count < PacketRange::kMaxCount)
    ++ranges_.back().count;
  else
    ranges_.push_back({packet, 1});
}

std::span<const PacketRange> NackScheduler::due(FrameNacks& frame, const FrameParity& parity, SteadyTime now) {
  ranges_.clear();
  if (now < frame.next_look) return {};
  find_holes(frame, parity, now);
  count_wants(frame, parity, now);
  frame.next_look = FrameNacks::kNever;
  for (FrameNacks::Hole& hole : frame.holes) {
    int& want = wants_[hole.packet % parity.layout().groups];
    const SteadyTime first = frame.relay_lacks ? hole.found : hole.found + postponed_by_;
    if (want > 0 && now >= first && !on_its_way(hole, now) && hole.packet <= PacketRange::kMaxFirst &&
        ranges_.size() < RetransmitRequest::kMaxRanges && pace_.may_ask(now)) {
      --want;
      put(hole.packet);
      ++hole.times;
      hole.asked = now;
      pace_.asked(now);
    }
    // Holes that parity should recover are checked again as well: parity may get lost.
    SteadyTime again = std::max(now + kReorderTime, first);
    if (hole.times > 0) again = std::max(now + kReorderTime, hole.asked + pace_.retry_after(hole.times));
    frame.next_look = std::min(frame.next_look, again);
  }
  // More packets have arrived since the last look. Their holes are due once they are old enough.
  const uint32_t front = passed_front(frame, parity);
  if (front > frame.scanned) {
    frame.checkpoint = front;
    frame.next_look = std::min(frame.next_look, now + kReorderTime);
  }
  return ranges_;
}

}  // namespace texcast::transport
