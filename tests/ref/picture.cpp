#include "picture.h"

#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <vector>

#include "tiny.h"

using namespace texcast::ref;

namespace picture {
namespace {

constexpr int kWidth = 192, kHeight = 128;

std::vector<RgbBlock> load_blocks() {
  std::ifstream in(TEXCAST_TEST_DATA "/kodim05_192x128.rgb", std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(in), {}};
  REQUIRE(bytes.size() == size_t{3} * kWidth * kHeight);
  std::vector<RgbBlock> blocks;
  for (int by = 0; by < kHeight / 4; ++by)
    for (int bx = 0; bx < kWidth / 4; ++bx) {
      RgbBlock block{};
      for (size_t i = 0; i < 16; ++i) {
        const auto x = static_cast<size_t>(4 * bx) + i % 4, y = static_cast<size_t>(4 * by) + i / 4;
        const size_t at = 3 * (y * kWidth + x);
        block.r[i] = static_cast<uint8_t>(bytes[at]);
        block.g[i] = static_cast<uint8_t>(bytes[at + 1]);
        block.b[i] = static_cast<uint8_t>(bytes[at + 2]);
      }
      blocks.push_back(block);
    }
  return blocks;
}

const std::vector<RgbBlock>& blocks() {
  static const auto all = load_blocks();
  return all;
}

double squared(const ChannelBlock& a, const ChannelBlock& b) {
  double sum = 0;
  for (size_t i = 0; i < 16; ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

double decibels(double squared_error, size_t samples) {
  return 10 * std::log10(255 * 255 * static_cast<double>(samples) / squared_error);
}

// Every fifth block of the whole picture suffices for methods whose results are far apart.
size_t step() { return texcast::test::tiny_only() ? 5 : 1; }

double rgb_psnr_of(size_t each, const std::function<RgbBlock(const RgbBlock&)>& there_and_back) {
  double error = 0;
  size_t samples = 0;
  for (size_t i = 0; i < blocks().size(); i += each, samples += 3 * 16) {
    const RgbBlock &block = blocks()[i], back = there_and_back(block);
    error += squared(block.r, back.r) + squared(block.g, back.g) + squared(block.b, back.b);
  }
  return decibels(error, samples);
}

}  // namespace

double bc1_psnr(const std::function<Bc1Block(const RgbBlock&)>& encode) {
  return rgb_psnr_of(  // BC1's methods are close to each other, and fast
      1, [&](const RgbBlock& texels) { return decode_bc1(encode(texels), texcast::EndpointExpansion::replicate); });
}

double rgb_psnr(const std::function<RgbBlock(const RgbBlock&)>& there_and_back) {
  return rgb_psnr_of(step(), there_and_back);
}

double bc4_psnr(const std::function<Bc4Block(const ChannelBlock&)>& encode) {
  return channel_psnr([&](const ChannelBlock& texels) { return decode_bc4(encode(texels)); });
}

double channel_psnr(const std::function<ChannelBlock(const ChannelBlock&)>& there_and_back) {
  double error = 0;
  size_t samples = 0;
  for (size_t i = 0; i < blocks().size(); i += step(), samples += 16)
    error += squared(blocks()[i].g, there_and_back(blocks()[i].g));
  return decibels(error, samples);
}

}  // namespace picture
