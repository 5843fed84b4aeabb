// lossy_backend.h — who may do a lossy stream's encoding instead of the encoder's own threads: find what changed, look
// for where it came from, choose half-blocks and code the units of whole tiles. A GPU, whose kernels do all alike
// (codec/compact/opencl). The encoder says which tiles are due, joins units to runs and cuts long ones.
//
// Once start(). Of a frame begin(), draw(); where bits are handed out, details(); then, batch by batch, choose() and
// chosen(). All may throw Error: the encoder goes on without the chooser then.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/workers.h"
#include "compact/adaptive_quantisation.h"
#include "compact/complexity.h"
#include "compact/content.h"
#include "compact/motion_candidates.h"
#include "compact/rd_parameters.h"
#include "compact/tile_grid.h"
#include "texcast/frame.h"
#include "texcast/frame_times.h"

namespace texcast::compact {

// The texels that a half-block is to come near to.
using SubBlockTexels = std::array<uint8_t, 16>;

// What choices in a component hang on.
struct RdCosts {
  int weight = 0;                                                  // of squared differences
  std::array<int, 12> least_range{};                               // between fitted end points, by quantiser
  std::array<std::span<const uint16_t>, kContents> costs{};        // by context * 16 + symbol, in 1/32 bits
  std::array<std::span<const uint16_t>, kContents> least_costs{};  // by context
};
RdCosts rd_costs(const TileGrid& grid, int component);

// An encoder's knowledge between two frames. Planes have a byte a texel of the first component; nothing in them and in
// textures where there is no frame yet.
struct LossyBackendState {
  Bytes before{};                       // as decoders have the frame before
  Bytes given{};                        // as it was given
  std::span<const uint8_t> drawn{};     // what was drawn last
  std::span<const uint8_t> of_given{};  // the same of the frame before as it was given
  std::span<const int16_t> colours{};   // 2 Co and 4 Cg of what was drawn; none: there was no picture
  std::span<const uint32_t> windows{};  // by bucket: number of the upper left pixel and 1
};

// All lists of tiles are ascending.
struct LossyBackendFrame {
  Bytes texture{};                             // as the block encoder made it; valid until the last batch is chosen
  Bytes before{};                              // as decoders have the frame before; empty: there is none
  size_t most_slice_bytes = 0;                 // of a unit, which is also to be shorter than plain
  std::span<const uint32_t> compared{};        // tiles of `texture` that may be others than were given before
  std::span<const uint32_t> told{};            // tiles of `before` that the frame before told something of
  std::span<const uint32_t> told_otherwise{};  // of these the ones that are not as they were chosen
  std::span<const uint32_t> given{};           // of the told ones those that were drawn for it
  SearchEffort effort{};                       // the same for all
};
// What of a tile differs from what was given before: whether anything does, and a bit for each area of the first
// component.
using TileDifference = uint32_t;
inline constexpr TileDifference kChanged = 1u << 8;

struct TileToEncode {
  uint32_t tile = 0;
  bool intra = false;  // nothing of the frame before counts
  Content expected{};  // whose tables
  RdParameters target{};
  uint8_t changed_areas = 0;  // a bit each
  MotionVector own{};         // what the tile voted for, in pixels
  TileVectors field{};        // of the frame before, in halves of a pixel
};

// What was found and chosen for a tile.
struct EncodedTile {
  TileVectors vectors{};  // in halves of a pixel
  LambdaWeights lambda_weights{};
  Content content{};  // whose tables its symbols take least with
  // In the order of its unit: context << 4 | symbol; of each component where they end. None: there was no room for
  // them, and the encoder is to choose itself.
  std::span<const uint16_t> symbols{};
  std::array<uint32_t, kMostComponents> ends{};
  Bytes bytes{};  // of the unit that has them all; none: there is no room
};

struct EncodedBatch {
  std::span<const EncodedTile> tiles;  // in the order in which they were asked for; until the next batch is
  Bytes texture;                       // as decoders will have it: the tiles of all batches chosen so far
};

// What one has to show before it is believed: that so many of its units are the threads'; with a clock, that in frames
// of which much is due it is no slower than they are, as a small GPU beside a large processor may be.
struct SelfCheckSettings {
  uint32_t slices = 0;
  std::function<SteadyTime()> clock{};
};

// Not thread-safe. What is given is valid until the next frame.
class LossyBackend {
 public:
  virtual ~LossyBackend() = default;
  // `workers` are the encoder's: they copy what goes to the device.
  virtual void start(const LossyBackendState& state, Workers& workers) = 0;
  // Waits for what differs, by tile; of those that were not compared nothing does.
  virtual std::span<const TileDifference> begin(const LossyBackendFrame& frame) = 0;
  // Draws tiles of the picture (null: what their blocks decode to), and waits for what those that changed vote for, in
  // pixels, one after the other.
  virtual std::span<const MotionCandidates> draw(const FrameView* picture, std::span<const uint32_t> drawn,
                                                 std::span<const uint32_t> changed) = 0;
  // Waits. `votes`: of the frame, in pixels, four at most.
  virtual std::span<const TileComplexity> details(std::span<const TileToMeasure> tiles,
                                                  std::span<const MotionVector> votes) = 0;
  // Starts with them.
  virtual void choose(std::span<const TileToEncode> tiles, std::span<const MotionVector> votes) = 0;
  // Waits for them.
  virtual EncodedBatch chosen() = 0;
  // Waits: in the places of half-blocks what those of the tiles chosen so far were to come near to. Seldom asked for.
  virtual std::span<const SubBlockTexels> texels() = 0;
};

}  // namespace texcast::compact
