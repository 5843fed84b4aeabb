// fuzz_still.h — any bytes as a file with one texture; and what was read, written again, is read the same.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "container/still.h"

namespace texcast {

inline void fuzz_still(container::StillKind kind, const uint8_t* data, size_t size) {
  const auto* first = reinterpret_cast<const std::byte*>(data);
  const std::vector<std::byte> file(first, first + size);
  const auto info = container::inspect_still(kind, file);
  if (!info || !container::check_still(kind, file)) return;
  // Zeros pack well enough for a few kilobytes to hold the largest picture: true, and slow.
  const size_t bytes = texture_layout(info->desc).total_bytes;
  if (bytes > size_t{4} << 20) return;
  std::vector<std::byte> blocks(bytes), back(bytes);
  if (!container::read_still(kind, file, blocks)) return;

  std::vector<std::byte> again;
  const auto writer = container::make_still_writer(kind, {.zstd = bytes % 16 == 0});
  for (const Bytes piece : writer->file_of({info->desc, blocks})) again.insert(again.end(), piece.begin(), piece.end());
  const auto info_again = container::inspect_still(kind, again);
  if (!info_again || info_again->desc != info->desc || !container::read_still(kind, again, back)) std::abort();
  if (back != blocks) std::abort();
}

}  // namespace texcast
