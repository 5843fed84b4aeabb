// What is predicted 16 texels at a time is what prediction.h says, texel by texel.
#include "window.h"

#include <doctest/doctest.h>

#include <random>
#include <vector>

namespace texcast::compact {
namespace {

template <typename Half>
void check_windows(HalfBlock kind) {
  std::mt19937_64 random(1);
  Component component;
  component.kind = kind;
  component.blocks_x = 5;
  component.blocks_y = 4;
  std::vector<std::byte> texture(size_t{5} * 4 * 8);
  const auto mask = static_cast<uint32_t>((uint64_t{1} << Half::kEndPointBits) - 1);
  size_t wrong = 0;
  for (int n = 0; n < 20000; ++n) {
    if (n % 50 == 0) {
      for (size_t at = 0; at < texture.size(); at += 8) {
        uint64_t half = random();
        if (random() % 8 == 0) half = (half & ~uint64_t{0xFFFFFFFF}) | 0x12341234;  // equal end points
        if (random() % 8 == 0) half = (half & ~uint64_t{0xFFFF}) | 0x4343;
        store_half(texture.data() + at, half);
      }
    }
    const Before before(texture.data(), component);
    // Inside, across the border and far beyond it.
    const int x = static_cast<int>(random() % 40) - 10, y = static_cast<int>(random() % 36) - 10;
    Texels texels;
    pixels_before<Half>(before, x, y, texels);
    Window<Half> window;
    window.load(before, x, y);
    wrong += window.fitted() != fitted_ends<Half>(texels);
    auto ends = static_cast<uint32_t>(random()) & mask;
    if (n % 4 == 0) ends = ends_of<Half>(before.half(n % 5, n % 3));
    if (n % 9 == 0) ends = 0x55555555 & mask;
    Places places;
    places_of<Half>(kind, ends, texels, places);
    const PlaceCodes codes = window.places(kind, ends);
    for (int i = 0; i < 16; ++i) wrong += codes[i] != places.nearest[i] * 2 + places.beyond[i];
  }
  CHECK(wrong == 0);
}

TEST_CASE("windows of colours say what prediction.h says") {
  check_windows<ColorHalf>(HalfBlock::color);
  check_windows<ColorHalf>(HalfBlock::four_color);
}

TEST_CASE("windows of channels say what prediction.h says") { check_windows<ChannelHalf>(HalfBlock::channel); }

}  // namespace
}  // namespace texcast::compact
