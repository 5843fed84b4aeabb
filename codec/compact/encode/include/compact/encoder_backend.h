// encoder_backend.h — a device that finds motion and codes tiles in place of the CPU. FrameEncoder decides which tiles
// are coded, and packs them into slices. A backend returns the bytes that the CPU would, whatever the device
// (codec/compact/opencl).
//
// A backend of a stream with transform slices keeps the reference frame's samples too (sample_planes.h): those of
// transform tiles as they are before the fit, and those of all other tiles as their blocks decode to.
//
// Calls: start() once; then for each frame begin(), find_candidates(), complexity() if there is rate control, any
// number of pairs encode() and wait(), and end(). Every call may throw Error. The encoder then continues by CPU, and
// does not call the backend again.
//
// Not thread-safe. All lists of tiles are ascending. Spans that a call returns are valid until the next frame; spans
// that it receives are valid at least until it returns.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "base/bytes.h"
#include "base/workers.h"
#include "compact/adaptive_quantisation.h"
#include "compact/coding_attempt.h"
#include "compact/complexity.h"
#include "compact/content.h"
#include "compact/motion_candidates.h"
#include "compact/rd_parameters.h"
#include "compact/tile_grid.h"
#include "texcast/frame.h"

namespace texcast::compact {

// The 4 x 4 texels that lossy coding of a sub-block approximates.
using SubBlockTexels = std::array<uint8_t, 16>;

// The state that an encoder keeps from one frame to the next. Empty spans: there was no frame yet.
struct EncoderState {
  Bytes reference{};                   // reconstruction of the previous frame
  std::span<const uint8_t> samples{};  // of it, in the layout of SamplePlanes; empty: there are no transform slices
  std::array<std::span<const uint32_t>, kMostComponents> sub_blocks{};  // lossless: SubBlockIndex of each component
  std::span<const TileVectors> vectors{};                               // lossless: of each tile, in pixels
  // Lossy streams. Planes have a byte for each texel of the first component.
  Bytes previous_source{};                           // the previous texture as the block encoder made it
  std::span<const uint8_t> source_plane{};           // luma drawn last
  std::span<const uint8_t> previous_plane{};         // luma of the previous frame's source
  std::span<const int16_t> source_chroma{};          // 2 Co and 4 Cg of the pixels drawn last; empty: blocks were drawn
  std::span<const uint32_t> window_index_entries{};  // WindowIndex
};

struct BackendFrame {
  Bytes texture{};  // from the block encoder; valid until end()
  // Reconstruction of the previous frame; empty: every tile is intra. Lossless: its bytes are valid until encode()
  // returns, as a leading backend's frame is kept while the device codes.
  Bytes reference{};
  size_t most_slice_bytes = 0;           // a coded slice is also shorter than a raw one
  std::span<const uint32_t> compared{};  // tiles that may differ from the previous texture
  SearchEffort effort{};                 // lossy: the same for all tiles
  const FrameView* picture = nullptr;    // lossy: that of find_candidates(), valid until encode() returns
};

// How a tile differs from the previous texture: kChanged if anything does, and a bit for each partition of the first
// component (lossy streams only).
using TileDifference = uint32_t;
inline constexpr TileDifference kChanged = 1u << 8;

struct TileToEncode {
  uint32_t tile = 0;
  bool intra = false;
  // Lossy streams only.
  CodingAttempt attempt{};
  Content expected{};          // selects the tables of block coding
  bool adapts_lambda = false;  // its partitions get weights of lambda (adaptive_quantisation.h); not those of screens
  RdParameters parameters{};
  uint8_t changed_partitions = 0;  // a bit for each
  MotionVector own{};              // the tile's best motion candidate, in pixels
  TileVectors previous_vectors{};  // in half pixels
};

// A slice that a backend coded. Empty bytes: it has no room.
struct BackendSlice {
  Bytes bytes{};
  std::span<const uint32_t> referenced{};  // tiles of the reference frame from which sub-blocks are copied by hash
  bool references_more = false;            // than `referenced` lists
};

struct EncodedTile {
  TileVectors vectors{};  // lossless: in pixels; lossy: in half pixels
  // [n] has the tile in 2^n slices. Lossless: [n + 1] exists if [n] has no room and would be too long raw. Lossy: only
  // [0].
  std::array<std::span<const BackendSlice>, 4> slices{};
  // Lossy streams only.
  LambdaWeights lambda_weights{};
  Content content{};        // of the coding that was kept: transform, or the class whose tables need the fewest bits
  Content block_content{};  // of block coding, if it was tried
  // Transform slices only: vectors of macroblocks in quarter pixels, four in a row, and a bit for each one that is
  // intra.
  TileVectors macroblock_vectors{};
  uint8_t intra_macroblocks = 0;
  // Symbols as context << 4 | symbol in coding order, and the end of each component's; those of transform slices as in
  // transform_symbols.h, with one end. Empty: they have no room, and the encoder codes the tile itself.
  std::span<const uint16_t> symbols{};
  std::array<uint32_t, kMostComponents> ends{};

  Bytes bytes() const { return slices[0].empty() ? Bytes{} : slices[0][0].bytes; }
};

struct EncodedBatch {
  std::span<const EncodedTile> tiles;  // in the order in which encode() was given them; until the next encode()
  // Lossy: the texture with all tiles encoded so far in this frame. The encoder may change it: it writes the tiles that
  // it codes itself.
  MutableBytes reconstruction{};
};

// The result of a frame. Valid until the next one.
struct FrameOutcome {
  std::span<const uint32_t> coded{};    // tiles that were sent
  std::span<const uint32_t> recoded{};  // those of `coded` that the CPU coded in another way than the backend
  std::span<const uint32_t> redrawn{};  // lossy: those of `coded` whose source changed
  Bytes reference{};                    // lossy: the texture to which the next frame will refer
  // The frame's samples in the layout of SamplePlanes, if there may be transform slices. Only those of the tiles in
  // `recoded` are valid; the backend has the others.
  std::span<const uint8_t> samples{};
};

class EncoderBackend {
 public:
  virtual ~EncoderBackend() = default;
  // `workers` are the encoder's threads. They copy memory for the device.
  virtual void start(const EncoderState& state, Workers& workers) = 0;
  // Waits for the difference of each tile. Tiles that are not compared have none.
  virtual std::span<const TileDifference> begin(const BackendFrame& frame) = 0;
  // Waits for the motion candidates of the changed tiles, in pixels (lossy) or sub-blocks (lossless). Lossy streams are
  // drawn first: the tiles `drawn` of `picture`, or of the texture if it is null.
  virtual std::span<const MotionCandidates> find_candidates(const FrameView* picture, std::span<const uint32_t> drawn,
                                                            std::span<const uint32_t> changed) = 0;
  // Waits for the complexity of the tiles. `global`: motion vectors of the frame in pixels, four at most.
  virtual std::span<const TileComplexity> complexity(std::span<const TileToMeasure> tiles,
                                                     std::span<const MotionVector> global) = 0;
  // Starts coding the tiles.
  virtual void encode(std::span<const TileToEncode> tiles, std::span<const MotionVector> global) = 0;
  // Waits for the tiles of the latest encode().
  virtual EncodedBatch wait() = 0;
  // Waits for the texels that the tiles encoded so far approximate, at the positions of their sub-blocks. Rarely
  // needed.
  virtual std::span<const SubBlockTexels> texels() = 0;
  // Waits for the samples of the transform slices of the tiles encoded so far in this frame, in the layout of
  // SamplePlanes. Called after wait(), while the self-check runs. Empty: they are not compared.
  virtual std::span<const uint8_t> samples() { return {}; }
  // Waits for the samples of the reference frame, in the layout of SamplePlanes. Rarely needed, after wait(): by the
  // CPU for inter sub-slices, as it does not keep samples while a backend leads. Only for streams with transform
  // slices. Empty: sub-slices are coded by blocks.
  virtual std::span<const uint8_t> reference_samples() { return {}; }
  // The frame's reconstruction becomes the reference.
  virtual void end(const FrameOutcome& outcome) = 0;
};

}  // namespace texcast::compact
