#include "compact/tables.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <numeric>

#include "base/ensure.h"

namespace texcast::compact {
namespace {

constexpr char kFirstCharacter = '!', kLastCharacter = '~';
constexpr double kStep = 1.0 / 8;

std::unique_ptr<CodingTables> make_tables(const TrainedText& text) {
  auto tables = std::make_unique<CodingTables>();
  for (int c = 0; c < context::kCount; ++c) {
    std::array<double, kSymbols> weights{};
    for (int s = 0; s < kSymbols; ++s) weights[s] = text[c].empty() ? 1 : trained_probability(text[c][s]);
    make_table(weights, tables->of[c]);
  }
  make_costs(*tables);
  return tables;
}

using AllTables = std::vector<std::unique_ptr<CodingTables>>;  // by table set
AllTables make_all(std::string_view kind) {
  AllTables made;
  for (const TrainedText& text : trained_text(kind)) made.push_back(make_tables(text));
  return made;
}

// A stream uses one or two of these sets, which are made when they are first used.
const CodingTables& opaque_tables(TableSet set) {
  static std::array<std::unique_ptr<CodingTables>, kOpaqueTableSets> all;
  static std::array<std::once_flag, kOpaqueTableSets> made;
  const size_t i = static_cast<size_t>(set) - kTableSets;
  std::call_once(made[i], [&] { all[i] = make_tables(opaque_text(set)); });
  return *all[i];
}

// The place of a set in the texts of transform slices, and in those of lossy slices.
size_t place_of(TableSet set) {
  switch (set) {
    case TableSet::luma:
    case TableSet::color: return 0;
    case TableSet::chroma:
    case TableSet::scaled_chroma: return 1;
    case TableSet::chroma_444:
    case TableSet::alpha: return 2;
    default: ENSURE(false);
  }
}
bool is_in_color_text(TableSet set) {
  return set == TableSet::color || set == TableSet::scaled_chroma || set == TableSet::alpha;
}

}  // namespace

char trained_character(double probability) {
  const double steps = -std::log2(std::max(probability, 1e-9)) / kStep;
  const int character = kFirstCharacter + static_cast<int>(std::lround(std::max(steps, 0.0)));
  return static_cast<char>(std::min<int>(character, kLastCharacter));
}

double trained_probability(char character) { return std::exp2(-kStep * (character - kFirstCharacter)); }

// Rounds to whole slots, at least one for each symbol. The largest counts absorb the rounding error, as it changes them
// least.
void make_table(std::span<const double, kSymbols> weights, SymbolTable& table) {
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::array<int, kSymbols> slots{};
  int used = 0;
  for (int s = 0; s < kSymbols; ++s) {
    slots[s] = std::max(1, static_cast<int>(std::floor(weights[s] / sum * kScale + 0.5)));
    used += slots[s];
  }
  while (used != static_cast<int>(kScale)) {
    const auto largest = std::max_element(slots.begin(), slots.end());
    const int change = used > static_cast<int>(kScale) ? std::min(used - static_cast<int>(kScale), *largest / 2)
                                                       : used - static_cast<int>(kScale);
    ENSURE(change != 0);
    *largest -= change;
    used -= change;
  }
  int start = 0;
  for (int s = 0; s < kSymbols; ++s) {
    table.start[s] = static_cast<uint16_t>(start);
    start += slots[s];
  }
}

void make_costs(CodingTables& tables) {
  for (int c = 0; c < context::kCount; ++c)
    for (int s = 0; s < kSymbols; ++s) {
      const uint32_t count = tables.of[c].frequency(s);
      tables.slots[c][s] = {tables.of[c].start[s], static_cast<uint16_t>(count)};
      tables.cost[c][s] = static_cast<uint16_t>(std::lround(32 * (kScaleBits - std::log2(count))));
    }
  for (int c = 0; c < context::kCount; ++c) tables.least_cost[c] = *std::ranges::min_element(tables.cost[c]);
  for (int c = 0; c < 40; ++c)
    for (int s = 0; s < kSymbols; ++s)
      for (int group = 0; group < 4; ++group)
        tables.rank_cost[c][s][group] = tables.cost[context::kRanks.first + group * 40 + c][s];
  for (int s = 0; s < kSymbols; ++s)
    for (int group = 0; group < 4; ++group) tables.far_cost[s][group] = tables.cost[context::kFarRank.first + group][s];
}

const CodingTables& coding_tables(TableSet set) {
  if (is_opaque(set)) return opaque_tables(set);
  static const auto all = make_all("lossless");
  return *all[static_cast<size_t>(set == TableSet::chroma_444 ? TableSet::chroma : set)];
}
std::string_view lossy_text_kind(Content content, TableSet set) {
  constexpr std::array<std::string_view, kContents> kKinds{"film", "screen", "fine_film"};
  constexpr std::array<std::string_view, kContents> kColorKinds{"film_color", "screen_color", "fine_film_color"};
  const auto i = static_cast<size_t>(content);
  return is_in_color_text(set) ? kColorKinds[i] : kKinds[i];
}

const TrainedText& lossy_text(Content content, TableSet set) {
  return trained_text(lossy_text_kind(content, set))[place_of(set)];
}

std::string_view opaque_text_kind(TableSet set) {
  ENSURE(is_opaque(set));
  constexpr std::array<std::string_view, kOpaqueTableSets / 2> kKinds{"bc7", "bc6h", "astc", "etc"};
  return kKinds[(static_cast<size_t>(set) - kTableSets) / 2];
}

const TrainedText& opaque_text(TableSet set) {
  return trained_text(opaque_text_kind(set))[(static_cast<size_t>(set) - kTableSets) % 2];
}

const CodingTables& lossy_tables(Content content, TableSet set) {
  static std::array<std::array<std::unique_ptr<CodingTables>, kTableSets>, kContents> all;
  static std::array<std::array<std::once_flag, kTableSets>, kContents> made;
  const auto i = static_cast<size_t>(content), j = static_cast<size_t>(set);
  std::call_once(made[i][j], [&] { all[i][j] = make_tables(lossy_text(content, set)); });
  return *all[i][j];
}

const CodingTables& transform_tables(int range, TableSet set) {
  constexpr size_t kRanges = kTransformTexts.size(), kSets = 3;
  static std::array<std::array<std::unique_ptr<CodingTables>, kSets>, kRanges> all;
  static std::array<std::array<std::once_flag, kSets>, kRanges> made;
  const auto i = static_cast<size_t>(range), place = place_of(set);
  std::call_once(made[i][place], [&] { all[i][place] = make_tables(trained_text(kTransformTexts[i])[place]); });
  return *all[i][place];
}

SymbolTables symbol_tables(TableSet set) {
  const CodingTables& tables = coding_tables(set);
  SymbolTables out{.costs = {tables.cost.data()->data(), size_t{context::kLosslessCount} * kSymbols},
                   .of_ranks = {tables.rank_cost.data()->data()->data(), tables.rank_cost.size() * kSymbols * 4}};
  for (const SymbolTable& table : std::span(tables.of).first(context::kLosslessCount))
    for (int s = 0; s < kSymbols; ++s) out.slots.push_back(table.start[s] | table.frequency(s) << 16);
  return out;
}

std::vector<uint32_t> lossy_symbol_slots(Content content, TableSet set) {
  std::vector<uint32_t> slots;
  for (const auto& of_context : lossy_tables(content, set).slots)
    for (const Slots& of_symbol : of_context)
      slots.push_back(static_cast<uint32_t>(of_symbol.start | of_symbol.count << 16));
  return slots;
}

}  // namespace texcast::compact
