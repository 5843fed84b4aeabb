// tables.h — the probabilities of symbols in their contexts (contexts.h). They are fixed, and were trained with
// tools/train on film clips and screen sessions. There is a table set for each kind of component.
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

// The table of one context. Symbol s has the slots [start[s], start[s + 1]) of 4096, at least one.
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
  // In 1/32 bits.
  std::array<std::array<uint16_t, kSymbols>, context::kCount> cost;
  std::array<uint16_t, context::kCount> least_cost;  // of a context's symbols
  // The costs of ranks in the first four groups, side by side: [context in the group][symbol][group].
  std::array<std::array<std::array<uint32_t, 4>, kSymbols>, 40> rank_cost;
  std::array<std::array<uint32_t, 4>, kSymbols> far_cost;  // of rank escapes: [symbol][group]
};

// Tables of lossless slices, where chroma_444 has the tables of chroma. Thread-safe.
const CodingTables& coding_tables(TableSet set);
// Tables of lossy slices. Each is made on its first use. Thread-safe.
const CodingTables& lossy_tables(Content content, TableSet set);
// Tables of transform slices. `range`: transform_range(); `set`: luma, chroma or chroma_444. Each is made on its first
// use. Thread-safe.
const CodingTables& transform_tables(int range, TableSet set);

// The trained probabilities of a table set, as in a file of tables/: a row of 16 characters for each context, which
// give the cost of each symbol: '!' means 0 bits, and each character after it 1/8 bit more. A row is empty if slices of
// that kind do not use the context: lossless slices from kLosslessCount on, lossy slices kVector and kKind, and
// transform slices all but kDistance, kLiteral and those of transform_syntax.h.
using TrainedText = std::array<std::string_view, context::kCount>;
// The texts of a file in tables/, one for each set: "lossless" has kLosslessTableSets of them, and those
// in kTransformTexts have luma, chroma and chroma_444.
const std::vector<TrainedText>& trained_text(std::string_view kind);
inline constexpr std::array<std::string_view, 3> kTransformTexts{"transform_fine", "transform", "transform_coarse"};
// The others are divided among more files, of which a stream needs few: here are the file that has a set, and its text.
std::string_view lossy_text_kind(Content content, TableSet set);
const TrainedText& lossy_text(Content content, TableSet set);
std::string_view opaque_text_kind(TableSet set);  // is_opaque(set)
const TrainedText& opaque_text(TableSet set);
// A target that does not embed all files (player/web) must be given the others before a slice needs them. `text`: such
// a file, which must be valid. Not thread-safe.
bool has_trained_text(std::string_view kind);
void give_trained_text(std::string kind, std::string text);

// `weights` are proportional to the probabilities; their scale does not matter.
void make_table(std::span<const double, kSymbols> weights, SymbolTable& table);
char trained_character(double probability);
double trained_probability(char character);
void make_costs(CodingTables& tables);  // fills everything from `of`

// A lossless table set for kernels, by context * 16 + symbol.
struct SymbolTables {
  std::vector<uint32_t> slots{};       // bits 0 to 15 the first slot, bits 16 to 31 their number (rans.h)
  std::span<const uint16_t> costs;     // in 1/32 bits
  std::span<const uint32_t> of_ranks;  // CodingTables::rank_cost
};
SymbolTables symbol_tables(TableSet set);

// SymbolTables::slots of a lossy table set.
std::vector<uint32_t> lossy_symbol_slots(Content content, TableSet set);

}  // namespace texcast::compact
