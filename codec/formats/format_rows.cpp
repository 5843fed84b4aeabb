#include <algorithm>
#include <vector>

#include "base/misuse.h"
#include "texcast/format.h"

namespace texcast {
namespace {

using FourCC = std::array<char, 4>;
constexpr FourCC code(const char (&text)[5]) { return {text[0], text[1], text[2], text[3]}; }

// The methods in order of quality.
constexpr std::array kFitted = {Method::refine_once, Method::refine, Method::cluster, Method::cluster_search};
constexpr std::array kFittedPlane = {Method::range, Method::refine, Method::cluster, Method::cluster_search};
// Methods of BC1 that no quality selects.
constexpr std::array kBc1More = {Method::range, Method::lspiro1, Method::lspiro2, Method::lspiro3};
constexpr std::array kBlack = {Method::cluster_search};

constexpr FormatPlane kBc1{CodingId::bc1}, kBc3{CodingId::bc3}, kBc4{CodingId::bc4}, kEtc2{CodingId::etc2};
constexpr uint32_t kGimpScaledYcocg = fourcc('Y', 'C', 'G', '2');

constexpr Track hap(const char (&tag)[5], std::string_view name) {
  return {.kind = TrackKind::hap, .tag = code(tag), .matroska_tag = code(tag), .name = name};
}

constexpr Format astc(TextureFormat format, std::string_view name, CodingId coding, const char (&wire)[5],
                      std::span<const Method> by_quality = {}) {
  return {.id = format,
          .name = name,
          .plane_count = 1,
          .planes = {{{coding}}},
          .model = ColorModel::rgba,
          .by_quality = by_quality,
          .wire = code(wire)};
}

constexpr std::array kUyvyAliases = {code("2vuy"), code("2Vuy"), code("dvs8"),
                                     code("DVS8"), code("yuv2"), code("yuV2")};
constexpr std::array<FourCC, 1> kRgbaAliases = {code("ABGR")};
constexpr std::array<FourCC, 1> kRgbAliases = {code("2BGR")};

constexpr std::array kFormats = {
    Format{.id = TextureFormat::bc1,
           .name = "bc1",
           .plane_count = 1,
           .planes = {kBc1},
           .model = ColorModel::rgb,
           .by_quality = kFitted,
           .more_methods = kBc1More,
           .black_methods = kBlack,
           .wire = code("DXT1"),
           .ultragrid_shows = true,
           .track = hap("Hap1", "Hap")},
    Format{.id = TextureFormat::ycocg_bc4_420,
           .name = "ycocg-bc4",
           .plane_count = 3,
           .planes = {kBc4, {CodingId::bc4, 2, 2}, {CodingId::bc4, 2, 2}},
           .model = ColorModel::ycocg_planes,
           .by_quality = kFittedPlane,
           .wire = code("YCB0"),
           .track = {.kind = TrackKind::planes},
           .is_plain = false},
    Format{.id = TextureFormat::ycocg_bc4_422,
           .name = "ycocg-bc4-422",
           .plane_count = 3,
           .planes = {kBc4, {CodingId::bc4, 2, 1}, {CodingId::bc4, 2, 1}},
           .model = ColorModel::ycocg_planes,
           .by_quality = kFittedPlane,
           .wire = code("YCB2"),
           .track = {.kind = TrackKind::planes},
           .is_plain = false},
    Format{.id = TextureFormat::ycocg_bc4_444,
           .name = "ycocg-bc4-444",
           .plane_count = 3,
           .planes = {kBc4, kBc4, kBc4},
           .model = ColorModel::ycocg_planes,
           .by_quality = kFittedPlane,
           .wire = code("YCB4"),
           .track = {.kind = TrackKind::planes},
           .is_plain = false},
    Format{.id = TextureFormat::ycocg_dxt5,
           .name = "ycocg-dxt5",
           .plane_count = 1,
           .planes = {kBc3},
           .model = ColorModel::scaled_ycocg,
           .by_quality = kFitted,
           .wire = code("DXT5"),
           .ultragrid_shows = true,
           .track = hap("HapY", "Hap Q"),
           .is_plain = false,
           .dds_gimp = kGimpScaledYcocg},
    Format{.id = TextureFormat::bc3,
           .name = "bc3",
           .plane_count = 1,
           .planes = {kBc3},
           .model = ColorModel::rgba,
           .by_quality = kFitted,
           .wire = code("Hap5"),
           .track = hap("Hap5", "Hap Alpha")},
    Format{.id = TextureFormat::bc4,
           .name = "bc4",
           .plane_count = 1,
           .planes = {kBc4},
           .model = ColorModel::gray,
           .by_quality = kFitted,
           .wire = code("HapA"),
           .track = hap("HapA", "Hap Alpha-Only")},
    Format{.id = TextureFormat::ycocg_dxt5_alpha,
           .name = "ycocg-dxt5-alpha",
           .plane_count = 2,
           .planes = {kBc3, kBc4},
           .model = ColorModel::scaled_ycocg_alpha,
           .by_quality = kFitted,
           .wire = code("HapM"),
           .track = hap("HapM", "Hap Q Alpha"),
           .is_plain = false,
           .dds_gimp = kGimpScaledYcocg},
    Format{.id = TextureFormat::bc5,
           .name = "bc5",
           .plane_count = 1,
           .planes = {{{CodingId::bc5}}},
           .model = ColorModel::red_green,
           .by_quality = kFitted,
           .wire = code("BC5U")},
    Format{.id = TextureFormat::eac_r11,
           .name = "eac-r11",
           .plane_count = 1,
           .planes = {{{CodingId::eac_r11}}},
           .model = ColorModel::gray,
           .by_quality = kFitted,
           .wire = code("EA1U")},
    Format{.id = TextureFormat::eac_r11_signed,
           .name = "eac-r11-signed",
           .plane_count = 1,
           .planes = {{{CodingId::eac_r11_signed}}},
           .model = ColorModel::gray,
           .by_quality = kFitted,
           .wire = code("EA1S")},
    Format{.id = TextureFormat::eac_rg11,
           .name = "eac-rg11",
           .plane_count = 1,
           .planes = {{{CodingId::eac_rg11}}},
           .model = ColorModel::red_green,
           .by_quality = kFitted,
           .wire = code("EA2U")},
    Format{.id = TextureFormat::eac_rg11_signed,
           .name = "eac-rg11-signed",
           .plane_count = 1,
           .planes = {{{CodingId::eac_rg11_signed}}},
           .model = ColorModel::red_green,
           .by_quality = kFitted,
           .wire = code("EA2S")},
    Format{.id = TextureFormat::bc4_signed,
           .name = "bc4-signed",
           .plane_count = 1,
           .planes = {{{CodingId::bc4_signed}}},
           .model = ColorModel::gray,
           .by_quality = kFitted,
           .wire = code("BC4S")},
    Format{.id = TextureFormat::bc5_signed,
           .name = "bc5-signed",
           .plane_count = 1,
           .planes = {{{CodingId::bc5_signed}}},
           .model = ColorModel::red_green,
           .by_quality = kFitted,
           .wire = code("BC5S")},
    Format{.id = TextureFormat::etc1,
           .name = "etc1",
           .plane_count = 1,
           .planes = {kEtc2},
           .model = ColorModel::rgb,
           .by_quality = kFitted,
           .wire = code("ETC1"),
           .is_plain = false},
    Format{.id = TextureFormat::etc2,
           .name = "etc2",
           .plane_count = 1,
           .planes = {kEtc2},
           .model = ColorModel::rgb,
           .by_quality = kFitted,
           .wire = code("ETC2")},
    Format{.id = TextureFormat::etc2_alpha,
           .name = "etc2-alpha",
           .plane_count = 1,
           .planes = {{{CodingId::etc2_alpha}}},
           .model = ColorModel::rgba,
           .by_quality = kFitted,
           .wire = code("ETCA")},
    Format{.id = TextureFormat::bc7,
           .name = "bc7",
           .plane_count = 1,
           .planes = {{{CodingId::bc7}}},
           .model = ColorModel::rgba,
           .by_quality = kFitted,
           .wire = code("Hap7"),
           .track = hap("Hap7", "Hap R")},
    Format{.id = TextureFormat::bc6h,
           .name = "bc6h",
           .plane_count = 1,
           .planes = {{{CodingId::bc6h}}},
           .model = ColorModel::rgb,
           .by_quality = kFitted,
           .wire = code("BC6U"),
           .track = hap("HapH", "Hap HDR")},
    Format{.id = TextureFormat::bc6h_signed,
           .name = "bc6h-signed",
           .plane_count = 1,
           .planes = {{{CodingId::bc6h_signed}}},
           .model = ColorModel::rgb,
           .by_quality = kFitted,
           .wire = code("BC6S")},
    astc(TextureFormat::astc_4x4, "astc-4x4", CodingId::astc_4x4, "AS44", kFitted),
    astc(TextureFormat::astc_5x5, "astc-5x5", CodingId::astc_5x5, "AS55", kFitted),
    astc(TextureFormat::astc_6x6, "astc-6x6", CodingId::astc_6x6, "AS66", kFitted),
    astc(TextureFormat::astc_8x8, "astc-8x8", CodingId::astc_8x8, "AS88", kFitted),
    // Received only.
    Format{.id = TextureFormat::bc1_ycbcr,
           .name = "bc1-ycbcr",
           .plane_count = 1,
           .planes = {{{CodingId::bc1_ycbcr}}},
           .model = ColorModel::ycbcr,
           .wire = code("DXTY")},
    Format{.id = TextureFormat::uyvy,
           .name = "uyvy",
           .plane_count = 1,
           .planes = {{{CodingId::uyvy}}},
           .model = ColorModel::ycbcr,
           .wire = code("UYVY"),
           .wire_aliases = kUyvyAliases,
           .track = {.kind = TrackKind::raw,
                     .tag = code("2vuy"),
                     .matroska_tag = code("UYVY"),
                     .name = "uncompressed 4:2:2",
                     .pixels = "uyvy422"}},
    Format{.id = TextureFormat::rgba8,
           .name = "rgba8",
           .plane_count = 1,
           .planes = {{{CodingId::rgba8}}},
           .model = ColorModel::rgb,
           .wire = code("RGBA"),
           .wire_aliases = kRgbaAliases,
           .track = {.kind = TrackKind::raw,
                     .tag = code("RGBA"),
                     .matroska_tag = code("RGBA"),
                     .name = "uncompressed RGBA",
                     .pixels = "rgba",
                     .depth = 32}},
    Format{
        .id = TextureFormat::rgb8,
        .name = "rgb8",
        .plane_count = 1,
        .planes = {{{CodingId::rgb8}}},
        .model = ColorModel::rgb,
        .wire = code("RGB2"),
        .wire_aliases = kRgbAliases,
        .track =
            {.kind = TrackKind::raw, .tag = code("raw "), .name = "uncompressed RGB", .pixels = "rgb24", .depth = 24}},
    Format{
        .id = TextureFormat::bgr8,
        .name = "bgr8",
        .plane_count = 1,
        .planes = {{{CodingId::bgr8}}},
        .model = ColorModel::rgb,
        .wire = code("BGR2"),
        .track =
            {.kind = TrackKind::raw, .tag = code("24BG"), .name = "uncompressed BGR", .pixels = "bgr24", .depth = 24}},
    Format{.id = TextureFormat::yuyv,
           .name = "yuyv",
           .plane_count = 1,
           .planes = {{{CodingId::yuyv}}},
           .model = ColorModel::ycbcr,
           .wire = code("YUYV"),
           .track = {.kind = TrackKind::raw,
                     .tag = code("yuvs"),
                     .matroska_tag = code("YUY2"),
                     .name = "uncompressed 4:2:2",
                     .pixels = "yuyv422"}},
    Format{.id = TextureFormat::etc2_a1,
           .name = "etc2-a1",
           .plane_count = 1,
           .planes = {{{CodingId::etc2_a1}}},
           .model = ColorModel::rgba,
           .wire = code("ETCP")},
    astc(TextureFormat::astc_5x4, "astc-5x4", CodingId::astc_5x4, "AS54"),
    astc(TextureFormat::astc_6x5, "astc-6x5", CodingId::astc_6x5, "AS65"),
    astc(TextureFormat::astc_8x5, "astc-8x5", CodingId::astc_8x5, "AS85"),
    astc(TextureFormat::astc_8x6, "astc-8x6", CodingId::astc_8x6, "AS86"),
    astc(TextureFormat::astc_10x5, "astc-10x5", CodingId::astc_10x5, "ASA5"),
    astc(TextureFormat::astc_10x6, "astc-10x6", CodingId::astc_10x6, "ASA6"),
    astc(TextureFormat::astc_10x8, "astc-10x8", CodingId::astc_10x8, "ASA8"),
    astc(TextureFormat::astc_10x10, "astc-10x10", CodingId::astc_10x10, "ASAA"),
    astc(TextureFormat::astc_12x10, "astc-12x10", CodingId::astc_12x10, "ASCA"),
    astc(TextureFormat::astc_12x12, "astc-12x12", CodingId::astc_12x12, "ASCC"),
};

template <typename Test>
std::vector<TextureFormat> formats_that(Test test) {
  std::vector<TextureFormat> found;
  for (const Format& row : kFormats)
    if (test(row)) found.push_back(row.id);
  return found;
}

}  // namespace

std::span<const Format> formats() { return kFormats; }

const Format& format_row(TextureFormat format) {
  const auto found = std::ranges::find(kFormats, format, &Format::id);
  REQUIRE_USE(found != kFormats.end(), "there is no such texture format");
  return *found;
}

std::span<const TextureFormat> encoded_formats() {
  static const auto all = formats_that([](const Format& row) { return row.is_encoded(); });
  return all;
}

std::span<const TextureFormat> received_formats() {
  static const auto all = formats_that([](const Format& row) { return !row.is_encoded(); });
  return all;
}

std::span<const TextureFormat> shown_formats() {
  static const auto all = formats_that([](const Format&) { return true; });
  return all;
}

}  // namespace texcast
