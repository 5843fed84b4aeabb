#include "textures/stream_format.h"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

using namespace texcast;
using namespace texcast::stream;

TEST_CASE("every format survives conversion to a stream's description") {
  for (const TextureFormat format : shown_formats()) {
    TextureDesc desc{.format = format, .width = 1279, .height = 719, .color = {}};
    desc.color = {ColorMatrix::bt2020, ColorRange::limited, 9, 16};
    const transport::StreamDesc stream = stream_of(desc, 59.94);
    CHECK(stream.width == 1279);
    CHECK(stream.fps == 59.94);
    const auto back = texture_of(stream);
    REQUIRE(back);
    CHECK(*back == desc);
  }
}

TEST_CASE("pixel aspect ratios survive transmission: television's exactly, all within half a unit of 1/1024") {
  TextureDesc desc{.format = TextureFormat::bc1, .width = 720, .height = 576};
  CHECK(stream_of(desc, 25).pixel_aspect == 0);
  for (const PixelAspect aspect : {PixelAspect{16, 11},
                                   {12, 11},
                                   {10, 11},
                                   {40, 33},
                                   {64, 45},
                                   {16, 15},
                                   {8, 9},
                                   {32, 27},
                                   {4, 3},
                                   {1, 16},
                                   {16, 1},
                                   {1, 2}}) {
    desc.aspect = aspect;
    const transport::StreamDesc stream = stream_of(desc, 25);
    CHECK(stream.pixel_aspect == std::lround(1024.0 * aspect.num / aspect.den));
    const auto back = texture_of(stream);
    REQUIRE(back);
    CHECK(back->aspect == aspect);
  }
  transport::StreamDesc stream = stream_of(desc, 25);
  for (const uint16_t nonsense : std::initializer_list<uint16_t>{1, 63, 16385, 65535}) {  // anybody may send it
    stream.pixel_aspect = nonsense;
    CHECK(texture_of(stream)->aspect == PixelAspect{});
  }
  stream.pixel_aspect = 1024;
  CHECK(texture_of(stream)->aspect == PixelAspect{});
}

TEST_CASE("the codes on the wire are those of docs/wire.md") {
  const auto code = [](TextureFormat format) {
    const auto fourcc = stream_of({.format = format, .width = 4, .height = 4}, 60).fourcc;
    return std::string(fourcc.begin(), fourcc.end());
  };
  CHECK(code(TextureFormat::bc1) == "DXT1");
  CHECK(code(TextureFormat::ycocg_bc4_420) == "YCB0");
  CHECK(code(TextureFormat::ycocg_bc4_422) == "YCB2");
  CHECK(code(TextureFormat::ycocg_bc4_444) == "YCB4");
  CHECK(code(TextureFormat::ycocg_dxt5) == "DXT5");
  CHECK(code(TextureFormat::bc3) == "Hap5");
  CHECK(code(TextureFormat::bc4) == "HapA");
  CHECK(code(TextureFormat::ycocg_dxt5_alpha) == "HapM");
  CHECK(code(TextureFormat::bc1_ycbcr) == "DXTY");
  CHECK(code(TextureFormat::uyvy) == "UYVY");
  CHECK(code(TextureFormat::rgba8) == "RGBA");
  CHECK(code(TextureFormat::rgb8) == "RGB2");
  CHECK(code(TextureFormat::bgr8) == "BGR2");
  CHECK(code(TextureFormat::yuyv) == "YUYV");
}

TEST_CASE("UltraGrid's streams, without texcast's extension, are described by their FourCC and size") {
  using Code = transport::FourCC;
  for (const auto& [fourcc, format] :
       {std::pair{transport::kFourCcDxt1, TextureFormat::bc1},
        {transport::kFourCcDxt5, TextureFormat::ycocg_dxt5},
        {Code{'D', 'X', 'T', 'Y'}, TextureFormat::bc1_ycbcr},
        {Code{'2', 'v', 'u', 'y'}, TextureFormat::uyvy},
        {Code{'A', 'B', 'G', 'R'}, TextureFormat::rgba8},  // from a sender that wrote its code backwards
        {Code{'2', 'B', 'G', 'R'}, TextureFormat::rgb8}}) {
    transport::StreamDesc stream;
    stream.fourcc = fourcc;
    stream.width = 1920;
    stream.height = 1080;
    const auto texture = texture_of(stream);
    REQUIRE(texture);
    CHECK(texture->format == format);
    CHECK(texture->width == 1920);
    CHECK(texture->color.matrix == ColorMatrix::bt709);
    CHECK(texture->color.range == (is_ycbcr(format) ? ColorRange::limited : ColorRange::full));
  }
}

TEST_CASE("unsupported descriptions from outside are refused with a reason") {
  transport::StreamDesc good = stream_of({.format = TextureFormat::bc1, .width = 64, .height = 64}, 60);
  auto unknown = good;
  unknown.fourcc = {'H', '2', '6', '4'};
  REQUIRE_FALSE(texture_of(unknown));
  CHECK(texture_of(unknown).error().message.find("H264") != std::string::npos);
  auto unprintable = good;
  unprintable.fourcc = {'\x01', '\n', '\x7f', 'A'};
  CHECK(texture_of(unprintable).error().message.find("???A") != std::string::npos);
  auto contradiction = good;
  contradiction.texture_format = 4;
  CHECK_FALSE(texture_of(contradiction));
  for (const int size : {0, -1, kMaxFrameSize + 1, 1 << 30}) {
    auto wide = good, tall = good;
    wide.width = size;
    tall.height = size;
    CHECK_FALSE(texture_of(wide));
    CHECK_FALSE(texture_of(tall));
  }
  auto strange_colour = good;
  strange_colour.matrix = 200;
  strange_colour.range = 77;
  const auto texture = texture_of(strange_colour);
  REQUIRE(texture);
  CHECK(texture->color.matrix == ColorMatrix::bt709);
  CHECK(texture->color.range == ColorRange::full);
}

TEST_CASE("a coded stream of a newer version is refused with what to do, and all older ones are taken") {
  transport::ReceivedFrame frame;
  frame.stream = stream_of({.format = TextureFormat::ycocg_bc4_420, .width = 64, .height = 64}, 60);
  for (frame.stream.coding = 1; frame.stream.coding <= kNewestCoding; ++frame.stream.coding) CHECK(texture_of(frame));
  CHECK(kNewestCoding == 4);
  const auto newer = texture_of(frame);
  REQUIRE_FALSE(newer);
  CHECK(newer.error().message ==
        "the stream is coded, ycocg-bc4 in version 5 of the coding, which this texcast does not decode; have it sent "
        "with --plain");
  for (uint8_t coding = 1; coding <= kNewestCoding; ++coding)
    CHECK(is_lossy_coding(coding) == (coding == 2 || coding == 4));
}

TEST_CASE("blocks in ranges of bytes, plane by plane") {
  const TextureDesc bc1{.format = TextureFormat::bc1, .width = 16, .height = 8};  // 8 blocks of 8 bytes
  using Ranges = std::vector<transport::ByteRange>;
  CHECK(blocks_in(bc1, Ranges{}) == 0);
  CHECK(blocks_in(bc1, Ranges{{0, 64}}) == 8);
  CHECK(blocks_in(bc1, Ranges{{16, 32}, {48, 64}}) == 4);
  CHECK(blocks_in(bc1, Ranges{{7, 9}}) == 2);
  CHECK(blocks_in(bc1, Ranges{{0, 1}, {2, 3}, {7, 8}}) == 1);
  // 16 luma blocks of 8 bytes, then 4 of Co, then 4 of Cg
  const TextureDesc planes{.format = TextureFormat::ycocg_bc4_420, .width = 16, .height = 16};
  CHECK(blocks_in(planes, Ranges{{0, 192}}) == 24);
  CHECK(blocks_in(planes, Ranges{{112, 144}}) == 4);                                      // two of luma, two of Co
  const TextureDesc dxt5{.format = TextureFormat::ycocg_dxt5, .width = 16, .height = 8};  // 8 blocks of 16 bytes
  CHECK(blocks_in(dxt5, Ranges{{16, 48}}) == 2);
  const TextureDesc rgb8{.format = TextureFormat::rgb8, .width = 16, .height = 8};  // blocks of a pixel, 3 bytes
  CHECK(blocks_in(rgb8, Ranges{{3, 9}, {16, 32}}) == 2 + 6);
}
