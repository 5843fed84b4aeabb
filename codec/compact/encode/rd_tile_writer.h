// rd_tile_writer.h — codes tiles into slices, after the mode decision of a backend or with that of the CPU.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "backend_session.h"
#include "coded_tiles.h"
#include "frame_state.h"
#include "rd_analysis.h"
#include "rd_rate_plan.h"
#include "rd_tile_coder.h"
#include "rd_tiles.h"
#include "scheduler.h"
#include "slice_encoder_pool.h"
#include "slice_joiner.h"
#include "transform_reference.h"

namespace texcast::compact {

class RdTileWriter {
 public:
  using Encoders = SliceEncoderPool<RdEncoder>;
  // Shared by the parts of a lossy encoder.
  struct Context {
    FrameState& state;
    Scheduler& scheduler;
    CodedTiles& tiles;
    RdTiles& rd;
    const RdAnalysis& analysis;
    BackendSession& session;
    const std::optional<TransformReference>& planes;
    const std::optional<FilmSource>& film;
  };
  RdTileWriter(const Context& context, const CodingTraining* training);
  Encoders& encoders() { return encoders_; }

  // Codes a tile whose RD parameters and vectors are known. Different threads may code different tiles.
  void write(uint32_t tile, RdEncoder& encoder);
  // Call it after all tiles of a batch that a backend decided. Codes those for which its symbols are not sufficient.
  void write_with_texels(std::span<const uint32_t> tiles);
  // Joins slices of a row of tiles. `rate_plan`: nullptr without rate control. Different threads may join different
  // rows.
  void join_row(size_t row, const RdRatePlan* rate_plan);
  // The texture that decoders will have. Its memory is the backend's if it leads, which spares a copy.
  std::byte* reconstruction() const {
    return with_.session.leads() ? with_.session.reconstruction() : with_.rd.reconstruction.data();
  }

 private:
  void pack(uint32_t tile, RdEncoder& encoder);
  void keep_vectors(uint32_t tile, const RdEncoder& encoder);
  // Writes the slice of these tiles to the end of `memory`. Returns its bytes; 0: there is not enough room.
  size_t write_joined(uint32_t first, uint32_t last, RdEncoder& encoder, MutableBytes memory);
  const SamplePlanes* reference_samples() const;
  void fetch_reference_samples();

  const Context with_;
  Encoders encoders_;
  SliceJoiner joiner_;
  std::vector<uint32_t> without_texels_;
  std::optional<SamplePlanes> fetched_;  // samples of the reference frame, from the backend
  bool are_fetched_ = false;             // for the batch
};

}  // namespace texcast::compact
