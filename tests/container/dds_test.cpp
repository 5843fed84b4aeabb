// DDS files, parsed here after Microsoft's description of DDS_HEADER and DDS_HEADER_DXT10.
#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "container/still.h"

using namespace texcast;
using container::StillKind;

namespace {

std::vector<std::byte> bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

std::vector<std::byte> some_blocks(const TextureDesc& desc) {
  std::vector<std::byte> blocks;
  for (size_t i = 0; i < texture_layout(desc).total_bytes; ++i) blocks.push_back(static_cast<std::byte>(i * 7));
  return blocks;
}

std::vector<std::byte> file_of(const TextureDesc& desc) {
  const auto writer = container::make_still_writer(StillKind::dds);
  const auto blocks = some_blocks(desc);
  std::vector<std::byte> file;
  for (const Bytes piece : writer->file_of({desc, blocks})) file.insert(file.end(), piece.begin(), piece.end());
  return file;
}

std::string failure(const std::vector<std::byte>& file) {
  const auto info = container::inspect_still(StillKind::dds, file);
  if (!info) return info.error().message;
  if (const auto whole = container::check_still(StillKind::dds, file); !whole) return whole.error().message;
  std::vector<std::byte> blocks(texture_layout(info->desc).total_bytes);
  const auto read = container::read_still(StillKind::dds, file, blocks);
  return read ? "" : read.error().message;
}

void check_reads(const std::vector<std::byte>& file, const TextureDesc& desc, const std::vector<std::byte>& wanted) {
  const auto info = container::inspect_still(StillKind::dds, file);
  REQUIRE_MESSAGE(info.has_value(), (info ? "" : info.error().message));
  CHECK(info->desc == desc);
  std::vector<std::byte> blocks(texture_layout(desc).total_bytes);
  REQUIRE(container::read_still(StillKind::dds, file, blocks).has_value());
  CHECK(blocks == wanted);
}

std::string text_at(const std::vector<std::byte>& file, size_t offset) {
  return {reinterpret_cast<const char*>(file.data()) + offset, 4};
}

// Without texcast's mark, as other programs write.
std::vector<std::byte> unmarked(std::vector<std::byte> file) {
  for (size_t at = 52; at < 76; at += 4) store_le32(file, at, 0);
  return file;
}

}  // namespace

TEST_CASE("the header is as other readers expect it") {
  const auto header = file_of({.format = TextureFormat::bc1, .width = 1918, .height = 1078});
  CHECK(text_at(header, 0) == "DDS ");
  CHECK(load_le32(header, 4) == 124);
  CHECK(load_le32(header, 8) == 0x00081007);
  CHECK(load_le32(header, 12) == 1078);
  CHECK(load_le32(header, 16) == 1918);
  CHECK(load_le32(header, 20) == 480 * 270 * 8);
  CHECK(load_le32(header, 76) == 32);
  CHECK(load_le32(header, 80) == 4);
  CHECK(text_at(header, 84) == "DXT1");
  CHECK(load_le32(header, 108) == 0x1000);
  CHECK(header.size() == 128 + 480 * 270 * 8);
}

TEST_CASE("sRGB uses the DX10 header, as only that can express it") {
  TextureDesc desc{.format = TextureFormat::bc1, .width = 16, .height = 8};
  desc.color.transfer = 13;
  const auto file = file_of(desc);
  CHECK(text_at(file, 84) == "DX10");
  CHECK(load_le32(file, 128) == 72);
  CHECK(load_le32(file, 132) == 3);
  CHECK(load_le32(file, 136) == 0);
  CHECK(load_le32(file, 140) == 1);
  CHECK(load_le32(file, 144) == 0);
  CHECK(file.size() == 148 + 64);
  check_reads(file, desc, some_blocks(desc));
  check_reads(unmarked(file), desc, some_blocks(desc));
  desc.format = TextureFormat::ycocg_dxt5;  // luma and chroma are not sRGB
  CHECK(text_at(file_of(desc), 84) == "DXT5");
}

TEST_CASE("scaled YCoCg is DXT5 with the mark that GIMP and FFmpeg know") {
  const TextureDesc desc{.format = TextureFormat::ycocg_dxt5, .width = 10, .height = 6};
  const auto file = file_of(desc);
  CHECK(text_at(file, 84) == "DXT5");
  CHECK(load_le32(file, 20) == 3 * 2 * 16);
  CHECK(text_at(file, 32) == "GIMP");
  CHECK(text_at(file, 36) == "-DDS");
  CHECK(text_at(file, 44) == "YCG2");
  check_reads(unmarked(file), desc, some_blocks(desc));
  auto unscaled = unmarked(file);
  store_le32(unscaled, 44, 0x31474359);
  CHECK(failure(unscaled) == "it holds unscaled YCoCg (YCG1)");
}

TEST_CASE("DXT5 without a mark is BC3") {
  TextureDesc desc{.format = TextureFormat::bc3, .width = 10, .height = 6};
  const auto file = file_of(desc);
  CHECK(text_at(file, 84) == "DXT5");
  CHECK(load_le32(file, 44) == 0);
  check_reads(unmarked(file), desc, some_blocks(desc));
  desc.color.transfer = 13;
  const auto srgb = file_of(desc);
  CHECK(load_le32(srgb, 128) == 78);
  check_reads(unmarked(srgb), desc, some_blocks(desc));
}

TEST_CASE("further planes follow the first, which the header describes") {
  const TextureDesc desc{.format = TextureFormat::ycocg_bc4_420, .width = 20, .height = 12};
  const auto file = file_of(desc);
  CHECK(text_at(file, 84) == "BC4U");
  CHECK(load_le32(file, 20) == 15 * 8);
  CHECK(file.size() == 128 + 8 * (15 + 6 + 6));
  const TextureDesc alpha{.format = TextureFormat::ycocg_dxt5_alpha, .width = 20, .height = 12};
  const auto with_alpha = file_of(alpha);
  CHECK(text_at(with_alpha, 84) == "DXT5");
  CHECK(text_at(with_alpha, 44) == "YCG2");
  CHECK(load_le32(with_alpha, 20) == 15 * 16);
  CHECK(with_alpha.size() == 128 + 15 * (16 + 8));
  // Without the mark, the picture is the first plane, and the bytes after it are ignored.
  const auto info = container::inspect_still(StillKind::dds, unmarked(with_alpha));
  REQUIRE(info.has_value());
  CHECK(info->desc.format == TextureFormat::ycocg_dxt5);
}

TEST_CASE("BC4 is read under each of its names") {
  const TextureDesc desc{.format = TextureFormat::bc4, .width = 10, .height = 6};
  auto file = unmarked(file_of(desc));
  CHECK(text_at(file, 84) == "BC4U");
  check_reads(file, desc, some_blocks(desc));
  store_le32(file, 84, 0x31495441);  // "ATI1"
  check_reads(file, desc, some_blocks(desc));
}

TEST_CASE("every format is read back with its colours, and mip levels after an image are ignored") {
  for (const TextureFormat format : shown_formats())
    for (const auto& [width, height] : {std::pair{1, 1}, {127, 95}, {640, 360}}) {
      CAPTURE(name(format));
      TextureDesc desc{.format = format, .width = width, .height = height};
      desc.color = {.matrix = ColorMatrix::bt2020, .range = ColorRange::full, .primaries = 9, .transfer = 16};
      auto file = file_of(desc);
      const bool is_told_by_dxgi = load_le32(file, 84) == fourcc('D', 'X', '1', '0');
      const std::vector<std::byte> blocks(file.begin() + (is_told_by_dxgi ? 148 : 128), file.end());
      CHECK(blocks == some_blocks(desc));
      file.resize(file.size() + 100);
      check_reads(file, desc, blocks);
    }
}

// Offsets from the start of the file: flags 8, pitch 20, pixel format's flags 80, FourCC 84, bits 88, masks 92.
TEST_CASE("pixels: masks or Direct3D's FourCC, and a pitch") {
  struct Expected {
    TextureFormat format;
    uint32_t kind;
    std::string fourcc;
    uint32_t pitch, bits, red, green, blue, alpha;
  };
  const std::string none(4, '\0');
  for (const Expected& e : {Expected{TextureFormat::uyvy, 4, "UYVY", 12, 0, 0, 0, 0, 0},
                            {TextureFormat::yuyv, 4, "YUY2", 12, 0, 0, 0, 0, 0},
                            {TextureFormat::rgba8, 0x41, none, 20, 32, 0xFF, 0xFF00, 0xFF0000, 0xFF000000},
                            {TextureFormat::rgb8, 0x40, none, 15, 24, 0xFF, 0xFF00, 0xFF0000, 0},
                            {TextureFormat::bgr8, 0x40, none, 15, 24, 0xFF0000, 0xFF00, 0xFF, 0}}) {
    CAPTURE(name(e.format));
    const TextureDesc desc{.format = e.format, .width = 5, .height = 3, .color = usual_color(e.format)};
    const auto file = file_of(desc);
    CHECK(load_le32(file, 8) == 0x100F);
    CHECK(load_le32(file, 20) == e.pitch);
    CHECK(load_le32(file, 80) == e.kind);
    CHECK(text_at(file, 84) == e.fourcc);
    CHECK(load_le32(file, 88) == e.bits);
    CHECK(load_le32(file, 92) == e.red);
    CHECK(load_le32(file, 96) == e.green);
    CHECK(load_le32(file, 100) == e.blue);
    CHECK(load_le32(file, 104) == e.alpha);
    CHECK(file.size() == 128 + 3 * e.pitch);
    check_reads(unmarked(file), desc, some_blocks(desc));
    auto padded = file;
    store_le32(padded, 20, 32);
    CHECK(failure(padded).find("its rows are padded to 32 bytes") == 0);
  }
}

// D3D9's A8R8G8B8, X8R8G8B8 and X8B8G8R8 and DXGI's B8G8R8A8 and B8G8R8X8, in which most programs write pixels.
TEST_CASE("pixels of four bytes in another order are read as R G B A") {
  const TextureDesc desc{.format = TextureFormat::rgba8, .width = 3, .height = 1};
  auto file = unmarked(file_of(desc));
  const auto blocks = bytes_of("BGRAbgraB2R4");
  std::copy(blocks.begin(), blocks.end(), file.end() - 12);
  const auto with = [&](uint32_t red, uint32_t blue, uint32_t alpha) {
    auto other = file;
    store_le32(other, 80, alpha == 0 ? 0x40 : 0x41);
    store_le32(other, 92, red);
    store_le32(other, 100, blue);
    store_le32(other, 104, alpha);
    return other;
  };
  check_reads(with(0xFF0000, 0xFF, 0xFF000000), desc, bytes_of("RGBArgbaR2B4"));
  check_reads(with(0xFF0000, 0xFF, 0), desc, bytes_of("RGBArgbaR2B4"));
  check_reads(with(0xFF, 0xFF0000, 0), desc, blocks);
  CHECK(failure(with(0xFF00, 0xFF, 0)).find("with an unknown channel layout") != std::string::npos);
  store_le32(file, 80, 4);
  store_le32(file, 84, 0x30315844);  // "DX10"
  for (const uint32_t dxgi : {87, 88, 91, 93}) {
    std::vector<std::byte> dx10(20);
    store_le32(dx10, 0, dxgi);
    store_le32(dx10, 4, 3);
    store_le32(dx10, 12, 1);
    auto modern = file;
    modern.insert(modern.begin() + 128, dx10.begin(), dx10.end());
    TextureDesc wanted = desc;
    if (dxgi > 90) wanted.color.transfer = 13;
    check_reads(modern, wanted, bytes_of("RGBArgbaR2B4"));
  }
}

TEST_CASE("Y'CbCr keeps its range; it is limited if the file does not say") {
  for (const TextureFormat format : {TextureFormat::bc1_ycbcr, TextureFormat::uyvy})
    for (const ColorRange range : {ColorRange::limited, ColorRange::full}) {
      const TextureDesc desc{.format = format, .width = 8, .height = 8, .color = {ColorMatrix::bt601, range, 6, 6}};
      const auto file = file_of(desc);
      CHECK(text_at(file, 84) == (format == TextureFormat::uyvy ? "UYVY" : "DXTY"));
      check_reads(file, desc, some_blocks(desc));
      const auto plain = container::inspect_still(StillKind::dds, unmarked(file));
      REQUIRE(plain.has_value());
      CHECK(plain->desc.color == ColorSpec{});
    }
  auto limited_rgb = file_of({.format = TextureFormat::rgb8, .width = 8, .height = 8});
  store_le32(limited_rgb, 68, 0x1010202);
  CHECK(failure(limited_rgb) == "its colours are marked as 0x1010202, which is invalid");
}

TEST_CASE("a DX10 header of BC1 is read; one of an unsupported format is named") {
  const TextureDesc desc{.format = TextureFormat::bc1, .width = 8, .height = 8};
  auto file = file_of(desc);
  store_le32(file, 84, 0x30315844);  // "DX10"
  std::vector<std::byte> dx10(20);
  store_le32(dx10, 0, 71);
  store_le32(dx10, 4, 3);
  store_le32(dx10, 12, 1);
  file.insert(file.begin() + 128, dx10.begin(), dx10.end());
  check_reads(file, desc, some_blocks(desc));
  store_le32(file, 128, 24);
  CHECK(failure(file).find("it holds DXGI format 24; supported are BC1") == 0);
  file.resize(140);
  CHECK(failure(file) == "its DX10 header is truncated");
}

TEST_CASE("texcast's mark is used only if it agrees with the rest of the header") {
  const TextureDesc desc{.format = TextureFormat::bc1, .width = 16, .height = 16};
  const auto good = file_of(desc);
  CHECK(text_at(good, 52) == "TXCS");
  const auto with = [&](size_t offset, uint32_t value) {
    auto file = good;
    store_le32(file, offset, value);
    return failure(file);
  };
  CHECK(with(56, 2) == "it is marked as texcast's format 2 but holds BC1");
  CHECK(with(56, 200) == "it is marked as texcast's format 200 but holds BC1");
  CHECK(with(68, 0x30101) == "its colours are marked as 0x30101, which is invalid");
  // Cut to another size by a program that kept the mark: an ordinary file.
  auto cropped = file_of({.format = TextureFormat::bc1, .width = 16, .height = 20});
  store_le32(cropped, 12, 16);
  CHECK(failure(cropped).empty());
}

TEST_CASE("a DDS image that cannot be read is a failure that says why") {
  const auto good = file_of({.format = TextureFormat::bc1, .width = 16, .height = 16});
  const auto with = [&](size_t offset, uint32_t value) {
    auto file = good;
    store_le32(file, offset, value);
    return failure(file);
  };
  CHECK(failure(good).empty());
  CHECK(with(0, 0x20202020).find("DDS") != std::string::npos);
  CHECK(with(4, 100).find("124") != std::string::npos);
  CHECK(with(80, 0x40).find("it holds pixels of 0 bits with an unknown channel layout") == 0);
  CHECK(with(80, 0x20000).find("it holds pixels that are not R, G, B") == 0);  // luminance
  CHECK(with(84, 0x32545844).find("it holds DXT2; supported are BC1") == 0);
  CHECK(with(84, 0).find("it holds ????; supported are BC1") == 0);
  CHECK(with(112, 0x200000).find("volume") != std::string::npos);
  // Sizes are bounded before anything is computed from them.
  CHECK(with(16, 0).find("0x16") != std::string::npos);
  CHECK(with(12, 0xFFFFFFFF).find("4294967295") != std::string::npos);
  CHECK(with(16, 16385).find("16385x16") != std::string::npos);
  CHECK(with(12, 16385).find("16385") != std::string::npos);
  CHECK(with(12, 20).find("truncated: 128 of 160") != std::string::npos);
  for (size_t length = 0; length < good.size(); ++length) {
    CAPTURE(length);
    CHECK(!failure({good.begin(), good.begin() + static_cast<ptrdiff_t>(length)}).empty());
  }
}
