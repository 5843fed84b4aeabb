// The BC6H kernels by each method, compared with codec/ref, byte for byte.
#include <doctest/doctest.h>
#include <fmt/core.h>

#include "check.h"

using namespace texcast;

namespace {

void check_bc6h(TextureFormat texture, Method method, PixelFormat source) {
  for (const check::Size size : {check::Size{1, 1}, check::Size{5, 3}, check::Size{68, 36}}) {
    if (check::tiny_only() ? size.width > 13 : check::slow_compiler() && size.width < 13) continue;
    const FrameFormat format{source, size.width, size.height, kFullRange};
    check::check_all_patterns({format, texture, method},
                              fmt::format("{} {} from {}", name(texture), name(method), name(source)));
  }
}

}  // namespace

TEST_CASE("bc6h by every method from half floats" * doctest::test_suite("optimised")) {
  for (const Method method : kMethods) {
    if (!has_method(TextureFormat::bc6h, method)) continue;
    if (method != Method::refine_once && check::spared(fmt::format("bc6h by {}", name(method)))) continue;
    check_bc6h(TextureFormat::bc6h, method, PixelFormat::rgba_half);
  }
}

TEST_CASE("signed bc6h by the searching method, and bc6h from bytes by the fast one" *
          doctest::test_suite("optimised")) {
  const bool is_spared = check::spared("signed bc6h by its search");
  check_bc6h(TextureFormat::bc6h_signed, is_spared ? Method::refine_once : Method::cluster_search,
             PixelFormat::rgba_half);
  check_bc6h(TextureFormat::bc6h, Method::refine_once, PixelFormat::rgba);
}
