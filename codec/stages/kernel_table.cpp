#include "kernel_table.h"

#include <algorithm>
#include <array>

#include "kernels/layout.h"
#include "ref/astc_tables.h"

namespace texcast::stages {
namespace {

struct FormatRow {
  TextureFormat format;
  std::array<Pass, 2> passes;
};

constexpr Pass kYcocgPlanes{.encoding = Encoding::ycocg_bc4, .planes = 3};

constexpr FormatRow kFormats[] = {
    {TextureFormat::bc1, {{{.encoding = Encoding::bc1}}}},
    {TextureFormat::bc3, {{{.encoding = Encoding::bc1, .half = 1}, {.encoding = Encoding::bc4, .half = 0}}}},
    {TextureFormat::bc4, {{{.encoding = Encoding::bc4, .channel = Channel::alpha_or_luma}}}},
    {TextureFormat::bc5, {{{.encoding = Encoding::bc5}}}},
    {TextureFormat::bc7, {{{.encoding = Encoding::bc7}}}},
    {TextureFormat::ycocg_bc4_420, {{kYcocgPlanes}}},
    {TextureFormat::ycocg_bc4_422, {{kYcocgPlanes}}},
    {TextureFormat::ycocg_bc4_444, {{kYcocgPlanes}}},
    {TextureFormat::ycocg_dxt5, {{{.encoding = Encoding::ycocg_dxt5}}}},
    {TextureFormat::ycocg_dxt5_alpha,
     {{{.encoding = Encoding::ycocg_dxt5}, {.encoding = Encoding::bc4, .first_plane = 1}}}},
    {TextureFormat::eac_r11, {{{.encoding = Encoding::eac_r11, .channel = Channel::alpha_or_luma}}}},
    {TextureFormat::eac_r11_signed,
     {{{.encoding = Encoding::eac_r11, .channel = Channel::alpha_or_luma, .is_signed = true}}}},
    {TextureFormat::eac_rg11, {{{.encoding = Encoding::eac_rg11}}}},
    {TextureFormat::eac_rg11_signed, {{{.encoding = Encoding::eac_rg11, .is_signed = true}}}},
    {TextureFormat::bc4_signed, {{{.encoding = Encoding::bc4, .channel = Channel::alpha_or_luma, .is_signed = true}}}},
    {TextureFormat::bc5_signed, {{{.encoding = Encoding::bc5, .is_signed = true}}}},
    {TextureFormat::etc1, {{{.encoding = Encoding::etc1}}}},
    {TextureFormat::etc2, {{{.encoding = Encoding::etc2}}}},
    {TextureFormat::etc2_alpha,
     {{{.encoding = Encoding::etc2, .half = 1}, {.encoding = Encoding::eac_alpha, .half = 0}}}},
    {TextureFormat::bc6h, {{{.encoding = Encoding::bc6h}}}},
    {TextureFormat::bc6h_signed, {{{.encoding = Encoding::bc6h, .is_signed = true}}}},
    {TextureFormat::astc_4x4, {{{.encoding = Encoding::astc}}}},
    {TextureFormat::astc_5x5, {{{.encoding = Encoding::astc}}}},
    {TextureFormat::astc_6x6, {{{.encoding = Encoding::astc}}}},
    {TextureFormat::astc_8x8, {{{.encoding = Encoding::astc}}}},
};

constexpr Methods kRefine = {Method::refine_once, Method::refine};
constexpr Methods kFitted = {Method::refine_once, Method::refine, Method::cluster, Method::cluster_search};
constexpr Methods kAllButSearch = {Method::refine_once, Method::refine, Method::cluster};
constexpr Methods kPlanes = {Method::range, Method::refine};
constexpr Methods kSearched = {Method::cluster, Method::cluster_search};

constexpr KernelTraits kEffortInHalves{.has_effort = true, .writes_halves = true};
constexpr KernelTraits kCluster{
    .has_local_memory = true, .writes_halves = true, .table_kernel = "bc1_cluster_table", .table_entries = 1024};
constexpr KernelTraits kSearch{.has_local_memory = true, .writes_halves = true, .half_defines = " -DFOUR_COLOURS=1"};

constexpr KernelRow kKernels[] = {
    {Encoding::bc1, Form::wide, {Method::range}, "bc1/range.cl", "bc1_range", {.writes_halves = true}},
    {Encoding::bc1, Form::wide, {Method::lspiro1}, "bc1/lspiro_line.cl", "bc1_lspiro1"},
    {Encoding::bc1, Form::wide, {Method::lspiro2}, "bc1/lspiro_correct.cl", "bc1_lspiro2"},
    {Encoding::bc1, Form::wide, {Method::lspiro3}, "bc1/lspiro_search.cl", "bc1_lspiro3"},
    {Encoding::bc1, Form::wide, {Method::refine_once}, "bc1/refine.cl", "bc1_refine_once", {.writes_halves = true}},
    {Encoding::bc1, Form::wide, {Method::refine}, "bc1/refine.cl", "bc1_refine", {.writes_halves = true}},
    {Encoding::bc1, Form::wide, {Method::cluster}, "bc1/cluster.cl", "bc1_cluster", kCluster},
    {Encoding::bc1, Form::wide, {Method::cluster_search}, "bc1/cluster_search.cl", "bc1_cluster_search", kSearch},
    {Encoding::bc1,
     Form::row16,
     {Method::range},
     "bc1/range_side_by_side.cl",
     "bc1_range_lanes",
     {.writes_halves = true}},
    {Encoding::bc1, Form::row16, kRefine, "bc1/refine_side_by_side.cl", "bc1_refine_lanes", kEffortInHalves},
    {Encoding::bc1, Form::group, {Method::range}, "paper/range.cl", "bc1_range_group"},
    {Encoding::bc1, Form::group, {Method::lspiro1}, "paper/lspiro.cl", "bc1_lspiro1_group"},
    {Encoding::bc4, Form::wide, kFitted, "bc4/channel.cl", "bc4_channel", kEffortInHalves},
    {Encoding::bc4, Form::row16, kFitted, "bc4/channel_side_by_side.cl", "bc4_channel_lanes", kEffortInHalves},
    {Encoding::bc5, Form::wide, kFitted, "bc4/red_green.cl", "bc5", {.has_effort = true}},
    {Encoding::ycocg_bc4, Form::wide, kPlanes, "ycocg/bc4_planes.cl", "ycocg_bc4", {.has_effort = true}},
    {Encoding::ycocg_bc4, Form::wide, kSearched, "ycocg/bc4_search.cl", "ycocg_bc4_search", {.has_effort = true}},
    {Encoding::ycocg_dxt5, Form::wide, kFitted, "ycocg/dxt5.cl", "ycocg_dxt5", {.has_effort = true}},
    {Encoding::eac_r11, Form::wide, kFitted, "eac/channel.cl", "eac_r11", {.has_effort = true}},
    {Encoding::eac_r11,
     Form::row16,
     kAllButSearch,
     "eac/channel_side_by_side.cl",
     "eac_r11_lanes",
     {.has_effort = true}},
    {Encoding::eac_rg11, Form::wide, kFitted, "eac/red_green.cl", "eac_rg11", {.has_effort = true}},
    {Encoding::eac_rg11,
     Form::row16,
     kAllButSearch,
     "eac/red_green_side_by_side.cl",
     "eac_rg11_lanes",
     {.has_effort = true}},
    {Encoding::etc1, Form::wide, kFitted, "etc/etc1.cl", "etc1", {.has_effort = true}},
    {Encoding::etc2, Form::wide, kFitted, "etc/etc2.cl", "etc2", kEffortInHalves},
    {Encoding::eac_alpha, Form::wide, kFitted, "etc/alpha.cl", "eac_alpha", kEffortInHalves},
    {Encoding::bc7, Form::wide, kRefine, "bc7/refine.cl", "bc7_refine", {.has_effort = true, .reads_alpha = true}},
    {Encoding::bc7,
     Form::wide,
     {Method::cluster, Method::cluster_search},
     "bc7/search.cl",
     "bc7_search",
     {.has_effort = true, .reads_alpha = true}},
    {Encoding::bc6h, Form::wide, kFitted, "bc6h/block.cl", "bc6h", {.has_effort = true}},
    {Encoding::astc,
     Form::wide,
     kRefine,
     "astc/finish.cl",
     "astc_finish",
     {.has_effort = true,
      .has_local_memory = true,
      .deals_blocks = true,
      .reads_alpha = true,
      .file_before = "astc/choices.cl",
      .kernel_before = "astc_choices",
      .host_table = ref::astc_tables}},
    {Encoding::astc,
     Form::wide,
     {Method::cluster, Method::cluster_search},
     "astc/encode.cl",
     "astc_encode",
     {.has_effort = true, .reads_alpha = true, .host_table = ref::astc_tables}},
};

constexpr DecoderRow astc_decoder(CodingId coding) {
  return {coding, "decode/astc.cl", "decode_astc", TEXCAST_ASTC_SLOTS, true};
}

constexpr DecoderRow kDecoders[] = {
    {CodingId::bc1, "decode/bc.cl", "decode_bc1"},
    {CodingId::bc3, "decode/bc.cl", "decode_bc3"},
    {CodingId::bc4, "decode/bc.cl", "decode_bc4"},
    {CodingId::bc5, "decode/bc.cl", "decode_bc5"},
    {CodingId::etc2, "decode/etc.cl", "decode_etc2"},
    {CodingId::etc2_alpha, "decode/etc.cl", "decode_etc2_alpha"},
    {CodingId::etc2_a1, "decode/etc.cl", "decode_etc2_holes"},
    {CodingId::bc7, "decode/bc7.cl", "decode_bc7"},
    {CodingId::eac_r11, "decode/eac.cl", "decode_eac_r11"},
    {CodingId::eac_r11_signed, "decode/eac.cl", "decode_eac_signed_r11"},
    {CodingId::eac_rg11, "decode/eac.cl", "decode_eac_rg11"},
    {CodingId::eac_rg11_signed, "decode/eac.cl", "decode_eac_signed_rg11"},
    {CodingId::bc4_signed, "decode/bc.cl", "decode_bc4_signed"},
    {CodingId::bc5_signed, "decode/bc.cl", "decode_bc5_signed"},
    astc_decoder(CodingId::astc_4x4),
    astc_decoder(CodingId::astc_5x4),
    astc_decoder(CodingId::astc_5x5),
    astc_decoder(CodingId::astc_6x5),
    astc_decoder(CodingId::astc_6x6),
    astc_decoder(CodingId::astc_8x5),
    astc_decoder(CodingId::astc_8x6),
    astc_decoder(CodingId::astc_8x8),
    astc_decoder(CodingId::astc_10x5),
    astc_decoder(CodingId::astc_10x6),
    astc_decoder(CodingId::astc_10x8),
    astc_decoder(CodingId::astc_10x10),
    astc_decoder(CodingId::astc_12x10),
    astc_decoder(CodingId::astc_12x12),
};

}  // namespace

std::span<const Pass> format_passes(TextureFormat format) {
  const auto row = std::ranges::find(kFormats, format, &FormatRow::format);
  if (row == std::end(kFormats)) return {};
  const auto end = std::ranges::find(row->passes, Encoding::none, &Pass::encoding);
  return {row->passes.begin(), end};
}

std::span<const KernelRow> kernel_rows() { return kKernels; }

const KernelRow* find_kernel(Encoding encoding, Form form, Method method) {
  const auto row = std::ranges::find_if(kKernels, [&](const KernelRow& kernel) {
    return kernel.encoding == encoding && kernel.form == form && kernel.methods.has(method);
  });
  return row == std::end(kKernels) ? nullptr : &*row;
}

std::span<const DecoderRow> decoder_rows() { return kDecoders; }

}  // namespace texcast::stages
