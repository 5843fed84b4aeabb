#include <fmt/core.h>
#include <snappy-c.h>

#include <algorithm>

#include "container/hap_frame.h"
#include "hap_section.h"

namespace texcast::container {
namespace {

struct TextureName {
  HapTexture texture;
  std::string_view name;
};
constexpr std::array kTextureNames = {
    TextureName{HapTexture::bc4, "BC4"},
    TextureName{HapTexture::bc6h_unsigned, "BC6H unsigned"},
    TextureName{HapTexture::bc6h_signed, "BC6H signed"},
    TextureName{HapTexture::bc1, "BC1"},
    TextureName{HapTexture::bc7, "BC7"},
    TextureName{HapTexture::bc3, "BC3"},
    TextureName{HapTexture::ycocg_bc3, "scaled YCoCg in BC3"},
};

bool is_texture(int nibble) {
  return std::any_of(kTextureNames.begin(), kTextureNames.end(),
                     [&](const TextureName& row) { return static_cast<int>(row.texture) == nibble; });
}

bool is_compressor(int nibble) { return nibble >= 0xA && nibble <= 0xC; }

// Puts one stored piece at the start of `out` and tells how many bytes it filled.
Result<size_t> unpack(int compressor, Bytes stored, MutableBytes out) {
  if (compressor == static_cast<int>(HapCompressor::none)) {
    if (stored.size() > out.size())
      return Failure{fmt::format("{} bytes of blocks where {} fit", stored.size(), out.size())};
    std::copy(stored.begin(), stored.end(), out.begin());
    return stored.size();
  }
  const auto* in = reinterpret_cast<const char*>(stored.data());
  size_t bytes = 0;
  if (snappy_uncompressed_length(in, stored.size(), &bytes) != SNAPPY_OK)
    return Failure{fmt::format("{} bytes that do not start as Snappy data does", stored.size())};
  if (bytes > out.size())
    return Failure{fmt::format("Snappy data of {} bytes of blocks where {} fit", bytes, out.size())};
  if (snappy_uncompress(in, stored.size(), reinterpret_cast<char*>(out.data()), &bytes) != SNAPPY_OK)
    return Failure{fmt::format("{} bytes of damaged Snappy data", stored.size())};
  return bytes;
}

struct ChunkTables {
  Bytes compressors;
  Bytes sizes;
  std::optional<Bytes> offsets;
};

Result<ChunkTables> read_tables(Bytes instructions) {
  ChunkTables tables;
  ByteReader reader(instructions);
  while (reader.remaining() > 0) {
    const auto section = take_hap_section(reader);
    if (!section) return Failure{"decode instructions: " + section.error().message};
    if (section->type == kHapCompressorTable) tables.compressors = section->body;
    if (section->type == kHapSizeTable) tables.sizes = section->body;
    if (section->type == kHapOffsetTable) tables.offsets = section->body;
  }
  const size_t chunks = tables.compressors.size();
  if (chunks == 0) return Failure{"decode instructions without a compressor table"};
  if (tables.sizes.size() != 4 * chunks)
    return Failure{fmt::format("{} chunks and a size table of {} bytes", chunks, tables.sizes.size())};
  if (tables.offsets && tables.offsets->size() != 4 * chunks)
    return Failure{fmt::format("{} chunks and an offset table of {} bytes", chunks, tables.offsets->size())};
  return tables;
}

Result<size_t> unpack_chunks(Bytes body, MutableBytes out) {
  ByteReader reader(body);
  const auto instructions = take_hap_section(reader);
  if (!instructions) return Failure{"chunked frame: " + instructions.error().message};
  if (instructions->type != kHapDecodeInstructions)
    return Failure{
        fmt::format("a chunked frame starts with section 0x{:02X}, not decode instructions", instructions->type)};
  const auto tables = read_tables(instructions->body);
  if (!tables) return tables.error();

  const Bytes data = reader.rest();
  size_t filled = 0;
  uint64_t next_offset = 0;  // at most 4 GiB more a chunk: 64 bits do not overflow
  for (size_t i = 0; i < tables->compressors.size(); ++i) {
    const int compressor = load_u8(tables->compressors, i);
    const uint64_t size = load_le32(tables->sizes, 4 * i);
    const uint64_t offset = tables->offsets ? load_le32(*tables->offsets, 4 * i) : next_offset;
    next_offset = offset + size;
    if (next_offset > data.size())
      return Failure{fmt::format("chunk {} ends at byte {} of {}", i, next_offset, data.size())};
    if (compressor != static_cast<int>(HapCompressor::none) && compressor != static_cast<int>(HapCompressor::snappy))
      return Failure{fmt::format("chunk {} has the unknown compressor 0x{:02X}", i, compressor)};
    const auto bytes =
        unpack(compressor, data.subspan(static_cast<size_t>(offset), static_cast<size_t>(size)), out.subspan(filled));
    if (!bytes) return Failure{fmt::format("chunk {}: {}", i, bytes.error().message)};
    filled += *bytes;
  }
  return filled;
}

// The first section that holds a texture or several; others are skipped, as the format asks.
Result<HapSection> find_texture(Bytes frame) {
  if (frame.empty()) return Failure{"the frame is empty"};
  ByteReader reader(frame);
  int first_type = -1;
  while (reader.remaining() > 0) {
    auto section = take_hap_section(reader);
    if (!section) return section.error();
    if (first_type < 0) first_type = section->type;
    if (section->type == kHapMultipleImages) return Failure{"the frame holds several images where one is expected"};
    if (is_compressor(section->type >> 4) && is_texture(section->type & 0xF)) return section;
  }
  return Failure{fmt::format("no texture in the frame; its first section is 0x{:02X}", first_type)};
}

}  // namespace

std::string_view name(HapTexture texture) {
  for (const TextureName& row : kTextureNames)
    if (row.texture == texture) return row.name;
  return "unknown";
}

Result<void> read_hap_frame(Bytes frame, HapTexture texture, MutableBytes blocks) {
  const auto section = find_texture(frame);
  if (!section) return section.error();
  const auto held = static_cast<HapTexture>(section->type & 0xF);
  if (held != texture)
    return Failure{fmt::format("the frame holds {} where {} is expected", name(held), name(texture))};
  const int compressor = section->type >> 4;
  const auto filled = compressor == static_cast<int>(HapCompressor::chunked)
                          ? unpack_chunks(section->body, blocks)
                          : unpack(compressor, section->body, blocks);
  if (!filled) return filled.error();
  if (*filled != blocks.size())
    return Failure{fmt::format("the frame holds {} bytes of blocks where {} are expected", *filled, blocks.size())};
  return {};
}

}  // namespace texcast::container
