// Mip levels, arrays and cube maps in DDS and KTX2. Positions are computed here and in stills_by_hand.h after
// Microsoft's "DDS file layout" and the KTX 2.0 specification, not by the writers or readers.
#include <doctest/doctest.h>
#include <zstd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "container/still.h"
#include "stills_by_hand.h"

using namespace texcast;
using container::StillKind;
using texcast::test::dds_by_hand, texcast::test::ktx2_by_hand, texcast::test::numbered;

namespace {

using Buffer = std::vector<std::byte>;

// Each level's blocks have different bytes.
struct Pyramid {
  std::vector<Buffer> blocks;
  std::vector<TextureView> views;
};
Pyramid pyramid_of(const TextureDesc& desc) {
  Pyramid p;
  const int levels = most_levels(desc.width, desc.height);
  p.blocks.reserve(static_cast<size_t>(levels));
  for (int level = 0; level < levels; ++level) {
    const TextureDesc here = level_of(desc, level);
    Buffer& blocks = p.blocks.emplace_back(texture_layout(here).total_bytes);
    for (size_t i = 0; i < blocks.size(); ++i)
      blocks[i] = static_cast<std::byte>(1 + (static_cast<size_t>(level) * 31 + i * i / 5) % 254);
    p.views.push_back({here, blocks});
  }
  return p;
}

Buffer file_of_levels(StillKind kind, const Pyramid& p, bool zstd = false) {
  const auto writer = container::make_still_writer(kind, {.zstd = zstd});
  Buffer file;
  for (const Bytes piece : writer->file_of(p.views[0], std::span(p.views).subspan(1)))
    file.insert(file.end(), piece.begin(), piece.end());
  return file;
}

std::string part_failure(StillKind kind, const Buffer& file, const StillPart& part) {
  const Buffer exact(file);  // AddressSanitizer finds accesses outside it
  const auto info = container::inspect_still(kind, exact, part);
  if (!info) return info.error().message;
  if (const auto whole = container::check_still(kind, exact, part); !whole) return whole.error().message;
  Buffer blocks(texture_layout(info->desc).total_bytes);
  const auto read = container::read_still(kind, exact, blocks, part);
  return read ? "" : read.error().message;
}

Buffer part_of_file(StillKind kind, const Buffer& file, const StillPart& part) {
  const auto info = container::inspect_still(kind, file, part);
  REQUIRE_MESSAGE(info.has_value(), (info ? "" : info.error().message));
  Buffer blocks(texture_layout(info->desc).total_bytes);
  REQUIRE(container::check_still(kind, file, part).has_value());
  REQUIRE(container::read_still(kind, file, blocks, part).has_value());
  return blocks;
}

Buffer bytes_at(const Buffer& file, size_t at, size_t count) {
  REQUIRE(at + count <= file.size());
  return {file.begin() + static_cast<ptrdiff_t>(at), file.begin() + static_cast<ptrdiff_t>(at + count)};
}

}  // namespace

namespace {

// Images of BC1, 8x8, with two levels of 32 and 8 bytes; the bytes are numbered in the order of a file's levels.
struct Images {
  std::vector<Buffer> blocks;
  std::vector<std::vector<TextureView>> levels;
  std::vector<StillImage> images;
};
Images images_of(size_t count, StillKind kind, TextureFormat format = TextureFormat::bc1) {
  const TextureDesc desc{.format = format, .width = 8, .height = 8};
  const size_t sizes[] = {texture_layout(desc).total_bytes, texture_layout(level_of(desc, 1)).total_bytes};
  const Buffer dds = numbered(count * (sizes[0] + sizes[1])), larger = numbered(count * sizes[0]),
               smaller = numbered(count * sizes[1]);
  Images made;
  made.blocks.reserve(2 * count);
  for (size_t i = 0; i < count; ++i) {
    if (kind == StillKind::dds) {
      made.blocks.push_back(bytes_at(dds, i * (sizes[0] + sizes[1]), sizes[0]));
      made.blocks.push_back(bytes_at(dds, i * (sizes[0] + sizes[1]) + sizes[0], sizes[1]));
    } else {
      made.blocks.push_back(bytes_at(larger, i * sizes[0], sizes[0]));
      made.blocks.push_back(bytes_at(smaller, i * sizes[1], sizes[1]));
    }
    made.levels.push_back({{desc, made.blocks[2 * i]}, {level_of(desc, 1), made.blocks[2 * i + 1]}});
  }
  for (const auto& levels : made.levels) made.images.push_back(levels);
  return made;
}

}  // namespace

// The files made by hand lack texcast's marks: the words that other readers see are compared.
TEST_CASE("arrays and cube maps are written as the specifications say") {
  struct Case {
    StillShape shape;
    size_t images;
    uint32_t dds_layers, misc, caps2, ktx2_layers, faces;
  };
  for (const Case& c : {Case{{.is_cube = true}, 6, 0, 0, 0xFE00, 0, 6}, Case{{.is_array = true}, 3, 3, 0, 0, 3, 1},
                        Case{{.is_array = true}, 1, 1, 0, 0, 1, 1},
                        Case{{.is_array = true, .is_cube = true}, 12, 2, 4, 0xFE00, 2, 6}}) {
    CAPTURE(c.images);
    const Images dds_images = images_of(c.images, StillKind::dds);
    const Buffer dds = pack_still_array(StillKind::dds, dds_images.images, c.shape);
    const Buffer expected = dds_by_hand(c.dds_layers, c.misc, c.caps2, c.images);
    REQUIRE(dds.size() == expected.size());
    const auto words = [](const Buffer& file, size_t from, size_t to) { return bytes_at(file, from, to - from); };
    CHECK(words(dds, 0, 8) == words(expected, 0, 8));
    CHECK((load_le32(dds, 8) & 0x21007) == 0x21007);  // caps, height, width, pixel format, levels
    CHECK(words(dds, 12, 32) == words(expected, 12, 32));
    CHECK(words(dds, 76, 128) == words(expected, 76, 128));
    CHECK(words(dds, 128, dds.size()) == words(expected, 128, expected.size()));

    const Images ktx2_images = images_of(c.images, StillKind::ktx2);
    for (const bool zstd : {false, true}) {
      const Buffer ktx2 = pack_still_array(StillKind::ktx2, ktx2_images.images, c.shape, {.zstd = zstd});
      CHECK(load_le32(ktx2, 32) == c.ktx2_layers);
      CHECK(load_le32(ktx2, 36) == c.faces);
      CHECK(load_le32(ktx2, 40) == 2);
      for (size_t level = 0; level < 2 && load_le32(ktx2, 44) == 0; ++level) {
        const size_t at = load_le<8>(ktx2, 80 + 24 * level), bytes = load_le<8>(ktx2, 88 + 24 * level);
        CHECK(bytes_at(ktx2, at, bytes) == numbered((level == 0 ? 32 : 8) * c.images));
      }
    }
  }
}

TEST_CASE("each layer and face is read as it was written, in every kind of file") {
  for (const StillKind kind : {StillKind::dds, StillKind::ktx2})
    for (const TextureFormat format :
         {TextureFormat::bc7, TextureFormat::bc5, TextureFormat::astc_6x6, TextureFormat::rgba8}) {
      CAPTURE(name(format));
      const bool layers = kind == StillKind::ktx2 || plane_coding(format, 0).dxgi.unorm != 0;
      const Images made = images_of(12, kind, format);
      const StillShape shape{.is_array = layers, .is_cube = true};
      const Buffer file = pack_still_array(kind, std::span(made.images).first(layers ? 12 : 6), shape);
      for (int face = 0; face < 6; ++face)
        for (int layer = 0; layer < (layers ? 2 : 1); ++layer)
          for (int level = 0; level < 2; ++level) {
            const auto image = static_cast<size_t>(6 * layer + face);
            CHECK(part_of_file(kind, file, {.level = level, .layer = layer, .face = face}) ==
                  made.blocks[2 * image + static_cast<size_t>(level)]);
          }
    }
}

TEST_CASE("images that make no array or cube map are refused") {
  const auto refused = [](const char* words, const auto& call) {
    try {
      call();
    } catch (const Error& error) {
      CHECK_MESSAGE(std::string(error.what()).find(words) != std::string::npos, error.what());
      return;
    }
    FAIL_CHECK("accepted: ", words);
  };
  const Images made = images_of(7, StillKind::ktx2);
  const auto pack = [&](size_t count, const StillShape& shape) {
    return [&made, count, shape] { pack_still_array(StillKind::ktx2, std::span(made.images).first(count), shape); };
  };
  refused("number of images", pack(5, {.is_cube = true}));
  refused("number of images", pack(7, {.is_array = true, .is_cube = true}));
  refused("number of images", pack(2, {}));
  refused("no image", pack(0, {.is_array = true}));
  std::vector<StillImage> unlike = made.images;
  unlike[1] = unlike[1].first(1);
  refused("differ", [&] { pack_still_array(StillKind::dds, unlike, {.is_array = true}); });
  const TextureDesc desc{.format = TextureFormat::bc1, .width = 8, .height = 4};
  refused("square, not 8x4", [&] { require_shape(StillKind::dds, desc, {.is_cube = true}); });
  refused("several planes", [&] {
    require_shape(StillKind::dds, {.format = TextureFormat::ycocg_bc4_420, .width = 8, .height = 8},
                  {.is_array = true});
  });
  refused("KTX2 can", [&] {
    require_shape(StillKind::dds, {.format = TextureFormat::etc2, .width = 8, .height = 8}, {.is_array = true});
  });
  refused("holds one picture", [&] {
    require_shape(StillKind::astc, {.format = TextureFormat::astc_4x4, .width = 8, .height = 8}, {.is_array = true});
  });
}

TEST_CASE("levels halve, rounded down, to 1x1") {
  CHECK(most_levels(1, 1) == 1);
  CHECK(most_levels(2, 1) == 2);
  CHECK(most_levels(1920, 1080) == 11);
  CHECK(most_levels(16384, 3) == 15);
  const TextureDesc desc{.format = TextureFormat::bc1, .width = 20, .height = 12};
  const int sizes[][2] = {{20, 12}, {10, 6}, {5, 3}, {2, 1}, {1, 1}};
  for (int level = 0; level < 5; ++level) {
    CHECK(level_of(desc, level).width == sizes[level][0]);
    CHECK(level_of(desc, level).height == sizes[level][1]);
  }
}

// 20x12 in blocks: 5x3, 3x2, 2x1, 1, 1.
TEST_CASE("DDS: levels follow the picture, and the header has their number") {
  const TextureDesc desc{.format = TextureFormat::bc1, .width = 20, .height = 12};
  const Pyramid p = pyramid_of(desc);
  const Buffer file = file_of_levels(StillKind::dds, p);
  CHECK(load_le32(file, 8) == 0x000A1007);
  CHECK(load_le32(file, 20) == 15 * 8);  // of the first level only
  CHECK(load_le32(file, 28) == 5);
  CHECK(load_le32(file, 108) == 0x401008);
  REQUIRE(file.size() == 128 + 8 * (15 + 6 + 2 + 1 + 1));
  const size_t at[] = {128, 248, 296, 312, 320};
  for (int level = 0; level < 5; ++level) {
    const Buffer& blocks = p.blocks[static_cast<size_t>(level)];
    CHECK(bytes_at(file, at[level], blocks.size()) == blocks);
    const auto info = container::inspect_still(StillKind::dds, file, {.level = level});
    REQUIRE(info.has_value());
    CHECK(info->desc == level_of(desc, level));
    CHECK(info->levels == 5);
    CHECK(info->layers == 1);
    CHECK(info->faces == 1);
    CHECK(part_of_file(StillKind::dds, file, {.level = level}) == blocks);
  }
  CHECK(part_failure(StillKind::dds, file, {.level = 5}) == "it has no level 5, only levels 0 to 4");
  CHECK(part_failure(StillKind::dds, file, {.level = -1}).find("no level -1") != std::string::npos);
  CHECK(part_failure(StillKind::dds, file, {.layer = 1}) == "it has no layer 1, only layer 0");
  CHECK(part_failure(StillKind::dds, file, {.face = 1}).find("no face 1") != std::string::npos);
  const Buffer cut(file.begin(), file.end() - 1);
  CHECK(part_failure(StillKind::dds, cut, {.level = 4}).find("truncated: 199 of 200") != std::string::npos);
  CHECK(part_failure(StillKind::dds, cut, {.level = 3}).empty());
}

// Y as above; Co and Cg in blocks: 3x2, 2x1, 1, 1, 1.
TEST_CASE("DDS: all levels of a plane precede the next plane, so that luma is where a reader of BC4 expects it") {
  const Pyramid p = pyramid_of({.format = TextureFormat::ycocg_bc4_420, .width = 20, .height = 12});
  const Buffer file = file_of_levels(StillKind::dds, p);
  REQUIRE(file.size() == 128 + 8 * (25 + 2 * 11));
  const size_t luma[] = {0, 15, 21, 23, 24}, luma_count[] = {15, 6, 2, 1, 1};
  const size_t chroma[] = {0, 6, 8, 9, 10}, chroma_count[] = {6, 2, 1, 1, 1};
  for (size_t level = 0; level < 5; ++level) {
    Buffer whole = bytes_at(file, 128 + 8 * luma[level], 8 * luma_count[level]);
    for (size_t plane = 0; plane < 2; ++plane) {
      const Buffer more = bytes_at(file, 128 + 8 * (25 + 11 * plane + chroma[level]), 8 * chroma_count[level]);
      whole.insert(whole.end(), more.begin(), more.end());
    }
    CHECK(whole == p.blocks[level]);
    CHECK(part_of_file(StillKind::dds, file, {.level = static_cast<int>(level)}) == p.blocks[level]);
  }
}

TEST_CASE("DDS: arrays and cube maps lie image by image, each with its levels") {
  const auto check_image = [](const Buffer& file, size_t header, const StillPart& part, size_t image) {
    CAPTURE(part.layer);
    CAPTURE(part.face);
    const size_t at = header + 40 * image + (part.level == 1 ? 32 : 0);
    CHECK(part_of_file(StillKind::dds, file, part) == bytes_at(file, at, part.level == 1 ? 8 : 32));
  };
  const Buffer array = dds_by_hand(3, 0, 0, 3);
  for (int layer = 0; layer < 3; ++layer)
    for (int level = 0; level < 2; ++level)
      check_image(array, 148, {.level = level, .layer = layer}, static_cast<size_t>(layer));
  CHECK(container::inspect_still(StillKind::dds, array)->layers == 3);
  CHECK(part_failure(StillKind::dds, array, {.layer = 3}).find("no layer 3, only layers 0 to 2") != std::string::npos);

  const Buffer cubes = dds_by_hand(2, 4, 0xFE00, 12);
  const auto info = container::inspect_still(StillKind::dds, cubes);
  REQUIRE(info.has_value());
  CHECK(info->layers == 2);
  CHECK(info->faces == 6);
  CHECK(info->levels == 2);
  for (int layer = 0; layer < 2; ++layer)
    for (int face = 0; face < 6; ++face)
      for (int level = 0; level < 2; ++level)
        check_image(cubes, 148, {level, layer, face}, static_cast<size_t>(6 * layer + face));
  // Direct3D 9: no layers, and not always all faces.
  const Buffer old = dds_by_hand(0, 0, 0xFE00, 6);
  for (int face = 0; face < 6; ++face) check_image(old, 128, {.level = 1, .face = face}, static_cast<size_t>(face));
  const Buffer three = dds_by_hand(0, 0, 0x200 | 0x400 | 0x1000 | 0x8000, 3);
  CHECK(container::inspect_still(StillKind::dds, three)->faces == 3);
  check_image(three, 128, {.face = 2}, 2);
  CHECK(part_failure(StillKind::dds, three, {.face = 3}).find("no face 3") != std::string::npos);
  // A file that is cut off has the images before the cut.
  const Buffer cut(cubes.begin(), cubes.end() - 41);
  CHECK(part_failure(StillKind::dds, cut, {.level = 1, .layer = 1, .face = 4}).find("is truncated") !=
        std::string::npos);
  CHECK(part_failure(StillKind::dds, cut, {.layer = 1, .face = 3}).empty());
}

TEST_CASE("DDS: numbers of levels and layers are bounded") {
  Buffer file = dds_by_hand(1, 0, 0, 1);
  store_le32(file, 28, 0xFFFFFFFF);
  CHECK(container::inspect_still(StillKind::dds, file)->levels == 4);
  store_le32(file, 28, 0);
  CHECK(container::inspect_still(StillKind::dds, file)->levels == 1);
  store_le32(file, 28, 2);
  store_le32(file, 8, 0x00081007);  // the flag that it has a number of levels is missing
  CHECK(container::inspect_still(StillKind::dds, file)->levels == 1);
  store_le32(file, 140, 0xFFFFFFFF);
  CHECK(part_failure(StillKind::dds, file, {}).find("it has 4294967295 layers") == 0);
  Buffer planes =
      file_of_levels(StillKind::dds, pyramid_of({.format = TextureFormat::ycocg_bc4_444, .width = 8, .height = 8}));
  store_le32(planes, 112, 0xFE00);
  CHECK(part_failure(StillKind::dds, planes, {}).find("cube map of ycocg-bc4-444") != std::string::npos);
}

TEST_CASE("KTX2: levels lie smallest first, aligned to block and word, and the index has them in order") {
  struct Expected {
    TextureFormat format;
    size_t block_bytes, alignment;
    bool verbatim;
  };
  for (const Expected& e : {Expected{TextureFormat::bc1, 8, 8, true},
                            {TextureFormat::bc3, 16, 16, true},
                            {TextureFormat::bgr8, 3, 12, true},
                            {TextureFormat::ycocg_bc4_420, 8, 8, false}})
    for (const bool zstd : {false, true}) {
      CAPTURE(name(e.format));
      CAPTURE(zstd);
      const TextureDesc desc{.format = e.format, .width = 100, .height = 60};
      const Pyramid p = pyramid_of(desc);
      const Buffer file = file_of_levels(StillKind::ktx2, p, zstd);
      CHECK(load_le32(file, 40) == 7);
      CHECK(load_le32(file, 44) == (zstd ? 2 : 0));
      CHECK(load_le32(file, 48) == 80 + 7 * 24);  // the descriptor follows the index
      size_t end = load_le32(file, 56) + load_le32(file, 60);
      for (size_t level = 7; level-- > 0;) {
        CAPTURE(level);
        const size_t at = load_le<8>(file, 80 + 24 * level), bytes = load_le<8>(file, 88 + 24 * level),
                     plain = load_le<8>(file, 96 + 24 * level);
        CHECK(at == (zstd ? end : (end + e.alignment - 1) / e.alignment * e.alignment));
        for (size_t i = end; i < at; ++i) CHECK(file[i] == std::byte{0});
        end = at + bytes;
        if (e.verbatim) {
          CHECK(plain == p.blocks[level].size());
          Buffer stored = bytes_at(file, at, bytes);
          if (zstd) {
            Buffer unpacked(plain);
            CHECK(ZSTD_decompress(unpacked.data(), plain, stored.data(), bytes) == plain);
            stored = unpacked;
          }
          CHECK(stored == p.blocks[level]);
        }
        const StillPart part{.level = static_cast<int>(level)};
        const auto info = container::inspect_still(StillKind::ktx2, file, part);
        REQUIRE(info.has_value());
        CHECK(info->desc == level_of(desc, part.level));
        CHECK(info->levels == 7);
        CHECK(info->layers == 1);
        CHECK(part_of_file(StillKind::ktx2, file, part) == p.blocks[level]);
      }
      CHECK(end == file.size());
      CHECK(part_failure(StillKind::ktx2, file, {.level = 7}).find("no level 7") != std::string::npos);
    }
}

TEST_CASE("KTX2: arrays and cube maps lie level by level, then layer by layer, then face by face") {
  for (const bool zstd : {false, true})
    for (const uint32_t layers : {0, 3})
      for (const uint32_t faces : {1, 6}) {
        CAPTURE(zstd);
        const Buffer file = ktx2_by_hand(layers, faces, zstd);
        const auto info = container::inspect_still(StillKind::ktx2, file);
        REQUIRE(info.has_value());
        const int count = static_cast<int>(std::max(layers, 1u)), sides = static_cast<int>(faces);
        CHECK(info->levels == 2);
        CHECK(info->layers == count);
        CHECK(info->faces == sides);
        for (int layer = 0; layer < count; ++layer)
          for (int face = 0; face < sides; ++face) {
            const auto image = static_cast<size_t>(layer * sides + face), all = static_cast<size_t>(count * sides);
            CHECK(part_of_file(StillKind::ktx2, file, {0, layer, face}) ==
                  bytes_at(numbered(32 * all), 32 * image, 32));
            CHECK(part_of_file(StillKind::ktx2, file, {1, layer, face}) == bytes_at(numbered(8 * all), 8 * image, 8));
          }
        CHECK(part_failure(StillKind::ktx2, file, {0, count, 0}).find("no layer") != std::string::npos);
        CHECK(part_failure(StillKind::ktx2, file, {0, 0, sides}).find("no face") != std::string::npos);
      }
  Buffer odd = ktx2_by_hand(0, 1, false);
  store_le32(odd, 36, 5);
  CHECK(part_failure(StillKind::ktx2, odd, {}) == "it has 5 faces; a cube map has 6");
  Buffer many = ktx2_by_hand(3, 1, false);
  store_le32(many, 40, 4);  // entries inside the descriptor
  CHECK(!part_failure(StillKind::ktx2, many, {.level = 3}).empty());
  const Buffer all = ktx2_by_hand(3, 6, true);
  for (size_t length = 0; length < all.size(); ++length) {
    const Buffer cut(all.begin(), all.begin() + static_cast<ptrdiff_t>(length));
    CHECK(!part_failure(StillKind::ktx2, cut, {0, 2, 5}).empty());
  }
}

namespace {

struct SeenImage {
  StillPart part;
  std::string failure;  // empty: the file is complete
  Buffer blocks;
};

std::vector<SeenImage> walk(StillKind kind, const Buffer& file) {
  const Buffer exact(file);  // AddressSanitizer finds accesses outside it
  std::vector<SeenImage> seen;
  container::each_image(kind, exact, [&](const StillPart& part, const Result<TextureView>& image) {
    seen.push_back({part, image ? "" : image.error().message,
                    image ? Buffer(image->blocks.begin(), image->blocks.end()) : Buffer()});
    if (image) CHECK(image->blocks.size() == texture_layout(image->desc).total_bytes);
    return true;
  });
  return seen;
}

// BC1, 8x8, in two levels.
Buffer image_by_hand(StillKind kind, const StillPart& part, size_t faces, size_t images) {
  const size_t image = static_cast<size_t>(part.layer) * faces + static_cast<size_t>(part.face);
  const size_t bytes = part.level == 0 ? 32 : 8;
  if (kind == StillKind::dds) return bytes_at(numbered(40 * images), 40 * image + (part.level == 1 ? 32 : 0), bytes);
  return bytes_at(numbered(bytes * images), bytes * image, bytes);
}

}  // namespace

TEST_CASE("every image of a file is returned once, with its place and its blocks") {
  struct Row {
    StillKind kind;
    Buffer file;
    size_t layers, faces;
  };
  const std::vector<Row> rows = {
      {StillKind::dds, dds_by_hand(0, 0, 0, 1), 1, 1},       {StillKind::dds, dds_by_hand(3, 0, 0, 3), 3, 1},
      {StillKind::dds, dds_by_hand(2, 4, 0xFE00, 12), 2, 6}, {StillKind::ktx2, ktx2_by_hand(0, 1, true), 1, 1},
      {StillKind::ktx2, ktx2_by_hand(3, 6, false), 3, 6},    {StillKind::ktx2, ktx2_by_hand(3, 6, true), 3, 6}};
  for (const Row& row : rows) {
    CAPTURE(row.layers);
    CAPTURE(row.faces);
    const auto seen = walk(row.kind, row.file);
    CHECK(seen.size() == 2 * row.layers * row.faces);
    std::vector<StillPart> parts;
    for (const SeenImage& image : seen) {
      CHECK(image.failure.empty());
      CHECK(std::ranges::count(parts, image.part) == 0);
      parts.push_back(image.part);
      CHECK(image.blocks == image_by_hand(row.kind, image.part, row.faces, row.layers * row.faces));
    }
  }
  // Planes with levels, in layers and planes of their own.
  const Pyramid p = pyramid_of({.format = TextureFormat::ycocg_bc4_420, .width = 20, .height = 12});
  for (const StillKind kind : {StillKind::dds, StillKind::ktx2}) {
    const auto seen = walk(kind, file_of_levels(kind, p, true));
    REQUIRE(seen.size() == p.blocks.size());
    for (size_t level = 0; level < seen.size(); ++level) CHECK(seen[level].blocks == p.blocks[level]);
  }
}

TEST_CASE("a walk ends if the callback says so") {
  for (const StillKind kind : {StillKind::dds, StillKind::ktx2}) {
    const Buffer file = kind == StillKind::dds ? dds_by_hand(2, 4, 0xFE00, 12) : ktx2_by_hand(2, 6, true);
    int seen = 0;
    container::each_image(kind, file, [&](const StillPart&, const Result<TextureView>&) { return ++seen < 5; });
    CHECK(seen == 5);
  }
}

TEST_CASE("a truncated DDS: the first missing image is named, and the number of images after it") {
  const Buffer whole = dds_by_hand(2, 4, 0xFE00, 12);
  const Buffer cut(whole.begin(), whole.end() - 41);  // without the last byte of level 1, layer 1, face 4
  const auto seen = walk(StillKind::dds, cut);
  REQUIRE(seen.size() == 22);
  for (size_t i = 0; i < 21; ++i) CHECK(seen[i].failure.empty());
  CHECK(seen.back().part == StillPart{.level = 1, .layer = 1, .face = 4});
  CHECK(seen.back().failure ==
        "it is truncated: 439 of 440 bytes of its blocks are there; 2 images after it are lost too");
}

TEST_CASE("a KTX2 with damaged Zstandard: the level and the image are named, and other levels are read") {
  Buffer file = ktx2_by_hand(3, 6, true);
  const size_t at = load_le<8>(file, 80), bytes = load_le<8>(file, 88);  // level 0
  file[at + bytes / 2] ^= std::byte{0xFF};
  const auto seen = walk(StillKind::ktx2, file);
  const auto is_damaged = [](const SeenImage& image) { return !image.failure.empty(); };
  CHECK(std::ranges::count_if(seen, is_damaged) == 1);
  CHECK(std::ranges::find_if(seen, is_damaged)->part.level == 0);
  CHECK(std::ranges::count_if(seen, [](const SeenImage& image) { return image.part.level == 1; }) == 18);
  // A wrong index entry affects only its level.
  Buffer short_level = ktx2_by_hand(3, 6, true);
  store_le64(short_level, 96 + 24, 8 * 18 - 1);
  const auto others = walk(StillKind::ktx2, short_level);
  REQUIRE(others.size() == 19);
  CHECK(others.back().part == StillPart{.level = 1});
  CHECK(others.back().failure == "its blocks take 143 bytes, but its size needs 144; 17 images after it are lost too");
}

TEST_CASE("the first bytes of a file say how much of it has to be read") {
  const auto head = [](const Buffer& file) { return Bytes(file).first(std::min(file.size(), container::kStillHead)); };
  const Buffer cubes = dds_by_hand(2, 4, 0xFE00, 12), array = ktx2_by_hand(3, 6, true);
  const auto of_cubes = container::still_bytes(StillKind::dds, head(cubes));
  REQUIRE(of_cubes.has_value());
  CHECK(*of_cubes == 148 + 12 * 40);
  const auto of_array = container::still_bytes(StillKind::ktx2, head(array));
  REQUIRE(of_array.has_value());
  CHECK(*of_array >= array.size());
  CHECK(*of_array <= std::max(array.size(), container::kStillHead));
  Buffer wide = cubes;
  store_le32(wide, 16, 65536);
  const auto refused = container::still_bytes(StillKind::dds, head(wide));
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().message.find("its size is 65536x8") == 0);
  Buffer absurd = array;
  store_le64(absurd, 80, UINT64_MAX - 1);
  CHECK(*container::still_bytes(StillKind::ktx2, head(absurd)) == UINT64_MAX);
}
