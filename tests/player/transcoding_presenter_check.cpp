// Textures of a format that the GPU does not support are transcoded on an OpenCL device to one that it supports. The
// GPU here claims to lack a format.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "../patience.h"
#include "block_oracle.h"
#include "capture_bound.h"
#include "live/datagrams.h"
#include "player/player.h"
#include "player/window.h"
#include "ref/encode.h"
#include "stream/stream_feed.h"
#include "stream/transcoding_presenter.h"
#include "texcast/decoder.h"
#include "texcast/error.h"
#include "texcast/log.h"
#include "texcast/stream_sender.h"
#include "texcast/transcoder.h"

namespace texcast::player {
namespace {

using stream::TranscodingPresenter;

constexpr int kWidth = 192, kHeight = 128;

// A photograph as a texture, whose alpha falls from left to right.
OwnedTexture photograph(TextureFormat format) {
  std::ifstream file(TEXCAST_SOURCE_DIR "/tests/data/kodim05_192x128.rgb", std::ios::binary);
  const std::string rgb((std::istreambuf_iterator<char>(file)), {});
  REQUIRE(rgb.size() == size_t{3} * kWidth * kHeight);
  std::vector<std::byte> pixels;
  for (size_t i = 0; i < size_t{kWidth} * kHeight; ++i) {
    for (size_t c = 0; c < 3; ++c) pixels.push_back(static_cast<std::byte>(rgb[3 * i + c]));
    pixels.push_back(static_cast<std::byte>(255 - i % kWidth));
  }
  OwnedTexture texture{{.format = format, .width = kWidth, .height = kHeight}, {}};
  texture.blocks.resize(texture_layout(texture.desc).total_bytes);
  const FrameFormat frame{.pixel_format = PixelFormat::rgba,
                          .width = kWidth,
                          .height = kHeight,
                          .color = kFullRange,
                          .opaque = !reads_alpha(format)};
  ref::encode({frame, {{{pixels.data(), 4 * kWidth}, {}, {}}}}, format, Method::refine, texture.blocks);
  return texture;
}

// R G B of the decoded blocks.
DecodedImage pixels_of(const TextureView& texture) {
  DecodedImage decoded, rgb;
  decode_texture(texture, decoded);
  rgb.resize(decoded.width, decoded.height, 3);
  for (size_t i = 0; i < rgb.pixels.size() / 3; ++i)
    for (size_t c = 0; c < 3; ++c) {
      const auto channels = static_cast<size_t>(decoded.channels);
      const bool is_there = c < channels || channels == 1;
      rgb.pixels[3 * i + c] = is_there ? decoded.pixels[channels * i + std::min(c, channels - 1)] : 0;
    }
  return rgb;
}

// Root of the mean squared difference, 0..255.
double rms(const DecodedImage& a, const DecodedImage& b) {
  PsnrMeter meter;
  meter.add(a, b);
  return 255 / std::pow(10, meter.psnr_db() / 20);
}

DecodedImage as_image(const ShownPicture& shown) {
  DecodedImage image;
  image.resize(shown.width, shown.height, 3);
  image.pixels = shown.pixels;
  return image;
}

ShownPicture drawn(Presenter& presenter) {
  presenter.draw({});
  auto picture = presenter.read_back();
  presenter.present();
  REQUIRE(picture);
  return *picture;
}

// Always without BC7, to which only some devices transcode.
TranscodingPresenter display_without(std::vector<CodingId> codings, const std::string& device = "") {
  codings.push_back(CodingId::bc7);
  return TranscodingPresenter(
      make_presenter(
          {.kind = PresenterKind::offscreen, .width = kWidth, .height = kHeight, .lacks = std::move(codings)}),
      device);
}

// Lines that are logged during its lifetime.
class ToldLines {
 public:
  ToldLines() {
    set_log_function([this](LogLevel, std::string_view line) { lines_.emplace_back(line); });
  }
  ~ToldLines() { set_log_function({}); }
  std::vector<std::string> with(const std::string& words) const {
    std::vector<std::string> found;
    for (const std::string& line : lines_)
      if (line.find(words) != std::string::npos) found.push_back(line);
    return found;
  }

 private:
  std::vector<std::string> lines_;
};

// Formats that a display without their coding and BC3 shows as BC1, and the loss.
struct Missing {
  TextureFormat format;
  CodingId coding;
};
constexpr Missing kMissing[] = {
    {TextureFormat::bc3, CodingId::bc3},
    {TextureFormat::bc4, CodingId::bc4},
    {TextureFormat::etc2, CodingId::etc2},
    {TextureFormat::astc_5x5, CodingId::astc_5x5},
};

}  // namespace

TEST_CASE("a texture that the GPU does not support is shown in the format to which it is transcoded" *
          doctest::test_suite("one-thread")) {
  for (const auto& [format, coding] : kMissing) {
    CAPTURE_BOUND(name(format));
    auto display = display_without({coding, CodingId::bc3});
    const OwnedTexture texture = photograph(format);
    CHECK(stream::shown_as(format, display, false) == TextureFormat::bc1);
    display.upload(texture.view(), {});
    const ShownPicture shown = drawn(display);

    // The reference transcoder's texture.
    const auto reference = make_transcoder({.from = texture.desc, .to = TextureFormat::bc1, .device = "cpu-reference"});
    reference->submit(texture.view());
    const TextureView made = reference->next();
    const OwnedTexture as_bc1{made.desc, {made.blocks.begin(), made.blocks.end()}};
    const Difference difference = compare(shown, decode_picture(as_bc1));
    const Tolerance allowed = tolerance(TextureFormat::bc1, display.renderer());
    CHECK(difference.largest <= allowed.largest);
    // It approximates the original as well as BC1 does, except for the texture unit's rounding.
    const DecodedImage sent = pixels_of(texture.view());
    const double of_bc1 = rms(sent, pixels_of(as_bc1.view()));
    CHECK(of_bc1 < 10);
    CHECK(rms(sent, as_image(shown)) <= of_bc1 + std::sqrt(allowed.mean * allowed.largest));
  }
}

TEST_CASE("ASTC of every size is shown in the best format with alpha for which the device is fast enough" *
          doctest::test_suite("one-thread")) {
  std::vector<CodingId> sizes;
  for (int id = static_cast<int>(CodingId::astc_4x4); id <= static_cast<int>(CodingId::astc_12x12); ++id)
    sizes.push_back(static_cast<CodingId>(id));
  const auto display = make_presenter({.kind = PresenterKind::offscreen, .width = 64, .height = 64, .lacks = sizes});
  int formats_shown = 0;
  for (const Format& format : formats()) {
    if (!is_astc(format.planes[0].coding)) continue;
    CAPTURE_BOUND(format.name);
    ++formats_shown;
    CHECK_FALSE(stream::takes(*display, format.id));
    CHECK(stream::shown_as(format.id, *display, false) == TextureFormat::bc3);
    if (display->takes(CodingId::bc7)) CHECK(stream::shown_as(format.id, *display, true) == TextureFormat::bc7);
  }
  CHECK(formats_shown == 14);
}

TEST_CASE("a display that lacks a format says so once, with the format shown instead and the device" *
          doctest::test_suite("one-thread")) {
  const ToldLines told;
  auto display = display_without({CodingId::bc3}, "cpu-reference");
  const OwnedTexture texture = photograph(TextureFormat::bc3), taken = photograph(TextureFormat::bc1);
  display.upload(texture.view(), {});
  display.upload(taken.view(), {});
  display.upload(texture.view(), {});
  const auto lines = told.with("does not support");
  REQUIRE(lines.size() == 1);
  CHECK(lines[0] == "the GPU (" + display.renderer() +
                        ") does not support BC3: shown as bc1 without alpha, transcoded on cpu-reference");
}

TEST_CASE("the transcoder is made in the background, the picture stays, and nobody waits for it" *
          doctest::test_suite("one-thread")) {
  auto display = display_without({CodingId::bc3}, "cpu-reference");
  const OwnedTexture taken = photograph(TextureFormat::bc1), texture = photograph(TextureFormat::bc3);
  CHECK_FALSE(display.prepare(taken.desc));
  display.upload(taken.view(), {});
  const ShownPicture before = drawn(display);
  const auto first = display.prepare(texture.desc);
  REQUIRE(first);
  CHECK(first->starts_with("compiling the kernel that transcodes bc3 for this GPU: "));
  while (display.prepare(texture.desc)) CHECK(drawn(display).pixels == before.pixels);
  CHECK(display.shown_as().empty());
  display.upload(texture.view(), {});
  CHECK(drawn(display).pixels != before.pixels);
  CHECK(display.shown_as() == "bc1 without alpha, transcoded on cpu-reference");
  REQUIRE(display.transcoding());
  CHECK(display.transcoding()->from == TextureFormat::bc3);
  CHECK(display.transcoding()->to == TextureFormat::bc1);
  // Another size needs another transcoder. One that was begun and is not needed does no harm.
  TextureDesc larger = texture.desc;
  larger.width *= 2;
  CHECK(display.prepare(larger));
  display.upload(texture.view(), {});
  display.upload(taken.view(), {});
  CHECK_FALSE(display.transcoding());
}

TEST_CASE("a texture begun in advance is the one that is shown, or is dropped" * doctest::test_suite("one-thread")) {
  auto display = display_without({CodingId::bc3}, "cpu-reference");
  const OwnedTexture first = photograph(TextureFormat::bc3);
  OwnedTexture black = first;
  std::ranges::fill(black.blocks, std::byte{});
  display.upload(first.view(), {});
  const ShownPicture with_first = drawn(display);
  display.upload_ahead(black.view(), black.blocks.size() / 2, {});  // not yet
  display.upload_ahead(black.view(), black.blocks.size(), {});
  display.upload(black.view(), {});
  CHECK(std::ranges::all_of(drawn(display).pixels, [](uint8_t byte) { return byte == 0; }));
  display.upload_ahead(black.view(), black.blocks.size(), {});
  display.drop_ahead();
  display.upload(first.view(), {});
  CHECK(drawn(display).pixels == with_first.pixels);
}

TEST_CASE("if a texture cannot be transcoded, or there is no device, the error says what is missing" *
          doctest::test_suite("one-thread")) {
  const auto failure = [](Presenter& display, TextureFormat format) -> std::pair<ErrorKind, std::string> {
    try {
      display.upload(random_texture(format, 16, 16, 1).view());
    } catch (const Error& error) {
      return {error.kind(), error.what()};
    }
    return {ErrorKind::misuse, "no error"};
  };
  auto display = display_without({CodingId::bc3});
  CHECK_FALSE(stream::shown_as(TextureFormat::ycocg_dxt5, display, true));
  const auto [kind, text] = failure(display, TextureFormat::ycocg_dxt5);
  CHECK(kind == ErrorKind::no_display);
  CHECK(text.find("does not support BC3, and ycocg-dxt5 cannot be transcoded") != std::string::npos);
  CHECK(text.find("send --format bc1") != std::string::npos);
  // Floats would need tone mapping before they could be encoded again.
  auto narrow = display_without({CodingId::bc6h});
  CHECK(failure(narrow, TextureFormat::bc6h).second.find("does not support BC6H, and bc6h cannot be transcoded") !=
        std::string::npos);
  auto deviceless = display_without({CodingId::bc3}, "no such device");
  const auto [other_kind, other_text] = failure(deviceless, TextureFormat::bc3);
  CHECK(other_kind == ErrorKind::no_device);
  CHECK(other_text.find("does not support BC3, and no OpenCL device can transcode bc3: ") != std::string::npos);
}

TEST_CASE("a stream of a format that the GPU does not support is shown" * doctest::test_suite("one-thread")) {
  auto display = display_without({CodingId::bc3});
  const OwnedTexture texture = photograph(TextureFormat::bc3);
  auto datagrams = std::make_unique<stream::UdpDatagrams>(transport::resolve_address("rtp://127.0.0.1:0", true));
  const std::string url = fmt::format("rtp://127.0.0.1:{}", datagrams->port());
  stream::StreamFeedSettings settings;
  settings.title = url;
  settings.timeout = test::kPatience;
  stream::StreamFeed feed(std::move(datagrams), settings);
  StreamSender sender({.destinations = {url}, .fps = 50, .fec = "none"}, texture.desc);
  std::optional<ShownPicture> shown;
  int64_t sent = 0;
  SteadyTime next{};
  std::optional<TextureDesc> known;
  Player player({.frame_limit = 3,
                 .save_screenshot =
                     [&](const ShownPicture& picture) {
                       shown = picture;
                       return "";
                     },
                 .screenshot_at_end = true,
                 .on_turn =
                     [&](Remote&) {
                       if (!known) known = feed.next_texture();  // waits until it can be shown
                       if (steady_now() < next) return;
                       next = steady_now() + frame_period(50);
                       sender.send(texture.view(), sent++ * frame_period(50));
                     }});
  const PlayerReport report = player.run(feed, display);
  CHECK(report.frames_shown == 3);
  CHECK(known == texture.desc);
  REQUIRE(shown);
  auto other = display_without({CodingId::bc3});
  other.upload(texture.view(), {});
  CHECK(shown->pixels == drawn(other).pixels);
}

}  // namespace texcast::player
