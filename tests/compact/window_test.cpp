// What is predicted 16 texels at a time, or for many half-blocks at once, is what prediction.h says, texel by texel.
#include "compact/window.h"

#include <doctest/doctest.h>

#include <memory>
#include <random>
#include <vector>

#include "compact/copied_partitions.h"
#include "compact/lossy_window.h"
#include "compact/partition_pixels.h"

namespace texcast::compact {
namespace {

using Random = std::mt19937_64;

Component small_component(SubBlockKind kind, int blocks_x, int blocks_y) {
  Component component;
  component.kind = kind;
  component.blocks_x = blocks_x;
  component.blocks_y = blocks_y;
  return component;
}
void fill(std::vector<std::byte>& texture, Random& random) {
  for (size_t at = 0; at < texture.size(); at += 8) {
    uint64_t half = random();
    if (random() % 8 == 0) half = (half & ~uint64_t{0xFFFFFFFF}) | 0x12341234;  // equal end points
    if (random() % 8 == 0) half = (half & ~uint64_t{0xFFFF}) | 0x4343;
    store_sub_block(texture.data() + at, half);
  }
}

template <typename SubBlock>
void check_windows(SubBlockKind kind) {
  Random random(1);
  const Component component = small_component(kind, 5, 4);
  std::vector<std::byte> texture(size_t{5} * 4 * 8);
  const auto mask = static_cast<uint32_t>((uint64_t{1} << SubBlock::kEndPointBits) - 1);
  size_t wrong = 0;
  for (int n = 0; n < 20000; ++n) {
    if (n % 50 == 0) fill(texture, random);
    const ReferenceComponent before(texture.data(), component);
    // Inside, across the border and far beyond it.
    const int x = static_cast<int>(random() % 40) - 10, y = static_cast<int>(random() % 36) - 10;
    Texels texels;
    reference_pixels<SubBlock>(before, x, y, texels);
    Window<SubBlock> window;
    window.load(before, x, y);
    wrong += window.fitted() != fitted_ends<SubBlock>(texels);
    auto ends = static_cast<uint32_t>(random()) & mask;
    if (n % 4 == 0) ends = ends_of<SubBlock>(before.half(n % 5, n % 3));
    if (n % 9 == 0) ends = 0x55555555 & mask;
    LevelPositions places;
    places_of<SubBlock>(kind, ends, texels, places);
    const PositionCodes codes = window.places(kind, ends);
    for (int i = 0; i < 16; ++i) wrong += codes[i] != places.nearest[i] * 2 + places.beyond[i];
  }
  CHECK(wrong == 0);
}

TEST_CASE("windows of colours say what prediction.h says") {
  check_windows<ColorSubBlock>(SubBlockKind::color);
  check_windows<ColorSubBlock>(SubBlockKind::four_color);
}

TEST_CASE("windows of channels say what prediction.h says") { check_windows<ChannelSubBlock>(SubBlockKind::channel); }

// The indices of texels with such ranks, in lossy slices (docs/compact.md, index modes 5 to 8).
template <typename SubBlock>
uint64_t plainly_carried(SubBlockKind kind, uint32_t ends, const Texels& texels, const uint8_t* ranks) {
  LevelPositions places;
  places_of<SubBlock>(kind, ends, texels, places);
  const AlongLine line = along_line<SubBlock>(kind, ends, texels);
  const bool full = SubBlock::full(kind, ends);
  Levels levels;
  for (int i = 0; i < 16; ++i) {
    bool beyond = false;
    const int nearest = line.nearest(i, carried_levels(line, places, levels.data(), i), beyond);
    levels[i] = kRankTable<SubBlock>.level[full][nearest][beyond][ranks[i]];
  }
  return with_levels<SubBlock>(0, levels, full) >> SubBlock::kEndPointBits;
}

// Areas of all sizes that a unit has, at vectors of halves, within and beyond the border.
template <typename SubBlock>
void check_areas(SubBlockKind kind) {
  Random random(3);
  const Component component = small_component(kind, 23, 14);
  std::vector<std::byte> texture(size_t{23} * 14 * 8);
  const auto pixels = std::make_unique<PartitionPixels<SubBlock>>();
  const auto mask = static_cast<uint32_t>((uint64_t{1} << SubBlock::kEndPointBits) - 1);
  size_t wrong_pixels = 0, wrong_fits = 0, wrong_carried = 0;
  for (int n = 0; n < 2000; ++n) {
    if (n % 50 == 0) fill(texture, random);
    const ReferenceComponent before(texture.data(), component);
    BlockRect rect{.x0 = static_cast<int>(random() % 23), .y0 = static_cast<int>(random() % 14)};
    rect.x1 = std::min(rect.x0 + 1 + static_cast<int>(random() % 16), 23);
    rect.y1 = std::min(rect.y0 + 1 + static_cast<int>(random() % 8), 14);
    const int size = n % 4 == 0 ? 400 : n % 4 == 1 ? 60 : 9;
    const MotionVector v{static_cast<int>(random() % (2 * size)) - size,
                         static_cast<int>(random() % (2 * size)) - size};
    const int column = static_cast<int>(random()) & (kMostSliceColumns - rect.width());
    const int row = static_cast<int>(random()) & (kMostSliceRows - rect.height());
    pixels->load(before, rect, column, row, v);
    for (int y = 0; y < rect.height(); ++y) {
      for (int x = 0; x < rect.width(); ++x) {
        Texels texels;
        pixels_at_halves<SubBlock>(before, (rect.x0 + x) * 8 + v.x, (rect.y0 + y) * 8 + v.y, texels);
        const uint8_t* found = pixels->at(column + x, row + y);
        for (int i = 0; i < 16; ++i)
          for (int c = 0; c < SubBlock::kChannels; ++c)
            wrong_pixels += found[i * Window<SubBlock>::kTexelBytes + c] != texels.at[c][i];
        Window<SubBlock> window;
        window.take(found);
        wrong_fits += fitted_sub_block(window, kind) != fitted_sub_block<SubBlock>(kind, texels);

        const uint32_t fitted = fitted_ends<SubBlock>(texels);
        const uint32_t ends = random() % 2 == 0   ? widened_ends<SubBlock>(fitted, static_cast<int>(random() % 90))
                              : random() % 3 == 0 ? fitted
                              : random() % 2 == 0 ? static_cast<uint32_t>(random()) & mask
                                                  : ends_of<SubBlock>(before.nearest(x, y));
        uint8_t ranks[16];
        for (auto& rank : ranks) rank = static_cast<uint8_t>(random() % (n % 2 == 0 ? SubBlock::kLevels : 2));
        const CarriedPlaces places = carried_places(window, kind, ends);
        wrong_carried += carried_indices<SubBlock>(places, ranks, SubBlock::full(kind, ends)) !=
                         plainly_carried<SubBlock>(kind, ends, texels, ranks);
      }
    }
  }
  CHECK(wrong_pixels == 0);
  CHECK(wrong_fits == 0);
  CHECK(wrong_carried == 0);
}

// Areas that are moved whole, at blocks and between them, within the border, across it and beyond.
template <typename SubBlock>
void check_moved(TextureFormat format, int component_number) {
  Random random(4);
  const TileGrid grid({.format = format, .width = 150, .height = 83});
  const Component& component = grid.component(component_number);
  std::vector<std::byte> texture(grid.texture_bytes());
  const auto moved = std::make_unique<CopiedPartitions<SubBlock>>();
  size_t wrong = 0, fitted_at_blocks = 0, fitted = 0, copied = 0;
  for (int n = 0; n < 400; ++n) {
    if (n % 50 == 0) fill(texture, random);
    const auto sub_slices = static_cast<uint8_t>(1u << random() % 3);
    const Slice slice{.tile = static_cast<uint32_t>(random() % grid.tiles()),
                      .sub_slices = sub_slices,
                      .sub_slice = static_cast<uint8_t>(random() % sub_slices)};
    const SliceComponent part{component, grid.blocks(component, slice), grid.blocks(component, {.tile = slice.tile})};
    SliceHeader head{.form = {.lossy = true}};
    for (int i = 0; i < kMostPartitions; ++i) {
      const int size = n % 4 == 0 ? 400 : 40;
      MotionVector& v = head.vectors[i];
      v = {static_cast<int>(random() % (2 * size)) - size, static_cast<int>(random() % (2 * size)) - size};
      if (n % 3 == 0) v = {v.x & ~15, v.y & ~15};
      if (i > 0 && random() % 2 == 0) v = head.vectors[i - 1];
      head.moved[i] = random() % 4 != 0;
    }
    std::vector<std::byte> made(texture.size());
    moved->load(part, head, texture.data(), made.data());
    const ReferenceComponent before(texture.data(), component);
    for (int y = part.rect.y0; y < part.rect.y1; ++y) {
      for (int x = part.rect.x0; x < part.rect.x1; ++x) {
        const int area = area_of(component, x - part.rect.x0, y - part.rect.y0);
        const MotionVector v = in_component(head.vectors[area], component);
        const uint64_t found = load_sub_block(made.data() + component.at(x, y));
        if (!head.moved[area]) {
          wrong += found != 0;
          continue;
        }
        const bool at_block = v.x % 8 == 0 && v.y % 8 == 0;
        Texels texels;
        pixels_at_halves<SubBlock>(before, x * 8 + v.x, y * 8 + v.y, texels);
        if (at_block && before.has(x + v.x / 8, y + v.y / 8)) {
          ++copied;
          wrong += found != before.half(x + v.x / 8, y + v.y / 8);
        } else {
          ++fitted;
          fitted_at_blocks += at_block;
          wrong += found != fitted_sub_block<SubBlock>(component.kind, texels);
        }
      }
    }
  }
  CHECK(wrong == 0);
  CHECK(fitted_at_blocks > 50);
  CHECK(fitted > 1000);
  CHECK(copied > 1000);
}

TEST_CASE("areas of lossy units that are moved whole") {
  check_moved<ColorSubBlock>(TextureFormat::bc1, 0);
  check_moved<ColorSubBlock>(TextureFormat::bc3, 1);
  check_moved<ChannelSubBlock>(TextureFormat::bc5, 1);
  check_moved<ChannelSubBlock>(TextureFormat::ycocg_bc4_420, 0);
  check_moved<ChannelSubBlock>(TextureFormat::ycocg_bc4_420, 2);
  check_moved<ChannelSubBlock>(TextureFormat::ycocg_bc4_422, 1);
}

TEST_CASE("areas of lossy units: colours") {
  check_areas<ColorSubBlock>(SubBlockKind::color);
  check_areas<ColorSubBlock>(SubBlockKind::four_color);
}

TEST_CASE("areas of lossy units: channels") { check_areas<ChannelSubBlock>(SubBlockKind::channel); }

// Divided by a multiplication: exact for all end points and texels that there are.
TEST_CASE("places of channels: all of them") {
  size_t wrong = 0;
  for (uint32_t ends = 0; ends < 0x10000; ++ends) {
    for (int first = 0; first < 256; first += 16) {
      Texels texels;
      for (int i = 0; i < 16; ++i) texels.at[0][i] = static_cast<uint8_t>(first + i);
      Window<ChannelSubBlock> window;
      window.take(texels.at[0]);
      const AlongLine line = along_line<ChannelSubBlock>(SubBlockKind::channel, ends, texels);
      const PositionCodes codes = window.places(SubBlockKind::channel, ends);
      const CarriedPlaces carried = carried_places(window, SubBlockKind::channel, ends);
      for (int i = 0; i < 16; ++i) {
        // A quotient rounded up; where there is no line nothing lies beyond anything.
        const int eighths = line.length == 0    ? -1
                            : line.along[i] > 0 ? (4 * line.along[i] + line.length - 1) / line.length
                                                : -(-4 * line.along[i] / line.length);
        const int level = std::clamp((eighths + 3) >> 3, 0, line.steps);
        wrong += codes[i] != 2 * level + (eighths > 8 * level);
        wrong += carried.predicted[i] != 3 * level;
        // 3 · 2 levels more or less is the most that is carried.
        const int least = -6 * line.steps, most = 14 * line.steps;
        wrong += eighths > least && eighths <= most && line.length != 0 && carried.eighths[i] != eighths;
        wrong += eighths <= least && carried.eighths[i] > least;
        wrong += eighths > most && carried.eighths[i] <= most;
      }
    }
  }
  CHECK(wrong == 0);
}

}  // namespace
}  // namespace texcast::compact
