#include "stream/stream_counts.h"

#include <fmt/core.h>

#include <algorithm>

#include "live/receiving_thread.h"
#include "stream/texture_sender.h"

namespace texcast::stream {

Counts packet_counts(const StreamStatus& s) {
  const auto& c = s.counters;
  return {{"received", c.packets},
          {"lost", c.lost},
          {"recovered_by_parity", c.recovered_parity},
          {"recovered_by_retransmission", c.recovered_retransmission},
          {"requested", c.requested},
          {"reordered", c.reordered},
          {"duplicate", c.duplicate},
          {"late", c.late},
          {"malformed", c.malformed},
          {"foreign", c.foreign},
          {"too_large", c.oversized},
          {"outside", c.outside},
          {"stale", c.stale},
          {"surplus", c.surplus},
          {"refused", c.refused},
          {"dropped_by_kernel", c.socket_dropped}};
}

Counts frame_counts(const StreamStatus& s) {
  const auto& c = s.counters;
  return {{"in", s.frames},
          {"lost", c.frames_lost},
          {"concealed", s.frames_concealed},
          {"concealed_blocks", s.concealed_blocks},
          {"recovered", c.frames_recovered},
          {"new_streams", c.streams - std::min<uint64_t>(c.streams, 1)}};
}

Counts dropped_counts(const StreamStatus& s) {
  return {{"unread", s.counters.frames_unread},
          {"unsupported", s.frames_unsupported},
          {"unbuffered", s.frames_unbuffered},
          {"undecoded", s.frames_undecoded}};
}

Counts tile_counts(const StreamStatus& s) {
  if (!s.compact) return {};
  const CompactReceived& c = *s.compact;
  return {{"skipped", c.skipped},
          {"coded", c.inter},
          {"intra", c.intra},
          {"raw", c.plain},
          {"transform", c.transform},
          {"concealed", c.concealed},
          {"repaired", c.repaired},
          {"wrong_now", c.wrong},
          {"damaged_payloads", c.damaged + c.disagreed},
          {"requests", c.asked},
          {"frames_held_back", c.held_back},
          {"refuted_rows", c.refuted}};
}

Counts tile_counts(const SentStatus& s) {
  if (!s.compact) return {};
  const CompactSent* const sent = &*s.compact;
  return {{"skipped", sent->skipped},
          {"coded", sent->inter},
          {"intra", sent->intra},
          {"raw", sent->plain},
          {"transform", sent->transform},
          {"repaired", sent->repaired},
          {"refreshed", sent->refreshed},
          {"requests", sent->requests},
          {"requests_refused", sent->refused},
          {"late", sent->late}};
}

std::string words(const Counts& counts, size_t always) {
  std::string text;
  for (size_t i = 0; i < counts.size(); ++i) {
    if (i >= always && counts[i].value == 0) continue;
    std::string name = counts[i].name;
    std::replace(name.begin(), name.end(), '_', ' ');
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", counts[i].value, name);
  }
  return text;
}

}  // namespace texcast::stream
