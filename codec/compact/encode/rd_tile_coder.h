// rd_tile_coder.h — the slices of a lossy tile: from the backend, if the whole tile fits into one, or by CPU. Compares
// both while the self-check runs.
#pragma once

#include "backend_session.h"
#include "coded_tiles.h"
#include "compact/rans.h"
#include "frame_state.h"
#include "rd_slice_encoder.h"
#include "rd_tiles.h"

namespace texcast::compact {

// Used by one thread at a time.
struct RdEncoder {
  RdSliceEncoder slice;
  SymbolList joined;  // reused memory
};

class RdTileCoder final : public SliceCoder {
 public:
  struct Context {
    const FrameState& state;
    RdTiles& tiles;
    BackendSession& session;
    RdSource source;  // what the CPU approximates
  };
  // `symbols` receives those of a tile that the CPU codes in one slice.
  RdTileCoder(const Context& context, RdEncoder& encoder, SymbolList& symbols)
      : with_(context), encoder_(encoder), symbols_(symbols) {}

  Bytes encode(const Slice& slice, const Reference& reference, MutableBytes memory) override;
  void use_raw(const Slice& slice) override;

 private:
  Bytes take_from_backend(const Slice& slice, const Reference& reference);
  Bytes encode_by_cpu(const Slice& slice, const Reference& reference, MutableBytes memory);
  void compare(const Slice& slice, Bytes by_cpu);

  const Context with_;
  RdEncoder& encoder_;
  SymbolList& symbols_;
};

}  // namespace texcast::compact
