// frame_decoder.h — decodes the payloads of a frame into a texture, and tells which of its tiles are correct. Any of
// the payloads may be missing.
//
// A tile is right if it is byte for byte the encoder's. It is wrong if its payload is missing, if it was coded with
// reference to wrong tiles, and as long as it is skipped after that. A missing payload may have skipped the tile, which
// is right then: the tile is unsure until a later frame says what that payload changed (ChangeHistory). A tile that is
// not right shows the previous frame's blocks, or the nearest substitute.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "base/bytes.h"
#include "base/workers.h"
#include "compact/received_slice.h"
#include "compact/reconstruction_backend.h"
#include "compact/tile_grid.h"
#include "formats/row_changes.h"

namespace texcast::compact {

struct DecodedCounts {
  // Tiles, as the payloads say: skipped, inter, intra and raw.
  uint32_t passed = 0, inter = 0, intra = 0, plain = 0;
  uint32_t lossy = 0;      // of those, in lossy slices
  uint32_t transform = 0;  // of those, in transform slices
  uint32_t concealed = 0;  // tiles that no payload mentions
  uint32_t wrong = 0;      // tiles that are neither right nor unsure after the frame
  uint32_t unsure = 0;     // tiles that the next frame may resolve
  uint32_t repaired = 0;   // tiles that were not right and now are
  uint32_t damaged = 0;    // invalid payloads and slices
  uint32_t disagreed = 0;  // payloads whose check failed: their tiles do not count as right
  // About the bytes of the texture that the payloads made the decoder write; plus the whole texture if it was cleared,
  // or copied to memory that had none of it.
  size_t work = 0;
};

// Not thread-safe. Payloads may be anything. The texture is the same whatever the number of workers. The time is
// bounded by the texture's size. Only the first frame allocates, and the first one with transform slices.
class FrameDecoder {
 public:
  // `workers` share a frame's slices, and must outlive this.
  FrameDecoder(const TextureDesc& texture, Workers& workers);
  ~FrameDecoder();
  const TileGrid& grid() const;
  // Decodes a frame. An empty payload is a missing one.
  // `reference`: the texture that decode() wrote last, unchanged; nullptr for the first frame.
  // `texture`: other memory, which is written completely.
  // `frames_missing`: the number of lost frames between the reference and this frame. If this frame's history says what
  // they changed, the other tiles are still right.
  // `held`: `texture` holds this decoder's texture of that number (RowChanges), unchanged, so that only later changes
  // are written; 0: it holds anything.
  DecodedCounts decode(std::span<const Bytes> payloads, const std::byte* reference, MutableBytes texture,
                       uint64_t frames_missing = 0, uint64_t held = 0);
  // decode() in three steps, for a caller that has a part of the slices decoded elsewhere. begin() takes the arguments
  // of decode(), which must stay valid and unchanged until finish(). Then each slice that is not from the backend is
  // decoded once, here by decode_slices(), which decodes them all, or by the caller, with surroundings(), into
  // `texture` and the slice's outcome; until then `texture` has the reference frame's sub-blocks there, or 0. The other
  // functions may not be called in between.
  void begin(std::span<const Bytes> payloads, const std::byte* reference, MutableBytes texture,
             uint64_t frames_missing = 0, uint64_t held = 0);
  std::span<ReceivedSlice> slices();
  SliceSurroundings surroundings() const;
  void decode_slices();
  DecodedCounts finish();
  // The backend decodes lossy slices from the next frame on. The grid must have planes of channels only.
  // `self_check_slices`: the CPU decodes too until that many of the backend's slices match its own; the backend's are
  // not used before. If the backend fails, or one slice differs, the CPU goes on alone, also with the current frame.
  // `least_tiles`: the CPU decodes frames whose lossy slices have fewer tiles, unless only the backend has samples that
  // they may need. If it fails, tiles with such samples are wrong.
  void use_backend(std::unique_ptr<ReconstructionBackend> backend, uint32_t self_check_slices = 0,
                   uint32_t least_tiles = 0);
  // A byte for each tile after the latest frame: 1 if it is right.
  std::span<const uint8_t> right() const;
  // A byte for each tile: not 0 if it is unsure. It is not right then.
  std::span<const uint8_t> unsure() const;
  // The rows of tiles whose bytes the latest frame changed, right or not. A decoder's textures are one sequence. A
  // texture without a reference has changed everywhere. Valid until the next decode().
  RowChanges changes() const;
  // Copies the samples of the frame that was decoded last (sample_planes.h), in the layout of SampleLayout, to
  // `samples`, which has that size. `texture`: what decode() wrote last, unchanged. Not between begin() and finish().
  // The grid must be one that can_transform(). False: they are lost, because the backend that has them failed; the next
  // frame shows which tiles are wrong for this reason.
  [[nodiscard]] bool read_samples(const std::byte* texture, std::span<uint8_t> samples);
  // The same of the samples of the reference frame, which surroundings() has between begin() and finish().
  RowChanges sample_changes() const;
  // Makes all tiles, or a row of tiles, wrong.
  void lose();
  void lose_row(int row);
  // Whether all tiles of a row are right and none is unsure.
  bool is_right(int row) const;
  // The sum over the slices that coded the row's tiles last (tile_sums.h).
  uint32_t sum(int row) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace texcast::compact
