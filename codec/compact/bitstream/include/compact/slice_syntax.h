// slice_syntax.h — the order of a unit's symbols and their contexts, as both ends need them: what is known of the
// half-blocks before the next one.
//
// A unit is: the vectors of its areas (none where it is coded alone); then, component by component, its half-blocks row
// by row, each its kind and what that kind has. docs/compact.md has the same as a table.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "compact/content.h"
#include "compact/contexts.h"
#include "compact/motion_vector.h"
#include "compact/sub_block.h"
#include "compact/tile_grid.h"

namespace texcast::compact {

inline constexpr int kMostSliceColumns = kTileWidth / 4, kMostSliceRows = kTileHeight / 4;
inline constexpr int kMostPartitions = (kTileWidth / kPartitionSide) * (kTileHeight / kPartitionSide);

// Contexts.
inline int kind_context(const NeighbourState& left, const NeighbourState& above, bool intra, bool is_zero) {
  return context::kKind.first + (intra ? 2 : is_zero ? 1 : 0) * 16 + left.kind * 4 + above.kind;
}
// `coded_first`: the first component has a coded half-block in the same place; of that one itself false.
inline int lossy_kind_context(const NeighbourState& left, const NeighbourState& above, bool intra, bool is_zero,
                              bool coded_first) {
  return context::kLossyKind.first + (intra ? 4 : (is_zero ? 1 : 0) + (coded_first ? 2 : 0)) * 16 + left.kind * 4 +
         above.kind;
}
inline int end_points_context(const NeighbourState& left, const NeighbourState& above, bool intra) {
  return context::kEndPoints.first + (intra ? 16 : 0) + left.end_points * 4 + above.end_points;
}
inline int indices_context(const NeighbourState& left, const NeighbourState& above, bool intra, bool differs) {
  return context::kIndices.first + (intra ? 162 : 0) + (differs ? 81 : 0) + left.indices * 9 + above.indices;
}
// Of value i of the end points, in the order that kOrder tells, after those before it.
inline int color_difference_context(EndPoints mode, int step, const std::array<int, 6>& d, int neighbours) {
  const int which = static_cast<int>(mode) - static_cast<int>(EndPoints::near_reference);
  int at = 0;
  switch (step) {
    case 0: at = neighbours; break;                                                               // green: 4
    case 1: at = 4 + magnitude_class(d[1]) * 2 + (d[1] > 0); break;                               // red: 8
    case 2: at = 12 + magnitude_class(d[1]) * 8 + magnitude_class(d[0]) * 2 + (d[0] > 0); break;  // blue: 32
    case 3: at = 44 + magnitude_class(d[1]) * 8 + magnitude_class(d[0]) * 2 + (d[1] > 0); break;  // green: 32
    case 4:
      at = 76 + magnitude_class(d[4]) * 16 + magnitude_class(d[0]) * 4 + (d[4] > 0) * 2 + (d[0] > 0);  // red: 64
      break;
    default:
      at = 140 + magnitude_class(d[3]) * 16 + magnitude_class(d[2]) * 4 + (d[3] > 0) * 2 + (d[2] > 0);  // blue: 64
      break;
  }
  return context::kDifference.first + which * 204 + at;
}
inline int channel_difference_context(EndPoints mode, int step, const std::array<int, 2>& d, int neighbours) {
  const int which = static_cast<int>(mode) - static_cast<int>(EndPoints::near_reference);
  const int at = step == 0 ? neighbours : 4 + neighbours * 8 + magnitude_class(d[0]) * 2 + (d[0] > 0);
  return context::kDifference.first + which * 204 + at;
}
template <typename SubBlock>
inline constexpr std::array<int, SubBlock::kValues> kOrder{};  // of the values of end points
template <>
inline constexpr std::array<int, 6> kOrder<ColorSubBlock>{1, 0, 2, 4, 3, 5};
template <>
inline constexpr std::array<int, 2> kOrder<ChannelSubBlock>{0, 1};
template <typename SubBlock>
int difference_context(EndPoints mode, int step, const std::array<int, SubBlock::kValues>& d, int neighbours) {
  if constexpr (SubBlock::kValues == 6)
    return color_difference_context(mode, step, d, neighbours);
  else
    return channel_difference_context(mode, step, d, neighbours);
}
// Of the pair of texels (2 i, 2 i + 1), where `above` and `left` have the ranks, at most 2, of those before.
inline int rank_context(int group, int pair, const uint8_t* ranks) {
  const int i = 2 * pair;
  const int above = i >= 4 ? std::min<int>(ranks[i - 4], 2) * 3 + std::min<int>(ranks[i - 3], 2) : 9;
  const int left = i % 4 != 0 ? std::min<int>(ranks[i - 1], 2) : 3;
  return context::kRanks.first + group * 40 + above * 4 + left;
}
inline int level_context(int pair, const uint8_t* levels) {
  const int i = 2 * pair;
  const int above = i >= 4 ? levels[i - 4] * 4 + levels[i - 3] : 16;
  const int left = i % 4 != 0 ? levels[i - 1] : 4;
  return context::kLevels.first + above * 5 + left;
}
// Of texel i's level, after those before it: where those on the left, above, and above on the right are. As if all
// levels lay between the end points: whether they do is not known while symbols are read.
inline int texel_context(const Levels& levels, int i) {
  const auto part_of = [](int level) { return 1 + (level > 0) + (level > 2) + (level > 4) + (level > 6); };
  const int left = i % 4 != 0 ? part_of(levels[i - 1]) : 0, above = i >= 4 ? part_of(levels[i - 4]) : 0;
  const int beside = i < 4 || i % 4 == 3 ? 0 : levels[i - 3] < 4 ? 1 : 2;
  return context::kTexelLevel.first + (left * 6 + above) * 3 + beside;
}
// False where there is no such level.
template <typename Reader>
bool read_texels(Reader& reader, Levels& levels) {
  for (int i = 0; i < 16; ++i) {
    const int level = reader.get(texel_context(levels, i));
    if (level >= ChannelSubBlock::kLevels) return false;
    levels[i] = static_cast<uint8_t>(level);
  }
  return true;
}
inline int distance_context(bool of_block, bool is_y, int bits_of_x) {
  return context::kDistance.first + (of_block ? 18 : 0) + (is_y ? 1 + bits_of_x : 0);
}
// Of the next of so many bits, at most four at a time.
inline int flat_context(int bits) { return context::kFlat.first + std::min(bits, 4) - 1; }
inline constexpr int kRankGroupIntra = 4;

// Ranks are coded in pairs: each its own up to 2; 3 tells that it follows behind the pair, as what is above 3.
inline constexpr int kPairLimit = 3;

// Where a channel half-block is coded alone, a texel's level is guessed from those left and above of it.
inline int guessed_level(const uint8_t* levels, int i, int steps) {
  const int left = i % 4 != 0 ? std::min<int>(levels[i - 1], steps) : -1;
  const int above = i >= 4 ? std::min<int>(levels[i - 4], steps) : -1;
  if (left < 0 && above < 0) return steps / 2;
  if (left < 0) return above;
  if (above < 0) return left;
  return (left + above + 1) / 2;
}

// Of an area's vector, by those of its neighbours.
inline int vector_context(const MotionVector& left, const MotionVector& above) {
  return context::kVector.first + (left == MotionVector{} ? 1 : 0) + (above == MotionVector{} ? 2 : 0);
}

// An area of a lossy unit: its vector in half pixels, and whether all its half-blocks are moved.
struct Partition {
  MotionVector vector{};
  bool moved = false;
};
inline int area_context(const Partition& left, const Partition& above) {
  return context::kPartition.first + (left.vector == MotionVector{} ? 1 : 0) +
         (above.vector == MotionVector{} ? 2 : 0) + 4 * ((left.moved ? 1 : 0) + (above.moved ? 1 : 0));
}
// What an area's own vector is told as the difference to: of the first in a row `above`, else `left`.
inline const MotionVector& guess_of_vector(int x, const Partition& left, const Partition& above) {
  return x > 0 ? left.vector : above.vector;
}

// The areas with which a lossy unit begins that knows the frame before.
template <typename Reader>
bool read_areas(Reader& reader, const BlockRect& blocks, std::array<Partition, kMostPartitions>& areas) {
  constexpr int kPartition = kPartitionSide / 4;
  const int columns = (blocks.width() + kPartition - 1) / kPartition,
            rows = (blocks.height() + kPartition - 1) / kPartition;
  for (int y = 0; y < rows; ++y) {
    for (int x = 0; x < columns; ++x) {
      const Partition left = x > 0 ? areas[y * 4 + x - 1] : Partition{};
      const Partition above = y > 0 ? areas[(y - 1) * 4 + x] : Partition{};
      Partition& area = areas[y * 4 + x];
      const int symbol = reader.get(area_context(left, above));
      if (symbol >= 2 * kPartitionCopied) return false;
      area.moved = symbol >= kPartitionCopied;
      switch (static_cast<PartitionVector>(symbol % kPartitionCopied)) {
        case PartitionVector::zero: break;
        case PartitionVector::left: area.vector = left.vector; break;
        case PartitionVector::above: area.vector = above.vector; break;
        case PartitionVector::other: {
          const MotionVector& guess = guess_of_vector(x, left, above);
          const MotionVector more = reader.vector(false);
          area.vector = {guess.x + more.x, guess.y + more.y};
        }
      }
    }
  }
  return true;
}

// Which of the two syntaxes a unit has, and whether it knows nothing of the frame before.
struct SliceForm {
  bool lossy = false;
  bool intra = false;
};

// What a unit begins with.
struct SliceHeader {
  SliceForm form;
  int quantiser = 0;                                    // of lossy units against the frame before
  int content = 0;                                      // of lossy units, a Content
  std::array<MotionVector, kMostPartitions> vectors{};  // of lossy units in half pixels
  std::array<bool, kMostPartitions> moved{};
};

// Which half-blocks of a unit's first component are coded: a bit each, the other components' kinds hang on them.
class CodedMask {
 public:
  void set(int column, int row) { rows_[row] |= static_cast<uint16_t>(1u << column); }
  // In the place of another component's half-block.
  bool any(int column, int row, const Component& component) const {
    uint32_t bits = 0;
    for (int j = 0; j < component.down; ++j) bits |= rows_[(row * component.down + j) & (kMostSliceRows - 1)];
    return (bits >> (column * component.across) & ((1u << component.across) - 1)) != 0;
  }

 private:
  std::array<uint16_t, kMostSliceRows> rows_{};
};

// The vectors with which a unit begins, of whose first component these are the blocks. `vectors` are zeros before.
// False where the symbols say nothing.
template <typename Reader>
bool read_vectors(Reader& reader, const BlockRect& blocks, std::array<MotionVector, kMostPartitions>& vectors) {
  constexpr int kPartition = kPartitionSide / 4;
  const int columns = (blocks.width() + kPartition - 1) / kPartition,
            rows = (blocks.height() + kPartition - 1) / kPartition;
  for (int y = 0; y < rows; ++y) {
    for (int x = 0; x < columns; ++x) {
      const MotionVector left = x > 0 ? vectors[y * 4 + x - 1] : MotionVector{};
      const MotionVector above = y > 0 ? vectors[(y - 1) * 4 + x] : MotionVector{};
      MotionVector& vector = vectors[y * 4 + x];
      switch (reader.get(vector_context(left, above))) {
        case static_cast<int>(PartitionVector::zero): break;
        case static_cast<int>(PartitionVector::left): vector = left; break;
        case static_cast<int>(PartitionVector::above): vector = above; break;
        case static_cast<int>(PartitionVector::other): vector = reader.vector(false); break;
        default: return false;
      }
    }
  }
  return true;
}

// What a run of tiles has once; its tables are not known before. False where it makes no sense.
template <typename Reader>
bool read_run(Reader& reader, SliceHeader& head) {
  if (!head.form.lossy) return true;
  if (!head.form.intra) head.quantiser = static_cast<int>(reader.bits(4));
  head.content = static_cast<int>(reader.bits(2));
  return head.quantiser < kQuantisers && head.content < kContents;
}
inline int symbols_of_run(bool intra) { return intra ? 1 : 2; }
// And each of its tiles.
template <typename Reader>
bool read_head(Reader& reader, const BlockRect& blocks, SliceHeader& head) {
  if (head.form.intra) return true;
  if (!head.form.lossy) {
    head.vectors.fill({});
    return read_vectors(reader, blocks, head.vectors);
  }
  std::array<Partition, kMostPartitions> areas{};
  if (!read_areas(reader, blocks, areas)) return false;
  for (int i = 0; i < kMostPartitions; ++i) {
    head.vectors[i] = areas[i].vector;
    head.moved[i] = areas[i].moved;
  }
  return true;
}

inline NeighbourState trace_of(Kind kind) { return {.kind = static_cast<uint8_t>(kind == Kind::motion_copy ? 0 : 1)}; }
inline NeighbourState trace_of(EndPoints ends, Indices indices, int difference) {
  NeighbourState trace{.difference = static_cast<uint8_t>(difference)};
  trace.kind = is_near(static_cast<int>(indices)) || indices == Indices::intra || indices == Indices::texels ? 3 : 2;
  trace.end_points = ends == EndPoints::reference ? 1 : ends == EndPoints::near_reference ? 3 : 2;
  switch (indices) {
    case Indices::predicted: trace.indices = 1; break;
    case Indices::constant: trace.indices = 2; break;
    case Indices::reference:
    case Indices::left:
    case Indices::above: trace.indices = 3; break;
    case Indices::intra: trace.indices = 8; break;
    case Indices::luma: trace.indices = 5; break;
    case Indices::texels: trace.indices = 7; break;
    case Indices::mirrored_luma: trace.indices = 6; break;
    default: trace.indices = static_cast<uint8_t>(4 + static_cast<int>(indices) - static_cast<int>(Indices::near_0));
  }
  return trace;
}

// The indices that a component takes over from `luma`, which is the first component's half-block in the same place.
inline uint64_t luma_indices(uint64_t luma, Indices mode) {
  const uint64_t indices = indices_of<ChannelSubBlock>(luma);
  return mode == Indices::luma ? indices : mirrored_indices(indices);
}

// The last pairs of end points of a component in a unit, the latest first.
class RecentEndPoints {
 public:
  uint32_t operator[](int i) const { return ends_[i]; }
  int find(uint32_t ends) const {
    for (int i = 0; i < kRecent; ++i)
      if (ends_[i] == ends) return i;
    return -1;
  }
  void push(uint32_t ends) {
    int i = 0;
    while (i < kRecent - 1 && ends_[i] != ends) ++i;
    for (; i > 0; --i) ends_[i] = ends_[i - 1];
    ends_[0] = ends;
  }

 private:
  std::array<uint32_t, kRecent> ends_{0x0000FFFF, 0xFFFF0000, 0, 0};
};

// What stands where there is no neighbour.
inline constexpr uint64_t kNoSubBlock = 0;

// Of a unit's half-block in a component, the area that it lies in.
inline int area_of(const Component& component, int column, int row) {
  constexpr int kShift = 2;  // blocks of the first component
  return (row * component.down >> kShift) * (kTileWidth / kPartitionSide) + (column * component.across >> kShift);
}

// A vector of pixels as one of a component's texels.
inline MotionVector in_component(const MotionVector& pixels, const Component& component) {
  return {pixels.x >> (component.across - 1), pixels.y >> (component.down - 1)};
}

}  // namespace texcast::compact
