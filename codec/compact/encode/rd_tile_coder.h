// rd_tile_coder.h — the slices of a lossy tile: from the backend, if the whole tile fits into one, or by CPU. Compares
// both while the self-check runs.
#pragma once

#include <vector>

#include "backend_session.h"
#include "coded_tiles.h"
#include "compact/rans.h"
#include "frame_state.h"
#include "rd_slice_encoder.h"
#include "rd_tiles.h"
#include "transform_slice_encoder.h"

namespace texcast::compact {

// Used by one thread at a time.
struct RdEncoder {
  RdSliceEncoder slice;
  SymbolList joined{};  // reused memory
  TransformSliceEncoder transform{};
  std::vector<std::byte> bytes{}, sub_blocks{};  // reused memory: of a slice that block coding made
};

// The symbols of a tile that a backend encoded. `transform_quantiser`: of a transform slice.
void list_symbols(const RdEncoder& encoder, const TileGrid& grid, const EncodedTile& encoded, int transform_quantiser,
                  SymbolList& symbols);

// Puts the same symbols before those in `writer`, but the first `from` of them.
void write_symbols(RdEncoder& encoder, const TileGrid& grid, const EncodedTile& encoded, int transform_quantiser,
                   size_t from, RansWriter& writer);

class RdTileCoder final : public SliceCoder {
 public:
  struct Context {
    const FrameState& state;
    RdTiles& tiles;
    BackendSession& session;
    RdSource source;            // what the CPU approximates
    std::byte* reconstruction;  // the texture that decoders will have
  };
  // `symbols` receives those of a tile that the CPU codes in one slice.
  RdTileCoder(const Context& context, RdEncoder& encoder, SymbolList& symbols)
      : with_(context), encoder_(encoder), symbols_(symbols) {}

  Bytes encode(const Slice& slice, const Reference& reference, MutableBytes memory) override;
  void use_raw(const Slice& slice) override;

 private:
  Bytes take_from_backend(const Slice& slice, const Reference& reference);
  Bytes encode_by_cpu(const Slice& slice, const Reference& reference, MutableBytes memory);
  Bytes encode_blocks(const Slice& slice, const Reference& reference, MutableBytes memory);
  Bytes encode_transform(const Slice& slice, const Reference& reference, MutableBytes memory);
  Bytes encode_both(const Slice& slice, const Reference& reference, MutableBytes memory);
  void set_of_blocks(const Slice& slice, bool are_of_blocks);
  int64_t score(const Slice& slice, const Reference& reference, size_t bytes) const;
  void keep_choice(const Slice& slice, const Reference& reference, Bytes bytes);
  void compare(const Slice& slice, const Reference& reference, Bytes by_cpu);
  bool has_same_samples(uint32_t tile) const;
  const SymbolList& symbols_of_cpu(uint32_t tile) const;

  const Context with_;
  RdEncoder& encoder_;
  SymbolList& symbols_;
};

}  // namespace texcast::compact
