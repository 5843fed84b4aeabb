// compact_frame.h — compact frames as recordings hold them: a texture as the payloads of codec/compact, in one packet.
// docs/format.md, "Compact frames", has every byte.
//
// Frames need the one before, but for key frames. Bytes only: no file, no FFmpeg.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "base/workers.h"
#include "compact/frame_decoder.h"
#include "compact/frame_encoder.h"
#include "compact/payload.h"
#include "texcast/format.h"

namespace texcast::container {

inline constexpr std::array<char, 4> kCompactTag = {'T', 'X', 'C', 'C'};  // of the track

// What the track says of its frames: format, width, height, and what a reader has to know to read them. Colours and the
// shape of pixels are the container's to say.
std::vector<std::byte> write_compact_setup(const TextureDesc& texture, bool lossy = false);
// Only format, width and height are set. A Failure for what is none, or is of a later version.
Result<TextureDesc> read_compact_setup(Bytes setup);

// The least that a recording of one frame has: a reader takes memory for a whole frame, and believes no more.
size_t least_compact_bytes(const TextureDesc& texture);

// What stands before the payloads.
struct CompactFrameHead {
  bool is_key = false;
  uint32_t check = 0;   // CRC-32 of the packet
  uint32_t before = 0;  // that of the packet before, which it needs; of a key frame 0
};
// A Failure where the packet is not what was written.
Result<CompactFrameHead> check_compact_frame(Bytes packet);

// Not thread-safe. Allocates for its first frames alone.
class CompactFrameWriter {
 public:
  // `workers` share a frame's tiles, and must outlive this. Misuse where the format cannot be cut
  // (compact::TileGrid::can_cut).
  // With a target blocks are replaced by others that take fewer bits (compact/rd_parameters.h), and as much time taken
  // for it.
  CompactFrameWriter(const TextureDesc& texture, Workers& workers,
                     const std::optional<compact::RdParameters>& target = std::nullopt,
                     const compact::SearchEffort& effort = {});
  // With a target: from the next frame on `chooser`, made for the same texture, chooses what threads chose before
  // (compact::FrameEncoder::use_backend).
  void use_backend(std::unique_ptr<compact::EncoderBackend> chooser, const compact::SelfCheckSettings& proof) {
    encoder_.use_backend(std::move(chooser), proof);
  }
  // The packet of the next frame, valid until the next call. The first one is a key frame whatever is asked for.
  // `picture`: what they were made of, for a target.
  Bytes write(Bytes blocks, bool as_key, const FrameView* picture = nullptr);
  // The same of a frame that others have coded: payloads that make it of the one before, each behind its length as
  // LE32. What is written next is a key frame. Not the first one (else misuse).
  Bytes keep(Bytes payloads);
  bool was_key() const { return is_key_; }  // the packet written last

 private:
  Bytes finish(bool is_key);

  const std::optional<compact::RdParameters> target_;
  compact::FrameEncoder encoder_;
  compact::PayloadWriter payloads_;
  uint32_t check_ = 0;  // of the last packet
  bool begun_ = false;
  bool is_behind_ = false;  // the encoder has not seen the frame before
  bool is_key_ = false;
  std::vector<std::byte> packet_;
};

// Not thread-safe. Packets may be anything.
class CompactFrameReader {
 public:
  CompactFrameReader(const TextureDesc& texture, Workers& workers);

  struct Picture {
    bool is_there = false;  // blocks were written: those that are right, elsewhere what comes nearest
    bool is_lossy = false;  // some were told with loss
    std::string damage{};   // why it is not there, or not right everywhere; empty: every block is right
  };
  // The next frame. `before`: the blocks that were written last, as they were written; null: there are none. `blocks`
  // is other memory of the texture's size.
  Picture read(Bytes packet, const std::byte* before, MutableBytes blocks);
  // A frame was lost: until the next key frame, what needs it is damaged.
  void lose();
  // Lossy units are rebuilt by it from the next frame on (compact/frame_decoder.h), proved by the first of them.
  void use_backend(std::unique_ptr<compact::ReconstructionBackend> rebuilder);

 private:
  bool split(Bytes payloads);

  compact::FrameDecoder decoder_;
  std::vector<Bytes> payloads_;
  uint32_t check_ = 0;  // of the last packet, as it says
};

}  // namespace texcast::container
