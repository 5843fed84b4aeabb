#include "astc_file.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <span>

#include "base/ensure.h"
#include "base/misuse.h"
#include "find_coding.h"
#include "still_kinds.h"

namespace texcast::container {
namespace {

constexpr StillCounts kOneImage{};

// The file has no colours and no frame rate.
Result<TextureDesc> parse_astc(Bytes file) {
  if (file.size() < astc::kHeaderBytes)
    return Failure{
        fmt::format("the file has {1} bytes, less than an .astc header ({0})", astc::kHeaderBytes, file.size())};
  if (!looks_like_astc(file)) return Failure{"it does not start as .astc files do"};
  const auto block_side = [&](size_t axis) { return static_cast<int>(load_u8(file, astc::kBlockSides + axis)); };
  const auto image_side = [&](size_t axis) {
    return static_cast<uint32_t>(
        load_le<astc::kImageSideBytes>(file, astc::kImageSides + axis * astc::kImageSideBytes));
  };
  if (block_side(2) != 1 || image_side(2) != 1)
    return Failure{fmt::format("it holds a volume ({} deep, in blocks {} deep) instead of one image", image_side(2),
                               block_side(2))};
  const Coding* blocks = coding_of_astc(block_side(0), block_side(1));
  if (blocks == nullptr)
    return Failure{fmt::format("its blocks are {}x{}; supported are {}", block_side(0), block_side(1),
                               list_formats_of(StillKind::astc))};
  const uint32_t width = image_side(0), height = image_side(1);
  if (width < 1 || height < 1 || width > kMaxFrameSize || height > kMaxFrameSize)
    return Failure{
        fmt::format("its size is {}x{}; supported are 1x1 to {}x{}", width, height, kMaxFrameSize, kMaxFrameSize)};
  const TextureFormat format = plain_format_of(*blocks)->id;
  return TextureDesc{.format = format,
                     .width = static_cast<int>(width),
                     .height = static_cast<int>(height),
                     .color = usual_color(format)};
}

Result<Bytes> blocks_of_astc(Bytes file, const TextureDesc& desc, const StillPart& part) {
  if (const auto there = check_part(part, kOneImage); !there) return there.error();
  const Bytes rest = file.subspan(astc::kHeaderBytes);
  const size_t bytes = texture_layout(desc).total_bytes;
  if (rest.size() < bytes)
    return Failure{fmt::format("it is truncated: {} of {} bytes of its blocks are there", rest.size(), bytes)};
  return rest.first(bytes);
}

class AstcWriter final : public StillWriter {
 public:
  std::span<const Bytes> file_of(std::span<const StillImage> images, const StillShape& /*shape*/) override {
    ENSURE(images.size() == 1 && images.front().size() == 1);
    const TextureView& texture = images.front().front();
    const TextureDesc& desc = texture.desc;
    ENSURE(can_hold(StillKind::astc, desc.format));
    const PlaneLayout plane = texture_layout(desc).planes[0];
    ENSURE(texture.blocks.size() == plane.bytes);
    const MutableBytes out(header_);
    store_le32(out, astc::kMagic, astc::kMagicValue);
    const std::array block_sides = {plane.block_width, plane.block_height, 1};
    const std::array image_sides = {desc.width, desc.height, 1};
    for (size_t axis = 0; axis < 3; ++axis) {
      store_le<1>(out, astc::kBlockSides + axis, static_cast<uint64_t>(block_sides[axis]));
      store_le<astc::kImageSideBytes>(out, astc::kImageSides + axis * astc::kImageSideBytes,
                                      static_cast<uint64_t>(image_sides[axis]));
    }
    pieces_ = {Bytes(header_), texture.blocks};
    return pieces_;
  }

 private:
  std::array<std::byte, astc::kHeaderBytes> header_{};
  std::array<Bytes, 2> pieces_;
};

}  // namespace

bool looks_like_astc(Bytes start) { return start.size() >= 4 && load_le32(start, astc::kMagic) == astc::kMagicValue; }

std::unique_ptr<StillWriter> make_astc_writer() { return std::make_unique<AstcWriter>(); }

Result<StillInfo> inspect_astc(Bytes file, const StillPart& part) {
  const auto desc = parse_astc(file);
  if (!desc) return desc.error();
  if (const auto there = check_part(part, kOneImage); !there) return there.error();
  return StillInfo{.desc = *desc, .coding = std::string(plane_coding(desc->format, 0).name), .fourcc = {}};
}

Result<void> check_astc(Bytes file, const StillPart& part) {
  const auto desc = parse_astc(file);
  if (!desc) return desc.error();
  const auto blocks = blocks_of_astc(file, *desc, part);
  return blocks ? Result<void>() : blocks.error();
}

Result<void> read_astc(Bytes file, MutableBytes blocks, const StillPart& part) {
  const auto desc = parse_astc(file);
  if (!desc) return desc.error();
  const auto stored = blocks_of_astc(file, *desc, part);
  if (!stored) return stored.error();
  REQUIRE_USE(blocks.size() == stored->size(), "the size of the blocks is not that of the image in the file");
  std::ranges::copy(*stored, blocks.begin());
  return {};
}

void each_astc_image(Bytes file, const TakeImage& take) {
  const auto desc = parse_astc(file);
  const auto blocks = desc ? blocks_of_astc(file, *desc, {}) : Result<Bytes>(desc.error());
  take({}, blocks ? Result<TextureView>(TextureView{*desc, *blocks}) : blocks.error());
}

Result<uint64_t> astc_bytes(Bytes head) {
  const auto desc = parse_astc(head);
  if (!desc) return desc.error();
  return astc::kHeaderBytes + uint64_t{texture_layout(*desc).total_bytes};
}

}  // namespace texcast::container
