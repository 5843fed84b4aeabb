// The YCoCg-BC4 kernel at each subsampling and quality, compared with codec/ref, byte for byte.
#include <doctest/doctest.h>
#include <fmt/core.h>

#include "check.h"

using namespace texcast;

TEST_CASE("ycocg-bc4 from rgba and from nv12" * doctest::test_suite("optimised")) {
  for (const TextureFormat texture :
       {TextureFormat::ycocg_bc4_420, TextureFormat::ycocg_bc4_422, TextureFormat::ycocg_bc4_444})
    for (const Method method : {Method::range, Method::refine, Method::cluster, Method::cluster_search})
      for (const PixelFormat source : {PixelFormat::rgba, PixelFormat::nv12}) {
        const bool searches = method == Method::cluster || method == Method::cluster_search;
        if ((check::tiny_only() || searches) && source == PixelFormat::nv12) continue;
        const auto sizes = searches && !check::tiny_only() && !check::slow_compiler()
                               ? std::vector<check::Size>{{1, 1}, {5, 3}, {127, 95}}
                               : check::sizes();
        for (const auto size : sizes) {
          if (size.width > 1000 && source == PixelFormat::nv12) continue;
          const ColorRange range = source == PixelFormat::rgba ? ColorRange::full : ColorRange::limited;
          const FrameFormat format{source, size.width, size.height, {ColorMatrix::bt709, range}};
          check::check_all_patterns({format, texture, method},
                                    fmt::format("{} {} from {}", name(texture), name(method), name(source)));
        }
      }
}
