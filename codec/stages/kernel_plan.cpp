#include "kernel_plan.h"

#include <algorithm>

#include "base/ensure.h"
#include "kernel_table.h"
#include "source_image.h"
#include "stages/source_argument.h"
#include "texcast/tiles.h"

namespace texcast::stages {
namespace {

constexpr size_t kRepackGroupItems = 64;
constexpr size_t kDecodeGroupItems = 64;

const DecoderRow* find_decoder(CodingId coding) {
  const auto row = std::ranges::find(decoder_rows(), coding, &DecoderRow::coding);
  return row == decoder_rows().end() ? nullptr : &*row;
}

size_t round_up(size_t value, size_t to) { return (value + to - 1) / to * to; }

std::string define(const char* name, int value) {
  return std::string(" -D").append(name).append("=").append(std::to_string(value));
}

// Luma texels per chroma texel, across and down.
std::string chroma_defines(TextureFormat format) {
  const TextureLayout layout = texture_layout(format, 8, 8);
  const PlaneLayout &luma = layout.planes[0], &chroma = layout.planes[1];
  return define("CHROMA_ACROSS", luma.width / chroma.width) + define("CHROMA_DOWN", luma.height / chroma.height);
}

// Encodings of one channel; Pass::channel selects which.
bool is_channel(Encoding encoding) {
  return encoding == Encoding::bc4 || encoding == Encoding::eac_r11 || encoding == Encoding::eac_alpha;
}

// How a pass of one channel encodes a source.
struct Coded {
  const char* name;  // in bc4/channel.cl
  bool as_bytes;     // reads its frame as a buffer, even if the settings want an image
  bool has_effort;   // else there is nothing to fit
};
constexpr Coded kOpaque{"CODED_OPAQUE", true, false}, kAlpha{"CODED_ALPHA", true, true},
    kLuma{"CODED_LUMA", false, true};

Coded coded(Channel channel, const FrameFormat& source) {
  if (has_alpha(source)) return kAlpha;
  return channel == Channel::alpha_or_luma ? kLuma : kOpaque;
}

bool reads_bytes(const Pass& pass, const FrameFormat& source) {
  return is_channel(pass.encoding) && coded(pass.channel, source).as_bytes;
}

std::string variant_defines(const LspiroVariant& v) {
  using Variant = LspiroVariant;
  std::string defines;
  if (v.sort == Variant::Sort::insertion) defines += " -DINSERTION_SORT=1";
  if (v.layout == Variant::Layout::natural) defines += " -DWORDS_PER_TEXEL=4";
  if (v.channels == Variant::Channels::in_turn) defines += " -DCHANNELS_IN_TURN=1";
  if (v.kernels == Variant::Kernels::ends_only) defines += " -DKERNELS=KERNEL_ENDS";
  if (v.kernels == Variant::Kernels::pack_only) defines += " -DKERNELS=KERNEL_PACK";
  if (v.line_in_floats) defines += " -DLINE_IN_FLOATS=1";
  if (v.relaxed_math) defines += " -cl-fast-relaxed-math";
  if (v.max_registers > 0) defines += " -cl-nv-maxrregcount=" + std::to_string(v.max_registers);
  return defines;
}

std::string build_options(const StageSettings& settings, const Pass& pass, const KernelRow& row) {
  std::string options = source_defines(settings.source);
  const Coded channel = coded(pass.channel, settings.source);
  if (is_channel(pass.encoding)) options.append(" -DCODED=").append(channel.name);
  if (pass.is_signed) options += define("SIGNED_CODES", 1);
  if (row.traits.has_effort && (!is_channel(pass.encoding) || channel.has_effort))
    options += define("METHOD", static_cast<int>(settings.method));
  if (row.traits.reads_alpha && has_alpha(settings.source)) options += define("HAS_ALPHA", 1);
  if (pass.planes == 3) options += chroma_defines(settings.texture);
  if (pass.half != Pass::kWholeBlock) options += row.traits.half_defines;
  if (row.traits.has_local_memory) options += define("GROUP_ITEMS", settings.group_size);
  if (settings.only_changed) options += define("ONLY_CHANGED", 1);
  if (row.form == Form::row16) options += define("LANES", settings.lanes);
  if (row.form == Form::group) options += define("BLOCKS_PER_GROUP", settings.blocks_per_group);
  if (row.form == Form::group && settings.method == Method::lspiro1) options += variant_defines(settings.lspiro);
  if (row.form == Form::wide && settings.options.allow_black) options += define("ALLOW_BLACK", 1);
  if (row.form == Form::wide && has_option(settings.texture, settings.method, MethodOption::passes))
    options += define("LSPIRO_PASSES", settings.options.passes_or_usual());
  if (row.form == Form::wide && has_option(settings.texture, settings.method, MethodOption::radius))
    options += define("LSPIRO_RADIUS", settings.options.radius_or_usual());
  return options;
}

// Sorting more blocks leaves fewer warps with several kinds, but needs a frame that still has enough work-groups.
// Larger blocks have several choices, by the first of which they are sorted, and gain nothing.
std::string deal_defines(const StageSettings& settings, const PlaneLayout& plane) {
  if (!settings.deal_blocks.value_or(true)) return define("DEAL_BLOCKS", 0);
  constexpr int kManyBlocks = 1 << 17;
  const bool has_many = plane.blocks_x * plane.blocks_y >= kManyBlocks;
  const bool takes_several = plane.block_width == 4 && settings.method == Method::refine_once && has_many;
  const int each = settings.blocks_each.value_or(takes_several && !settings.only_changed ? 4 : 1);
  return define("DEAL_BLOCKS", 1) + define("BLOCKS_EACH", each);
}

const char* kernel_name(const StageSettings& settings, const KernelRow& row) {
  if (row.form != Form::group || settings.method != Method::lspiro1) return row.name;
  if (settings.lspiro.kernels == LspiroVariant::Kernels::ends_only) return "bc1_lspiro1_group_ends";
  return settings.lspiro.kernels == LspiroVariant::Kernels::pack_only ? "bc1_group_pack" : row.name;
}

// Numbers of work-items: in a row of `blocks` blocks, and in a group.
struct Items {
  size_t row, group;
};
Items items_for(const StageSettings& settings, Form form, size_t blocks) {
  switch (form) {
    case Form::wide: return {blocks, static_cast<size_t>(settings.group_size)};
    case Form::group: return {16 * blocks, 16 * static_cast<size_t>(settings.blocks_per_group)};
    case Form::row16: {
      const auto lanes = static_cast<size_t>(settings.lanes);
      // With one lane the work-items are the lanes.
      return {(blocks + lanes - 1) / lanes, lanes == 1 ? static_cast<size_t>(settings.group_size) : 1};
    }
  }
  ENSURE(false);
}

KernelPlan plan_for(const StageSettings& settings, const Pass& pass, Form form) {
  const KernelRow* row = find_kernel(pass.encoding, form, settings.method);
  ENSURE(row != nullptr);
  const TextureLayout layout = texture_layout(settings.texture, settings.source.width, settings.source.height);
  const PlaneLayout& plane = layout.planes[static_cast<size_t>(pass.first_plane + pass.planes - 1)];
  KernelPlan plan;
  plan.file = row->file;
  plan.kernel = kernel_name(settings, *row);
  plan.reads_image = settings.source_memory == SourceMemory::image && !reads_bytes(pass, settings.source);
  plan.options = build_options(settings, pass, *row) + (plan.reads_image ? " -DSOURCE_IS_IMAGE=1" : "");
  plan.table_kernel = row->traits.table_kernel;
  plan.table_entries = row->traits.table_entries;
  plan.deals_blocks = row->traits.deals_blocks && settings.deal_blocks.value_or(true);
  if (row->traits.deals_blocks) plan.options += deal_defines(settings, plane);
  if (row->traits.host_table != nullptr) {
    plan.host_table = row->traits.host_table(plane.block_width);
    plan.options += define("SIDE", plane.block_width);
  }
  plan.first_plane = pass.first_plane;
  plan.planes = pass.planes;
  if (pass.half != Pass::kWholeBlock) {
    plan.first = pass.half;
    plan.step = 2;
  } else {
    plan.first = static_cast<int>(layout.planes[static_cast<size_t>(pass.first_plane)].offset / 8);
  }
  const Items items = items_for(settings, form, static_cast<size_t>(plane.blocks_x));
  plan.rows = static_cast<size_t>(plane.blocks_y);
  plan.row_items = items.row;
  plan.group_items = items.group;
  plan.global_items = round_up(plan.rows * plan.row_items, plan.group_items);
  return plan;
}

// common/load_side_by_side.cl reads the formats that images support.
bool has_form(const StageSettings& settings, const Pass& pass, Form form) {
  const KernelRow* row = find_kernel(pass.encoding, form, settings.method);
  if (row == nullptr || (pass.half != Pass::kWholeBlock && !row->traits.writes_halves)) return false;
  // Work-items that share a block meet at barriers, so none may return before the others.
  if (form == Form::group && settings.only_changed) return false;
  if (form != Form::row16) return true;
  const bool has_values = !is_channel(pass.encoding) || coded(pass.channel, settings.source).has_effort;
  return has_values && SourceImage::reads(settings.source);
}

// The paper's step 1 in two kernels: end points, then blocks.
std::vector<KernelPlan> separate_plans(StageSettings settings) {
  std::vector<KernelPlan> plans;
  for (const auto part : {LspiroVariant::Kernels::ends_only, LspiroVariant::Kernels::pack_only}) {
    settings.lspiro.kernels = part;
    plans.push_back(plans_for(settings).front());
  }
  return plans;
}

}  // namespace

bool has_form(const StageSettings& settings) {
  const auto passes = format_passes(settings.texture);
  if (passes.empty()) return false;
  const bool from_image = settings.source_memory == SourceMemory::image;
  if (from_image && (settings.form == Form::row16 || !SourceImage::reads(settings.source) ||
                     reads_bytes(passes.front(), settings.source)))
    return false;
  return std::ranges::any_of(passes, [&](const Pass& pass) { return has_form(settings, pass, settings.form); });
}

std::vector<KernelPlan> plans_for(const StageSettings& settings) {
  ENSURE(has_form(settings));
  if (settings.form == Form::group && settings.method == Method::lspiro1 &&
      settings.lspiro.kernels == LspiroVariant::Kernels::separate)
    return separate_plans(settings);
  ENSURE(settings.blocks_per_group >= 1 && settings.blocks_per_group <= 16);
  ENSURE(settings.lanes == 1 || settings.lanes == 8 || settings.lanes == 16);
  std::vector<KernelPlan> plans;
  for (const Pass& pass : format_passes(settings.texture)) {
    const Form form = has_form(settings, pass, settings.form) ? settings.form : Form::wide;
    const KernelPlan plan = plan_for(settings, pass, form);
    const KernelTraits& traits = find_kernel(pass.encoding, form, settings.method)->traits;
    if (*traits.kernel_before != '\0') {
      KernelPlan before = plan;
      before.file = traits.file_before;
      before.kernel = traits.kernel_before;
      plans.push_back(before);
    }
    plans.push_back(plan);
  }
  return plans;
}

KernelPlan plan_memory_floor(const StageSettings& settings) {
  const TextureLayout layout = texture_layout(TextureFormat::bc1, settings.source.width, settings.source.height);
  KernelPlan plan;
  plan.file = "common/memory_floor.cl";
  plan.kernel = "memory_floor";
  plan.options = source_defines(settings.source);
  plan.group_items = static_cast<size_t>(settings.group_size);
  plan.global_items = round_up(layout.total_bytes / 8, plan.group_items);
  return plan;
}

KernelPlan plan_repack(const RepackSettings& settings) {
  const TextureLayout layout = texture_layout(settings.from, settings.width, settings.height);
  KernelPlan plan;
  plan.file = "ycocg/repack.cl";
  plan.kernel = "ycocg_repack";
  plan.options = chroma_defines(settings.from) + define("METHOD", static_cast<int>(settings.method));
  plan.group_items = kRepackGroupItems;
  plan.global_items = round_up(layout.planes[0].bytes / 8, plan.group_items);
  return plan;
}

bool can_decode(TextureFormat format) {
  const Format& row = format_row(format);
  const bool has_plain_channels =
      row.plane_count == 1 && (row.model == ColorModel::rgb || row.model == ColorModel::rgba ||
                               row.model == ColorModel::gray || row.model == ColorModel::red_green);
  return has_plain_channels && find_decoder(row.planes[0].coding) != nullptr;
}

KernelPlan plan_decode(const TextureDesc& texture) {
  ENSURE(can_decode(texture.format));
  const DecoderRow* row = find_decoder(format_row(texture.format).planes[0].coding);
  const PlaneLayout plane = texture_layout(texture).planes[0];
  KernelPlan plan;
  plan.file = row->file;
  plan.kernel = row->name;
  plan.options = define("BLOCK_WIDTH", plane.block_width) + define("BLOCK_HEIGHT", plane.block_height);
  if (row->item_bytes > 0) plan.options += define("GROUP_ITEMS", static_cast<int>(kDecodeGroupItems));
  if (row->knows_srgb && texture.color.transfer == kSrgbTransfer) plan.options += define("IS_SRGB", 1);
  plan.local_bytes = kDecodeGroupItems * static_cast<size_t>(row->item_bytes);
  plan.group_items = kDecodeGroupItems;
  plan.global_items = round_up(plane.bytes / static_cast<size_t>(plane.block_bytes), plan.group_items);
  return plan;
}

KernelPlan plan_compare(const FrameFormat& format, int items) {
  ENSURE(items == 0 || items >= 16);
  KernelPlan plan;
  plan.file = "common/compare_tiles.cl";
  plan.kernel = "compare_tiles";
  plan.options = define("TILE_ITEMS", items);
  const TileRaster grid = tile_raster(format.width, format.height);
  plan.group_items = static_cast<size_t>(std::max(items, 1));
  plan.global_items = items == 0 ? static_cast<size_t>(grid.rows) : grid.count() * plan.group_items;
  return plan;
}

std::vector<BandCut> cut_items(const KernelPlan& plan, int most) {
  ENSURE(most >= 1);
  const size_t bands = std::min(static_cast<size_t>(most), plan.rows);
  std::vector<BandCut> cuts;
  for (size_t band = 1; band <= bands; ++band) {
    const size_t rows = plan.rows * band / bands;
    // Up to the end of the group that encodes the last block of the rows, as groups are not divided.
    const size_t items = band == bands ? plan.global_items : round_up(rows * plan.row_items, plan.group_items);
    if (!cuts.empty() && cuts.back().items == items) cuts.pop_back();
    cuts.push_back({items, rows});
  }
  return cuts;
}

std::vector<StageBand> bands_of(const TextureLayout& layout, const KernelPlan& plan, const std::vector<BandCut>& cuts) {
  std::vector<StageBand> bands;
  size_t rows_before = 0;
  for (const BandCut& cut : cuts) {
    StageBand band;
    for (int p = plan.first_plane; p < plan.first_plane + plan.planes; ++p) {
      const PlaneLayout& plane = layout.planes[static_cast<size_t>(p)];
      // A row of the kernel is one or two rows of the plane; the last one may have fewer.
      const auto plane_rows = static_cast<size_t>(plane.blocks_y);
      const size_t rows_each = (plane_rows + plan.rows - 1) / plan.rows;
      const size_t row_bytes = plane.bytes / plane_rows;
      const size_t begin = std::min(plane_rows, rows_before * rows_each) * row_bytes;
      const size_t end = std::min(plane_rows, cut.rows * rows_each) * row_bytes;
      band.parts[static_cast<size_t>(band.part_count++)] = {plane.offset + begin, end - begin};
      const bool prefix_goes_on = p == plan.first_plane || cut.rows == plan.rows;
      if (prefix_goes_on) band.ready_bytes = plane.offset + end;
    }
    bands.push_back(band);
    rows_before = cut.rows;
  }
  return bands;
}

}  // namespace texcast::stages
