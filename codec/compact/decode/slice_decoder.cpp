#include "slice_decoder.h"

#include <algorithm>
#include <bit>
#include <type_traits>
#include <variant>

#include "compact/copied_partitions.h"
#include "compact/lossy_prediction.h"
#include "compact/prediction_block.h"
#include "compact/slice_syntax.h"
#include "lookup_reader.h"

namespace texcast::compact {
namespace {

// The index of a rank among the levels around a place: [full][place's code][rank].
template <typename SubBlock>
struct IndexTable {
  uint8_t at[2][2 * SubBlock::kLevels][SubBlock::kLevels];
  constexpr IndexTable() : at{} {
    for (int full = 0; full < 2; ++full)
      for (int code = 0; code < 2 * SubBlock::kLevels; ++code)
        for (int rank = 0; rank < SubBlock::kLevels; ++rank)
          at[full][code][rank] =
              SubBlock::kIndexOfLevel[full][kRankTable<SubBlock>.level[full][code >> 1][code & 1][rank]];
  }
};
template <typename SubBlock>
constexpr IndexTable<SubBlock> kIndexTable{};

template <typename SubBlock, bool lossy>
class FastComponent {
 private:
  static constexpr int kBlockBits = lossy ? 3 : 2;  // of a vector what is less than a block
  static bool is_at_blocks(const MotionVector& v) { return ((v.x | v.y) & ((1 << kBlockBits) - 1)) == 0; }

 public:
  // `moved`: null where the unit is lossless or alone.
  FastComponent(const SliceComponent& part, const Component& first, const SliceHeader& head,
                const CopiedPartitions<SubBlock>* moved, const std::byte* before, std::byte* texture, CodedMask& coded,
                ReferenceReads* read)
      : component_(part.component),
        first_(first),
        rect_(part.rect),
        tile_(part.tile),
        head_(head),
        moved_(moved),
        before_(before, component_),
        intra_(before == nullptr),
        is_first_(&part.component == &first),
        texture_(texture),
        coded_(coded),
        read_(read) {}

  TEXCAST_INLINE bool decode(FastReader<lossy>& shared) {
    FastReader<lossy> reader = shared;
    const int area_columns = kPartitionSide / 4 / component_.across;
    const size_t up = static_cast<size_t>(component_.blocks_x) * component_.stride;
    for (int y = rect_.y0; y < rect_.y1; ++y) {
      std::byte* at = texture_ + component_.at(rect_.x0, y);
      uint64_t left = kNoSubBlock;
      NeighbourState left_trace;
      int area = partition_of(component_, 0, y - rect_.y0);
      for (int x = rect_.x0, end; x < rect_.x1; x = end, ++area) {
        end = std::min(x + area_columns, rect_.x1);
        const MotionVector vector =
            in_component(head_.vectors[area], component_);  // of lossy units in halves of a texel
        if constexpr (lossy) {
          if (head_.copied[area]) {
            note_pixels(x, end - 1, y, vector);
            for (int i = x; i < end; ++i) traces_[i - rect_.x0] = {};
            at += static_cast<size_t>(end - x) * component_.stride;
            left = load_sub_block(at - component_.stride);
            left_trace = {};
            continue;
          }
        }
        for (int i = x; i < end; ++i, at += component_.stride) {
          const uint64_t above = y > rect_.y0 ? load_sub_block(at - up) : kNoSubBlock;
          NeighbourState& trace = traces_[i - rect_.x0];  // so far that of the half-block above
          if (!half(reader, i, y, vector, left_trace, trace, left, above)) return false;
          store_sub_block(at, left);
          left_trace = trace;
        }
      }
      if (reader.is_short()) return false;
    }
    shared = reader;
    return true;
  }

 private:
  // `value`: that on the left, then this one.
  TEXCAST_INLINE bool half(FastReader<lossy>& reader, int x, int y, const MotionVector& vector,
                           const NeighbourState& left_trace, NeighbourState& trace, uint64_t& value, uint64_t above) {
    const bool is_zero = vector == MotionVector{};
    int context;
    if constexpr (lossy)
      context = lossy_kind_context(left_trace, trace, intra_, is_zero,
                                   !is_first_ && coded_.any(x - rect_.x0, y - rect_.y0, component_));
    else
      context = kind_context(left_trace, trace, intra_, is_zero);
    const int kind_symbol = reader.get(context);
    const auto kind = static_cast<Kind>(kind_symbol);
    if (kind == Kind::coded) return coded(reader, x, y, vector, left_trace, trace, value, above);
    switch (kind) {
      case Kind::motion_copy: {
        if (intra_) return false;
        const int bx = x + (vector.x >> kBlockBits), by = y + (vector.y >> kBlockBits);
        if (is_at_blocks(vector) && before_.has(bx, by)) {
          value = half_before(bx, by);
          break;
        }
        if constexpr (!lossy) {
          return false;
        } else {
          note_pixels(x, x, y, vector);
          PredictionBlock<SubBlock> window;
          window.take(moved_->pixels_at(x - rect_.x0, y - rect_.y0));
          value = fitted_sub_block(window, component_.kind);
          break;
        }
      }
      case Kind::co_located:
        if (intra_) return false;
        value = half_before(x, y);
        break;
      case Kind::left:
        if (x == rect_.x0) return false;
        break;
      case Kind::above:
        if (y == rect_.y0) return false;
        value = above;
        break;
      case Kind::hash_copy: latest_jump_ = reader.vector(true); [[fallthrough]];
      case Kind::hash_copy_again:
        if (intra_ || !before_.has(x + latest_jump_.x, y + latest_jump_.y)) return false;
        value = half_before(x + latest_jump_.x, y + latest_jump_.y);
        recent_.push(ends_of<SubBlock>(value));
        break;
      default: return false;
    }
    trace = neighbour_state(kind);
    return true;
  }

  TEXCAST_INLINE uint64_t half_before(int x, int y) {
    note(x, y, x, y);
    return before_.sub_block(x, y);
  }
  TEXCAST_INLINE void note(int x0, int y0, int x1, int y1) {
    if (read_ == nullptr) return;
    // Most is in the tile's own place, which is told once.
    if (x0 >= tile_.x0 && x1 < tile_.x1 && y0 >= tile_.y0 && y1 < tile_.y1) {
      if (own_noted_) return;
      own_noted_ = true;
    }
    const int last_x = component_.blocks_x - 1, last_y = component_.blocks_y - 1;
    x0 = std::clamp(x0, 0, last_x);
    x1 = std::clamp(x1, 0, last_x);
    y0 = std::clamp(y0, 0, last_y);
    y1 = std::clamp(y1, 0, last_y);
    // What comes next often lies in the same tiles.
    const BlockRect tiles{x0 >> tile_bits_x_, y0 >> tile_bits_y_, x1 >> tile_bits_x_, y1 >> tile_bits_y_};
    if (tiles == noted_) return;
    noted_ = tiles;
    read_->add(component_, x0, y0, x1, y1);
  }

  // The blocks that have the pixels at v of half-blocks [x0, x1] in a row.
  TEXCAST_INLINE void note_pixels(int x0, int x1, int y, const MotionVector& v) {
    const int vx = lossy ? v.x >> 1 : v.x, vy = lossy ? v.y >> 1 : v.y;
    const int more_x = lossy ? 3 + (v.x & 1) : 3, more_y = lossy ? 3 + (v.y & 1) : 3;
    note(x0 + (vx >> 2), y + (vy >> 2), x1 + ((vx + more_x) >> 2), y + ((vy + more_y) >> 2));
  }

  TEXCAST_INLINE void load(PredictionBlock<SubBlock>& window, int x, int y, const MotionVector& v) const {
    if constexpr (!lossy) {
      window.load(before_, x * 4 + v.x, y * 4 + v.y);
    } else if (is_at_blocks(v) && before_.has(x + (v.x >> 3), y + (v.y >> 3))) {
      window.take(BlockTexels<SubBlock>(component_.kind, before_.sub_block(x + (v.x >> 3), y + (v.y >> 3))).bytes());
    } else {
      window.take(moved_->pixels_at(x - rect_.x0, y - rect_.y0));
    }
  }

  TEXCAST_INLINE bool coded(FastReader<lossy>& reader, int x, int y, const MotionVector& vector,
                            const NeighbourState& left_trace, NeighbourState& trace, uint64_t& value, uint64_t above) {
    const uint64_t left = value;
    uint64_t before = 0;
    if (!intra_) {
      const auto rounded = [](int v) { return lossy ? round_div8(v) : round_div4(v); };
      before = before_.nearest(x + rounded(vector.x), y + rounded(vector.y));
      note_pixels(x, x, y, vector);
    }
    PredictionBlock<SubBlock> window;
    bool has_window = false;

    const int ends_symbol = reader.get(end_points_context(left_trace, trace, intra_));
    const auto ends_mode = static_cast<EndPoints>(ends_symbol);
    uint32_t ends = 0;
    switch (ends_mode) {
      case EndPoints::reference:
      case EndPoints::near_reference: ends = ends_of<SubBlock>(before); break;
      case EndPoints::left:
      case EndPoints::near_left: ends = ends_of<SubBlock>(left); break;
      case EndPoints::above:
      case EndPoints::near_above: ends = ends_of<SubBlock>(above); break;
      case EndPoints::fit:
        if (!lossy) return false;
        [[fallthrough]];
      case EndPoints::near_fit:
        if (intra_) return false;
        load(window, x, y, vector);
        has_window = true;
        ends = window.fitted();
        if constexpr (lossy) ends = widened_ends<SubBlock>(ends, least_range_);
        break;
      default: {
        const int place = ends_symbol - static_cast<int>(EndPoints::recent);
        if (place >= kRecent) return false;
        ends = recent_[place] & static_cast<uint32_t>((uint64_t{1} << SubBlock::kEndPointBits) - 1);
      }
    }
    int largest = 0;
    if (has_residual(ends_symbol))
      largest = read_difference(reader, ends_symbol - static_cast<int>(EndPoints::near_reference),
                                std::max(left_trace.residual, trace.residual), ends);
    recent_.push(ends);

    const bool full = SubBlock::full(component_.kind, ends);
    const int indices_symbol = reader.get(indices_context(left_trace, trace, intra_, largest > 1));
    const auto indices_mode = static_cast<Indices>(indices_symbol);
    uint64_t indices = 0;
    switch (indices_mode) {
      case Indices::constant: {
        const int level = reader.get(context::kLevel.first);
        if (level >= SubBlock::kLevels) return false;
        Levels levels;
        levels.fill(static_cast<uint8_t>(level));
        indices = indices_of<SubBlock>(with_levels<SubBlock>(0, levels, full));
        break;
      }
      case Indices::reference: indices = indices_of<SubBlock>(before); break;
      case Indices::left: indices = indices_of<SubBlock>(left); break;
      case Indices::above: indices = indices_of<SubBlock>(above); break;
      case Indices::intra: indices = indices_of<SubBlock>(levels_alone(reader, full)); break;
      case Indices::predicted:
      case Indices::near_0:
      case Indices::near_1:
      case Indices::near_2:
      case Indices::near_3: {
        if (intra_) return false;
        uint8_t ranks[16] = {};
        if (!has_window) load(window, x, y, vector);
        if constexpr (lossy) {
          if (indices_mode == Indices::predicted) {
            indices = indices_of_nearest(window, component_.kind, ends);
            break;
          }
          const CarryPositions places = carry_positions(window, component_.kind, ends);
          read_ranks(reader, indices_symbol - static_cast<int>(Indices::near_0), ranks);
          indices = indices_with_carry<SubBlock>(places, ranks, full);
          break;
        }
        const PositionCodes codes = window.position_codes(component_.kind, ends);
        if (indices_mode != Indices::predicted)
          read_ranks(reader, indices_symbol - static_cast<int>(Indices::near_0), ranks);
        for (int i = 0; i < 16; ++i)
          indices |= static_cast<uint64_t>(kIndexTable<SubBlock>.at[full][codes[i]][ranks[i]])
                     << i * SubBlock::kIndexBits;
        break;
      }
      case Indices::texels: {
        if (!lossy || SubBlock::kChannels > 1) return false;
        Levels levels{};
        if (!read_direct_levels(reader, levels)) return false;
        indices = indices_of<SubBlock>(with_levels<SubBlock>(0, levels, full));
        break;
      }
      case Indices::luma:
      case Indices::mirrored_luma:
        if (!lossy || !component_.follows_luma()) return false;
        indices = luma_indices(load_sub_block(texture_ + first_.at(x, y)), indices_mode);
        break;
      default: return false;
    }
    trace = neighbour_state(ends_mode, indices_mode, largest);
    if constexpr (lossy)
      if (is_first_) coded_.set(x - rect_.x0, y - rect_.y0);
    value = indices << SubBlock::kEndPointBits | ends;
    return true;
  }

  // Adds it to the end points; its largest class.
  TEXCAST_INLINE int read_difference(FastReader<lossy>& reader, int mode, int neighbours, uint32_t& ends) {
    const int first = context::kResidual.first + mode * 204;
    auto values = SubBlock::values(ends);
    int largest = 0;
    if constexpr (SubBlock::kValues == 2) {
      const uint32_t d0 = reader.difference(first + neighbours);
      const int class0 = class_of_folded(d0);
      const uint32_t d1 = reader.difference(first + 4 + neighbours * 8 + class0 * 2 + is_positive(d0));
      values[0] += unfold(d0);
      values[1] += unfold(d1);
      largest = std::max(class0, class_of_folded(d1));
    } else {
      // As color_residual_context() tells.
      const uint32_t g0 = reader.difference(first + neighbours);
      const int g0_class = class_of_folded(g0), g0_up = is_positive(g0);
      const uint32_t r0 = reader.difference(first + 4 + g0_class * 2 + g0_up);
      const int r0_class = class_of_folded(r0), r0_up = is_positive(r0);
      const uint32_t b0 = reader.difference(first + 12 + g0_class * 8 + r0_class * 2 + r0_up);
      const int b0_class = class_of_folded(b0), b0_up = is_positive(b0);
      const uint32_t g1 = reader.difference(first + 44 + g0_class * 8 + r0_class * 2 + g0_up);
      const int g1_class = class_of_folded(g1), g1_up = is_positive(g1);
      const uint32_t r1 = reader.difference(first + 76 + g1_class * 16 + r0_class * 4 + g1_up * 2 + r0_up);
      const int r1_class = class_of_folded(r1), r1_up = is_positive(r1);
      const uint32_t b1 = reader.difference(first + 140 + r1_class * 16 + b0_class * 4 + r1_up * 2 + b0_up);
      values[0] += unfold(r0);
      values[1] += unfold(g0);
      values[2] += unfold(b0);
      values[3] += unfold(r1);
      values[4] += unfold(g1);
      values[5] += unfold(b1);
      largest = std::max({g0_class, r0_class, b0_class, g1_class, r1_class, class_of_folded(b1)});
    }
    ends = SubBlock::ends(values);
    return largest;
  }

  TEXCAST_INLINE void read_ranks(FastReader<lossy>& reader, int group, uint8_t* ranks) {
    // rank_context()'s parts, from a pair above and the one on the left.
    static constexpr uint8_t kAbove[16] = {0, 4, 8, 8, 12, 16, 20, 20, 24, 28, 32, 32, 24, 28, 32, 32};
    static constexpr uint8_t kLeft[16] = {0, 1, 2, 2, 0, 1, 2, 2, 0, 1, 2, 2, 0, 1, 2, 2};
    const int first = context::kRanks.first + group * 40;
    int above[2] = {36, 36};
#pragma GCC unroll 4
    for (int row = 0; row < 4; ++row) {
      const int one = reader.get(first + above[0] + 3);
      put_pair(reader, group, one, ranks + 4 * row);
      const int two = reader.get(first + above[1] + kLeft[one]);
      put_pair(reader, group, two, ranks + 4 * row + 2);
      above[0] = kAbove[one];
      above[1] = kAbove[two];
    }
  }
  TEXCAST_INLINE void put_pair(FastReader<lossy>& reader, int group, int symbol, uint8_t* ranks) {
    ranks[0] = static_cast<uint8_t>(symbol >> 2);
    ranks[1] = static_cast<uint8_t>(symbol & 3);
    if constexpr (SubBlock::kLevels > 4) {
      for (const int i : {0, 1})
        if (ranks[i] == kPairLimit)
          ranks[i] = static_cast<uint8_t>(kPairLimit + std::min(reader.get(context::kFarRank.first + group), 4));
    }
  }

  TEXCAST_INLINE uint64_t levels_alone(FastReader<lossy>& reader, bool full) {
    Levels levels{};
    if constexpr (SubBlock::kLevels == 4) {
      for (int pair = 0; pair < 8; ++pair) {
        const int symbol = reader.get(level_pair_context(pair, levels.data()));
        levels[2 * pair] = static_cast<uint8_t>(symbol >> 2);
        levels[2 * pair + 1] = static_cast<uint8_t>(symbol & 3);
      }
    } else {
      uint8_t ranks[16] = {};
      read_ranks(reader, kRankGroupIntra, ranks);
      for (int i = 0; i < 16; ++i)
        levels[i] = kRankTable<SubBlock>.level[full][predicted_intra_level(levels.data(), i, SubBlock::steps(full))][1]
                                              [ranks[i]];
    }
    return with_levels<SubBlock>(0, levels, full);
  }

  const Component &component_, &first_;
  const BlockRect rect_, tile_;
  const SliceHeader& head_;
  const CopiedPartitions<SubBlock>* const moved_;
  const ReferenceComponent before_;
  const bool intra_, is_first_;
  const int least_range_ = least_range_of(component_, head_.quantiser);
  std::byte* const texture_;
  CodedMask& coded_;
  ReferenceReads* const read_;
  const int tile_bits_x_ = std::countr_zero(static_cast<unsigned>(component_.tile_columns()));
  const int tile_bits_y_ = std::countr_zero(static_cast<unsigned>(component_.tile_rows()));
  bool own_noted_ = false;
  BlockRect noted_{.x0 = -1};  // tiles
  std::array<NeighbourState, kMostSliceColumns> traces_{};
  RecentEndPoints recent_;
  MotionVector latest_jump_;
};

template <typename SubBlock, bool lossy>
bool decode_component(FastReader<lossy>& reader, const SliceComponent& part, const Component& first,
                      const SliceHeader& head, const std::byte* before, std::byte* texture, CodedMask& coded,
                      ReferenceReads* read) {
  [[maybe_unused]] std::conditional_t<lossy, CopiedPartitions<SubBlock>, std::monostate> moved;
  const CopiedPartitions<SubBlock>* areas = nullptr;
  if constexpr (lossy) {
    if (before != nullptr) {
      moved.load(part, head, before, texture);
      areas = &moved;
    }
  }
  FastComponent<SubBlock, lossy> decoder(part, first, head, areas, before, texture, coded, read);
  return decoder.decode(reader);
}

template <bool lossy>
bool decode(const TileGrid& grid, const Slice& slice, Bytes coded, const std::byte* before, std::byte* texture,
            ReferenceReads* read) {
  SliceHeader head{.form = {.lossy = lossy, .intra = before == nullptr}};
  const auto tables_of = [&head](const Component& component) -> const FastTables& {
    return lossy ? fast_lossy_tables(static_cast<Content>(head.content), component.tables)
                 : fast_tables(component.tables);
  };
  FastReader<lossy> reader(coded);
  const Component& first = grid.component(0);
  reader.use(tables_of(first));
  if (!read_slice_header(reader, head)) return false;
  for (uint32_t tile = 0; tile < slice.tiles; ++tile) {
    const Slice only = slice.only(tile);
    reader.use(tables_of(first));
    if (!read_tile_header(reader, grid.blocks(first, only), head)) return false;
    CodedMask places;
    for (int i = 0; i < grid.component_count(); ++i) {
      const Component& component = grid.component(i);
      const SliceComponent part{component, grid.blocks(component, only), grid.blocks(component, {.tile = only.tile})};
      reader.use(tables_of(component));
      const bool decoded =
          component.kind == SubBlockKind::channel
              ? decode_component<ChannelSubBlock, lossy>(reader, part, first, head, before, texture, places, read)
              : decode_component<ColorSubBlock, lossy>(reader, part, first, head, before, texture, places, read);
      if (!decoded) return false;
    }
  }
  return reader.ended_well();
}

}  // namespace

bool decode_slice(const TileGrid& grid, const Slice& slice, Bytes coded, bool lossy, const std::byte* before,
                  std::byte* texture, ReferenceReads* read) {
  return lossy ? decode<true>(grid, slice, coded, before, texture, read)
               : decode<false>(grid, slice, coded, before, texture, read);
}

}  // namespace texcast::compact
