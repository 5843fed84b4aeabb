#include "container/dds.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace texcast;

namespace {

std::vector<std::byte> file_of(const TextureDesc& desc) {
  const auto header = container::make_dds_header(desc);
  std::vector<std::byte> file(header.begin(), header.end());
  for (size_t i = 0; i < texture_layout(desc).total_bytes; ++i) file.push_back(static_cast<std::byte>(i * 7));
  return file;
}

std::string failure(const std::vector<std::byte>& file) {
  const auto texture = container::read_dds(file);
  return texture ? "" : texture.error().message;
}

}  // namespace

// Offsets and values from Microsoft's description of DDS_HEADER.
TEST_CASE("the header is what other readers expect") {
  const auto header = container::make_dds_header({.format = TextureFormat::bc1, .width = 1918, .height = 1078});
  CHECK(std::string(reinterpret_cast<const char*>(header.data()), 4) == "DDS ");
  CHECK(load_le32(header, 4) == 124);
  CHECK(load_le32(header, 8) == 0x00081007);
  CHECK(load_le32(header, 12) == 1078);
  CHECK(load_le32(header, 16) == 1918);
  CHECK(load_le32(header, 20) == 480 * 270 * 8);
  CHECK(load_le32(header, 76) == 32);
  CHECK(load_le32(header, 80) == 4);
  CHECK(std::string(reinterpret_cast<const char*>(header.data()) + 84, 4) == "DXT1");
  CHECK(load_le32(header, 108) == 0x1000);
}

TEST_CASE("sizes and blocks come back, and mip levels behind them are left alone") {
  for (const auto& [width, height] : {std::pair{1, 1}, {127, 95}, {1920, 1080}}) {
    const TextureDesc desc{.format = TextureFormat::bc1, .width = width, .height = height};
    auto file = file_of(desc);
    const std::vector<std::byte> blocks(file.begin() + 128, file.end());
    file.resize(file.size() + 100);
    const auto texture = container::read_dds(file);
    REQUIRE(texture.has_value());
    CHECK(texture->desc == desc);
    CHECK(std::vector<std::byte>(texture->blocks.begin(), texture->blocks.end()) == blocks);
  }
}

TEST_CASE("a DX10 header that says BC1 is read; one that says something else is named") {
  auto file = file_of({.format = TextureFormat::bc1, .width = 8, .height = 8});
  store_le32(file, 84, 0x30315844);  // "DX10"
  std::vector<std::byte> dx10(20);
  store_le32(dx10, 0, 71);
  store_le32(dx10, 4, 3);
  store_le32(dx10, 12, 1);
  file.insert(file.begin() + 128, dx10.begin(), dx10.end());
  const auto texture = container::read_dds(file);
  REQUIRE(texture.has_value());
  CHECK(texture->blocks.size() == 32);
  CHECK(texture->blocks.data() == file.data() + 148);
  store_le32(file, 128, 98);
  CHECK(failure(file) == "it holds DXGI format 98, not BC1");
  file.resize(140);
  CHECK(failure(file) == "its DX10 header breaks off");
}

TEST_CASE("what is no BC1 image is a failure that says why") {
  const auto good = file_of({.format = TextureFormat::bc1, .width = 16, .height = 16});
  const auto with = [&](size_t offset, uint32_t value) {
    auto file = good;
    store_le32(file, offset, value);
    return failure(file);
  };
  CHECK(failure(good).empty());
  CHECK(with(0, 0x20202020).find("DDS") != std::string::npos);
  CHECK(with(4, 100).find("124") != std::string::npos);
  CHECK(with(80, 0x40).find("uncompressed") != std::string::npos);
  CHECK(with(84, 0x35545844) == "it holds DXT5, not BC1 (DXT1)");
  CHECK(with(112, 0x200).find("cube map") != std::string::npos);
  CHECK(with(112, 0x200000).find("volume") != std::string::npos);
  // Sizes are bounded before anything is computed from them.
  CHECK(with(16, 0).find("0x16") != std::string::npos);
  CHECK(with(12, 0xFFFFFFFF).find("4294967295") != std::string::npos);
  CHECK(with(16, 16385).find("16385x16") != std::string::npos);
  CHECK(with(12, 16385).find("16385") != std::string::npos);
  CHECK(with(12, 20).find("break off after 128 of 160") != std::string::npos);
  for (size_t length = 0; length < good.size(); ++length) {
    CAPTURE(length);
    CHECK(!container::read_dds(Bytes(good).first(length)));
  }
}
