#include "hap_images.h"

#include <fmt/core.h>

#include <algorithm>

#include "hap_chunks.h"

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

// Textures and other sections, of which there may be any, of one level.
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
      if (wanted.size() > 1) return Failure{"several images inside several images"};
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

}  // namespace

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
