#include "rd_slice_encoder.h"

#include <algorithm>
#include <limits>

#include "compact/adaptive_quantisation.h"
#include "compact/copied_partitions.h"
#include "compact/level_distortion.h"
#include "compact/symbol_writer.h"
#include "refitted_end_points.h"
#include "source_texels.h"

namespace texcast::compact {

// What is the same for all half-blocks of a unit.
struct RdSlice {
  const TileGrid& grid;
  const RdParameters& target;
  SliceHeader head;
  const SourceTexels* source = nullptr;      // what the blocks decode to stands for it
  std::span<const SubBlockTexels> texels{};  // instead
  const std::byte* before = nullptr;         // alone
  std::byte* texture = nullptr;
  SearchEffort effort{};
  CodedMask coded{};
  LambdaWeights lambda_weights{};
  std::array<bool, kMostPartitions> told{};  // areas that have a half-block which is not moved
};

namespace {

constexpr int kNothing = std::numeric_limits<int>::max();

// What a channel's difference is to contexts and costs.
struct ChannelDifference {
  uint8_t symbol = 0;
  uint8_t trait = 0;  // as a context's of the next one
  uint16_t escape_cost = 0;
};
class ChannelDifferences {
 public:
  constexpr ChannelDifferences() {
    for (int difference = -kMost; difference <= kMost; ++difference) {
      ChannelDifference& to = of_[static_cast<size_t>(difference + kMost)];
      const int size = difference < 0 ? -difference : difference;
      to.symbol = kResidualSymbols.of[fold(difference)];
      to.trait = static_cast<uint8_t>(2 * ((size > 0) + (size > 1) + (size > 3)) + (difference > 0));
      to.escape_cost = static_cast<uint16_t>(kEscapeCost[to.symbol]);
    }
  }
  const ChannelDifference& of(int difference) const { return of_[static_cast<size_t>(difference + kMost)]; }

 private:
  static constexpr int kMost = 255;
  std::array<ChannelDifference, 2 * kMost + 1> of_{};
};
constexpr ChannelDifferences kChannelDifferences;

class ChosenWriter {
 public:
  explicit ChosenWriter(ChosenSymbols& chosen) : chosen_(chosen) {}
  void put(int context, int symbol) { chosen_.put(context, symbol); }
  void bits(uint32_t value, int count) { put_bits(*this, value, count); }

 private:
  ChosenSymbols& chosen_;
};

// What a half-block's end points differ by from those that `mode` says.
template <typename SubBlock>
void put_difference(ChosenWriter& writer, EndPoints mode, const std::array<int, SubBlock::kValues>& difference,
                    int neighbours) {
  std::array<int, SubBlock::kValues> known{};
  for (int step = 0; step < SubBlock::kValues; ++step) {
    const int i = kOrder<SubBlock>[step];
    const uint32_t folded = fold(difference[i]);
    const int symbol = kResidualSymbols.of[folded];
    writer.put(residual_context<SubBlock>(mode, step, known, neighbours), symbol);
    if (const int escape = symbol - static_cast<int>(kDirect); escape >= 0)
      writer.bits(folded - kEscapeFirst[escape], kEscapeBits[escape]);
    known[i] = difference[i];
  }
}
template <typename SubBlock>
void put_ranks(ChosenWriter& writer, int group, const uint8_t* ranks) {
  for (int pair = 0; pair < 8; ++pair) {
    const int a = ranks[2 * pair], b = ranks[2 * pair + 1];
    writer.put(rank_context(group, pair, ranks), 4 * std::min(a, kPairLimit) + std::min(b, kPairLimit));
    if constexpr (SubBlock::kLevels > 4) {
      for (const int rank : {a, b})
        if (rank >= kPairLimit) writer.put(context::kFarRank.first + group, rank - kPairLimit);
    }
  }
}

// What the symbols of a unit take with the tables of each content.
class PriceWriter {
 public:
  explicit PriceWriter(const std::array<CodingTraining, kContents>& with) : with_(with) {}
  void use(TableSet set) {
    for (int i = 0; i < kContents; ++i) tables_[i] = with_[i].tables[static_cast<int>(set)];
  }
  void put(int context, int symbol) {
    for (int i = 0; i < kContents; ++i) prices_[i] += tables_[i]->cost[context][symbol];
  }
  void bits(uint32_t, int) {}  // the same with all
  Content cheapest() const { return static_cast<Content>(std::ranges::min_element(prices_) - prices_.begin()); }

 private:
  const std::array<CodingTraining, kContents>& with_;
  std::array<const CodingTables*, kContents> tables_{};
  std::array<int64_t, kContents> prices_{};
};

class ListWriter {
 public:
  ListWriter(SymbolList& list, const CodingTraining& with) : list_(list), with_(with) {}
  void use(TableSet set) {
    tables_ = with_.tables[static_cast<int>(set)];
    list_.count_into(with_.counts[static_cast<int>(set)]);
  }
  void put(int context, int symbol) {
    list_.make_room(1);
    list_.put(*tables_, context, symbol);
  }
  void bits(uint32_t value, int count) { put_bits(*this, value, count); }

 private:
  SymbolList& list_;
  const CodingTraining& with_;
  const CodingTables* tables_ = nullptr;
};
// namespace

// The half-blocks of one component, one after the other: each is what is best behind those before it.
template <typename SubBlock>
class ComponentChooser {
 public:
  ComponentChooser(RdSlice& slice, int component, const BlockRect& rect, const CodingTables& tables,
                   ChosenSymbols& chosen)
      : slice_(slice),
        component_(slice.grid.component(component)),
        luma_(component_.follows_luma() ? &slice.grid.component(0) : nullptr),
        number_(component),
        is_first_(component == 0),
        rect_(rect),
        tables_(tables),
        chosen_(chosen),
        before_(slice.before, component_),
        intra_(slice.head.form.intra),
        weight_(weight_of(slice.grid, component)),
        least_range_(least_range_of(component_, slice.head.quantiser)),
        lambda_(slice.target.lambda) {
    for (int group = 0; group <= kRankGroupIntra; ++group) {
      const auto of_group = std::span(tables.least_cost).subspan(context::kRanks.first + group * kRankContexts);
      least_rank_cost_[group] = *std::ranges::min_element(of_group.first(kRankContexts));
    }
  }

  void run() {
    if (!intra_) moved_areas_.load({component_, rect_, rect_}, slice_.head, slice_.before, slice_.texture);
    for (int y = rect_.y0; y < rect_.y1; ++y)
      for (int x = rect_.x0; x < rect_.x1; ++x) {
        half(x, y);
        chosen_.end_half();
      }
  }

 private:
  using Values = std::array<int, SubBlock::kValues>;
  struct Choice {
    int score = kNothing;  // loss and cost
    Kind kind{};
    uint64_t value = 0;
    EndPoints ends{};
    Indices indices{};
    Values difference{};
    int largest = 0;  // class of a difference
    uint8_t ranks[16]{};
  };
  // End points that are tried, and what they differ by from those that `mode` says.
  struct EndsChoice {
    uint32_t ends = 0;
    EndPoints mode{};
    int largest = 0;
    Values difference{};
  };
  // Three neighbours', recent ones and the fitted ones; own, of one shade and widened, and a guess's each.
  static constexpr int kMostEnds = 3 + kRecent + 1 + 3 + 4;
  static constexpr int kRankContexts = context::kRanks.size / (kRankGroupIntra + 1);

  int score_of(int loss, int cost) const { return loss * weight_ + static_cast<int>(int64_t{lambda_} * cost >> 5); }
  bool is_too_much(int loss, int cost) const { return score_of(loss, cost) >= best_.score; }
  // The largest cost that is not, whatever is lost.
  int most_cost() const {
    if (lambda_ == 0) return kNothing;
    return static_cast<int>(std::min<int64_t>((int64_t{best_.score} * 32 - 1) / lambda_, kNothing));
  }
  int cost_of(int context, int symbol) const { return tables_.cost[context][symbol]; }
  int least_cost(int context) const { return tables_.least_cost[context]; }

  void half(int x, int y) {
    const int column = x - rect_.x0, row = y - rect_.y0;
    NeighbourState& trace = traces_[column];
    left_trace_ = column > 0 ? traces_[column - 1] : NeighbourState{};
    above_trace_ = trace;
    has_left_ = column > 0;
    has_above_ = row > 0;
    std::byte* const at = slice_.texture + component_.at(x, y);
    plain_ = load_sub_block(at);
    load_source(x, y);
    left_ = has_left_ ? load_sub_block(slice_.texture + component_.at(x - 1, y)) : kNoSubBlock;
    above_ = has_above_ ? load_sub_block(slice_.texture + component_.at(x, y - 1)) : kNoSubBlock;
    if (luma_ != nullptr) luma_half_ = load_sub_block(slice_.texture + luma_->at(x, y));
    best_ = {};

    int area = 0;
    MotionVector v;
    if (!intra_) {
      area = partition_of(component_, column, row);
      lambda_ = slice_.target.lambda * slice_.lambda_weights[area] / kFullLambda;
      v = in_component(slice_.head.vectors[area], component_);
    }
    const bool is_zero = v == MotionVector{};
    kind_context_ = lossy_kind_context(left_trace_, above_trace_, intra_, is_zero,
                                       !is_first_ && slice_.coded.any(column, row, component_));
    if (!intra_) {
      offer_moved(x, y, v);
      if (!is_zero && !is_too_much(0, cost_of_kind(Kind::co_located))) {
        const uint64_t stayed = before_.sub_block(x, y);
        offer(Kind::co_located, stayed, {component_.kind, stayed});
      }
    }
    if (has_left_) offer(Kind::left, left_, texels_[column - 1]);
    if (has_above_) offer(Kind::above, above_, texels_[column]);
    choose_coded();

    if (best_.kind == Kind::coded) {
      put_coded();
      trace = neighbour_state(best_.ends, best_.indices, best_.largest);
      texels_[column] = {component_.kind, best_.value};
      if (is_first_) slice_.coded.set(column, row);
    } else {
      chosen_.put(kind_context_, static_cast<int>(best_.kind));
      trace = neighbour_state(best_.kind);
      texels_[column] = best_texels_;
    }
    if (best_.kind != Kind::motion_copy) slice_.told[area] = true;
    store_sub_block(at, best_.value);
  }

  void load_source(int x, int y) {
    if constexpr (SubBlock::kChannels == 1) {
      if (!slice_.texels.empty()) {
        source_.texels = load_vector<U8x16>(slice_.texels[component_.at(x, y) / 8].data());
        return;
      }
    }
    source_ = slice_.source == nullptr ? BlockTexels<SubBlock>(component_.kind, plain_)
                                       : slice_.source->sub_block<SubBlock>(number_, x, y);
  }

  void offer_moved(int x, int y, const MotionVector& v) {
    const int column = x + (v.x >> 3), row = y + (v.y >> 3);
    at_vector_ = before_.nearest(x + round_div8(v.x), y + round_div8(v.y));
    if (v.x % 8 == 0 && v.y % 8 == 0 && before_.has(column, row)) {
      const uint64_t half = before_.sub_block(column, row);
      pixels_ = {component_.kind, half};
      window_.take(pixels_.bytes());
      return offer(Kind::motion_copy, half, pixels_);
    }
    pixels_.load(moved_areas_.pixels_at(x - rect_.x0, y - rect_.y0));
    window_.take(pixels_.bytes());
    const uint64_t fitted = fitted_sub_block(window_, component_.kind);
    offer(Kind::motion_copy, fitted, {component_.kind, fitted});
  }

  int cost_of_kind(Kind kind) const { return cost_of(kind_context_, static_cast<int>(kind)); }
  // `texels`: of the value.
  void offer(Kind kind, uint64_t value, const BlockTexels<SubBlock>& texels) {
    const int cost = cost_of_kind(kind);
    if (is_too_much(0, cost)) return;
    const int score = score_of(squared_error_of(texels, source_), cost);
    if (score >= best_.score) return;
    best_.score = score;
    best_.kind = kind;
    best_.value = value;
    best_texels_ = texels;
  }

  // End points.
  void choose_coded() {
    ends_context_ = end_points_context(left_trace_, above_trace_, intra_);
    neighbours_ = std::max(left_trace_.residual, above_trace_.residual);
    const int indices = std::min(least_cost(indices_context(left_trace_, above_trace_, intra_, false)),
                                 least_cost(indices_context(left_trace_, above_trace_, intra_, true)));
    const int coded = cost_of_kind(Kind::coded);
    if (is_too_much(0, coded + least_cost(ends_context_) + indices + slice_.effort.least_saved)) return;
    most_ends_cost_ = most_cost() - coded - indices;
    count_ = 0;
    guess_count_ = 0;
    const uint32_t at_vector = ends_of<SubBlock>(at_vector_), left = ends_of<SubBlock>(left_),
                   above = ends_of<SubBlock>(above_);
    if (!intra_) add(at_vector, EndPoints::reference);
    if (has_left_) add(left, EndPoints::left);
    if (has_above_) add(above, EndPoints::above);
    for (int i = 0; i < kRecent; ++i)
      add(ends_of<SubBlock>(recent_[i]), static_cast<EndPoints>(static_cast<int>(EndPoints::recent) + i));
    if (!intra_) guess(at_vector, EndPoints::near_reference);
    if (has_left_ || intra_) guess(left, EndPoints::near_left);
    if (has_above_) guess(above, EndPoints::near_above);
    if (!intra_) {
      is_foreign_ = squared_error_of(pixels_, source_) * weight_ > score_of(0, kForeignBits * 32);
      const uint32_t fitted = widened_ends<SubBlock>(window_.fitted(), least_range_);
      guess(fitted, EndPoints::near_fit);
      add(fitted, EndPoints::fit);
    }
    const uint32_t own = ends_of<SubBlock>(plain_);
    add_near(own);
    add_near(mean());
    if constexpr (SubBlock::kValues == 2) {
      const auto v = SubBlock::values(own);
      if (v[0] > v[1]) add_near(widened_ends<SubBlock>(own, least_range_));
      if (!intra_) add_moved();
    }
    try_added(coded, indices, slice_.effort.candidates);
    if constexpr (SubBlock::kValues == 2) try_refitted(coded, indices);
  }
  // Of the end points that were added so many, those that may lose least first: most of the others cannot be better
  // then. `indices`: what they take at least.
  void try_added(int coded, int indices, int most) {
    struct Try {
      int least;  // score, whatever the indices
      int which;
    };
    std::array<Try, kMostEnds> tries;
    int left_to_try = 0;
    for (int i = 0; i < count_; ++i) {
      if (costs_[i] > most_ends_cost_) continue;
      losses_[i].measure(component_.kind, ends_[i], source_);
      tries[left_to_try] = {score_of(losses_[i].least, coded + costs_[i] + indices), i};
      if (tries[left_to_try].least < best_.score) ++left_to_try;
    }
    for (int tried = 0; tried < most && left_to_try > 0; ++tried) {
      int first = 0;
      for (int i = 1; i < left_to_try; ++i)
        if (tries[i].least < tries[first].least) first = i;
      const auto [least, which] = tries[first];
      if (least >= best_.score) return;
      try_ends(choice_of(which), losses_[which], coded + costs_[which]);
      --left_to_try;
      for (int i = first; i < left_to_try; ++i) tries[i] = tries[i + 1];
    }
  }
  // Where end points of its own are best so far: others that its levels ask for.
  void try_refitted(int coded, int indices) {
    if (best_.kind != Kind::coded || slice_.effort.refits == 0) return;
    const uint32_t ends = ends_of<SubBlock>(best_.value);
    const bool full = SubBlock::full(component_.kind, ends);
    const auto fitted = refitted_ends(levels_of<SubBlock>(best_.value, full), source_.bytes(), full);
    if (!fitted) return;
    most_ends_cost_ = most_cost() - coded - indices;
    count_ = 0;
    for (int i = 0; i < slice_.effort.refits; ++i) {
      const Values values{(*fitted)[0] + kRefits[i][0], (*fitted)[1] + kRefits[i][1]};
      const auto is_byte = [](int v) { return v >= 0 && v <= 255; };
      if (std::ranges::all_of(values, is_byte) && (values[0] > values[1]) == full && SubBlock::ends(values) != ends)
        add_near(SubBlock::ends(values));
    }
    try_added(coded, indices, kMostRefits);
  }

  struct Guess {
    Values values{};
    EndPoints mode{};
    int cost = 0;      // of the mode
    int contexts = 0;  // the first of its differences
  };

  void guess(uint32_t ends, EndPoints mode) {
    const int which = static_cast<int>(mode) - static_cast<int>(EndPoints::near_reference);
    guesses_[guess_count_++] = {SubBlock::values(ends), mode, cost_of(ends_context_, static_cast<int>(mode)),
                                context::kResidual.first + which * context::kResidual.size / 4};
  }

  void add(uint32_t ends, EndPoints mode) { keep(ends, mode, cost_of(ends_context_, static_cast<int>(mode))); }
  void keep(uint32_t ends, EndPoints mode, int cost) {
    int i = 0;
    while (i < count_ && ends_[i] != ends) ++i;
    if (i == count_) {
      ++count_;
    } else if (cost >= costs_[i]) {
      return;
    }
    ends_[i] = ends;
    modes_[i] = mode;
    costs_[i] = cost;
  }
  // By the guess from which it takes least. What takes too much only keeps its place, where the same may be added.
  void add_near(uint32_t ends) {
    const Values values = SubBlock::values(ends);
    EndPoints mode{};
    int least = kNothing, most = most_ends_cost_;
    for (const Guess& guess : std::span(guesses_).first(guess_count_)) {
      const int cost = cost_near(guess, values, most);
      if (cost > most) continue;
      mode = guess.mode;
      least = cost;
      most = cost - 1;
    }
    keep(ends, mode, least);
  }
  // More than `most` where it takes more than that.
  int cost_near(const Guess& guess, const Values& values, int most) const {
    int cost = guess.cost;
    if constexpr (SubBlock::kValues == 2) {
      // As below; its two contexts of many are here for so many half-blocks that it is worth the tables.
      const ChannelDifference &first = kChannelDifferences.of(values[0] - guess.values[0]),
                              &second = kChannelDifferences.of(values[1] - guess.values[1]);
      const auto* const costs = &tables_.cost[guess.contexts];
      return cost + costs[neighbours_][first.symbol] + first.escape_cost +
             costs[4 + neighbours_ * 8 + first.trait][second.symbol] + second.escape_cost;
    }
    Values known{};
    for (int step = 0; step < SubBlock::kValues && cost <= most; ++step) {
      const int i = kOrder<SubBlock>[step];
      known[i] = values[i] - guess.values[i];
      const int symbol = kResidualSymbols.of[fold(known[i])];
      cost += cost_of(residual_context<SubBlock>(guess.mode, step, known, neighbours_), symbol) + kEscapeCost[symbol];
    }
    return cost;
  }
  EndsChoice choice_of(int i) const {
    EndsChoice choice{.ends = ends_[i], .mode = modes_[i]};
    if (!has_residual(static_cast<int>(choice.mode))) return choice;
    const Guess& guess = *std::ranges::find(guesses_, choice.mode, &Guess::mode);
    const Values values = SubBlock::values(choice.ends);
    for (int v = 0; v < SubBlock::kValues; ++v) {
      choice.difference[v] = values[v] - guess.values[v];
      choice.largest = std::max(choice.largest, magnitude_class(choice.difference[v]));
    }
    return choice;
  }
  // All of one colour or value.
  uint32_t mean() const {
    const auto of = means_of(source_);
    if constexpr (SubBlock::kChannels == 1) {
      return SubBlock::ends({of[0], of[0]});
    } else {
      const auto five = [](int v) { return (v * 31 + 127) / 255; };
      const auto six = [](int v) { return (v * 63 + 127) / 255; };
      return SubBlock::ends({five(of[0]), six(of[1]), five(of[2]), five(of[0]), six(of[1]), five(of[2])});
    }
  }
  // Those of each guess, both lighter or darker by as much as the texels are.
  void add_moved() {
    const int sum = sum_of(source_) - sum_of(pixels_);
    const int more = (sum + (sum < 0 ? -8 : 8)) / 16;
    if (more == 0) return;
    for (const Guess& guess : std::span(guesses_).first(guess_count_)) {
      auto v = guess.values;
      for (int& value : v) value = std::clamp(value + more, 0, 255);
      add_near(SubBlock::ends(v));
    }
  }

  // Indices.
  void try_ends(const EndsChoice& ends, LevelDistortion<SubBlock>& losses, int cost) {
    const bool full = SubBlock::full(component_.kind, ends.ends);
    const int context = indices_context(left_trace_, above_trace_, intra_, ends.largest > 1);
    const auto cost_with = [&](Indices mode) { return cost + cost_of(context, static_cast<int>(mode)); };
    try_constant(ends, full, losses, cost_with(Indices::constant));
    if (!intra_) try_same(ends, full, losses, Indices::reference, at_vector_, cost_with(Indices::reference));
    if (has_left_) try_same(ends, full, losses, Indices::left, left_, cost_with(Indices::left));
    if (has_above_) try_same(ends, full, losses, Indices::above, above_, cost_with(Indices::above));
    if constexpr (SubBlock::kLevels > 4) {
      if (luma_ != nullptr) {
        try_same(ends, full, losses, Indices::luma, luma_half_, cost_with(Indices::luma));
        const uint64_t mirrored = luma_indices(luma_half_, Indices::mirrored_luma) << SubBlock::kEndPointBits;
        try_same(ends, full, losses, Indices::mirrored_luma, mirrored, cost_with(Indices::mirrored_luma));
      }
    }
    const bool is_alone_too = intra_ || is_foreign_;  // without the frame before where that tells little
    if (is_too_much(losses.least, cost + least_cost(context))) return;
    losses.find_nearest();
    if (!intra_) {
      const CarryPositions places = carry_positions(window_, component_.kind, ends.ends);
      const int steps = SubBlock::steps(full);
      try_predicted(ends, full, losses, places.levels(steps), cost_with(Indices::predicted));
      for (int group = 0; group < kGroups; ++group) {
        const auto mode = static_cast<Indices>(static_cast<int>(Indices::near_0) + group);
        try_ranks(ends, full, losses, mode, group, cost_with(mode), ByCarried(places, steps));
      }
    }
    if (!is_alone_too) return;
    if constexpr (SubBlock::kLevels == 4) {
      try_levels(ends, full, losses, cost_with(Indices::intra));
    } else {
      try_texels(ends, full, losses, cost_with(Indices::texels));
      try_ranks(ends, full, losses, Indices::intra, kRankGroupIntra, cost_with(Indices::intra),
                ByGuess(SubBlock::steps(full)));
    }
  }

  void take(const EndsChoice& ends, Indices mode, uint64_t value, const uint8_t* ranks, int score) {
    best_.score = score;
    best_.kind = Kind::coded;
    best_.value = value;
    best_.ends = ends.mode;
    best_.indices = mode;
    best_.difference = ends.difference;
    best_.largest = ends.largest;
    if (ranks != nullptr) std::copy_n(ranks, 16, best_.ranks);
  }

  void try_constant(const EndsChoice& ends, bool full, const LevelDistortion<SubBlock>& losses, int cost) {
    if (is_too_much(losses.least, cost + least_cost(context::kLevel.first))) return;
    for (int level = 0; level < SubBlock::kLevels; ++level) {
      const int all = cost + cost_of(context::kLevel.first, level);
      if (is_too_much(losses.least, all)) continue;
      const int score = score_of(losses.sum_of_all(level), all);
      if (score >= best_.score) continue;
      Levels levels;
      levels.fill(static_cast<uint8_t>(level));
      take(ends, Indices::constant, with_levels<SubBlock>(ends.ends, levels, full), nullptr, score);
    }
  }
  void try_same(const EndsChoice& ends, bool full, const LevelDistortion<SubBlock>& losses, Indices mode, uint64_t of,
                int cost) {
    if (is_too_much(losses.least, cost)) return;
    const int score = score_of(losses.sum(level_vector<SubBlock>(of, full)), cost);
    if (score >= best_.score) return;
    take(ends, mode, indices_of<SubBlock>(of) << SubBlock::kEndPointBits | ends.ends, nullptr, score);
  }
  void try_predicted(const EndsChoice& ends, bool full, const LevelDistortion<SubBlock>& losses, U8x16 levels,
                     int cost) {
    if (is_too_much(losses.least, cost)) return;
    const int score = score_of(losses.sum(levels), cost);
    if (score >= best_.score) return;
    const uint64_t indices = packed<SubBlock>(indices_of_levels<SubBlock>(levels, SubBlock::steps(full)));
    take(ends, Indices::predicted, indices << SubBlock::kEndPointBits | ends.ends, nullptr, score);
  }

  // The level that is taken to be next, and whether the place lies beyond it.
  struct Predicted {
    int nearest;
    bool beyond;
  };
  // By the pixels at the vector, and what is carried. at(i) is asked after put() of all before i; put() again replaces.
  class ByCarried {
   public:
    ByCarried(const CarryPositions& places, int steps) : places_(places), steps_(steps) {}
    Predicted at(int i) const {
      const int place = places_.eighths[i] + (i % 4 != 0 ? left_ : 0) + above_[i % 4];
      const int nearest = std::clamp((place + 3) >> 3, 0, steps_);
      return {nearest, place > 8 * nearest};
    }
    void put(int i, int level) { left_ = above_[i % 4] = 3 * std::min(level, steps_) - places_.predicted[i]; }

   private:
    const CarryPositions& places_;
    const int steps_;
    int left_ = 0, above_[4]{};
  };
  // By the levels on the left and above.
  class ByGuess {
   public:
    explicit ByGuess(int steps) : steps_(steps) {}
    Predicted at(int i) const { return {predicted_intra_level(levels_, i, steps_), true}; }
    void put(int i, int level) { levels_[i] = static_cast<uint8_t>(level); }

   private:
    const int steps_;
    uint8_t levels_[16]{};
  };
  // Calls `call(rank, level, loss)` with a texel's levels that may be worth their bits: the predicted one, the nearest
  // to the source, and what lies before that one.
  template <typename Call>
  static __attribute__((always_inline)) void for_options(const LevelDistortion<SubBlock>& losses, int i,
                                                         const Predicted& predicted, bool full, const Call& call) {
    const int best = losses.nearest[i], least = losses.of_nearest(i);
    if (best == predicted.nearest) return call(0, best, least);
    const int loss = losses.at(i, predicted.nearest);
    call(0, predicted.nearest, loss);
    if (least >= loss) return;
    const auto& ranks = kRankTable<SubBlock>.rank[full][predicted.nearest][predicted.beyond];
    call(ranks[best], best, least);
    const int between = best > predicted.nearest ? best - 1 : best + 1;
    if (best <= SubBlock::steps(full) && between != predicted.nearest)
      call(ranks[between], between, losses.at(i, between));
  }
  // Pair by pair what is best behind the pairs before it.
  template <typename Predictor>
  void try_ranks(const EndsChoice& ends, bool full, const LevelDistortion<SubBlock>& losses, Indices mode, int group,
                 int cost, Predictor predictor) {
    // What the pairs to come lose and cost at least.
    int rest = losses.least, rest_cost = 8 * least_rank_cost_[group];
    if (is_too_much(rest, cost + rest_cost)) return;
    uint8_t ranks[16];
    Levels levels;
    int loss = 0;
    const auto far = [&](int rank) {
      return SubBlock::kLevels > 4 && rank >= kPairLimit ? cost_of(context::kFarRank.first + group, rank - kPairLimit)
                                                         : 0;
    };
    for (int pair = 0; pair < 8; ++pair) {
      const int i = 2 * pair;
      const auto& costs = tables_.cost[rank_context(group, pair, ranks)];
      int least = kNothing, pair_cost = 0, pair_loss = 0, best_rank_a = 0, best_level_a = 0, best_rank_b = 0,
          best_level_b = 0;
      for_options(losses, i, predictor.at(i), full, [&](int rank_a, int level_a, int loss_a) {
        predictor.put(i, level_a);
        const auto* const costs_of_a = costs.data() + 4 * std::min(rank_a, kPairLimit);
        const int far_a = far(rank_a);
        for_options(losses, i + 1, predictor.at(i + 1), full, [&](int rank_b, int level_b, int loss_b) {
          const int both = costs_of_a[std::min(rank_b, kPairLimit)] + far_a + far(rank_b);
          const int lost = loss_a + loss_b, score = score_of(lost, both);
          if (score >= least) return;
          least = score;
          best_rank_a = rank_a;
          best_level_a = level_a;
          best_rank_b = rank_b;
          best_level_b = level_b;
          pair_cost = both;
          pair_loss = lost;
        });
      });
      cost += pair_cost;
      loss += pair_loss;
      rest -= losses.of_nearest(i) + losses.of_nearest(i + 1);
      rest_cost -= least_rank_cost_[group];
      if (is_too_much(loss + rest, cost + rest_cost)) return;
      predictor.put(i, best_level_a);
      predictor.put(i + 1, best_level_b);
      ranks[i] = static_cast<uint8_t>(best_rank_a);
      ranks[i + 1] = static_cast<uint8_t>(best_rank_b);
      levels[i] = static_cast<uint8_t>(best_level_a);
      levels[i + 1] = static_cast<uint8_t>(best_level_b);
    }
    take(ends, mode, with_levels<SubBlock>(ends.ends, levels, full), ranks, score_of(loss, cost));
  }
  // The levels nearest to the source, one after the other.
  void try_texels(const EndsChoice& ends, bool full, const LevelDistortion<SubBlock>& losses, int cost) {
    for (int i = 0; i < 16; ++i) cost += cost_of(direct_level_context(losses.nearest, i), losses.nearest[i]);
    if (!is_too_much(losses.least, cost))
      take(ends, Indices::texels, with_levels<SubBlock>(ends.ends, losses.nearest, full), nullptr,
           score_of(losses.least, cost));
  }
  // Colours without the frame before.
  void try_levels(const EndsChoice& ends, bool full, const LevelDistortion<SubBlock>& losses, int cost) {
    Levels levels{};
    int loss = 0;
    for (int pair = 0; pair < 8; ++pair) {
      const int context = level_pair_context(pair, levels.data()), i = 2 * pair;
      int least = kNothing, best = 0;
      for (int symbol = 0; symbol < 16; ++symbol) {
        const int score = score_of(losses.at(i, symbol >> 2) + losses.at(i + 1, symbol & 3), cost_of(context, symbol));
        if (score >= least) continue;
        least = score;
        best = symbol;
      }
      levels[i] = static_cast<uint8_t>(best >> 2);
      levels[i + 1] = static_cast<uint8_t>(best & 3);
      cost += cost_of(context, best);
      loss += losses.at(i, levels[i]) + losses.at(i + 1, levels[i + 1]);
    }
    if (!is_too_much(loss, cost))
      take(ends, Indices::intra, with_levels<SubBlock>(ends.ends, levels, full), nullptr, score_of(loss, cost));
  }

  void put_coded() {
    ChosenWriter writer(chosen_);
    writer.put(kind_context_, static_cast<int>(Kind::coded));
    writer.put(ends_context_, static_cast<int>(best_.ends));
    if (has_residual(static_cast<int>(best_.ends)))
      put_difference<SubBlock>(writer, best_.ends, best_.difference, neighbours_);
    const uint32_t ends = ends_of<SubBlock>(best_.value);
    recent_.push(ends);
    writer.put(indices_context(left_trace_, above_trace_, intra_, best_.largest > 1), static_cast<int>(best_.indices));
    const Levels levels = levels_of<SubBlock>(best_.value, SubBlock::full(component_.kind, ends));
    if (best_.indices == Indices::constant) writer.put(context::kLevel.first, levels[0]);
    if (is_near(static_cast<int>(best_.indices)))
      put_ranks<SubBlock>(writer, static_cast<int>(best_.indices) - static_cast<int>(Indices::near_0), best_.ranks);
    if (best_.indices == Indices::texels)
      for (int i = 0; i < 16; ++i) writer.put(direct_level_context(levels, i), levels[i]);
    if (best_.indices != Indices::intra) return;
    if constexpr (SubBlock::kLevels > 4) {
      put_ranks<SubBlock>(writer, kRankGroupIntra, best_.ranks);
    } else {
      for (int pair = 0; pair < 8; ++pair)
        writer.put(level_pair_context(pair, levels.data()), 4 * levels[2 * pair] + levels[2 * pair + 1]);
    }
  }

  // What pixels of the frame before have to be off by, worth so many bits, to be of little help.
  static constexpr int kForeignBits = 60;
  // Ranks with the statistics of blocks that hardly differ: with a quantiser's range there are few others.
  static constexpr int kGroups = 1;

  RdSlice& slice_;
  const Component& component_;
  const Component* const luma_;  // whose indices may be taken over
  const int number_;
  const bool is_first_;
  const BlockRect rect_;
  const CodingTables& tables_;
  ChosenSymbols& chosen_;
  const ReferenceComponent before_;
  const bool intra_;
  const int weight_, least_range_;
  int lambda_;
  std::array<int, kRankGroupIntra + 1> least_rank_cost_{};  // of a pair, by group
  std::array<NeighbourState, kMostSliceColumns> traces_{};
  RecentEndPoints recent_;
  // Of the half-block at hand.
  bool has_left_ = false, has_above_ = false;
  NeighbourState left_trace_, above_trace_;
  uint64_t plain_ = 0, left_ = 0, above_ = 0, at_vector_ = 0, luma_half_ = 0;
  BlockTexels<SubBlock> source_, pixels_, best_texels_;
  std::array<BlockTexels<SubBlock>, kMostSliceColumns> texels_{};  // of what was chosen last in each column
  PredictionBlock<SubBlock> window_;                               // of the pixels
  CopiedPartitions<SubBlock> moved_areas_;
  int kind_context_ = 0, ends_context_ = 0, neighbours_ = 0;
  std::array<Guess, 4> guesses_{};
  size_t guess_count_ = 0;
  int most_ends_cost_ = 0;  // of end points that take more none is better
  // End points that a coded half-block may have, what says so, and what that takes, in 1/32 bits.
  std::array<uint32_t, kMostEnds> ends_{};
  std::array<EndPoints, kMostEnds> modes_{};
  std::array<int, kMostEnds> costs_{};
  std::array<LevelDistortion<SubBlock>, kMostEnds> losses_;
  int count_ = 0;
  bool is_foreign_ = false;
  Choice best_;
};

// Calls `call(x, y)` for the areas of a unit, row by row; `first`: its half-blocks in the first component.
template <typename Call>
void for_each_area(const BlockRect& first, const Call& call) {
  constexpr int kPartition = kPartitionSide / 4;
  const int columns = (first.width() + kPartition - 1) / kPartition,
            rows = (first.height() + kPartition - 1) / kPartition;
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < columns; ++x) call(x, y);
}
// All that lies at an area's vector, which is in halves of a pixel.
void touch_pixels(const TileGrid& grid, const BlockRect& first, int x, int y, const MotionVector& v,
                  ReferencedTiles& touched) {
  // In pixels, away from zero: as far as any pixel that is fetched.
  const auto pixels = [](int halves) { return (halves + (halves > 0) - (halves < 0)) / 2; };
  touch_area(grid, first, x, y, {pixels(v.x), pixels(v.y)}, touched);
}

// `touched` (may be nullptr) is told of all that lies at the areas' vectors.
template <typename Writer>
void put_areas(Writer& writer, const RdSlice& chosen, const Slice& slice, ReferencedTiles* touched) {
  const BlockRect first = chosen.grid.blocks(chosen.grid.component(0), slice);
  std::array<Partition, kMostPartitions> areas{};
  for_each_area(first, [&](int x, int y) {
    const Partition left = x > 0 ? areas[y * 4 + x - 1] : Partition{};
    const Partition above = y > 0 ? areas[(y - 1) * 4 + x] : Partition{};
    Partition& area = areas[y * 4 + x];
    area = {chosen.head.vectors[y * 4 + x], !chosen.told[y * 4 + x]};
    const PartitionVector from = area.vector == MotionVector{} ? PartitionVector::zero
                                 : area.vector == left.vector  ? PartitionVector::left
                                 : area.vector == above.vector ? PartitionVector::above
                                                               : PartitionVector::other;
    writer.put(partition_context(left, above), static_cast<int>(from) + (area.copied ? kPartitionCopied : 0));
    if (from == PartitionVector::other) {
      const MotionVector& guess = vector_predictor(x, left, above);
      put_vector(writer, false, {area.vector.x - guess.x, area.vector.y - guess.y});
    }
    if (touched != nullptr) touch_pixels(chosen.grid, first, x, y, area.vector, *touched);
  });
}

// The symbols of a unit of one tile, as docs/compact.md has them.
template <typename Writer>
void put_unit(Writer& writer, const RdSlice& chosen, const Slice& slice, const ChosenSymbols& symbols,
              ReferencedTiles* touched) {
  const TileGrid& grid = chosen.grid;
  const bool intra = chosen.head.form.intra;
  writer.use(grid.component(0).tables);
  if (!intra) writer.bits(static_cast<uint32_t>(chosen.head.quantiser), 4);
  writer.bits(static_cast<uint32_t>(chosen.head.content), 2);
  if (!intra) put_areas(writer, chosen, slice, touched);
  size_t half = 0;
  for (int i = 0; i < grid.component_count(); ++i) {
    const Component& component = grid.component(i);
    const BlockRect rect = grid.blocks(component, slice);
    writer.use(component.tables);
    for (int y = rect.y0; y < rect.y1; ++y) {
      for (int x = rect.x0; x < rect.x1; ++x, ++half) {
        if (!intra && !chosen.told[partition_of(component, x - rect.x0, y - rect.y0)]) continue;
        for (const uint32_t symbol : symbols.of_half(half))
          writer.put(static_cast<int>(symbol >> 4), static_cast<int>(symbol & 15));
      }
    }
  }
}

// What is known before anything is chosen.
RdSlice unit_to_choose(const TileGrid& grid, const RdParameters& target, const Reference& reference) {
  const bool intra = reference.texture == nullptr;
  RdSlice slice{.grid = grid,
                .target = target,
                .head = {.form = {.lossy = true, .intra = intra}, .quantiser = target.quantiser},
                .before = reference.texture};
  for (size_t i = 0; i < reference.vectors.size() && i < kMostPartitions; ++i)
    if (is_codable(reference.vectors[i])) slice.head.vectors[i] = reference.vectors[i];
  return slice;
}

}  // namespace

RdSliceEncoder::RdSliceEncoder() : with_{} {
  for (int content = 0; content < kContents; ++content)
    for (int set = 0; set < kTableSets; ++set)
      with_[content].tables[set] = &lossy_tables(static_cast<Content>(content), static_cast<TableSet>(set));
}
RdSliceEncoder::RdSliceEncoder(const CodingTraining& training) { with_.fill(training); }

size_t RdSliceEncoder::encode(const TileGrid& grid, const Slice& slice, const RdParameters& target,
                              const SearchEffort& effort, Content expected, const RdSource& source, std::byte* texture,
                              const Reference& reference, MutableBytes memory) {
  RdSlice choosing = unit_to_choose(grid, target, reference);
  if (source.picture != nullptr) {
    source_.read(grid, slice, *source.picture);
    choosing.source = &source_;
  }
  choosing.texels = source.texels;
  choosing.texture = texture;
  choosing.effort = effort;
  choosing.lambda_weights.fill(kFullLambda);
  std::ranges::copy_n(reference.lambda_weights.begin(),
                      static_cast<ptrdiff_t>(std::min(reference.lambda_weights.size(), choosing.lambda_weights.size())),
                      choosing.lambda_weights.begin());
  chosen_.clear();
  for (int i = 0; i < grid.component_count(); ++i) {
    const BlockRect rect = grid.blocks(grid.component(i), slice);
    const CodingTables& tables = *with_[static_cast<int>(expected)].tables[static_cast<int>(grid.component(i).tables)];
    if (grid.component(i).kind == SubBlockKind::channel)
      ComponentChooser<ChannelSubBlock>(choosing, i, rect, tables, chosen_).run();
    else
      ComponentChooser<ColorSubBlock>(choosing, i, rect, tables, chosen_).run();
  }
  return write(choosing, slice, reference.touched, memory);
}

void RdSliceEncoder::list_chosen(const TileGrid& grid, const EncodedTile& chosen, SymbolList& symbols) const {
  symbols.clear();
  uint32_t begin = 0;
  for (int i = 0; i < grid.component_count(); ++i) {
    const uint32_t end = chosen.ends[static_cast<size_t>(i)];
    symbols.put_all(*with_[static_cast<int>(chosen.content)].tables[static_cast<int>(grid.component(i).tables)],
                    chosen.symbols.subspan(begin, end - begin));
    begin = end;
  }
}

void RdSliceEncoder::touch_chosen(const TileGrid& grid, uint32_t tile, const EncodedTile& chosen,
                                  ReferencedTiles& touched) {
  const BlockRect first = grid.blocks(grid.component(0), {.tile = tile});
  for_each_area(first, [&](int x, int y) {
    const MotionVector& v = chosen.vectors[static_cast<size_t>(y * 4 + x)];
    touch_pixels(grid, first, x, y, is_codable(v) ? v : MotionVector{}, touched);
  });
}

size_t RdSliceEncoder::write(RdSlice& chosen, const Slice& slice, ReferencedTiles* touched, MutableBytes memory) {
  PriceWriter prices(with_);
  put_unit(prices, chosen, slice, chosen_, nullptr);
  content_ = prices.cheapest();
  chosen.head.content = static_cast<int>(content_);
  symbols_.clear();
  ListWriter list(symbols_, with_[static_cast<int>(content_)]);
  put_unit(list, chosen, slice, chosen_, touched);
  return symbols_.write(memory, kLossyEndState);
}

size_t RdSliceEncoder::write_run(std::span<const SymbolList> tiles, bool intra, SymbolList& memory_of_run,
                                 MutableBytes memory) {
  memory_of_run.clear();
  for (size_t i = 0; i < tiles.size(); ++i) memory_of_run.append(tiles[i], i > 0 ? slice_header_symbols(intra) : 0);
  return memory_of_run.write(memory, kLossyEndState);
}

}  // namespace texcast::compact
