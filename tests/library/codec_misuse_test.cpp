// Every call of encoders, decoders, transcoders and pools that its header forbids throws an error, and the object works
// afterwards.
#include <doctest/doctest.h>

#include <vector>

#include "check_error.h"
#include "texcast/decoder.h"
#include "texcast/encoder.h"
#include "texcast/picture_converter.h"
#include "texcast/transcoder.h"

using namespace texcast;
using texcast::test::check_misuse;

namespace {

const FrameFormat kFormat{.pixel_format = PixelFormat::rgba, .width = 16, .height = 16};
const std::vector<std::byte> kPixels(size_t{16} * 16 * 4);

FrameView frame() {
  FrameView view{.format = kFormat};
  view.planes[0] = {.data = kPixels.data(), .stride_bytes = 64};
  return view;
}

EncoderSettings settings(int in_flight = 1) {
  return {.source = kFormat, .device = "cpu-reference", .frames_in_flight = in_flight};
}

}  // namespace

TEST_CASE("misuse of an encoder is an error, and the encoder goes on") {
  const auto encoder = make_encoder(settings());
  check_misuse([&] { encoder->next(); });
  check_misuse([&] { encoder->peek(); });
  FrameView other = frame();
  other.format.width = 20;
  check_misuse([&] { encoder->submit(other, {}); });
  FrameView null = frame();
  null.planes[0].data = nullptr;
  check_misuse([&] { encoder->submit(null, {}); });
  FrameView narrow = frame();
  narrow.planes[0].stride_bytes = 63;
  check_misuse([&] { encoder->submit(narrow, {}); });
  CHECK(encoder->in_flight() == 0);
  encoder->submit(frame(), {});
  check_misuse([&] { encoder->submit(frame(), {}); });
  check_misuse([&] { encoder->warm_up(); });
  CHECK(encoder->next().texture.blocks.size() == 16 * 8);
}

TEST_CASE("settings that no encoder could have are misuse, those that a format lacks are usage errors") {
  for (const auto change : std::initializer_list<void (*)(EncoderSettings&)>{
           [](EncoderSettings& s) { s.source.width = 0; },
           [](EncoderSettings& s) { s.source.height = kMaxFrameSize + 1; },
           [](EncoderSettings& s) { s.source.width = -4; },
           [](EncoderSettings& s) { s.source.pixel_format = static_cast<PixelFormat>(99); },
           [](EncoderSettings& s) { s.source.color.matrix = static_cast<ColorMatrix>(99); },
           [](EncoderSettings& s) { s.texture = static_cast<TextureFormat>(99); },
           [](EncoderSettings& s) { s.frames_in_flight = 0; },
           [](EncoderSettings& s) { s.frames_in_flight = 17; },
           [](EncoderSettings& s) { s.bands = -1; },
           [](EncoderSettings& s) { s.bands = 17; },
       }) {
    EncoderSettings wrong = settings();
    change(wrong);
    check_misuse([&] { make_encoder(wrong); });
  }
  EncoderSettings lacking = settings();
  lacking.texture = TextureFormat::ycocg_bc4_420;
  lacking.method = Method::lspiro1;
  try {
    make_encoder(lacking);
    FAIL("nothing was thrown");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::usage);
  }
  EncoderSettings nothing = settings();
  nothing.texture = TextureFormat::uyvy;  // which is only received
  CHECK_THROWS_AS(make_encoder(nothing), Error);
  EncoderSettings invented = settings();
  invented.quality = static_cast<Quality>(99);
  CHECK_THROWS_AS(make_encoder(invented), Error);
}

TEST_CASE("misuse of a decoder is an error") {
  DecodedImage image;
  const std::vector<std::byte> blocks(16 * 8);
  const TextureDesc desc{.format = TextureFormat::bc1, .width = 16, .height = 16};
  check_misuse([&] { decode_texture({desc, std::span(blocks).first(blocks.size() - 1)}, image); });
  check_misuse([&] { decode_texture({{.format = TextureFormat::bc1, .width = 0, .height = 16}, {}}, image); });
  check_misuse([&] {
    decode_texture({{.format = static_cast<TextureFormat>(0), .width = 16, .height = 16}, blocks}, image);
  });
  FrameView null = frame();
  null.planes[0].data = nullptr;
  check_misuse([&] { convert_to_rgb(null, image); });
  check_misuse([&] { convert_to_channels(frame(), 5, image); });
  decode_texture({desc, blocks}, image);
  CHECK(image.pixels.size() == size_t{3} * 16 * 16);
}

TEST_CASE("misuse of a transcoder is an error, and the transcoder goes on") {
  const TextureDesc from{.format = TextureFormat::ycocg_bc4_420, .width = 16, .height = 16};
  const std::vector<std::byte> blocks(texture_layout(from).total_bytes);
  check_misuse([&] { make_transcoder({.from = from, .to = TextureFormat::bc1}); });
  check_misuse([&] { make_transcoder({.from = from, .frames_in_flight = 0}); });
  check_misuse([&] { make_transcoder({.from = {.format = from.format, .width = 0, .height = 4}}); });
  const auto transcoder = make_transcoder({.from = from, .device = "cpu-reference", .frames_in_flight = 1});
  check_misuse([&] { transcoder->next(); });
  check_misuse([&] { transcoder->submit({from, std::span(blocks).first(8)}); });
  TextureDesc other = from;
  other.height = 12;
  check_misuse([&] { transcoder->submit({other, blocks}); });
  transcoder->submit({from, blocks});
  check_misuse([&] { transcoder->submit({from, blocks}); });
  CHECK(transcoder->next().blocks.size() == 16 * 16);
}

TEST_CASE("misuse of a pool is an error") {
  check_misuse([] { FramePool::create({.pixel_format = PixelFormat::rgba, .width = 0, .height = 1}, 1); });
  const auto pool = FramePool::create(kFormat, 1);
  const FrameLease lease = pool->lend();
  CHECK_FALSE(pool->lend());  // all are lent, which is not an error
  check_misuse([&] { static_cast<void>(lease.plane(3)); });
  check_misuse([] { static_cast<void>(FrameLease().plane(0)); });
  check_misuse([] { static_cast<void>(FrameLease().view()); });
}

TEST_CASE("misuse of a picture converter or a decoder of rows is an error, and they go on") {
  const TextureDesc from{TextureFormat::bc1, 16, 16};
  const FrameFormat to{.pixel_format = PixelFormat::nv12, .width = 16, .height = 16};
  for (const auto change : std::initializer_list<void (*)(PictureConversion&)>{
           [](PictureConversion& c) { c.to.pixel_format = PixelFormat::rgba; },
           [](PictureConversion& c) { c.to.pixel_format = static_cast<PixelFormat>(99); },
           [](PictureConversion& c) { c.to.width = 17; },
           [](PictureConversion& c) { c.to.height = 0; },
           [](PictureConversion& c) { c.to.color.matrix = static_cast<ColorMatrix>(99); },
           [](PictureConversion& c) { c.from.width = -1; },
       }) {
    PictureConversion wrong{.from = from, .to = to, .device = "cpu-reference"};
    change(wrong);
    check_misuse([&] { make_picture_converter(wrong); });
  }
  const auto converter = make_picture_converter({.from = from, .to = to, .device = "cpu-reference"});
  const std::vector<std::byte> blocks(texture_layout(from).total_bytes);
  std::vector<std::byte> picture(picture_bytes(to));
  const TextureView texture{.desc = from, .blocks = blocks};
  TextureView other = texture;
  other.desc.color.matrix = ColorMatrix::bt601;
  check_misuse([&] { converter->convert(other, picture); });
  check_misuse([&] { converter->convert({.desc = from, .blocks = texture.blocks.first(8)}, picture); });
  check_misuse([&] { converter->convert(texture, std::span(picture).first(picture.size() - 1)); });
  MutablePlanes planes{{{picture.data(), 16}, {nullptr, 16}}};
  check_misuse([&] { converter->convert(texture, planes); });
  planes[1] = {&picture[256], 15};
  check_misuse([&] { converter->convert(texture, planes); });
  converter->convert(texture, picture);
  CHECK(picture.front() == std::byte{16});
  RowDecoder rows;
  check_misuse([&] { rows.decode(texture, 0, 17); });
  check_misuse([&] { rows.decode(texture, 5, 5); });
  check_misuse([&] { rows.decode(texture, -1, 5); });
  rows.decode(texture, 9, 10);
  CHECK(rows.first_row() == 8);
  CHECK(rows.image().height == 4);
}
