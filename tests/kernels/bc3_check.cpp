// BC3: the BC1 kernels' colours and the channel kernel's alpha in one buffer, against codec/ref, byte for byte.
#include <doctest/doctest.h>
#include <fmt/core.h>

#include "check.h"

using namespace texcast;

namespace {

stages::StageSettings bc3(PixelFormat source, check::Size size, Method method) {
  const ColorRange range = is_rgb(source) ? ColorRange::full : ColorRange::limited;
  return {.source = {source, size.width, size.height, {ColorMatrix::bt709, range}},
          .texture = TextureFormat::bc3,
          .method = method};
}

}  // namespace

TEST_CASE("bc3 by every method from rgba") {
  for (const Method method : kMethods) {
    if (!has_method(TextureFormat::bc3, method)) continue;
    // The halves' kernels meet all sizes elsewhere.
    for (const check::Size size : {check::Size{13, 9}, check::Size{127, 95}}) {
      if (size.width > 100 ? check::tiny_only() : check::slow_compiler()) continue;
      check::check_all_patterns(bc3(PixelFormat::rgba, size, method), fmt::format("bc3 {}", name(method)));
    }
  }
}

TEST_CASE("bc3 from sources with and without alpha, in every form that it has") {
  const check::Size size{37, 14};
  for (const PixelFormat source : {PixelFormat::bgra, PixelFormat::nv12})
    for (const stages::Form form : {stages::Form::wide, stages::Form::row16})
      for (const stages::SourceMemory memory : {stages::SourceMemory::buffer, stages::SourceMemory::image}) {
        auto settings = bc3(source, size, Method::refine_once);
        settings.form = form;
        settings.source_memory = memory;
        if (!stages::has_form(settings) || (check::slow_compiler() && form == stages::Form::row16)) continue;
        if (memory == stages::SourceMemory::image && !check::device().info().has_images) continue;
        check::check_all_patterns(settings, fmt::format("bc3 refine-once from {}", name(source)));
      }
  auto opaque = bc3(PixelFormat::bgra, size, Method::refine_once);
  opaque.source.opaque = true;
  check::check_all_patterns(opaque, "bc3 refine-once from bgr0");
}
