// Decoded frames keep the decoder's format, byte for byte, and the frame's colours. Other formats are converted by
// swscale. The ffmpeg program is the reference.
#include <algorithm>
#include <array>
#include <cstring>

#include "capture_bound.h"
#include "media/frame_source.h"
#include "media/pixel_formats.h"
#include "media/scaler.h"
#include "media_test.h"

using namespace texcast;
using namespace texcast::test;

namespace {

std::string graph(const std::string& tail, const std::string& size = "126x95") {
  return "testsrc2=size=" + size + ":rate=25:duration=0.12" + tail;
}

ColorSpec color_with(AVPixelFormat format, AVColorSpace matrix, AVColorRange range, int height) {
  const auto frame = media::make_frame();
  frame->format = format;
  frame->height = height;
  frame->colorspace = matrix;
  frame->color_range = range;
  return media::color_of(*frame);
}

}  // namespace

TEST_CASE("formats that FFmpeg has too are passed on unchanged") {
  for (int i = 0; i < kPixelFormatCount; ++i) {
    const auto format = static_cast<PixelFormat>(i);
    if (format == PixelFormat::rgba_half) continue;
    const std::string wanted(name(format));
    CAPTURE(wanted);
    const std::string filters = graph(
        ",format=" + wanted, format == PixelFormat::yuyv422 || format == PixelFormat::uyvy422 ? "126x95" : "127x95");
    const auto source = media::open_source({.input = "lavfi:" + filters});
    CHECK(source->format().pixel_format == format);
    CHECK(media::av_format(format) == av_get_pix_fmt(wanted.c_str()));
    const bool is_full = is_rgb(format) || format == PixelFormat::gray || format == PixelFormat::gray16;
    CHECK((source->format().color.range == ColorRange::full) == is_full);
    std::string ours;
    while (const auto frame = source->next()) ours += packed_planes(frame->view);
    const std::string theirs =
        output_of("ffmpeg -v error -f lavfi -i '" + filters + "' -f rawvideo -pix_fmt " + wanted + " -");
    CHECK((ours == theirs));
  }
}

TEST_CASE("formats that differ only in ignored bits are passed on unchanged too") {
  using media::direct_format;
  CHECK(direct_format(AV_PIX_FMT_YUVJ420P) == PixelFormat::yuv420p);
  CHECK(direct_format(AV_PIX_FMT_YUVJ422P) == PixelFormat::yuv422p);
  CHECK(direct_format(AV_PIX_FMT_YUVJ444P) == PixelFormat::yuv444p);
  CHECK(direct_format(AV_PIX_FMT_YUVA420P) == PixelFormat::yuv420p);
  CHECK(direct_format(AV_PIX_FMT_RGB0) == PixelFormat::rgba);
  CHECK(direct_format(AV_PIX_FMT_BGR0) == PixelFormat::bgra);
  CHECK(!direct_format(AV_PIX_FMT_ARGB));
  CHECK(!direct_format(AV_PIX_FMT_YUV420P10BE));
  CHECK(!direct_format(AV_PIX_FMT_NV21));
}

TEST_CASE("every other format is converted to the one that loses least, and keeps its picture") {
  const std::pair<const char*, PixelFormat> kChoices[] = {
      {"pal8", PixelFormat::rgba},
      {"gbrp", PixelFormat::rgb24},
      {"gbrap", PixelFormat::rgba},
      {"argb", PixelFormat::rgba},
      {"0bgr", PixelFormat::rgba},
      {"bgr24", PixelFormat::rgb24},
      {"rgb48le", PixelFormat::rgb24},
      {"rgb565le", PixelFormat::rgb24},
      {"gray10le", PixelFormat::gray16},
      {"ya8", PixelFormat::gray},
      {"nv21", PixelFormat::yuv420p},
      {"yuv410p", PixelFormat::yuv444p},
      {"yuv411p", PixelFormat::yuv444p},
      {"yuv440p", PixelFormat::yuv444p},
      {"yuv444p10le", PixelFormat::yuv444p},
      {"yuv422p10le", PixelFormat::yuv422p},
      {"yuv420p12le", PixelFormat::yuv420p10},
      {"yuv420p16le", PixelFormat::yuv420p10},
      {"gray16be", PixelFormat::gray16},
      {"x2rgb10le", PixelFormat::rgba},
  };
  for (const auto& [from, to] : kChoices) {
    CAPTURE_BOUND(std::string(from));
    const std::string filters = graph(std::string(",format=") + from, "128x96");
    const auto source = media::open_source({.input = "lavfi:" + filters});
    CHECK(source->format().pixel_format == to);
    const auto frame = source->next();
    REQUIRE(frame.has_value());
    DecodedImage ours;
    convert_to_rgb(frame->view, ours);
    const std::string rgb = output_of("ffmpeg -v error -f lavfi -i '" + filters +
                                      "' -frames:v 1 -f rawvideo -pix_fmt rgb24 -sws_flags "
                                      "bicubic+accurate_rnd+full_chroma_int+full_chroma_inp -");
    // We repeat subsampled chroma, swscale interpolates it: only edges of testsrc2 differ.
    const double floor = is_rgb(to) || to == PixelFormat::gray || to == PixelFormat::gray16 ? 45 : 22;
    CHECK(psnr_db(ours, image_of(rgb, 128, 96)) > floor);
  }
}

namespace {

// Red, green and blue of the first texel, from half floats.
std::array<double, 3> light_at(const FrameView& frame) {
  std::array<uint16_t, 3> bits{};
  std::memcpy(bits.data(), frame.planes[0].data, sizeof bits);
  return {half_to_double(bits[0]), half_to_double(bits[1]), half_to_double(bits[2])};
}

}  // namespace

TEST_CASE("floats become half floats of linear light, also below 0 and above 1, and beside alpha") {
  for (const std::string format : {"gbrpf32le", "gbrapf32le"}) {
    CAPTURE(format);
    const auto source =
        media::open_source({.input = "lavfi:color=c=0x4080FF:size=32x16:rate=25:duration=0.04,format=" + format +
                                     ",geq=r='-2':g='0.1':b='300'"});
    CHECK(source->format().pixel_format == PixelFormat::rgba_half);
    CHECK(source->format().color == ColorSpec{.range = ColorRange::full, .primaries = 1, .transfer = 8});
    const auto rgb = light_at(source->next()->view);
    CHECK(rgb[0] == -2);
    CHECK(rgb[1] == half_to_double(0x2E66));
    CHECK(rgb[2] == 300);
  }
}

TEST_CASE("PQ and HLG become linear light in half-float formats; 1 is 203 cd/m2") {
  // BT.2408: that white is 58 % of PQ's signal and 75 % of HLG's; the 10-bit value is 64 + 876 times that.
  const Scratch scratch;
  for (const auto& [curve, luma] : {std::pair{"smpte2084", 573}, {"arib-std-b67", 721}}) {
    CAPTURE_BOUND(std::string(curve));
    const std::string input = scratch / (std::string(curve) + ".mkv");
    output_of("ffmpeg -v error -f lavfi -i 'color=size=32x16:rate=25:duration=0.04,format=yuv420p10le,geq=lum=" +
              std::to_string(luma) + ":cb=512:cr=512' -color_primaries bt2020 -color_trc " + curve +
              " -colorspace bt2020nc -color_range tv -c:v ffv1 " + quoted(input));
    CHECK(media::open_source({.input = input})->format().pixel_format == PixelFormat::yuv420p10);
    const auto source = media::open_source({.input = input, .half = true});
    CHECK(source->format().color == ColorSpec{.range = ColorRange::full, .primaries = 9, .transfer = 8});
    for (const double value : light_at(source->next()->view)) CHECK(value == doctest::Approx(1).epsilon(0.02));
  }
}

TEST_CASE("alpha is passed on if requested: from planes, pixels and palettes, straight and exact") {
  struct Case {
    const char* format;
    PixelFormat with, without;
  };
  const Case cases[] = {
      {"yuva420p", PixelFormat::rgba, PixelFormat::yuv420p}, {"yuva444p10le", PixelFormat::rgba, PixelFormat::yuv444p},
      {"pal8", PixelFormat::rgba, PixelFormat::rgba},        {"gbrap", PixelFormat::rgba, PixelFormat::rgba},
      {"rgba64le", PixelFormat::rgba, PixelFormat::rgba},    {"ya8", PixelFormat::rgba, PixelFormat::gray},
      {"rgba", PixelFormat::rgba, PixelFormat::rgba},        {"bgra", PixelFormat::bgra, PixelFormat::bgra},
  };
  for (const Case& c : cases) {
    CAPTURE(std::string(c.format));
    // A palette's texels are transparent or opaque.
    const std::string to_palette =
        "split[a][b];[a]palettegen=reserve_transparent=1[p];[b][p]paletteuse=alpha_threshold=128,";
    const std::string filters = "testsrc2=size=64x48:rate=25:alpha=100:duration=0.04,format=rgba," +
                                (c.format == std::string("pal8") ? to_palette : "") + "format=" + c.format;
    const auto source = media::open_source({.input = "lavfi:" + filters, .alpha = true});
    CHECK(source->format().pixel_format == c.with);
    CHECK(has_alpha(source->format()));
    DecodedImage ours;
    convert_to_channels(source->next()->view, 1, ours);  // the format has alpha: alpha
    const std::string theirs = output_of("ffmpeg -v error -f lavfi -i '" + filters +
                                         ",format=rgba,alphaextract' -frames:v 1 -f rawvideo -pix_fmt gray -");
    CHECK(ours.pixels == image_of(theirs, 64, 48, 0, 1).pixels);
    CHECK(*std::min_element(ours.pixels.begin(), ours.pixels.end()) < 128);
    CHECK(*std::max_element(ours.pixels.begin(), ours.pixels.end()) == 255);
    CHECK(media::open_source({.input = "lavfi:" + filters})->format().pixel_format == c.without);
  }
  for (const char* format : {"rgb0", "bgr0", "0rgb", "rgb24", "yuv420p"}) {
    CAPTURE(std::string(format));
    const auto source = media::open_source(
        {.input = std::string("lavfi:testsrc2=size=64x48:rate=25:duration=0.04,format=") + format, .alpha = true});
    CHECK_FALSE(has_alpha(source->format()));
    DecodedImage ours;
    convert_to_channels(source->next()->view, 4, ours);
    for (size_t i = 3; i < ours.pixels.size(); i += 4) REQUIRE(ours.pixels[i] == 255);
  }
}

TEST_CASE("colours are what the frame says, or else what FFmpeg assumes") {
  const auto yuv = AV_PIX_FMT_YUV420P;
  const auto unspecified = AVCOL_RANGE_UNSPECIFIED;
  CHECK(color_with(yuv, AVCOL_SPC_UNSPECIFIED, unspecified, 719) == ColorSpec{ColorMatrix::bt601, ColorRange::limited});
  CHECK(color_with(yuv, AVCOL_SPC_UNSPECIFIED, unspecified, 720) == ColorSpec{ColorMatrix::bt709, ColorRange::limited});
  CHECK(color_with(yuv, AVCOL_SPC_BT709, unspecified, 480).matrix == ColorMatrix::bt709);
  CHECK(color_with(yuv, AVCOL_SPC_SMPTE170M, unspecified, 1080).matrix == ColorMatrix::bt601);
  CHECK(color_with(yuv, AVCOL_SPC_BT470BG, unspecified, 1080).matrix == ColorMatrix::bt601);
  CHECK(color_with(yuv, AVCOL_SPC_BT2020_NCL, unspecified, 1080).matrix == ColorMatrix::bt2020);
  CHECK(color_with(yuv, AVCOL_SPC_BT709, AVCOL_RANGE_JPEG, 1080).range == ColorRange::full);
  CHECK(color_with(AV_PIX_FMT_YUVJ420P, AVCOL_SPC_BT709, unspecified, 1080).range == ColorRange::full);
  CHECK(color_with(AV_PIX_FMT_RGB24, AVCOL_SPC_UNSPECIFIED, unspecified, 100).range == ColorRange::full);
  CHECK(color_with(AV_PIX_FMT_RGB24, AVCOL_SPC_UNSPECIFIED, AVCOL_RANGE_MPEG, 100).range == ColorRange::limited);
  CHECK(color_with(AV_PIX_FMT_GRAY8, AVCOL_SPC_UNSPECIFIED, unspecified, 100).range == ColorRange::full);
  CHECK(!media::is_known_matrix(AVCOL_SPC_YCGCO));

  const Scratch scratch;
  output_of(
      "ffmpeg -v error -y -f lavfi -i 'testsrc2=size=64x64:duration=0.1' -pix_fmt yuv420p -color_primaries bt2020 "
      "-color_trc smpte2084 -colorspace bt2020nc -color_range pc -c:v libx264 " +
      quoted(scratch / "hdr.mkv"));
  const auto source = media::open_source({.input = scratch / "hdr.mkv"});
  CHECK(source->format().color == ColorSpec{ColorMatrix::bt2020, ColorRange::full, 9, 16});
}

TEST_CASE("frames that change size, format or range in the middle are converted to the first one's") {
  for (const ColorRange first : {ColorRange::limited, ColorRange::full}) {
    const FrameFormat to{
        .pixel_format = PixelFormat::yuv420p, .width = 64, .height = 48, .color = {ColorMatrix::bt601, first}};
    media::FrameConverter converter(to);
    for (const auto& [format, width, range] : {std::tuple{AV_PIX_FMT_YUV420P, 64, AVCOL_RANGE_MPEG},
                                               {AV_PIX_FMT_YUV444P, 32, AVCOL_RANGE_MPEG},
                                               {AV_PIX_FMT_YUVJ420P, 64, AVCOL_RANGE_JPEG},
                                               {AV_PIX_FMT_YUV420P, 200, AVCOL_RANGE_JPEG}}) {
      CAPTURE_BOUND(width);
      const auto frame = media::make_frame();
      frame->format = format;
      frame->width = width;
      frame->height = 48;
      frame->color_range = range;
      REQUIRE(av_frame_get_buffer(frame.get(), 0) == 0);
      const int white = range == AVCOL_RANGE_JPEG ? 255 : 235;
      for (int p = 0; p < 3; ++p) {
        const int rows = p == 0 || format == AV_PIX_FMT_YUV444P ? 48 : 24;
        std::memset(frame->data[p], p == 0 ? white : 128, static_cast<size_t>(frame->linesize[p] * rows));
      }
      const AVFrame& out = converter.convert(*frame);
      CHECK(out.width == 64);
      CHECK(int{out.data[0][20 * out.linesize[0] + 20]} ==
            (first == ColorRange::full ? 255 : 235));  // white stays white
      CHECK(int{out.data[1][10 * out.linesize[1] + 10]} == 128);
    }
  }
}
