#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "player/geometry.h"

namespace texcast::player {
TEST_CASE("letterbox: bars where the aspects differ, none where they do not") {
  CHECK(letterbox({1920, 1080}, {1920, 1080}) == Rect{0, 0, 1920, 1080});
  CHECK(letterbox({1920, 1080}, {1280, 720}) == Rect{0, 0, 1280, 720});
  CHECK(letterbox({1920, 1080}, {1280, 1024}) == Rect{0, 152, 1280, 720});
  CHECK(letterbox({1024, 1024}, {1920, 1080}) == Rect{420, 0, 1080, 1080});
  CHECK(letterbox({100, 100}, {301, 300}) == Rect{0, 0, 300, 300});  // the odd pixel goes to the right
}

TEST_CASE("letterbox: extreme aspects keep at least one pixel") {
  CHECK(letterbox({16384, 1}, {100, 100}) == Rect{0, 49, 100, 1});
  CHECK(letterbox({1, 16384}, {100, 100}) == Rect{49, 0, 1, 100});
  CHECK(letterbox({1, 1}, {1, 1}) == Rect{0, 0, 1, 1});
  CHECK(letterbox({16384, 16384}, {16384, 16383}).height == 16383);
}

TEST_CASE("letterbox: inside the target, touching two sides, aspect kept within a pixel") {
  std::mt19937 random(7);
  std::uniform_int_distribution<int> side(1, 4096);
  for (int i = 0; i < 2000; ++i) {
    const Size picture{side(random), side(random)}, target{side(random), side(random)};
    const Rect r = letterbox(picture, target);
    CAPTURE(r.width);
    CAPTURE(r.height);
    REQUIRE(r.x >= 0);
    REQUIRE(r.y >= 0);
    REQUIRE(r.x + r.width <= target.width);
    REQUIRE(r.y + r.height <= target.height);
    REQUIRE((r.width == target.width || r.height == target.height));
    const double scale = std::min(1.0 * target.width / picture.width, 1.0 * target.height / picture.height);
    REQUIRE(std::abs(r.width - std::max(1.0, picture.width * scale)) <= 0.5);
    REQUIRE(std::abs(r.height - std::max(1.0, picture.height * scale)) <= 0.5);
  }
}

TEST_CASE("placement: fit has bars, fill covers the target, 1:1 is the picture's own size; all are centred") {
  CHECK(placement({1920, 1080}, {1280, 1024}, ScaleMode::fit) == Rect{0, 152, 1280, 720});
  CHECK(placement({1920, 1080}, {1280, 1024}, ScaleMode::fill) == Rect{-270, 0, 1820, 1024});
  CHECK(placement({100, 100}, {300, 200}, ScaleMode::fill) == Rect{0, -50, 300, 300});
  CHECK(placement({1920, 1080}, {1920, 1080}, ScaleMode::fill) == Rect{0, 0, 1920, 1080});
  CHECK(placement({64, 64}, {301, 200}, ScaleMode::exact) == Rect{118, 68, 64, 64});
  CHECK(placement({640, 480}, {301, 201}, ScaleMode::exact) == Rect{-170, -140, 640, 480});
}

TEST_CASE("placement: fill covers a target of any shape, and never exceeds what OpenGL can draw") {
  std::mt19937 random(11);
  std::uniform_int_distribution<int> side(16, 4096);
  for (int i = 0; i < 2000; ++i) {
    const Size picture{side(random), side(random)}, target{side(random), side(random)};
    const Rect r = placement(picture, target, ScaleMode::fill);
    REQUIRE(std::max(r.width, r.height) <= 16384);
    if (std::max(r.width, r.height) == 16384) continue;
    REQUIRE(r.x <= 0);
    REQUIRE(r.y <= 0);
    REQUIRE(r.x + r.width >= target.width);
    REQUIRE(r.y + r.height >= target.height);
    REQUIRE((r.width == target.width || r.height == target.height));
  }
  CHECK(placement({16384, 4}, {100, 100}, ScaleMode::fill).width == 16384);
}

TEST_CASE("fit_down never enlarges") {
  CHECK(fit_down({640, 480}, {1920, 1080}) == Size{640, 480});
  CHECK(fit_down({3840, 2160}, {1920, 1040}) == Size{1849, 1040});
  CHECK(fit_down({1920, 1080}, {1920, 1080}) == Size{1920, 1080});
}

}  // namespace texcast::player
