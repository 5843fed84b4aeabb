// The YCoCg-DXT5 kernel by each method, compared with codec/ref, byte for byte.
#include <doctest/doctest.h>
#include <fmt/core.h>

#include "check.h"

using namespace texcast;

TEST_CASE("ycocg-dxt5 by every method from rgba, by the fast one from nv12" * doctest::test_suite("optimised")) {
  for (const Method method : kMethods)
    for (const PixelFormat source : {PixelFormat::rgba, PixelFormat::nv12}) {
      if (!has_method(TextureFormat::ycocg_dxt5, method)) continue;
      if (source == PixelFormat::nv12 && method != Method::refine_once) continue;
      for (auto size : check::sizes()) {
        // The reference encoder of the searching method is slow.
        if (method == Method::cluster_search && size.width * size.height > 20000) size = {256, 64};
        if (size.width > 1000 && source == PixelFormat::nv12) continue;
        const ColorRange range = source == PixelFormat::rgba ? ColorRange::full : ColorRange::limited;
        const FrameFormat format{source, size.width, size.height, {ColorMatrix::bt709, range}};
        check::check_all_patterns({format, TextureFormat::ycocg_dxt5, method},
                                  fmt::format("ycocg-dxt5 {} from {}", name(method), name(source)));
      }
    }
}
