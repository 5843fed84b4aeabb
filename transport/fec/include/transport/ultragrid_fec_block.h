// ultragrid_fec_block.h — UltraGrid's FEC block: a frame with its video header in front and parity behind, of which
// packets carry pieces.
//
//   | inner length, 4, LE | video header, 24 | frame | zeros |   parity    |
//   |<------------- K symbols of the same length ----------->|< M symbols >|
//
// Inner length = 24 + frame. Its header has buffer id 0 and offset 0 (UltraGrid's: garbage).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "transport/byte_coverage.h"
#include "transport/packet.h"
#include "transport/reed_solomon.h"

namespace texcast::transport {

class Ldgm;
class LdgmCache;

inline constexpr size_t kFecInnerBytes = 4 + kVideoHeaderBytes;  // in front of the frame

struct FecShape {
  FecScheme scheme = FecScheme::none;
  int k = 0;
  int m = 0;          // parity symbols
  int c = 0;          // LDGM alone
  uint32_t seed = 0;  // LDGM alone
  bool operator==(const FecShape&) const = default;
};

// Symbol length for a frame: Reed-Solomon to the byte, LDGM a multiple of 4.
size_t fec_symbol_bytes(const FecShape& shape, size_t frame_bytes);

// Makes blocks. Not thread-safe. Allocates for the first frame and for ones that are larger than those before.
class UltraGridFecWriter {
 public:
  explicit UltraGridFecWriter(const FecShape& shape);  // plausible (misuse otherwise)
  ~UltraGridFecWriter();

  // A new block; of `header` the length is set to the frame's, substream, buffer id and offset to 0. `frame` stays the
  // caller's memory and is copied as advance() is told that it is final.
  void begin(Bytes frame, const VideoHeader& header);
  // The first `ready` bytes of the frame are final. Gives how many bytes of the block are: data symbols bit by bit, all
  // of it when the whole frame is.
  size_t advance(size_t ready);

  Bytes block() const { return Bytes(block_).first(block_bytes_); }  // valid until begin()
  size_t symbol_bytes() const { return symbol_bytes_; }
  const FecShape& shape() const { return shape_; }

 private:
  void add_symbols(size_t final_bytes);

  FecShape shape_;
  std::unique_ptr<ReedSolomon> reed_solomon_;
  std::unique_ptr<Ldgm> ldgm_;
  std::vector<std::byte> block_;
  std::vector<const std::byte*> data_;
  std::vector<std::byte*> parity_;
  Bytes frame_{};
  size_t block_bytes_ = 0, symbol_bytes_ = 0;
  size_t copied_ = 0;  // bytes of the frame
  size_t added_ = 0;   // data symbols that are in the parity
};

// What is in a block that was received.
struct FecBlockContent {
  bool whole = false;                 // every byte of the frame is there
  bool repaired = false;              // and parity was needed for that
  std::optional<VideoHeader> header;  // the inner one; nothing where it is not there or not plausible
  Bytes frame;                        // within the block; empty without a header
  std::span<const ByteRange> usable;  // of the frame: what is there of it (all of it when whole). Without a header: as
                                      // far as the padding goes. Valid until the next read()
  uint64_t recovered_bytes = 0;       // of the frame, from parity
};

// Repairs and reads blocks of any shape. Not thread-safe. Codes are kept from block to block; a block of another shape
// than the one before costs a new one, at most some 10 ms, and only where at least K symbols of it have arrived.
class UltraGridFecReader {
 public:
  UltraGridFecReader();
  ~UltraGridFecReader();
  // `block` has header.block_length bytes, of which `coverage` says what has arrived; missing symbols are written where
  // they can be repaired. A symbol counts only if all of it is there. For any header at all: where it is not plausible,
  // the result is empty.
  FecBlockContent read(FecScheme scheme, const FecHeader& header, MutableBytes block, const ByteCoverage& coverage);

 private:
  bool repair_reed_solomon(const FecHeader& header, MutableBytes block);
  bool repair_ldgm(const FecHeader& header, MutableBytes block);

  std::unique_ptr<ReedSolomon> reed_solomon_;
  std::unique_ptr<LdgmCache> ldgm_;
  std::vector<uint8_t> present_;  // of K+M symbols
  std::vector<std::byte*> symbols_;
  std::vector<ByteRange> usable_;
};

}  // namespace texcast::transport
