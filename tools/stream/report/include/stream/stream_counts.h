// stream_counts.h — counts of a stream's packets and frames, one for each cause: the names in --stats-json, --json, the
// printed report and the on-screen display. docs/measuring.md explains each of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace texcast::stream {

struct SentStatus;
struct StreamStatus;

struct Count {
  std::string name;
  uint64_t value = 0;
};
using Counts = std::vector<Count>;

Counts packet_counts(const StreamStatus& status);   // "received" and "lost" first
Counts frame_counts(const StreamStatus& status);    // "in" and "lost" first
Counts dropped_counts(const StreamStatus& status);  // frames that were received and dropped before the screen
// Tiles of a coded stream by their coding; "skipped" and "coded" first. Empty for a raw stream.
Counts tile_counts(const StreamStatus& status);
Counts tile_counts(const SentStatus& status);

// "3 late, 12 recovered by parity": counts above 0, and the first `always` in any case. May be empty.
std::string words(const Counts& counts, size_t always = 0);

}  // namespace texcast::stream
