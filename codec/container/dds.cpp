#include "container/dds.h"

#include <fmt/core.h>

#include "base/ensure.h"

namespace texcast::container {
namespace {

// Offsets from the start of the file. Names as in Microsoft's DDS_HEADER.
constexpr size_t kMagic = 0, kSize = 4, kFlags = 8, kHeight = 12, kWidth = 16, kLinearSize = 20;
constexpr size_t kPixelFormatSize = 76, kPixelFormatFlags = 80, kFourCC = 84, kCaps = 108, kCaps2 = 112;
constexpr size_t kDxgiFormat = 128, kResourceDimension = 132;
constexpr size_t kDx10HeaderBytes = 20;

constexpr uint32_t kMagicValue = 0x20534444;                          // "DDS "
constexpr uint32_t kFlagsValue = 0x1 | 0x2 | 0x4 | 0x1000 | 0x80000;  // caps, height, width, pixel format, linear size
constexpr uint32_t kPixelFormatFourCC = 0x4;
constexpr uint32_t kCapsTexture = 0x1000;
constexpr uint32_t kCaps2Cubemap = 0x200, kCaps2Volume = 0x200000;
constexpr uint32_t kFourCCDxt1 = 0x31545844, kFourCCDx10 = 0x30315844;
constexpr uint32_t kDxgiBc1Typeless = 70, kDxgiBc1Srgb = 72;
constexpr uint32_t kDimensionTexture2d = 3;

std::string printable_fourcc(uint32_t value) {
  std::string text;
  for (int i = 0; i < 4; ++i, value >>= 8) {
    const char c = static_cast<char>(value & 0xFF);
    text += c >= ' ' && c <= '~' ? c : '?';
  }
  return text;
}

struct Parsed {
  TextureDesc desc;
  size_t header_bytes = 0;
};

Result<Parsed> parse(Bytes file) {
  if (file.size() < kDdsHeaderBytes)
    return Failure{fmt::format("a DDS header has 128 bytes, this has {}", file.size())};
  if (load_le32(file, kMagic) != kMagicValue) return Failure{"it does not start with \"DDS \""};
  if (load_le32(file, kSize) != 124) return Failure{fmt::format("header size {}, not 124", load_le32(file, kSize))};
  if ((load_le32(file, kPixelFormatFlags) & kPixelFormatFourCC) == 0)
    return Failure{"it holds uncompressed pixels, not BC1"};
  if ((load_le32(file, kCaps2) & kCaps2Cubemap) != 0) return Failure{"it holds a cube map, not one image"};
  if ((load_le32(file, kCaps2) & kCaps2Volume) != 0) return Failure{"it holds a volume, not one image"};

  const uint32_t fourcc = load_le32(file, kFourCC);
  size_t header_bytes = kDdsHeaderBytes;
  if (fourcc == kFourCCDx10) {
    header_bytes += kDx10HeaderBytes;
    if (file.size() < header_bytes) return Failure{"its DX10 header breaks off"};
    const uint32_t dxgi = load_le32(file, kDxgiFormat);
    if (dxgi < kDxgiBc1Typeless || dxgi > kDxgiBc1Srgb)
      return Failure{fmt::format("it holds DXGI format {}, not BC1", dxgi)};
    if (load_le32(file, kResourceDimension) != kDimensionTexture2d) return Failure{"it does not hold a 2D texture"};
  } else if (fourcc != kFourCCDxt1) {
    return Failure{fmt::format("it holds {}, not BC1 (DXT1)", printable_fourcc(fourcc))};
  }

  const uint32_t width = load_le32(file, kWidth);
  const uint32_t height = load_le32(file, kHeight);
  if (width < 1 || height < 1 || width > kMaxFrameSize || height > kMaxFrameSize)
    return Failure{fmt::format("its size is {}x{}; 1x1 to {}x{} is read", width, height, kMaxFrameSize, kMaxFrameSize)};
  return Parsed{{.format = TextureFormat::bc1, .width = static_cast<int>(width), .height = static_cast<int>(height)},
                header_bytes};
}

}  // namespace

bool dds_can_hold(TextureFormat format) { return format == TextureFormat::bc1; }

std::array<std::byte, kDdsHeaderBytes> make_dds_header(const TextureDesc& desc) {
  ENSURE(dds_can_hold(desc.format));
  std::array<std::byte, kDdsHeaderBytes> header{};
  const MutableBytes out(header);
  store_le32(out, kMagic, kMagicValue);
  store_le32(out, kSize, 124);
  store_le32(out, kFlags, kFlagsValue);
  store_le32(out, kHeight, static_cast<uint32_t>(desc.height));
  store_le32(out, kWidth, static_cast<uint32_t>(desc.width));
  store_le32(out, kLinearSize, static_cast<uint32_t>(texture_layout(desc).total_bytes));
  store_le32(out, kPixelFormatSize, 32);
  store_le32(out, kPixelFormatFlags, kPixelFormatFourCC);
  store_le32(out, kFourCC, kFourCCDxt1);
  store_le32(out, kCaps, kCapsTexture);
  return header;
}

Result<TextureView> read_dds(Bytes file) {
  const auto parsed = parse(file);
  if (!parsed) return parsed.error();
  const size_t wanted = texture_layout(parsed->desc).total_bytes;
  const Bytes rest = file.subspan(parsed->header_bytes);
  if (rest.size() < wanted)
    return Failure{fmt::format("its blocks break off after {} of {} bytes", rest.size(), wanted)};
  return TextureView{parsed->desc, rest.first(wanted)};
}

Result<TextureDesc> read_dds_header(Bytes start_of_file) {
  const auto parsed = parse(start_of_file);
  if (!parsed) return parsed.error();
  return parsed->desc;
}

}  // namespace texcast::container
