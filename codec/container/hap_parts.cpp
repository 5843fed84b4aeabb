#include "hap_parts.h"

#include <fmt/core.h>
#include <snappy-c.h>

#include <algorithm>

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

bool is_texture(uint8_t type) {
  const int compressor = type >> 4;
  return compressor >= 0xA && compressor <= 0xC &&
         std::any_of(kTextureNames.begin(), kTextureNames.end(),
                     [&](const TextureName& row) { return static_cast<int>(row.texture) == (type & 0xF); });
}
HapTexture texture_of(const HapSection& section) { return static_cast<HapTexture>(section.type & 0xF); }

// `level` holds textures and other sections, in any number and order.
Result<HapImageSections> find_images(Bytes level, const HapImages& images) {
  const auto wanted = images.all();
  HapImageSections found;
  size_t textures = 0;
  int first_type = -1;
  ByteReader reader(level);
  while (reader.remaining() > 0 && textures < wanted.size()) {
    const auto section = take_hap_section(reader);
    if (!section) return section.error();
    if (first_type < 0) first_type = section->type;
    if (section->type == kHapMultipleImages) {
      if (wanted.size() > 1) return Failure{"a section of several images is nested in another"};
      return Failure{"the frame holds several images where one is expected"};
    }
    if (!is_texture(section->type)) continue;
    const HapTexture held = texture_of(*section);
    const auto image = std::find_if(wanted.begin(), wanted.end(), [&](const HapImage& i) { return i.texture == held; });
    if (image == wanted.end())
      return Failure{fmt::format("the frame holds {} where {}{} is expected", name(held), name(wanted[0].texture),
                                 wanted.size() > 1 ? fmt::format(" or {}", name(wanted[1].texture)) : "")};
    HapSection& place = found[static_cast<size_t>(image - wanted.begin())];
    if (place.type != 0) return Failure{fmt::format("the frame holds {} twice", name(held))};
    place = *section;
    ++textures;
  }
  if (textures == wanted.size()) return found;
  if (textures > 0) return Failure{"the frame holds one image where two are expected"};
  if (first_type < 0) return Failure{"the frame is empty"};
  return Failure{fmt::format("no texture in the frame; its first section is 0x{:02X}", first_type)};
}

Result<HapChunk> chunk_of(bool snappy, Bytes stored) {
  HapChunk chunk{.snappy = snappy, .stored = stored, .bytes = stored.size()};
  if (snappy && snappy_uncompressed_length(reinterpret_cast<const char*>(stored.data()), stored.size(), &chunk.bytes) !=
                    SNAPPY_OK)
    return Failure{fmt::format("{} bytes do not start as Snappy data does", stored.size())};
  if (chunk.bytes > most_hap_blocks(stored.size()))
    return Failure{fmt::format("{} bytes claim {} bytes of blocks, more than Snappy can decompress from them",
                               stored.size(), chunk.bytes)};
  return chunk;
}

}  // namespace

Result<HapSection> take_hap_section(ByteReader& reader) {
  const auto header = reader.take(kHapShortHeader);
  if (!header) return Failure{fmt::format("a section header needs 4 bytes and {} are left", reader.remaining())};
  uint64_t size = load_le<3>(*header, 0);
  if (size == 0) {
    const auto long_size = reader.take_le<4>();
    if (!long_size)
      return Failure{fmt::format("a long section header is truncated: {} bytes are left", reader.remaining())};
    size = *long_size;
  }
  const size_t left = reader.remaining();
  const auto body = size <= left ? reader.take(static_cast<size_t>(size)) : std::nullopt;
  const uint8_t type = load_u8(*header, 3);
  if (!body) return Failure{fmt::format("section 0x{:02X} claims {} bytes and {} are left", type, size, left)};
  return HapSection{type, *body};
}

void store_hap_header(MutableBytes out, uint8_t type, size_t body_bytes) {
  const bool is_short = hap_header_bytes(body_bytes) == kHapShortHeader;
  store_le<3>(out, 0, is_short ? body_bytes : 0);
  store_le<1>(out, 3, type);
  if (!is_short) store_le32(out, 4, static_cast<uint32_t>(body_bytes));
}

std::string_view name(HapTexture texture) {
  for (const TextureName& row : kTextureNames)
    if (row.texture == texture) return row.name;
  return "unknown";
}

Result<HapImageSections> find_hap_images(Bytes frame, const HapImages& images) {
  if (images.all().size() == 1) return find_images(frame, images);
  ByteReader reader(frame);
  while (reader.remaining() > 0) {
    const auto section = take_hap_section(reader);
    if (!section) return section.error();
    if (section->type == kHapMultipleImages) return find_images(section->body, images);
    if (is_texture(section->type)) return Failure{"the frame holds one image where two are expected"};
  }
  return Failure{frame.empty() ? "the frame is empty" : "no texture in the frame"};
}

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
  if (chunks == 0) return Failure{"the decode instructions have no compressor table"};
  if (sizes_.size() != 4 * chunks)
    return Failure{fmt::format("the frame has {} chunks but a size table of {} bytes", chunks, sizes_.size())};
  if (offsets_ && offsets_->size() != 4 * chunks)
    return Failure{fmt::format("the frame has {} chunks but an offset table of {} bytes", chunks, offsets_->size())};
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

Result<HapFrameSummary> summarize_hap_frame(Bytes frame, const HapImages& images) {
  const auto sections = find_hap_images(frame, images);
  if (!sections) return sections.error();
  HapFrameSummary summary;
  for (size_t i = 0; i < images.all().size(); ++i) {
    auto chunks = HapChunkList::of((*sections)[i]);
    if (!chunks) return chunks.error();
    summary.chunks += chunks->count();
    for (size_t c = 0; c < chunks->count(); ++c) {
      const auto chunk = chunks->next();
      if (!chunk) return chunk.error();
      if (chunk->snappy) ++summary.snappy_chunks;
    }
  }
  return summary;
}

}  // namespace texcast::container
