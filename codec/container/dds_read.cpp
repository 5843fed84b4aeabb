#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/misuse.h"
#include "dds_parts.h"
#include "find_coding.h"
#include "still_kinds.h"

namespace texcast::container {
namespace {

using namespace dds;

std::optional<ColorSpec> unpacked_color(TextureFormat format, uint32_t packed) {
  const uint32_t matrix = packed >> 16 & 0xFF, range = packed & ~0xFFFFFFu;
  if (matrix > static_cast<uint32_t>(ColorMatrix::bt2020)) return std::nullopt;
  if (range != 0 && (range != kLimited || !is_ycbcr(format))) return std::nullopt;
  return ColorSpec{.matrix = static_cast<ColorMatrix>(matrix),
                   .range = range == kLimited ? ColorRange::limited : ColorRange::full,
                   .primaries = static_cast<uint8_t>(packed),
                   .transfer = static_cast<uint8_t>(packed >> 8)};
}

std::optional<TextureFormat> format_of_number(uint32_t number) {
  const auto has_number = [&](TextureFormat f) { return uint32_t{static_cast<uint8_t>(f)} == number; };
  const auto found = std::ranges::find_if(shown_formats(), has_number);
  return found == shown_formats().end() ? std::nullopt : std::optional(*found);
}

struct DdsParsed {
  TextureDesc desc;  // of level 0
  const Coding* coding = nullptr;
  uint32_t fourcc = 0;
  bool is_bgra = false;  // RGBA8 with red and blue swapped
  size_t header_bytes = kDdsHeaderBytes;
  StillCounts counts{};
};

bool is_marked(Bytes file) {
  return load_le32(file, kMark) == kMarkValue && load_le32(file, kMarkWidth) == load_le32(file, kWidth) &&
         load_le32(file, kMarkHeight) == load_le32(file, kHeight);
}

// The texture that the file describes: by texcast's mark, else by GIMP's, else by the coding alone.
Result<TextureDesc> describe(Bytes file, const Coding& coding, bool is_srgb) {
  TextureDesc desc{.width = static_cast<int>(load_le32(file, kWidth)),
                   .height = static_cast<int>(load_le32(file, kHeight))};
  if (is_marked(file)) {
    const uint32_t number = load_le32(file, kMarkFormat), packed = load_le32(file, kMarkColor);
    const auto format = format_of_number(number);
    if (!format || &plane_coding(*format, 0) != &coding)
      return Failure{fmt::format("it is marked as texcast's format {} but holds {}", number, coding.name)};
    const auto color = unpacked_color(*format, packed);
    if (!color) return Failure{fmt::format("its colours are marked as {:#x}, which is invalid", packed)};
    desc.format = *format;
    desc.color = *color;
    return desc;
  }
  if (is_srgb) desc.color.transfer = kSrgbTransfer;
  const uint32_t tag = load_le32(file, kGimpTag);
  if (tag == kUnscaledYCoCg) return Failure{"it holds unscaled YCoCg (YCG1)"};
  for (const Format& row : formats())
    if (tag != 0 && row.dds_gimp == tag && row.planes[0].coding == coding.id) {
      desc.format = row.id;
      return desc;
    }
  const Format* plain = plain_format_of(coding);
  if (plain == nullptr) return Failure{fmt::format("it holds {}; supported are {}", coding.name, list_codings())};
  desc.format = plain->id;
  desc.color.range = usual_color(plain->id).range;
  if (!is_srgb) desc.color.transfer = usual_color(plain->id).transfer;
  return desc;
}

// Pixels that no FourCC names. B G R A, which many programs write, and four bytes without alpha count as RGBA8 too.
void find_by_masks(Bytes file, DdsParsed& parsed) {
  PixelMasks masks{.bits = load_le32(file, kBitCount)};
  for (size_t i = 0; i < 3; ++i) masks.rgba[i] = load_le32(file, kMasks + 4 * i);
  if ((load_le32(file, kPixelFormatFlags) & kPixelFormatAlpha) != 0) masks.rgba[3] = load_le32(file, kMasks + 12);
  if (masks.bits == 32 && masks.rgba[3] == 0) masks.rgba[3] = 0xFF000000;
  parsed.coding = coding_of_masks(masks);
  if (parsed.coding != nullptr || masks.bits != 32) return;
  std::swap(masks.rgba[0], masks.rgba[2]);
  parsed.coding = coding_of_masks(masks);
  parsed.is_bgra = parsed.coding != nullptr;
}

// DXGI's B8G8R8A8 and B8G8R8X8, linear and sRGB.
constexpr std::array<uint32_t, 2> kDxgiBgra = {87, 88}, kDxgiBgraSrgb = {91, 93};
bool is_one_of(std::span<const uint32_t> numbers, uint32_t number) {
  return std::ranges::find(numbers, number) != numbers.end();
}

constexpr uint32_t kMostLayers = 1 << 16;

// A number of levels above the maximum, as some programs write, is lowered to the maximum.
Result<StillCounts> counts_of(Bytes file, const DdsParsed& parsed) {
  StillCounts counts;
  if ((load_le32(file, kFlags) & kFlagLevels) != 0)
    counts.levels = static_cast<int>(std::clamp(
        load_le32(file, kLevels), 1u, static_cast<uint32_t>(most_levels(parsed.desc.width, parsed.desc.height))));
  bool is_cube = (load_le32(file, kCaps2) & kCaps2Cubemap) != 0;
  int faces_there = std::popcount(load_le32(file, kCaps2) & kCaps2Faces);
  if (parsed.header_bytes > kDdsHeaderBytes) {
    const uint32_t layers = std::max(load_le32(file, kArraySize), 1u);
    if (layers > kMostLayers)
      return Failure{fmt::format("it has {} layers; at most {} are supported", layers, kMostLayers)};
    counts.layers = static_cast<int>(layers);
    if ((load_le32(file, kMiscFlag) & kMiscCubemap) != 0) {
      is_cube = true;
      faces_there = 6;
    }
  }
  if (is_cube) counts.faces = faces_there == 0 ? 6 : faces_there;
  if (plane_count(parsed.desc.format) > 1 && (counts.layers > 1 || counts.faces > 1))
    return Failure{fmt::format("it holds an array or cube map of {}, which has planes", name(parsed.desc.format))};
  return counts;
}

Result<DdsParsed> parse_dds(Bytes file) {
  if (file.size() < kDdsHeaderBytes)
    return Failure{fmt::format("the file has {} bytes, less than a DDS header (128)", file.size())};
  if (load_le32(file, kMagic) != kMagicValue) return Failure{"it does not start with \"DDS \""};
  if (load_le32(file, kSize) != 124) return Failure{fmt::format("header size {}, not 124", load_le32(file, kSize))};
  const uint32_t kind = load_le32(file, kPixelFormatFlags);
  const bool is_masked = (kind & kPixelFormatFourCC) == 0 && (kind & kPixelFormatRgb) != 0;
  if ((kind & kPixelFormatFourCC) == 0 && !is_masked)
    return Failure{fmt::format("it holds pixels that are not R, G, B; supported are {}", list_codings())};
  if ((load_le32(file, kCaps2) & kCaps2Volume) != 0) return Failure{"it holds a volume instead of one image"};
  const uint32_t width = load_le32(file, kWidth), height = load_le32(file, kHeight);
  if (width < 1 || height < 1 || width > kMaxFrameSize || height > kMaxFrameSize)
    return Failure{
        fmt::format("its size is {}x{}; supported are 1x1 to {}x{}", width, height, kMaxFrameSize, kMaxFrameSize)};

  DdsParsed parsed{.desc = {}, .fourcc = is_masked ? 0 : load_le32(file, kFourCC)};
  bool is_srgb = false;
  if (is_masked) {
    find_by_masks(file, parsed);
    if (parsed.coding == nullptr)
      return Failure{fmt::format("it holds pixels of {} bits with an unknown channel layout; supported are {}",
                                 load_le32(file, kBitCount), list_codings())};
  } else if (parsed.fourcc == kFourCCDx10) {
    parsed.header_bytes += kDx10HeaderBytes;
    if (file.size() < parsed.header_bytes) return Failure{"its DX10 header is truncated"};
    const uint32_t dxgi = load_le32(file, kDxgiFormat);
    const bool is_bgra_srgb = is_one_of(kDxgiBgraSrgb, dxgi);
    parsed.is_bgra = is_bgra_srgb || is_one_of(kDxgiBgra, dxgi);
    parsed.coding = parsed.is_bgra ? &coding(CodingId::rgba8) : coding_of_dxgi(dxgi);
    if (parsed.coding == nullptr)
      return Failure{fmt::format("it holds DXGI format {}; supported are {}", dxgi, list_codings())};
    if (load_le32(file, kResourceDimension) != kDimensionTexture2d) return Failure{"it does not hold a 2D texture"};
    is_srgb = is_bgra_srgb || dxgi == parsed.coding->dxgi.srgb;
  } else {
    parsed.coding = coding_of_fourcc(parsed.fourcc);
    if (parsed.coding == nullptr)
      return Failure{fmt::format("it holds {}; supported are {}", printable_fourcc(parsed.fourcc), list_codings())};
  }
  const auto desc = describe(file, *parsed.coding, is_srgb);
  if (!desc) return desc.error();
  parsed.desc = *desc;
  if (!is_compressed(desc->format) && (load_le32(file, kFlags) & kFlagPitch) != 0)
    if (const uint32_t pitch = load_le32(file, kPitch), row = row_bytes(parsed.desc); pitch > row)
      return Failure{fmt::format("its rows are padded to {} bytes; only {} is supported", pitch, row)};
  const auto counts = counts_of(file, parsed);
  if (!counts) return counts.error();
  parsed.counts = *counts;
  return parsed;
}

double rate_of_mark(Bytes file) {
  const double fps = is_marked(file) ? load_le32(file, kMarkRate) * kRateUnit : 0;
  return fps >= kMinStillFps && fps <= kMaxStillFps ? fps : 0;
}

// Offset of a plane of the part behind the header, after all its larger levels.
uint64_t offset_of(const DdsParsed& parsed, const StillPart& part, size_t plane) {
  uint64_t offset = levels_bytes(parsed.desc, plane, part.level);
  for (size_t before = 0; before < plane; ++before) offset += levels_bytes(parsed.desc, before, parsed.counts.levels);
  const auto image =
      static_cast<uint64_t>(part.layer) * static_cast<uint64_t>(parsed.counts.faces) + static_cast<uint64_t>(part.face);
  return offset + image * levels_bytes(parsed.desc, plane, parsed.counts.levels);
}

// Bytes from the header to the end of the part's last plane.
uint64_t needed_bytes(const DdsParsed& parsed, const StillPart& part) {
  const TextureLayout layout = texture_layout(level_of(parsed.desc, part.level));
  const auto last = static_cast<size_t>(layout.plane_count - 1);
  return offset_of(parsed, part, last) + layout.planes[last].bytes;
}

// The planes of a part. They are contiguous unless the file has several levels.
struct DdsPart {
  TextureDesc desc;
  std::array<Bytes, 3> planes{};
};

Result<DdsPart> part_of_dds(Bytes file, const DdsParsed& parsed, const StillPart& part) {
  if (const auto there = check_part(part, parsed.counts); !there) return there.error();
  DdsPart found{.desc = level_of(parsed.desc, part.level)};
  const TextureLayout layout = texture_layout(found.desc);
  const Bytes rest = file.subspan(parsed.header_bytes);
  for (size_t p = 0; p < static_cast<size_t>(layout.plane_count); ++p) {
    const uint64_t offset = offset_of(parsed, part, p), bytes = layout.planes[p].bytes;
    if (rest.size() < offset + bytes)
      return Failure{fmt::format("it is truncated: {} of {} bytes of its blocks are there", rest.size(),
                                 needed_bytes(parsed, part))};
    found.planes[p] = rest.subspan(static_cast<size_t>(offset), layout.planes[p].bytes);
  }
  return found;
}

void copy_blocks(const DdsPart& stored, bool is_bgra, MutableBytes blocks) {
  const TextureLayout layout = texture_layout(stored.desc);
  for (size_t p = 0; p < static_cast<size_t>(layout.plane_count); ++p)
    std::ranges::copy(stored.planes[p], blocks.begin() + static_cast<ptrdiff_t>(layout.planes[p].offset));
  if (is_bgra)
    for (size_t i = 0; i < blocks.size(); i += 4) std::swap(blocks[i], blocks[i + 2]);
}

// The order is image by image, each with its levels.
StillPart part_number(const StillCounts& counts, uint64_t number) {
  const auto levels = static_cast<uint64_t>(counts.levels), faces = static_cast<uint64_t>(counts.faces);
  const uint64_t image = number / levels;
  return {.level = static_cast<int>(number % levels),
          .layer = static_cast<int>(image / faces),
          .face = static_cast<int>(image % faces)};
}

uint64_t count_of(const StillCounts& counts) {
  return static_cast<uint64_t>(counts.levels) * static_cast<uint64_t>(counts.layers) *
         static_cast<uint64_t>(counts.faces);
}

}  // namespace

bool looks_like_dds(Bytes start) { return start.size() >= 4 && load_le32(start, kMagic) == kMagicValue; }

Result<StillInfo> inspect_dds(Bytes file, const StillPart& part) {
  const auto parsed = parse_dds(file);
  if (!parsed) return parsed.error();
  if (const auto there = check_part(part, parsed->counts); !there) return there.error();
  return StillInfo{.desc = level_of(parsed->desc, part.level),
                   .coding = std::string(parsed->coding->name),
                   .fourcc = parsed->fourcc == 0 ? std::string() : printable_fourcc(parsed->fourcc),
                   .fps = rate_of_mark(file),
                   .levels = parsed->counts.levels,
                   .layers = parsed->counts.layers,
                   .faces = parsed->counts.faces};
}

Result<void> check_dds(Bytes file, const StillPart& part) {
  const auto parsed = parse_dds(file);
  if (!parsed) return parsed.error();
  const auto blocks = part_of_dds(file, *parsed, part);
  return blocks ? Result<void>() : blocks.error();
}

Result<void> read_dds(Bytes file, MutableBytes blocks, const StillPart& part) {
  const auto parsed = parse_dds(file);
  if (!parsed) return parsed.error();
  const auto stored = part_of_dds(file, *parsed, part);
  if (!stored) return stored.error();
  REQUIRE_USE(blocks.size() == texture_layout(stored->desc).total_bytes,
              "the size of the blocks is not that of the image in the file");
  copy_blocks(*stored, parsed->is_bgra, blocks);
  return {};
}

// Offsets grow from image to image, so if one is truncated, the later ones are missing.
void each_dds_image(Bytes file, const TakeImage& take) {
  const auto parsed = parse_dds(file);
  if (!parsed) {
    take({}, parsed.error());
    return;
  }
  const uint64_t count = count_of(parsed->counts);
  std::vector<std::byte> blocks;
  for (uint64_t number = 0; number < count; ++number) {
    const StillPart part = part_number(parsed->counts, number);
    const auto stored = part_of_dds(file, *parsed, part);
    if (!stored) {
      take(part, with_lost(stored.error(), count - 1 - number));
      return;
    }
    blocks.resize(texture_layout(stored->desc).total_bytes);
    copy_blocks(*stored, parsed->is_bgra, blocks);
    if (!take(part, TextureView{stored->desc, blocks})) return;
  }
}

Result<uint64_t> dds_bytes(Bytes head) {
  const auto parsed = parse_dds(head);
  if (!parsed) return parsed.error();
  const StillPart last = part_number(parsed->counts, count_of(parsed->counts) - 1);
  return parsed->header_bytes + needed_bytes(*parsed, last);
}

}  // namespace texcast::container
