// Every BC1 kernel in every form, compared with codec/ref, byte for byte.
#include <doctest/doctest.h>
#include <fmt/core.h>

#include "check.h"
#include "devices/llvmpipe.h"
#include "texcast/error.h"

using namespace texcast;
using stages::Form;

TEST_CASE("bc1 by every method, one work-item per block" * doctest::test_suite("optimised")) {
  const bool few = check::spared("bc1 with black, and by cluster-search, lspiro2 and lspiro3");
  for (const Method method : kMethods) {
    const bool is_long = method == Method::cluster_search || method == Method::lspiro2 || method == Method::lspiro3;
    if (few && is_long) continue;
    for (auto size : check::sizes()) {
      // The reference encoders of the searching methods take up to a millisecond per block.
      if ((method == Method::cluster_search || method == Method::lspiro3) && size.width * size.height > 20000)
        size = {256, 64};
      for (const bool allow_black : {false, true}) {
        if (allow_black && (few || !has_option(TextureFormat::bc1, method, MethodOption::black))) continue;
        check::check_all_patterns(
            {.source = check::rgba(size), .method = method, .options = {.allow_black = allow_black}},
            fmt::format("bc1 {} wide{}", name(method), allow_black ? ", black" : ""));
      }
    }
  }
}

TEST_CASE("LSpiro with any number of passes and any radius") {
  if (check::spared("LSpiro with other passes and radii")) return;
  const check::Size size = check::tiny_only() ? check::Size{9, 5} : check::Size{37, 22};
  const bool few = check::spared_on_cpu("LSpiro with few passes, and with the widest radius");
  for (const int passes : few ? std::vector{kMaxLspiroPasses} : std::vector{1, kMaxLspiroPasses})
    check::check_all_patterns({.source = check::rgba(size), .method = Method::lspiro2, .options = {.passes = passes}},
                              fmt::format("bc1 lspiro2, {} passes", passes));
  const auto with_radius = [](int radius, check::Size frame) {
    return stages::StageSettings{
        .source = check::rgba(frame), .method = Method::lspiro3, .options = {.passes = 1, .radius = radius}};
  };
  check::check_all_patterns(with_radius(2, check::tiny_only() ? check::Size{4, 4} : size), "bc1 lspiro3, radius 2");
  if (check::tiny_only()) {
    MESSAGE("SKIP: the widest radius: interpreters take minutes");
    return;
  }
  if (few) return;
  const auto widest = with_radius(kMaxLspiroRadius, {23, 8});
  if (!is_llvmpipe(check::device().info()))
    check::check_all_patterns(widest, "bc1 lspiro3, the widest radius");
  else  // its loops end early; no blocks are better than wrong ones
    CHECK_THROWS_AS(stages::make_stage(check::device(), widest), Error);
}

// All methods read through common/load_side_by_side.cl, so that one method runs with every source, the others with one.
TEST_CASE("bc1 with 16 blocks per work-item, from every source that supports it") {
  const bool range_alone = check::spared("refine-once and refine with 16 blocks an item");
  for (int f = 0; f < kPixelFormatCount; ++f)
    for (const Method method : {Method::range, Method::refine_once, Method::refine}) {
      const auto pixel_format = static_cast<PixelFormat>(f);
      if ((method != Method::refine_once || range_alone) && pixel_format != PixelFormat::yuv420p) continue;
      const ColorRange range = is_rgb(pixel_format) ? ColorRange::full : ColorRange::limited;
      for (const auto size : check::sizes()) {
        const stages::StageSettings settings{
            .source = {pixel_format, size.width, size.height, {ColorMatrix::bt709, range}},
            .method = method,
            .form = Form::row16};
        if (!stages::has_form(settings)) continue;
        if (size.width > 1000 && pixel_format != PixelFormat::yuv420p) continue;
        if (range_alone && (size.width < 64 || method != Method::range)) continue;
        check::check_all_patterns(settings,
                                  fmt::format("bc1 {} from {}, 16 blocks an item", name(method), name(pixel_format)));
      }
    }
}

TEST_CASE("sources of 16 blocks per work-item give the same bytes with 1 and 8") {
  if (check::spared("1 and 8 blocks an item")) return;
  const bool few = check::spared_on_cpu("1 and 8 blocks an item from more than one source each");
  for (const int lanes : {1, 8})
    for (const PixelFormat source : {PixelFormat::nv12, PixelFormat::rgba, PixelFormat::yuv420p})
      for (const Method method : {Method::range, Method::refine_once, Method::refine})
        for (const TextureFormat texture : {TextureFormat::bc1, TextureFormat::bc4}) {
          if (!has_method(texture, method)) continue;
          if (few && source != (lanes == 1 ? PixelFormat::nv12 : PixelFormat::rgba)) continue;
          const check::Size size = check::tiny_only() ? check::Size{37, 6} : check::Size{133, 35};
          const ColorRange range = is_rgb(source) ? ColorRange::full : ColorRange::limited;
          check::check_all_patterns(
              {.source = {source, size.width, size.height, {ColorMatrix::bt709, range}},
               .texture = texture,
               .method = method,
               .form = Form::row16,
               .lanes = lanes},
              fmt::format("{} {} from {}, {} blocks an item", name(texture), name(method), name(source), lanes));
        }
}

TEST_CASE("a wide kernel gives the same bytes at any work-group size") {
  if (check::spared("other group sizes")) return;
  for (const int group_size : {1, 16, 128})
    for (const Method method : {Method::refine_once, Method::cluster_search})  // without and with local memory
      check::check_all_patterns({.source = check::rgba({13, 9}), .method = method, .group_size = group_size},
                                fmt::format("bc1 {} wide, group of {}", name(method), group_size));
}
