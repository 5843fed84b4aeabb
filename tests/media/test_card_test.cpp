// The test card moves, and the number drawn in it can be read after encoding and decoding.
#include "media/test_card.h"

#include <cstring>

#include "capture_bound.h"
#include "coded_picture.h"
#include "media/frame_source.h"
#include "media_test.h"
#include "test_digits.h"
#include "tiny.h"

using namespace texcast;
using namespace texcast::test;

namespace {

nanoseconds pts_of(uint32_t number) { return number * nanoseconds(16'666'667); }

DecodedImage drawn(media::TestCard& card, uint32_t number) {
  DecodedImage image;
  convert_to_rgb(card.draw(number, pts_of(number)), image);
  return image;
}

DecodedImage coded(media::TestCard& card, uint32_t number, TextureFormat format, Method method = Method::range) {
  return coded_picture(card.draw(number, pts_of(number)), format, method);
}

constexpr std::pair<int, int> kSizes[] = {{16, 16}, {17, 31}, {64, 16}, {16, 64}, {127, 95}, {320, 180}, {854, 480}};

}  // namespace

TEST_CASE("the number is read at every size, as drawn and from blocks") {
  for (const auto& [width, height] : kSizes) {
    media::TestCard card(width, height);
    const uint32_t modulus = width < 30 ? 1000 : width < 100 ? 10'000'000 : 100'000'000;
    for (const uint32_t number : {0u, 1u, 7u, 123u, 998u, 45'678'901u, 4'294'967'295u}) {
      CAPTURE_BOUND(width);
      CAPTURE_BOUND(height);
      CAPTURE(number);
      const auto wanted = number % modulus;
      if (width >= 64 && width < 100) {  // only sizes with room for all eight digits, or for three
        CHECK(media::read_frame_number(drawn(card, number)).has_value());
        continue;
      }
      CHECK(media::read_frame_number(drawn(card, number)) == wanted);
      CHECK(media::read_frame_number(coded(card, number, TextureFormat::bc1)) == wanted);
      CHECK(media::read_frame_number(coded(card, number, TextureFormat::ycocg_bc4_420)) == wanted);
    }
  }
}

TEST_CASE("every digit is distinguished from every other") {
  media::TestCard card(320, 180);
  for (uint32_t number = 0; number < 100'000'000; number += 10'101'011) {
    CAPTURE(number);
    CHECK(media::read_frame_number(coded(card, number, TextureFormat::bc1)) == number);
  }
}

// The reader shares the writer's table of strokes, so that the shapes are checked here, by eye.
TEST_CASE("the digits look like digits") {
  constexpr const char* kLooks =
      "..................................................."
      ".####....#.####.####.#..#.####.####.####.####.####."
      ".#..#....#....#....#.#..#.#....#.......#.#..#.#..#."
      ".#..#....#....#....#.#..#.#....#.......#.#..#.#..#."
      ".#..#....#.####.####.####.####.####....#.####.####."
      ".#..#....#.#.......#....#....#.#..#....#.#..#....#."
      ".#..#....#.#.......#....#....#.#..#....#.#..#....#."
      ".####....#.####.####....#.####.####....#.####.####."
      "...................................................";
  std::vector<uint8_t> luma(51 * 9, 128);
  media::draw_text({luma.data(), 51}, {.x = 0, .y = 0, .unit = 1, .width = 51, .height = 9}, "0123456789");
  std::string drawn;
  for (const uint8_t value : luma) drawn += value == 235 ? '#' : value == 16 ? '.' : '?';
  CHECK(drawn == kLooks);
}

TEST_CASE("nothing is read if there is no number, or half of one") {
  CHECK(!media::read_frame_number({.width = 8, .height = 8, .pixels = std::vector<uint8_t>(192)}));
  for (const uint8_t level : {uint8_t{0}, uint8_t{128}, uint8_t{255}})
    CHECK(
        !media::read_frame_number({.width = 320, .height = 180, .pixels = std::vector<uint8_t>(320 * 180 * 3, level)}));
  const auto source = media::open_source({.input = kData + "/kodim23_256x192.png"});
  DecodedImage picture;
  convert_to_rgb(source->next()->view, picture);
  CHECK(!media::read_frame_number(picture));

  media::TestCard card(320, 180);
  DecodedImage blend = drawn(card, 11'111'111);
  const DecodedImage other = drawn(card, 88'888'888);
  for (size_t i = 0; i < blend.pixels.size(); ++i)
    blend.pixels[i] = static_cast<uint8_t>((blend.pixels[i] + other.pixels[i]) / 2);
  CHECK(!media::read_frame_number(blend));
}

TEST_CASE("from frame to frame the ramp, the band in luma and chroma, and the digits change, and the rest stays") {
  media::TestCard card(640, 360);
  const auto copy = [&](uint32_t number) {
    const FrameView frame = card.draw(number, pts_of(number));
    std::vector<std::vector<std::string>> planes;
    for (int p = 0; p < 3; ++p) {
      planes.emplace_back();
      const auto& plane = frame.planes[static_cast<size_t>(p)];
      for (int y = 0; y < plane_rows(frame.format, p); ++y)
        planes.back().emplace_back(reinterpret_cast<const char*>(plane.data) + y * plane.stride_bytes,
                                   static_cast<size_t>(plane_row_bytes(frame.format, p)));
    }
    return planes;
  };
  const auto a = copy(100), b = copy(101);
  const auto differing_rows = [&](size_t plane, size_t from, size_t to) {
    size_t count = 0;
    for (size_t y = from; y < to; ++y) count += a[plane][y] != b[plane][y] ? 1 : 0;
    return count;
  };
  CHECK(differing_rows(0, 0, 180) == 0);     // bars
  CHECK(differing_rows(0, 180, 210) == 30);  // ramp
  CHECK(differing_rows(0, 210, 240) == 30);  // band
  CHECK(differing_rows(1, 105, 120) == 15);
  CHECK(differing_rows(2, 105, 120) == 15);
  CHECK(differing_rows(0, 240, 360) > 10);  // digits
  CHECK(differing_rows(1, 120, 180) == 0);
  // At the left edge of the band, before it moves, the hue is that of cos 0 and sin 0.
  const auto begin = copy(0);
  CHECK(begin[1][110][0] == static_cast<char>(188));
  CHECK(begin[2][110][0] == static_cast<char>(128));
  CHECK(copy(100) == a);  // a frame depends on its number only, with no trace of 101
}

TEST_CASE("the first frame of each second flashes, and no other, whatever the format") {
  for (const auto& [width, height] : {std::pair{64, 64}, {127, 95}, {320, 180}}) {
    if (test::tiny_only() && width == 320) continue;  // nothing new to test
    media::TestCard card(width, height);
    for (uint32_t number = 0; number < 200; ++number) {
      CAPTURE_BOUND(width);
      CAPTURE(number);
      CHECK(media::shows_flash(drawn(card, number)) == (number % 60 == 0));
    }
    for (const Format& row : formats()) {
      if (row.by_quality.empty()) continue;
      CAPTURE(row.name);
      CHECK(media::shows_flash(coded(card, 120, row.id, row.by_quality[0])));
      CHECK_FALSE(media::shows_flash(coded(card, 121, row.id, row.by_quality[0])));
    }
  }
}

TEST_CASE("colours are legal BT.709 limited range, and the bars are the 75 % bars") {
  media::TestCard card(320, 180);
  const FrameView frame = card.draw(0, nanoseconds(0));
  CHECK(frame.format.color == ColorSpec{ColorMatrix::bt709, ColorRange::limited, 1, 1});
  for (int y = 0; y < 180; ++y)
    for (int x = 0; x < 320; ++x) {
      const auto value = std::to_integer<int>(frame.planes[0].data[y * frame.planes[0].stride_bytes + x]);
      if (value < 16 || value > 235) FAIL_CHECK("luma ", value, " at ", x, ",", y);
    }
  const DecodedImage image = drawn(card, 0);
  const uint8_t bars[8][3] = {{191, 191, 191}, {191, 191, 0}, {0, 191, 191}, {0, 191, 0},
                              {191, 0, 191},   {191, 0, 0},   {0, 0, 191},   {0, 0, 0}};
  for (size_t bar = 0; bar < 8; ++bar)
    for (size_t c = 0; c < 3; ++c)
      CHECK(image.pixels[(20 * 320 + bar * 40 + 20) * 3 + c] == doctest::Approx(bars[bar][c]).epsilon(0.01).scale(200));
}

TEST_CASE("as a source it is endless, numbers its frames from 0 and keeps its rate") {
  const auto source = media::open_source({.input = "test", .fps = 50, .width = 320, .height = 180});
  CHECK(source->fps() == 50);
  CHECK(!source->is_live());
  CHECK(!source->is_image());
  CHECK(!source->frame_count());
  for (uint32_t i = 0; i < 5; ++i) {
    const auto frame = source->next();
    REQUIRE(frame.has_value());
    CHECK(frame->times.pts == i * nanoseconds(20'000'000));
    CHECK(frame->times.available > WallTime{});
    DecodedImage image;
    convert_to_rgb(frame->view, image);
    CHECK(media::read_frame_number(image) == i);
  }
  CHECK(media::open_source({.input = "test"})->format().width == 1920);
  CHECK(error_of([] { media::open_source({.input = "test", .width = 8, .height = 8}); }).kind() == ErrorKind::usage);
  CHECK(error_of([] { media::open_source({.input = "test", .fps = 0}); }).kind() == ErrorKind::usage);
}
