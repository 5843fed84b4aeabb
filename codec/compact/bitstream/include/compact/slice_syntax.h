// slice_syntax.h — the order of a slice's symbols and their contexts, for encoders and decoders.
//
// A slice has the vectors of its partitions (none if it is intra), and then, component by component and row by row, its
// sub-blocks: the kind of each, and the syntax elements of this kind. docs/compact.md has syntax tables.
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

inline int kind_context(const NeighbourState& left, const NeighbourState& above, bool intra, bool is_zero) {
  return context::kKind.first + (intra ? 2 : is_zero ? 1 : 0) * 16 + left.kind * 4 + above.kind;
}
// `coded_first`: the first component has a coded sub-block at the same position. False in the first component itself.
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
// The context of residual `step` of the end points in the order of kOrder. `d` has the residuals before it,
// `neighbours` is the larger NeighbourState::residual of the two neighbours.
inline int color_residual_context(EndPoints mode, int step, const std::array<int, 6>& d, int neighbours) {
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
  return context::kResidual.first + which * 204 + at;
}
inline int channel_residual_context(EndPoints mode, int step, const std::array<int, 2>& d, int neighbours) {
  const int which = static_cast<int>(mode) - static_cast<int>(EndPoints::near_reference);
  const int at = step == 0 ? neighbours : 4 + neighbours * 8 + magnitude_class(d[0]) * 2 + (d[0] > 0);
  return context::kResidual.first + which * 204 + at;
}
template <typename SubBlock>
inline constexpr std::array<int, SubBlock::kValues> kOrder{};  // in which the values of end points are coded
template <>
inline constexpr std::array<int, 6> kOrder<ColorSubBlock>{1, 0, 2, 4, 3, 5};
template <>
inline constexpr std::array<int, 2> kOrder<ChannelSubBlock>{0, 1};
template <typename SubBlock>
int residual_context(EndPoints mode, int step, const std::array<int, SubBlock::kValues>& d, int neighbours) {
  if constexpr (SubBlock::kValues == 6)
    return color_residual_context(mode, step, d, neighbours);
  else
    return channel_residual_context(mode, step, d, neighbours);
}
// The context of the ranks of texels 2 * pair and 2 * pair + 1, by the ranks above and on the left, limited to 2.
inline int rank_context(int group, int pair, const uint8_t* ranks) {
  const int i = 2 * pair;
  const int above = i >= 4 ? std::min<int>(ranks[i - 4], 2) * 3 + std::min<int>(ranks[i - 3], 2) : 9;
  const int left = i % 4 != 0 ? std::min<int>(ranks[i - 1], 2) : 3;
  return context::kRanks.first + group * 40 + above * 4 + left;
}
inline int level_pair_context(int pair, const uint8_t* levels) {
  const int i = 2 * pair;
  const int above = i >= 4 ? levels[i - 4] * 4 + levels[i - 3] : 16;
  const int left = i % 4 != 0 ? levels[i - 1] : 4;
  return context::kLevels.first + above * 5 + left;
}
// The context of the level of texel i, by the levels on the left, above, and above on the right. It assumes that all
// levels lie between the end points, as these are not known while symbols are parsed.
inline int direct_level_context(const Levels& levels, int i) {
  const auto class_of = [](int level) { return 1 + (level > 0) + (level > 2) + (level > 4) + (level > 6); };
  const int left = i % 4 != 0 ? class_of(levels[i - 1]) : 0, above = i >= 4 ? class_of(levels[i - 4]) : 0;
  const int above_right = i < 4 || i % 4 == 3 ? 0 : levels[i - 3] < 4 ? 1 : 2;
  return context::kTexelLevel.first + (left * 6 + above) * 3 + above_right;
}
// False if a symbol is not a level.
template <typename Reader>
bool read_direct_levels(Reader& reader, Levels& levels) {
  for (int i = 0; i < 16; ++i) {
    const int level = reader.get(direct_level_context(levels, i));
    if (level >= ChannelSubBlock::kLevels) return false;
    levels[i] = static_cast<uint8_t>(level);
  }
  return true;
}
inline int distance_context(bool is_match, bool is_y, int bits_of_x) {
  return context::kDistance.first + (is_match ? 18 : 0) + (is_y ? 1 + bits_of_x : 0);
}
// The context of the next literal bits, at most four, if `bits` are left.
inline int literal_context(int bits) { return context::kLiteral.first + std::min(bits, 4) - 1; }
inline constexpr int kRankGroupIntra = 4;

// Ranks are coded in pairs. A rank of 3 or more is coded as 3, and an escape symbol with the rest follows the pair.
inline constexpr int kPairLimit = 3;

// In intra channel sub-blocks the level of a texel is predicted from those on the left and above.
inline int predicted_intra_level(const uint8_t* levels, int i, int steps) {
  const int left = i % 4 != 0 ? std::min<int>(levels[i - 1], steps) : -1;
  const int above = i >= 4 ? std::min<int>(levels[i - 4], steps) : -1;
  if (left < 0 && above < 0) return steps / 2;
  if (left < 0) return above;
  if (above < 0) return left;
  return (left + above + 1) / 2;
}

// The context of a partition's vector, by the vectors of its neighbours.
inline int vector_context(const MotionVector& left, const MotionVector& above) {
  return context::kVector.first + (left == MotionVector{} ? 1 : 0) + (above == MotionVector{} ? 2 : 0);
}

// A partition of a lossy slice.
struct Partition {
  MotionVector vector{};  // in half pixels
  bool copied = false;    // all its sub-blocks are motion copies
};
inline int partition_context(const Partition& left, const Partition& above) {
  return context::kPartition.first + (left.vector == MotionVector{} ? 1 : 0) +
         (above.vector == MotionVector{} ? 2 : 0) + 4 * ((left.copied ? 1 : 0) + (above.copied ? 1 : 0));
}
// The predictor from which an explicit vector is coded as the difference: `above` in the first column, else `left`.
inline const MotionVector& vector_predictor(int x, const Partition& left, const Partition& above) {
  return x > 0 ? left.vector : above.vector;
}

// Reads the partitions of a tile in a lossy inter slice. `partitions` are as initialised. False: invalid symbols.
template <typename Reader>
bool read_partitions(Reader& reader, const BlockRect& blocks, std::array<Partition, kMostPartitions>& partitions) {
  constexpr int kPartition = kPartitionSide / 4;
  const int columns = (blocks.width() + kPartition - 1) / kPartition,
            rows = (blocks.height() + kPartition - 1) / kPartition;
  for (int y = 0; y < rows; ++y) {
    for (int x = 0; x < columns; ++x) {
      const Partition left = x > 0 ? partitions[y * 4 + x - 1] : Partition{};
      const Partition above = y > 0 ? partitions[(y - 1) * 4 + x] : Partition{};
      Partition& partition = partitions[y * 4 + x];
      const int symbol = reader.get(partition_context(left, above));
      if (symbol >= 2 * kPartitionCopied) return false;
      partition.copied = symbol >= kPartitionCopied;
      switch (static_cast<PartitionVector>(symbol % kPartitionCopied)) {
        case PartitionVector::zero: break;
        case PartitionVector::left: partition.vector = left.vector; break;
        case PartitionVector::above: partition.vector = above.vector; break;
        case PartitionVector::other: {
          const MotionVector& predictor = vector_predictor(x, left, above);
          const MotionVector difference = reader.vector(false);
          partition.vector = {predictor.x + difference.x, predictor.y + difference.y};
        }
      }
    }
  }
  return true;
}

// Selects the syntax of a slice.
struct SliceForm {
  bool lossy = false;
  bool intra = false;
};

// The header of a slice, and the partitions of one of its tiles.
struct SliceHeader {
  SliceForm form;
  int quantiser = 0;                                    // lossy inter slices only
  int content = 0;                                      // lossy slices only: a Content
  std::array<MotionVector, kMostPartitions> vectors{};  // in pixels (lossless) or half pixels (lossy)
  std::array<bool, kMostPartitions> copied{};           // Partition::copied
};

// The coded sub-blocks of a slice's first component. The contexts of other components' kinds depend on them.
class CodedMask {
 public:
  void set(int column, int row) { rows_[row] |= static_cast<uint16_t>(1u << column); }
  // Whether any is at the position of another component's sub-block.
  bool any(int column, int row, const Component& component) const {
    uint32_t bits = 0;
    for (int j = 0; j < component.down; ++j) bits |= rows_[(row * component.down + j) & (kMostSliceRows - 1)];
    return (bits >> (column * component.across) & ((1u << component.across) - 1)) != 0;
  }

 private:
  std::array<uint16_t, kMostSliceRows> rows_{};
};

// Reads the vectors of a lossless inter slice. `blocks` are those of its first component, `vectors` are zero before the
// call. False: invalid symbols.
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

// Reads the elements that a slice has once. They select its probability tables, and are read with any of these, as
// literal bits have the same probabilities in all. False: an invalid value.
template <typename Reader>
bool read_slice_header(Reader& reader, SliceHeader& header) {
  if (!header.form.lossy) return true;
  if (!header.form.intra) header.quantiser = static_cast<int>(reader.bits(4));
  header.content = static_cast<int>(reader.bits(2));
  return header.quantiser < kQuantisers && header.content < kContents;
}
// The number of symbols in the header of a lossy slice.
inline int slice_header_symbols(bool intra) { return intra ? 1 : 2; }
// Reads the partitions of the slice's next tile. `blocks` are those of its first component.
template <typename Reader>
bool read_tile_header(Reader& reader, const BlockRect& blocks, SliceHeader& header) {
  if (header.form.intra) return true;
  if (!header.form.lossy) {
    header.vectors.fill({});
    return read_vectors(reader, blocks, header.vectors);
  }
  std::array<Partition, kMostPartitions> partitions{};
  if (!read_partitions(reader, blocks, partitions)) return false;
  for (int i = 0; i < kMostPartitions; ++i) {
    header.vectors[i] = partitions[i].vector;
    header.copied[i] = partitions[i].copied;
  }
  return true;
}

inline NeighbourState neighbour_state(Kind kind) {
  return {.kind = static_cast<uint8_t>(kind == Kind::motion_copy ? 0 : 1)};
}
// `residual` is the largest magnitude class.
inline NeighbourState neighbour_state(EndPoints ends, Indices indices, int residual) {
  NeighbourState state{.residual = static_cast<uint8_t>(residual)};
  state.kind = is_near(static_cast<int>(indices)) || indices == Indices::intra || indices == Indices::texels ? 3 : 2;
  state.end_points = ends == EndPoints::reference ? 1 : ends == EndPoints::near_reference ? 3 : 2;
  switch (indices) {
    case Indices::predicted: state.indices = 1; break;
    case Indices::constant: state.indices = 2; break;
    case Indices::reference:
    case Indices::left:
    case Indices::above: state.indices = 3; break;
    case Indices::intra: state.indices = 8; break;
    case Indices::luma: state.indices = 5; break;
    case Indices::texels: state.indices = 7; break;
    case Indices::mirrored_luma: state.indices = 6; break;
    default: state.indices = static_cast<uint8_t>(4 + static_cast<int>(indices) - static_cast<int>(Indices::near_0));
  }
  return state;
}

// The indices that a component copies from `luma`, the first component's sub-block at the same position.
inline uint64_t luma_indices(uint64_t luma, Indices mode) {
  const uint64_t indices = indices_of<ChannelSubBlock>(luma);
  return mode == Indices::luma ? indices : mirrored_indices(indices);
}

// The latest different values of a component in a slice, the latest first, after those of the beginning.
template <typename Value, int count>
class RecentValues {
 public:
  RecentValues() = default;
  explicit RecentValues(const std::array<Value, count>& beginning) : values_(beginning) {}
  Value operator[](int i) const { return values_[i]; }
  // The place of a value; -1: it is not there.
  int find(Value value) const {
    for (int i = 0; i < count; ++i)
      if (values_[i] == value) return i;
    return -1;
  }
  void push(Value value) {
    int i = 0;
    while (i < count - 1 && values_[i] != value) ++i;
    for (; i > 0; --i) values_[i] = values_[i - 1];
    values_[0] = value;
  }

 private:
  std::array<Value, count> values_{};
};

// Pairs of end points.
struct RecentEndPoints : RecentValues<uint32_t, kRecent> {
  RecentEndPoints() : RecentValues({0x0000FFFF, 0xFFFF0000, 0, 0}) {}
};

// The value of a neighbour that does not exist.
inline constexpr uint64_t kNoSubBlock = 0;

// The partition in which a sub-block of a slice lies, four in a row. `column` and `row` count from the slice's first.
inline int partition_of(const Component& component, int column, int row) {
  constexpr int kShift = 2;  // a partition has 4 blocks of the first component in each direction
  return (row * component.down >> kShift) * (kTileWidth / kPartitionSide) + (column * component.across >> kShift);
}

// Converts a vector from pixels to a component's texels.
inline MotionVector in_component(const MotionVector& pixels, const Component& component) {
  return {pixels.x >> (component.across - 1), pixels.y >> (component.down - 1)};
}

}  // namespace texcast::compact
