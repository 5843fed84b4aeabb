#include "plain_slice_decoder.h"

#include <algorithm>

#include "compact/prediction.h"
#include "compact/rans.h"
#include "compact/slice_syntax.h"
#include "compact/symbol_reader.h"

namespace texcast::compact {
namespace {

class SymbolReader {
 public:
  SymbolReader(Bytes coded, bool lossy, const CodingTables& tables)
      : decoder_(coded, lossy ? kLossyEndState : kLowest), tables_(&tables) {}
  void use(const CodingTables& tables) { tables_ = &tables; }
  int get(int context) { return decoder_.get(tables_->of[context]); }
  uint32_t bits(int count) { return read_bits(*this, count); }
  MotionVector vector(bool is_match) { return read_vector(*this, is_match); }
  int difference(int context) {
    const auto symbol = static_cast<uint32_t>(get(context));
    if (symbol < kDirect) return unfold(symbol);
    const uint32_t escape = symbol - kDirect;
    return unfold(kEscapeFirst[escape] + bits(kEscapeBits[escape]));
  }
  bool ended_well() const { return decoder_.ended_well(); }
  bool is_short() const { return decoder_.is_short(); }

 private:
  RansDecoder decoder_;
  const CodingTables* tables_;
};

template <typename SubBlock>
class ComponentDecoder {
 public:
  // `coded`: of the first component, which puts it down; nullptr in lossless units.
  ComponentDecoder(SymbolReader& reader, const Component& component, const Component& first, const BlockRect& rect,
                   const SliceHeader& head, const std::byte* before, std::byte* texture, CodedMask& coded,
                   ReferenceReads* read)
      : reader_(reader),
        component_(component),
        first_(first),
        is_first_(&component == &first),
        rect_(rect),
        head_(head),
        before_(before, component),
        lossy_(head.form.lossy),
        intra_(head.form.intra),
        texture_(texture),
        coded_(coded),
        read_(read) {}

  bool decode() {
    for (int y = rect_.y0; y < rect_.y1; ++y) {
      for (int x = rect_.x0; x < rect_.x1; ++x)
        if (!half(x, y)) return false;
      if (reader_.is_short()) return false;
    }
    return true;
  }

 private:
  uint64_t made(int x, int y) const { return load_sub_block(texture_ + component_.at(x, y)); }

  bool half(int x, int y) {
    const int column = x - rect_.x0;
    const bool has_left = x > rect_.x0, has_above = y > rect_.y0;
    const NeighbourState left_trace = has_left ? traces_[column - 1] : NeighbourState{};
    NeighbourState& trace = traces_[column];                                  // so far that of the half-block above
    const MotionVector vector = intra_ ? MotionVector{} : area_vector(x, y);  // of lossy units in halves of a texel
    const bool is_zero = vector == MotionVector{};
    if (lossy_ && !intra_ && head_.copied[area(x, y)]) {
      store_sub_block(texture_ + component_.at(x, y), moved_or_fitted(x, y, vector));
      trace = neighbour_state(Kind::motion_copy);
      return true;
    }
    const int context = lossy_ ? lossy_kind_context(left_trace, trace, intra_, is_zero,
                                                    !is_first_ && coded_.any(column, y - rect_.y0, component_))
                               : kind_context(left_trace, trace, intra_, is_zero);
    const int kind_symbol = reader_.get(context);
    if (kind_symbol > static_cast<int>(Kind::hash_copy)) return false;
    const auto kind = static_cast<Kind>(kind_symbol);
    const uint64_t left = has_left ? made(x - 1, y) : kNoSubBlock;
    const uint64_t above = has_above ? made(x, y - 1) : kNoSubBlock;
    uint64_t value = 0;
    switch (kind) {
      case Kind::motion_copy:
        if (intra_) return false;
        if (lossy_) {
          value = moved_or_fitted(x, y, vector);
          break;
        }
        if (!copies(x, y, vector)) return false;
        value = half_before(x + vector.x / 4, y + vector.y / 4);
        break;
      case Kind::co_located:
        if (intra_) return false;
        value = half_before(x, y);
        break;
      case Kind::left:
        if (!has_left) return false;
        value = left;
        break;
      case Kind::above:
        if (!has_above) return false;
        value = above;
        break;
      case Kind::coded: return coded(x, y, vector, left, above, left_trace, trace);
      case Kind::hash_copy: latest_jump_ = reader_.vector(true); [[fallthrough]];
      case Kind::hash_copy_again:
        if (intra_ || !before_.has(x + latest_jump_.x, y + latest_jump_.y)) return false;
        value = half_before(x + latest_jump_.x, y + latest_jump_.y);
        recent_.push(ends_of<SubBlock>(value));
        break;
    }
    trace = neighbour_state(kind);
    store_sub_block(texture_ + component_.at(x, y), value);
    return true;
  }

  uint64_t half_before(int x, int y) {
    note(x, y, x, y);
    return before_.sub_block(x, y);
  }
  void note(int x0, int y0, int x1, int y1) {
    if (read_ == nullptr) return;
    const int last_x = component_.blocks_x - 1, last_y = component_.blocks_y - 1;
    read_->add(component_, std::clamp(x0, 0, last_x), std::clamp(y0, 0, last_y), std::clamp(x1, 0, last_x),
               std::clamp(y1, 0, last_y));
  }

  int area(int x, int y) const { return partition_of(component_, x - rect_.x0, y - rect_.y0); }
  MotionVector area_vector(int x, int y) const { return in_component(head_.vectors[area(x, y)], component_); }
  // What kind `moved` is in lossy units: the half-block at the vector, where one lies there, else one fitted.
  uint64_t moved_or_fitted(int x, int y, const MotionVector& v) {
    const int column = x + (v.x >> 3), row = y + (v.y >> 3);
    if (v.x % 8 == 0 && v.y % 8 == 0 && before_.has(column, row)) return half_before(column, row);
    has_pixels_ = false;
    note_pixels(x, y, v);
    return fitted_sub_block<SubBlock>(component_.kind, pixels(x, y, v));
  }
  // The blocks that have the pixels at v.
  void note_pixels(int x, int y, const MotionVector& v) {
    const int x0 = lossy_ ? v.x >> 1 : v.x, y0 = lossy_ ? v.y >> 1 : v.y;
    const int x1 = lossy_ ? (v.x + 1) >> 1 : v.x, y1 = lossy_ ? (v.y + 1) >> 1 : v.y;
    note(x + floor_div4(x0), y + floor_div4(y0), x + floor_div4(x1 + 3), y + floor_div4(y1 + 3));
  }
  bool copies(int x, int y, const MotionVector& v) const {
    return v.x % 4 == 0 && v.y % 4 == 0 && before_.has(x + v.x / 4, y + v.y / 4);
  }

  const Texels& pixels(int x, int y, const MotionVector& v) {
    if (!has_pixels_ && lossy_)
      pixels_at_halves<SubBlock>(before_, x * 8 + v.x, y * 8 + v.y, pixels_);
    else if (!has_pixels_)
      reference_pixels<SubBlock>(before_, x * 4 + v.x, y * 4 + v.y, pixels_);
    has_pixels_ = true;
    return pixels_;
  }

  bool coded(int x, int y, const MotionVector& vector, uint64_t left, uint64_t above, const NeighbourState& left_trace,
             NeighbourState& trace) {
    has_pixels_ = false;
    uint64_t before = 0;
    if (!intra_) {
      const auto rounded = [&](int v) { return lossy_ ? round_div8(v) : round_div4(v); };
      before = before_.nearest(x + rounded(vector.x), y + rounded(vector.y));
      note_pixels(x, y, vector);
    }

    const int ends_symbol = reader_.get(end_points_context(left_trace, trace, intra_));
    const auto ends_mode = static_cast<EndPoints>(ends_symbol);
    uint32_t ends = 0;
    switch (ends_mode) {
      case EndPoints::reference:
      case EndPoints::near_reference: ends = ends_of<SubBlock>(before); break;
      case EndPoints::left:
      case EndPoints::near_left: ends = ends_of<SubBlock>(left); break;
      case EndPoints::above:
      case EndPoints::near_above: ends = ends_of<SubBlock>(above); break;
      case EndPoints::near_fit:
      case EndPoints::fit:
        if (intra_ || (ends_mode == EndPoints::fit && !lossy_)) return false;
        ends = fitted_ends<SubBlock>(pixels(x, y, vector));
        if (lossy_) ends = widened_ends<SubBlock>(ends, least_range_of(component_, head_.quantiser));
        break;
      default: {
        const int place = ends_symbol - static_cast<int>(EndPoints::recent);
        if (place >= kRecent) return false;
        ends = recent_[place] & static_cast<uint32_t>((uint64_t{1} << SubBlock::kEndPointBits) - 1);
      }
    }
    int largest = 0;
    if (has_residual(ends_symbol)) {
      const int neighbours = std::max(left_trace.residual, trace.residual);
      std::array<int, SubBlock::kValues> difference{};
      auto values = SubBlock::values(ends);
      for (int step = 0; step < SubBlock::kValues; ++step) {
        const int i = kOrder<SubBlock>[step];
        difference[i] = reader_.difference(residual_context<SubBlock>(ends_mode, step, difference, neighbours));
        values[i] += difference[i];
        largest = std::max(largest, magnitude_class(difference[i]));
      }
      ends = SubBlock::ends(values);
    }
    recent_.push(ends);

    const bool full = SubBlock::full(component_.kind, ends);
    const int indices_symbol = reader_.get(indices_context(left_trace, trace, intra_, largest > 1));
    const auto indices_mode = static_cast<Indices>(indices_symbol);
    uint64_t value = ends;
    switch (indices_mode) {
      case Indices::constant: {
        const int level = reader_.get(context::kLevel.first);
        if (level >= SubBlock::kLevels) return false;
        Levels levels;
        levels.fill(static_cast<uint8_t>(level));
        value = with_levels<SubBlock>(ends, levels, full);
        break;
      }
      case Indices::reference: value |= indices_of<SubBlock>(before) << SubBlock::kEndPointBits; break;
      case Indices::left: value |= indices_of<SubBlock>(left) << SubBlock::kEndPointBits; break;
      case Indices::above: value |= indices_of<SubBlock>(above) << SubBlock::kEndPointBits; break;
      case Indices::intra: value = levels_alone(ends, full); break;
      case Indices::texels: {
        if (!lossy_ || SubBlock::kChannels > 1) return false;
        Levels levels{};
        if (!read_direct_levels(reader_, levels)) return false;
        value = with_levels<SubBlock>(ends, levels, full);
        break;
      }
      case Indices::luma:
      case Indices::mirrored_luma: {
        if (!lossy_ || !component_.follows_luma()) return false;
        value |= luma_indices(load_sub_block(texture_ + first_.at(x, y)), indices_mode) << SubBlock::kEndPointBits;
        break;
      }
      case Indices::predicted:
      case Indices::near_0:
      case Indices::near_1:
      case Indices::near_2:
      case Indices::near_3: {
        if (intra_) return false;
        LevelPositions places;
        level_positions_of<SubBlock>(component_.kind, ends, pixels(x, y, vector), places);
        uint8_t ranks[16] = {};
        const bool is_predicted = indices_mode == Indices::predicted;
        if (!is_predicted) read_ranks(indices_symbol - static_cast<int>(Indices::near_0), ranks);
        Levels levels;
        if (lossy_ && !is_predicted) {
          const LineProjection line = project_onto_line<SubBlock>(component_.kind, ends, pixels(x, y, vector));
          for (int i = 0; i < 16; ++i) {
            bool beyond = false;
            const int nearest = line.nearest(i, residual_carry(line, places, levels.data(), i), beyond);
            levels[i] = kRankTable<SubBlock>.level[full][nearest][beyond][ranks[i]];
          }
        } else {
          for (int i = 0; i < 16; ++i)
            levels[i] = kRankTable<SubBlock>.level[full][places.nearest[i]][places.beyond[i]][ranks[i]];
        }
        value = with_levels<SubBlock>(ends, levels, full);
        break;
      }
      default: return false;
    }
    trace = neighbour_state(ends_mode, indices_mode, largest);
    if (is_first_) coded_.set(x - rect_.x0, y - rect_.y0);
    store_sub_block(texture_ + component_.at(x, y), value);
    return true;
  }

  void read_ranks(int group, uint8_t* ranks) {
    for (int pair = 0; pair < 8; ++pair) {
      const int symbol = reader_.get(rank_context(group, pair, ranks));
      ranks[2 * pair] = static_cast<uint8_t>(symbol >> 2);
      ranks[2 * pair + 1] = static_cast<uint8_t>(symbol & 3);
      if constexpr (SubBlock::kLevels > 4) {
        for (const int i : {2 * pair, 2 * pair + 1})
          if (ranks[i] == kPairLimit)
            ranks[i] = static_cast<uint8_t>(kPairLimit + std::min(reader_.get(context::kFarRank.first + group), 4));
      }
    }
  }

  uint64_t levels_alone(uint32_t ends, bool full) {
    Levels levels{};
    if constexpr (SubBlock::kLevels == 4) {
      for (int pair = 0; pair < 8; ++pair) {
        const int symbol = reader_.get(level_pair_context(pair, levels.data()));
        levels[2 * pair] = static_cast<uint8_t>(symbol >> 2);
        levels[2 * pair + 1] = static_cast<uint8_t>(symbol & 3);
      }
    } else {
      uint8_t ranks[16] = {};
      read_ranks(kRankGroupIntra, ranks);
      for (int i = 0; i < 16; ++i)
        levels[i] = kRankTable<SubBlock>.level[full][predicted_intra_level(levels.data(), i, SubBlock::steps(full))][1]
                                              [ranks[i]];
    }
    return with_levels<SubBlock>(ends, levels, full);
  }

  SymbolReader& reader_;
  const Component &component_, &first_;
  const bool is_first_;
  const BlockRect rect_;
  const SliceHeader& head_;
  const ReferenceComponent before_;
  const bool lossy_, intra_;
  std::byte* const texture_;
  CodedMask& coded_;
  ReferenceReads* const read_;
  std::array<NeighbourState, kMostSliceColumns> traces_{};
  RecentEndPoints recent_;
  MotionVector latest_jump_;
  Texels pixels_{};
  bool has_pixels_ = false;
};

}  // namespace

bool decode_slice_plainly(const TileGrid& grid, const Slice& slice, Bytes coded, bool lossy, const std::byte* before,
                          std::byte* texture, ReferenceReads* read) {
  SliceHeader head{.form = {.lossy = lossy, .intra = before == nullptr}};
  const auto tables_of = [&](const Component& component) -> const CodingTables& {
    return lossy ? lossy_tables(static_cast<Content>(head.content), component.tables) : coding_tables(component.tables);
  };
  const Component& first = grid.component(0);
  SymbolReader reader(coded, lossy, tables_of(first));
  if (!read_slice_header(reader, head)) return false;
  for (uint32_t tile = 0; tile < slice.tiles; ++tile) {
    const Slice only = slice.only(tile);
    reader.use(tables_of(first));
    if (!read_tile_header(reader, grid.blocks(first, only), head)) return false;
    CodedMask places;
    for (int i = 0; i < grid.component_count(); ++i) {
      const Component& component = grid.component(i);
      const BlockRect rect = grid.blocks(component, only);
      reader.use(tables_of(component));
      const auto decode = [&](auto half) {
        using SubBlock = decltype(half);
        return ComponentDecoder<SubBlock>(reader, component, first, rect, head, before, texture, places, read).decode();
      };
      if (!(component.kind == SubBlockKind::channel ? decode(ChannelSubBlock{}) : decode(ColorSubBlock{})))
        return false;
    }
  }
  return reader.ended_well();
}

}  // namespace texcast::compact
