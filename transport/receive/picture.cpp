#include "picture.h"

#include <algorithm>
#include <array>

#include "base/ensure.h"

namespace texcast::transport {
namespace {

// The smallest unit of a picture: its size in pixels and bytes.
struct Unit {
  FourCC fourcc;
  int width, height;
  size_t bytes;
};

constexpr std::array kUnits = {Unit{kFourCcDxt1, 4, 4, 8},          Unit{{'D', 'X', 'T', 'Y'}, 4, 4, 8},
                               Unit{kFourCcDxt5, 4, 4, 16},         Unit{{'U', 'Y', 'V', 'Y'}, 2, 1, 4},
                               Unit{{'R', 'G', 'B', 'A'}, 1, 1, 4}, Unit{{'R', 'G', 'B', '2'}, 1, 1, 3},
                               Unit{{'B', 'G', 'R', '2'}, 1, 1, 3}, Unit{{'Y', 'U', 'Y', 'V'}, 2, 1, 4}};

// The offset of a tile's row in the picture.
size_t place(const TileGrid& grid, const PictureRows& rows, size_t tile, size_t row) {
  const auto columns = static_cast<size_t>(grid.columns);
  return ((tile / columns * rows.count + row) * columns + tile % columns) * rows.bytes;
}

void fill(MutableBytes frame, size_t begin, size_t end, Bytes previous) {
  const size_t from_previous = std::clamp(previous.size(), begin, end);
  if (from_previous > begin) std::ranges::copy(previous.subspan(begin, from_previous - begin), &frame[begin]);
  std::ranges::fill(frame.subspan(from_previous, end - from_previous), std::byte{0});
}

}  // namespace

std::optional<PictureRows> picture_rows(const FourCC& fourcc, int width, int height) {
  const auto unit = std::ranges::find(kUnits, fourcc, &Unit::fourcc);
  if (unit == kUnits.end()) return std::nullopt;
  const auto units = [](int size, int of) { return static_cast<size_t>((size + of - 1) / of); };
  return PictureRows{.bytes = units(width, unit->width) * unit->bytes, .count = units(height, unit->height)};
}

std::optional<size_t> pixel_bytes(const FourCC& fourcc) {
  const auto unit = std::ranges::find(kUnits, fourcc, &Unit::fourcc);
  return unit == kUnits.end() || unit->height > 1 ? std::nullopt : std::optional(unit->bytes);
}

TileGrid tile_grid(int tiles) {
  ENSURE(tiles >= 1 && tiles <= 4);
  return tiles == 4 ? TileGrid{2, 2} : TileGrid{tiles, 1};
}

void compose(std::span<const Bytes> tiles, const PictureRows& rows, MutableBytes picture) {
  const TileGrid grid = tile_grid(static_cast<int>(tiles.size()));
  for (size_t tile = 0; tile < tiles.size(); ++tile) {
    ENSURE(tiles[tile].size() == rows.bytes * rows.count);
    for (size_t row = 0; row < rows.count; ++row)
      std::ranges::copy(tiles[tile].subspan(row * rows.bytes, rows.bytes),
                        picture.subspan(place(grid, rows, tile, row), rows.bytes).begin());
  }
}

void compose_ranges(std::span<const std::span<const ByteRange>> tiles, const PictureRows& rows,
                    std::vector<ByteRange>& picture) {
  const TileGrid grid = tile_grid(static_cast<int>(tiles.size()));
  picture.clear();
  std::array<size_t, 4> at{};  // ranges of each tile that lie before the row
  for (size_t tile_row = 0; tile_row < static_cast<size_t>(grid.rows); ++tile_row) {
    for (size_t row = 0; row < rows.count; ++row) {
      for (size_t column = 0; column < static_cast<size_t>(grid.columns); ++column) {
        const size_t tile = tile_row * static_cast<size_t>(grid.columns) + column;
        const size_t row_begin = row * rows.bytes, row_end = row_begin + rows.bytes;
        const size_t to = place(grid, rows, tile, row) - row_begin;
        while (at[tile] < tiles[tile].size() && tiles[tile][at[tile]].end <= row_begin) ++at[tile];
        for (size_t i = at[tile]; i < tiles[tile].size() && tiles[tile][i].begin < row_end; ++i) {
          const auto begin = static_cast<uint32_t>(std::max<size_t>(tiles[tile][i].begin, row_begin) + to);
          const auto end = static_cast<uint32_t>(std::min<size_t>(tiles[tile][i].end, row_end) + to);
          if (!picture.empty() && picture.back().end == begin)
            picture.back().end = end;
          else
            picture.push_back({begin, end});
        }
      }
    }
  }
}

uint64_t conceal(MutableBytes frame, std::span<const ByteRange> present, Bytes previous, size_t unit_bytes,
                 std::vector<ByteRange>& filled) {
  filled.clear();
  uint64_t bytes = 0;
  size_t done = 0;  // filled up to here: a unit with two gaps is filled once
  const auto hole = [&](size_t begin, size_t end) {
    begin = std::max(begin / unit_bytes * unit_bytes, done);
    end = std::min((end + unit_bytes - 1) / unit_bytes * unit_bytes, frame.size());
    if (begin >= end) return;
    fill(frame, begin, end, previous);
    if (!filled.empty() && filled.back().end == begin)
      filled.back().end = static_cast<uint32_t>(end);
    else
      filled.push_back({static_cast<uint32_t>(begin), static_cast<uint32_t>(end)});
    bytes += end - begin;
    done = end;
  };
  size_t at = 0;
  for (const ByteRange& range : present) {
    if (range.begin > at) hole(at, range.begin);
    at = range.end;
  }
  if (at < frame.size()) hole(at, frame.size());
  return bytes;
}

}  // namespace texcast::transport
