#include "ldgm.h"

#include <algorithm>

#include "base/ensure.h"
#include "xor_bytes.h"

namespace texcast::transport {
namespace {

constexpr int kMostSymbols = 8191;  // 13 bits
constexpr int kMostOnes = 63;       // 6 bits

// Park and Miller's "minimal standard" generator, scaled as in RFC 5170.
class Random {
 public:
  explicit Random(uint32_t seed) : value_(seed) {}
  uint32_t below(uint32_t limit) {
    value_ = 16807 * value_ % 0x7FFFFFFF;
    return static_cast<uint32_t>(static_cast<double>(limit) * static_cast<double>(value_) / 2147483647.0);
  }

 private:
  uint64_t value_;
};

struct Entry {
  uint16_t row;
  uint16_t symbol;
};

bool in_range(const LdgmShape& s) {
  return s.k >= 2 && s.k <= kMostSymbols && s.m >= 1 && s.m <= kMostSymbols && s.c >= 1 && s.c <= kMostOnes &&
         s.c <= s.m && s.seed >= 1 && s.seed < 0x7FFFFFFF;
}

// The ones of the left part of the parity-check matrix (RFC 5170 section 5.4, drawn in UltraGrid's order). Empty if it
// needed too many steps.
std::vector<Entry> left_matrix(const LdgmShape& shape, int& steps) {
  const auto k = static_cast<uint32_t>(shape.k), m = static_cast<uint32_t>(shape.m), c = static_cast<uint32_t>(shape.c);
  Random random(shape.seed);
  std::vector<Entry> ones;
  ones.reserve(size_t{k} * c + 2 * size_t{m});
  std::vector<uint32_t> degree(m), sum(m);  // per row: number of symbols, and XOR of their numbers
  const auto put = [&](uint32_t row, uint32_t symbol) {
    ones.push_back({static_cast<uint16_t>(row), static_cast<uint16_t>(symbol)});
    ++degree[row];
    sum[row] ^= symbol;
  };

  // Rows to choose from, each equally often. Those before `taken` are used up.
  std::vector<uint16_t> choices(size_t{k} * c);
  for (size_t i = 0; i < choices.size(); ++i) choices[i] = static_cast<uint16_t>(i % m);
  size_t taken = 0;
  std::vector<uint32_t> last_symbol(m, UINT32_MAX);  // the last symbol in each row
  for (uint32_t symbol = 0; symbol < k; ++symbol) {
    const auto has = [&](uint32_t row) { return --steps, last_symbol[row] == symbol; };
    for (uint32_t n = 0; n < c; ++n) {
      uint32_t row = 0;
      size_t free = taken;
      while (free < choices.size() && has(choices[free]) && steps > 0) ++free;
      if (free < choices.size()) {
        size_t at = 0;
        do at = taken + random.below(static_cast<uint32_t>(choices.size() - taken));
        while (has(choices[at]) && steps > 0);
        row = choices[at];
        choices[at] = choices[taken++];
      } else {
        do row = random.below(m);
        while (has(row) && steps > 0);
      }
      if (steps <= 0) return {};
      last_symbol[row] = symbol;
      put(row, symbol);
    }
  }
  for (uint32_t row = 0; row < m; ++row) {  // a row with fewer than two symbols would protect nothing
    if (degree[row] == 0) put(row, random.below(k));
    if (degree[row] > 1) continue;
    uint32_t symbol = 0;
    do symbol = random.below(k);
    while (symbol == sum[row] && --steps > 0);
    if (steps <= 0) return {};
    put(row, symbol);
  }
  return ones;
}

}  // namespace

std::unique_ptr<Ldgm> Ldgm::create(const LdgmShape& shape, int& steps) {
  if (!in_range(shape)) return nullptr;
  const std::vector<Entry> ones = left_matrix(shape, steps);
  if (ones.empty()) return nullptr;
  std::unique_ptr<Ldgm> code(new Ldgm(shape));
  // Both directions, each with an index of where a row's or a symbol's part begins.
  code->row_begin_.resize(static_cast<size_t>(shape.m) + 1);
  code->column_begin_.resize(static_cast<size_t>(shape.k) + 1);
  for (const Entry& one : ones) {
    ++code->row_begin_[one.row + size_t{1}];
    ++code->column_begin_[one.symbol + size_t{1}];
  }
  for (size_t i = 1; i < code->row_begin_.size(); ++i) code->row_begin_[i] += code->row_begin_[i - 1];
  for (size_t i = 1; i < code->column_begin_.size(); ++i) code->column_begin_[i] += code->column_begin_[i - 1];
  code->row_symbols_.resize(ones.size());
  code->column_rows_.resize(ones.size());
  std::vector<uint32_t> row_at(code->row_begin_), column_at(code->column_begin_);
  for (const Entry& one : ones) {
    code->row_symbols_[row_at[one.row]++] = one.symbol;
    code->column_rows_[column_at[one.symbol]++] = one.row;
  }
  return code;
}

std::span<const uint16_t> Ldgm::symbols_of(int row) const {
  const auto r = static_cast<size_t>(row);
  return std::span(row_symbols_).subspan(row_begin_[r], row_begin_[r + 1] - row_begin_[r]);
}

std::span<const uint16_t> Ldgm::rows_of(int symbol) const {
  const auto s = static_cast<size_t>(symbol);
  return std::span(column_rows_).subspan(column_begin_[s], column_begin_[s + 1] - column_begin_[s]);
}

// The staircase: a check's parity symbol is the sum of its data symbols and the previous parity symbol.
void Ldgm::encode(MutableBytes block, size_t symbol_bytes) const {
  ENSURE(block.size() == static_cast<size_t>(shape_.k + shape_.m) * symbol_bytes);
  std::byte* parity = block.data() + static_cast<size_t>(shape_.k) * symbol_bytes;
  for (int row = 0; row < shape_.m; ++row, parity += symbol_bytes) {
    XorBytes sum(parity, symbol_bytes);
    for (const uint16_t symbol : symbols_of(row)) sum.add(block.data() + symbol * symbol_bytes);
    if (row > 0) sum.add(parity - symbol_bytes);
  }
}

Ldgm* LdgmCache::find(const LdgmShape& shape) {
  steps_ = std::min(std::max(steps_, 0) + kStepsAFrame, Ldgm::kMostSteps);
  const auto kept = std::ranges::find_if(codes_, [&](const auto& code) { return code->shape() == shape; });
  if (kept != codes_.end()) {
    std::rotate(codes_.begin(), kept, kept + 1);
    return codes_.front().get();
  }
  std::unique_ptr<Ldgm> code = Ldgm::create(shape, steps_);
  if (!code) return nullptr;
  if (codes_.size() == kKept) codes_.pop_back();
  codes_.insert(codes_.begin(), std::move(code));
  return codes_.front().get();
}

}  // namespace texcast::transport
