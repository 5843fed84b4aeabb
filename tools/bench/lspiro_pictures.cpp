#include "lspiro_pictures.h"

#include <random>

#include "stages/stage.h"
#include "tuner/sample_frame.h"

namespace texcast::bench {
namespace {

int value_of(LspiroPicture picture, int x, int y, int channel, std::mt19937& random) {
  switch (picture) {
    case LspiroPicture::smooth: return (x * (channel + 2) + y * (4 - channel)) / 2 + static_cast<int>(random() % 8);
    case LspiroPicture::few_values: {
      const bool ink = (x * 5 + y * 3) % 11 < 4;
      return ink ? 20 + 10 * channel : 255 - 24 * ((x / 64 + y / 48 + channel) % 4);
    }
    case LspiroPicture::many_values: return static_cast<int>(random());
    case LspiroPicture::sample: break;  // tuner::fill_sample() draws it
  }
  return 0;
}

}  // namespace

std::vector<std::byte> draw(LspiroPicture picture, const FrameFormat& format) {
  const stages::SourcePlacement placed = stages::place_source(format);
  std::vector<std::byte> bytes(placed.bytes);
  if (picture == LspiroPicture::sample) {
    tuner::fill_sample(format, bytes);
    return bytes;
  }
  std::mt19937 random(1);
  for (int y = 0; y < format.height; ++y)
    for (int x = 0; x < format.width; ++x)
      for (int c = 0; c < 4; ++c) {
        const auto at = static_cast<size_t>(placed.offset[0] + y * placed.stride[0] + 4 * x + c);
        bytes[at] = static_cast<std::byte>(value_of(picture, x, y, c, random) & 255);
      }
  return bytes;
}

}  // namespace texcast::bench
