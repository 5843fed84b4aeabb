// Ldgm::repair: peeling. A check of which one symbol alone is missing gives that symbol, which may leave others with
// one. Which gives which is found first, on numbers alone; only what leads to data is then computed.
#include "base/ensure.h"
#include "ldgm.h"
#include "xor_bytes.h"

namespace texcast::transport {

// Gives how many data symbols are still missing then.
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

  // From the last step back: what does a data symbol (or an equation) need?
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

}  // namespace texcast::transport
