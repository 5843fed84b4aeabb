#include "dds.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "base/ensure.h"
#include "block_codings.h"

namespace texcast::container {
namespace {

// Offsets from the start of the file. Names as in Microsoft's DDS_HEADER and DDS_HEADER_DXT10.
constexpr size_t kMagic = 0, kSize = 4, kFlags = 8, kHeight = 12, kWidth = 16, kLinearSize = 20, kReserved1 = 32;
constexpr size_t kPixelFormatSize = 76, kPixelFormatFlags = 80, kFourCC = 84, kCaps = 108, kCaps2 = 112;
constexpr size_t kDdsHeaderBytes = 128;
constexpr size_t kDxgiFormat = 128, kResourceDimension = 132, kMiscFlag = 136, kArraySize = 140;
constexpr size_t kDx10HeaderBytes = 20;

constexpr uint32_t kMagicValue = 0x20534444;                          // "DDS "
constexpr uint32_t kFlagsValue = 0x1 | 0x2 | 0x4 | 0x1000 | 0x80000;  // caps, height, width, pixel format, linear size
constexpr uint32_t kPixelFormatFourCC = 0x4;
constexpr uint32_t kCapsTexture = 0x1000;
constexpr uint32_t kCaps2Cubemap = 0x200, kCaps2Volume = 0x200000, kMiscCubemap = 0x4;
constexpr uint32_t kFourCCDx10 = fourcc('D', 'X', '1', '0');
constexpr uint32_t kDimensionTexture2d = 3;

// The 11 reserved words, which writers leave their marks in. GIMP's are at the start, texcast's behind them: what the
// format is, its true size once more, its colours as H.273 primaries and transfer and a ColorMatrix, its sequence's
// rate.
constexpr size_t kGimp1 = kReserved1, kGimp2 = kReserved1 + 4, kGimpTag = kReserved1 + 12;
constexpr size_t kMark = kReserved1 + 20, kMarkFormat = kMark + 4, kMarkWidth = kMark + 8, kMarkHeight = kMark + 12,
                 kMarkColor = kMark + 16, kMarkRate = kMark + 20;
constexpr double kRateUnit = 1e-6;  // frames a second
constexpr uint32_t kMarkValue = fourcc('T', 'X', 'C', 'S');
constexpr uint32_t kUnscaledYCoCg = fourcc('Y', 'C', 'G', '1');
constexpr uint8_t kH273Srgb = 13;

uint32_t packed_color(const ColorSpec& color) {
  return color.primaries | uint32_t{color.transfer} << 8 | static_cast<uint32_t>(color.matrix) << 16;
}

struct DdsParsed {
  TextureDesc desc;
  const BlockCoding* coding = nullptr;
  uint32_t fourcc = 0;
  size_t header_bytes = kDdsHeaderBytes;
};

bool is_marked(Bytes file) {
  return load_le32(file, kMark) == kMarkValue && load_le32(file, kMarkWidth) == load_le32(file, kWidth) &&
         load_le32(file, kMarkHeight) == load_le32(file, kHeight);
}

// What the file says of its format beyond the blocks' coding: texcast's mark, then GIMP's, then nothing.
Result<TextureDesc> describe(Bytes file, const BlockCoding& coding, bool is_srgb) {
  TextureDesc desc{.width = static_cast<int>(load_le32(file, kWidth)),
                   .height = static_cast<int>(load_le32(file, kHeight))};
  if (is_srgb) desc.color.transfer = kH273Srgb;
  if (is_marked(file)) {
    const uint32_t number = load_le32(file, kMarkFormat), color = load_le32(file, kMarkColor);
    const auto format =
        std::ranges::find(kTextureFormats, number, [](TextureFormat f) { return uint32_t{static_cast<uint8_t>(f)}; });
    if (format == kTextureFormats.end() || stored_as(*format).coding != &coding)
      return Failure{fmt::format("it says that it is texcast's format {} and holds {}", number, coding.name)};
    if (color >> 16 > static_cast<uint32_t>(ColorMatrix::bt2020))
      return Failure{fmt::format("it says that its colours are {:#x}", color)};
    desc.format = *format;
    desc.color = {.matrix = static_cast<ColorMatrix>(color >> 16),
                  .range = ColorRange::full,
                  .primaries = static_cast<uint8_t>(color),
                  .transfer = static_cast<uint8_t>(color >> 8)};
    return desc;
  }
  const uint32_t tag = load_le32(file, kGimpTag);
  if (tag == kUnscaledYCoCg) return Failure{"it holds unscaled YCoCg (YCG1)"};
  for (const TextureFormat format : kTextureFormats)
    if (const StoredAs& stored = stored_as(format); stored.gimp_tag == tag && tag != 0 && stored.coding == &coding) {
      desc.format = format;
      return desc;
    }
  const StoredAs* plain = plain_format_of(coding);
  if (plain == nullptr) return Failure{fmt::format("it holds {}; {} can be read", coding.name, list_codings())};
  desc.format = plain->format;
  return desc;
}

Result<DdsParsed> parse_dds(Bytes file) {
  if (file.size() < kDdsHeaderBytes)
    return Failure{fmt::format("a DDS header has 128 bytes, this has {}", file.size())};
  if (load_le32(file, kMagic) != kMagicValue) return Failure{"it does not start with \"DDS \""};
  if (load_le32(file, kSize) != 124) return Failure{fmt::format("header size {}, not 124", load_le32(file, kSize))};
  if ((load_le32(file, kPixelFormatFlags) & kPixelFormatFourCC) == 0)
    return Failure{fmt::format("it holds uncompressed pixels; {} can be read", list_codings())};
  if ((load_le32(file, kCaps2) & kCaps2Cubemap) != 0) return Failure{"it holds a cube map, not one image"};
  if ((load_le32(file, kCaps2) & kCaps2Volume) != 0) return Failure{"it holds a volume, not one image"};
  const uint32_t width = load_le32(file, kWidth), height = load_le32(file, kHeight);
  if (width < 1 || height < 1 || width > kMaxFrameSize || height > kMaxFrameSize)
    return Failure{fmt::format("its size is {}x{}; 1x1 to {}x{} is read", width, height, kMaxFrameSize, kMaxFrameSize)};

  DdsParsed parsed{.desc = {}, .fourcc = load_le32(file, kFourCC)};
  bool is_srgb = false;
  if (parsed.fourcc == kFourCCDx10) {
    parsed.header_bytes += kDx10HeaderBytes;
    if (file.size() < parsed.header_bytes) return Failure{"its DX10 header breaks off"};
    const uint32_t dxgi = load_le32(file, kDxgiFormat);
    parsed.coding = coding_of_dxgi(dxgi);
    if (parsed.coding == nullptr)
      return Failure{fmt::format("it holds DXGI format {}; {} can be read", dxgi, list_codings())};
    if (load_le32(file, kResourceDimension) != kDimensionTexture2d) return Failure{"it does not hold a 2D texture"};
    if ((load_le32(file, kMiscFlag) & kMiscCubemap) != 0) return Failure{"it holds a cube map, not one image"};
    is_srgb = dxgi == parsed.coding->dxgi_srgb;
  } else {
    parsed.coding = coding_of_fourcc(parsed.fourcc);
    if (parsed.coding == nullptr)
      return Failure{fmt::format("it holds {}; {} can be read", printable_fourcc(parsed.fourcc), list_codings())};
  }
  const auto desc = describe(file, *parsed.coding, is_srgb);
  if (!desc) return desc.error();
  parsed.desc = *desc;
  return parsed;
}

double rate_of_mark(Bytes file) {
  const double fps = is_marked(file) ? load_le32(file, kMarkRate) * kRateUnit : 0;
  return fps >= kMinStillFps && fps <= kMaxStillFps ? fps : 0;
}

Result<Bytes> blocks_of(Bytes file, const DdsParsed& parsed) {
  const size_t wanted = texture_layout(parsed.desc).total_bytes;
  const Bytes rest = file.subspan(parsed.header_bytes);
  if (rest.size() < wanted)
    return Failure{fmt::format("its blocks break off after {} of {} bytes", rest.size(), wanted)};
  return rest.first(wanted);
}

// The blocks as they are, behind a header of the first plane. What a FourCC cannot say, sRGB or a newer coding, takes
// the longer header.
class DdsWriter final : public StillWriter {
 public:
  explicit DdsWriter(const StillOptions& options)
      : rate_(static_cast<uint32_t>(std::llround(options.fps / kRateUnit))) {}

  std::array<Bytes, 2> file_of(const TextureView& texture) override {
    const TextureDesc& desc = texture.desc;
    const TextureLayout layout = texture_layout(desc);
    ENSURE(texture.blocks.size() == layout.total_bytes);
    const StoredAs& stored = stored_as(desc.format);
    const bool is_srgb = stored.is_plain && stored.coding->dxgi_srgb != 0 && desc.color.transfer == kH273Srgb;
    const bool is_dx10 = is_srgb || stored.coding->fourccs[0] == 0;
    header_.fill(std::byte{0});
    const MutableBytes out(header_);
    store_le32(out, kMagic, kMagicValue);
    store_le32(out, kSize, 124);
    store_le32(out, kFlags, kFlagsValue);
    store_le32(out, kHeight, static_cast<uint32_t>(desc.height));
    store_le32(out, kWidth, static_cast<uint32_t>(desc.width));
    store_le32(out, kLinearSize, static_cast<uint32_t>(layout.planes[0].bytes));
    store_le32(out, kPixelFormatSize, 32);
    store_le32(out, kPixelFormatFlags, kPixelFormatFourCC);
    store_le32(out, kFourCC, is_dx10 ? kFourCCDx10 : stored.coding->fourccs[0]);
    store_le32(out, kCaps, kCapsTexture);
    if (is_dx10) {
      store_le32(out, kDxgiFormat, is_srgb ? stored.coding->dxgi_srgb : stored.coding->dxgi_unorm);
      store_le32(out, kResourceDimension, kDimensionTexture2d);
      store_le32(out, kArraySize, 1);
    }
    if (stored.gimp_tag != 0) {
      store_le32(out, kGimp1, fourcc('G', 'I', 'M', 'P'));
      store_le32(out, kGimp2, fourcc('-', 'D', 'D', 'S'));
      store_le32(out, kGimpTag, stored.gimp_tag);
    }
    store_le32(out, kMark, kMarkValue);
    store_le32(out, kMarkFormat, static_cast<uint32_t>(desc.format));
    store_le32(out, kMarkWidth, static_cast<uint32_t>(desc.width));
    store_le32(out, kMarkHeight, static_cast<uint32_t>(desc.height));
    store_le32(out, kMarkColor, packed_color(desc.color));
    store_le32(out, kMarkRate, rate_);
    return {Bytes(header_).first(kDdsHeaderBytes + (is_dx10 ? kDx10HeaderBytes : 0)), texture.blocks};
  }

 private:
  uint32_t rate_;
  std::array<std::byte, kDdsHeaderBytes + kDx10HeaderBytes> header_{};
};

}  // namespace

bool looks_like_dds(Bytes start) { return start.size() >= 4 && load_le32(start, kMagic) == kMagicValue; }

std::unique_ptr<StillWriter> make_dds_writer(const StillOptions& options) {
  return std::make_unique<DdsWriter>(options);
}

Result<StillInfo> inspect_dds(Bytes file) {
  const auto parsed = parse_dds(file);
  if (!parsed) return parsed.error();
  return StillInfo{.desc = parsed->desc,
                   .coding = std::string(parsed->coding->name),
                   .fourcc = printable_fourcc(parsed->fourcc),
                   .fps = rate_of_mark(file)};
}

Result<void> check_dds(Bytes file) {
  const auto parsed = parse_dds(file);
  if (!parsed) return parsed.error();
  const auto blocks = blocks_of(file, *parsed);
  return blocks ? Result<void>() : blocks.error();
}

Result<void> read_dds(Bytes file, MutableBytes blocks) {
  const auto parsed = parse_dds(file);
  if (!parsed) return parsed.error();
  const auto stored = blocks_of(file, *parsed);
  if (!stored) return stored.error();
  ENSURE(blocks.size() == stored->size());
  std::ranges::copy(*stored, blocks.begin());
  return {};
}

}  // namespace texcast::container
