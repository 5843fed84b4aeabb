#include "block_codings.h"

#include <algorithm>

#include "base/ensure.h"

namespace texcast::container {
namespace {

// Channels are numbered by colour model: 0 is colour (BC1, BC3) or the data (BC4), 15 is alpha.
constexpr std::array kColorSample = {DfdSample{.bit_offset = 0, .bit_length = 64, .channel = 0}};
constexpr std::array kAlphaThenColor = {
    DfdSample{.bit_offset = 0, .bit_length = 64, .channel = 15, .is_alpha = true},
    DfdSample{.bit_offset = 64, .bit_length = 64, .channel = 0},
};

constexpr std::array kRgba = {
    DfdSample{.bit_offset = 0, .bit_length = 8, .channel = 0, .upper = 255},
    DfdSample{.bit_offset = 8, .bit_length = 8, .channel = 1, .upper = 255},
    DfdSample{.bit_offset = 16, .bit_length = 8, .channel = 2, .upper = 255},
    DfdSample{.bit_offset = 24, .bit_length = 8, .channel = 15, .is_alpha = true, .upper = 255},
};
constexpr std::array kBgr = {
    DfdSample{.bit_offset = 0, .bit_length = 8, .channel = 2, .upper = 255},
    DfdSample{.bit_offset = 8, .bit_length = 8, .channel = 1, .upper = 255},
    DfdSample{.bit_offset = 16, .bit_length = 8, .channel = 0, .upper = 255},
};
constexpr uint8_t kRgbsda = 1;  // colour model of R, G, B and alpha

constexpr std::array kCodings = {
    BlockCoding{.name = "BC1",
                .block_bytes = 8,
                .vk_unorm = 131,  // the RGB formats, without the hole of index 3; the RGBA ones are read
                .vk_srgb = 132,
                .vk_first = 131,
                .vk_last = 134,
                .dxgi_unorm = 71,
                .dxgi_srgb = 72,
                .dxgi_first = 70,
                .dxgi_last = 72,
                .fourccs = {fourcc('D', 'X', 'T', '1'), 0},
                .dfd_model = 128,
                .dfd_samples = kColorSample},
    BlockCoding{.name = "BC3",
                .block_bytes = 16,
                .vk_unorm = 137,
                .vk_srgb = 138,
                .vk_first = 137,
                .vk_last = 138,
                .dxgi_unorm = 77,
                .dxgi_srgb = 78,
                .dxgi_first = 76,
                .dxgi_last = 78,
                .fourccs = {fourcc('D', 'X', 'T', '5'), 0},
                .dfd_model = 130,
                .dfd_samples = kAlphaThenColor},
    BlockCoding{.name = "BC4",
                .block_bytes = 8,
                .vk_unorm = 139,
                .dxgi_unorm = 80,
                .dxgi_first = 79,
                .dxgi_last = 80,
                .fourccs = {fourcc('B', 'C', '4', 'U'), fourcc('A', 'T', 'I', '1')},
                .dfd_model = 131,
                .dfd_samples = kColorSample,
                .swizzle = "rrr1"},
    // BC1 whose channels are Y', Cb, Cr: no standard's, so only texcast reads it as what it is.
    BlockCoding{.name = "DXTY", .block_bytes = 8, .fourccs = {fourcc('D', 'X', 'T', 'Y'), 0}},
    // Two pixels of 4:2:2. KTX2 could hold them, to be shown through a sampler conversion, which few readers have.
    BlockCoding{.name = "UYVY",
                .block_bytes = 4,
                .fourccs = {fourcc('U', 'Y', 'V', 'Y'), 0},
                .block_width = 2,
                .block_height = 1},
    BlockCoding{.name = "YUY2",
                .block_bytes = 4,
                .dxgi_unorm = 107,
                .fourccs = {fourcc('Y', 'U', 'Y', '2'), 0},
                .block_width = 2,
                .block_height = 1},
    BlockCoding{.name = "RGBA8",
                .block_bytes = 4,
                .vk_unorm = 37,
                .vk_srgb = 43,
                .dxgi_unorm = 28,
                .dxgi_srgb = 29,
                .dfd_model = kRgbsda,
                .dfd_samples = kRgba,
                .masks = {32, {0xFF, 0xFF00, 0xFF0000, 0xFF000000}},
                .block_width = 1,
                .block_height = 1},
    BlockCoding{.name = "RGB8",
                .block_bytes = 3,
                .vk_unorm = 23,
                .vk_srgb = 29,
                .dfd_model = kRgbsda,
                .dfd_samples = std::span(kRgba).first<3>(),
                .masks = {24, {0xFF, 0xFF00, 0xFF0000, 0}},
                .block_width = 1,
                .block_height = 1},
    BlockCoding{.name = "BGR8",
                .block_bytes = 3,
                .vk_unorm = 30,
                .vk_srgb = 36,
                .dfd_model = kRgbsda,
                .dfd_samples = kBgr,
                .masks = {24, {0xFF0000, 0xFF00, 0xFF, 0}},
                .block_width = 1,
                .block_height = 1},
};
constexpr const BlockCoding* kBc1 = &kCodings[0];
constexpr const BlockCoding* kBc3 = &kCodings[1];
constexpr const BlockCoding* kBc4 = &kCodings[2];
constexpr const BlockCoding* kDxty = &kCodings[3];
constexpr const BlockCoding* kUyvy = &kCodings[4];
constexpr const BlockCoding* kYuy2 = &kCodings[5];
constexpr const BlockCoding* kRgba8 = &kCodings[6];
constexpr const BlockCoding* kRgb8 = &kCodings[7];
constexpr const BlockCoding* kBgr8 = &kCodings[8];
constexpr uint32_t kScaledYCoCg = fourcc('Y', 'C', 'G', '2');

constexpr std::array kFormats = {
    StoredAs{TextureFormat::bc1, kBc1, true, 0},
    StoredAs{TextureFormat::ycocg_bc4_420, kBc4, false, 0},
    StoredAs{TextureFormat::ycocg_bc4_422, kBc4, false, 0},
    StoredAs{TextureFormat::ycocg_bc4_444, kBc4, false, 0},
    StoredAs{TextureFormat::ycocg_dxt5, kBc3, false, kScaledYCoCg},
    StoredAs{TextureFormat::bc3, kBc3, true, 0},
    StoredAs{TextureFormat::bc4, kBc4, true, 0},
    StoredAs{TextureFormat::ycocg_dxt5_alpha, kBc3, false, kScaledYCoCg},
    StoredAs{TextureFormat::bc1_ycbcr, kDxty, true, 0},
    StoredAs{TextureFormat::uyvy, kUyvy, true, 0},
    StoredAs{TextureFormat::rgba8, kRgba8, true, 0},
    StoredAs{TextureFormat::rgb8, kRgb8, true, 0},
    StoredAs{TextureFormat::bgr8, kBgr8, true, 0},
    StoredAs{TextureFormat::yuyv, kYuy2, true, 0},
};

template <typename Rows, typename Test>
auto find_row(const Rows& rows, Test test) -> decltype(&rows[0]) {
  const auto found = std::find_if(rows.begin(), rows.end(), test);
  return found == rows.end() ? nullptr : &*found;
}

}  // namespace

std::string printable_fourcc(uint32_t value) {
  std::string text;
  for (int i = 0; i < 4; ++i, value >>= 8) {
    const char c = static_cast<char>(value & 0xFF);
    text += c >= ' ' && c <= '~' ? c : '?';
  }
  return text;
}

const StoredAs& stored_as(TextureFormat format) {
  const StoredAs* row = find_row(kFormats, [&](const StoredAs& s) { return s.format == format; });
  ENSURE(row != nullptr);
  return *row;
}

const BlockCoding* coding_of_vk(uint32_t vk) {
  if (vk == 0) return nullptr;
  return find_row(kCodings,
                  [&](const BlockCoding& c) { return (vk >= c.vk_first && vk <= c.vk_last) || vk == c.vk_srgb; });
}

const BlockCoding* coding_of_dxgi(uint32_t dxgi) {
  if (dxgi == 0) return nullptr;
  return find_row(kCodings, [&](const BlockCoding& c) {
    return (dxgi >= c.dxgi_first && dxgi <= c.dxgi_last) || dxgi == c.dxgi_srgb;
  });
}

const BlockCoding* coding_of_fourcc(uint32_t value) {
  if (value == 0) return nullptr;
  return find_row(kCodings,
                  [&](const BlockCoding& c) { return std::ranges::find(c.fourccs, value) != c.fourccs.end(); });
}

const BlockCoding* coding_of_masks(const PixelMasks& masks) {
  if (masks.bits == 0) return nullptr;
  return find_row(kCodings, [&](const BlockCoding& c) { return c.masks == masks; });
}

const StoredAs* plain_format_of(const BlockCoding& coding) {
  return find_row(kFormats, [&](const StoredAs& s) { return s.is_plain && s.coding == &coding; });
}

std::string list_codings() {
  std::string list;
  for (const StoredAs& row : kFormats)
    if (row.is_plain) list += (list.empty() ? "" : ", ") + std::string(row.coding->name);
  return list;
}

}  // namespace texcast::container
