// A time in the picture's upper edge is read after encoding to every format, also at other scales, and never where
// there is none.
#include "media/time_code.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>

#include "capture_bound.h"
#include "coded_picture.h"
#include "format_families.h"
#include "media/frame_source.h"
#include "media/test_card.h"
#include "media_test.h"
#include "texcast/error.h"
#include "tiny.h"

using namespace texcast;
using namespace texcast::test;
using namespace std::chrono_literals;

namespace {

constexpr int64_t kNow = 1'795'420'800'123;  // ms since 1970
WallTime wall(int64_t ms) { return WallTime(std::chrono::milliseconds(ms)); }

// A frame of the test card with a time code.
struct Coded {
  Coded(int width, int height, int64_t ms) : card(width, height), pool(FramePool::create(card.format(), 1)) {
    lease = pool->lend();
    card.draw_into(lease, true, 7, 117ms);
    media::draw_time_code(lease, wall(ms));
  }
  media::TestCard card;
  std::shared_ptr<FramePool> pool;
  FrameLease lease;
};

DecodedImage shown(const FrameView& frame) {
  DecodedImage image;
  convert_to_rgb(frame, image);
  return image;
}

// As a screen shows it: bilinear, at a position in a larger image.
DecodedImage scaled(const DecodedImage& from, int width, int height, const media::PicturePlace& place) {
  DecodedImage to;
  to.resize(width, height, 3);
  std::ranges::fill(to.pixels, uint8_t{90});
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const double u = (x + 0.5 - place.x) / place.width * from.width - 0.5;
      const double v = (y + 0.5 - place.y) / place.height * from.height - 0.5;
      if (u < -0.5 || v < -0.5 || u > from.width - 0.5 || v > from.height - 0.5) continue;
      const auto texel = [&](double tx, double ty, int c) {
        const int ix = std::clamp(static_cast<int>(tx), 0, from.width - 1);
        const int iy = std::clamp(static_cast<int>(ty), 0, from.height - 1);
        return static_cast<double>(from.pixels.at(static_cast<size_t>((iy * from.width + ix) * 3 + c)));
      };
      const double fx = u - std::floor(u), fy = v - std::floor(v);
      for (int c = 0; c < 3; ++c) {
        const double upper =
            (1 - fx) * texel(std::floor(u), std::floor(v), c) + fx * texel(std::floor(u) + 1, std::floor(v), c);
        const double lower =
            (1 - fx) * texel(std::floor(u), std::floor(v) + 1, c) + fx * texel(std::floor(u) + 1, std::floor(v) + 1, c);
        to.pixels.at(static_cast<size_t>((y * width + x) * 3 + c)) =
            static_cast<uint8_t>(std::lround((1 - fy) * upper + fy * lower));
      }
    }
  return to;
}

}  // namespace

TEST_CASE("the time is read from every format, by its fastest and its best method") {
  for (const auto& [width, height] : {std::pair{256, 16}, {320, test::tiny_only() ? 20 : 180}, {641, 37}}) {
    const Coded coded(width, height, kNow);
    CHECK(media::read_time_code(shown(coded.lease.view())) == kNow % (int64_t{1} << 40));
    for (const TextureFormat format : encoded_formats())
      for (const Method method : {format_row(format).by_quality.front(), format_row(format).by_quality.back()}) {
        // The smallest picture tests those.
        if (test::is_slow_at_best(format) && method == format_row(format).by_quality.back() && height != 16) continue;
        CAPTURE(format_row(format).name);
        CAPTURE_BOUND(width);
        CHECK(media::read_time_code(coded_picture(coded.lease.view(), format, method)) == kNow % (int64_t{1} << 40));
      }
  }
}

TEST_CASE("any time is read, and its neighbour is a different one") {
  std::mt19937_64 random(3);
  for (int i = 0; i < 300; ++i) {
    const auto ms = static_cast<int64_t>(random() >> (random() % 40 + 21));
    const Coded coded(256, 16, ms);
    CHECK(media::read_time_code(shown(coded.lease.view())) == ms % (int64_t{1} << 40));
  }
}

TEST_CASE("the time is read at other scales, and at positions between pixels") {
  const Coded coded(640, 360, kNow);
  const DecodedImage picture = coded_picture(coded.lease.view(), TextureFormat::bc1, Method::range);
  for (const double scale : {0.5, 0.61, 0.75, 1.0, 1.37, 2.0}) {
    CAPTURE(scale);
    const media::PicturePlace place{.x = 10.3, .y = 21.7, .width = 640 * scale, .height = 360 * scale};
    const DecodedImage screen = scaled(picture, 1310, 760, place);
    CHECK(media::read_time_code(screen, 640, 360, place) == kNow % (int64_t{1} << 40));
    CHECK_FALSE(media::read_time_code(screen, 640, 360, {.x = 50, .y = 200, .width = 640, .height = 360}).has_value());
    CHECK_FALSE(media::read_time_code(screen, 640, 360, {.x = 900, .y = 0, .width = 640, .height = 360}).has_value());
  }
}

TEST_CASE("a picture on a screen is found by its code, to half a pixel, also at its edges; not if it is covered") {
  for (const auto& [width, height] : {std::pair{256, 16}, {640, 360}}) {
    const Coded coded(width, height, kNow);
    const DecodedImage picture = coded_picture(coded.lease.view(), TextureFormat::bc1, Method::range);
    const int free_x = 700 - width, free_y = 400 - height;
    for (const auto& [x, y] : {std::pair{0, 0}, {free_x, free_y}, {17, 23}, {5, free_y - 3}}) {
      CAPTURE_BOUND(width);
      CAPTURE_BOUND(x);
      CAPTURE_BOUND(y);
      const media::PicturePlace place{.x = static_cast<double>(x),
                                      .y = static_cast<double>(y),
                                      .width = static_cast<double>(width),
                                      .height = static_cast<double>(height)};
      DecodedImage screen = scaled(picture, 700, 400, place);
      const auto found = media::find_time_code(screen, width, height);
      REQUIRE(found.has_value());
      CHECK(std::abs(found->x - x) <= 0.5);
      CHECK(std::abs(found->y - y) <= 0.5);
      CHECK(found->width == width);
      CHECK(media::read_time_code(screen, width, height, *found) == media::code_of(wall(kNow)));
      const int cell = media::time_code_strip(width, height).cell;
      for (int row = 0; row < 400; ++row)
        for (int column = x + 20 * cell; column < x + 22 * cell; ++column)
          screen.pixels.at(static_cast<size_t>((row * 700 + column) * 3 + 1)) ^= 0xFF;
      CHECK_FALSE(media::find_time_code(screen, width, height).has_value());
    }
    CHECK_FALSE(media::find_time_code(shown(coded.lease.view()), width + 700, height).has_value());
  }
  media::TestCard card(640, 360);
  CHECK_FALSE(media::find_time_code(shown(card.draw(1, 0ms)), 320, 180).has_value());
}

TEST_CASE("no time is read where there is none, where two are blended or torn, or where a cell is wrong") {
  media::TestCard card(320, 180);
  CHECK_FALSE(media::read_time_code(shown(card.draw(1, 0ms))).has_value());
  CHECK_FALSE(media::read_time_code({}).has_value());
  for (const uint8_t level : {uint8_t{0}, uint8_t{128}, uint8_t{255}})
    CHECK_FALSE(
        media::read_time_code({.width = 320, .height = 180, .pixels = std::vector<uint8_t>(320 * 180 * 3, level)})
            .has_value());
  const Coded first(320, 180, kNow), second(320, 180, kNow + 5);
  const DecodedImage a = shown(first.lease.view()), b = shown(second.lease.view());
  DecodedImage blend = a, torn = a;
  for (size_t i = 0; i < a.pixels.size(); ++i) blend.pixels[i] = static_cast<uint8_t>((a.pixels[i] + b.pixels[i]) / 2);
  CHECK_FALSE(media::read_time_code(blend).has_value());
  const media::TimeCodeStrip strip = media::time_code_strip(320, 180);
  const int split = 52 * strip.cell;  // the time of one, and partly the checksum of the other
  for (int y = 0; y < strip.height; ++y)
    for (int x = split * 3; x < 320 * 3; ++x)
      torn.pixels[static_cast<size_t>(y * 320 * 3 + x)] = b.pixels[static_cast<size_t>(y * 320 * 3 + x)];
  CHECK_FALSE(media::read_time_code(torn).has_value());
  for (int cell = 0; cell < media::kTimeCodeCells; ++cell) {
    DecodedImage wrong = a;
    for (int y = 0; y < strip.height; ++y)
      for (int x = cell * strip.cell * 3; x < (cell + 1) * strip.cell * 3; ++x) {
        auto& sample = wrong.pixels[static_cast<size_t>(y * 320 * 3 + x)];
        sample = static_cast<uint8_t>(255 - sample);
      }
    CHECK_FALSE(media::read_time_code(wrong).has_value());
  }
  const auto small = FramePool::create(media::TestCard(255, 64).format(), 1);
  CHECK_THROWS_AS(media::draw_time_code(small->lend(), wall(0)), Error);
}

TEST_CASE("how old a picture is: also when the code has wrapped around, and if the clock is ahead") {
  constexpr int64_t kWrap = int64_t{1} << 40;
  CHECK(media::age_of(kNow % kWrap, wall(kNow + 12) + 345us) == 12ms + 345us);
  CHECK(media::age_of((kNow + 3) % kWrap, wall(kNow)) == -3ms);
  CHECK(media::age_of(kWrap - 1, wall(kWrap + 4)) == 5ms);
  CHECK(media::age_of(2, wall(kWrap - 2)) == -4ms);
}
