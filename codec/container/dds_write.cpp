#include <algorithm>
#include <array>
#include <cmath>

#include "base/ensure.h"
#include "dds_parts.h"
#include "find_coding.h"
#include "still_kinds.h"

namespace texcast::container {
namespace {

using namespace dds;

// The range counts where the values are Y'CbCr; all others are full.
uint32_t packed_color(TextureFormat format, const ColorSpec& color) {
  const bool is_limited = is_ycbcr(format) && color.range == ColorRange::limited;
  return color.primaries | uint32_t{color.transfer} << 8 | static_cast<uint32_t>(color.matrix) << 16 |
         (is_limited ? kLimited : 0);
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
    const Format& format = format_row(desc.format);
    const Coding& blocks = plane_coding(desc.format, 0);
    const bool is_srgb = format.is_plain && blocks.dxgi.srgb != 0 && desc.color.transfer == kH273Srgb;
    const bool is_masked = !is_srgb && blocks.masks.bits != 0;
    const bool is_dx10 = is_srgb || (!is_masked && blocks.dds_fourccs[0] == 0);
    header_.fill(std::byte{0});
    const MutableBytes out(header_);
    store_le32(out, kMagic, kMagicValue);
    store_le32(out, kSize, 124);
    store_le32(out, kFlags, kFlagsValue | (is_compressed(desc.format) ? kFlagLinearSize : kFlagPitch));
    store_le32(out, kHeight, static_cast<uint32_t>(desc.height));
    store_le32(out, kWidth, static_cast<uint32_t>(desc.width));
    if (is_compressed(desc.format))
      store_le32(out, kLinearSize, static_cast<uint32_t>(layout.planes[0].bytes));
    else
      store_le32(out, kPitch, row_bytes(desc));
    store_le32(out, kPixelFormatSize, 32);
    if (is_masked) {
      store_masks(blocks.masks);
    } else {
      store_le32(out, kPixelFormatFlags, kPixelFormatFourCC);
      store_le32(out, kFourCC, is_dx10 ? kFourCCDx10 : blocks.dds_fourccs[0]);
    }
    store_le32(out, kCaps, kCapsTexture);
    if (is_dx10) {
      store_le32(out, kDxgiFormat, is_srgb ? blocks.dxgi.srgb : blocks.dxgi.unorm);
      store_le32(out, kResourceDimension, kDimensionTexture2d);
      store_le32(out, kArraySize, 1);
    }
    if (format.dds_gimp != 0) {
      store_le32(out, kGimp1, fourcc('G', 'I', 'M', 'P'));
      store_le32(out, kGimp2, fourcc('-', 'D', 'D', 'S'));
      store_le32(out, kGimpTag, format.dds_gimp);
    }
    store_le32(out, kMark, kMarkValue);
    store_le32(out, kMarkFormat, static_cast<uint32_t>(desc.format));
    store_le32(out, kMarkWidth, static_cast<uint32_t>(desc.width));
    store_le32(out, kMarkHeight, static_cast<uint32_t>(desc.height));
    store_le32(out, kMarkColor, packed_color(desc.format, desc.color));
    store_le32(out, kMarkRate, rate_);
    return {Bytes(header_).first(kDdsHeaderBytes + (is_dx10 ? kDx10HeaderBytes : 0)), texture.blocks};
  }

 private:
  void store_masks(const PixelMasks& masks) {
    const MutableBytes out(header_);
    store_le32(out, kPixelFormatFlags, kPixelFormatRgb | (masks.rgba[3] != 0 ? kPixelFormatAlpha : 0));
    store_le32(out, kBitCount, masks.bits);
    for (size_t i = 0; i < masks.rgba.size(); ++i) store_le32(out, kMasks + 4 * i, masks.rgba[i]);
  }

  uint32_t rate_;
  std::array<std::byte, kDdsHeaderBytes + kDx10HeaderBytes> header_{};
};

}  // namespace

std::unique_ptr<StillWriter> make_dds_writer(const StillOptions& options) {
  return std::make_unique<DdsWriter>(options);
}

}  // namespace texcast::container
