// Textures of one channel, and those of two kernels in one buffer (BC3, scaled YCoCg with alpha), against codec/ref,
// byte for byte.
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
  for (const Method method : kMethods) {
    if (!has_method(TextureFormat::bc3, method)) continue;
    // The halves' kernels meet all sizes elsewhere.
    for (const check::Size size : {check::Size{13, 9}, check::Size{127, 95}}) {
      if (size.width > 100 ? check::tiny_only() : check::slow_compiler()) continue;
      check::check_all_patterns(settings_of(TextureFormat::bc3, PixelFormat::rgba, size, method),
                                fmt::format("bc3 {}", name(method)));
    }
  }
}

TEST_CASE("bc3 from sources with and without alpha, in every form that it has") {
  const check::Size size{37, 14};
  for (const PixelFormat source : {PixelFormat::bgra, PixelFormat::nv12})
    for (const stages::Form form : {stages::Form::wide, stages::Form::row16})
      for (const stages::SourceMemory memory : {stages::SourceMemory::buffer, stages::SourceMemory::image}) {
        auto settings = settings_of(TextureFormat::bc3, source, size, Method::refine_once);
        settings.form = form;
        settings.source_memory = memory;
        if (!stages::has_form(settings) || (check::slow_compiler() && form == stages::Form::row16)) continue;
        if (memory == stages::SourceMemory::image && !check::device().info().has_images) continue;
        check::check_all_patterns(settings, fmt::format("bc3 refine-once from {}", name(source)));
      }
  auto opaque = settings_of(TextureFormat::bc3, PixelFormat::bgra, size, Method::refine_once);
  opaque.source.opaque = true;
  check::check_all_patterns(opaque, "bc3 refine-once from bgr0");
}

TEST_CASE("bc4 of luma and of alpha, scaled YCoCg with alpha") {
  const check::Size size{37, 14};
  const auto check_one = [](const stages::StageSettings& settings) {
    check::check_all_patterns(settings, fmt::format("{} {} from {}", name(settings.texture), name(settings.method),
                                                    name(settings.source.pixel_format)));
  };
  for (const Method method : kMethods) {
    if (!has_method(TextureFormat::bc4, method)) continue;
    check_one(settings_of(TextureFormat::bc4, PixelFormat::bgra, size, method));
  }
  const auto sources = check::slow_compiler() ? std::vector{PixelFormat::nv12}
                                              : std::vector{PixelFormat::nv12, PixelFormat::yuyv422, PixelFormat::p010,
                                                            PixelFormat::rgb24, PixelFormat::gray};
  for (const PixelFormat source : sources)
    check_one(settings_of(TextureFormat::bc4, source, size, Method::refine_once));
  auto limited = settings_of(TextureFormat::bc4, PixelFormat::rgba, size, Method::refine_once);
  limited.source.color.range = ColorRange::limited;
  check_one(limited);  // alpha has no range
  limited.source.opaque = true;
  check_one(limited);
  if (check::device().info().has_images) {
    limited.source_memory = stages::SourceMemory::image;
    check_one(limited);
  }
  for (const PixelFormat source : {PixelFormat::rgba, PixelFormat::nv12})
    check_one(settings_of(TextureFormat::ycocg_dxt5_alpha, source, size, Method::refine_once));
}
