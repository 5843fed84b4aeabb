// The BC7 kernel by each method, compared with codec/ref, byte for byte.
#include <doctest/doctest.h>
#include <fmt/core.h>

#include "check.h"

using namespace texcast;

namespace {

stages::StageSettings bc7_settings(PixelFormat source, check::Size size, Method method) {
  const ColorRange range = is_rgb(source) ? ColorRange::full : ColorRange::limited;
  return {.source = {source, size.width, size.height, {ColorMatrix::bt709, range}},
          .texture = TextureFormat::bc7,
          .method = method};
}

void check_bc7(const stages::StageSettings& settings, const std::string& label) {
  const auto stage = stages::make_stage(check::device(), settings);
  uint32_t seed = 1;
  for (const check::Pattern pattern : check::kPatterns) {
    const check::Frame frame = has_alpha(settings.source) ? check::half_opaque_frame(settings.source, pattern, seed)
                                                          : check::make_frame(settings.source, pattern, seed);
    CHECK(check::equals_reference(*stage, settings, frame,
                                  fmt::format("{}, {}, seed {}", label, check::name(pattern), seed)));
    ++seed;
  }
}

check::Size bc7_size() { return check::tiny_only() ? check::Size{9, 5} : check::Size{37, 14}; }

}  // namespace

TEST_CASE("bc7 by every method, with alpha and without") {
  for (const Method method : kMethods) {
    if (!has_method(TextureFormat::bc7, method)) continue;
    if (method != Method::refine_once && check::spared(fmt::format("bc7 by {}", name(method)))) continue;
    // A kernel with alpha has everything that the one without has. Not all methods, as an interpreter is slow.
    const bool with_alpha = method == Method::refine_once || method == Method::cluster;
    if (!check::tiny_only() || method == Method::cluster_search)
      check_bc7(bc7_settings(PixelFormat::nv12, bc7_size(), method), fmt::format("bc7 {} from nv12", name(method)));
    if (check::slow_compiler() || (check::tiny_only() && !with_alpha)) continue;
    check_bc7(bc7_settings(PixelFormat::rgba, bc7_size(), method), fmt::format("bc7 {} from rgba", name(method)));
  }
}

TEST_CASE("bc7 from an image, and from a source whose fourth byte has no meaning") {
  if (check::tiny_only() || check::spared("bc7 from an image and from bgr0")) return;
  auto settings = bc7_settings(PixelFormat::bgra, bc7_size(), Method::refine_once);
  settings.source.opaque = true;
  check_bc7(settings, "bc7 refine-once from bgr0");
  settings.source.opaque = false;
  settings.source_memory = stages::SourceMemory::image;
  if (check::device().info().has_images) check_bc7(settings, "bc7 refine-once from an image");
}

TEST_CASE("bc7 by the fast method, optimised" * doctest::test_suite("optimised")) {
  if (check::tiny_only() || check::slow_compiler()) return;  // it would be the same test again
  check_bc7(
      bc7_settings(PixelFormat::rgba, check::tiny_only() ? bc7_size() : check::Size{127, 95}, Method::refine_once),
      "bc7 refine-once from rgba");
}
