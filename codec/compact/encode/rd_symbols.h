// rd_symbols.h — the symbols of a lossy slice's sub-blocks, in coding order. They are kept until the whole slice is
// encoded: only then it is known which partitions are coded as copied, so that their sub-blocks have no symbols.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "compact/slice_syntax.h"
#include "compact/sub_block.h"
#include "compact/symbol_writer.h"
#include "rd_block.h"

namespace texcast::compact {

class SubBlockSymbols {
 public:
  void clear() {
    symbols_.clear();
    ends_.clear();
  }
  void put(int context, int symbol) { symbols_.push_back(static_cast<uint32_t>(context << 4 | symbol)); }
  void bits(uint32_t value, int count) { put_bits(*this, value, count); }
  void end_sub_block() { ends_.push_back(symbols_.size()); }
  // The symbols of sub-block `i`, as context << 4 | symbol.
  std::span<const uint32_t> of_sub_block(size_t i) const {
    const size_t begin = i > 0 ? ends_[i - 1] : 0;
    return std::span(symbols_).subspan(begin, ends_[i] - begin);
  }

 private:
  std::vector<uint32_t> symbols_;
  std::vector<size_t> ends_;
};

// `neighbours`: the larger magnitude class of the neighbours' residuals.
template <typename SubBlock>
void put_residual(SubBlockSymbols& symbols, EndPoints mode, const std::array<int, SubBlock::kValues>& residual,
                  int neighbours) {
  std::array<int, SubBlock::kValues> known{};
  for (int step = 0; step < SubBlock::kValues; ++step) {
    const int i = kOrder<SubBlock>[step];
    const uint32_t folded = fold(residual[i]);
    const int symbol = kResidualSymbols.of[folded];
    symbols.put(residual_context<SubBlock>(mode, step, known, neighbours), symbol);
    if (const int escape = symbol - static_cast<int>(kDirect); escape >= 0)
      symbols.bits(folded - kEscapeFirst[escape], kEscapeBits[escape]);
    known[i] = residual[i];
  }
}

template <typename SubBlock>
void put_ranks(SubBlockSymbols& symbols, int group, const uint8_t* ranks) {
  for (int pair = 0; pair < 8; ++pair) {
    const int a = ranks[2 * pair], b = ranks[2 * pair + 1];
    symbols.put(rank_context(group, pair, ranks), 4 * std::min(a, kPairLimit) + std::min(b, kPairLimit));
    if constexpr (SubBlock::kLevels > 4) {
      for (const int rank : {a, b})
        if (rank >= kPairLimit) symbols.put(context::kFarRank.first + group, rank - kPairLimit);
    }
  }
}

// Puts the best choice, which is Kind::coded.
template <typename SubBlock>
void put_coded(SubBlockSymbols& symbols, const RdBlock<SubBlock>& block) {
  const RdChoice<SubBlock>& best = block.best;
  const Neighbours& neighbours = block.neighbours;
  symbols.put(block.kind_context, static_cast<int>(Kind::coded));
  symbols.put(block.ends_context, static_cast<int>(best.ends));
  if (has_residual(static_cast<int>(best.ends)))
    put_residual<SubBlock>(symbols, best.ends, best.residual, neighbours.largest());
  symbols.put(indices_context(neighbours.left_state, neighbours.above_state, block.intra, best.largest > 1),
              static_cast<int>(best.indices));
  const bool full = SubBlock::full(block.component.kind, ends_of<SubBlock>(best.value));
  const Levels levels = levels_of<SubBlock>(best.value, full);
  if (best.indices == Indices::constant) symbols.put(context::kLevel.first, levels[0]);
  if (is_near(static_cast<int>(best.indices)))
    put_ranks<SubBlock>(symbols, static_cast<int>(best.indices) - static_cast<int>(Indices::near_0), best.ranks);
  if (best.indices == Indices::texels)
    for (int i = 0; i < 16; ++i) symbols.put(direct_level_context(levels, i), levels[i]);
  if (best.indices != Indices::intra) return;
  if constexpr (SubBlock::kLevels > 4) {
    put_ranks<SubBlock>(symbols, kRankGroupIntra, best.ranks);
  } else {
    for (int pair = 0; pair < 8; ++pair)
      symbols.put(level_pair_context(pair, levels.data()), 4 * levels[2 * pair] + levels[2 * pair + 1]);
  }
}

}  // namespace texcast::compact
