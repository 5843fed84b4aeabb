// Repacking YCoCg-BC4 as Hap Q: the kernel compared with codec/ref, byte for byte, and properties of both.
#include <doctest/doctest.h>
#include <fmt/core.h>

#include <random>

#include "check.h"
#include "ref/encode.h"
#include "ref/ycocg_repack.h"
#include "stages/repack_stage.h"

using namespace texcast;

namespace {

constexpr TextureFormat kPlanes[] = {TextureFormat::ycocg_bc4_420, TextureFormat::ycocg_bc4_422,
                                     TextureFormat::ycocg_bc4_444};

// An encoder's blocks, or any bytes: both orders of end points, every index.
std::vector<std::byte> make_planes(TextureFormat format, check::Size size, bool any_bytes, uint32_t seed) {
  std::vector<std::byte> blocks(texture_layout(format, size.width, size.height).total_bytes);
  if (any_bytes) {
    std::mt19937 random(seed);
    for (std::byte& b : blocks) b = static_cast<std::byte>(random() & 255);
  } else {
    const FrameFormat rgba{PixelFormat::rgba, size.width, size.height, {ColorMatrix::bt709, ColorRange::full}};
    const auto frame = check::make_frame(rgba, check::Pattern::real, seed);
    ref::encode(frame.view(), format, Method::refine, blocks);
  }
  return blocks;
}

}  // namespace

TEST_CASE("ycocg-bc4 of every subsampling as Hap Q" * doctest::test_suite("optimised")) {
  const auto sizes = check::tiny_only() ? std::vector<check::Size>{{5, 3}, {18, 9}}
                                        : std::vector<check::Size>{{1, 1}, {5, 3}, {127, 95}};
  for (const TextureFormat format : kPlanes)
    for (const Method method : {Method::refine_once, Method::cluster_search}) {
      // Subsamplings differ only before the fit begins, whose other efforts the check of ycocg-dxt5 tests.
      if (method != Method::refine_once && (format != TextureFormat::ycocg_bc4_422 || check::slow_compiler())) continue;
      for (const auto& [width, height] : sizes) {
        const auto stage = stages::make_repack_stage(check::device(), {format, width, height, method});
        for (const bool any_bytes : {false, true}) {
          const auto planes = make_planes(format, {width, height}, any_bytes, 7);
          std::vector<std::byte> want(texture_layout(TextureFormat::ycocg_dxt5, width, height).total_bytes);
          ref::repack_ycocg({{format, width, height}, planes}, method, want);
          CHECK(check::gives(*stage, planes, want, 16,
                             fmt::format("{} {}x{} as Hap Q by {}{}", name(format), width, height, name(method),
                                         any_bytes ? ", any bytes" : "")));
        }
      }
    }
}
