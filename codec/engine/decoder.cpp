#include "texcast/decoder.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "frames/color.h"
#include "ref/convert.h"
#include "ref/decode.h"

namespace texcast {

void decode_texture(const TextureView& texture, DecodedImage& image, EndpointExpansion expansion) {
  ref::decode(texture, expansion, image);
}

void convert_to_rgb(const FrameView& frame, DecodedImage& image) { convert_to_channels(frame, 3, image); }

namespace {

// Scales 0..kFineWhite to 0..65535, rounded to nearest.
uint16_t to_unorm16(int fine) { return static_cast<uint16_t>((int64_t{fine} * 65535 + kFineWhite / 2) / kFineWhite); }

void convert_to_unorm16(const ref::FrameReader& reader, DecodedImage& image) {
  const auto channels = static_cast<size_t>(image.channels);
  uint8_t* pixel = image.pixels.data();
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x) {
      std::array<uint16_t, 4> samples{};
      if (channels == 1) {
        samples[0] = to_unorm16(reader.fine_alpha_or_luma(x, y));
      } else {
        const auto rgb = reader.rgb(x, y);
        for (size_t c = 0; c < 3; ++c) samples[c] = to_unorm16(kByteStep * rgb[c]);
        samples[3] = to_unorm16(kByteStep * reader.alpha(x, y));
      }
      std::memcpy(pixel, samples.data(), 2 * channels);
      pixel += 2 * channels;
    }
}

void convert_to_halves(const ref::FrameReader& reader, DecodedImage& image) {
  const auto channels = static_cast<size_t>(image.channels);
  uint8_t* pixel = image.pixels.data();
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x, pixel += 2 * channels) {
      const auto numbers = reader.halves(x, y);
      std::array<uint16_t, 4> samples = {0, 0, 0, half_from_double(reader.alpha(x, y) / 255.0)};
      for (size_t c = 0; c < 3; ++c)
        samples[c] = static_cast<uint16_t>(numbers[c] < 0 ? 0x8000 | -numbers[c] : numbers[c]);
      std::memcpy(pixel, samples.data(), 2 * channels);
    }
}

}  // namespace

void convert_to_channels(const FrameView& frame, int channels, DecodedImage& image, SampleType samples) {
  const ref::FrameReader reader(frame);
  image.resize(frame.format.width, frame.format.height, channels, samples);
  if (samples == SampleType::unorm16) return convert_to_unorm16(reader, image);
  if (samples == SampleType::half) return convert_to_halves(reader, image);
  uint8_t* pixel = image.pixels.data();
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x, pixel += channels) {
      if (channels == 1) {
        *pixel = static_cast<uint8_t>(reader.alpha_or_luma(x, y));
        continue;
      }
      const auto rgb = reader.rgb(x, y);
      for (size_t c = 0; c < std::min<size_t>(static_cast<size_t>(channels), 3); ++c)
        pixel[c] = static_cast<uint8_t>(rgb[c]);
      if (channels == 4) pixel[3] = static_cast<uint8_t>(reader.alpha(x, y));
    }
}

}  // namespace texcast
