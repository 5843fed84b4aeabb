// frame_encoder.h — encodes the textures of a stream as slices: only the tiles that changed since the previous frame,
// lossless or lossy.
//
//     compact::FrameEncoder encoder(desc, {}, workers);
//     for each frame: for (const compact::CodedSlice& slice : encoder.encode({.texture = blocks})) …
//
// Tiles without a slice are unchanged since the previous frame. Each slice can be decoded by itself (frame_decoder.h).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/workers.h"
#include "compact/coded_slice.h"
#include "compact/encoder_backend.h"
#include "compact/rate_control.h"
#include "compact/rd_parameters.h"
#include "compact/self_check.h"
#include "compact/tile_grid.h"
#include "texcast/frame.h"

namespace texcast::compact {

struct FrameEncoderSettings {
  size_t most_slice_bytes = 1024;  // at least 384; a longer slice is split into sub-slices
  bool lossy = false;
  SearchEffort effort{};  // lossy: used while there is time
  // Lossy: tiles of films become transform slices, which decoders before kTransformVersion do not know. Only for
  // formats that TileGrid::can_transform().
  bool transform = false;
  // The largest number of batches per frame. Without rate control a lossy backend encodes all tiles in one.
  int batches = 8;
};

// Spans, pictures and functions stay valid until the frame is encoded. Lists of flags have a byte for each tile, and
// may be empty: then no flag is known or set.
struct FrameToEncode {
  Bytes texture;
  std::span<const uint8_t> changed{};  // 0: the tile is as in the previous texture
  std::span<const uint8_t> intra{};    // not 0: the tile is to be intra; in the first frame all are
  std::span<const uint8_t> wrong{};    // not 0: receivers may have the tile wrong, and nothing may reference it
  uint32_t refreshed = 0;              // the first so many tiles may only reference each other
  uint32_t most_due = UINT32_MAX;      // lossless: if more tiles are dirty, all are sent raw, without motion search
  // The time that is left, in seconds. It is called often, on any of the threads. When no time is left, the remaining
  // tiles are sent raw (lossless) or deferred (lossy). Lossy tiles are also searched with less effort when time is
  // short. Empty: there is no limit.
  std::function<double()> seconds_left{};
  // Set for lossy streams, and only for these.
  std::optional<RdParameters> target{};
  // Lossy: sets the RD parameters instead of `target`, and defers tiles for which it has no bits, even intra ones. May
  // be nullptr.
  RateControl* rate = nullptr;
  // Lossy: the picture that is approximated. nullptr: what the texture decodes to.
  const FrameView* picture = nullptr;
};

struct EncodedCounts {
  uint32_t skipped = 0, inter = 0, intra = 0, plain = 0;  // tiles
  uint32_t transform = 0;                                 // of the inter and intra tiles, in transform slices
  uint32_t late = 0;                                      // tiles that changed and are deferred to a later frame
};

struct CodingTraining;  // lossless_slice_encoder.h: for tools/train

// Not thread-safe. Returns the same bytes with any number of workers if there is enough time. Allocates in the first
// frame only.
class FrameEncoder {
 public:
  // `workers` share a frame's tiles, and must outlive this.
  FrameEncoder(const TextureDesc& texture, const FrameEncoderSettings& settings, Workers& workers);
  FrameEncoder(const TextureDesc& texture, const FrameEncoderSettings& settings, Workers& workers,
               const CodingTraining& training);
  ~FrameEncoder();
  const TileGrid& grid() const;
  // The slices are valid until the next frame.
  std::span<const CodedSlice> encode(const FrameToEncode& frame);
  // The same in batches from the top of the picture, so that the first can be sent while the rest is coded. A batch may
  // be empty.
  //     for (encoder.begin(frame); encoder.more();) use(encoder.next());
  //     encoder.end();  // all slices
  void begin(const FrameToEncode& frame);
  bool more() const;
  std::span<const CodedSlice> next();
  std::span<const CodedSlice> end();
  // The texture that decoders have after the latest frame. Valid until the next one.
  Bytes reconstruction() const;
  // The next frame is coded like the first.
  void forget();
  EncodedCounts counts() const;  // of the latest frame
  // Lossy: whether the next frame codes something even if nothing changes, because tiles were deferred or their quality
  // still ramps up.
  bool is_waiting() const;
  // Once, before the first frame or between two: from the next frame on `backend`, which was made for the same grid,
  // does what the CPU did, and the bytes are the same. It leads after `check` only. If it fails, now or later, this is
  // logged and the CPU goes on, if need be with a frame that is all intra.
  void use_backend(std::unique_ptr<EncoderBackend> backend, const SelfCheckSettings& check = {});
  // Whether the CPU codes too, because a backend is still being checked.
  bool is_checking() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace texcast::compact
