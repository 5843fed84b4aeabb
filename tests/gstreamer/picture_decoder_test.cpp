// Textures as frames of raw video.
#include "picture_decoder.h"

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <vector>

#include "pipelines.h"
#include "texcast/decoder.h"
#include "texcast/encoder.h"

using namespace texcast;
using namespace texcast::gstreamer;

namespace {

std::vector<std::byte> random_blocks(const TextureDesc& desc) {
  std::vector<std::byte> blocks(texture_layout(desc).total_bytes);
  uint32_t state = 7;
  for (std::byte& b : blocks) b = static_cast<std::byte>((state = state * 1664525 + 1013904223) >> 24);
  return blocks;
}

struct Picture {
  GstVideoInfo info{};
  std::vector<uint8_t> bytes{};
};

Picture decoded(const TextureView& texture, GstVideoFormat format) {
  Picture picture;
  gst_video_info_set_format(&picture.info, format, static_cast<guint>(texture.desc.width),
                            static_cast<guint>(texture.desc.height));
  picture.bytes.resize(GST_VIDEO_INFO_SIZE(&picture.info));
  GstBuffer* buffer = gst_buffer_new_wrapped_full(static_cast<GstMemoryFlags>(0), picture.bytes.data(),
                                                  picture.bytes.size(), 0, picture.bytes.size(), nullptr, nullptr);
  PictureDecoder decoder;
  CHECK(decoder.set_output(picture.info));
  GstVideoFrame frame;
  REQUIRE(gst_video_frame_map(&frame, &picture.info, buffer, GST_MAP_WRITE));
  decoder.decode(texture, frame);
  gst_video_frame_unmap(&frame);
  gst_buffer_unref(buffer);
  return picture;
}

}  // namespace

TEST_CASE("threads that decode rows of a texture each give the picture of the whole") {
  test::use_gstreamer();
  for (const TextureFormat format : shown_formats()) {
    for (const auto [width, height] : {std::array{37, 203}, std::array{5, 3}}) {
      CAPTURE(name(format));
      const TextureDesc desc{.format = format, .width = width, .height = height};
      const auto blocks = random_blocks(desc);
      DecodedImage whole;
      decode_texture({.desc = desc, .blocks = blocks}, whole);
      if (whole.samples != SampleType::unorm8) continue;
      const Picture picture = decoded({.desc = desc, .blocks = blocks}, GST_VIDEO_FORMAT_RGBA);
      const auto channels = static_cast<size_t>(whole.channels);
      size_t differ = 0;
      for (size_t i = 0; i < static_cast<size_t>(width) * static_cast<size_t>(height); ++i) {
        const uint8_t* got = &picture.bytes[4 * i];
        const uint8_t* want = &whole.pixels[channels * i];
        const uint8_t green = channels == 1 ? want[0] : want[1];
        const uint8_t blue = channels == 1 ? want[0] : channels == 2 ? uint8_t{0} : want[2];
        differ += got[0] != want[0] || got[1] != green || got[2] != blue || got[3] != (channels == 4 ? want[3] : 255);
      }
      CHECK(differ == 0);
    }
  }
}

TEST_CASE("the order of bytes is that of the format, and video formats are converted") {
  test::use_gstreamer();
  const FrameFormat red{.pixel_format = PixelFormat::rgb24, .width = 8, .height = 8, .color = kFullRange};
  std::vector<std::byte> pixels;
  for (int i = 0; i < 64; ++i) pixels.insert(pixels.end(), {std::byte{255}, std::byte{0}, std::byte{0}});
  const auto encoder = make_encoder({.source = red, .device = "cpu-reference"});
  encoder->submit({.format = red, .planes = {{{pixels.data(), 24}}}}, {});
  const TextureView texture = encoder->next().texture;
  using Bytes = std::vector<uint8_t>;
  const auto first = [&texture](GstVideoFormat format, size_t count) {
    const Picture picture = decoded(texture, format);
    return Bytes(picture.bytes.begin(), picture.bytes.begin() + static_cast<std::ptrdiff_t>(count));
  };
  CHECK(first(GST_VIDEO_FORMAT_RGBA, 4) == Bytes{255, 0, 0, 255});
  CHECK(first(GST_VIDEO_FORMAT_BGRx, 4) == Bytes{0, 0, 255, 255});
  CHECK(first(GST_VIDEO_FORMAT_ARGB, 4) == Bytes{255, 255, 0, 0});
  CHECK(first(GST_VIDEO_FORMAT_BGR, 3) == Bytes{0, 0, 255});
  // Red in BT.601, limited range: 81, 90, 240.
  const Picture planes = decoded(texture, GST_VIDEO_FORMAT_I420);
  CHECK(planes.bytes[GST_VIDEO_INFO_PLANE_OFFSET(&planes.info, 0)] == doctest::Approx(81).epsilon(0.02));
  CHECK(planes.bytes[GST_VIDEO_INFO_PLANE_OFFSET(&planes.info, 1)] == doctest::Approx(90).epsilon(0.02));
  CHECK(planes.bytes[GST_VIDEO_INFO_PLANE_OFFSET(&planes.info, 2)] == doctest::Approx(240).epsilon(0.02));
}
