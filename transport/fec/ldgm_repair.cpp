// Ldgm::repair: peeling. A check with exactly one missing symbol yields that symbol, which may leave other checks with
// one. The order is determined first, on numbers only; then only the symbols that lead to data are computed.
//
// If peeling gets stuck, the remaining checks are linear equations in the remaining symbols. They are solved by
// Gauss-Jordan elimination on bits first; the symbols themselves are added only if that yields all of the data.
#include <algorithm>
#include <utility>

#include "base/ensure.h"
#include "ldgm.h"
#include "xor_bytes.h"

namespace texcast::transport {
namespace {

constexpr size_t kMostUnknowns = 512;
constexpr size_t kMostEquations = 1024;
constexpr int kWorkARepair = 1'000'000;  // average per repair
constexpr size_t kMostRightSideBytes = size_t{16} << 20;
constexpr size_t kMostAddedBytes = size_t{64} << 20;

void add_words(std::span<uint64_t> to, std::span<const uint64_t> from) {
  for (size_t i = 0; i < to.size(); ++i) to[i] ^= from[i];
}

}  // namespace

// Returns the number of data symbols that are still missing.
int Ldgm::peel(std::span<const uint8_t> present) {
  rows_.assign(static_cast<size_t>(shape_.m), {});
  ready_.clear();
  ready_.reserve(rows_.size());
  steps_.clear();
  steps_.reserve(present.size());
  known_.assign(present.begin(), present.end());

  int missing_data = 0;
  for (int symbol = 0; symbol < static_cast<int>(present.size()); ++symbol) {
    if (present[static_cast<size_t>(symbol)]) continue;
    missing_data += symbol < shape_.k;
    for_each_row(symbol, [&](int row) {
      ++rows_[static_cast<size_t>(row)].missing;
      rows_[static_cast<size_t>(row)].sum ^= static_cast<uint16_t>(symbol);
    });
  }
  for (int row = 0; row < shape_.m; ++row)
    if (rows_[static_cast<size_t>(row)].missing == 1) ready_.push_back(static_cast<uint16_t>(row));

  while (!ready_.empty() && missing_data > 0) {
    const uint16_t row = ready_.back();
    ready_.pop_back();
    if (rows_[row].missing != 1) continue;  // solved by another check meanwhile
    const uint16_t symbol = rows_[row].sum;
    steps_.push_back({symbol, row});
    known_[symbol] = 1;
    missing_data -= symbol < shape_.k;
    for_each_row(symbol, [&](int other) {
      Row& r = rows_[static_cast<size_t>(other)];
      r.sum ^= symbol;
      if (--r.missing == 1) ready_.push_back(static_cast<uint16_t>(other));
    });
  }
  return missing_data;
}

bool Ldgm::repair(MutableBytes block, size_t symbol_bytes, std::span<uint8_t> present) {
  const auto symbols = static_cast<size_t>(shape_.k + shape_.m);
  ENSURE(present.size() == symbols && block.size() == symbols * symbol_bytes);
  const int missing_data = peel(present);
  needed_.assign(symbols, 0);
  const bool solved = missing_data > 0 && eliminate(symbol_bytes);

  // Backwards from the last step: finds the symbols that a data symbol (or an equation) needs.
  for (size_t i = steps_.size(); i-- > 0;) {
    Step& step = steps_[i];
    step.wanted = step.symbol < shape_.k || needed_[step.symbol];
    if (step.wanted) for_each_symbol(step.row, [&](int symbol) { needed_[static_cast<size_t>(symbol)] = 1; });
  }
  for (const Step& step : steps_) {
    if (!step.wanted) continue;
    XorBytes sum(block.data() + step.symbol * symbol_bytes, symbol_bytes);
    for_each_symbol(step.row, [&](int symbol) {
      if (symbol != step.symbol) sum.add(block.data() + static_cast<size_t>(symbol) * symbol_bytes);
    });
    present[step.symbol] = 1;
  }
  if (solved) apply_elimination(block, symbol_bytes, present);
  return missing_data == 0 || solved;
}

// True if the missing data can be recovered: additions_ and pivots_ then describe how, and needed_ the symbols for it.
// Parity is eliminated first, so that the remaining equations contain only data, and unrecoverable parity does no harm.
bool Ldgm::eliminate(size_t symbol_bytes) {
  unknowns_.clear();
  const auto k = static_cast<size_t>(shape_.k);
  for (size_t i = k; i < known_.size(); ++i)
    if (!known_[i]) unknowns_.push_back(static_cast<uint16_t>(i));
  const size_t parity = unknowns_.size();
  for (size_t i = 0; i < k; ++i)
    if (!known_[i]) unknowns_.push_back(static_cast<uint16_t>(i));
  equations_.clear();
  for (size_t row = 0; row < rows_.size(); ++row)
    if (rows_[row].missing > 1) equations_.push_back(static_cast<uint16_t>(row));
  const size_t equations = equations_.size();
  if (unknowns_.size() > kMostUnknowns || equations > kMostEquations || equations < unknowns_.size() - parity ||
      equations * symbol_bytes > kMostRightSideBytes)
    return false;

  // Each row is added to about half of those before it.
  const size_t words = (unknowns_.size() + 63) / 64;
  const auto work = static_cast<int>(unknowns_.size() * equations * words / 2);
  work_ = std::min(work_ + kWorkARepair, kMostWork);
  if (work > work_) return false;
  work_ -= work;

  column_of_.resize(known_.size());
  for (size_t column = 0; column < unknowns_.size(); ++column)
    column_of_[unknowns_[column]] = static_cast<uint16_t>(column);
  bits_.assign(equations * words, 0);
  for (size_t e = 0; e < equations; ++e)
    for_each_symbol(equations_[e], [&](int symbol) {
      if (known_[static_cast<size_t>(symbol)]) return;
      const size_t column = column_of_[static_cast<size_t>(symbol)];
      bits_[e * words + column / 64] ^= uint64_t{1} << column % 64;
    });

  order_.resize(equations);
  for (size_t e = 0; e < equations; ++e) order_[e] = static_cast<uint16_t>(e);
  additions_.clear();
  pivots_.clear();
  size_t rank = 0, first_of_data = 0;
  const auto row = [&](size_t place) { return std::span(bits_).subspan(order_[place] * words, words); };
  const size_t most_additions = kMostAddedBytes / std::max<size_t>(symbol_bytes, 64);
  for (size_t column = 0; column < unknowns_.size(); ++column) {
    const auto has = [&](size_t place) { return (row(place)[column / 64] >> column % 64 & 1) != 0; };
    if (column == parity) first_of_data = rank;
    size_t pivot = rank;
    while (pivot < equations && !has(pivot)) ++pivot;
    if (pivot == equations) {
      if (column >= parity) return false;
      continue;
    }
    std::swap(order_[rank], order_[pivot]);
    for (size_t place = column < parity ? rank + 1 : first_of_data; place < equations; ++place) {
      if (place == rank || !has(place)) continue;
      add_words(row(place), row(rank));
      if (additions_.size() == most_additions) return false;
      additions_.push_back({order_[place], order_[rank]});
    }
    if (column >= parity) pivots_.push_back(order_[rank]);
    ++rank;
  }
  unknowns_.erase(unknowns_.begin(), unknowns_.begin() + static_cast<ptrdiff_t>(parity));
  for (const uint16_t equation : equations_)
    for_each_symbol(equation, [&](int symbol) { needed_[static_cast<size_t>(symbol)] = 1; });
  return true;
}

// Sums the known symbols of each equation, then adds them as the equations were added.
void Ldgm::apply_elimination(MutableBytes block, size_t symbol_bytes, std::span<uint8_t> present) {
  if (right_side_.size() < equations_.size() * symbol_bytes) right_side_.resize(equations_.size() * symbol_bytes);
  const auto side = [&](size_t equation) { return right_side_.data() + equation * symbol_bytes; };
  for (size_t e = 0; e < equations_.size(); ++e) {
    XorBytes sum(side(e), symbol_bytes);
    for_each_symbol(equations_[e], [&](int symbol) {
      if (known_[static_cast<size_t>(symbol)]) sum.add(block.data() + static_cast<size_t>(symbol) * symbol_bytes);
    });
  }
  for (const Addition& a : additions_) xor_into(side(a.to), side(a.from), symbol_bytes);
  for (size_t i = 0; i < unknowns_.size(); ++i) {
    std::copy_n(side(pivots_[i]), symbol_bytes, block.data() + unknowns_[i] * symbol_bytes);
    present[unknowns_[i]] = 1;
  }
}

}  // namespace texcast::transport
