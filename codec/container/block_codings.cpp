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
                .dfd_samples = kColorSample,
                .swizzle = {}},
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
                .dfd_samples = kAlphaThenColor,
                .swizzle = {}},
    BlockCoding{.name = "BC4",
                .block_bytes = 8,
                .vk_unorm = 139,
                .vk_srgb = 0,
                .vk_first = 139,
                .vk_last = 139,
                .dxgi_unorm = 80,
                .dxgi_srgb = 0,
                .dxgi_first = 79,
                .dxgi_last = 80,
                .fourccs = {fourcc('B', 'C', '4', 'U'), fourcc('A', 'T', 'I', '1')},
                .dfd_model = 131,
                .dfd_samples = kColorSample,
                .swizzle = "rrr1"},
};
constexpr const BlockCoding* kBc1 = &kCodings[0];
constexpr const BlockCoding* kBc3 = &kCodings[1];
constexpr const BlockCoding* kBc4 = &kCodings[2];
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

const BlockCoding* coding_of_vk(uint32_t vk_format) {
  return find_row(kCodings, [&](const BlockCoding& c) { return vk_format >= c.vk_first && vk_format <= c.vk_last; });
}

const BlockCoding* coding_of_dxgi(uint32_t dxgi_format) {
  return find_row(kCodings,
                  [&](const BlockCoding& c) { return dxgi_format >= c.dxgi_first && dxgi_format <= c.dxgi_last; });
}

const BlockCoding* coding_of_fourcc(uint32_t value) {
  if (value == 0) return nullptr;
  return find_row(kCodings,
                  [&](const BlockCoding& c) { return std::ranges::find(c.fourccs, value) != c.fourccs.end(); });
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
