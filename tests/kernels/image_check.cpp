// Kernels that read their frame through an image2d_t: the same bytes as from a buffer, at every edge.
#include <doctest/doctest.h>
#include <fmt/core.h>

#include "check.h"

using namespace texcast;
using stages::Form;
using stages::SourceMemory;

namespace {

constexpr PixelFormat kReadable[] = {PixelFormat::yuv420p, PixelFormat::nv12, PixelFormat::rgba, PixelFormat::bgra};

// Also such as end in the middle of a block.
std::vector<check::Size> sizes() {
  if (check::tiny_only()) return {{68, 6}, {65, 5}};
  return {{68, 4}, {65, 5}, {7, 33}, {127, 95}, {128, 66}, {1920, 1080}};
}

stages::StageSettings from_image(PixelFormat pixel_format, check::Size size) {
  const ColorRange range = is_rgb(pixel_format) ? ColorRange::full : ColorRange::limited;
  return {.source = {pixel_format, size.width, size.height, {ColorMatrix::bt709, range}},
          .source_memory = SourceMemory::image};
}

bool without_images() {
  if (check::device().info().has_images) return false;
  MESSAGE("SKIP: ", check::device().info().name, " has no images");
  return true;
}

}  // namespace

TEST_CASE("image: every source that can be read through one, one item a block") {
  if (without_images()) return;
  for (const PixelFormat pixel_format : kReadable)
    for (const auto size : sizes())
      check::check_all_patterns(from_image(pixel_format, size),
                                fmt::format("bc1 range from an image of {}", name(pixel_format)));
}

TEST_CASE("image: the same, an item a texel") {
  if (without_images()) return;
  for (const PixelFormat pixel_format : kReadable) {
    stages::StageSettings settings = from_image(pixel_format, {65, 5});
    settings.form = Form::group;
    settings.blocks_per_group = 2;
    check::check_all_patterns(settings, fmt::format("bc1 range group from an image of {}", name(pixel_format)));
  }
}

// One kernel of each file.
TEST_CASE("image: every kernel") {
  if (check::spared("every kernel through an image")) return;
  if (without_images()) return;
  const auto check_method = [](TextureFormat texture, Method method) {
    stages::StageSettings settings = from_image(PixelFormat::nv12, {68, 6});
    settings.texture = texture;
    settings.method = method;
    check::check_all_patterns(settings, fmt::format("{} {} from an image", name(texture), name(method)));
  };
  for (const Method method : {Method::lspiro1, Method::refine_once, Method::cluster, Method::cluster_search})
    check_method(TextureFormat::bc1, method);
  check_method(TextureFormat::ycocg_bc4_420, Method::range);
}

TEST_CASE("image: RGB of limited range") {
  if (without_images()) return;
  stages::StageSettings settings = from_image(PixelFormat::bgra, {13, 9});
  settings.source.color.range = ColorRange::limited;
  check::check_all_patterns(settings, "bc1 range from an image of limited bgra");
}

TEST_CASE("image: formats and forms that have none") {
  const auto has = [](PixelFormat pixel_format, int width, Form form = Form::wide) {
    stages::StageSettings settings = from_image(pixel_format, {width, 64});
    settings.form = form;
    return stages::has_form(settings);
  };
  CHECK(has(PixelFormat::yuv420p, 1920));
  CHECK(has(PixelFormat::yuv420p, 1));
  CHECK(has(PixelFormat::nv12, 64));
  CHECK_FALSE(has(PixelFormat::p010, 1920));
  CHECK_FALSE(has(PixelFormat::rgb24, 1920));
  CHECK_FALSE(has(PixelFormat::nv12, 1920, Form::row16));
}
