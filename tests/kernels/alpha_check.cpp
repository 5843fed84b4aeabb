// Textures of one and two channels, and those that two kernels write to one buffer (BC3, scaled YCoCg with alpha),
// compared with codec/ref, byte for byte.
#include <doctest/doctest.h>
#include <fmt/core.h>

#include "check.h"

using namespace texcast;

namespace {

stages::StageSettings settings_of(TextureFormat texture, PixelFormat source, check::Size size, Method method) {
  const ColorRange range = is_rgb(source) ? ColorRange::full : ColorRange::limited;
  return {
      .source = {source, size.width, size.height, {ColorMatrix::bt709, range}}, .texture = texture, .method = method};
}

}  // namespace

TEST_CASE("bc3 by every method from rgba") {
  const bool fast_alone = check::spared("bc3 but by refine-once");
  for (const Method method : kMethods) {
    if (!has_method(TextureFormat::bc3, method) || (fast_alone && method != Method::refine_once)) continue;
    // Other checks run the kernels of both sub-blocks at all sizes.
    for (const check::Size size : {check::Size{13, 9}, check::Size{127, 95}}) {
      if (size.width > 100 ? check::tiny_only() : check::slow_compiler()) continue;
      check::check_all_patterns(settings_of(TextureFormat::bc3, PixelFormat::rgba, size, method),
                                fmt::format("bc3 {}", name(method)));
    }
  }
}

TEST_CASE("bc3 in every form, and from sources without alpha") {
  const check::Size size{70, 6};  // 16 blocks side by side, and two more
  auto rows = settings_of(TextureFormat::bc3, PixelFormat::rgba, size, Method::refine_once);
  rows.form = stages::Form::row16;
  if (!check::slow_compiler()) check::check_all_patterns(rows, "bc3 refine-once, 16 blocks an item");
  auto image = settings_of(TextureFormat::bc3, PixelFormat::rgba, size, Method::refine_once);
  image.source_memory = stages::SourceMemory::image;
  if (check::device().info().has_images) check::check_all_patterns(image, "bc3 refine-once from an image");
  check::check_all_patterns(settings_of(TextureFormat::bc3, PixelFormat::nv12, size, Method::refine_once),
                            "bc3 refine-once from nv12");
  auto opaque = settings_of(TextureFormat::bc3, PixelFormat::bgra, size, Method::refine_once);
  opaque.source.opaque = true;
  check::check_all_patterns(opaque, "bc3 refine-once from bgr0");
}

// A work-item encodes 16 blocks of a row; the last one of a row encodes those that are left.
TEST_CASE("bc4 with 16 blocks per work-item, of luma and of alpha") {
  if (check::spared("bc4 with 16 blocks an item")) return;
  const auto check_one = [](PixelFormat source, Method method, bool opaque, ColorRange range) {
    for (const check::Size size : {check::Size{70, 6}, check::Size{133, 35}, check::Size{256, 64}}) {
      if (check::tiny_only() && size.width > 70) continue;
      auto settings = settings_of(TextureFormat::bc4, source, size, method);
      settings.form = stages::Form::row16;
      settings.source.opaque = opaque;
      settings.source.color.range = range;
      check::check_all_patterns(settings, fmt::format("bc4 {} from {}, 16 blocks an item", name(method), name(source)));
    }
  };
  for (const Method method : {Method::refine_once, Method::refine, Method::cluster, Method::cluster_search}) {
    check_one(PixelFormat::bgra, method, false, ColorRange::full);
    check_one(PixelFormat::nv12, method, false, ColorRange::limited);
  }
  check_one(PixelFormat::yuv420p, Method::refine_once, false, ColorRange::limited);
  check_one(PixelFormat::rgba, Method::refine_once, true, ColorRange::full);
  check_one(PixelFormat::rgba, Method::refine_once, true, ColorRange::limited);
  auto with_alpha = settings_of(TextureFormat::ycocg_dxt5_alpha, PixelFormat::rgba, {70, 6}, Method::refine_once);
  with_alpha.form = stages::Form::row16;  // alpha has this form; colours are one work-item per block
  check::check_all_patterns(with_alpha, "ycocg-dxt5-alpha refine-once, 16 blocks an item");
}

TEST_CASE("bc5 by every method, and from Y'CbCr and an image") {
  const bool fast_alone = check::spared("bc5 but by refine-once");
  for (const Method method : kMethods) {
    if (!has_method(TextureFormat::bc5, method) || (fast_alone && method != Method::refine_once)) continue;
    check::check_all_patterns(settings_of(TextureFormat::bc5, PixelFormat::rgba, {37, 14}, method),
                              fmt::format("bc5 {}", name(method)));
  }
  auto settings = settings_of(TextureFormat::bc5, PixelFormat::nv12, {37, 14}, Method::refine_once);
  check::check_all_patterns(settings, "bc5 refine-once from nv12");
  settings.source_memory = stages::SourceMemory::image;
  if (check::device().info().has_images) check::check_all_patterns(settings, "bc5 refine-once from an image");
}

TEST_CASE("bc4 of luma and of alpha, scaled YCoCg with alpha") {
  const check::Size size{37, 14};
  const auto check_one = [](const stages::StageSettings& settings) {
    check::check_all_patterns(settings, fmt::format("{} {} from {}", name(settings.texture), name(settings.method),
                                                    name(settings.source.pixel_format)));
  };
  const bool fast_alone = check::spared("bc4 but by refine-once");
  for (const Method method : kMethods) {
    if (!has_method(TextureFormat::bc4, method) || (fast_alone && method != Method::refine_once)) continue;
    check_one(settings_of(TextureFormat::bc4, PixelFormat::rgba, size, method));
  }
  for (const PixelFormat source : {PixelFormat::nv12, PixelFormat::bgra})
    check_one(settings_of(TextureFormat::bc4, source, size, Method::refine_once));
  auto limited = settings_of(TextureFormat::bc4, PixelFormat::rgba, size, Method::refine_once);
  limited.source.color.range = ColorRange::limited;
  check_one(limited);  // alpha has no range
  limited.source.opaque = true;
  check_one(limited);
  check_one(settings_of(TextureFormat::ycocg_dxt5_alpha, PixelFormat::rgba, size, Method::refine_once));
}
