#include "lossy_unit_encoder.h"

#include <algorithm>
#include <limits>

#include "area_lambda.h"
#include "level_losses.h"
#include "moved_areas.h"
#include "source_texels.h"
#include "symbol_writer.h"

namespace texcast::compact {

// What is the same for all half-blocks of a unit.
struct UnitToChoose {
  const TileGrid& grid;
  const LossyTarget& target;
  UnitHead head;
  const SourceTexels* source = nullptr;  // what the blocks decode to stands for it
  std::span<const HalfTexels> texels{};  // instead
  const std::byte* before = nullptr;     // alone
  std::byte* texture = nullptr;
  LossyEffort effort{};
  CodedPlaces coded{};
  LambdaParts lambda_parts{};
  std::array<bool, kMostAreas> told{};  // areas that have a half-block which is not moved
};

namespace {

constexpr int kNothing = std::numeric_limits<int>::max();

class ChosenWriter {
 public:
  explicit ChosenWriter(ChosenSymbols& chosen) : chosen_(chosen) {}
  void put(int context, int symbol) { chosen_.put(context, symbol); }
  void bits(uint32_t value, int count) { put_bits(*this, value, count); }

 private:
  ChosenSymbols& chosen_;
};

// What a half-block's end points differ by from those that `mode` says.
template <typename Half>
void put_difference(ChosenWriter& writer, EndPoints mode, const std::array<int, Half::kValues>& difference,
                    int neighbours) {
  std::array<int, Half::kValues> known{};
  for (int step = 0; step < Half::kValues; ++step) {
    const int i = kOrder<Half>[step];
    const uint32_t folded = fold(difference[i]);
    const int symbol = kDifferenceSymbols.of[folded];
    writer.put(difference_context<Half>(mode, step, known, neighbours), symbol);
    if (const int escape = symbol - static_cast<int>(kDirect); escape >= 0)
      writer.bits(folded - kEscapeFirst[escape], kEscapeBits[escape]);
    known[i] = difference[i];
  }
}
template <typename Half>
void put_ranks(ChosenWriter& writer, int group, const uint8_t* ranks) {
  for (int pair = 0; pair < 8; ++pair) {
    const int a = ranks[2 * pair], b = ranks[2 * pair + 1];
    writer.put(rank_context(group, pair, ranks), 4 * std::min(a, kPairLimit) + std::min(b, kPairLimit));
    if constexpr (Half::kLevels > 4) {
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
template <typename Half>
class ComponentChooser {
 public:
  ComponentChooser(UnitToChoose& unit, int component, const BlockRect& rect, const CodingTables& tables,
                   ChosenSymbols& chosen)
      : unit_(unit),
        component_(unit.grid.component(component)),
        number_(component),
        is_first_(component == 0),
        rect_(rect),
        tables_(tables),
        chosen_(chosen),
        before_(unit.before, component_),
        alone_(unit.head.form.alone),
        weight_(weight_of(unit.grid, component)),
        least_range_(least_range_of(component_, unit.head.quantiser)),
        lambda_(unit.target.lambda) {}

  void run() {
    if (!alone_) moved_areas_.load({component_, rect_, rect_}, unit_.head, unit_.before, unit_.texture);
    for (int y = rect_.y0; y < rect_.y1; ++y)
      for (int x = rect_.x0; x < rect_.x1; ++x) {
        half(x, y);
        chosen_.end_half();
      }
  }

 private:
  using Values = std::array<int, Half::kValues>;
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
  // End points that a coded half-block may have, and what it takes to say them.
  struct EndsChoice {
    uint32_t ends = 0;
    int least = 0;  // score, whatever the indices
    EndPoints mode{};
    int cost = 0;  // 1/32 bits
    int largest = 0;
    Values difference{};
  };
  // Three neighbours', recent ones and the fitted ones; own, of one shade and widened, and a guess's each.
  static constexpr int kMostEnds = 3 + kRecent + 1 + 3 + 4;

  int score_of(int loss, int cost) const { return loss * weight_ + static_cast<int>(int64_t{lambda_} * cost >> 5); }
  int cost_of(int context, int symbol) const { return tables_.cost[context][symbol]; }
  int least_cost(int context) const { return tables_.least_cost[context]; }

  void half(int x, int y) {
    const int column = x - rect_.x0, row = y - rect_.y0;
    Trace& trace = traces_[column];
    left_trace_ = column > 0 ? traces_[column - 1] : Trace{};
    above_trace_ = trace;
    has_left_ = column > 0;
    has_above_ = row > 0;
    std::byte* const at = unit_.texture + component_.at(x, y);
    plain_ = load_half(at);
    if (!unit_.texels.empty())
      std::ranges::copy(unit_.texels[component_.at(x, y) / 8], source_.at[0]);
    else if (unit_.source == nullptr)
      decoded_texels<Half>(component_.kind, plain_, source_);
    else if constexpr (Half::kChannels == 1)
      unit_.source->channel(number_, x, y, source_);
    else
      unit_.source->colors(x, y, source_);
    left_ = has_left_ ? load_half(unit_.texture + component_.at(x - 1, y)) : kNoHalf;
    above_ = has_above_ ? load_half(unit_.texture + component_.at(x, y - 1)) : kNoHalf;
    best_ = {};

    int area = 0;
    Vector v;
    if (!alone_) {
      area = area_of(component_, column, row);
      lambda_ = unit_.target.lambda * unit_.lambda_parts[area] / kWholeLambda;
      v = in_component(unit_.head.vectors[area], component_);
    }
    const bool is_zero = v == Vector{};
    kind_context_ = lossy_kind_context(left_trace_, above_trace_, alone_, is_zero,
                                       !is_first_ && unit_.coded.any(column, row, component_));
    if (!alone_) {
      offer(Kind::moved, moved_or_fitted(x, y, v));
      if (!is_zero) offer(Kind::stayed, before_.half(x, y));
    }
    if (has_left_) offer(Kind::left, left_);
    if (has_above_) offer(Kind::above, above_);
    choose_coded();

    if (best_.kind == Kind::coded) {
      put_coded();
      trace = trace_of(best_.ends, best_.indices, best_.largest);
      if (is_first_) unit_.coded.set(column, row);
    } else {
      chosen_.put(kind_context_, static_cast<int>(best_.kind));
      trace = trace_of(best_.kind);
    }
    if (best_.kind != Kind::moved) unit_.told[area] = true;
    store_half(at, best_.value);
  }

  uint64_t moved_or_fitted(int x, int y, const Vector& v) {
    const int column = x + (v.x >> 3), row = y + (v.y >> 3);
    at_vector_ = before_.nearest(x + round_div8(v.x), y + round_div8(v.y));
    if (v.x % 8 == 0 && v.y % 8 == 0 && before_.has(column, row)) {
      const uint64_t half = before_.half(column, row);
      take_pixels(BlockTexels<Half>(component_.kind, half).bytes());
      return half;
    }
    take_pixels(moved_areas_.pixels_at(x - rect_.x0, y - rect_.y0));
    return fitted_half(window_, component_.kind);
  }

  void take_pixels(const uint8_t* texels) {
    window_.take(texels);
    for (int c = 0; c < Half::kChannels; ++c)
      for (int i = 0; i < 16; ++i) pixels_.at[c][i] = texels[i * Window<Half>::kTexelBytes + c];
  }

  void offer(Kind kind, uint64_t value) {
    const int cost = cost_of(kind_context_, static_cast<int>(kind));
    if (score_of(0, cost) >= best_.score) return;
    const int score = score_of(loss_of(value), cost);
    if (score >= best_.score) return;
    best_.score = score;
    best_.kind = kind;
    best_.value = value;
  }

  int loss_of(uint64_t value) const {
    if constexpr (Half::kChannels == 1) {
      return squares_of(BlockTexels<Half>(component_.kind, value).texels, load_vector<U8x16>(source_.at[0]));
    } else {
      Texels decoded;
      decoded_texels<Half>(component_.kind, value, decoded);
      return difference_of<Half>(decoded, source_);
    }
  }

  // End points.
  void choose_coded() {
    ends_context_ = end_points_context(left_trace_, above_trace_, alone_);
    neighbours_ = std::max(left_trace_.difference, above_trace_.difference);
    const int indices = std::min(least_cost(indices_context(left_trace_, above_trace_, alone_, false)),
                                 least_cost(indices_context(left_trace_, above_trace_, alone_, true)));
    const int coded = cost_of(kind_context_, static_cast<int>(Kind::coded));
    if (score_of(0, coded + least_cost(ends_context_) + indices + unit_.effort.least_saved) >= best_.score) return;
    count_ = 0;
    const uint32_t at_vector = ends_of<Half>(at_vector_), left = ends_of<Half>(left_), above = ends_of<Half>(above_);
    if (!alone_) add(at_vector, EndPoints::before);
    if (has_left_) add(left, EndPoints::left);
    if (has_above_) add(above, EndPoints::above);
    for (int i = 0; i < kRecent; ++i)
      add(ends_of<Half>(recent_[i]), static_cast<EndPoints>(static_cast<int>(EndPoints::recent) + i));
    guesses_ = {{{!alone_, at_vector, EndPoints::near_before},
                 {has_left_ || alone_, left, EndPoints::near_left},
                 {has_above_, above, EndPoints::near_above},
                 {false, 0, EndPoints::near_fit}}};
    if (!alone_) {
      is_foreign_ = difference_of<Half>(pixels_, source_) * weight_ > score_of(0, kForeignBits * 32);
      const uint32_t fitted = widened_ends<Half>(window_.fitted(), least_range_);
      guesses_[3] = {true, fitted, EndPoints::near_fit};
      add(fitted, EndPoints::fit);
    }
    const uint32_t own = ends_of<Half>(plain_);
    add_near(own);
    add_near(mean());
    if constexpr (Half::kValues == 2) {
      const auto v = Half::values(own);
      if (v[0] > v[1]) add_near(widened_ends<Half>(own, least_range_));
      if (!alone_) add_moved();
    }
    // Those that may lose least first: most of the others cannot be better then.
    for (int i = 0; i < count_; ++i) {
      losses_[i].measure(component_.kind, ends_[i].ends, source_);
      ends_[i].least = score_of(losses_[i].least, coded + ends_[i].cost + indices);
    }
    for (int tries = 0; tries < unit_.effort.candidates && count_ > 0; ++tries) {
      int first = 0;
      for (int i = 1; i < count_; ++i)
        if (ends_[i].least < ends_[first].least) first = i;
      if (ends_[first].least >= best_.score) return;
      try_ends(ends_[first], losses_[first], coded + ends_[first].cost);
      ends_[first].least = kNothing;
    }
  }

  struct Guess {
    bool possible = false;
    uint32_t ends = 0;
    EndPoints mode{};
  };

  void add(uint32_t ends, EndPoints mode) {
    keep({.ends = ends, .mode = mode, .cost = cost_of(ends_context_, static_cast<int>(mode))});
  }
  void keep(const EndsChoice& choice) {
    for (int i = 0; i < count_; ++i) {
      if (ends_[i].ends != choice.ends) continue;
      if (choice.cost < ends_[i].cost) ends_[i] = choice;
      return;
    }
    if (count_ < kMostEnds) ends_[count_++] = choice;
  }
  // By the guess from which it takes least.
  void add_near(uint32_t ends) {
    EndsChoice least{.ends = ends, .cost = kNothing};
    const Values values = Half::values(ends);
    for (const Guess& guess : guesses_) {
      if (!guess.possible) continue;
      const Values from = Half::values(guess.ends);
      Values difference, known{};
      int cost = cost_of(ends_context_, static_cast<int>(guess.mode)), largest = 0;
      for (int i = 0; i < Half::kValues; ++i) difference[i] = values[i] - from[i];
      for (int step = 0; step < Half::kValues; ++step) {
        const int i = kOrder<Half>[step];
        const int symbol = kDifferenceSymbols.of[fold(difference[i])];
        cost += cost_of(difference_context<Half>(guess.mode, step, known, neighbours_), symbol) + kEscapeCost[symbol];
        known[i] = difference[i];
        largest = std::max(largest, magnitude_class(difference[i]));
      }
      if (cost < least.cost)
        least = {.ends = ends, .mode = guess.mode, .cost = cost, .largest = largest, .difference = difference};
    }
    if (least.cost != kNothing) keep(least);
  }
  // All of one colour or value.
  uint32_t mean() const {
    int of[3] = {};
    for (int c = 0; c < Half::kChannels; ++c) {
      int sum = 8;
      for (const uint8_t texel : source_.at[c]) sum += texel;
      of[c] = sum >> 4;
    }
    if constexpr (Half::kChannels == 1) {
      return Half::ends({of[0], of[0]});
    } else {
      const auto five = [](int v) { return (v * 31 + 127) / 255; };
      const auto six = [](int v) { return (v * 63 + 127) / 255; };
      return Half::ends({five(of[0]), six(of[1]), five(of[2]), five(of[0]), six(of[1]), five(of[2])});
    }
  }
  // Those of each guess, both lighter or darker by as much as the texels are.
  void add_moved() {
    int sum = 0;
    for (int i = 0; i < 16; ++i) sum += source_.at[0][i] - pixels_.at[0][i];
    const int more = (sum + (sum < 0 ? -8 : 8)) / 16;
    if (more == 0) return;
    for (const Guess& guess : guesses_) {
      if (!guess.possible) continue;
      auto v = Half::values(guess.ends);
      for (int& value : v) value = std::clamp(value + more, 0, 255);
      add_near(Half::ends(v));
    }
  }

  // Indices.
  void try_ends(const EndsChoice& ends, const Losses<Half>& losses, int cost) {
    const bool full = Half::full(component_.kind, ends.ends);
    const int context = indices_context(left_trace_, above_trace_, alone_, ends.largest > 1);
    const auto cost_with = [&](Indices mode) { return cost + cost_of(context, static_cast<int>(mode)); };
    try_constant(ends, full, losses, cost_with(Indices::constant));
    if (!alone_) try_same(ends, full, losses, Indices::before, at_vector_, cost_with(Indices::before));
    if (has_left_) try_same(ends, full, losses, Indices::left, left_, cost_with(Indices::left));
    if (has_above_) try_same(ends, full, losses, Indices::above, above_, cost_with(Indices::above));
    if (!alone_) {
      const CarriedPlaces places = carried_places(window_, component_.kind, ends.ends);
      Levels levels;
      for (int i = 0; i < 16; ++i) levels[i] = static_cast<uint8_t>(places.predicted[i] / 3);
      take(ends, full, Indices::predicted, levels, nullptr, losses.sum(levels), cost_with(Indices::predicted));
      const int steps = Half::steps(full);
      const auto more = [&](const Levels& before, int i) {
        return 3 * std::min<int>(before[i], steps) - places.predicted[i];
      };
      for (int group = 0; group < kGroups; ++group) {
        const auto mode = static_cast<Indices>(static_cast<int>(Indices::near_0) + group);
        try_ranks(ends, full, losses, mode, group, cost_with(mode), [&](const Levels& before, int i) {
          const int place =
              places.eighths[i] + (i % 4 != 0 ? more(before, i - 1) : 0) + (i >= 4 ? more(before, i - 4) : 0);
          const int nearest = std::clamp((place + 3) >> 3, 0, steps);
          return Predicted{nearest, place > 8 * nearest};
        });
      }
    }
    // Without the frame before where that tells little.
    if (!alone_ && !is_foreign_) return;
    if constexpr (Half::kLevels == 4) {
      try_levels(ends, full, losses, cost_with(Indices::alone));
    } else {
      try_ranks(ends, full, losses, Indices::alone, kRankGroupAlone, cost_with(Indices::alone),
                [&](const Levels& before, int i) {
                  return Predicted{guessed_level(before.data(), i, Half::steps(full)), true};
                });
    }
  }

  void take(const EndsChoice& ends, bool full, Indices mode, const Levels& levels, const uint8_t* ranks, int loss,
            int cost) {
    const int score = score_of(loss, cost);
    if (score >= best_.score) return;
    best_.score = score;
    best_.kind = Kind::coded;
    best_.value = with_levels<Half>(ends.ends, levels, full);
    best_.ends = ends.mode;
    best_.indices = mode;
    best_.difference = ends.difference;
    best_.largest = ends.largest;
    if (ranks != nullptr) std::copy_n(ranks, 16, best_.ranks);
  }

  void try_constant(const EndsChoice& ends, bool full, const Losses<Half>& losses, int cost) {
    for (int level = 0; level < Half::kLevels; ++level) {
      const int loss = losses.sum_of_all(level), all = cost + cost_of(context::kLevel.first, level);
      if (score_of(loss, all) >= best_.score) continue;
      Levels levels;
      levels.fill(static_cast<uint8_t>(level));
      take(ends, full, Indices::constant, levels, nullptr, loss, all);
    }
  }
  void try_same(const EndsChoice& ends, bool full, const Losses<Half>& losses, Indices mode, uint64_t of, int cost) {
    if (score_of(losses.least, cost) >= best_.score) return;
    const Levels levels = levels_of<Half>(of, full);
    take(ends, full, mode, levels, nullptr, losses.sum(levels), cost);
  }

  // The level that is taken to be next, and whether the place lies beyond it.
  struct Predicted {
    int nearest;
    bool beyond;
  };
  // A texel's levels that may be worth their bits: the predicted one, the nearest to the source, and what lies before
  // that one.
  struct Options {
    struct Option {
      int rank, level, loss;
    };
    std::array<Option, 3> of;
    int count = 0;
    Options(const Losses<Half>& losses, int i, const Predicted& predicted, bool full) {
      const auto& ranks = kRankTable<Half>.rank[full][predicted.nearest][predicted.beyond];
      const auto add = [&](int level) { of[count++] = {ranks[level], level, losses.at(i, level)}; };
      add(predicted.nearest);
      const int best = losses.nearest[i];
      if (best == predicted.nearest) return;
      add(best);
      if (of[1].loss >= of[0].loss) {
        count = 1;
        return;
      }
      const int between = best > predicted.nearest ? best - 1 : best + 1;
      if (best <= Half::steps(full) && between != predicted.nearest) add(between);
    }
  };
  // Pair by pair what is best behind the pairs before it. `predict(levels so far, i)`: of texel i.
  template <typename Predict>
  void try_ranks(const EndsChoice& ends, bool full, const Losses<Half>& losses, Indices mode, int group, int cost,
                 const Predict& predict) {
    if (score_of(losses.least, cost) >= best_.score) return;
    uint8_t ranks[16]{};
    Levels levels{};
    int loss = 0, rest = losses.least;  // of the pairs that are chosen, and what the others lose at least
    const auto far = [&](int rank) {
      return Half::kLevels > 4 && rank >= kPairLimit ? cost_of(context::kFarRank.first + group, rank - kPairLimit) : 0;
    };
    for (int pair = 0; pair < 8; ++pair) {
      const int i = 2 * pair;
      const auto& costs = tables_.cost[rank_context(group, pair, ranks)];
      const Options first(losses, i, predict(levels, i), full);
      int least = kNothing, pair_cost = 0, pair_loss = 0;
      typename Options::Option best_a{}, best_b{};
      for (int a = 0; a < first.count; ++a) {
        levels[i] = static_cast<uint8_t>(first.of[a].level);
        const Options second(losses, i + 1, predict(levels, i + 1), full);
        for (int b = 0; b < second.count; ++b) {
          const int rank_a = first.of[a].rank, rank_b = second.of[b].rank;
          const int both =
              costs[4 * std::min(rank_a, kPairLimit) + std::min(rank_b, kPairLimit)] + far(rank_a) + far(rank_b);
          const int lost = first.of[a].loss + second.of[b].loss, score = score_of(lost, both);
          if (score >= least) continue;
          least = score;
          best_a = first.of[a];
          best_b = second.of[b];
          pair_cost = both;
          pair_loss = lost;
        }
      }
      ranks[i] = static_cast<uint8_t>(best_a.rank);
      ranks[i + 1] = static_cast<uint8_t>(best_b.rank);
      levels[i] = static_cast<uint8_t>(best_a.level);
      levels[i + 1] = static_cast<uint8_t>(best_b.level);
      cost += pair_cost;
      loss += pair_loss;
      rest -= losses.at(i, losses.nearest[i]) + losses.at(i + 1, losses.nearest[i + 1]);
      if (score_of(loss + rest, cost) >= best_.score) return;
    }
    take(ends, full, mode, levels, ranks, loss, cost);
  }
  // Colours without the frame before.
  void try_levels(const EndsChoice& ends, bool full, const Losses<Half>& losses, int cost) {
    Levels levels{};
    int loss = 0;
    for (int pair = 0; pair < 8; ++pair) {
      const int context = level_context(pair, levels.data()), i = 2 * pair;
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
    take(ends, full, Indices::alone, levels, nullptr, loss, cost);
  }

  void put_coded() {
    ChosenWriter writer(chosen_);
    writer.put(kind_context_, static_cast<int>(Kind::coded));
    writer.put(ends_context_, static_cast<int>(best_.ends));
    if (has_difference(static_cast<int>(best_.ends)))
      put_difference<Half>(writer, best_.ends, best_.difference, neighbours_);
    const uint32_t ends = ends_of<Half>(best_.value);
    recent_.push(ends);
    writer.put(indices_context(left_trace_, above_trace_, alone_, best_.largest > 1), static_cast<int>(best_.indices));
    const Levels levels = levels_of<Half>(best_.value, Half::full(component_.kind, ends));
    if (best_.indices == Indices::constant) writer.put(context::kLevel.first, levels[0]);
    if (is_near(static_cast<int>(best_.indices)))
      put_ranks<Half>(writer, static_cast<int>(best_.indices) - static_cast<int>(Indices::near_0), best_.ranks);
    if (best_.indices != Indices::alone) return;
    if constexpr (Half::kLevels > 4) {
      put_ranks<Half>(writer, kRankGroupAlone, best_.ranks);
    } else {
      for (int pair = 0; pair < 8; ++pair)
        writer.put(level_context(pair, levels.data()), 4 * levels[2 * pair] + levels[2 * pair + 1]);
    }
  }

  // What pixels of the frame before have to be off by, worth so many bits, to be of little help.
  static constexpr int kForeignBits = 60;
  // Ranks with the statistics of blocks that hardly differ: with a quantiser's range there are few others.
  static constexpr int kGroups = 1;

  UnitToChoose& unit_;
  const Component& component_;
  const int number_;
  const bool is_first_;
  const BlockRect rect_;
  const CodingTables& tables_;
  ChosenSymbols& chosen_;
  const Before before_;
  const bool alone_;
  const int weight_, least_range_;
  int lambda_;
  std::array<Trace, kMostUnitColumns> traces_{};
  RecentEnds recent_;
  // Of the half-block at hand.
  bool has_left_ = false, has_above_ = false;
  Trace left_trace_, above_trace_;
  uint64_t plain_ = 0, left_ = 0, above_ = 0, at_vector_ = 0;
  Texels source_{}, pixels_{};
  Window<Half> window_;  // of the pixels
  MovedAreas<Half> moved_areas_;
  int kind_context_ = 0, ends_context_ = 0, neighbours_ = 0;
  std::array<Guess, 4> guesses_{};
  std::array<EndsChoice, kMostEnds> ends_{};
  std::array<Losses<Half>, kMostEnds> losses_;
  int count_ = 0;
  bool is_foreign_ = false;
  Choice best_;
};

// Calls `call(x, y)` for the areas of a unit, row by row; `first`: its half-blocks in the first component.
template <typename Call>
void for_each_area(const BlockRect& first, const Call& call) {
  constexpr int kArea = kAreaSide / 4;
  const int columns = (first.width() + kArea - 1) / kArea, rows = (first.height() + kArea - 1) / kArea;
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < columns; ++x) call(x, y);
}
// All that lies at an area's vector, which is in halves of a pixel.
void touch_pixels(const TileGrid& grid, const BlockRect& first, int x, int y, const Vector& v, TilesTouched& touched) {
  // In pixels, away from zero: as far as any pixel that is fetched.
  const auto pixels = [](int halves) { return (halves + (halves > 0) - (halves < 0)) / 2; };
  touch_area(grid, first, x, y, {pixels(v.x), pixels(v.y)}, touched);
}

// `touched` (may be nullptr) is told of all that lies at the areas' vectors.
template <typename Writer>
void put_areas(Writer& writer, const UnitToChoose& chosen, const Unit& unit, TilesTouched* touched) {
  const BlockRect first = chosen.grid.blocks(chosen.grid.component(0), unit);
  std::array<Area, kMostAreas> areas{};
  for_each_area(first, [&](int x, int y) {
    const Area left = x > 0 ? areas[y * 4 + x - 1] : Area{};
    const Area above = y > 0 ? areas[(y - 1) * 4 + x] : Area{};
    Area& area = areas[y * 4 + x];
    area = {chosen.head.vectors[y * 4 + x], !chosen.told[y * 4 + x]};
    const AreaVector from = area.vector == Vector{}       ? AreaVector::zero
                            : area.vector == left.vector  ? AreaVector::left
                            : area.vector == above.vector ? AreaVector::above
                                                          : AreaVector::other;
    writer.put(area_context(left, above), static_cast<int>(from) + (area.moved ? kAreaMoved : 0));
    if (from == AreaVector::other) {
      const Vector& guess = guess_of_vector(x, left, above);
      put_vector(writer, false, {area.vector.x - guess.x, area.vector.y - guess.y});
    }
    if (touched != nullptr) touch_pixels(chosen.grid, first, x, y, area.vector, *touched);
  });
}

// The symbols of a unit of one tile, as docs/compact.md has them.
template <typename Writer>
void put_unit(Writer& writer, const UnitToChoose& chosen, const Unit& unit, const ChosenSymbols& symbols,
              TilesTouched* touched) {
  const TileGrid& grid = chosen.grid;
  const bool alone = chosen.head.form.alone;
  writer.use(grid.component(0).tables);
  if (!alone) writer.bits(static_cast<uint32_t>(chosen.head.quantiser), 4);
  writer.bits(static_cast<uint32_t>(chosen.head.content), 1);
  if (!alone) put_areas(writer, chosen, unit, touched);
  size_t half = 0;
  for (int i = 0; i < grid.component_count(); ++i) {
    const Component& component = grid.component(i);
    const BlockRect rect = grid.blocks(component, unit);
    writer.use(component.tables);
    for (int y = rect.y0; y < rect.y1; ++y) {
      for (int x = rect.x0; x < rect.x1; ++x, ++half) {
        if (!alone && !chosen.told[area_of(component, x - rect.x0, y - rect.y0)]) continue;
        for (const uint32_t symbol : symbols.of_half(half))
          writer.put(static_cast<int>(symbol >> 4), static_cast<int>(symbol & 15));
      }
    }
  }
}

// What is known before anything is chosen.
UnitToChoose unit_to_choose(const TileGrid& grid, const LossyTarget& target, const Reference& reference) {
  const bool alone = reference.texture == nullptr;
  UnitToChoose unit{.grid = grid,
                    .target = target,
                    .head = {.form = {.lossy = true, .alone = alone}, .quantiser = target.quantiser},
                    .before = reference.texture};
  for (size_t i = 0; i < reference.vectors.size() && i < kMostAreas; ++i)
    if (reaches(reference.vectors[i])) unit.head.vectors[i] = reference.vectors[i];
  return unit;
}

}  // namespace

LossyUnitEncoder::LossyUnitEncoder() : with_{} {
  for (int content = 0; content < kContents; ++content)
    for (int set = 0; set < kTableSets; ++set)
      with_[content].tables[set] = &lossy_tables(static_cast<Content>(content), static_cast<TableSet>(set));
}
LossyUnitEncoder::LossyUnitEncoder(const CodingTraining& training) { with_.fill(training); }

size_t LossyUnitEncoder::encode(const TileGrid& grid, const Unit& unit, const LossyTarget& target,
                                const LossyEffort& effort, Content expected, const LossySource& source,
                                std::byte* texture, const Reference& reference, MutableBytes memory) {
  UnitToChoose choosing = unit_to_choose(grid, target, reference);
  if (source.picture != nullptr) {
    source_.read(grid, unit, *source.picture);
    choosing.source = &source_;
  }
  choosing.texels = source.texels;
  choosing.texture = texture;
  choosing.effort = effort;
  choosing.lambda_parts.fill(kWholeLambda);
  std::ranges::copy_n(reference.lambda_parts.begin(),
                      static_cast<ptrdiff_t>(std::min(reference.lambda_parts.size(), choosing.lambda_parts.size())),
                      choosing.lambda_parts.begin());
  chosen_.clear();
  for (int i = 0; i < grid.component_count(); ++i) {
    const BlockRect rect = grid.blocks(grid.component(i), unit);
    const CodingTables& tables = *with_[static_cast<int>(expected)].tables[static_cast<int>(grid.component(i).tables)];
    if (grid.component(i).kind == HalfBlock::channel)
      ComponentChooser<ChannelHalf>(choosing, i, rect, tables, chosen_).run();
    else
      ComponentChooser<ColorHalf>(choosing, i, rect, tables, chosen_).run();
  }
  return write(choosing, unit, reference.touched, memory);
}

void LossyUnitEncoder::list_chosen(const TileGrid& grid, const ChosenTile& chosen, SymbolList& symbols) const {
  symbols.clear();
  uint32_t begin = 0;
  for (int i = 0; i < grid.component_count(); ++i) {
    const uint32_t end = chosen.ends[static_cast<size_t>(i)];
    symbols.put_all(*with_[static_cast<int>(chosen.content)].tables[static_cast<int>(grid.component(i).tables)],
                    chosen.symbols.subspan(begin, end - begin));
    begin = end;
  }
}

void LossyUnitEncoder::touch_chosen(const TileGrid& grid, uint32_t tile, const ChosenTile& chosen,
                                    TilesTouched& touched) {
  const BlockRect first = grid.blocks(grid.component(0), {.tile = tile});
  for_each_area(first, [&](int x, int y) {
    const Vector& v = chosen.vectors[static_cast<size_t>(y * 4 + x)];
    touch_pixels(grid, first, x, y, reaches(v) ? v : Vector{}, touched);
  });
}

size_t LossyUnitEncoder::write(UnitToChoose& chosen, const Unit& unit, TilesTouched* touched, MutableBytes memory) {
  PriceWriter prices(with_);
  put_unit(prices, chosen, unit, chosen_, nullptr);
  content_ = prices.cheapest();
  chosen.head.content = static_cast<int>(content_);
  symbols_.clear();
  ListWriter list(symbols_, with_[static_cast<int>(content_)]);
  put_unit(list, chosen, unit, chosen_, touched);
  return symbols_.write(memory, kSmall);
}

size_t LossyUnitEncoder::write_run(std::span<const SymbolList> tiles, bool alone, SymbolList& memory_of_run,
                                   MutableBytes memory) {
  memory_of_run.clear();
  for (size_t i = 0; i < tiles.size(); ++i) memory_of_run.append(tiles[i], i > 0 ? symbols_of_run(alone) : 0);
  return memory_of_run.write(memory, kSmall);
}

}  // namespace texcast::compact
