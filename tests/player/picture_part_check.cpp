// Parts of pictures, as the screens of a wall show them: cells and their bezels, and what is drawn, pixel by pixel
// against the whole picture.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>

#include "block_oracle.h"
#include "contexts.h"
#include "gl_texture.h"
#include "player/picture_part.h"
#include "player/window.h"
#include "texcast/error.h"

namespace texcast::player {
namespace {

constexpr Size kPicture{195, 131};  // no multiple of any block

PicturePart cell(int column, int row, int columns, int rows, Size bezel = {}) {
  return {.cell = WallCell{.column = column, .row = row, .columns = columns, .rows = rows, .bezel = bezel}};
}

PicturePart rectangle(int x, int y, int width, int height) { return {.rect = {x, y, width, height}}; }

struct Drawn {
  ShownPicture picture;
  uint64_t uploaded = 0;
};

// Drawn at `zoom` times the size of the part.
Drawn draw(const OwnedTexture& texture, const std::optional<PicturePart>& part, int zoom = 1) {
  Size size{texture.desc.width, texture.desc.height};
  if (part) {
    const Rect rect = rect_of(*part, size).value();
    size = {rect.width, rect.height};
  }
  const auto presenter = make_presenter(
      {.kind = PresenterKind::offscreen, .width = size.width * zoom, .height = size.height * zoom, .part = part});
  const uint64_t before = presenter->uploaded_bytes();
  presenter->upload(texture.view());
  presenter->draw({});
  auto picture = presenter->read_back();
  presenter->present();
  REQUIRE(picture);
  return {std::move(*picture), presenter->uploaded_bytes() - before};
}

// The largest difference of a channel between the part and the same pixels of the whole picture.
int difference(const ShownPicture& part, const ShownPicture& whole, const Rect& rect, int zoom = 1) {
  REQUIRE(part.width == rect.width * zoom);
  REQUIRE(part.height == rect.height * zoom);
  int largest = 0;
  for (int y = 0; y < part.height; ++y)
    for (int i = 0; i < 3 * part.width; ++i) {
      const int own = part.pixels[static_cast<size_t>(y * part.width * 3 + i)];
      const int other = whole.pixels[static_cast<size_t>(((y + rect.y * zoom) * whole.width + rect.x * zoom) * 3 + i)];
      largest = std::max(largest, std::abs(own - other));
    }
  return largest;
}

std::vector<PicturePart> some_parts() {
  std::vector<PicturePart> parts = {rectangle(0, 0, 195, 131), rectangle(13, 7, 50, 33), rectangle(194, 130, 1, 1),
                                    rectangle(61, 50, 200, 200)};
  for (const auto& [column, row] : {std::pair{1, 1}, {2, 2}, {3, 1}, {4, 3}})
    parts.push_back(cell(column, row, 4, 3, {7, 5}));
  return parts;
}

std::vector<TextureFormat> some_formats() {
  std::vector<TextureFormat> formats = {TextureFormat::bc1,           TextureFormat::ycocg_dxt5_alpha,
                                        TextureFormat::ycocg_bc4_420, TextureFormat::ycocg_bc4_422,
                                        TextureFormat::ycocg_bc4_444, TextureFormat::uyvy,
                                        TextureFormat::rgb8,          TextureFormat::bc3};
  const auto context = make_egl_context({.kind = PresenterKind::offscreen});
  if (samples(CodingId::astc_6x6))
    formats.push_back(TextureFormat::astc_6x6);
  else
    MESSAGE("SKIP: astc-6x6: this OpenGL does not have the format");
  return formats;
}

}  // namespace

TEST_CASE("cells cover the picture once, without what bezels hide") {
  const Size picture{1927, 1081}, bezel{40, 25};
  std::vector<int> covered(static_cast<size_t>(picture.width * picture.height));
  Size least{10000, 10000}, most{};
  for (int row = 1; row <= 3; ++row)
    for (int column = 1; column <= 4; ++column) {
      const Rect rect = rect_of(cell(column, row, 4, 3, bezel), picture).value();
      least = {std::min(least.width, rect.width), std::min(least.height, rect.height)};
      most = {std::max(most.width, rect.width), std::max(most.height, rect.height)};
      for (int y = rect.y; y < rect.y + rect.height; ++y)
        for (int x = rect.x; x < rect.x + rect.width; ++x) ++covered[static_cast<size_t>(y * picture.width + x)];
    }
  CHECK(most.width - least.width <= 1);
  CHECK(most.height - least.height <= 1);
  CHECK(*std::ranges::max_element(covered) == 1);
  CHECK(std::ranges::count(covered, 1) == int64_t{1927 - 3 * 40} * (1081 - 2 * 25));
  CHECK(rect_of(cell(1, 1, 4, 3), {3840, 2160}) == Rect{0, 0, 960, 720});
  CHECK(rect_of(cell(4, 3, 4, 3), {3840, 2160}) == Rect{2880, 1440, 960, 720});
  CHECK(rect_of(cell(2, 1, 3, 1, {30, 0}), {1920, 1080}) == Rect{650, 0, 620, 1080});
}

TEST_CASE("parts are clipped to the picture, and may be outside of it") {
  CHECK(rect_of(rectangle(10, 20, 30, 40), {100, 100}) == Rect{10, 20, 30, 40});
  CHECK(rect_of(rectangle(90, 95, 30, 40), {100, 100}) == Rect{90, 95, 10, 5});
  CHECK(!rect_of(rectangle(100, 0, 30, 40), {100, 100}));
  CHECK(!rect_of(cell(3, 1, 4, 1, {60, 0}), {100, 100}));  // the bezels are wider than the picture
  CHECK_THROWS_AS(
      [] {
        const auto presenter =
            make_presenter({.kind = PresenterKind::offscreen, .part = PicturePart{.rect = {500, 0, 8, 8}}});
        presenter->upload(random_texture(TextureFormat::bc1, 64, 64, 1).view());
      }(),
      Error);
}

TEST_CASE("the bytes that a part needs: whole rows of blocks, with those beside it") {
  const TextureDesc bc1{.format = TextureFormat::bc1, .width = 64, .height = 64};  // rows of 128 bytes
  const auto one = bytes_of(rectangle(0, 18, 64, 12), bc1);
  REQUIRE(one.size() == 1);
  CHECK(one[0].begin == 4 * 128);  // pixels 16 to 31
  CHECK(one[0].end == 8 * 128);
  TextureDesc planes = bc1;
  planes.format = TextureFormat::ycocg_bc4_420;
  const auto three = bytes_of(rectangle(0, 18, 64, 12), planes);
  REQUIRE(three.size() == 3);
  CHECK(three[0].begin == 4 * 128);
  CHECK(three[0].end == 8 * 128);
  CHECK(three[1].begin == 16 * 128 + 2 * 64);
  CHECK(three[1].end == 16 * 128 + 4 * 64);
  CHECK(bytes_of(rectangle(64, 0, 1, 1), bc1).empty());
}

TEST_CASE("a part is drawn as these pixels of the whole picture") {
  for (const TextureFormat format : some_formats()) {
    CAPTURE(name(format));
    const OwnedTexture texture = random_texture(format, kPicture.width, kPicture.height, 3);
    const ShownPicture whole = draw(texture, std::nullopt).picture;
    for (const PicturePart& part : some_parts()) {
      const Rect rect = rect_of(part, kPicture).value();
      CAPTURE(rect.x);
      CAPTURE(rect.y);
      CHECK(difference(draw(texture, part).picture, whole, rect) == 0);
    }
  }
}

// Filters read the pixels beside the part. Positions have 24 bits, so the last bits of a filter's weights may differ.
TEST_CASE("a part that is drawn larger continues in its neighbours") {
  for (const TextureFormat format : {TextureFormat::bc1, TextureFormat::ycocg_bc4_420}) {
    CAPTURE(name(format));
    const OwnedTexture texture = random_texture(format, kPicture.width, kPicture.height, 4);
    const ShownPicture whole = draw(texture, std::nullopt, 2).picture;
    for (const PicturePart& part : {rectangle(64, 40, 60, 50), cell(2, 2, 4, 3)})
      CHECK(difference(draw(texture, part, 2).picture, whole, rect_of(part, kPicture).value(), 2) <= 3);
  }
}

TEST_CASE("a cell of 4x3 uploads about a twelfth of the picture") {
  const OwnedTexture texture = random_texture(TextureFormat::bc1, 1920, 1080, 5);
  const uint64_t all = draw(texture, std::nullopt).uploaded;
  CHECK(all == texture.blocks.size());
  for (const PicturePart& part : {cell(1, 1, 4, 3), cell(2, 2, 4, 3), cell(4, 3, 4, 3)}) {
    const uint64_t own = draw(texture, part).uploaded;
    CHECK(own >= all / 12);
    CHECK(own <= all / 12 * 105 / 100);
  }
}

}  // namespace texcast::player
