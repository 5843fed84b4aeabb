// ultragrid_fec_block.h — UltraGrid's FEC block: a frame preceded by its video header and followed by parity. Packets
// carry pieces of it.
//
//   | inner length, 4, LE | video header, 24 | frame | zeros |   parity    |
//   |<------------- K symbols of the same length ----------->|< M symbols >|
//
// Inner length = 24 + frame. The inner header has buffer id 0 and offset 0 (UltraGrid's: garbage).
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

inline constexpr size_t kFecInnerBytes = 4 + kVideoHeaderBytes;  // precede the frame

struct FecShape {
  FecScheme scheme = FecScheme::none;
  int k = 0;
  int m = 0;          // parity symbols
  int c = 0;          // LDGM only
  uint32_t seed = 0;  // LDGM only
  bool operator==(const FecShape&) const = default;
};

// Symbol length for a frame: any number of bytes for Reed-Solomon, a multiple of 4 for LDGM.
size_t fec_symbol_bytes(const FecShape& shape, size_t frame_bytes);

// Builds blocks. Not thread-safe. Allocates for the first frame, and for frames that are larger than every frame
// before.
class UltraGridFecWriter {
 public:
  explicit UltraGridFecWriter(const FecShape& shape);  // plausible (misuse otherwise)
  ~UltraGridFecWriter();

  // Begins a block. In `header`, length is set to the frame's, and substream, buffer id and offset to 0. `frame`
  // remains the caller's memory, and is copied as advance() declares it final.
  void begin(Bytes frame, const VideoHeader& header);
  // The first `ready` bytes of the frame are final. Returns the number of final bytes of the block: data symbols little
  // by little, and everything once the whole frame is final.
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
  size_t added_ = 0;   // data symbols that the parity includes
};

// The content of a received block.
struct FecBlockContent {
  bool whole = false;                 // every byte of the frame is there
  bool repaired = false;              // parity was needed for that
  std::optional<VideoHeader> header;  // the inner one; nothing if it is missing or implausible
  Bytes frame;                        // within the block; empty without a header
  std::span<const ByteRange> usable;  // the present ranges of the frame (everything when whole). Without a header they
                                      // include the padding. Valid until the next read()
  uint64_t recovered_bytes = 0;       // of the frame, from parity
};

// Recovers and parses blocks of any shape. Not thread-safe. Codes are reused from block to block. A block of another
// shape than the previous one needs a new code, at most some 10 ms, and only if at least K of its symbols have arrived.
class UltraGridFecReader {
 public:
  UltraGridFecReader();
  ~UltraGridFecReader();
  // `block` has header.block_length bytes, of which `coverage` have arrived. Missing symbols are written if they can be
  // recovered. A symbol counts only if all of it has arrived. Accepts any header; the result is empty if the header is
  // implausible.
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
