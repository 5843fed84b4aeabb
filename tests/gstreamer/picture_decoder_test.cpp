// Textures as frames of raw video.
#include "picture_decoder.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <future>
#include <vector>

#include "../all_are_gpus.h"
#include "../patience.h"
#include "pipelines.h"
#include "texcast/decoder.h"
#include "texcast/encoder.h"
#include "texcast/frame_times.h"
#include "video_formats.h"

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

Picture with(PictureDecoder& decoder, const TextureView& texture, const GstVideoInfo& info) {
  Picture picture{.info = info};
  picture.bytes.resize(GST_VIDEO_INFO_SIZE(&info), uint8_t{0xA5});
  GstBuffer* buffer = gst_buffer_new_wrapped_full(static_cast<GstMemoryFlags>(0), picture.bytes.data(),
                                                  picture.bytes.size(), 0, picture.bytes.size(), nullptr, nullptr);
  GstVideoFrame frame;
  REQUIRE(gst_video_frame_map(&frame, &info, buffer, GST_MAP_WRITE));
  decoder.decode(texture, frame);
  gst_video_frame_unmap(&frame);
  gst_buffer_unref(buffer);
  return picture;
}

// Chroma at half size is at the centre of the texels that share it.
GstVideoInfo info_of(const TextureDesc& desc, GstVideoFormat format) {
  GstVideoInfo info;
  gst_video_info_set_format(&info, format, static_cast<guint>(desc.width), static_cast<guint>(desc.height));
  info.chroma_site = GST_VIDEO_CHROMA_SITE_NONE;
  return info;
}

Picture decoded(const TextureView& texture, const GstVideoInfo& info) {
  PictureDecoder decoder;
  CHECK(decoder.set_output(info));
  return with(decoder, texture, info);
}
Picture decoded(const TextureView& texture, GstVideoFormat format) {
  return decoded(texture, info_of(texture.desc, format));
}

// By GStreamer.
Picture converted(const Picture& from, const GstVideoInfo& info) {
  Picture to{.info = info};
  to.bytes.resize(GST_VIDEO_INFO_SIZE(&info));
  const auto wrap = [](const Picture& picture) {
    return gst_buffer_new_wrapped_full(static_cast<GstMemoryFlags>(0), const_cast<uint8_t*>(picture.bytes.data()),
                                       picture.bytes.size(), 0, picture.bytes.size(), nullptr, nullptr);
  };
  GstBuffer *source = wrap(from), *target = wrap(to);
  GstVideoFrame in, out;
  REQUIRE(gst_video_frame_map(&in, &from.info, source, GST_MAP_READ));
  REQUIRE(gst_video_frame_map(&out, &to.info, target, GST_MAP_WRITE));
  GstVideoConverter* converter = gst_video_converter_new(&in.info, &out.info, nullptr);
  gst_video_converter_frame(converter, &in, &out);
  gst_video_converter_free(converter);
  gst_video_frame_unmap(&in);
  gst_video_frame_unmap(&out);
  gst_buffer_unref(source);
  gst_buffer_unref(target);
  return to;
}

void fail(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    FAIL_CHECK(error.what());
  }
}

// Pictures of a decoder with a device, until the first that the device made. The bytes of all are `want`.
void check_until_by_device(const TextureView& texture, GstVideoFormat format, const std::vector<uint8_t>& want,
                           const char* device = "pocl") {
  const GstVideoInfo info = info_of(texture.desc, format);
  PictureDecoder decoder;
  decoder.use_device(device, fail);
  REQUIRE(decoder.set_output(info));
  for (const auto limit = steady_now() + kPatience; !decoder.is_by_device() && steady_now() < limit;) {
    CHECK(with(decoder, texture, info).bytes == want);
    g_usleep(10000);
  }
  CHECK(decoder.is_by_device());
  CHECK(with(decoder, texture, info).bytes == want);
  CHECK(decoder.is_by_device());
  decoder.release();
  CHECK(with(decoder, texture, info).bytes == want);
  CHECK_FALSE(decoder.is_by_device());
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

TEST_CASE("a device writes the bytes that the CPU writes") {
  test::use_gstreamer();
  const std::array kFormats = {GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_YV12,
                               GST_VIDEO_FORMAT_YUY2, GST_VIDEO_FORMAT_BGRx, GST_VIDEO_FORMAT_BGRA};
  for (const GstVideoFormat format : kFormats) {
    CAPTURE(gst_video_format_to_string(format));
    const TextureDesc desc{.format = TextureFormat::bc1, .width = 37, .height = 75};  // with bytes between rows
    const auto blocks = random_blocks(desc);
    const TextureView texture{.desc = desc, .blocks = blocks};
    check_until_by_device(texture, format, decoded(texture, format).bytes);
  }
  const TextureDesc desc{.format = TextureFormat::ycocg_bc4_420, .width = 40, .height = 70};
  const auto blocks = random_blocks(desc);
  const TextureView texture{.desc = desc, .blocks = blocks};
  check_until_by_device(texture, GST_VIDEO_FORMAT_NV12, decoded(texture, GST_VIDEO_FORMAT_NV12).bytes);
}

TEST_CASE("a GPU decodes if no device is named") {
  test::use_gstreamer();
  const test::AllAreGpus gpus;
  const TextureDesc desc{.format = TextureFormat::bc1, .width = 36, .height = 20};
  const auto blocks = random_blocks(desc);
  const TextureView texture{.desc = desc, .blocks = blocks};
  check_until_by_device(texture, GST_VIDEO_FORMAT_NV12, decoded(texture, GST_VIDEO_FORMAT_NV12).bytes, "");
}

TEST_CASE("what a device cannot write, the CPU writes") {
  test::use_gstreamer();
  struct Other {
    TextureFormat from;
    GstVideoFormat to;
  };
  for (const Other& other :
       {Other{TextureFormat::bc3, GST_VIDEO_FORMAT_BGRA},  // alpha
        Other{TextureFormat::bc6h, GST_VIDEO_FORMAT_NV12}, Other{TextureFormat::bc1, GST_VIDEO_FORMAT_UYVY},
        Other{TextureFormat::ycocg_dxt5_alpha, GST_VIDEO_FORMAT_I420}}) {
    CAPTURE(name(other.from));
    const TextureDesc desc{.format = other.from, .width = 16, .height = 16};
    const auto blocks = random_blocks(desc);
    const GstVideoInfo info = info_of(desc, other.to);
    PictureDecoder decoder;
    decoder.use_device("pocl", fail);
    REQUIRE(decoder.set_output(info));
    const auto want = decoded({.desc = desc, .blocks = blocks}, other.to);
    CHECK(with(decoder, {.desc = desc, .blocks = blocks}, info).bytes == want.bytes);
    CHECK((picture_format(info, other.from) && can_make_pictures_on_device(other.from)) == false);
  }
}

TEST_CASE("video formats of libtexcast are GStreamer's to within rounding") {
  test::use_gstreamer();
  const TextureDesc desc{.format = TextureFormat::bc1, .width = 32, .height = 32};
  const auto blocks = random_blocks(desc);
  const TextureView texture{.desc = desc, .blocks = blocks};
  for (const GstVideoFormat format : {GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_YV12, GST_VIDEO_FORMAT_YUY2})
    for (const char* color : {"bt601", "bt709", "1:4:0:0"}) {
      CAPTURE(color);
      GstVideoInfo info = info_of(desc, format);
      REQUIRE(gst_video_colorimetry_from_string(&info.colorimetry, color));
      REQUIRE(picture_format(info, desc.format));
      const Picture own = decoded(texture, info), rgba = decoded(texture, GST_VIDEO_FORMAT_RGBA);
      const Picture other = converted(rgba, info);
      int worst = 0;
      for (size_t i = 0; i < own.bytes.size(); ++i) worst = std::max(worst, std::abs(own.bytes[i] - other.bytes[i]));
      CHECK(worst <= 2);
    }
}

TEST_CASE("a device that fails is reported, and the CPU goes on") {
  test::use_gstreamer();
  const TextureDesc desc{.format = TextureFormat::bc1, .width = 16, .height = 16};
  const auto blocks = random_blocks(desc);
  const GstVideoInfo info = info_of(desc, GST_VIDEO_FORMAT_NV12);
  const TextureView texture{.desc = desc, .blocks = blocks};
  std::promise<void> failed;
  PictureDecoder decoder;
  decoder.use_device("no such device", [&failed](const std::exception_ptr&) { failed.set_value(); });
  REQUIRE(decoder.set_output(info));
  const auto want = with(decoder, texture, info).bytes;
  REQUIRE(failed.get_future().wait_for(kPatience) == std::future_status::ready);
  CHECK(with(decoder, texture, info).bytes == want);
  CHECK(decoded(texture, info).bytes == want);
}
