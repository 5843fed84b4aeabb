// backend_reconstruction.h — the reconstruction backend from frame to frame: when it is used, its self-check, and its
// failure. While the self-check runs the CPU decodes all slices too, and both results are compared.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/workers.h"
#include "compact/reconstruction_backend.h"
#include "compact/tile_grid.h"
#include "frame_samples.h"
#include "received_frame.h"
#include "texcast/error.h"
#include "texture_rows.h"

namespace texcast::compact {

class BackendReconstruction {
 public:
  BackendReconstruction(const TileGrid& grid, const TextureRows& rows, Workers& workers);
  // As FrameDecoder::use_backend().
  void use(std::unique_ptr<ReconstructionBackend> backend, uint32_t self_check_slices, uint32_t least_tiles);
  bool is_on() const { return backend_ != nullptr; }
  // The backend's copy of the reference frame is outdated in all tiles.
  void forget_reference();

  // Starts to reconstruct the lossy slices. False: the frame is too small for it, or the backend failed; the CPU
  // decodes all slices. `samples`: those of the reference frame.
  bool begin(std::span<const ReceivedSlice> slices, const std::byte* reference, std::span<const uint8_t> right,
             FrameSamples& samples);
  // A byte for each row of tiles: not 0 if finish() writes the whole row.
  std::span<const uint8_t> rows() const { return is_own_row_; }
  // Waits, writes rows() in `texture`, and sets the slices' outcomes. False: the CPU decodes all slices; nothing was
  // written.
  bool finish(std::span<ReceivedSlice> slices, MutableBytes texture);
  // After finish() and the CPU: compares both, while the self-check runs.
  void self_check(std::span<ReceivedSlice> slices, const std::byte* texture);
  // Gives `samples` those that only the backend has. False: the backend failed.
  bool bring(FrameSamples& samples);
  // At the end of a frame: the tiles that the CPU changed are outdated in the backend's copy.
  void note_changes(std::span<const ReceivedSlice> slices, bool has_reference);

 private:
  bool is_checking() const { return slices_to_check_ > 0; }
  bool is_same(const ReceivedSlice& by_cpu, const ReconstructedSlice& by_backend, const std::byte* texture) const;
  // Lists the frame's lossy slices. Returns whether the backend is to reconstruct them.
  bool list_slices(std::span<const ReceivedSlice> slices, bool has_reference, const FrameSamples& samples);
  void list_outdated(const std::byte* reference, FrameSamples& samples);
  template <typename Call>
  bool attempt(const Call& call);
  void retire(const Error& error);

  const TileGrid& grid_;
  const TextureRows& texture_rows_;
  Workers& workers_;
  std::unique_ptr<ReconstructionBackend> backend_;
  uint32_t slices_to_check_ = 0;
  uint32_t least_tiles_ = 0;          // of a frame that the backend is used for
  std::vector<uint8_t> is_outdated_;  // tiles of the backend's copy of the reference frame; empty without a backend
  std::vector<uint32_t> outdated_;    // the same as a list
  std::vector<uint8_t> outdated_parts_;
  std::vector<SliceToReconstruct> to_reconstruct_;
  std::vector<size_t> places_;  // of to_reconstruct_ in the frame's slices
  ReconstructedFrame reconstructed_;
  std::vector<uint8_t> is_own_row_;
  std::vector<uint64_t> row_numbers_;              // is_own_row_ as RowChanges::changed_in
  std::vector<std::pair<size_t, size_t>> pieces_;  // of the texture: first byte and number of bytes
};

}  // namespace texcast::compact
