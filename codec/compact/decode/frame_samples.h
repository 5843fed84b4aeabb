// frame_samples.h — the samples of the decoded frames (sample_planes.h), from frame to frame. There are planes of the
// reference frame and of the frame under way, as slices read the ones while they write the others. Samples that are
// what blocks decode to are made only when they are needed: streams without transform slices never need them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/workers.h"
#include "compact/received_slice.h"
#include "compact/sample_planes.h"
#include "compact/tile_grid.h"
#include "formats/row_changes.h"

namespace texcast::compact {

// The eighths of its tiles' rows that a slice covers: a bit for each, the topmost first.
inline uint8_t eighths_of(const Slice& slice) {
  return static_cast<uint8_t>(((1u << 8 / slice.sub_slices) - 1) << 8 / slice.sub_slices * slice.sub_slice);
}

class FrameSamples {
 public:
  // Both are borrowed.
  FrameSamples(const TileGrid& grid, Workers& workers);

  // There is no reference frame: all samples are those of blocks.
  void forget();
  // No slice that has samples (ReceivedSlice::has_samples()) was decoded since then.
  bool are_of_blocks() const { return !has_own_; }
  // Some samples of a tile are known to the reconstruction backend only, which decoded a transform slice.
  bool is_away(uint32_t tile) const { return away_[tile] != 0; }
  bool is_any_away() const;
  // The parts of a tile whose samples are here, as eighths_of(). Makes those of blocks. `texture`: the reference frame.
  uint8_t make(uint32_t tile, const std::byte* texture);
  // Samples of the reference frame, for the backend. Allocates them.
  std::span<const uint8_t> reference();
  // The parts that are away get the backend's samples, which are all planes in the layout of SampleLayout. The backend
  // keeps them, and they are here too.
  void bring(std::span<const uint8_t> of_backend);
  // All samples of the reference frame. Makes those of blocks. None may be away.
  std::span<const uint8_t> make_all(const std::byte* texture);
  // The samples of a tile are lost with the backend. They become those of its blocks.
  void lose(uint32_t tile);

  // Before the CPU decodes the slices that are not from the backend. `texture`: the reference frame; nullptr: there is
  // none.
  void begin(std::span<const ReceivedSlice> slices, const std::byte* texture);
  // The samples that the frame's slices read and write: none if none has samples.
  SliceSamples surroundings();
  // When all slices are decoded: the frame is the next one's reference.
  void finish(std::span<const ReceivedSlice> slices);
  // The rows of tiles in which samples of the reference frame changed, for copies of them.
  RowChanges changes() const { return {sequence_, number_, row_changed_in_}; }

 private:
  void allocate();
  void prepare(uint32_t tile, const std::byte* texture, bool is_reference_needed);
  void take(const ReceivedSlice& received);
  SamplePlanes& newest() { return *planes_[newest_]; }
  SamplePlanes& other() { return *planes_[1 - newest_]; }

  const TileGrid& grid_;
  Workers& workers_;
  std::array<std::optional<SamplePlanes>, 2> planes_;
  size_t newest_ = 0;               // the planes of the reference frame
  std::vector<uint8_t> of_blocks_;  // parts of each tile whose samples are those of blocks, and are not yet made
  std::vector<uint8_t> away_;       // parts that only the backend has
  std::vector<uint8_t> is_behind_;  // tiles that are older in the other planes
  std::vector<uint8_t> is_whole_;   // tiles that a slice of the frame covers completely
  bool has_own_ = false;            // a slice that has samples was decoded since forget()
  bool is_used_ = false;            // by the frame under way
  bool is_reference_used_ = false;
  const uint64_t sequence_ = new_sequence();
  uint64_t number_ = 0;
  std::vector<uint64_t> row_changed_in_;  // RowChanges::changed_in
};

}  // namespace texcast::compact
