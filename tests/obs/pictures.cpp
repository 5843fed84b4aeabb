#include "pictures.h"

#include <algorithm>
#include <cmath>

#include "texcast/decoder.h"
#include "texcast/encoder.h"
#include "texcast/stream_receiver.h"

namespace texcast::test {
namespace {

double light_of(double v) { return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); }
double value_of(double l) { return l <= 0.0031308 ? l * 12.92 : 1.055 * std::pow(l, 1 / 2.4) - 0.055; }

// Channel `c` of R G B A of pixel `i`, 0..1.
double channel(const DecodedImage& image, size_t i, size_t c) {
  const auto channels = static_cast<size_t>(image.channels);
  if (c == 3 && channels < 4) return 1;
  if (channels == 1) c = 0;
  if (c >= channels) return 0;
  const size_t at = i * channels + c;
  if (image.samples == SampleType::unorm8) return image.pixels[at] / 255.0;
  const auto bits = static_cast<uint16_t>(image.pixels[2 * at] | image.pixels[2 * at + 1] << 8);
  return image.samples == SampleType::unorm16 ? bits / 65535.0 : std::clamp(half_to_double(bits), 0.0, 1.0);
}

}  // namespace

std::vector<uint8_t> rgba_picture(int width, int height, int n) {
  std::vector<uint8_t> pixels;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const bool edge = (x / 16 + y / 16 + n) % 3 == 0;
      pixels.push_back(static_cast<uint8_t>(255 * x / width));
      pixels.push_back(static_cast<uint8_t>(edge ? 200 : 255 * y / height));
      pixels.push_back(static_cast<uint8_t>((x + 2 * y + 40 * n) % 256));
      pixels.push_back(static_cast<uint8_t>(255 * (width - x) / width));
    }
  return pixels;
}

Blocks blocks_of(TextureFormat format, int width, int height, int n) {
  const FrameFormat source{.width = width, .height = height, .color = kFullRange};
  const auto encoder = make_encoder({.source = source, .texture = format, .device = "cpu-reference"});
  const auto pixels = rgba_picture(width, height, n);
  encoder->submit({.format = source, .planes = {{{reinterpret_cast<const std::byte*>(pixels.data()), 4 * width}}}}, {});
  const TextureView view = encoder->next().texture;
  return {.desc = view.desc, .bytes = {view.blocks.begin(), view.blocks.end()}};
}

DecodedImage expected_picture(const Blocks& blocks) {
  DecodedImage decoded, image;
  decode_texture(blocks.view(), decoded);
  image.resize(blocks.desc.width, blocks.desc.height, 4);
  const bool is_light = plane_coding(blocks.desc.format, 0).sample_type == SampleType::half &&
                        blocks.desc.color.transfer == kLinearTransfer;
  for (size_t i = 0; i < image.pixels.size() / 4; ++i) {
    const double alpha = channel(decoded, i, 3);
    for (size_t c = 0; c < 3; ++c) {
      const double value = channel(decoded, i, c);
      const double shown = is_light ? value_of(value) : alpha < 1 ? value_of(light_of(value) * alpha) : value;
      image.pixels[4 * i + c] = static_cast<uint8_t>(std::lround(255 * shown));
    }
    image.pixels[4 * i + 3] = static_cast<uint8_t>(std::lround(255 * alpha));
  }
  return image;
}

double psnr_db(const DecodedImage& a, const DecodedImage& b) {
  if (a.width != b.width || a.height != b.height || a.channels != b.channels) return 0;
  PsnrMeter meter;
  meter.add(a, b);
  return std::min(meter.psnr_db(), meter.alpha_psnr_db());
}

std::string free_address() {
  StreamReceiver receiver({.listen = "rtp://127.0.0.1:0"}, [](const ReceivedTexture&) {});
  return receiver.send_to().at(0);
}

}  // namespace texcast::test
