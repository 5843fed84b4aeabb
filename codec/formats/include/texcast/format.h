// format.h — the texture formats and their layout in memory.
//
// A texture is one to three planes. Each plane is a raster of blocks (coding.h), top block row first, without gaps, and
// the planes follow one another. Widths and heights are those of the picture; the blocks cover them, rounded up to
// whole blocks. docs/format.md defines the bits of each block.
//
// A format is a row of plain data (format_rows.cpp), from which everything else is derived: layout, encoder, streaming,
// storage and display. Code that only one part of texcast has for it is registered there under its TextureFormat:
// encoding and decoding a block (codec/ref), encoding on a device (codec/stages).
//
//     const texcast::TextureLayout layout = texcast::texture_layout(texcast::TextureFormat::bc3, 1920, 1080);
//     std::vector<std::byte> blocks(layout.total_bytes);
//
// Thread-safe: values and functions only. All functions throw Error{misuse} (error.h) for a format, a model or a plane
// that does not exist.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "texcast/coding.h"
#include "texcast/error.h"
#include "texcast/export.h"
#include "texcast/frame.h"
#include "texcast/method.h"

namespace texcast {

// The values are sent in the stream header (docs/wire.md): never renumber them.
enum class TextureFormat : uint8_t {
  bc1 = 1,            // one plane, 8 bytes per block: full-range R'G'B' in four-colour blocks
  ycocg_bc4_420 = 2,  // Y, Co, Cg planes of BC4; Co and Cg at half width and half height
  ycocg_bc4_422 = 3,  // Co and Cg at half width
  ycocg_bc4_444 = 4,  // Co and Cg at full size
  ycocg_dxt5 = 5,     // one plane, 16 bytes per block: luma as BC4, then scaled Co and Cg as BC1 (Hap Q)
  bc3 = 6,            // one plane, 16 bytes per block: alpha as BC4, then R'G'B' as BC1, always four-colour (Hap Alpha)
  bc4 = 7,            // one plane, 8 bytes per block: alpha if the source has it, else luma (Hap Alpha-Only)
  ycocg_dxt5_alpha = 8,  // as ycocg_dxt5, then a plane of BC4: alpha (Hap Q Alpha)
  // Only received.
  bc1_ycbcr = 9,  // BC1 of Y' in red, Cb in green, Cr in blue (UltraGrid's DXT1_YUV)
  uyvy = 10,      // Cb Y'0 Cr Y'1, a byte each: two pixels, chroma sited on the first
  rgba8 = 11,     // R G B A; A is kept in recordings but not displayed, as senders leave it undefined
  rgb8 = 12,      // R G B
  bgr8 = 13,      // B G R
  yuyv = 14,      // Y'0 Cb Y'1 Cr, as uyvy
  // Encoded.
  bc5 = 15,              // one plane, 16 bytes per block: red as BC4, then green as BC4 (normal maps, motion maps)
  eac_r11 = 16,          // one plane, 8 bytes per block, 11 bits: alpha if the source has it, else luma
  eac_r11_signed = 17,   // the same for samplers that return -1..1, which stands for 0..1
  eac_rg11 = 18,         // one plane, 16 bytes per block: red as EAC R11, then green as EAC R11
  eac_rg11_signed = 19,  // the same for samplers that return -1..1
  bc4_signed = 20,       // bc4 for samplers that return -1..1, which stands for 0..1
  bc5_signed = 21,       // bc5 for samplers that return -1..1
  etc1 = 22,             // one plane, 8 bytes per block: R'G'B' in those modes of ETC2 that ETC1 has
  etc2 = 23,             // one plane, 8 bytes per block: R'G'B' in all modes of ETC2
  etc2_alpha = 24,       // one plane, 16 bytes per block: alpha as EAC of 8 bits, then R'G'B' as etc2
  etc2_a1 = 25,          // only received: one plane, 8 bytes per block, R'G'B' with one-bit alpha (punch-through)
  bc7 = 26,              // one plane, 16 bytes per block: R'G'B' and alpha (BPTC; Hap R)
  bc6h = 27,             // one plane, 16 bytes per block: R G B in half floats, not negative (Hap HDR)
  bc6h_signed = 28,      // the same with negative values
  astc_4x4 = 29,         // one plane, 16 bytes per block of 4x4 to 12x12 texels: R G B and alpha (ASTC, LDR)
  astc_5x4 = 30,
  astc_5x5 = 31,
  astc_6x5 = 32,
  astc_6x6 = 33,
  astc_8x5 = 34,
  astc_8x6 = 35,
  astc_8x8 = 36,
  astc_10x5 = 37,
  astc_10x6 = 38,
  astc_10x8 = 39,
  astc_10x10 = 40,
  astc_12x10 = 41,
  astc_12x12 = 42,
};

// The channels of a decoded picture, and how the planes hold them.
enum class ColorModel : uint8_t {
  rgb,                 // R'G'B'
  rgba,                // R'G'B' and straight alpha
  gray,                // one channel: alpha if the source has it, else luma
  red_green,           // two channels; blue is displayed as 0
  ycocg_planes,        // Y, Co and Cg, one plane each
  scaled_ycocg,        // in one block: luma as alpha, Co and Cg as red and green, their scale as blue
  scaled_ycocg_alpha,  // as scaled_ycocg, and a plane of straight alpha
  ycbcr,               // Y'CbCr in the matrix and range of TextureDesc::color
};
// The channels of a decoded picture: 1 gray; 2 red, green; 3 R G B; 4 R G B and straight alpha.
TEXCAST_API int channel_count(ColorModel model);
TEXCAST_API bool reads_alpha(ColorModel model);  // the encoder reads alpha if the source has it

struct FormatPlane {
  CodingId coding{};
  int across = 1;  // texels of the picture per texel of the plane
  int down = 1;
};

// How textures are stored in .mov and .mkv.
enum class TrackKind : uint8_t {
  none,    // they cannot be stored
  hap,     // frames of Hap: one Hap image per plane
  raw,     // uncompressed video: the bytes unchanged
  planes,  // one track per plane, each as a texture of one plane with that coding; or repacked (RecordingLayout)
};
struct Track {
  TrackKind kind = TrackKind::none;
  std::array<char, 4> tag{};           // FourCC in .mov
  std::array<char, 4> matroska_tag{};  // codec tag in .mkv; zeros: Matroska cannot hold it
  std::string_view name{};             // for a person: "Hap Q"
  // Only for TrackKind::raw:
  std::string_view pixels{};  // FFmpeg's name of the pixel format
  int depth = 0;              // bits per pixel in the file's header, for readers that check it
};

// One texture format: everything that the rest of texcast knows about it besides its kernels.
struct Format {
  TextureFormat id;
  std::string_view name;  // on the command line
  int plane_count;
  std::array<FormatPlane, 3> planes;
  ColorModel model;
  // The methods that encode it, fastest first: quality q is method number q. With fewer than four, the higher qualities
  // do not exist. With none, texcast does not encode the format, but it displays, records and decodes what others send.
  std::span<const Method> by_quality{};
  std::span<const Method> more_methods{};   // only selected by name
  std::span<const Method> black_methods{};  // those that can use index 3 of three-colour BC1 blocks as black
  std::array<char, 4> wire{};               // FourCC in UltraGrid's video header
  std::span<const std::array<char, 4>> wire_aliases{};  // that UltraGrid treats as the same
  bool ultragrid_shows = false;                         // a stock UltraGrid displays it; its textures are DXT1 and DXT5
  Track track{};
  // The coding of its first plane defines it fully; otherwise DDS and KTX2 carry the format's name.
  bool is_plain = true;
  uint32_t dds_gimp = 0;  // DDS: the mark in the reserved words that GIMP and FFmpeg look for; 0: none

  bool is_encoded() const { return !by_quality.empty(); }
};

// Every format: first those that texcast encodes, then those that it only receives.
TEXCAST_API std::span<const Format> formats();
TEXCAST_API const Format& format_row(TextureFormat format);
TEXCAST_API const Coding& plane_coding(TextureFormat format, size_t plane);
// The families (GlCoding::family) of its planes, each once: a GPU that takes them all shows the format. None: any GPU.
TEXCAST_API std::vector<std::string_view> texture_families(TextureFormat format);

TEXCAST_API std::span<const TextureFormat> encoded_formats();   // that texcast encodes
TEXCAST_API std::span<const TextureFormat> received_formats();  // that others send and texcast only receives
TEXCAST_API std::span<const TextureFormat> shown_formats();     // both: all that texcast displays, stores and decodes

struct PlaneLayout {
  int width = 0;  // texels, size of the plane before rounding up to blocks
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

// Describes a texture, without its blocks. Colours are full range. `color` keeps the source's matrix (the blocks no
// longer depend on it), primaries and transfer for display and storage. If is_ycbcr(format), matrix and range are those
// of the values in the blocks.
struct TextureDesc {
  TextureFormat format = TextureFormat::bc1;
  int width = 0;
  int height = 0;
  ColorSpec color{ColorMatrix::bt709, ColorRange::full};
  PixelAspect aspect{};
  // Only other programs' recordings have another one: texcast rotates pictures before it encodes them.
  Orientation orientation = Orientation::upright;
  bool operator==(const TextureDesc&) const = default;
};

// Borrowed. `blocks` holds exactly texture_layout(desc).total_bytes.
struct TextureView {
  TextureDesc desc{};
  std::span<const std::byte> blocks{};
  // The picture that was encoded, if the encoder keeps it (EncoderSettings::keep_pictures); valid as long as the blocks
  // are. Null: not known.
  const FrameView* picture = nullptr;
};

// Shorthand for fields of the format's row.
TEXCAST_API bool is_planar_ycocg(TextureFormat format);  // ColorModel::ycocg_planes
TEXCAST_API bool is_ycbcr(TextureFormat format);
TEXCAST_API bool is_compressed(TextureFormat format);
TEXCAST_API bool is_encoded(TextureFormat format);
// The default if a source has no colours: BT.709, limited range if is_ycbcr, linear light for half floats.
TEXCAST_API ColorSpec usual_color(TextureFormat format);
TEXCAST_API int plane_count(TextureFormat format);
TEXCAST_API int channel_count(TextureFormat format);
TEXCAST_API bool reads_alpha(TextureFormat format);
// Sizes are 1..kMaxFrameSize (else misuse).
TEXCAST_API TextureLayout texture_layout(TextureFormat format, int width, int height);
inline TextureLayout texture_layout(const TextureDesc& d) { return texture_layout(d.format, d.width, d.height); }
// Mip levels: each side is half of that of the level before, rounded down, down to 1x1. Sizes as above, `level` is 0 or
// more (else misuse).
TEXCAST_API int most_levels(int width, int height);  // 1 for 1x1, 11 for 1920x1080
TEXCAST_API TextureDesc level_of(const TextureDesc& desc, int level);
TEXCAST_API double bits_per_pixel(TextureFormat format);  // nominal: 0.89 to 32

// The name on the command line; "ycocg-bc4" is 4:2:0.
TEXCAST_API std::string_view name(TextureFormat format);
TEXCAST_API std::optional<TextureFormat> texture_format_from_name(std::string_view name);
TEXCAST_API std::string list_texture_formats();  // "bc1, ycocg-bc4, …", for messages: encoded_formats()

}  // namespace texcast
