// Three-colour BC1 frames by the encoder, with and without black, decoded by FFmpeg.
#include <cmath>

#include "media/recorder.h"
#include "media_test.h"
#include "texcast/encoder.h"

using namespace texcast;
using namespace texcast::test;

namespace {

constexpr int kWidth = 64, kHeight = 48;
constexpr size_t kPixels = size_t{kWidth} * kHeight;

struct Counts {
  int three_colour = 0;
  int black = 0;  // texels with index 3 of a three-colour block
};

Counts count(const std::vector<std::byte>& blocks) {
  Counts counts;
  for (size_t at = 0; at < blocks.size(); at += 8) {
    const auto byte = [&](size_t i) { return std::to_integer<int>(blocks[at + i]); };
    if ((byte(0) | byte(1) << 8) > (byte(2) | byte(3) << 8)) continue;
    ++counts.three_colour;
    for (size_t i = 0; i < 16; ++i) counts.black += (byte(4 + i / 4) >> (2 * (i % 4)) & 3) == 3;
  }
  return counts;
}

// Coloured strokes with soft edges on black, as in text.
std::vector<std::byte> encode_strokes(bool allow_black) {
  std::vector<std::byte> pixels(4 * kPixels);
  for (size_t i = 0; i < kPixels; ++i) {
    const double wave = std::sin(static_cast<double>(i % kWidth) * 1.3 + static_cast<double>(i / kWidth) * 0.4);
    const int ink = std::max(0, static_cast<int>(500 * wave) - 200);
    const int color[3] = {std::min(255, ink), std::min(200, ink), static_cast<int>(i / kWidth) * (ink > 0) * 5};
    for (size_t c = 0; c < 3; ++c) pixels[4 * i + c] = static_cast<std::byte>(color[c]);
  }
  const FrameFormat format{PixelFormat::rgba, kWidth, kHeight, {ColorMatrix::bt709, ColorRange::full}};
  const auto encoder = make_encoder(
      {.source = format, .quality = Quality::best, .options = {.allow_black = allow_black}, .device = "cpu-reference"});
  FrameView frame{format, {}};
  frame.planes[0] = {pixels.data(), 4 * kWidth};
  encoder->submit(frame, {});
  const EncodedFrame encoded = encoder->next();
  return {encoded.texture.blocks.begin(), encoded.texture.blocks.end()};
}

void record(const std::string& path, const TextureDesc& desc, const std::vector<std::byte>& blocks) {
  media::make_recorder({.path = path, .texture = desc, .fps = 60, .if_exists = IfExists::overwrite})
      ->write({desc, blocks}, nanoseconds(0));
}

std::string decoded_by_ffmpeg(const std::string& path, const std::string& pixel_format) {
  return output_of("ffmpeg -v error -i " + quoted(path) + " -f rawvideo -pix_fmt " + pixel_format + " -");
}

int transparent_texels(const std::string& rgba) {
  int transparent = 0;
  for (size_t i = 3; i < rgba.size(); i += 4) transparent += rgba[i] == '\0';
  return transparent;
}

}  // namespace

TEST_CASE("FFmpeg decodes three-colour frames to the same pixels, opaque in Hap; in .dds black is transparent") {
  const Scratch scratch;
  const TextureDesc desc{.format = TextureFormat::bc1, .width = kWidth, .height = kHeight};
  for (const bool allow_black : {false, true}) {
    const auto blocks = encode_strokes(allow_black);
    const Counts counts = count(blocks);
    CHECK(counts.three_colour > 0);
    CHECK((counts.black > 0) == allow_black);
    DecodedImage ours;
    decode_texture({desc, blocks}, ours, EndpointExpansion::ffmpeg);
    for (const char* name : {"strokes.mov", "strokes.dds"}) {
      CAPTURE(std::string(name));
      record(scratch / name, desc, blocks);
      CHECK(ours.pixels == image_of(decoded_by_ffmpeg(scratch / name, "rgb24"), kWidth, kHeight).pixels);
    }
    CHECK(transparent_texels(decoded_by_ffmpeg(scratch / "strokes.mov", "rgba")) == 0);
    CHECK(transparent_texels(decoded_by_ffmpeg(scratch / "strokes.dds", "rgba")) == counts.black);
  }
}
