// library.cpp — texcast/container.h: checks the arguments for the readers and writers of this module, and throws their
// failures.
#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <type_traits>
#include <utility>

#include "base/misuse.h"
#include "container/hap_frame.h"
#include "container/still.h"
#include "formats/require_texture.h"
#include "texcast/container.h"
#include "texcast/error.h"

namespace texcast {
namespace {

void require_kind(StillKind kind, const char* function) {
  if (kind != StillKind::dds && kind != StillKind::ktx2 && kind != StillKind::astc)
    misused(function, "there is no such kind of file");
}

void require_bytes(std::span<const std::byte> bytes, const char* function) {
  if (bytes.data() == nullptr && !bytes.empty()) misused(function, "the bytes are a null pointer");
}

template <typename T>
T value_of(Result<T> result) {
  if (!result) throw Error(ErrorKind::corrupt, result.error().message);
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

container::HapImages images_of(const TextureDesc& desc) {
  if (!hap_fourcc(desc.format)) throw Error(ErrorKind::usage, fmt::format("Hap cannot hold {}", name(desc.format)));
  return container::hap_images(desc);
}

void require_levels(std::span<const TextureView> levels, const char* function) {
  if (levels.empty()) misused(function, "there is no level; give the first at least");
  for (const TextureView& level : levels) require_whole(level, function);
  for (size_t i = 1; i < levels.size(); ++i)
    if (levels[i].desc != level_of(levels.front().desc, static_cast<int>(i)))
      misused(function, "a level is not half as large as the previous one, or belongs to another texture");
}

std::vector<std::byte> packed(StillKind kind, std::span<const StillImage> images, const StillShape& shape,
                              const StillOptions& options, const char* function) {
  require_kind(kind, function);
  if (options.fps != 0 && !(options.fps >= kMinStillFps && options.fps <= kMaxStillFps))
    misused(function, "fps must be 0.001 to 4294, or 0");
  const TextureFormat format = images.front().front().desc.format;
  if (!can_hold(kind, format))
    throw Error(ErrorKind::usage,
                fmt::format("{1} cannot hold {0}", name(format), kind == StillKind::astc ? ".astc" : "KTX2"));
  if (kind == StillKind::astc && images.front().size() > 1)
    throw Error(ErrorKind::usage, "an .astc file has one level; DDS and KTX2 can hold mip levels");
  std::vector<std::byte> file;
  const auto writer = container::make_still_writer(kind, options);
  for (const Bytes piece : writer->file_of(images, shape)) file.insert(file.end(), piece.begin(), piece.end());
  return file;
}

bool overlap(std::span<const std::byte> a, std::span<const std::byte> b) {
  const std::less<const std::byte*> before;  // compares any two pointers
  return before(a.data(), b.data() + b.size()) && before(b.data(), a.data() + a.size());
}

}  // namespace

std::optional<std::array<char, 4>> hap_fourcc(TextureFormat format) {
  const Track& track = format_row(format).track;
  return track.kind == TrackKind::hap ? std::optional(track.tag) : std::nullopt;
}

std::span<const std::byte> pack_hap_frame(const TextureView& texture, const HapOptions& options,
                                          std::vector<std::byte>& buffer) {
  require_whole(texture, __func__);
  REQUIRE_USE(options.chunks >= 0 && options.chunks <= container::kMaxHapChunks, "chunks must be 0 to 64");
  REQUIRE_USE(!overlap(texture.blocks, buffer), "the blocks overlap the buffer that is written");
  const TextureDesc& desc = texture.desc;
  const container::HapImages images = images_of(desc);
  if (!container::has_short_hap_headers(images))
    throw Error(ErrorKind::usage,
                fmt::format("frames of {} must be below 16 MiB, as players refuse larger ones; {}x{} is too large",
                            name(desc.format), desc.width, desc.height));
  const int chunks = options.chunks > 0 ? options.chunks : container::suggested_hap_chunks(desc.width, desc.height);
  return container::write_hap_frame(images, texture.blocks, {.snappy = options.snappy, .chunks = chunks}, buffer);
}

void unpack_hap_frame(const TextureDesc& desc, std::span<const std::byte> packet, std::span<std::byte> blocks) {
  require_valid(desc, __func__);
  require_room(desc, blocks, __func__);
  require_bytes(packet, __func__);
  REQUIRE_USE(!overlap(packet, blocks), "the packet overlaps the blocks that are written");
  value_of(container::read_hap_frame(packet, images_of(desc), blocks));
}

bool can_hold(StillKind kind, TextureFormat format) {
  require_kind(kind, __func__);
  const Coding& blocks = plane_coding(format, 0);
  if (kind == StillKind::astc) return is_astc(blocks.id);
  return kind == StillKind::dds || blocks.vk.unorm != 0;
}

std::vector<std::byte> pack_still(StillKind kind, const TextureView& texture, const StillOptions& options) {
  return pack_still(kind, std::span(&texture, 1), options);
}

std::vector<std::byte> pack_still(StillKind kind, std::span<const TextureView> levels, const StillOptions& options) {
  require_levels(levels, "pack_still");
  return packed(kind, std::span(&levels, 1), {}, options, "pack_still");
}

void require_shape(StillKind kind, const TextureDesc& image, const StillShape& shape) {
  require_kind(kind, __func__);
  require_valid(image, __func__);
  if (!shape.is_array && !shape.is_cube) return;
  const char* const what = shape.is_cube ? "a cube map" : "an array";
  if (kind == StillKind::astc)
    throw Error(ErrorKind::usage, fmt::format("an .astc file holds one picture, not {}; use DDS or KTX2", what));
  if (plane_count(image.format) > 1)
    throw Error(ErrorKind::usage,
                fmt::format("{} cannot be {}, as it has several planes; bc7 can", name(image.format), what));
  if (shape.is_cube && image.width != image.height)
    throw Error(ErrorKind::usage,
                fmt::format("the faces of a cube map must be square, not {}x{}", image.width, image.height));
  if (kind == StillKind::dds && shape.is_array && plane_coding(image.format, 0).dxgi.unorm == 0)
    throw Error(ErrorKind::usage, fmt::format("DDS cannot hold an array of {}; KTX2 can", name(image.format)));
}

std::vector<std::byte> pack_still_array(StillKind kind, std::span<const StillImage> images, const StillShape& shape,
                                        const StillOptions& options) {
  REQUIRE_USE(!images.empty(), "there is no image");
  for (const StillImage& image : images) require_levels(image, __func__);
  for (const StillImage& image : images)
    REQUIRE_USE(image.size() == images.front().size() && image.front().desc == images.front().front().desc,
                "the images differ in size, format, colours or number of levels");
  const size_t faces = shape.is_cube ? 6 : 1;
  REQUIRE_USE(images.size() % faces == 0 && (shape.is_array || images.size() == faces),
              "the number of images does not fit the shape");
  require_shape(kind, images.front().front().desc, shape);
  return packed(kind, images, shape, options, __func__);
}

StillInfo still_info(StillKind kind, std::span<const std::byte> file, const StillPart& part) {
  require_kind(kind, __func__);
  require_bytes(file, __func__);
  return value_of(container::inspect_still(kind, file, part));
}

Still unpack_still(StillKind kind, std::span<const std::byte> file, const StillPart& part) {
  require_kind(kind, __func__);
  require_bytes(file, __func__);
  Still still{.info = still_info(kind, file, part), .blocks = {}};
  value_of(container::check_still(kind, file, part));
  still.blocks.resize(texture_layout(still.info.desc).total_bytes);
  value_of(container::read_still(kind, file, still.blocks, part));
  return still;
}

}  // namespace texcast
