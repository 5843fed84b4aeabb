#include "lossless_slice_encoder.h"

#include <cstdlib>
#include <limits>

#include "compact/changes.h"
#include "compact/prediction_block.h"
#include "compact/ranks.h"
#include "compact/symbol_writer.h"

namespace texcast::compact {
namespace {

constexpr int kLeastJump = 8 * 32;       // hardly any vector takes less
constexpr int kCheapIndices = 3 * 32;    // hardly any others take less
constexpr size_t kMostHalfSymbols = 80;  // those of a half-block are fewer: 1 + 1 + 6 * 4 + 1 + 8 + 16
constexpr int kNever = std::numeric_limits<int>::max() / 4;  // as a cost, in 1/32 bits

// Of several ways to code something the one that costs least; of as many bits the one with the smaller number. Without
// a branch: there is no telling which one it will be.
template <typename Choice>
class Cheapest {
 public:
  void offer(bool possible, Choice choice, int cost) {
    least_ = std::min(least_, possible ? cost << 4 | static_cast<int>(choice) : kNothing);
  }
  bool any() const { return least_ != kNothing; }
  Choice choice() const { return static_cast<Choice>(least_ & 15); }
  int cost() const { return least_ >> 4; }  // of one that is possible

 private:
  static constexpr int kNothing = std::numeric_limits<int>::max();
  int least_ = kNothing;
};

// What is symbol by symbol either priced or put down.
class Pricer {
 public:
  explicit Pricer(const CodingTables& tables) : tables_(tables) {}
  void put(int context, int symbol) { cost_ += tables_.cost[context][symbol]; }
  void bits(uint32_t, int count) { cost_ += count * 32; }
  int cost() const { return cost_; }

 private:
  const CodingTables& tables_;
  int cost_ = 0;
};
class Writer {
 public:
  Writer(SymbolList& list, const CodingTables& tables) : list_(list), tables_(tables) {}
  void make_room() { list_.make_room(kMostHalfSymbols); }
  void put(int context, int symbol) { list_.put(tables_, context, symbol); }
  void bits(uint32_t value, int count) { put_bits(*this, value, count); }

 private:
  SymbolList& list_;
  const CodingTables& tables_;
};

// How far end points are from each of four guesses: about what the difference costs.
std::array<int, 4> distances(const std::array<int, ColorSubBlock::kValues>& values,
                             const std::array<uint32_t, 4>& guesses) {
  const auto of_four = load_vector<U32x4>(guesses.data());
  constexpr int kShift[] = {11, 5, 0, 27, 21, 16};
  constexpr uint32_t kMask[] = {31, 63, 31, 31, 63, 31};
  I32x4 sum{};
  for (int i = 0; i < ColorSubBlock::kValues; ++i) {
    const I32x4 difference = reinterpret_cast<I32x4>(of_four >> kShift[i] & kMask[i]) - values[i];
    const I32x4 sign = difference >> 31;
    sum += (difference ^ sign) - sign - (difference != 0);
  }
  return {sum[0], sum[1], sum[2], sum[3]};
}
std::array<int, 4> distances(const std::array<int, ChannelSubBlock::kValues>& values,
                             const std::array<uint32_t, 4>& guesses) {
  std::array<int, 4> sum{};
  for (int g = 0; g < 4; ++g) {
    const auto guess = ChannelSubBlock::values(guesses[g]);
    for (int i = 0; i < ChannelSubBlock::kValues; ++i)
      sum[g] += std::abs(values[i] - guess[i]) + (values[i] != guess[i] ? 1 : 0);
  }
  return sum;
}
constexpr int kDistanceCost = 24;  // in 1/32 bits, for one step or one value that differs

// How end points differ from a guess, in the order of their symbols, and the contexts of those.
template <typename SubBlock>
struct Difference {
  std::array<int, SubBlock::kValues> context, symbol;
  std::array<uint32_t, SubBlock::kValues> folded;
  int largest = 0;  // class
  int cost = 0;
};
template <typename SubBlock>
Difference<SubBlock> squared_error_of(const CodingTables& tables, EndPoints mode,
                                      const std::array<int, SubBlock::kValues>& values,
                                      const std::array<int, SubBlock::kValues>& guess, int neighbours) {
  Difference<SubBlock> out;
  std::array<int, SubBlock::kValues> known{};
  for (int step = 0; step < SubBlock::kValues; ++step) {
    const int i = kOrder<SubBlock>[step];
    const int context = residual_context<SubBlock>(mode, step, known, neighbours);
    known[i] = values[i] - guess[i];
    out.context[step] = context;
    out.folded[step] = fold(known[i]);
    out.symbol[step] = kResidualSymbols.of[out.folded[step]];
    out.cost += tables.cost[context][out.symbol[step]] + kEscapeCost[out.symbol[step]];
    out.largest = std::max(out.largest, magnitude_class(known[i]));
  }
  return out;
}

template <typename SubBlock>
class ComponentEncoder {
 public:
  ComponentEncoder(SymbolList& list, const CodingTables& tables, const TileGrid& grid, const Component& component,
                   const BlockRect& rect, const std::byte* texture, const Reference& reference,
                   const SubBlockIndex* places)
      : writer_(list, tables),
        tables_(tables),
        grid_(grid),
        component_(component),
        rect_(rect),
        texture_(texture),
        touched_(reference.touched),
        intra_(reference.texture == nullptr),
        before_(reference.texture, component),
        places_(places),
        vectors_(reference.vectors) {}

  void encode() {
    if (!intra_) find_areas();
    const size_t pitch = component_.at(0, 1) - component_.at(0, 0);
    for (int y = rect_.y0; y < rect_.y1; ++y) {
      const std::byte* at = texture_ + component_.at(rect_.x0, y);
      has_above_ = y > rect_.y0;
      has_left_ = false;
      left_ = kNoSubBlock;
      left_trace_ = {};
      for (int x = rect_.x0; x < rect_.x1; ++x, at += component_.stride) {
        value_ = load_sub_block(at);
        above_ = has_above_ ? load_sub_block(at - pitch) : kNoSubBlock;
        NeighbourState& trace = traces_[x - rect_.x0];
        half(x, y, trace);
        has_left_ = true;
        left_ = value_;
        left_trace_ = trace;
      }
    }
  }

 private:
  // A vector as this component has it.
  struct Partition {
    MotionVector vector{};   // in texels
    MotionVector blocks{};   // the nearest
    bool in_blocks = false;  // just that
    bool is_zero = true;
  };
  void find_areas() {
    for (size_t i = 0; i < areas_.size() && i < vectors_.size(); ++i) {
      const MotionVector v = in_component(vectors_[i], component_);
      areas_[i] = {v, {round_div4(v.x), round_div4(v.y)}, v.x % 4 == 0 && v.y % 4 == 0, v == MotionVector{}};
    }
  }
  const Partition& partition_of(int x, int y) const {
    constexpr int kShift = 2;  // blocks of an area
    return areas_[((y - rect_.y0) >> (kShift + 1 - component_.down)) * (kTileWidth / kPartitionSide) +
                  ((x - rect_.x0) >> (kShift + 1 - component_.across))];
  }

  // `trace`: of the half-block above, then of this one.
  void half(int x, int y, NeighbourState& trace) {
    const Partition& area = partition_of(x, y);
    const int context = kind_context(left_trace_, trace, intra_, area.is_zero);
    const auto cost_of = [&](Kind kind) { return static_cast<int>(tables_.cost[context][static_cast<int>(kind)]); };
    Cheapest<Kind> cheapest;
    const auto offer = [&](bool possible, Kind kind, int more = 0) {
      cheapest.offer(possible, kind, cost_of(kind) + more);
    };
    if (!intra_) {
      const int bx = x + area.blocks.x, by = y + area.blocks.y;
      at_vector_ = before_.nearest(bx, by);
      const bool moved = area.in_blocks && before_.has(bx, by) && at_vector_ == value_;
      // What most half-blocks are where there is movement, and then hardly ever dearer than others of their kind.
      if (moved && cost_of(Kind::motion_copy) <= std::min({cost_of(Kind::co_located), cost_of(Kind::hash_copy_again),
                                                           cost_of(Kind::left), cost_of(Kind::above)})) {
        writer_.make_room();
        writer_.put(context, static_cast<int>(Kind::motion_copy));
        trace = neighbour_state(Kind::motion_copy);
        return;
      }
      offer(moved, Kind::motion_copy);
      offer(!area.is_zero && before_.sub_block(x, y) == value_, Kind::co_located);
      offer(is_before(x + latest_jump_.x, y + latest_jump_.y), Kind::hash_copy_again);
    }
    offer(has_left_ && left_ == value_, Kind::left);
    offer(has_above_ && above_ == value_, Kind::above);
    MotionVector jump;
    if (!cheapest.any()) {
      if (places_ != nullptr) places_->prefetch(value_);
      offer(true, Kind::coded, choose(x, y, area.vector, trace));
      if (!intra_ && places_ != nullptr && cheapest.cost() > cost_of(Kind::hash_copy) + kLeastJump) {
        const int price = cheapest_jump(x, y, jump);
        offer(price < kNever, Kind::hash_copy, price);
      }
    }

    const Kind kind = cheapest.choice();
    writer_.make_room();
    writer_.put(context, static_cast<int>(kind));
    if (kind == Kind::coded) {
      put_chosen(trace);
      return;
    }
    if (kind == Kind::hash_copy) {
      latest_jump_ = jump;
      put_vector(writer_, true, jump);
    }
    if (kind == Kind::hash_copy || kind == Kind::hash_copy_again) {
      recent_.push(ends_of<SubBlock>(value_));
      if (touched_ != nullptr) touched_->add(grid_.tile_of(component_, x + latest_jump_.x, y + latest_jump_.y));
    }
    trace = neighbour_state(kind);
  }

  bool is_before(int x, int y) const { return before_.has(x, y) && before_.sub_block(x, y) == value_; }

  int cheapest_jump(int x, int y, MotionVector& jump) const {
    int least = kNever;
    places_->find(value_, [&](int px, int py) {
      if (!is_before(px, py)) return;
      Pricer pricer(tables_);
      put_vector(pricer, true, {px - x, py - y});
      if (pricer.cost() >= least) return;
      least = pricer.cost();
      jump = {px - x, py - y};
    });
    return least;
  }

  // Which end points and which indices; what they cost.
  int choose(int x, int y, const MotionVector& vector, const NeighbourState& above_trace) {
    const uint32_t ends = ends_of<SubBlock>(value_);
    PredictionBlock<SubBlock> window;
    if (!intra_) window.load(before_, x * 4 + vector.x, y * 4 + vector.y);

    ends_context_ = end_points_context(left_trace_, above_trace, intra_);
    Cheapest<EndPoints> cheapest;
    const auto offer = [&](bool possible, EndPoints mode, int more = 0) {
      cheapest.offer(possible, mode, tables_.cost[ends_context_][static_cast<int>(mode)] + more);
    };
    offer(!intra_ && ends_of<SubBlock>(at_vector_) == ends, EndPoints::reference);
    offer(has_left_ && ends_of<SubBlock>(left_) == ends, EndPoints::left);
    offer(has_above_ && ends_of<SubBlock>(above_) == ends, EndPoints::above);
    for (int i = 0; i < kRecent; ++i)
      offer(recent_[i] == ends, static_cast<EndPoints>(static_cast<int>(EndPoints::recent) + i));
    int ends_cost = cheapest.cost();
    largest_ = 0;
    if (!cheapest.any()) {
      // The guess that is about the cheapest.
      const std::array<uint32_t, 4> guesses{ends_of<SubBlock>(at_vector_), ends_of<SubBlock>(left_),
                                            ends_of<SubBlock>(above_), intra_ ? 0 : window.fitted()};
      const auto values = SubBlock::values(ends);
      const auto distance = distances(values, guesses);
      const auto guess = [&](bool possible, EndPoints mode, int g) {
        offer(possible, mode, kDistanceCost * distance[g]);
      };
      guess(!intra_, EndPoints::near_reference, 0);
      guess(has_left_ || intra_, EndPoints::near_left, 1);
      guess(has_above_, EndPoints::near_above, 2);
      guess(!intra_, EndPoints::near_fit, 3);
      const int g = static_cast<int>(cheapest.choice()) - static_cast<int>(EndPoints::near_reference);
      difference_ = squared_error_of<SubBlock>(tables_, cheapest.choice(), values, SubBlock::values(guesses[g]),
                                               std::max(left_trace_.residual, above_trace.residual));
      ends_cost = tables_.cost[ends_context_][static_cast<int>(cheapest.choice())] + difference_.cost;
      largest_ = difference_.largest;
    }
    ends_mode_ = cheapest.choice();
    return ends_cost + choose_indices(window, above_trace);
  }

  int choose_indices(const PredictionBlock<SubBlock>& window, const NeighbourState& above_trace) {
    const uint32_t ends = ends_of<SubBlock>(value_);
    const bool full = SubBlock::full(component_.kind, ends);
    indices_context_ = indices_context(left_trace_, above_trace, intra_, largest_ > 1);
    Cheapest<Indices> cheapest;
    const auto offer = [&](bool possible, Indices mode, int more = 0) {
      cheapest.offer(possible, mode, tables_.cost[indices_context_][static_cast<int>(mode)] + more);
    };
    const uint64_t indices = indices_of<SubBlock>(value_);
    const U8x16 levels = level_vector<SubBlock>(value_, full);
    store_vector(levels_.data(), levels);
    constexpr uint64_t kEvery = SubBlock::kLevels == 4 ? 0x55555555 : 0x249249249249;  // 1 in each
    offer(indices == (indices & (SubBlock::kLevels - 1)) * kEvery, Indices::constant,
          tables_.cost[context::kLevel.first][levels_[0]]);
    offer(!intra_ && indices_of<SubBlock>(at_vector_) == indices, Indices::reference);
    offer(has_left_ && indices_of<SubBlock>(left_) == indices, Indices::left);
    offer(has_above_ && indices_of<SubBlock>(above_) == indices, Indices::above);
    int far = 16;
    U8x16 ranks{};
    if (!intra_) {
      ranks =
          rank_vector<SubBlock>(load_vector<U8x16>(window.position_codes(component_.kind, ends).data()), levels, full);
      far = __builtin_popcount(mask_from(ranks, filled(1)));
      offer(far == 0, Indices::predicted);
    }
    indices_mode_ = cheapest.choice();
    if (cheapest.cost() < kCheapIndices) return cheapest.cost();
    if (!intra_) {
      pairs_ = pairs_of_ranks(ranks);
      store_vector(ranks_, ranks);
      // All groups at once.
      U32x4 sums{};
      for (int pair = 0; pair < 8; ++pair) {
        const auto& costs = tables_.rank_cost[pairs_.context[pair]][pairs_.symbol[pair]];
        sums += load_vector<U32x4>(costs.data());
      }
      for_each_far(ranks, [&](int i) { sums += load_vector<U32x4>(tables_.far_cost[ranks_[i] - kPairLimit].data()); });
      for (int group = 0; group < 4; ++group)
        offer(true, static_cast<Indices>(static_cast<int>(Indices::near_0) + group), static_cast<int>(sums[group]));
    }
    if (far > 3) {
      int first = context::kLevels.first, cost = 0;
      if constexpr (SubBlock::kLevels > 4) {
        const U8x16 guessed = predicted_intra_levels(levels, SubBlock::steps(full));
        const U8x16 alone_ranks = rank_vector<SubBlock>((guessed << 1) + 1, levels, full);
        store_vector(alone_ranks_, alone_ranks);
        alone_pairs_ = pairs_of_ranks(alone_ranks);
        first = context::kRanks.first + kRankGroupIntra * 40;
        const auto& costs = tables_.cost[context::kFarRank.first + kRankGroupIntra];
        for_each_far(alone_ranks, [&](int i) { cost += costs[alone_ranks_[i] - kPairLimit]; });
      } else {
        alone_pairs_ = pairs_of_levels(levels);
      }
      for (int pair = 0; pair < 8; ++pair)
        cost += tables_.cost[first + alone_pairs_.context[pair]][alone_pairs_.symbol[pair]];
      offer(true, Indices::intra, cost);
    }
    indices_mode_ = cheapest.choice();
    return cheapest.cost();
  }

  // Calls `call(i)` for texels whose ranks need a symbol beside that of their pair.
  template <typename Call>
  static void for_each_far(U8x16 ranks, const Call& call) {
    if constexpr (SubBlock::kLevels > 4) for_each_bit(mask_from(ranks, filled(kPairLimit)), call);
  }

  void put_difference() {
    for (int step = 0; step < SubBlock::kValues; ++step) {
      const uint32_t folded = difference_.folded[step];
      const int symbol = difference_.symbol[step];
      writer_.put(difference_.context[step], symbol);
      if (const int escape = symbol - static_cast<int>(kDirect); escape >= 0)
        writer_.bits(folded - kEscapeFirst[escape], kEscapeBits[escape]);
    }
  }
  void put_pairs(int first, const Pairs& pairs) {
    for (int pair = 0; pair < 8; ++pair) writer_.put(first + pairs.context[pair], pairs.symbol[pair]);
  }
  void put_ranks(int group, const Pairs& pairs, const uint8_t* ranks) {
    const int first = context::kRanks.first + group * 40;
    if constexpr (SubBlock::kLevels == 4) {
      put_pairs(first, pairs);
    } else {
      for (int pair = 0; pair < 8; ++pair) {
        writer_.put(first + pairs.context[pair], pairs.symbol[pair]);
        for (const int i : {2 * pair, 2 * pair + 1})
          if (ranks[i] >= kPairLimit) writer_.put(context::kFarRank.first + group, ranks[i] - kPairLimit);
      }
    }
  }
  void put_alone() {
    if constexpr (SubBlock::kLevels > 4)
      put_ranks(kRankGroupIntra, alone_pairs_, alone_ranks_);
    else
      put_pairs(context::kLevels.first, alone_pairs_);
  }

  void put_chosen(NeighbourState& trace) {
    writer_.put(ends_context_, static_cast<int>(ends_mode_));
    if (has_residual(static_cast<int>(ends_mode_))) put_difference();
    recent_.push(ends_of<SubBlock>(value_));
    writer_.put(indices_context_, static_cast<int>(indices_mode_));
    if (indices_mode_ == Indices::constant) writer_.put(context::kLevel.first, levels_[0]);
    if (is_near(static_cast<int>(indices_mode_)))
      put_ranks(static_cast<int>(indices_mode_) - static_cast<int>(Indices::near_0), pairs_, ranks_);
    if (indices_mode_ == Indices::intra) put_alone();
    trace = neighbour_state(ends_mode_, indices_mode_, largest_);
  }

  Writer writer_;
  const CodingTables& tables_;
  const TileGrid& grid_;
  const Component& component_;
  const BlockRect rect_;
  const std::byte* const texture_;
  ReferencedTiles* const touched_;
  const bool intra_;
  const ReferenceComponent before_;
  const SubBlockIndex* const places_;
  const std::span<const MotionVector> vectors_;
  std::array<Partition, kMostPartitions> areas_{};
  std::array<NeighbourState, kMostSliceColumns> traces_{};
  RecentEndPoints recent_;
  MotionVector latest_jump_;
  // Of the half-block at hand.
  bool has_left_ = false, has_above_ = false;
  NeighbourState left_trace_;
  uint64_t value_ = 0, left_ = 0, above_ = 0;
  uint64_t at_vector_ = 0;  // the nearest of the frame before
  int ends_context_ = 0, indices_context_ = 0, largest_ = 0;
  EndPoints ends_mode_{};
  Indices indices_mode_{};
  Difference<SubBlock> difference_{};
  Levels levels_{};
  uint8_t ranks_[16]{}, alone_ranks_[16]{};
  Pairs pairs_, alone_pairs_;  // of them
};

}  // namespace

// The pixels of an area at its vector, and as far beside them as the nearest block of any component lies.
void touch_area(const TileGrid& grid, const BlockRect& first, int area_x, int area_y, const MotionVector& v,
                ReferencedTiles& touched) {
  const Component& component = grid.component(0);
  constexpr int kBeside = 8;
  const int beside = v == MotionVector{} ? 0 : kBeside;
  const int x = first.x0 * 4 + area_x * kPartitionSide + v.x, y = first.y0 * 4 + area_y * kPartitionSide + v.y;
  const auto block = [](int pixel, int blocks) { return std::clamp(pixel >> 2, 0, blocks - 1); };
  const int x0 = block(x - beside, component.blocks_x), x1 = block(x + kPartitionSide - 1 + beside, component.blocks_x);
  const int y0 = block(y - beside, component.blocks_y), y1 = block(y + kPartitionSide - 1 + beside, component.blocks_y);
  for (int ty = y0 / component.tile_rows(); ty <= y1 / component.tile_rows(); ++ty)
    for (int tx = x0 / component.tile_columns(); tx <= x1 / component.tile_columns(); ++tx)
      touched.add(static_cast<uint32_t>(ty) * grid.across() + tx);
}

LosslessSliceEncoder::LosslessSliceEncoder() : with_{} {
  for (int i = 0; i < kTableSets; ++i) with_.tables[i] = &coding_tables(static_cast<TableSet>(i));
}

LosslessSliceEncoder::LosslessSliceEncoder(const CodingTraining& training) : with_(training) {}

size_t LosslessSliceEncoder::encode(const TileGrid& grid, const Slice& slice, const std::byte* texture,
                                    const Reference& reference, MutableBytes memory) {
  symbols_.clear();
  const auto begin = [&](TableSet set) -> const CodingTables& {
    symbols_.count_into(with_.counts[static_cast<int>(set)]);
    return *with_.tables[static_cast<int>(set)];
  };
  Reference used = reference;
  std::array<MotionVector, kMostPartitions> vectors{};
  used.vectors = vectors;
  if (reference.texture != nullptr) {
    Writer writer(symbols_, begin(grid.component(0).tables));
    const BlockRect first = grid.blocks(grid.component(0), slice);
    const int area = kPartitionSide / 4;
    const int columns = (first.width() + area - 1) / area, rows = (first.height() + area - 1) / area;
    for (int y = 0; y < rows; ++y) {
      for (int x = 0; x < columns; ++x) {
        writer.make_room();
        MotionVector& vector = vectors[y * 4 + x];
        vector = reference.vectors[y * 4 + x];
        if (!is_codable(vector)) vector = {};
        const MotionVector left = x > 0 ? vectors[y * 4 + x - 1] : MotionVector{};
        const MotionVector above = y > 0 ? vectors[(y - 1) * 4 + x] : MotionVector{};
        const PartitionVector symbol = vector == MotionVector{} ? PartitionVector::zero
                                       : vector == left         ? PartitionVector::left
                                       : vector == above        ? PartitionVector::above
                                                                : PartitionVector::other;
        writer.put(vector_context(left, above), static_cast<int>(symbol));
        if (symbol == PartitionVector::other) put_vector(writer, false, vector);
        if (used.touched != nullptr) touch_area(grid, first, x, y, vector, *used.touched);
      }
    }
  }
  for (int i = 0; i < grid.component_count(); ++i) {
    const Component& component = grid.component(i);
    const BlockRect rect = grid.blocks(component, slice);
    const CodingTables& tables = begin(component.tables);
    const SubBlockIndex* places = reference.places == nullptr ? nullptr : reference.places + i;
    if (component.kind == SubBlockKind::channel)
      ComponentEncoder<ChannelSubBlock>(symbols_, tables, grid, component, rect, texture, used, places).encode();
    else
      ComponentEncoder<ColorSubBlock>(symbols_, tables, grid, component, rect, texture, used, places).encode();
  }
  return symbols_.write(memory);
}

void add_touched(const TileGrid& grid, const Slice& slice, const TileVectors& of_tile, const BackendSlice& coded,
                 ReferencedTiles& touched) {
  const BlockRect first = grid.blocks(grid.component(0), slice);
  const auto vectors = std::span(of_tile).subspan(static_cast<size_t>(slice.sub_slice) * 2 / slice.sub_slices * 4);
  const int area = kPartitionSide / 4;
  for (int y = 0; y < (first.height() + area - 1) / area; ++y)
    for (int x = 0; x < (first.width() + area - 1) / area; ++x) {
      const MotionVector& vector = vectors[y * 4 + x];
      touch_area(grid, first, x, y, is_codable(vector) ? vector : MotionVector{}, touched);
    }
  for (const uint32_t tile : coded.referenced) touched.add(tile);
  touched.any |= coded.references_more;
}

}  // namespace texcast::compact
