// compact_frame.h — frames of the coded stream in recordings: one texture as payloads of codec/compact, in one packet.
// docs/format.md defines every byte.
//
// All frames but key frames depend on the previous one. Works on bytes alone: no file, no FFmpeg.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "base/workers.h"
#include "compact/frame_decoder.h"
#include "compact/frame_encoder.h"
#include "compact/key_frame_encoder.h"
#include "compact/payload.h"
#include "texcast/format.h"

namespace texcast::container {

inline constexpr std::array<char, 4> kCompactTag = {'T', 'X', 'C', 'C'};  // codec tag of the track

// Returns the track's codec data: format, width, height, and what a reader needs to decode the frames. Colours and
// pixel aspect are stored by the container.
std::vector<std::byte> write_compact_setup(const TextureDesc& texture, bool lossy = false, bool transform = false);
// Sets only format, width and height. Fails if the bytes are no such setup or are of a later version.
Result<TextureDesc> read_compact_setup(Bytes setup);
// The version of the codec in a setup that read_compact_setup() accepts.
uint8_t compact_setup_version(Bytes setup);

// A lower bound of the size of a recording with one frame. A reader allocates a whole frame, and refuses shorter files
// before it does.
size_t least_compact_bytes(const TextureDesc& texture);

// The header before the payloads.
struct CompactFrameHead {
  bool is_key = false;
  uint32_t check = 0;   // CRC-32 of the packet
  uint32_t before = 0;  // CRC-32 of the previous packet, which this one depends on; 0 in a key frame
};
// Fails if the packet is not as it was written.
Result<CompactFrameHead> check_compact_frame(Bytes packet);
// The packet's payloads as far as their lengths are valid, as views. Returns whether they are valid to the end.
bool split_compact_frame(Bytes packet, std::vector<Bytes>& payloads);
inline constexpr size_t kMostStoredPayloadBytes = 16 << 10;  // that texcast writes

// Not thread-safe. Allocates for its first frames only.
class CompactFrameWriter {
 public:
  // `workers` share a frame's tiles, and must outlive this. The format must be one that can be coded
  // (compact::TileGrid::can_cut), else misuse. With a `target` coding is lossy (compact/rd_parameters.h), `effort`
  // bounds the time that it takes, and tiles may have transform coding.
  CompactFrameWriter(const TextureDesc& texture, Workers& workers,
                     const std::optional<compact::RdParameters>& target = std::nullopt,
                     const compact::SearchEffort& effort = {}, bool transform = false);
  // Only with a target. From the next frame on `backend`, made for the same texture,
  // encodes in place of the CPU (compact::FrameEncoder::use_backend).
  void use_backend(std::unique_ptr<compact::EncoderBackend> backend, const compact::SelfCheckSettings& check) {
    encoder_.use_backend(std::move(backend), check);
  }
  // Returns the packet of the next frame, valid until the next call. The first is a key frame in any case. `picture`:
  // the source of the blocks, for lossy coding.
  Bytes write(Bytes blocks, bool as_key, const FrameView* picture = nullptr);
  // As write(), for a frame that was coded elsewhere: payloads that turn the previous frame into it, each after its
  // length as LE32. The next packet that write() returns is a key frame. Not for the first frame (else misuse).
  Bytes keep(Bytes payloads);
  // As write(), for a key frame that has samples besides blocks (compact/key_frame_encoder.h), which later payloads of
  // keep() may refer to. The format must be one that can have transform coding. The next packet that write() returns is
  // a key frame.
  Bytes write_key(Bytes blocks, std::span<const uint8_t> samples);
  bool was_key() const { return is_key_; }  // of the latest packet
  // The blocks that readers get from the latest packet. Empty if they are those given: without a target, or if they
  // were coded elsewhere. Valid until the next call.
  Bytes reconstruction() const { return target_ && !is_behind_ ? encoder_.reconstruction() : Bytes{}; }

 private:
  void add_payloads(std::span<const Bytes> payloads);
  Bytes finish(bool is_key);

  Workers& workers_;
  const std::optional<compact::RdParameters> target_;
  compact::FrameEncoder encoder_;
  compact::PayloadWriter payloads_;
  std::optional<compact::KeyFrameEncoder> key_encoder_;  // made for the first frame that has samples
  uint32_t check_ = 0;                                   // of the latest packet
  bool begun_ = false;
  bool is_behind_ = false;  // the encoder has not seen the previous frame
  bool is_key_ = false;
  std::vector<std::byte> packet_;
};

// Not thread-safe. Packets may hold any bytes.
class CompactFrameReader {
 public:
  CompactFrameReader(const TextureDesc& texture, Workers& workers);

  struct Picture {
    bool is_there = false;  // blocks were written: the correct ones, and elsewhere the closest substitute
    bool is_lossy = false;  // some were coded lossy
    // Why there is no picture, or why it is not correct everywhere; empty: every block is correct.
    std::string damage{};
  };
  // Reads the next frame. `before`: the blocks that were written last, unmodified; null if there are none. `blocks` is
  // other memory of the texture's size.
  Picture read(Bytes packet, const std::byte* before, MutableBytes blocks);
  // A frame was lost. Until the next key frame, frames that depend on it are damaged.
  void lose();
  // From the next frame on the backend reconstructs lossy slices (compact/frame_decoder.h), after a self-check on the
  // first ones.
  void use_backend(std::unique_ptr<compact::ReconstructionBackend> backend);

 private:
  compact::FrameDecoder decoder_;
  std::vector<Bytes> payloads_;
  uint32_t check_ = 0;  // of the latest packet, as stored in it
};

}  // namespace texcast::container
