#include "hap_chunks.h"

#include <fmt/core.h>
#include <snappy-c.h>

#include "container/hap_frame.h"

namespace texcast::container {
namespace {

Result<HapChunk> chunk_of(bool snappy, Bytes stored) {
  HapChunk chunk{.snappy = snappy, .stored = stored, .bytes = stored.size()};
  if (snappy && snappy_uncompressed_length(reinterpret_cast<const char*>(stored.data()), stored.size(), &chunk.bytes) !=
                    SNAPPY_OK)
    return Failure{fmt::format("{} bytes that do not start as Snappy data does", stored.size())};
  if (chunk.bytes > most_hap_blocks(stored.size()))
    return Failure{fmt::format("{} bytes that claim to be {} bytes of blocks, more than Snappy can make of them",
                               stored.size(), chunk.bytes)};
  return chunk;
}

}  // namespace

Result<HapChunkList> HapChunkList::of(const HapSection& image) {
  HapChunkList list;
  const auto compressor = static_cast<HapCompressor>(image.type >> 4);
  list.data_ = image.body;
  list.snappy_ = compressor == HapCompressor::snappy;
  list.is_chunked_ = compressor == HapCompressor::chunked;
  if (!list.is_chunked_) return list;
  ByteReader reader(image.body);
  const auto instructions = take_hap_section(reader);
  if (!instructions) return Failure{"chunked frame: " + instructions.error().message};
  if (instructions->type != kHapDecodeInstructions)
    return Failure{
        fmt::format("a chunked frame starts with section 0x{:02X}, not decode instructions", instructions->type)};
  list.data_ = reader.rest();
  const auto tables = list.read_tables(instructions->body);
  if (!tables) return tables.error();
  return list;
}

Result<void> HapChunkList::read_tables(Bytes instructions) {
  ByteReader reader(instructions);
  while (reader.remaining() > 0) {
    const auto section = take_hap_section(reader);
    if (!section) return Failure{"decode instructions: " + section.error().message};
    if (section->type == kHapCompressorTable) compressors_ = section->body;
    if (section->type == kHapSizeTable) sizes_ = section->body;
    if (section->type == kHapOffsetTable) offsets_ = section->body;
  }
  const size_t chunks = compressors_.size();
  if (chunks == 0) return Failure{"decode instructions without a compressor table"};
  if (sizes_.size() != 4 * chunks)
    return Failure{fmt::format("{} chunks and a size table of {} bytes", chunks, sizes_.size())};
  if (offsets_ && offsets_->size() != 4 * chunks)
    return Failure{fmt::format("{} chunks and an offset table of {} bytes", chunks, offsets_->size())};
  return {};
}

Result<HapChunk> HapChunkList::next() {
  if (!is_chunked_) return chunk_of(snappy_, data_);
  const size_t i = index_++;
  const int compressor = load_u8(compressors_, i);
  const uint64_t size = load_le32(sizes_, 4 * i);
  const uint64_t offset = offsets_ ? load_le32(*offsets_, 4 * i) : offset_;
  offset_ = offset + size;
  if (offset_ > data_.size()) return Failure{fmt::format("chunk {} ends at byte {} of {}", i, offset_, data_.size())};
  const bool snappy = compressor == static_cast<int>(HapCompressor::snappy);
  if (!snappy && compressor != static_cast<int>(HapCompressor::none))
    return Failure{fmt::format("chunk {} has the unknown compressor 0x{:02X}", i, compressor)};
  auto chunk = chunk_of(snappy, data_.subspan(static_cast<size_t>(offset), static_cast<size_t>(size)));
  if (!chunk) return Failure{fmt::format("chunk {}: {}", i, chunk.error().message)};
  return chunk;
}

}  // namespace texcast::container
