// frame_encoder.h — a texture to the units that tell how it differs from the one before.
//
//     compact::FrameEncoder encoder(desc, workers);
//     for each frame: for (const compact::CodedSlice& unit : encoder.encode({.texture = blocks})) …
//
// Units that are not given are as they were. Each can be decoded by itself (frame_decoder.h).
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
#include "compact/lossless_backend.h"
#include "compact/lossy_backend.h"
#include "compact/rate_control.h"
#include "compact/rd_parameters.h"
#include "compact/tile_grid.h"
#include "texcast/frame.h"

namespace texcast::compact {

struct FrameEncoderSettings {
  size_t most_slice_bytes = 1024;  // 384 at least: larger ones are cut into strips
  bool lossy = false;              // blocks are replaced by others that come near and take fewer bits
  SearchEffort effort{};           // of lossy streams, where there is time
  // Parts in which a frame leaves, at most. A device chooses all tiles at once, but at a rate, where what is coded
  // hangs on the parts: there it wants few.
  int batches = 8;
};

struct FrameToEncode {
  Bytes texture;
  // A byte a tile: 0 where its bytes are those of the frame before. Empty: not known.
  std::span<const uint8_t> changed{};
  // A byte a tile: not 0 where it must not need the frame before. Empty: none; the first frame's all are.
  std::span<const uint8_t> intra{};
  // A byte a tile: not 0 where receivers may have the frame before wrong, so that nothing is to be coded against it.
  // Empty: none.
  std::span<const uint8_t> wrong{};
  // Of the first so many tiles none is coded against others than these.
  uint32_t refreshed = 0;
  // Where more tiles than these are due, all go plain, and how they moved is not looked for.
  uint32_t most_due = UINT32_MAX;
  // How much time there is, asked again and again, on any of the threads: once there is none, what is left goes plain.
  // Lossy streams are coded less carefully where it is short; what is left then is left for the next frame. Empty:
  // there is time.
  std::function<double()> seconds_left{};
  std::optional<RdParameters> target{};  // of lossy streams, and only of them
  // Of lossy streams: how many bytes there are. It says how coarse the frame is, and which tiles have room; what has
  // none is left for the next frame, what must be alone too. Null: all of it has, by `target`.
  RateControl* rate = nullptr;
  // What the texture was made of: lossy streams come near to it. Null: to the texture.
  const FrameView* picture = nullptr;
};

struct EncodedCounts {
  uint32_t skipped = 0, inter = 0, intra = 0, plain = 0;  // tiles
  uint32_t late = 0;                                      // that changed and are left for the next frame
};

struct CodingTraining;  // lossless_slice_encoder.h: for tools/train

// Not thread-safe. The same bytes whatever the number of workers, where there is time. Allocates for its first frame
// alone.
class FrameEncoder {
 public:
  // `workers` share a frame's tiles, and must outlive this.
  FrameEncoder(const TextureDesc& texture, const FrameEncoderSettings& settings, Workers& workers);
  FrameEncoder(const TextureDesc& texture, const FrameEncoderSettings& settings, Workers& workers,
               const CodingTraining& training);
  ~FrameEncoder();
  const TileGrid& grid() const;
  // Valid until the next frame, as `frame` has to be while it is encoded.
  std::span<const CodedSlice> encode(const FrameToEncode& frame);
  // The same in batches, from the top of the picture, so that the first can leave while the rest is coded; there may be
  // nothing in one:
  //     for (encoder.begin(frame); encoder.more();) use(encoder.next());
  //     encoder.end();  // all of them
  void begin(const FrameToEncode& frame);
  bool more() const;
  std::span<const CodedSlice> next();
  std::span<const CodedSlice> end();
  // The next frame is coded as the first one.
  void forget();
  EncodedCounts counts() const;  // of the frame encoded last
  // Of lossy streams: whether the next frame tells something even if nothing changes, because there was no time for it
  // or it gets better.
  bool is_waiting() const;
  // Once. From the next frame on `decider`, made for the same grid, chooses what the workers chose before: the bytes
  // are the same. Where it fails, now or later, the log tells, and the workers go on; later with a frame that needs
  // none before it. `self_check_slices`: the workers go on until so many units of its are theirs; it is not believed
  // before, nor any more where one is not.
  void use_backend(std::unique_ptr<LosslessBackend> decider, uint32_t self_check_slices = 0);
  // The same of a lossy stream's half-blocks, before the first frame or between two: what moved from where the threads
  // look for still, and they write the units.
  void use_backend(std::unique_ptr<LossyBackend> chooser, const SelfCheckSettings& proof = {});

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace texcast::compact
