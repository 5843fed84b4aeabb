// coding.h — how the blocks of a plane are coded: their contents, and their names and numbers in the standards.
//
// A coding is a row of plain data (codings.cpp). Its numbers come from the standards: VkFormat (Vulkan 1.3),
// DXGI_FORMAT, FourCC and masks of DDS (Microsoft), colour model and samples of KTX2's data format descriptor (Khronos
// Data Format 1.3, section 5), OpenGL's enumerants (registry), the low nibble of a Hap section (Hap specification).
// Uncompressed pixels are blocks too: of one texel, or of two texels in a row that share their chroma.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "texcast/export.h"
#include "texcast/image.h"

namespace texcast {

// Codings by index into codings().
enum class CodingId : uint8_t {
  bc1,
  bc3,
  bc4,
  bc5,
  bc1_ycbcr,
  uyvy,
  yuyv,
  rgba8,
  rgb8,
  bgr8,
  eac_r11,
  eac_r11_signed,
  eac_rg11,
  eac_rg11_signed,
  bc4_signed,
  bc5_signed,
  etc2,
  etc2_alpha,
  etc2_a1,
  bc7,
  bc6h,
  bc6h_signed,
  // In the order of their numbers in all standards.
  astc_4x4,
  astc_5x4,
  astc_5x5,
  astc_6x5,
  astc_6x6,
  astc_8x5,
  astc_8x6,
  astc_8x8,
  astc_10x5,
  astc_10x6,
  astc_10x8,
  astc_10x10,
  astc_12x10,
  astc_12x12,
};

constexpr bool is_astc(CodingId id) { return id >= CodingId::astc_4x4 && id <= CodingId::astc_12x12; }

// One sample of a KTX2 data format descriptor.
struct DfdSample {
  uint16_t bit_offset = 0;
  uint8_t bit_length = 0;
  uint8_t channel = 0;    // its number depends on the colour model; 15 is alpha
  bool is_alpha = false;  // stays linear in sRGB formats
  bool is_signed = false;
  bool is_float = false;
  uint32_t lower = 0;
  uint32_t upper = 0xFFFFFFFF;
};

// DDS: which bits of a pixel, read as a little-endian number, are R, G, B, A.
struct PixelMasks {
  uint32_t bits = 0;  // per pixel; 0: the coding has no masks
  std::array<uint32_t, 4> rgba{};
  bool operator==(const PixelMasks&) const = default;
};

// The numbers of one coding in a list of formats such as Vulkan's. 0: the list does not have it.
struct FormatNumbers {
  uint32_t unorm = 0;                    // for writing; snorm for signed codings
  uint32_t srgb = 0;                     // for writing values in sRGB's curve
  uint32_t first = unorm, last = unorm;  // accepted when reading: other names of the same blocks
  bool has(uint32_t number) const { return number != 0 && ((number >= first && number <= last) || number == srgb); }
};

// OpenGL's names for the blocks.
struct GlCoding {
  uint32_t internal_format = 0;
  // Uncompressed codings: how the bytes of a texel, which is a block, are ordered as R, G, B, A.
  uint32_t pixel_format = 0;
  // The extension that has the format; empty: part of OpenGL 3.3.
  std::string_view extension{};
  // The family of formats that a GPU takes together, as extensions of WebGL name them: s3tc, rgtc, bptc, etc2, astc.
  // Empty: uncompressed, which all take.
  std::string_view family{};
};

struct Coding {
  CodingId id;
  std::string_view name;  // "BC1"
  int block_width = 4;    // texels
  int block_height = 4;
  int block_bytes;
  bool is_compressed = true;  // else the bytes are the samples
  int channels;               // in a block, 1 to 4
  SampleType sample_type;     // of a decoded channel
  FormatNumbers vk{};
  FormatNumbers dxgi{};
  std::array<uint32_t, 2> dds_fourccs{};  // the first one is written; 0: none, it takes masks or a DX10 header
  PixelMasks masks{};
  uint8_t dfd_model = 0;  // 0: KTX2 cannot hold it
  std::span<const DfdSample> dfd_samples{};
  std::string_view swizzle{};  // KTXswizzle; empty: rgba
  GlCoding gl{};
  uint8_t hap_texture = 0;  // low nibble of a Hap section's type; 0: Hap cannot hold it
  // Two pixels that share their chroma: at which byte are Cb, Y'0, Cr, Y'1.
  std::array<uint8_t, 4> pair_order{};
  // Samplers return -1..1, which stands for 0..1: a picture's value v is stored as 2 v - 1. Decoders return v.
  bool is_signed = false;
  bool is_pair() const { return block_width == 2 && !is_compressed; }
};

TEXCAST_API std::span<const Coding> codings();  // in the order of CodingId
TEXCAST_API const Coding& coding(CodingId id);  // misuse for an unknown number

// DDS' FourCCs as little-endian numbers.
constexpr uint32_t fourcc(char a, char b, char c, char d) {
  return static_cast<uint32_t>(static_cast<unsigned char>(a)) |
         static_cast<uint32_t>(static_cast<unsigned char>(b)) << 8 |
         static_cast<uint32_t>(static_cast<unsigned char>(c)) << 16 |
         static_cast<uint32_t>(static_cast<unsigned char>(d)) << 24;
}
constexpr uint32_t fourcc(std::array<char, 4> code) { return fourcc(code[0], code[1], code[2], code[3]); }
TEXCAST_API std::string printable_fourcc(uint32_t value);  // with '?' for unprintable characters

// How 5- and 6-bit end points are expanded to 8 bits. Decoders differ here by at most 1/255.
enum class EndpointExpansion {
  replicate,  // bit replication, as in GPUs and llvmpipe; the encoders optimise for it
  ffmpeg,     // FFmpeg's Hap and DDS decoders: t = 255 x + 16, (t/32 + t)/32; six bits: t = 255 x + 32, (t/64 + t)/64
};

}  // namespace texcast
