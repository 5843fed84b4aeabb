// received_frame.h — the payloads of one frame: their slices, skipped tiles and change history; and, once the slices
// are decoded, which payloads are sound and which tiles are right after the frame.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "compact/frame_decoder.h"
#include "compact/payload.h"
#include "compact/received_slice.h"
#include "compact/tile_grid.h"
#include "tile_states.h"

namespace texcast::compact {

class ReceivedFrame {
 public:
  explicit ReceivedFrame(const TileGrid& grid);

  // Forgets the previous frame.
  void begin();
  // The bytes may be anything, and must stay valid until the frame is judged. The first slice of a sub-slice counts;
  // repeated ones are ignored.
  void parse(Bytes payload);
  std::span<ReceivedSlice> slices() { return slices_; }
  const ChangeHistory* history() const { return has_history_ ? &history_ : nullptr; }

  // Compares the payloads' checks with the decoded slices, and sets the tiles' states. Returns the frame's counts, but
  // for DecodedCounts::work.
  DecodedCounts judge(bool has_reference, TileStates& tiles);

 private:
  enum class TileContent : uint8_t { missing, skipped, coded };
  struct SkippedTiles {
    uint32_t first, count;
  };
  struct Payload {
    size_t begin = 0, end = 0;                  // slices
    size_t skipped_begin = 0, skipped_end = 0;  // of skipped_
    uint32_t check = 0;
    bool is_parsed = false;  // to its end
    bool is_whole = true;    // none of its slices was ignored
  };

  bool add(const ParsedSlice& slice);
  bool is_sound(const Payload& payload, bool has_reference);
  void count_slices(const Payload& payload);
  void take_skipped(const Payload& payload);
  bool is_complete(uint32_t tile) const;

  const TileGrid& grid_;
  std::vector<TileContent> content_;  // of each tile
  std::vector<uint8_t> eighths_;      // of each coded tile: a bit for each eighth of its rows that a slice covers
  std::vector<ReceivedSlice> slices_;
  std::vector<Payload> payloads_;
  std::vector<SkippedTiles> skipped_;
  std::vector<uint32_t> spoiled_;  // coded tiles that are wrong all the same
  ChangeHistory history_;
  bool has_history_ = false;
  DecodedCounts counts_;
};

}  // namespace texcast::compact
