// The ASTC kernel of each size and method, compared with codec/ref, byte for byte.
#include <doctest/doctest.h>
#include <fmt/core.h>

#include <array>

#include "check.h"

using namespace texcast;

namespace {

constexpr std::array kSizes = {TextureFormat::astc_4x4, TextureFormat::astc_5x5, TextureFormat::astc_6x6,
                               TextureFormat::astc_8x8};

stages::StageSettings astc_settings(TextureFormat format, PixelFormat source, Method method) {
  const ColorRange range = is_rgb(source) ? ColorRange::full : ColorRange::limited;
  const check::Size size = check::tiny_only() ? check::Size{9, 5} : check::Size{37, 14};
  return {
      .source = {source, size.width, size.height, {ColorMatrix::bt709, range}}, .texture = format, .method = method};
}

void check_astc(const stages::StageSettings& settings) {
  const auto stage = stages::make_stage(check::device(), settings);
  uint32_t seed = 1;
  for (const check::Pattern pattern : check::kPatterns) {
    const check::Frame frame = has_alpha(settings.source) ? check::half_opaque_frame(settings.source, pattern, seed)
                                                          : check::make_frame(settings.source, pattern, seed);
    CHECK(check::equals_reference(
        *stage, settings, frame,
        fmt::format("{} {}, {}, seed {}", name(settings.texture), name(settings.method), check::name(pattern), seed)));
    ++seed;
  }
}

}  // namespace

TEST_CASE("astc of every size, fast and normal") {
  if (check::tiny_only())
    MESSAGE("SKIP: astc of 6x6 and 8x8: Oclgrind 21.10 selects wrong vectors in conditional expressions");
  for (const TextureFormat format : kSizes) {
    const bool is_small = format == TextureFormat::astc_4x4 || format == TextureFormat::astc_5x5;
    if (check::tiny_only() && !is_small) continue;
    if (format != TextureFormat::astc_4x4 && check::spared(fmt::format("{}", name(format)))) continue;
    check_astc(astc_settings(format, PixelFormat::nv12, Method::refine_once));
    if (check::spared(fmt::format("{} normal, and with alpha", name(format)))) continue;
    check_astc(astc_settings(format, PixelFormat::rgba, Method::refine_once));
    check_astc(astc_settings(format, PixelFormat::nv12, Method::refine));
  }
}

TEST_CASE("astc whose blocks are dealt by their kind, and in their order") {
  auto settings = astc_settings(TextureFormat::astc_4x4, PixelFormat::nv12, Method::refine_once);
  for (const int group_size : {32, 64}) {
    settings.group_size = group_size;
    settings.deal_blocks = false;
    check_astc(settings);
    settings.deal_blocks = true;
    for (const int each : {1, 2, 4}) {
      settings.blocks_each = each;
      check_astc(settings);
    }
  }
}

TEST_CASE("astc high and best") {
  if (check::tiny_only() || check::spared("astc high and best")) return;
  for (const Method method : {Method::cluster, Method::cluster_search}) {
    check_astc(astc_settings(TextureFormat::astc_4x4, PixelFormat::rgba, method));
    check_astc(astc_settings(TextureFormat::astc_6x6, PixelFormat::nv12, method));
  }
}

TEST_CASE("astc from an image, and from a source whose fourth byte has no meaning") {
  if (check::tiny_only() || check::spared("astc from an image and from bgr0")) return;
  auto settings = astc_settings(TextureFormat::astc_5x5, PixelFormat::bgra, Method::refine_once);
  settings.source.opaque = true;
  check_astc(settings);
  settings.source.opaque = false;
  settings.source_memory = stages::SourceMemory::image;
  if (check::device().info().has_images) check_astc(settings);
}
