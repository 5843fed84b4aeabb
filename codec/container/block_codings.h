// block_codings.h — codings of blocks and of pixels as files name them, and which texture format is stored in which.
//
// Every fact here is the standards': VkFormat (Vulkan), DXGI_FORMAT, FourCC and masks (Microsoft), colour model and
// samples (Khronos Data Format 1.3, section 5). A further coding is a row here, and a further format a row below.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "texcast/format.h"

namespace texcast::container {

// One sample of a KTX2 data format descriptor.
struct DfdSample {
  uint16_t bit_offset;
  uint8_t bit_length;
  uint8_t channel;
  bool is_alpha = false;  // stays linear in sRGB formats
  uint32_t lower = 0;
  uint32_t upper = 0xFFFFFFFF;
};

// DDS: which bits of a pixel, as a little-endian number, are R, G, B, A.
struct PixelMasks {
  uint32_t bits = 0;  // of a pixel
  std::array<uint32_t, 4> rgba{};
  bool operator==(const PixelMasks&) const = default;
};

struct BlockCoding {
  std::string_view name;  // "BC1"
  int block_bytes;
  uint32_t vk_unorm = 0;                             // 0: there is none
  uint32_t vk_srgb = 0;                              // the same
  uint32_t vk_first = vk_unorm, vk_last = vk_unorm;  // that are read beside these: the same blocks
  uint32_t dxgi_unorm = 0;                           // 0: there is none
  uint32_t dxgi_srgb = 0;                            // the same
  uint32_t dxgi_first = dxgi_unorm, dxgi_last = dxgi_unorm;
  std::array<uint32_t, 2> fourccs{};  // the first is written; 0: none, it takes masks or a DX10 header
  uint8_t dfd_model = 0;
  std::span<const DfdSample> dfd_samples{};
  std::string_view swizzle{};  // KTXswizzle; empty: rgba
  PixelMasks masks{};
  int block_width = 4;  // texels
  int block_height = 4;
};

// How the planes of a texture lie in an image of blocks: the first plane is the image.
struct StoredAs {
  TextureFormat format;
  const BlockCoding* coding;
  bool is_plain;      // the coding says it all; otherwise the file carries the format's name
  uint32_t gimp_tag;  // DDS: what GIMP and FFmpeg look for in the reserved words; 0: nothing
};

constexpr uint32_t fourcc(char a, char b, char c, char d) {
  return static_cast<uint32_t>(static_cast<unsigned char>(a)) |
         static_cast<uint32_t>(static_cast<unsigned char>(b)) << 8 |
         static_cast<uint32_t>(static_cast<unsigned char>(c)) << 16 |
         static_cast<uint32_t>(static_cast<unsigned char>(d)) << 24;
}
std::string printable_fourcc(uint32_t value);

const StoredAs& stored_as(TextureFormat format);
const BlockCoding* coding_of_vk(uint32_t vk_format);          // nullptr: none that is known
const BlockCoding* coding_of_dxgi(uint32_t dxgi_format);      // nullptr: none that is known
const BlockCoding* coding_of_fourcc(uint32_t value);          // nullptr: none that is known
const BlockCoding* coding_of_masks(const PixelMasks& masks);  // nullptr: none that is known
const StoredAs* plain_format_of(const BlockCoding& coding);   // nullptr: blocks that texcast has no format for
std::string list_codings();                                   // "BC1, BC3, …" that a file can hold

}  // namespace texcast::container
