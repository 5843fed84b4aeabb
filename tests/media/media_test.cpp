#include "media_test.h"

#include <fstream>
#include <random>
#include <sstream>

namespace texcast::test {

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  REQUIRE_MESSAGE(file.good(), path);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

void write_file(const std::string& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

std::vector<std::byte> some_blocks(const TextureDesc& desc, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::byte> blocks(texture_layout(desc).total_bytes);
  for (size_t i = 0; i < blocks.size(); ++i)
    blocks[i] = i >= 64 && i / 64 % 3 != 0 ? blocks[i - 64] : static_cast<std::byte>(random());
  return blocks;
}

std::string packed_planes(const FrameView& frame) {
  std::string bytes;
  for (int p = 0; p < plane_count(frame.format.pixel_format); ++p) {
    const auto& plane = frame.planes[static_cast<size_t>(p)];
    for (int y = 0; y < plane_rows(frame.format, p); ++y)
      bytes.append(reinterpret_cast<const char*>(plane.data) + y * plane.stride_bytes,
                   static_cast<size_t>(plane_row_bytes(frame.format, p)));
  }
  return bytes;
}

double psnr_db(const DecodedImage& a, const DecodedImage& b) {
  PsnrMeter meter;
  meter.add(a, b);
  return meter.psnr_db();
}

DecodedImage image_of(const std::string& raw, int width, int height, size_t frame, int channels) {
  const size_t bytes = static_cast<size_t>(channels) * static_cast<size_t>(width) * static_cast<size_t>(height);
  REQUIRE(raw.size() >= (frame + 1) * bytes);
  const auto* first = reinterpret_cast<const uint8_t*>(raw.data()) + frame * bytes;
  return {.width = width, .height = height, .pixels = std::vector<uint8_t>(first, first + bytes), .channels = channels};
}

}  // namespace texcast::test
