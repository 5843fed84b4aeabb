// Several monitors as one picture: the layout, and what is drawn.
#include "mosaic.h"

#include <array>

#include "capture_check.h"
#include "texcast/shape.h"

using namespace texcast;
using namespace texcast::test;
using screen::wayland::draw_tile;
using screen::wayland::in_a_row;
using screen::wayland::lay_out;
using screen::wayland::MosaicTile;

namespace {

FrameView view_of(const Picture& picture) {
  const PlaneView plane{reinterpret_cast<const std::byte*>(picture.texels.data()), std::ptrdiff_t{picture.width} * 4};
  return {.format = {.pixel_format = PixelFormat::bgra,
                     .width = picture.width,
                     .height = picture.height,
                     .color = kFullRange,
                     .opaque = true},
          .planes = {plane}};
}

}  // namespace

TEST_CASE("monitors of one scale keep their pixels, at their places") {
  // The second is lower; the first is left of the desktop's origin.
  const std::array tiles{MosaicTile{{-100, 0, 100, 80}, 100, 80}, MosaicTile{{0, 30, 60, 70}, 60, 70}};
  const auto layout = lay_out(tiles);
  CHECK(layout.desktop == Rect{-100, 0, 160, 100});
  CHECK(layout.width == 160);
  CHECK(layout.height == 100);
  CHECK(layout.targets[0] == Rect{0, 0, 100, 80});
  CHECK(layout.targets[1] == Rect{100, 30, 60, 70});
}

TEST_CASE("the greatest scale of the monitors is that of the picture") {
  const std::array tiles{MosaicTile{{0, 0, 100, 80}, 200, 160}, MosaicTile{{100, 10, 60, 70}, 60, 70}};
  const auto layout = lay_out(tiles);
  CHECK(layout.targets[0] == Rect{0, 0, 200, 160});
  CHECK(layout.targets[1] == Rect{200, 20, 120, 140});
  // 1280 pixels at a scale of 1.5 are 853.3 units, of which the desktop reports 853.
  const std::array fractional{MosaicTile{{0, 0, 853, 480}, 1280, 720}, MosaicTile{{853, 0, 1024, 768}, 1536, 1152}};
  const auto exact = lay_out(fractional);
  CHECK(exact.targets[0] == Rect{0, 0, 1280, 720});
  CHECK(exact.targets[1].x == 1280);
  CHECK(exact.targets[1].width == 1536);
  CHECK(exact.width == exact.targets[1].x + exact.targets[1].width);
}

TEST_CASE("a desktop that is too large is reduced, and monitors without places make a row") {
  const std::array wide{MosaicTile{{0, 0, 10000, 1000}, 10000, 1000}, MosaicTile{{10000, 0, 10000, 1000}, 10000, 1000}};
  const auto layout = lay_out(wide);
  CHECK(layout.width == kMaxFrameSize);
  for (const Rect& target : layout.targets) {
    CHECK(target.x + target.width <= layout.width);
    CHECK(target.y + target.height <= layout.height);
  }
  const std::array unknown{MosaicTile{{}, 30, 20}, MosaicTile{{}, 50, 40}};
  CHECK(in_a_row(unknown) == std::vector<Rect>{{0, 0, 30, 20}, {30, 0, 50, 40}});
}

TEST_CASE("a part of a monitor is drawn where it is: as it is, repeated, or interpolated") {
  const Picture picture(20, 10, 1);
  const Rect part{5, 2, 7, 3};
  for (const Rect& target : {Rect{3, 4, 20, 10}, Rect{3, 4, 40, 30}, Rect{3, 4, 30, 15}, Rect{3, 4, 12, 7}}) {
    CAPTURE(target);
    const Picture outside(60, 40, 2);
    Picture whole = outside, later = outside;
    CHECK(draw_tile(whole.texels, 60, target, view_of(picture), {-5, -5, 100, 100}) == target);
    Picture changed = picture;
    changed.fill(part, 3);
    draw_tile(later.texels, 60, target, view_of(picture), {0, 0, 20, 10});
    const Rect drawn = draw_tile(later.texels, 60, target, view_of(changed), part);
    Picture anew = outside;
    draw_tile(anew.texels, 60, target, view_of(changed), {0, 0, 20, 10});
    CHECK(later.texels == anew.texels);  // the part is enough
    bool is_within = true;
    for (int y = 0; y < 40; ++y)
      for (int x = 0; x < 60; ++x) {
        const auto inside = [&](const Rect& r) {
          return x >= r.x && x < r.x + r.width && y >= r.y && y < r.y + r.height;
        };
        const auto at = static_cast<size_t>(y) * 60 + static_cast<size_t>(x);
        is_within &= inside(target) || whole.texels[at] == outside.texels[at];
        is_within &= inside(drawn) || later.texels[at] == whole.texels[at];
      }
    CHECK(is_within);
  }
  Picture twice(40, 20, 0);
  draw_tile(twice.texels, 40, {0, 0, 40, 20}, view_of(picture), {0, 0, 20, 10});
  CHECK(twice.texels[5 * 40 + 7] == picture.texels[2 * 20 + 3]);
  // Interpolated texels of one colour keep it.
  Picture grey(20, 10, 0);
  for (uint32_t& texel : grey.texels) texel = 0xFF8040C0;
  Picture larger(30, 15, 0);
  draw_tile(larger.texels, 30, {0, 0, 30, 15}, view_of(grey), {0, 0, 20, 10});
  CHECK(larger.texels == std::vector<uint32_t>(450, 0xFF8040C0));
}
