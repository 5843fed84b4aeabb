// The GPU's texture unit (or llvmpipe's) as an independent decoder: random blocks, shown 1:1 off-screen and read back,
// are compared with block_oracle.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "block_oracle.h"
#include "capture_bound.h"
#include "player/window.h"
#include "tiny.h"

namespace texcast::player {
namespace {

ShownPicture shown(Presenter& presenter, const OwnedTexture& texture) {
  presenter.resize(texture.desc.width, texture.desc.height);
  presenter.upload(texture.view());
  presenter.draw({});
  auto picture = presenter.read_back();
  presenter.present();
  REQUIRE(picture);
  return *picture;
}

// With TEXCAST_TEST_ALL=1 also a million blocks of each format. Fourteen thousand blocks include rare values, which do
// not matter to a sanitizer.
std::vector<std::array<int, 2>> sizes() {
  std::vector<std::array<int, 2>> all = {{1, 1}, {2, 2}, {3, 5}, {4, 4}, {5, 1}, {127, 95}, {129, 97}, {64, 200}};
  if (!test::tiny_only()) all.push_back({640, 360});
  const char* everything = std::getenv("TEXCAST_TEST_ALL");
  if (everything && std::string_view(everything) == "1") all.push_back({4000, 4000});
  return all;
}

}  // namespace

TEST_CASE("a texture shown 1:1 has the texture's texels, also at odd sizes" * doctest::test_suite("one-thread")) {
  const auto presenter = make_presenter({.kind = PresenterKind::offscreen});
  MESSAGE(presenter->renderer());
  for (const TextureFormat format : shown_formats()) {
    if (!presenter->takes(plane_coding(format, 0).id)) {
      MESSAGE("SKIP: ", name(format), ": this OpenGL does not have the format");
      continue;
    }
    const Tolerance allowed = tolerance(format, presenter->renderer());
    Difference worst;
    size_t exact = 0, channels = 0;
    for (const auto& [width, height] : sizes()) {
      CAPTURE(name(format));
      CAPTURE_BOUND(width);
      CAPTURE_BOUND(height);
      const OwnedTexture texture = random_texture(format, width, height, static_cast<uint32_t>(width * 977 + height));
      const Difference difference = compare(shown(*presenter, texture), decode_picture(texture));
      CAPTURE(difference.x);
      CAPTURE(difference.y);
      CHECK(difference.largest <= allowed.largest);
      // The mean over a few texels of random blocks says nothing.
      if (width * height > 1000) {
        CHECK(difference.mean <= allowed.mean);
        worst.mean = std::max(worst.mean, difference.mean);
      }
      worst.largest = std::max(worst.largest, difference.largest);
      exact += difference.exact;
      channels += difference.channels;
    }
    MESSAGE(fmt::format("{}: at most {:.3f}/255 off, mean at most {:.3f}, {:.2f} % of channels rounded to nearest",
                        name(format), worst.largest, worst.mean,
                        100.0 * static_cast<double>(exact) / static_cast<double>(channels)));
  }
}

}  // namespace texcast::player
