// format.h — the texture formats and how their blocks lie in memory.
//
// A texture is one to three planes, each a raster of blocks of 4x4 texels, top block row first, no gaps; planes follow
// one another. Widths and heights are the true ones: the blocks cover them rounded up to a multiple of 4. Of formats
// that are not compressed, a block is a pixel, or two side by side that share their chroma.
// docs/format.md tells the bits of each block.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "texcast/frame.h"

namespace texcast {

// Values travel in the stream header (docs/wire.md): never renumber.
enum class TextureFormat : uint8_t {
  bc1 = 1,            // one plane, 8 bytes a block: full-range R'G'B' in four-colour blocks
  ycocg_bc4_420 = 2,  // Y, Co, Cg planes of BC4; Co and Cg at half width and half height
  ycocg_bc4_422 = 3,  // Co and Cg at half width
  ycocg_bc4_444 = 4,  // Co and Cg at full size
  ycocg_dxt5 = 5,     // one plane, 16 bytes a block: luma as BC4, then scaled Co and Cg as BC1 (Hap Q)
  bc3 = 6,            // one plane, 16 bytes a block: alpha as BC4, then R'G'B' as BC1, always four-colour (Hap Alpha)
  bc4 = 7,            // one plane, 8 bytes a block: alpha where the source has it, else luma (Hap Alpha-Only)
  ycocg_dxt5_alpha = 8,  // as ycocg_dxt5, then a plane of BC4: alpha (Hap Q Alpha)
  // What others send and texcast only takes: it is shown, recorded as it came and decoded, never encoded.
  bc1_ycbcr = 9,  // BC1 of Y' in red, Cb in green, Cr in blue (UltraGrid's DXT1_YUV)
  uyvy = 10,      // Cb Y'0 Cr Y'1, a byte each: two pixels, chroma sited on the first
  rgba8 = 11,     // R G B A; A is kept in recordings and not shown: senders leave anything there
  rgb8 = 12,      // R G B
  bgr8 = 13,      // B G R
  yuyv = 14,      // Y'0 Cb Y'1 Cr, as uyvy
};
// Those that the encoders write.
inline constexpr std::array kTextureFormats = {TextureFormat::bc1,           TextureFormat::ycocg_bc4_420,
                                               TextureFormat::ycocg_bc4_422, TextureFormat::ycocg_bc4_444,
                                               TextureFormat::ycocg_dxt5,    TextureFormat::bc3,
                                               TextureFormat::bc4,           TextureFormat::ycocg_dxt5_alpha};
inline constexpr std::array kReceivedFormats = {TextureFormat::bc1_ycbcr, TextureFormat::uyvy, TextureFormat::rgba8,
                                                TextureFormat::rgb8,      TextureFormat::bgr8, TextureFormat::yuyv};

// Both: all that is shown, stored and decoded.
inline constexpr auto kShownFormats = [] {
  std::array<TextureFormat, kTextureFormats.size() + kReceivedFormats.size()> all{};
  for (size_t i = 0; i < all.size(); ++i)
    all[i] = i < kTextureFormats.size() ? kTextureFormats[i] : kReceivedFormats[i - kTextureFormats.size()];
  return all;
}();

struct PlaneLayout {
  int width = 0;  // texels, true size of the plane
  int height = 0;
  int block_width = 4;  // texels
  int block_height = 4;
  int blocks_x = 0;
  int blocks_y = 0;
  int block_bytes = 8;
  size_t offset = 0;  // bytes from the start of the texture
  size_t bytes = 0;
};

struct TextureLayout {
  int plane_count = 0;
  std::array<PlaneLayout, 3> planes;
  size_t total_bytes = 0;
};

// What a texture is, without its blocks. Colours are full range and `color` keeps the source's matrix (the blocks no
// longer depend on it), primaries and transfer for whoever shows or stores the texture. Where is_ycbcr(format), matrix
// and range are those of the values in the blocks.
struct TextureDesc {
  TextureFormat format = TextureFormat::bc1;
  int width = 0;
  int height = 0;
  ColorSpec color{ColorMatrix::bt709, ColorRange::full};
  bool operator==(const TextureDesc&) const = default;
};

// Borrowed. `blocks` holds exactly texture_layout(desc).total_bytes.
struct TextureView {
  TextureDesc desc;
  std::span<const std::byte> blocks;
};

bool is_ycocg(TextureFormat format);  // in planes: ycocg_bc4_…
bool is_ycbcr(TextureFormat format);  // Y'CbCr as `color` says: of kReceivedFormats
bool is_compressed(TextureFormat format);
bool is_encoded(TextureFormat format);        // of kTextureFormats
ColorSpec usual_color(TextureFormat format);  // where nobody says: BT.709, and limited range where is_ycbcr
int plane_count(TextureFormat format);
int channel_count(TextureFormat format);  // of a decoded picture: 1 for gray, 3 for R G B, 4 with alpha
bool reads_alpha(TextureFormat format);   // the encoder takes alpha where the source has it
// Sizes 1..kMaxFrameSize (else misuse).
TextureLayout texture_layout(TextureFormat format, int width, int height);
inline TextureLayout texture_layout(const TextureDesc& d) { return texture_layout(d.format, d.width, d.height); }
double bits_per_pixel(TextureFormat format);  // nominal: 4 to 32

// The name of the command line, "ycocg-bc4" being 4:2:0.
std::string_view name(TextureFormat format);
std::optional<TextureFormat> texture_format_from_name(std::string_view name);
std::string list_texture_formats();  // "bc1, ycocg-bc4, …" for messages: kTextureFormats

}  // namespace texcast
