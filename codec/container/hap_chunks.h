// hap_chunks.h — the stored pieces that an image section consists of, told from outside bytes without unpacking them.
#pragma once

#include <cstdint>
#include <optional>

#include "base/bytes.h"
#include "base/result.h"
#include "hap_section.h"

namespace texcast::container {

// One piece that unpacks by itself. Pieces unpack to consecutive parts of the image's blocks.
struct HapChunk {
  bool snappy = false;
  Bytes stored;
  size_t bytes = 0;  // of blocks, as the piece itself says: not to be believed beyond what fits
};

// The chunks of one image section, which has been found to be whole. Borrows its bytes.
class HapChunkList {
 public:
  static Result<HapChunkList> of(const HapSection& image);
  size_t count() const { return is_chunked_ ? compressors_.size() : 1; }
  bool is_chunked() const { return is_chunked_; }
  // In order, each once. A Failure where the tables lead outside or a chunk does not start as it should.
  Result<HapChunk> next();

 private:
  Result<void> read_tables(Bytes instructions);

  bool is_chunked_ = false;
  bool snappy_ = false;  // of a section that is one piece
  Bytes data_;
  Bytes compressors_;
  Bytes sizes_;
  std::optional<Bytes> offsets_;
  size_t index_ = 0;
  uint64_t offset_ = 0;  // of the next chunk: at most 4 GiB more a chunk, so 64 bits do not overflow
};

}  // namespace texcast::container
