// stream_counts.h — what happened to a stream's packets and frames, one cause a count: one table of names for
// --stats-json, --json, the printed report and the on-screen display. docs/measuring.md says what each one means.
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
Counts dropped_counts(const StreamStatus& status);  // frames that came and went no further, before the screen
// Tiles of a compact stream, by what became of them; "skipped" and "coded" first. Empty for plain ones.
Counts tile_counts(const StreamStatus& status);
Counts tile_counts(const SentStatus& status);

// "3 late, 12 recovered by parity": those above 0, and the first `always` in any case. Empty: none.
std::string words(const Counts& counts, size_t always = 0);

}  // namespace texcast::stream
