// KTX2 files, parsed and assembled here after the KTX 2.0 and Khronos Data Format 1.3 specifications, not by the writer
// or the reader.
#include <doctest/doctest.h>
#include <zstd.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "capture_bound.h"
#include "container/still.h"
#include "stills_by_hand.h"

using namespace texcast;
using container::StillKind;

namespace {

using Buffer = std::vector<std::byte>;

Buffer ktx2_blocks(const TextureDesc& desc) {
  Buffer blocks(texture_layout(desc).total_bytes);
  for (size_t i = 0; i < blocks.size(); ++i) blocks[i] = static_cast<std::byte>(i * i / 7 % 13 * 19 + 1);  // never 0
  return blocks;
}

Buffer ktx2_of(const TextureDesc& desc, const Buffer& blocks, bool zstd) {
  const auto writer = container::make_still_writer(StillKind::ktx2, {.zstd = zstd});
  Buffer file;
  for (const Bytes piece : writer->file_of({desc, blocks})) file.insert(file.end(), piece.begin(), piece.end());
  return file;
}

struct Entry {
  uint64_t offset, bytes, plain_bytes;
};
Entry first_level(const Buffer& file) { return {load_le<8>(file, 80), load_le<8>(file, 88), load_le<8>(file, 96)}; }

std::map<std::string, std::string> keys_of(const Buffer& file) {
  std::map<std::string, std::string> keys;
  std::string before;
  size_t at = load_le32(file, 56);
  const size_t end = at + load_le32(file, 60);
  while (at < end) {
    const size_t bytes = load_le32(file, at);
    REQUIRE(at + 4 + bytes <= end);
    const std::string pair(reinterpret_cast<const char*>(file.data()) + at + 4, bytes);
    const std::string key = pair.substr(0, pair.find('\0'));
    CHECK(before < key);  // sorted, without duplicates
    CHECK(pair.back() == '\0');
    keys[before = key] = pair.substr(key.size() + 1, pair.size() - key.size() - 2);
    at += 4 + (bytes + 3) / 4 * 4;
  }
  CHECK(at == end);
  return keys;
}

std::string ktx2_failure(const Buffer& file) {
  const Buffer exact(file);  // AddressSanitizer finds accesses outside it
  const auto info = container::inspect_still(StillKind::ktx2, exact);
  if (!info) return info.error().message;
  if (const auto whole = container::check_still(StillKind::ktx2, exact); !whole) return whole.error().message;
  Buffer blocks(texture_layout(info->desc).total_bytes);
  const auto read = container::read_still(StillKind::ktx2, exact, blocks);
  return read ? "" : read.error().message;
}

Buffer read_back(const Buffer& file, const TextureDesc& desc) {
  const auto info = container::inspect_still(StillKind::ktx2, file);
  REQUIRE_MESSAGE(info.has_value(), (info ? "" : info.error().message));
  CHECK(info->desc == desc);
  Buffer blocks(texture_layout(desc).total_bytes);
  const auto read = container::read_still(StillKind::ktx2, file, blocks);
  REQUIRE_MESSAGE(read.has_value(), (read ? "" : read.error().message));
  return blocks;
}

// A file with the given level data: no keys, a descriptor of BC1.
Buffer bc1_file(uint32_t width, uint32_t height, uint32_t layers, uint32_t levels, uint32_t scheme, const Buffer& level,
                uint64_t plain_bytes) {
  Buffer file = test::ktx2_head_by_hand(width, height, layers, 1, levels, scheme);
  store_le64(file, 80, file.size());
  store_le64(file, 88, level.size());
  store_le64(file, 96, plain_bytes);
  file.insert(file.end(), level.begin(), level.end());
  return file;
}

Buffer zstd_of(const Buffer& plain) {
  Buffer packed(ZSTD_compressBound(plain.size()));
  packed.resize(ZSTD_compress(packed.data(), packed.size(), plain.data(), plain.size(), 3));
  return packed;
}

}  // namespace

TEST_CASE("the header, level index, descriptor and keys are those of the specification") {
  struct Expected {
    TextureFormat format;
    uint8_t transfer;  // H.273
    uint32_t vk_format, layers;
    std::vector<uint32_t> descriptor;  // after its size: words of the basic block
    std::string swizzle, format_key, color_key;
  };
  // Block header; model, primaries BT.709, transfer, flags; 4x4; bytes per block; then four words per sample.
  const std::vector<uint32_t> bc1 = {0, 0x00280002, 0x00000180, 0x0303, 8, 0, 0x003F0000, 0, 0, 0xFFFFFFFF};
  const std::vector<uint32_t> bc3 = {0, 0x00380002, 0x00000182, 0x0303,     16, 0, 0x0F3F0000,
                                     0, 0,          0xFFFFFFFF, 0x003F0040, 0,  0, 0xFFFFFFFF};
  const std::vector<uint32_t> bc4 = {0, 0x00280002, 0x00000183, 0x0303, 8, 0, 0x003F0000, 0, 0, 0xFFFFFFFF};
  // R8G8B8A8: a block is a texel; eight bits for each channel, up to 255.
  const std::vector<uint32_t> rgba8 = {0, 0x00580002, 0x00000101, 0, 4, 0,   0x00070000, 0, 0, 255, 0x01070008, 0,
                                       0, 255,        0x02070010, 0, 0, 255, 0x0F070018, 0, 0, 255};
  const std::vector<uint32_t> bgr8 = {0,   0x00480002, 0x00000101, 0, 3,   0,          0x02070000, 0, 0,
                                      255, 0x01070008, 0,          0, 255, 0x00070010, 0,          0, 255};
  const auto with_transfer = [](std::vector<uint32_t> words, uint32_t transfer) {
    words[2] |= transfer << 16;
    return words;
  };
  auto bc3_srgb = with_transfer(bc3, 2);
  bc3_srgb[6] |= 0x10000000;  // alpha stays linear
  const Expected table[] = {
      {TextureFormat::bc1, 8, 131, 0, with_transfer(bc1, 1), "", "", ""},
      {TextureFormat::bc1, 1, 131, 0, with_transfer(bc1, 3), "", "", ""},
      {TextureFormat::bc1, 13, 132, 0, with_transfer(bc1, 2), "", "", ""},
      {TextureFormat::bc1, 14, 131, 0, with_transfer(bc1, 3), "", "",
       "1,1,14"},  // transfer of BT.2020, the first of several
      {TextureFormat::bc3, 1, 137, 0, with_transfer(bc3, 3), "", "", ""},
      {TextureFormat::bc3, 13, 138, 0, bc3_srgb, "", "", ""},
      {TextureFormat::ycocg_dxt5, 1, 137, 0, with_transfer(bc3, 3), "", "ycocg-dxt5", ""},
      // Luma and chroma are not sRGB, and a texture unit must not convert them.
      {TextureFormat::ycocg_dxt5, 13, 137, 0, bc3, "", "ycocg-dxt5", "1,1,13"},
      {TextureFormat::ycocg_dxt5_alpha, 1, 137, 2, with_transfer(bc3, 3), "", "ycocg-dxt5-alpha", ""},
      {TextureFormat::bc4, 1, 139, 0, with_transfer(bc4, 3), "rrr1", "", ""},
      {TextureFormat::bc4, 13, 139, 0, with_transfer(bc4, 2), "rrr1", "",
       ""},  // has no sRGB twin: only the transfer says it
      {TextureFormat::ycocg_bc4_420, 1, 139, 3, with_transfer(bc4, 3), "rrr1", "ycocg-bc4", ""},
      {TextureFormat::ycocg_bc4_422, 16, 139, 3, with_transfer(bc4, 10), "rrr1", "ycocg-bc4-422", ""},
      {TextureFormat::ycocg_bc4_444, 2, 139, 3, bc4, "rrr1", "ycocg-bc4-444", ""},
      {TextureFormat::rgba8, 1, 37, 0, with_transfer(rgba8, 3), "", "", ""},
      {TextureFormat::bgr8, 1, 30, 0, with_transfer(bgr8, 3), "", "", ""},
      {TextureFormat::bgr8, 13, 36, 0, with_transfer(bgr8, 2), "", "", ""},
  };
  for (const Expected& e : table)
    for (const bool zstd : {false, true}) {
      CAPTURE(name(e.format));
      CAPTURE(e.transfer);
      CAPTURE(zstd);
      TextureDesc desc{.format = e.format, .width = 62, .height = 45};
      desc.color.primaries = 1;
      desc.color.transfer = e.transfer;
      const Buffer blocks = ktx2_blocks(desc);
      const Buffer file = ktx2_of(desc, blocks, zstd);
      const size_t block_bytes = e.descriptor[4];
      const size_t blocks_of_layer = e.vk_format > 100 ? 16 * 12 : 62 * 45;
      const size_t level_bytes = blocks_of_layer * block_bytes * std::max(e.layers, 1u);
      const size_t alignment = block_bytes == 3 ? 12 : block_bytes;  // a multiple of the block size and of 4

      CHECK(std::string(reinterpret_cast<const char*>(file.data()), 12) == "\xABKTX 20\xBB\r\n\x1A\n");
      const std::vector<uint32_t> header = {e.vk_format, 1, 62, 45, 0, e.layers, 1, 1, zstd ? 2u : 0u};
      for (size_t i = 0; i < header.size(); ++i) CHECK(load_le32(file, 12 + 4 * i) == header[i]);
      const size_t dfd_bytes = 4 + 4 * e.descriptor.size();
      CHECK(load_le32(file, 48) == 104);
      CHECK(load_le32(file, 52) == dfd_bytes);
      CHECK(load_le32(file, 56) == 104 + dfd_bytes);
      CHECK(load_le<8>(file, 64) == 0);  // supercompression global data
      CHECK(load_le<8>(file, 72) == 0);
      CHECK(load_le32(file, 104) == dfd_bytes);
      for (size_t i = 0; i < e.descriptor.size(); ++i) {
        CAPTURE(i);
        CHECK(load_le32(file, 108 + 4 * i) == e.descriptor[i]);
      }

      auto keys = keys_of(file);
      CHECK(keys["KTXorientation"] == "rd");
      CHECK(keys["KTXwriter"].starts_with("texcast "));
      CHECK(keys["KTXswizzle"] == e.swizzle);
      CHECK(keys["texcast.format"] == e.format_key);
      CHECK(keys["texcast.color"] == e.color_key);

      const size_t keys_end = load_le32(file, 56) + load_le32(file, 60);
      const Entry level = first_level(file);
      CHECK(level.plain_bytes == level_bytes);
      CHECK(level.offset + level.bytes == file.size());
      if (!zstd) {
        CHECK(level.bytes == level_bytes);
        CHECK(level.offset == (keys_end + alignment - 1) / alignment * alignment);
      } else {
        CHECK(level.bytes < level_bytes);
        CHECK(level.offset == keys_end);  // follows immediately
      }
      CHECK(read_back(file, desc) == blocks);
    }
}

TEST_CASE("every format is read back at every size, compressed and uncompressed") {
  for (const TextureFormat format : shown_formats()) {
    if (!container::can_hold(StillKind::ktx2, format)) continue;
    for (const auto& [width, height] : {std::pair{1, 1}, {5, 3}, {12, 4}, {127, 95}, {130, 66}})
      for (const bool zstd : {false, true}) {
        CAPTURE(name(format));
        CAPTURE_BOUND(width);
        const TextureDesc desc{.format = format, .width = width, .height = height};
        const Buffer blocks = ktx2_blocks(desc);
        CHECK(read_back(ktx2_of(desc, blocks, zstd), desc) == blocks);
      }
  }
  for (const TextureFormat format : {TextureFormat::bc1_ycbcr, TextureFormat::uyvy, TextureFormat::yuyv})
    CHECK_FALSE(container::can_hold(StillKind::ktx2, format));
}

// 20x12: 5x3 blocks of luma, 3x2 of chroma (10x6 texels).
TEST_CASE("planes are layers of the first one's size, smaller ones in the top left corner") {
  const TextureDesc desc{.format = TextureFormat::ycocg_bc4_420, .width = 20, .height = 12};
  const Buffer blocks = ktx2_blocks(desc);
  REQUIRE(blocks.size() == 8 * (15 + 6 + 6));
  const Buffer file = ktx2_of(desc, blocks, false);
  const size_t level = first_level(file).offset;
  for (size_t layer = 0; layer < 3; ++layer)
    for (size_t row = 0; row < 3; ++row)
      for (size_t column = 0; column < 5; ++column) {
        const bool covered = layer == 0 || (row < 2 && column < 3);
        const size_t block = layer == 0 ? row * 5 + column : 15 + (layer - 1) * 6 + row * 3 + column;
        for (size_t i = 0; i < 8; ++i) {
          const std::byte there = file[level + ((layer * 3 + row) * 5 + column) * 8 + i];
          CHECK(there == (covered ? blocks[block * 8 + i] : std::byte{0}));
        }
      }
}

TEST_CASE("alpha of scaled YCoCg lies in the alpha sub-blocks of a second layer") {
  const TextureDesc desc{.format = TextureFormat::ycocg_dxt5_alpha, .width = 12, .height = 8};
  const Buffer blocks = ktx2_blocks(desc);
  REQUIRE(blocks.size() == 6 * (16 + 8));
  const Buffer file = ktx2_of(desc, blocks, false);
  const size_t level = first_level(file).offset;
  for (size_t i = 0; i < 6 * 16; ++i) {
    CHECK(file[level + i] == blocks[i]);
    CHECK(file[level + 96 + i] == (i % 16 < 8 ? blocks[96 + i / 16 * 8 + i % 16] : std::byte{0}));
  }
}

TEST_CASE("a level compressed by Zstandard decompresses to the level; Zstandard is not used where it gains nothing") {
  const TextureDesc desc{.format = TextureFormat::bc1, .width = 256, .height = 64};
  const Buffer blocks = ktx2_blocks(desc);
  const Buffer file = ktx2_of(desc, blocks, true);
  const Entry level = first_level(file);
  Buffer unpacked(blocks.size());
  CHECK(ZSTD_decompress(unpacked.data(), unpacked.size(), file.data() + level.offset, level.bytes) == blocks.size());
  CHECK(unpacked == blocks);
  const TextureDesc tiny{.format = TextureFormat::bc1, .width = 4, .height = 4};
  const Buffer small = ktx2_of(tiny, ktx2_blocks(tiny), true);
  CHECK(load_le32(small, 44) == 0);
  CHECK(first_level(small).bytes == 8);
}

TEST_CASE("colours are read back, and follow a descriptor that another program has changed") {
  for (const auto matrix : {ColorMatrix::bt601, ColorMatrix::bt709, ColorMatrix::bt2020})
    for (int code = 0; code < 23; ++code)
      for (const TextureFormat format : {TextureFormat::bc1, TextureFormat::ycocg_dxt5}) {
        TextureDesc desc{.format = format, .width = 8, .height = 8};
        desc.color = {.matrix = matrix,
                      .range = ColorRange::full,
                      .primaries = static_cast<uint8_t>(code),
                      .transfer = static_cast<uint8_t>(22 - code)};
        read_back(ktx2_of(desc, ktx2_blocks(desc), false), desc);
      }
  TextureDesc desc{.format = TextureFormat::bc1, .width = 8, .height = 8};
  desc.color = {.matrix = ColorMatrix::bt2020, .range = ColorRange::full, .primaries = 9, .transfer = 14};
  Buffer file = ktx2_of(desc, ktx2_blocks(desc), false);
  store_le<1>(file, 104 + 13, 10);  // Display P3
  const auto info = container::inspect_still(StillKind::ktx2, file);
  REQUIRE(info.has_value());
  CHECK(info->desc.color.primaries == 12);
  CHECK(info->desc.color.transfer == 1);
}

TEST_CASE("the first mip level and array layer is read, whatever the compression") {
  const TextureDesc desc{.format = TextureFormat::bc1, .width = 8, .height = 8};
  Buffer layers(4 * 8 * 3);
  for (size_t i = 0; i < layers.size(); ++i) layers[i] = static_cast<std::byte>(i);
  const Buffer first(layers.begin(), layers.begin() + 32);
  CHECK(read_back(bc1_file(8, 8, 3, 1, 0, layers, 96), desc) == first);
  CHECK(read_back(bc1_file(8, 8, 3, 4, 0, layers, 96), desc) == first);
  CHECK(read_back(bc1_file(8, 8, 3, 1, 2, zstd_of(layers), 96), desc) == first);
  CHECK(read_back(bc1_file(8, 8, 0, 1, 2, zstd_of(first), 32), desc) == first);
}

TEST_CASE("a Zstandard frame without a content size is read") {
  const TextureDesc desc{.format = TextureFormat::bc1, .width = 64, .height = 64};
  const Buffer blocks = ktx2_blocks(desc);
  Buffer packed(ZSTD_compressBound(blocks.size()));
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0);
  packed.resize(ZSTD_compress2(context, packed.data(), packed.size(), blocks.data(), blocks.size()));
  ZSTD_freeCCtx(context);
  REQUIRE(ZSTD_getFrameContentSize(packed.data(), packed.size()) == ZSTD_CONTENTSIZE_UNKNOWN);
  CHECK(read_back(bc1_file(64, 64, 0, 1, 2, packed, 2048), desc) == blocks);
  CHECK(ktx2_failure(bc1_file(64, 60, 0, 1, 2, packed, 1920)) == "its Zstandard frame is longer than its blocks");
  CHECK(
      ktx2_failure(bc1_file(64, 68, 0, 1, 2, packed, 2176)).find("decompress to 2048 bytes, but its size needs 2176") !=
      std::string::npos);
}

TEST_CASE("a KTX2 image that cannot be read is a failure that says why") {
  const TextureDesc desc{.format = TextureFormat::bc1, .width = 16, .height = 16};
  const Buffer good = ktx2_of(desc, ktx2_blocks(desc), false);
  const auto with = [&](size_t offset, uint32_t value) {
    Buffer file = good;
    store_le32(file, offset, value);
    return ktx2_failure(file);
  };
  const auto has = [](const std::string& text, const std::string& words) {
    INFO(text);
    return text.find(words) != std::string::npos;
  };
  CHECK(ktx2_failure(good).empty());
  CHECK(has(ktx2_failure({}), "the file has 0 bytes, less than a KTX2 header"));
  CHECK(has(with(0, 0x20202020), "does not start"));
  CHECK(has(with(12, 0), "VkFormat 0, as Basis Universal does; supported are BC1"));
  CHECK(has(with(12, 64), "VkFormat 64"));
  CHECK(has(with(12, 137), "BC3"));  // the descriptor or the format does not agree with it
  CHECK(has(with(28, 4), "volume"));
  CHECK(has(with(36, 6), "take 128 bytes, but its size needs 768"));
  CHECK(has(with(36, 0), "it has 0 faces"));
  CHECK(has(with(44, 1), "BasisLZ"));
  CHECK(has(with(44, 3), "zlib"));
  CHECK(has(with(44, 77), "scheme 77"));
  // Sizes are bounded before anything is computed from them.
  CHECK(has(with(20, 0), "0x16"));
  CHECK(has(with(24, 0), "16x0"));
  CHECK(has(with(20, 16385), "16385x16"));
  CHECK(has(with(24, 0xFFFFFFFF), "16x4294967295"));
  CHECK(has(with(20, 20), "take 128 bytes, but its size needs 160"));
  CHECK(has(with(32, 0xFFFFFFFF), "its size needs 549755813760"));
  CHECK(has(with(48, 0xFFFFFFFF), "past its end"));
  CHECK(has(with(60, 0xFFFFFFFF), "past its end"));
  CHECK(has(with(52, 8), "not a basic one"));
  CHECK(has(with(104 + 12, 130), "colour model 130"));
  CHECK(has(with(load_le32(good, 56), 0xFFFFFFFF), "key/value data are truncated"));
  CHECK(has(with(80, 0xFFFFFFFF), "is truncated"));
  CHECK(has(with(84, 0xFFFFFFFF), "is truncated"));
  CHECK(has(with(88, 64), "stored in 64 bytes but take 128"));
  CHECK(has(with(44, 2), "not a Zstandard frame"));

  Buffer up = good;  // the "rd" of KTXorientation
  const size_t value = load_le32(good, 56) + 4 + std::string("KTXorientation").size() + 1;
  REQUIRE(up[value + 1] == std::byte{'d'});
  up[value + 1] = std::byte{'u'};
  CHECK(has(ktx2_failure(up), "orientation is 'ru'"));
}

TEST_CASE("texcast's own keys are used only if they agree with the rest of the file") {
  const TextureDesc desc{.format = TextureFormat::ycocg_bc4_444, .width = 8, .height = 8};
  const Buffer good = ktx2_of(desc, ktx2_blocks(desc), false);
  const auto begin = reinterpret_cast<const char*>(good.data());
  const size_t at = std::string(begin, good.size()).find("ycocg-bc4-444");
  REQUIRE(at != std::string::npos);
  const auto with = [&](const std::string& text) {
    Buffer file = good;
    std::ranges::copy(as_bytes_of(text), file.begin() + static_cast<ptrdiff_t>(at));
    return ktx2_failure(file);
  };
  CHECK(with("ycocg-bc4-422").empty());  // the same layers; only the planes in them are smaller
  CHECK(with("ycocg-bc9-444") == "its texcast.format is 'ycocg-bc9-444', which is unknown");
  CHECK(with(std::string("bc1\0", 4)).find("bc1 does not match its VkFormat BC4") != std::string::npos);
  Buffer file = good;
  store_le32(file, 32, 2);
  CHECK(ktx2_failure(file) == "it has 2 layers, but ycocg-bc4-444 has 3 planes");
}

TEST_CASE("no Zstandard frame makes the reader expect more blocks than it can hold") {
  const Buffer zeros(4096);
  // The frame's content size is 4 KiB, for a level of 128 MiB.
  CHECK(ktx2_failure(bc1_file(16384, 16384, 0, 1, 2, zstd_of(zeros), 134217728))
            .find("decompress to 4096 bytes, but its size needs 134217728") != std::string::npos);
  // A frame of unknown size, too short for what it should hold.
  const unsigned char empty[] = {0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x00, 0x01, 0x00, 0x00};
  const Bytes bytes = as_bytes_of(empty);
  const Buffer level(bytes.begin(), bytes.end());
  CHECK(ktx2_failure(bc1_file(16384, 16384, 0, 1, 2, level, 134217728)) ==
        "its 9 bytes of Zstandard cannot hold 134217728");
  CHECK(ktx2_failure(bc1_file(8, 8, 0, 1, 2, level, 32)).find("decompress to 0 bytes, but its size needs 32") !=
        std::string::npos);
}

TEST_CASE("a KTX2 file cut off anywhere fails, and no flipped byte causes an access outside it") {
  const TextureDesc desc{.format = TextureFormat::ycocg_bc4_420, .width = 40, .height = 20};
  for (const bool zstd : {false, true}) {
    const Buffer good = ktx2_of(desc, ktx2_blocks(desc), zstd);
    for (size_t length = 0; length < good.size(); ++length) {
      CAPTURE(length);
      CHECK(!ktx2_failure(Buffer(good.begin(), good.begin() + static_cast<ptrdiff_t>(length))).empty());
    }
    for (size_t at = 0; at < good.size(); ++at)
      for (const int flip : {0x01, 0x80, 0xFF}) {
        Buffer damaged = good;
        damaged[at] ^= static_cast<std::byte>(flip);
        (void)ktx2_failure(damaged);
      }
  }
}
