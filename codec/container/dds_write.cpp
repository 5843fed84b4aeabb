#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "base/ensure.h"
#include "dds_parts.h"
#include "find_coding.h"
#include "still_kinds.h"

namespace texcast::container {
namespace {

using namespace dds;

// Only Y'CbCr formats have a range; all others are full range.
uint32_t packed_color(TextureFormat format, const ColorSpec& color) {
  const bool is_limited = is_ycbcr(format) && color.range == ColorRange::limited;
  return color.primaries | uint32_t{color.transfer} << 8 | static_cast<uint32_t>(color.matrix) << 16 |
         (is_limited ? kLimited : 0);
}

// Writes the blocks unchanged, after a header that describes the first plane. Formats that a FourCC cannot express
// (sRGB, newer codings) get the longer header.
class DdsWriter final : public StillWriter {
 public:
  explicit DdsWriter(const StillOptions& options)
      : rate_(static_cast<uint32_t>(std::llround(options.fps / kRateUnit))) {}

  std::span<const Bytes> file_of(std::span<const StillImage> images, const StillShape& shape) override {
    const TextureDesc& desc = images.front().front().desc;
    const size_t levels = images.front().size();
    const TextureLayout layout = texture_layout(desc);
    const Format& format = format_row(desc.format);
    const Coding& blocks = plane_coding(desc.format, 0);
    const bool is_srgb = format.is_plain && blocks.dxgi.srgb != 0 && desc.color.transfer == kSrgbTransfer;
    const bool is_masked = !is_srgb && !shape.is_array && blocks.masks.bits != 0;
    const bool is_dx10 = shape.is_array || is_srgb || (!is_masked && blocks.dds_fourccs[0] == 0);
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
    store_le32(out, kCaps,
               kCapsTexture | (levels * images.size() > 1 ? kCapsComplex : 0) | (levels > 1 ? kCapsMipmap : 0));
    if (levels > 1) {
      store_le32(out, kFlags, load_le32(out, kFlags) | kFlagLevels);
      store_le32(out, kLevels, static_cast<uint32_t>(levels));
    }
    if (shape.is_cube) store_le32(out, kCaps2, kCaps2Cubemap | kCaps2Faces);
    if (is_dx10) {
      store_le32(out, kDxgiFormat, is_srgb ? blocks.dxgi.srgb : blocks.dxgi.unorm);
      store_le32(out, kResourceDimension, kDimensionTexture2d);
      if (shape.is_cube) store_le32(out, kMiscFlag, kMiscCubemap);
      store_le32(out, kArraySize, static_cast<uint32_t>(images.size() / (shape.is_cube ? 6 : 1)));
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
    pieces_.assign({Bytes(header_).first(kDdsHeaderBytes + (is_dx10 ? kDx10HeaderBytes : 0))});
    for (const StillImage& image : images) {
      ENSURE(image.size() == levels && image.front().desc == desc);
      add_levels(image);
    }
    return pieces_;
  }

 private:
  void add_levels(const StillImage& image) {
    for (size_t plane = 0; plane < static_cast<size_t>(plane_count(image.front().desc.format)); ++plane)
      for (size_t i = 0; i < image.size(); ++i) {
        ENSURE(image[i].desc == level_of(image.front().desc, static_cast<int>(i)));
        add_plane(image[i], plane);
      }
  }
  void add_plane(const TextureView& level, size_t index) {
    const TextureLayout layout = texture_layout(level.desc);
    ENSURE(level.blocks.size() == layout.total_bytes);
    pieces_.push_back(level.blocks.subspan(layout.planes[index].offset, layout.planes[index].bytes));
  }

  void store_masks(const PixelMasks& masks) {
    const MutableBytes out(header_);
    store_le32(out, kPixelFormatFlags, kPixelFormatRgb | (masks.rgba[3] != 0 ? kPixelFormatAlpha : 0));
    store_le32(out, kBitCount, masks.bits);
    for (size_t i = 0; i < masks.rgba.size(); ++i) store_le32(out, kMasks + 4 * i, masks.rgba[i]);
  }

  uint32_t rate_;
  std::array<std::byte, kDdsHeaderBytes + kDx10HeaderBytes> header_{};
  std::vector<Bytes> pieces_;
};

}  // namespace

std::unique_ptr<StillWriter> make_dds_writer(const StillOptions& options) {
  return std::make_unique<DdsWriter>(options);
}

}  // namespace texcast::container
