// attempt_order.h — the tiles of a batch in the order in which a device encodes them: first those that are coded by
// blocks, then those with both attempts, then those that are coded by transform coding only. Each coding so has a range
// of tiles without gaps.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "compact/encoder_backend.h"

namespace texcast::compact {

// Keeps memory between batches.
class AttemptOrder {
 public:
  explicit AttemptOrder(size_t most_tiles) {
    places_.reserve(most_tiles);
    numbers_.reserve(most_tiles);
  }

  // `tiles` are borrowed, for tile().
  void set(std::span<const TileToEncode> tiles) {
    std::array<size_t, kAttempts> next{};  // the place of the next tile with each attempt
    for (const TileToEncode& tile : tiles)
      for (size_t rank = rank_of(tile) + 1; rank < kAttempts; ++rank) ++next[rank];
    first_both_ = next[1];
    first_transform_only_ = next[2];
    tiles_ = tiles;
    numbers_.resize(tiles.size());
    places_.clear();
    for (size_t i = 0; i < tiles.size(); ++i) {
      places_.push_back(next[rank_of(tiles[i])]++);
      numbers_[places_.back()] = i;
    }
  }

  size_t size() const { return numbers_.size(); }
  const TileToEncode& tile(size_t place) const { return tiles_[numbers_[place]]; }
  // The place of the tile that was number `i` in set().
  size_t place(size_t i) const { return places_[i]; }
  // The first so many tiles are coded by blocks.
  size_t with_blocks() const { return first_transform_only_; }
  // From this tile on they are coded by transform coding.
  size_t first_transform() const { return first_both_; }
  size_t with_transform() const { return size() - first_both_; }

 private:
  static constexpr size_t kAttempts = 3;
  static size_t rank_of(const TileToEncode& tile) {
    switch (tile.attempt) {
      case CodingAttempt::blocks: return 0;
      case CodingAttempt::both: return 1;
      case CodingAttempt::transform: return 2;
    }
    return 0;
  }

  std::span<const TileToEncode> tiles_;
  std::vector<size_t> places_, numbers_;
  size_t first_both_ = 0, first_transform_only_ = 0;
};

}  // namespace texcast::compact
