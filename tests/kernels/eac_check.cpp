// EAC of one and two channels, signed and unsigned, and signed BC4 and BC5, compared with codec/ref, byte for byte.
#include <doctest/doctest.h>
#include <fmt/core.h>

#include "check.h"

using namespace texcast;

namespace {

void check_one(TextureFormat texture, PixelFormat source, Method method) {
  const check::Size size = check::tiny_only() ? check::Size{5, 3} : check::Size{37, 14};
  const ColorRange range = is_rgb(source) || source == PixelFormat::gray16 ? ColorRange::full : ColorRange::limited;
  check::check_all_patterns(
      {.source = {source, size.width, size.height, {ColorMatrix::bt709, range}}, .texture = texture, .method = method},
      fmt::format("{} {} from {}", name(texture), name(method), name(source)));
}

}  // namespace

// One kernel serves both ranges. The signed one is tested with the method that has the widest search window.
TEST_CASE("eac-r11 by every method, of alpha") {
  const bool fast_alone = check::spared("eac-r11 but by refine-once");
  for (const Method method : {Method::refine_once, Method::refine, Method::cluster, Method::cluster_search}) {
    if (fast_alone && method != Method::refine_once) continue;
    if (method == Method::cluster_search && check::tiny_only()) {
      MESSAGE("SKIP: all settings of EAC: interpreters are slow");
      continue;
    }
    check_one(TextureFormat::eac_r11, PixelFormat::rgba, method);
  }
  if (!fast_alone && !check::tiny_only())
    check_one(TextureFormat::eac_r11_signed, PixelFormat::bgra, Method::cluster_search);
}

TEST_CASE("eac-r11 of luma with 8, 10 and 16 bits, inside and at the edge") {
  for (const PixelFormat source : {PixelFormat::p010, PixelFormat::gray16, PixelFormat::nv12, PixelFormat::rgb24}) {
    if (source == PixelFormat::nv12 && check::spared("eac-r11 of luma of 8 bits")) break;
    check_one(TextureFormat::eac_r11, source, Method::refine_once);
  }
  check_one(TextureFormat::eac_r11_signed, PixelFormat::yuv420p10, Method::refine_once);
  auto limited = check::rgba(check::tiny_only() ? check::Size{5, 3} : check::Size{37, 14});
  limited.pixel_format = PixelFormat::gray16;
  limited.color.range = ColorRange::limited;
  check::check_all_patterns({.source = limited, .texture = TextureFormat::eac_r11, .method = Method::refine_once},
                            "eac-r11 refine-once from gray16 of limited range");
}

TEST_CASE("eac-r11 and eac-rg11 with 16 blocks per work-item") {
  if (check::spared("eac with 16 blocks an item")) return;
  const auto check_rows = [](TextureFormat texture, PixelFormat source, Method method, bool opaque) {
    const check::Size size = check::tiny_only() ? check::Size{70, 4} : check::Size{133, 35};
    stages::StageSettings rows{.source = check::rgba(size), .texture = texture, .method = method};
    rows.source.pixel_format = source;
    rows.source.opaque = opaque;
    rows.form = stages::Form::row16;
    check::check_all_patterns(
        rows, fmt::format("{} {} from {}, 16 blocks an item", name(texture), name(method), name(source)));
  };
  check_rows(TextureFormat::eac_r11, PixelFormat::rgba, Method::refine_once, false);
  check_rows(TextureFormat::eac_r11, PixelFormat::bgra, Method::refine_once, true);
  check_rows(TextureFormat::eac_rg11, PixelFormat::rgba, Method::refine, false);
  if (check::tiny_only()) return;
  check_rows(TextureFormat::eac_r11, PixelFormat::nv12, Method::cluster, false);
  check_rows(TextureFormat::eac_r11_signed, PixelFormat::yuv420p, Method::refine, false);
  check_rows(TextureFormat::eac_rg11_signed, PixelFormat::nv12, Method::refine_once, false);
}

TEST_CASE("eac-rg11, signed and unsigned") {
  check_one(TextureFormat::eac_rg11, PixelFormat::rgba, Method::refine);
  check_one(TextureFormat::eac_rg11_signed, PixelFormat::nv12, Method::refine_once);
}

TEST_CASE("signed bc4 and bc5, also with 16 blocks per work-item") {
  check_one(TextureFormat::bc4_signed, PixelFormat::nv12, Method::refine_once);
  check_one(TextureFormat::bc4_signed, PixelFormat::rgba, Method::refine_once);
  if (!check::spared("bc4-signed by the search"))
    check_one(TextureFormat::bc4_signed, PixelFormat::rgba, Method::cluster_search);
  check_one(TextureFormat::bc5_signed, PixelFormat::rgba, Method::refine_once);
  if (check::spared("bc4-signed with 16 blocks an item")) return;
  for (const PixelFormat source : {PixelFormat::rgba, PixelFormat::nv12}) {
    stages::StageSettings rows{.source = check::rgba(check::tiny_only() ? check::Size{70, 4} : check::Size{133, 35}),
                               .texture = TextureFormat::bc4_signed,
                               .method = Method::refine_once};
    rows.source.pixel_format = source;
    rows.form = stages::Form::row16;
    check::check_all_patterns(rows, "bc4-signed, 16 blocks an item");
  }
}
