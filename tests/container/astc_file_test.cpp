// .astc files, assembled here from the description of the format by Arm's astcenc; and ASTC in DDS and KTX2, after
// Microsoft's list of DXGI_FORMAT, Vulkan's of VkFormat and the Khronos Data Format.
#include <doctest/doctest.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "capture_bound.h"
#include "container/block_check.h"
#include "container/still.h"

using namespace texcast;
using container::StillKind;

namespace {

using AstcBytes = std::vector<std::byte>;

struct SizeRow {
  TextureFormat format;
  int width, height;  // of a block
  uint32_t vk, dxgi;  // of formats that are not sRGB; that of sRGB is one more
};
constexpr std::array kSizeRows = {
    SizeRow{TextureFormat::astc_4x4, 4, 4, 157, 134},     SizeRow{TextureFormat::astc_5x4, 5, 4, 159, 138},
    SizeRow{TextureFormat::astc_5x5, 5, 5, 161, 142},     SizeRow{TextureFormat::astc_6x5, 6, 5, 163, 146},
    SizeRow{TextureFormat::astc_6x6, 6, 6, 165, 150},     SizeRow{TextureFormat::astc_8x5, 8, 5, 167, 154},
    SizeRow{TextureFormat::astc_8x6, 8, 6, 169, 158},     SizeRow{TextureFormat::astc_8x8, 8, 8, 171, 162},
    SizeRow{TextureFormat::astc_10x5, 10, 5, 173, 166},   SizeRow{TextureFormat::astc_10x6, 10, 6, 175, 170},
    SizeRow{TextureFormat::astc_10x8, 10, 8, 177, 174},   SizeRow{TextureFormat::astc_10x10, 10, 10, 179, 178},
    SizeRow{TextureFormat::astc_12x10, 12, 10, 181, 182}, SizeRow{TextureFormat::astc_12x12, 12, 12, 183, 186}};

// Any 16 bytes are a block.
AstcBytes numbered_blocks(const TextureDesc& desc) {
  AstcBytes blocks(texture_layout(desc).total_bytes);
  for (size_t i = 0; i < blocks.size(); ++i) blocks[i] = static_cast<std::byte>(1 + i * 11 % 251);
  return blocks;
}

AstcBytes file_of_kind(StillKind kind, const TextureDesc& desc, const AstcBytes& blocks) {
  const auto writer = container::make_still_writer(kind, {.zstd = false});
  AstcBytes file;
  for (const Bytes piece : writer->file_of({desc, blocks})) file.insert(file.end(), piece.begin(), piece.end());
  return file;
}

AstcBytes from_numbers(const std::vector<int>& numbers) {
  AstcBytes bytes;
  for (const int number : numbers) bytes.push_back(static_cast<std::byte>(number));
  return bytes;
}

std::string astc_failure(const AstcBytes& file, const container::StillPart& part = {}) {
  const AstcBytes exact(file);  // AddressSanitizer finds accesses outside it
  const auto info = container::inspect_still(StillKind::astc, exact, part);
  if (!info) return info.error().message;
  if (const auto whole = container::check_still(StillKind::astc, exact, part); !whole) return whole.error().message;
  AstcBytes blocks(texture_layout(info->desc).total_bytes);
  const auto read = container::read_still(StillKind::astc, exact, blocks, part);
  return read ? "" : read.error().message;
}

void check_reads_astc(StillKind kind, const AstcBytes& file, const TextureDesc& desc, const AstcBytes& wanted) {
  const auto info = container::inspect_still(kind, file);
  REQUIRE_MESSAGE(info.has_value(), (info ? "" : info.error().message));
  CHECK(info->desc == desc);
  REQUIRE(container::check_still(kind, file).has_value());
  AstcBytes blocks(texture_layout(desc).total_bytes);
  REQUIRE(container::read_still(kind, file, blocks).has_value());
  CHECK(blocks == wanted);
}

}  // namespace

TEST_CASE(".astc: the header is astcenc's, byte by byte, and the blocks follow it") {
  const TextureDesc desc{.format = TextureFormat::astc_10x6, .width = 1921, .height = 5};
  const AstcBytes blocks = numbered_blocks(desc);
  REQUIRE(blocks.size() == 193 * 1 * 16);  // 1921 / 10, rounded up
  const AstcBytes file = file_of_kind(StillKind::astc, desc, blocks);
  AstcBytes wanted = from_numbers({0x13, 0xAB, 0xA1, 0x5C, 10, 6, 1, 0x81, 0x07, 0x00, 5, 0, 0, 1, 0, 0});
  wanted.insert(wanted.end(), blocks.begin(), blocks.end());
  CHECK(file == wanted);
}

TEST_CASE(".astc: every size of block is read back, at every size of picture, in the usual colours") {
  for (const SizeRow& row : kSizeRows)
    for (const auto& [width, height] : {std::pair{1, 1}, {row.width, row.height}, {13, 5}, {12, 25}, {127, 95}}) {
      CAPTURE(name(row.format));
      CAPTURE_BOUND(width);
      TextureDesc desc{.format = row.format, .width = width, .height = height};
      const size_t across = static_cast<size_t>((width + row.width - 1) / row.width),
                   down = static_cast<size_t>((height + row.height - 1) / row.height);
      const AstcBytes blocks = numbered_blocks(desc);
      CHECK(blocks.size() == 16 * across * down);
      desc.color = {.matrix = ColorMatrix::bt2020, .range = ColorRange::full, .primaries = 9, .transfer = 13};
      AstcBytes file = file_of_kind(StillKind::astc, desc, blocks);
      CHECK(std::to_integer<int>(file[4]) == row.width);
      CHECK(std::to_integer<int>(file[5]) == row.height);
      desc.color = usual_color(row.format);  // the file cannot store others
      check_reads_astc(StillKind::astc, file, desc, blocks);
      file.resize(file.size() + 100);
      check_reads_astc(StillKind::astc, file, desc, blocks);
    }
}

TEST_CASE(".astc holds ASTC only, and one image of it") {
  for (const TextureFormat format : shown_formats())
    CHECK(container::can_hold(StillKind::astc, format) == std::string(name(format)).starts_with("astc-"));
  CHECK(container::list_formats_of(StillKind::astc).starts_with("astc-4x4, astc-5x5, "));
  const TextureDesc desc{.format = TextureFormat::astc_6x6, .width = 12, .height = 12};
  const AstcBytes good = file_of_kind(StillKind::astc, desc, numbered_blocks(desc));
  const auto info = container::inspect_still(StillKind::astc, good);
  REQUIRE(info.has_value());
  CHECK(info->coding == "ASTC 6x6");
  CHECK(info->fourcc.empty());
  CHECK(info->fps == 0);
  CHECK(info->levels == 1);
  CHECK(astc_failure(good, {.level = 1}) == "it has no level 1, only level 0");
  CHECK(astc_failure(good, {.layer = 1}).find("no layer 1") != std::string::npos);
  CHECK(astc_failure(good, {.face = 1}).find("no face 1") != std::string::npos);
}

TEST_CASE(".astc: an image that cannot be read is a failure that says why") {
  const TextureDesc desc{.format = TextureFormat::astc_8x5, .width = 16, .height = 15};
  const AstcBytes good = file_of_kind(StillKind::astc, desc, numbered_blocks(desc));
  const auto with = [&](size_t offset, int value) {
    AstcBytes file = good;
    file[offset] = static_cast<std::byte>(value);
    return astc_failure(file);
  };
  CHECK(astc_failure(good).empty());
  CHECK(astc_failure({}) == "the file has 0 bytes, less than an .astc header (16)");
  CHECK(with(0, 0x5C) == "it does not start as .astc files do");
  CHECK(with(4, 7).find("its blocks are 7x5; supported are astc-4x4, astc-5x5, ") == 0);
  CHECK(with(4, 0).find("its blocks are 0x5") == 0);
  CHECK(with(5, 255).find("its blocks are 8x255") == 0);
  CHECK(with(6, 3) == "it holds a volume (1 deep, in blocks 3 deep) instead of one image");
  CHECK(with(6, 0).find("blocks 0 deep") != std::string::npos);
  CHECK(with(13, 2).find("it holds a volume (2 deep") == 0);
  CHECK(with(15, 1).find("65537 deep") != std::string::npos);
  // Sizes are bounded before anything is computed from them.
  CHECK(with(7, 0).find("0x15") != std::string::npos);
  CHECK(with(10, 0).find("16x0") != std::string::npos);
  CHECK(with(9, 0xFF).find("16711696x15") != std::string::npos);
  CHECK(with(8, 0x40).find("16400x15") != std::string::npos);
  CHECK(with(12, 0x80).find("16x8388623") != std::string::npos);
  CHECK(with(7, 17) == "it is truncated: 96 of 144 bytes of its blocks are there");
  CHECK(with(10, 16) == "it is truncated: 96 of 128 bytes of its blocks are there");
  for (size_t length = 0; length < good.size(); ++length) {
    CAPTURE(length);
    CHECK(!astc_failure({good.begin(), good.begin() + static_cast<ptrdiff_t>(length)}).empty());
  }
}

// Offsets from the start of the file: flags 8, height 12, width 16, linear size 20, pixel format's flags 80, FourCC 84,
// then the longer header's DXGI_FORMAT 128, dimension 132, array size 140.
TEST_CASE("DDS: ASTC uses the DX10 header, with Microsoft's number for each size of block") {
  for (const SizeRow& row : kSizeRows)
    for (const bool srgb : {false, true}) {
      CAPTURE(name(row.format));
      CAPTURE(srgb);
      TextureDesc desc{.format = row.format, .width = 121, .height = 61};
      if (srgb) desc.color.transfer = 13;
      const AstcBytes blocks = numbered_blocks(desc);
      const auto linear_size = static_cast<uint32_t>(
          16 * ((120 / row.width + 1) * (60 / row.height + 1)));  // neither 120 nor 60 is a multiple of a block's side
      AstcBytes file = file_of_kind(StillKind::dds, desc, blocks);
      CHECK(load_le32(file, 8) == 0x00081007);
      CHECK(load_le32(file, 12) == 61);
      CHECK(load_le32(file, 16) == 121);
      CHECK(load_le32(file, 20) == linear_size);
      CHECK(load_le32(file, 80) == 4);
      CHECK(load_le32(file, 84) == 0x30315844);  // "DX10"
      CHECK(load_le32(file, 128) == row.dxgi + (srgb ? 1 : 0));
      CHECK(load_le32(file, 132) == 3);
      CHECK(load_le32(file, 140) == 1);
      REQUIRE(file.size() == 148 + linear_size);
      CHECK(std::equal(blocks.begin(), blocks.end(), file.begin() + 148));
      check_reads_astc(StillKind::dds, file, desc, blocks);
      for (size_t at = 52; at < 76; at += 4)
        store_le32(file, at, 0);  // without texcast's mark, as other programs write
      check_reads_astc(StillKind::dds, file, desc, blocks);
      if (srgb) continue;
      store_le32(file, 128, row.dxgi - 1);  // DXGI_FORMAT_ASTC_…_TYPELESS
      check_reads_astc(StillKind::dds, file, desc, blocks);
    }
}

// The descriptor, word by word: vendor and kind; version 2 and 40 bytes; model 162 (KHR_DF_MODEL_ASTC), primaries,
// transfer, straight alpha; sides of a block minus one; its bytes; then one sample: offset 0, 128 bits, channel 0, no
// position, 0 to 2^32 - 1.
TEST_CASE("KTX2: ASTC's VkFormat and descriptor have the size of a block") {
  for (const SizeRow& row : kSizeRows)
    for (const uint32_t transfer : {1, 13}) {
      CAPTURE(name(row.format));
      CAPTURE(transfer);
      TextureDesc desc{.format = row.format, .width = 121, .height = 61};
      desc.color.primaries = 1;
      desc.color.transfer = static_cast<uint8_t>(transfer);
      const AstcBytes blocks = numbered_blocks(desc);
      const AstcBytes file = file_of_kind(StillKind::ktx2, desc, blocks);
      const bool srgb = transfer == 13;
      const std::vector<uint32_t> header = {row.vk + (srgb ? 1 : 0), 1, 121, 61, 0, 0, 1, 1, 0};
      for (size_t i = 0; i < header.size(); ++i) CHECK(load_le32(file, 12 + 4 * i) == header[i]);
      const uint32_t curve = srgb ? 2 : 3;  // KHR_DF_TRANSFER_SRGB, _ITU
      const std::vector<uint32_t> descriptor = {44,
                                                0,
                                                2 | 40u << 16,
                                                162 | 1u << 8 | curve << 16,
                                                static_cast<uint32_t>((row.width - 1) | (row.height - 1) << 8),
                                                16,
                                                0,
                                                127u << 16,
                                                0,
                                                0,
                                                0xFFFFFFFF};
      REQUIRE(load_le32(file, 52) == 44);
      for (size_t i = 0; i < descriptor.size(); ++i) {
        CAPTURE(i);
        CHECK(load_le32(file, 104 + 4 * i) == descriptor[i]);
      }
      CHECK(load_le<8>(file, 80) % 16 == 0);
      CHECK(load_le<8>(file, 88) == blocks.size());
      check_reads_astc(StillKind::ktx2, file, desc, blocks);
    }
}

TEST_CASE("mip levels of ASTC: each has its own number of blocks, in DDS and KTX2") {
  for (const TextureFormat format : {TextureFormat::astc_5x4, TextureFormat::astc_12x10}) {
    const TextureDesc desc{.format = format, .width = 50, .height = 31};
    std::vector<AstcBytes> blocks;
    std::vector<TextureView> views;
    for (int level = 0; level < most_levels(desc.width, desc.height); ++level)
      blocks.push_back(numbered_blocks(level_of(desc, level)));
    for (size_t i = 0; i < blocks.size(); ++i) views.push_back({level_of(desc, static_cast<int>(i)), blocks[i]});
    // 50x31, 25x15, 12x7, 6x3, 3x1, 1x1
    const std::vector<size_t> counts = format == TextureFormat::astc_5x4 ? std::vector<size_t>{80, 20, 6, 2, 1, 1}
                                                                         : std::vector<size_t>{20, 6, 1, 1, 1, 1};
    size_t all = 0;
    REQUIRE(blocks.size() == counts.size());
    for (size_t i = 0; i < counts.size(); ++i) {
      CHECK(blocks[i].size() == 16 * counts[i]);
      all += blocks[i].size();
    }
    for (const StillKind kind : {StillKind::dds, StillKind::ktx2}) {
      const auto writer = container::make_still_writer(kind, {.zstd = false});
      AstcBytes file;
      for (const Bytes piece : writer->file_of(views[0], std::span(views).subspan(1)))
        file.insert(file.end(), piece.begin(), piece.end());
      if (kind == StillKind::dds) CHECK(file.size() == 148 + all);
      for (size_t i = 0; i < blocks.size(); ++i) {
        const container::StillPart part{.level = static_cast<int>(i)};
        AstcBytes back(blocks[i].size());
        REQUIRE(container::read_still(kind, file, back, part).has_value());
        CHECK(back == blocks[i]);
      }
    }
  }
}

// Void-extent blocks (Khronos Data Format 1.3, section 23.23): 0x1FC in the lowest nine bits, then a bit that is set if
// the colour is in half floats, two bits of 1, and here no extents.
TEST_CASE("reserved ASTC blocks are illegal; blocks of the HDR profile are legal and not shown") {
  const TextureDesc desc{.format = TextureFormat::astc_8x6, .width = 24, .height = 12};
  const AstcBytes one_color = from_numbers({0xFC, 0xFD, 255, 255, 255, 255, 255, 255, 1, 2, 3, 4, 5, 6, 7, 8});
  const auto blocks_with = [&](const std::vector<std::pair<size_t, int>>& second_bytes) {
    AstcBytes blocks;
    for (int i = 0; i < 6; ++i) blocks.insert(blocks.end(), one_color.begin(), one_color.end());
    for (const auto& [block, byte] : second_bytes) blocks[16 * block + 1] = static_cast<std::byte>(byte);
    return blocks;
  };
  const auto look = [&](const AstcBytes& blocks) { return container::look_at_blocks({desc, blocks}); };
  const auto good = look(blocks_with({}));
  CHECK(!good.illegal);
  CHECK(!good.unshown);
  const auto hdr = look(blocks_with({{4, 0xFF}}));
  CHECK(!hdr.illegal);
  CHECK(hdr.unshown == "1 of 6 blocks are HDR and displayed as magenta, the first in column 1, row 1");
  const auto both = look(blocks_with({{1, 0xFF}, {2, 0xF1}, {5, 0xF9}}));  // the two bits of 1 are not
  CHECK(both.illegal == "2 of 6 blocks are not valid ASTC, the first in column 2, row 0");
  REQUIRE(both.unshown);
  CHECK(both.unshown->find("1 of 6 blocks are HDR") == 0);
}
