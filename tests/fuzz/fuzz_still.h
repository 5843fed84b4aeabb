// fuzz_still.h — any bytes as a texture file. Reads its first and its last image (by level, layer and face), and all
// images in sequence, which must be the same. The file, cut to the size that its header describes, must have the same
// images. The first image with all its levels must be the same when it is written and read again.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>
#include <vector>

#include "container/still.h"

namespace texcast {

// std::nullopt if the file does not have the part, or if the part is larger than 4 MiB: a few kilobytes can hold the
// largest picture of zeros, which is valid but slow to read.
inline std::optional<std::vector<std::byte>> fuzz_read_part(container::StillKind kind, Bytes file,
                                                            const StillPart& part) {
  const auto info = container::inspect_still(kind, file, part);
  if (!info || !container::check_still(kind, file, part)) return std::nullopt;
  const size_t bytes = texture_layout(info->desc).total_bytes;
  if (bytes > size_t{4} << 20) return std::nullopt;
  std::vector<std::byte> blocks(bytes);
  if (!container::read_still(kind, file, blocks, part)) return std::nullopt;
  return blocks;
}

// The images that each_image() visits must be those that are read one by one.
inline void fuzz_walk(container::StillKind kind, Bytes file) {
  constexpr int kMost = 64;
  int images = 0;
  container::each_image(kind, file, [&](const StillPart& part, const Result<TextureView>& image) {
    const auto alone = fuzz_read_part(kind, file, part);
    if (image && alone && !std::ranges::equal(image->blocks, *alone)) std::abort();
    if (!image && image.error().message.empty()) std::abort();
    return ++images < kMost;
  });
}

inline void fuzz_still(container::StillKind kind, const uint8_t* data, size_t size) {
  const auto* first = reinterpret_cast<const std::byte*>(data);
  const std::vector<std::byte> file(first, first + size);
  const auto info = container::inspect_still(kind, file);
  if (!info) return;
  if (container::inspect_still(kind, file, {.level = info->levels})) std::abort();  // the level does not exist
  const auto bytes = container::still_bytes(kind, Bytes(file).first(std::min(file.size(), container::kStillHead)));
  if (!bytes) std::abort();  // its header was accepted
  const Bytes described = Bytes(file).first(static_cast<size_t>(std::min<uint64_t>(file.size(), *bytes)));
  const StillPart last{info->levels - 1, info->layers - 1, info->faces - 1};
  if (fuzz_read_part(kind, described, last) != fuzz_read_part(kind, file, last)) std::abort();
  if (texture_layout(info->desc).total_bytes <= size_t{1} << 20) fuzz_walk(kind, file);

  std::vector<std::vector<std::byte>> blocks;
  std::vector<TextureView> levels;
  for (int level = 0; level < info->levels; ++level) {
    auto here = fuzz_read_part(kind, file, {.level = level});
    if (!here) break;
    blocks.push_back(std::move(*here));
  }
  if (blocks.empty()) return;
  const bool all = blocks.size() == static_cast<size_t>(most_levels(info->desc.width, info->desc.height));
  if (!all) blocks.resize(1);
  for (size_t i = 0; i < blocks.size(); ++i) levels.push_back({level_of(info->desc, static_cast<int>(i)), blocks[i]});

  std::vector<std::byte> again;
  const auto writer = container::make_still_writer(kind, {.zstd = blocks[0].size() % 16 == 0});
  for (const Bytes piece : writer->file_of(levels[0], std::span(levels).subspan(1)))
    again.insert(again.end(), piece.begin(), piece.end());
  for (size_t i = 0; i < blocks.size(); ++i) {
    const StillPart part{.level = static_cast<int>(i)};
    const auto info_again = container::inspect_still(kind, again, part);
    if (!info_again || info_again->desc != levels[i].desc) std::abort();
    const auto back = fuzz_read_part(kind, again, part);
    if (!back || *back != blocks[i]) std::abort();
  }
}

}  // namespace texcast
