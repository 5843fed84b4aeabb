// tile_buffer.h — reassembles the bytes of one tile from pieces in any order, in memory lent by a store. No I/O.
#pragma once

#include <cstddef>
#include <cstring>
#include <optional>
#include <utility>

#include "base/bytes.h"
#include "base/ensure.h"
#include "transport/byte_coverage.h"
#include "transport/frame_store.h"

namespace texcast::transport {

// Memory of a store, returned by the destructor. The store must outlive it.
class FrameLoan {
 public:
  FrameLoan() = default;
  // Empty if the store has no free memory.
  static FrameLoan from(FrameStore& store, size_t bytes) {
    FrameLoan loan;
    if (const auto memory = store.lend(bytes)) {
      loan.store_ = &store;
      loan.memory_ = *memory;
    }
    return loan;
  }
  FrameLoan(FrameLoan&& other) noexcept : store_(std::exchange(other.store_, nullptr)), memory_(other.memory_) {}
  FrameLoan& operator=(FrameLoan other) noexcept {
    std::swap(store_, other.store_);
    std::swap(memory_, other.memory_);
    return *this;
  }
  ~FrameLoan() {
    if (store_) store_->take_back(memory_.place);
  }
  explicit operator bool() const { return store_ != nullptr; }
  bool is_of(const FrameStore& store) const { return store_ == &store; }
  MutableBytes bytes() const { return store_ ? memory_.bytes : MutableBytes{}; }
  size_t place() const { return memory_.place; }

 private:
  FrameStore* store_ = nullptr;
  LentMemory memory_;
};

// Invariant: a byte that has arrived (coverage()) is not written again, because other threads may be reading it
// (frame_store.h). Only conceal() breaks this, for blocks of which a part is missing.
class TileBuffer {
 public:
  // Begins another tile. `memory` has room for it, or is empty; then the tile is empty too.
  void begin(FrameLoan memory, size_t tile_bytes) {
    ENSURE(!memory || memory.bytes().size() >= tile_bytes);
    memory_ = std::move(memory);
    tile_bytes_ = memory_ ? tile_bytes : 0;
    coverage_.clear();
  }
  void release() { memory_ = {}; }
  // Copies the new bytes of the piece to their place: the only copy of received bytes. The piece must lie inside the
  // tile.
  ByteCoverage::Added add(uint32_t offset, Bytes piece) {
    ENSURE(offset <= tile_bytes_ && piece.size() <= tile_bytes_ - offset);
    const auto end = static_cast<uint32_t>(offset + piece.size());
    std::byte* const to = memory_.bytes().data();
    coverage_.for_each_gap(offset, end, [&](uint32_t gap, uint32_t gap_end) {
      std::memcpy(to + gap, piece.data() + (gap - offset), gap_end - gap);
    });
    return coverage_.add(offset, end);
  }
  // The memory itself, for bytes that FEC recovers in place. mark() declares them present.
  MutableBytes memory() { return memory_.bytes().first(tile_bytes_); }
  ByteCoverage::Added mark(uint32_t offset, uint32_t bytes) { return coverage_.add(offset, offset + bytes); }
  bool complete() const { return coverage_.covered() == tile_bytes_; }
  uint64_t covered() const { return coverage_.covered(); }
  Bytes bytes() const { return memory_.bytes().first(tile_bytes_); }
  const ByteCoverage& coverage() const { return coverage_; }
  const FrameLoan& loan() const { return memory_; }

 private:
  FrameLoan memory_;
  size_t tile_bytes_ = 0;
  ByteCoverage coverage_;
};

}  // namespace texcast::transport
