// ETC1, ETC2 and ETC2 with alpha by each method, compared with codec/ref, byte for byte.
#include <doctest/doctest.h>
#include <fmt/core.h>

#include "check.h"

using namespace texcast;

namespace {

void check_etc(TextureFormat texture, PixelFormat source, check::Size size, Method method, bool opaque = false) {
  const ColorRange range = is_rgb(source) ? ColorRange::full : ColorRange::limited;
  stages::StageSettings settings{
      .source = {source, size.width, size.height, {ColorMatrix::bt709, range}}, .texture = texture, .method = method};
  settings.source.opaque = opaque;
  check::check_all_patterns(settings, fmt::format("{} {} from {}", name(texture), name(method), name(source)));
}

}  // namespace

// The kernel of etc2-alpha's colours is that of etc2, and etc1's kernel is its first mode.
TEST_CASE("etc2-alpha by every method from rgba" * doctest::test_suite("optimised")) {
  const bool fast_alone = check::spared("etc2-alpha but by refine-once");
  for (const Method method : kMethods) {
    if (!has_method(TextureFormat::etc2_alpha, method) || (fast_alone && method != Method::refine_once)) continue;
    // The reference encoders of higher qualities are slow.
    const bool is_slow = method == Method::cluster || method == Method::cluster_search;
    const check::Size size = is_slow ? check::Size{37, 30} : check::Size{127, 95};
    check_etc(TextureFormat::etc2_alpha, PixelFormat::rgba, check::tiny_only() ? check::Size{13, 9} : size, method);
  }
}

TEST_CASE("etc1 by the fast method from rgba, etc2 from nv12, and alpha of a source without it") {
  check_etc(TextureFormat::etc1, PixelFormat::rgba, {37, 14}, Method::refine_once);
  check_etc(TextureFormat::etc2, PixelFormat::nv12, {37, 14}, Method::refine_once);
  if (check::spared("etc2-alpha without alpha")) return;
  check_etc(TextureFormat::etc2_alpha, PixelFormat::bgra, {13, 9}, Method::refine_once, true);
}
