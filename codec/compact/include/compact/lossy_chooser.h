// lossy_chooser.h — who may choose a lossy stream's half-blocks instead of the encoder's own threads: a GPU, whose
// kernel chooses alike (codec/compact_cl). The encoder says which tiles are due and where their areas moved from, and
// writes the units from what it is given.
//
// Of a frame begin(); then, batch by batch, choose() and, in the same order, chosen(): the device chooses one while
// threads search for the next one's vectors and write the one before. All may throw Error: the encoder goes on without
// the chooser then.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "base/bytes.h"
#include "compact/lossy.h"
#include "compact/mode_decider.h"
#include "compact/tile_grid.h"

namespace texcast::compact {

// Of an area of a lossy unit how much a bit is worth, in 16ths of lambda: 16 to 32.
using LambdaParts = std::array<uint8_t, 8>;
inline constexpr uint8_t kWholeLambda = 16;

// What was chosen for a half-block, beside its bytes.
struct ChosenHalf {
  static constexpr int kDifferenceAt = 12, kDifferenceBits = 10;
  uint32_t modes = 0;     // kind, end points' and indices' mode, 4 bits each; then two differences of end points
  uint32_t contexts = 0;  // counted from their groups' first: kind 7 bits, end points 5, neighbours' class 2, indices 9
  std::array<uint32_t, 2> ranks{};  // of texels, 4 bits each
  uint32_t mode(int which) const { return modes >> 4 * which & 15; }
  int difference(int which) const {
    return static_cast<int>(modes << (32 - kDifferenceAt - kDifferenceBits * (which + 1))) >> (32 - kDifferenceBits);
  }
  int context(int at, uint32_t mask) const { return static_cast<int>(contexts >> at & mask); }
  uint8_t rank(int texel) const { return ranks[static_cast<size_t>(texel / 8)] >> texel % 8 * 4 & 15; }
};

struct TileToChoose {
  uint32_t tile = 0;
  bool alone = false;  // nothing of the frame before counts
  Content expected{};  // whose tables
  LossyTarget target{};
  TileVectors vectors{};  // in half pixels
  LambdaParts lambda_parts{};
};

// What choices in a component hang on.
struct LossyPrices {
  int weight = 0;                                                  // of squared differences
  std::array<int, 12> least_range{};                               // between fitted end points, by quantiser
  std::array<std::span<const uint16_t>, kContents> costs{};        // by context * 16 + symbol, in 1/32 bits
  std::array<std::span<const uint16_t>, kContents> least_costs{};  // by context
};
LossyPrices lossy_prices(const TileGrid& grid, int component);

// A frame whose tiles are to be chosen; valid until the last batch is chosen.
struct FrameToChoose {
  Bytes texture;         // as the block encoder made it
  Bytes before;          // as decoders have the frame before; empty: there is none
  LossyEffort effort{};  // the same for all
};

// The texels that a half-block is to come near to.
using HalfTexels = std::array<uint8_t, 16>;

// In the places of half-blocks, of the tiles of the batch alone.
struct ChosenBatch {
  Bytes texture;  // as decoders will have it
  std::span<const ChosenHalf> halves;
};

// Not thread-safe, but for source().
class LossyChooser {
 public:
  virtual ~LossyChooser() = default;
  virtual void begin(const FrameToChoose& frame) = 0;
  // To be filled for the tiles of a batch before it is chosen, in the places of half-blocks.
  virtual std::span<HalfTexels> source() = 0;
  // Starts with it. Each tile once a frame.
  virtual void choose(std::span<const TileToChoose> tiles) = 0;
  // Waits for the earliest batch that was not asked for yet. Valid until the next frame.
  virtual ChosenBatch chosen() = 0;
};

}  // namespace texcast::compact
