// tables.h — how likely each symbol is in each context (contexts.h): fixed, trained with tools/train on clips and
// sessions, a set for each meaning of half-blocks.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "compact/content.h"
#include "compact/contexts.h"
#include "compact/tile_grid.h"

namespace texcast::compact {

inline constexpr int kScaleBits = 12;
inline constexpr uint32_t kScale = 1u << kScaleBits;

// Of one context. Symbol s has the slots [start[s], start[s + 1]) of 4096; every symbol has one at least.
struct alignas(32) SymbolTable {
  std::array<uint16_t, kSymbols> start;
  uint32_t frequency(int symbol) const { return (symbol + 1 < kSymbols ? start[symbol + 1] : kScale) - start[symbol]; }
};

// A symbol's slots.
struct Slots {
  uint16_t start, count;
  bool operator==(const Slots&) const = default;
};

struct CodingTables {
  std::array<SymbolTable, context::kCount> of;
  // The same, for the encoder: [context][symbol].
  std::array<std::array<Slots, kSymbols>, context::kCount> slots;
  // Bits that a symbol takes, times 32.
  std::array<std::array<uint16_t, kSymbols>, context::kCount> cost;
  std::array<uint16_t, context::kCount> least_cost;  // of a context's symbols
  // Of ranks, the same for the first four groups side by side: [context in the group][symbol][group].
  std::array<std::array<std::array<uint32_t, 4>, kSymbols>, 40> rank_cost;
  std::array<std::array<uint32_t, 4>, kSymbols> far_cost;  // of far ranks: [symbol][group]
};

// Of lossless units, for which chroma is chroma; of lossy ones.
const CodingTables& coding_tables(TableSet set);
const CodingTables& lossy_tables(Content content, TableSet set);

// The trained probabilities of a set, as a file in tables/ has them: a row of 16 characters a context, '!' for a bit or
// less, and an eighth of a bit more for each character after that. A row is empty where units of that kind do not have
// the context: lossless ones from kLosslessCount on, lossy ones kVector and kKind.
using TrainedText = std::array<std::string_view, context::kCount>;
// The texts of a file in tables/, one for each set: "lossless" has kLosslessTableSets of them, "film", "screen" and
// "fine_film" have kTableSets.
const std::vector<TrainedText>& trained_text(std::string_view kind);

// From a text, or from probabilities of any scale (training).
void make_table(std::span<const double, kSymbols> weights, SymbolTable& table);
char trained_character(double probability);
double trained_probability(char character);
void make_costs(CodingTables& tables);  // all that follows from `of`

// A table set, by context * 16 + symbol.
struct SymbolTables {
  std::vector<uint32_t> slots{};       // first of 4096, and from bit 16 on how many (rans.h)
  std::span<const uint16_t> costs;     // in 1/32 bits
  std::span<const uint32_t> of_ranks;  // costs of those in groups 0 to 3, [context in a group][symbol][group]
};
SymbolTables symbol_tables(TableSet set);

// A lossy table set of a content, by context * 16 + symbol: first of 4096, and from bit 16 on how many (rans.h).
std::vector<uint32_t> lossy_symbol_slots(Content content, TableSet set);

}  // namespace texcast::compact
