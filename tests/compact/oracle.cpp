#include "oracle.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <deque>
#include <initializer_list>
#include <map>

#include "compact/tables.h"  // trained_text()

namespace oracle {
namespace {

using std::vector;

[[noreturn]] void damage(const std::string& what) { throw Damage{what}; }
void demand(bool is_so, const char* what) {
  if (!is_so) damage(what);
}

// Table sets by their place in codec/compact/tables/film.txt. lossless.txt has no chroma of 4:4:4 of its own.
constexpr int kColor = 0, kScaledChroma = 1, kLuma = 2, kChroma = 3, kAlpha = 4, kChroma444 = 5;

// Section 5.4, "Contexts", of docs/compact.md.
constexpr int kVectorAt = 0, kDistanceAt = 4, kKindAt = 40, kEndsAt = 88, kDifferenceAt = 120, kIndicesAt = 936,
              kLevelAt = 1260, kRanksAt = 1261, kFarAt = 1461, kLevelsAt = 1466, kBitsAt = 1551, kAreaAt = 1555,
              kLossyKindAt = 1567, kTexelsAt = 1647, kContexts = 1755;
// Sets of lossy units follow those of the others: films', screens', fine films'.
constexpr int kSetsOfAKind = 6, kLossySets = kSetsOfAKind, kKinds = 4;

using Frequencies = std::array<int, 16>;
const vector<vector<Frequencies>>& tables() {
  static const auto made = [] {
    constexpr const char* kFiles[kKinds] = {"lossless", "film", "screen", "fine_film"};
    vector<vector<Frequencies>> sets(kKinds * kSetsOfAKind);
    for (int set = 0; set < kKinds * kSetsOfAKind; ++set)
      for (int c = 0; c < kContexts; ++c) {
        const auto& texts = texcast::compact::trained_text(kFiles[set / kSetsOfAKind]);
        const std::string_view row = texts[set == kChroma444 ? kChroma : set % kSetsOfAKind][c];
        sets[set].push_back(row.empty() ? Frequencies{} : frequencies_of(row.data()));
      }
    return sets;
  }();
  return made;
}

}  // namespace

// What a unit says before its half-blocks.
struct Beginning {
  bool lossy = false;
  int content = 0;
  int least_range = 0;
  vector<std::array<int, 2>> vectors;  // of areas; of lossy units in halves of a pixel
  vector<bool> moved;
  int across = 0;                             // areas in a row
  std::map<std::pair<int, int>, bool> coded;  // half-blocks of the first component, by column and row in the unit
};

int sets_of(const Beginning& beginning) { return beginning.lossy ? kLossySets + beginning.content * kSetsOfAKind : 0; }

class Symbols {
 public:
  Symbols(Bytes bytes, bool lossy) : bytes_(bytes), last_(lossy ? 1 : 65536) {
    state_ = word();
    state_ = state_ * 65536 + word();
  }
  explicit Symbols(Chooser& chooser) : chooser_(&chooser) {}
  // `sense`: a bit for each symbol that makes sense there. Only who makes one up needs to know.
  int next(int set, int context, unsigned sense = 0xFFFF) {
    if (chooser_ != nullptr) return choose(set, context, sense);
    const Frequencies& frequencies = tables()[set][context];
    const uint32_t slot = state_ % 4096;
    uint32_t start = 0;
    int symbol = 0;
    while (start + frequencies[symbol] <= slot) start += frequencies[symbol++];
    state_ = frequencies[symbol] * (state_ / 4096) + slot - start;
    const bool is_left = last_ == 65536 || at_ < bytes_.size();
    if (state_ < 65536 && is_left) state_ = state_ * 65536 + word();
    return symbol;
  }
  void end() const { demand(at_ == bytes_.size() && state_ == last_, "a unit does not end where its bytes do"); }

  int bits(int set, int count) {
    int value = 0;
    for (int left = count, at = 0; left > 0; left -= 4, at += 4)
      value |= (next(set, kBitsAt + std::min(left, 4) - 1, (1u << (1 << std::min(left, 4))) - 1) &
                ((1 << std::min(left, 4)) - 1))
               << at;
    return value;
  }
  int distance(int set, int context, int& length) {
    length = next(set, context);
    if (length == 0) return 0;
    const int b = bits(set, length);
    const int size = (1 << (length - 1)) + (b >> 1);
    return b % 2 == 1 ? -size : size;
  }
  std::array<int, 2> vector_(int set, bool is_jump) {
    const int base = kDistanceAt + (is_jump ? 18 : 0);
    int length = 0, ignored = 0;
    const int x = distance(set, base, length);
    const int y = distance(set, base + 1 + length, ignored);
    return {x, y};
  }
  // A vector that leads from `from` into a plane, if it is made up; any, if it is read.
  std::array<int, 2> jump(int set, std::array<int, 2> from, std::array<int, 2> plane) {
    if (chooser_ == nullptr) return vector_(set, true);
    std::array<int, 2> v{};
    int length = 0;
    for (const int axis : {0, 1}) {
      v[axis] = static_cast<int>(chooser_->random() % plane[axis]) - from[axis];
      const int size = std::abs(v[axis]);
      const int before = length;
      length = 0;
      while (size >> length != 0) ++length;
      put(set, kDistanceAt + 18 + (axis == 1 ? 1 + before : 0), length);
      int rest = length == 0 ? 0 : (size - (1 << (length - 1))) * 2 + (v[axis] < 0 ? 1 : 0);
      for (int left = length; left > 0; left -= 4, rest /= 16) put(set, kBitsAt + std::min(left, 4) - 1, rest % 16);
    }
    return v;
  }
  int difference(int set, int context) {
    const int symbol = next(set, context);
    static const int first[] = {12, 16, 32, 96}, count[] = {2, 4, 6, 9};
    const int folded = symbol < 12 ? symbol : first[symbol - 12] + bits(set, count[symbol - 12]);
    return folded % 2 == 1 ? (folded + 1) / 2 : -folded / 2;
  }

 private:
  void put(int set, int context, int symbol) { chooser_->chosen.push_back({set, context, symbol}); }
  int choose(int set, int context, unsigned sense) {
    int symbol = 0;
    do {
      symbol = static_cast<int>(chooser_->random() % 16);
      if (chooser_->likely) {
        int slot = static_cast<int>(chooser_->random() % 4096);
        for (symbol = 0; slot >= tables()[set][context][symbol]; ++symbol) slot -= tables()[set][context][symbol];
      }
    } while ((sense >> symbol & 1) == 0);
    put(set, context, symbol);
    return symbol;
  }
  uint32_t word() {
    demand(at_ + 2 <= bytes_.size(), "a unit's bytes run out");
    at_ += 2;
    return std::to_integer<uint32_t>(bytes_[at_ - 2]) + 256 * std::to_integer<uint32_t>(bytes_[at_ - 1]);
  }
  Chooser* chooser_ = nullptr;
  Bytes bytes_;
  uint32_t last_ = 0;  // state
  size_t at_ = 0;
  uint32_t state_ = 0;
};

namespace {

// Numbers, of which there are never more than so many. Not on the heap: they are made for every texel, and sanitizers
// keep the stack of each allocation.
template <size_t most>
class Few {
 public:
  Few() = default;
  Few(size_t count, int value) : count_(count) { numbers_.fill(value); }
  Few(std::initializer_list<int> numbers) {
    for (const int number : numbers) push_back(number);
  }
  void push_back(int number) { numbers_.at(count_++) = number; }
  int& operator[](size_t i) { return numbers_[checked(i)]; }
  int operator[](size_t i) const { return numbers_[checked(i)]; }

 private:
  size_t checked(size_t i) const {
    if (i >= count_) std::abort();
    return i;
  }
  std::array<int, most> numbers_{};
  size_t count_ = 0;
};
using Values = Few<6>;  // of the end points
using Ranked = Few<8>;  // levels
using Texels = Few<16>;

struct Shape {
  bool is_channel, always_four;
  int value_bits(int i) const { return is_channel ? 8 : i % 3 == 1 ? 6 : 5; }
  int values() const { return is_channel ? 2 : 6; }
  // Where value i begins among the end points' bits.
  int value_at(int i) const {
    static const int color[] = {11, 5, 0, 27, 21, 16};
    return is_channel ? 8 * i : color[i];
  }
  int end_bits() const { return is_channel ? 16 : 32; }
  int index_bits() const { return is_channel ? 3 : 2; }

  uint64_t ends(uint64_t half) const { return half & ((uint64_t{1} << end_bits()) - 1); }
  uint64_t index_field(uint64_t half) const { return half >> end_bits(); }
  Values values_of(uint64_t ends) const {
    Values values;
    for (int i = 0; i < this->values(); ++i)
      values.push_back(static_cast<int>(ends >> value_at(i)) & ((1 << value_bits(i)) - 1));
    return values;
  }
  uint64_t ends_of(const Values& values) const {
    uint64_t ends = 0;
    for (int i = 0; i < this->values(); ++i)
      ends |= static_cast<uint64_t>(values[i] & ((1 << value_bits(i)) - 1)) << value_at(i);
    return ends;
  }
  bool full(uint64_t ends) const {
    if (is_channel) return (ends & 0xFF) > ends >> 8;
    return always_four || (ends & 0xFFFF) > ends >> 16;
  }
  int steps(uint64_t ends) const { return is_channel ? (full(ends) ? 7 : 5) : (full(ends) ? 3 : 2); }
  int levels() const { return is_channel ? 8 : 4; }
  int level_of(uint64_t ends, int index) const {
    static const int color[2][4] = {{0, 2, 1, 3}, {0, 3, 1, 2}};
    static const int channel[2][8] = {{0, 5, 1, 2, 3, 4, 6, 7}, {0, 7, 1, 2, 3, 4, 5, 6}};
    return is_channel ? channel[full(ends)][index] : color[full(ends)][index];
  }
  int index_of(uint64_t ends, int level) const {
    for (int index = 0; index < levels(); ++index)
      if (level_of(ends, index) == level) return index;
    std::abort();
  }
  int channels() const { return is_channel ? 1 : 3; }
  int end_point(uint64_t ends, int which, int channel) const {
    const int value = values_of(ends)[is_channel ? which : which * 3 + channel];
    if (is_channel) return value;
    return channel == 1 ? value << 2 | value >> 4 : value << 3 | value >> 2;
  }
  int decoded(uint64_t ends, int level, int channel) const {
    const int n = steps(ends);
    if (level <= n) return (end_point(ends, 0, channel) * (n - level) + end_point(ends, 1, channel) * level) / n;
    return is_channel && level == 7 ? 255 : 0;
  }
  uint64_t made(uint64_t ends, const Texels& levels) const {
    uint64_t half = ends;
    for (int i = 0; i < 16; ++i)
      half |= static_cast<uint64_t>(index_of(ends, levels[i])) << (end_bits() + i * index_bits());
    return half;
  }
};

// What a half-block leaves for the contexts of the next ones.
struct Left {
  int kind = 0, ends = 0, indices = 0, largest = 0;
};

int size_class(int difference) {
  const int size = std::abs(difference);
  return size >= 4 ? 3 : size >= 2 ? 2 : size;
}

// Levels in the order of their ranks.
Ranked by_rank(int nearest, bool up_first, int steps, int levels) {
  Ranked order{nearest};
  for (int distance = 1; distance <= steps; ++distance) {
    const int first = up_first ? nearest + distance : nearest - distance;
    const int second = up_first ? nearest - distance : nearest + distance;
    if (first >= 0 && first <= steps) order.push_back(first);
    if (second >= 0 && second <= steps) order.push_back(second);
  }
  for (int level = steps + 1; level < levels; ++level) order.push_back(level);
  return order;
}

int floor_half(int v, int by) { return by == 2 ? (v >= 0 ? v / 2 : -((1 - v) / 2)) : v; }
int rounded_part(int v, double of) {
  const int size = static_cast<int>(std::floor(std::abs(v) / of + 0.5));
  return v < 0 ? -size : size;
}

// One component of one unit.
class ComponentReader {
 public:
  ComponentReader(Symbols& symbols, const Decoder::Component& component, const Decoder::Component& first,
                  const std::array<int, 4>& rect, Beginning& beginning, const vector<std::byte>* before,
                  vector<std::byte>& texture, Decoder::Seen& seen)
      : symbols_(symbols),
        component_(component),
        shape_{component.is_channel, component.always_four},
        rect_(rect),
        first_(first),
        is_first_(&component == &first),
        beginning_(beginning),
        before_(before),
        texture_(texture),
        counts_(seen) {}

  void read() {
    for (int y = rect_[2]; y < rect_[3]; ++y)
      for (int x = rect_[0]; x < rect_[1]; ++x) {
        const uint64_t half = one(x, y);
        const size_t at = component_.offset + (static_cast<size_t>(y) * component_.blocks_x + x) * component_.stride;
        for (int byte = 0; byte < 8; ++byte) texture_[at + byte] = static_cast<std::byte>(half >> 8 * byte & 0xFF);
      }
  }

 private:
  int set() const { return component_.tables + sets_of(beginning_); }
  int symbol(int context, unsigned sense = 0xFFFF) { return symbols_.next(set(), context, sense); }
  bool lossy() const { return beginning_.lossy; }
  bool intra() const { return before_ == nullptr; }
  bool is_in_plane(int x, int y) const {
    return x >= 0 && y >= 0 && x < component_.blocks_x && y < component_.blocks_y;
  }
  uint64_t then(int x, int y) const {
    demand(is_in_plane(x, y), "a vector leads out of the plane");
    return Decoder::load(*before_, component_, x, y);
  }
  Left left_of(int x, int y) const {
    const auto found = seen_.find({x, y});
    return found == seen_.end() ? Left{} : found->second;
  }

  uint64_t one(int x, int y) {
    const Left left = left_of(x - 1, y), above = left_of(x, y - 1);
    const bool has_left = x > rect_[0], has_above = y > rect_[2];
    const uint64_t left_half = has_left ? Decoder::load(texture_, component_, x - 1, y) : 0;
    const uint64_t above_half = has_above ? Decoder::load(texture_, component_, x, y - 1) : 0;
    int vx = 0, vy = 0;
    if (!intra()) {
      const int area =
          (y - rect_[2]) * component_.down / 4 * beginning_.across + (x - rect_[0]) * component_.across / 4;
      vx = floor_half(beginning_.vectors.at(area)[0], component_.across);
      vy = floor_half(beginning_.vectors.at(area)[1], component_.down);
      if (lossy() && beginning_.moved.at(area)) {
        seen_[{x, y}] = Left{};
        return moved_or_fitted(x, y, vx, vy);
      }
    }
    if (lossy()) return one_of_lossy(x, y, vx, vy, left, above, left_half, above_half);
    const int state = intra() ? 2 : vx == 0 && vy == 0 ? 1 : 0;
    unsigned sense = 16u | (has_left ? 4u : 0u) | (has_above ? 8u : 0u);
    if (!intra()) sense |= 2u | 64u | (is_in_plane(x + jump_[0], y + jump_[1]) ? 32u : 0u);
    if (!intra() && vx % 4 == 0 && vy % 4 == 0 && is_in_plane(x + vx / 4, y + vy / 4)) sense |= 1u;
    const int kind = symbol(kKindAt + 16 * state + 4 * left.kind + above.kind, sense);
    demand(kind <= 6, "there is no such kind");
    ++counts_.kinds[kind];
    demand(!intra() || (kind >= 2 && kind <= 4), "kinds of the frame before, in a unit that is alone");
    Left& mine = seen_[{x, y}];
    mine.kind = kind == 0 ? 0 : 1;
    switch (kind) {
      case 0: demand(vx % 4 == 0 && vy % 4 == 0, "moved by parts of a block"); return then(x + vx / 4, y + vy / 4);
      case 1: return then(x, y);
      case 2: demand(has_left, "no left neighbour"); return left_half;
      case 3: demand(has_above, "none above"); return above_half;
      case 4: return coded(x, y, vx, vy, left, above, left_half, above_half, mine);
      case 6: jump_ = symbols_.jump(set(), {x, y}, {component_.blocks_x, component_.blocks_y}); break;
      default: break;
    }
    const uint64_t half = then(x + jump_[0], y + jump_[1]);
    remember(shape_.ends(half));
    return half;
  }

  uint64_t one_of_lossy(int x, int y, int vx, int vy, const Left& left, const Left& above, uint64_t left_half,
                        uint64_t above_half) {
    const bool has_left = x > rect_[0], has_above = y > rect_[2];
    bool is_coded = false;
    for (int j = 0; j < component_.down; ++j)
      for (int i = 0; i < component_.across; ++i)
        is_coded = is_coded ||
                   beginning_.coded[{(x - rect_[0]) * component_.across + i, (y - rect_[2]) * component_.down + j}];
    const int state = intra() ? 4 : (vx == 0 && vy == 0 ? 1 : 0) + (!is_first_ && is_coded ? 2 : 0);
    unsigned sense = 16u | (has_left ? 4u : 0u) | (has_above ? 8u : 0u);
    if (!intra()) sense |= 1u | 2u | 64u | (is_in_plane(x + jump_[0], y + jump_[1]) ? 32u : 0u);
    const int kind = symbol(kLossyKindAt + 16 * state + 4 * left.kind + above.kind, sense);
    demand(kind <= 6, "there is no such kind");
    ++counts_.kinds[kind];
    demand(!intra() || (kind >= 2 && kind <= 4), "kinds of the frame before, in a unit that is alone");
    Left& mine = seen_[{x, y}];
    mine.kind = kind == 0 ? 0 : 1;
    switch (kind) {
      case 0: return moved_or_fitted(x, y, vx, vy);
      case 1: return then(x, y);
      case 2: demand(has_left, "no left neighbour"); return left_half;
      case 3: demand(has_above, "none above"); return above_half;
      case 4:
        if (is_first_) beginning_.coded[{x - rect_[0], y - rect_[2]}] = true;
        return coded(x, y, vx, vy, left, above, left_half, above_half, mine);
      case 6: jump_ = symbols_.jump(set(), {x, y}, {component_.blocks_x, component_.blocks_y}); break;
      default: break;
    }
    const uint64_t half = then(x + jump_[0], y + jump_[1]);
    remember(shape_.ends(half));
    return half;
  }
  uint64_t moved_or_fitted(int x, int y, int vx, int vy) const {
    if (vx % 8 == 0 && vy % 8 == 0 && is_in_plane(x + vx / 8, y + vy / 8)) return then(x + vx / 8, y + vy / 8);
    const uint64_t ends = fitted(x, y, vx, vy);
    Texels levels;
    for (int i = 0; i < 16; ++i) levels.push_back(predicted(ends, x, y, vx, vy, i)[0]);
    return shape_.made(ends, levels);
  }
  uint64_t widened(uint64_t ends) const {
    if (!shape_.is_channel) return ends;
    const int range = component_.across * component_.down > 1 ? beginning_.least_range * 3 / 4 : beginning_.least_range;
    const int a0 = shape_.end_point(ends, 0, 0), a1 = shape_.end_point(ends, 1, 0);
    const int missing = range > a0 - a1 ? range - (a0 - a1) : 0;
    return shape_.ends_of({std::min(a0 + missing / 2, 255), std::max(a1 - (missing - missing / 2), 0)});
  }

  void remember(uint64_t ends) {
    for (size_t i = 0; i < 3; ++i)
      if (recent_[i] == ends) {
        recent_.erase(recent_.begin() + static_cast<std::ptrdiff_t>(i));
        recent_.push_front(ends);
        return;
      }
    recent_.pop_back();
    recent_.push_front(ends);
  }

  uint64_t coded(int x, int y, int vx, int vy, const Left& left, const Left& above, uint64_t left_half,
                 uint64_t above_half, Left& mine) {
    uint64_t before_half = 0;
    if (!intra())
      before_half = then(std::clamp(x + rounded_part(vx, lossy() ? 8 : 4), 0, component_.blocks_x - 1),
                         std::clamp(y + rounded_part(vy, lossy() ? 8 : 4), 0, component_.blocks_y - 1));
    const unsigned sense = intra() ? 0x7BF : lossy() ? 0xFFF : 0x7FF;
    const int ends_mode = symbol(kEndsAt + (intra() ? 16 : 0) + 4 * left.ends + above.ends, sense);
    demand(ends_mode <= (lossy() && !intra() ? 11 : 10), "there is no such mode of end points");
    ++counts_.end_points[ends_mode];
    demand(ends_mode != 6 || !intra(), "fitted, in a unit that is alone");
    uint64_t ends = 0;
    if (ends_mode == 11) {
      ends = widened(fitted(x, y, vx, vy));
    } else if (ends_mode >= 7) {
      ends = shape_.ends(recent_[ends_mode - 7]);
    } else if (ends_mode == 6) {
      ends = fitted(x, y, vx, vy);
      if (lossy()) ends = widened(ends);
    } else {
      const uint64_t sources[] = {before_half, left_half, above_half};
      ends = shape_.ends(sources[ends_mode % 3]);
    }
    if (ends_mode >= 3 && ends_mode <= 6) ends = with_differences(ends, ends_mode, left, above, mine);
    mine.ends = ends_mode == 0 ? 1 : ends_mode == 3 ? 3 : 2;
    remember(ends);

    const bool has_texels = lossy() && shape_.is_channel, has_luma = has_texels && component_.tables == kChroma444;
    const int mode =
        symbol(kIndicesAt + (intra() ? 162 : 0) + (mine.largest > 1 ? 81 : 0) + 9 * left.indices + above.indices,
               (intra() ? 0x21E : 0x3FF) | (has_luma ? 0xC00 : 0) | (has_texels ? 0x1000 : 0));
    demand(mode <= 9 || (has_luma && mode <= 11) || (has_texels && mode == 12), "there is no such mode of indices");
    ++counts_.indices[mode];
    demand(!intra() || (mode != 0 && (mode < 5 || mode >= 9)), "predicted indices, in a unit that is alone");
    static const int trace[] = {1, 2, 3, 3, 3, 4, 5, 6, 7, 8, 5, 6, 7};
    mine.indices = trace[mode];
    mine.kind = mode <= 4 || mode == 10 || mode == 11 ? 2 : 3;
    if (mode == 1) {
      const int level = symbol(kLevelAt, (1u << shape_.levels()) - 1);
      demand(level < shape_.levels(), "there is no such level");
      return shape_.made(ends, Texels(16, level));
    }
    if (mode >= 2 && mode <= 4) {
      const uint64_t sources[] = {before_half, left_half, above_half};
      return ends | shape_.index_field(sources[mode - 2]) << shape_.end_bits();
    }
    if (mode == 10 || mode == 11) {
      const uint64_t of_luma = shape_.index_field(Decoder::load(texture_, first_, x, y));
      if (mode == 10) return ends | of_luma << shape_.end_bits();
      uint64_t half = ends;
      for (int i = 0; i < 16; ++i) {
        const uint64_t index = of_luma >> 3 * i & 7;
        half |= (index < 2 ? 1 - index : 9 - index) << (shape_.end_bits() + 3 * i);
      }
      return half;
    }
    Texels levels;
    if (mode == 12) return shape_.made(ends, level_by_level());
    if (mode == 9) {
      levels = shape_.is_channel ? guessed_levels(ends) : paired_levels();
    } else {
      const Texels ranks = mode == 0 ? Texels(16, 0) : read_ranks(mode - 5);
      for (int i = 0; i < 16; ++i) {
        int n = 0;
        const auto add = [&](int k) {
          n += std::min(levels[k], shape_.steps(ends)) - predicted(ends, x, y, vx, vy, k)[0];
        };
        if (lossy() && mode != 0 && i % 4 != 0) add(i - 1);
        if (lossy() && mode != 0 && i >= 4) add(i - 4);
        levels.push_back(predicted(ends, x, y, vx, vy, i, n)[ranks[i]]);
      }
    }
    return shape_.made(ends, levels);
  }

  Texels level_by_level() {
    static const int parts[] = {1, 2, 2, 3, 3, 4, 4, 5};
    Texels levels;
    for (int i = 0; i < 16; ++i) {
      const int left = i % 4 > 0 ? parts[levels[i - 1]] : 0, above = i / 4 > 0 ? parts[levels[i - 4]] : 0;
      const int right = i / 4 == 0 || i % 4 == 3 ? 0 : levels[i - 3] <= 3 ? 1 : 2;
      const int level = symbol(kTexelsAt + 18 * left + 3 * above + right, 0xFF);
      demand(level < 8, "there is no such level");
      levels.push_back(level);
    }
    return levels;
  }

  uint64_t with_differences(uint64_t ends, int mode, const Left& left, const Left& above, Left& mine) {
    const int n = std::max(left.largest, above.largest);
    const int base = kDifferenceAt + 204 * (mode - 3);
    Values values = shape_.values_of(ends);
    const auto read = [&](int value, int context) {
      const int d = symbols_.difference(set(), base + context);
      values[value] += d;
      counts_.wrapped += values[value] < 0 || values[value] >> shape_.value_bits(value) != 0 ? 1 : 0;
      mine.largest = std::max(mine.largest, size_class(d));
      return d;
    };
    const auto c = size_class;
    const auto p = [](int d) { return d > 0 ? 1 : 0; };
    if (shape_.is_channel) {
      const int a0 = read(0, n);
      read(1, 4 + 8 * n + 2 * c(a0) + p(a0));
    } else {
      const int g0 = read(1, n);
      const int r0 = read(0, 4 + 2 * c(g0) + p(g0));
      const int b0 = read(2, 12 + 8 * c(g0) + 2 * c(r0) + p(r0));
      const int g1 = read(4, 44 + 8 * c(g0) + 2 * c(r0) + p(g0));
      const int r1 = read(3, 76 + 16 * c(g1) + 4 * c(r0) + 2 * p(g1) + p(r0));
      read(5, 140 + 16 * c(r1) + 4 * c(b0) + 2 * p(r1) + p(b0));
    }
    return shape_.ends_of(values);
  }

  Texels read_ranks(int group) {
    Texels ranks;
    const auto low = [&](int i) { return std::min(ranks[i], 2); };
    for (int i = 0; i < 16; i += 2) {
      const int above = i < 4 ? 9 : 3 * low(i - 4) + low(i - 3);
      const int left = i % 4 == 0 ? 3 : low(i - 1);
      const int both = symbol(kRanksAt + 40 * group + 4 * above + left);
      ranks.push_back(both / 4);
      ranks.push_back(both % 4);
      for (int k = i; k < i + 2; ++k)
        if (shape_.is_channel && ranks[k] == 3) ranks[k] = 3 + std::min(symbol(kFarAt + group), 4);
    }
    return ranks;
  }
  Texels paired_levels() {
    Texels levels;
    for (int i = 0; i < 16; i += 2) {
      const int above = i < 4 ? 16 : 4 * levels[i - 4] + levels[i - 3];
      const int left = i % 4 == 0 ? 4 : levels[i - 1];
      const int both = symbol(kLevelsAt + 5 * above + left);
      levels.push_back(both / 4);
      levels.push_back(both % 4);
    }
    return levels;
  }
  Texels guessed_levels(uint64_t ends) {
    const Texels ranks = read_ranks(4);
    const int steps = shape_.steps(ends);
    Texels levels;
    for (int i = 0; i < 16; ++i) {
      int guess = steps / 2;
      if (i % 4 != 0 && i >= 4)
        guess = static_cast<int>(std::ceil((std::min(levels[i - 1], steps) + std::min(levels[i - 4], steps)) / 2.0));
      else if (i % 4 != 0)
        guess = std::min(levels[i - 1], steps);
      else if (i >= 4)
        guess = std::min(levels[i - 4], steps);
      levels.push_back(by_rank(guess, true, steps, shape_.levels())[ranks[i]]);
    }
    return levels;
  }

  // A channel of texel i of those at the vector.
  int pixel(int x, int y, int vx, int vy, int i, int channel) const {
    const int tx = 4 * x + i % 4, ty = 4 * y + i / 4;
    if (!lossy()) return texel(tx + vx, ty + vy, channel);
    const int px = tx + floor_half(vx, 2), py = ty + floor_half(vy, 2);
    const auto at = [&](int right, int down) { return texel(px + right, py + down, channel); };
    if (vx % 2 != 0 && vy % 2 != 0) return (at(0, 0) + at(1, 0) + at(0, 1) + at(1, 1) + 2) / 4;
    if (vx % 2 != 0) return (at(0, 0) + at(1, 0) + 1) / 2;
    if (vy % 2 != 0) return (at(0, 0) + at(0, 1) + 1) / 2;
    return at(0, 0);
  }
  int texel(int tx, int ty, int channel) const {
    tx = std::clamp(tx, 0, 4 * component_.blocks_x - 1);
    ty = std::clamp(ty, 0, 4 * component_.blocks_y - 1);
    const uint64_t half = then(tx / 4, ty / 4);
    const int place = ty % 4 * 4 + tx % 4;
    const int index = static_cast<int>(shape_.index_field(half) >> place * shape_.index_bits()) & (shape_.levels() - 1);
    return shape_.decoded(shape_.ends(half), shape_.level_of(shape_.ends(half), index), channel);
  }
  uint64_t fitted(int x, int y, int vx, int vy) const {
    int low[3], high[3], sum[3] = {0, 0, 0};
    for (int c = 0; c < shape_.channels(); ++c) {
      low[c] = 255;
      high[c] = 0;
      for (int i = 0; i < 16; ++i) {
        const int t = pixel(x, y, vx, vy, i, c);
        low[c] = std::min(low[c], t);
        high[c] = std::max(high[c], t);
        sum[c] += t;
      }
    }
    if (shape_.is_channel) return shape_.ends_of({high[0], low[0]});
    for (const int c : {0, 2}) {
      int64_t covariance = 0;
      for (int i = 0; i < 16; ++i)
        covariance += int64_t{16 * pixel(x, y, vx, vy, i, 1) - sum[1]} * (16 * pixel(x, y, vx, vy, i, c) - sum[c]);
      if (covariance < 0) std::swap(low[c], high[c]);
    }
    const auto value = [](int v, int most) { return (most * v + 127) / 255; };
    uint64_t c0 = 0, c1 = 0;
    for (int c = 0; c < 3; ++c) {
      const int bits = c == 1 ? 6 : 5, at = c == 0 ? 11 : c == 1 ? 5 : 0;
      c0 |= static_cast<uint64_t>(value(high[c], (1 << bits) - 1)) << at;
      c1 |= static_cast<uint64_t>(value(low[c], (1 << bits) - 1)) << at;
    }
    return std::max(c0, c1) | std::min(c0, c1) << 16;
  }
  // Levels of a texel by rank; `n`: what its neighbours carry on.
  Ranked predicted(uint64_t ends, int x, int y, int vx, int vy, int i, int n = 0) const {
    const int steps = shape_.steps(ends);
    int64_t a = 0, l = 0;
    for (int c = 0; c < shape_.channels(); ++c) {
      const int64_t e0 = shape_.end_point(ends, 0, c), e1 = shape_.end_point(ends, 1, c);
      a += (e1 - e0) * (pixel(x, y, vx, vy, i, c) - e0);
      l += (e1 - e0) * (e1 - e0);
    }
    a *= 2 * steps;
    a = 4 * a + 3 * n * l;
    int level = 0;
    for (int k = 0; k < steps; ++k) level += a > 4 * (2 * k + 1) * l ? 1 : 0;
    return by_rank(level, a > 8 * level * l, steps, shape_.levels());
  }

  Symbols& symbols_;
  const Decoder::Component& component_;
  const Shape shape_;
  const std::array<int, 4> rect_;
  const Decoder::Component& first_;
  const bool is_first_;
  Beginning& beginning_;
  const vector<std::byte>* const before_;
  vector<std::byte>& texture_;
  Decoder::Seen& counts_;
  std::map<std::pair<int, int>, Left> seen_;
  std::deque<uint64_t> recent_{0x0000FFFF, 0xFFFF0000, 0, 0};
  std::array<int, 2> jump_{0, 0};
};

uint32_t joined(uint32_t check, uint32_t value) { return (check ^ value) * 0x9E3779B1u + 1u; }

// A number of 7 bits a byte.
unsigned number(Bytes bytes, size_t& at) {
  unsigned value = 0;
  for (int i = 0; i < 3; ++i) {
    demand(at < bytes.size(), "a history ends within a number");
    const auto byte = std::to_integer<unsigned>(bytes[at++]);
    value += (byte & 127) << (7 * i);
    if (byte < 128) return value;
  }
  demand(false, "a number has more than three bytes");
  return 0;
}

// Three frames, each of which may be told.
void check_history(Bytes bytes, unsigned tiles) {
  size_t at = 0;
  for (int frame = 0; frame < 3; ++frame) {
    const unsigned ranges = number(bytes, at);
    unsigned end = 0;
    for (unsigned i = 1; i < ranges; ++i) {
      const unsigned gap = number(bytes, at), count = number(bytes, at);
      demand(count > 0 && gap <= tiles - end && count <= tiles - end - gap, "a range is outside the picture");
      end += gap + count;
    }
  }
  demand(at == bytes.size(), "there is something behind a history");
}

unsigned little(Bytes bytes, size_t at, int count) {
  demand(at + count <= bytes.size(), "a payload ends within a record");
  unsigned value = 0;
  for (int i = 0; i < count; ++i) value |= std::to_integer<unsigned>(bytes[at + i]) << 8 * i;
  return value;
}

}  // namespace

std::array<int, 16> frequencies_of(const char* row) {
  // 2^(-j / 8)
  static const double eighths[8] = {1.0,
                                    0.91700404320467123174,
                                    0.84089641525371454303,
                                    0.77110541270397041180,
                                    0.70710678118654752440,
                                    0.64841977732550483296,
                                    0.59460355750136053336,
                                    0.54525386633262882960};
  double weights[16], sum = 0;
  for (int s = 0; s < 16; ++s) {
    const int steps = row[s] - '!';
    weights[s] = eighths[steps % 8] / (1 << steps / 8);
    sum += weights[s];
  }
  std::array<int, 16> frequencies{};
  int total = 0;
  for (int s = 0; s < 16; ++s)
    total += frequencies[s] = std::max(1, static_cast<int>(std::floor(weights[s] / sum * 4096 + 0.5)));
  while (total != 4096) {
    int& largest = *std::max_element(frequencies.begin(), frequencies.end());
    const int given = total > 4096 ? std::min(total - 4096, largest / 2) : total - 4096;
    largest -= given;
    total -= given;
  }
  return frequencies;
}

Decoder::Decoder(const texcast::TextureDesc& texture)
    : across_(static_cast<unsigned>((texture.width + 63) / 64)),
      down_(static_cast<unsigned>((texture.height + 31) / 32)) {
  const std::string format(texcast::name(texture.format));
  const auto layout = texcast::texture_layout(texture);
  const auto add = [&](int plane, bool is_channel, bool always_four, int tables, size_t offset, size_t stride,
                       int across = 1, int down = 1) {
    components_.push_back({.is_channel = is_channel,
                           .always_four = always_four,
                           .tables = tables,
                           .blocks_x = ((texture.width + across - 1) / across + 3) / 4,
                           .blocks_y = ((texture.height + down - 1) / down + 3) / 4,
                           .across = across,
                           .down = down,
                           .offset = layout.planes[plane].offset + offset,
                           .stride = stride});
  };
  if (format == "bc4") {
    add(0, true, false, kLuma, 0, 8);
  } else if (format == "bc3") {
    add(0, true, false, kAlpha, 0, 16);
    add(0, false, true, kColor, 8, 16);
  } else if (format == "bc5") {
    add(0, true, false, kLuma, 0, 16);
    add(0, true, false, kLuma, 8, 16);
  } else if (format == "ycocg-dxt5" || format == "ycocg-dxt5-alpha") {
    add(0, true, false, kLuma, 0, 16);
    add(0, false, true, kScaledChroma, 8, 16);
    if (format == "ycocg-dxt5-alpha") add(1, true, false, kAlpha, 0, 8);
  } else if (format.rfind("ycocg-bc4", 0) == 0) {
    const int across = format == "ycocg-bc4-444" ? 1 : 2, down = format == "ycocg-bc4" ? 2 : 1;
    add(0, true, false, kLuma, 0, 8);
    for (const int plane : {1, 2}) add(plane, true, false, across == 1 ? kChroma444 : kChroma, 0, 8, across, down);
  } else {
    add(0, false, false, kColor, 0, 8);  // bc1, also of Y'CbCr
  }
}

uint64_t Decoder::load(const vector<std::byte>& texture, const Component& component, int x, int y) {
  const size_t at = component.offset + (static_cast<size_t>(y) * component.blocks_x + x) * component.stride;
  uint64_t half = 0;
  for (int i = 0; i < 8; ++i) half |= std::to_integer<uint64_t>(texture.at(at + i)) << 8 * i;
  return half;
}

std::array<int, 4> Decoder::blocks_of(const Component& component, const Slice& slice) const {
  const int columns = 16 / component.across, rows = 8 / component.down;
  const int x = static_cast<int>(slice.tile % across_) * columns;
  const int height = rows / static_cast<int>(slice.sub_slices);
  const int y = static_cast<int>(slice.tile / across_) * rows + static_cast<int>(slice.sub_slice) * height;
  return {std::min(x, component.blocks_x), std::min(x + columns, component.blocks_x), std::min(y, component.blocks_y),
          std::min(y + height, component.blocks_y)};
}

uint32_t Decoder::check_of(const Slice& slice, const vector<std::byte>& texture) const {
  uint64_t hash = slice.tile + 1;
  for (unsigned i = 0; i < slice.tiles; ++i)
    for (const Component& component : components_) {
      const auto rect = blocks_of(component, {slice.tile + i, slice.sub_slices, slice.sub_slice, slice.coding, {}});
      for (int y = rect[2]; y < rect[3]; ++y)
        for (int x = rect[0]; x < rect[1]; ++x) {
          hash ^= load(texture, component, x, y);
          hash = (hash >> 32 | hash << 32) * 0x9E3779B97F4A7C15u;
        }
    }
  return static_cast<uint32_t>(hash >> 32);
}

Payload Decoder::parse(Bytes bytes) const {
  Payload payload;
  unsigned next = little(bytes, 0, 3);
  demand(next < tiles(), "the first tile lies outside the picture");
  uint32_t h = joined(0, next);
  size_t at = 7;
  const Slice* last = nullptr;
  int most_sub_slices = 8;
  for (const Component& component : components_) most_sub_slices = std::min(most_sub_slices, 8 / component.down);
  payload.slices.reserve(bytes.size());
  while (at < bytes.size()) {
    const unsigned head = little(bytes, at, 3);
    at += 3;
    h = joined(h, head);
    const unsigned length = head & 2047, coding = head >> 11 & 7, part = head >> 14 & 15;
    unsigned passes = head >> 18;
    if (passes == 63) {
      const unsigned more = little(bytes, at, 2);
      at += 2;
      h = joined(h, more);
      passes += more;
    }
    unsigned tiles_told = 1;
    if (part == 15) {
      demand(coding == 3 || coding == 4, "a run of another coding");
      const unsigned more = little(bytes, at, 1);
      at += 1;
      h = joined(h, more);
      demand(more > 0, "a run of one tile");
      tiles_told += more;
    }
    demand(at + length <= bytes.size(), "a unit is longer than its payload");
    const Bytes slice = bytes.subspan(at, length);
    at += length;
    if (coding == 6) {
      uint32_t before = h;
      for (size_t i = 0; i + 2 < length; ++i) before = joined(before, std::to_integer<uint32_t>(slice[i]));
      demand(length >= 2 && little(slice, length - 2, 2) == before >> 16, "a history's check fails");
    }
    if (coding >= 3 && coding <= 6)
      for (const std::byte byte : slice) h = joined(h, std::to_integer<uint32_t>(byte));
    if (coding == 6) {
      demand(passes == 0 && part == 0, "a history is about a tile");
      check_history(slice.first(length - 2), tiles());
      continue;
    }
    static const unsigned strips_of[] = {1, 2, 2, 4, 4, 4, 4, 8, 8, 8, 8, 8, 8, 8, 8};
    const unsigned sub_slices = part == 15 ? 1 : strips_of[part], sub_slice = part == 15 ? 0 : part - (sub_slices - 1);
    if (coding != 7 && passes == 0 && sub_slices > 1 && last != nullptr && last->sub_slices == sub_slices &&
        sub_slice > last->sub_slice) {
      next = last->tile;
    }
    demand(next + passes <= tiles(), "more tiles are passed over than there are");
    for (unsigned i = 0; i < passes; ++i) payload.passed.push_back(next++);
    last = nullptr;
    if (coding == 7) {
      demand(length == 0 && part == 0, "a record without a unit has one");
      continue;
    }
    demand(next < tiles(), "a unit lies outside the picture");
    demand(static_cast<int>(sub_slices) <= most_sub_slices, "more strips than rows");
    demand(next % across_ + tiles_told <= across_, "a run goes beyond its row");
    payload.slices.push_back({next, sub_slices, sub_slice, coding, slice, tiles_told});
    next += tiles_told;
    last = tiles_told == 1 ? &payload.slices.back() : nullptr;
  }
  payload.expected_units = little(bytes, 3, 4) ^ h;
  return payload;
}

void Decoder::decode_slice_plainly(const Slice& slice, const vector<std::byte>* before, vector<std::byte>& texture) {
  if (slice.coding < 5) ++seen_.codings[slice.coding];
  ++seen_.sub_slices[slice.sub_slices];
  if (slice.coding == 2) {
    size_t at = 0;
    for (const Component& component : components_) {
      const auto rect = blocks_of(component, slice);
      for (int y = rect[2]; y < rect[3]; ++y)
        for (int x = rect[0]; x < rect[1]; ++x, at += 8) {
          demand(at + 8 <= slice.bytes.size(), "a plain unit is too short");
          std::copy_n(slice.bytes.begin() + static_cast<std::ptrdiff_t>(at), 8,
                      texture.begin() +
                          static_cast<std::ptrdiff_t>(
                              component.offset + (static_cast<size_t>(y) * component.blocks_x + x) * component.stride));
        }
    }
    demand(at == slice.bytes.size(), "a plain unit is too long");
    return;
  }
  demand(slice.coding < 5, "a reserved coding");
  const bool intra = slice.coding == 1 || slice.coding == 4;
  demand(intra || before != nullptr, "there is no frame before");
  Symbols symbols(slice.bytes, slice.coding >= 3);
  read_unit(symbols, slice, intra ? nullptr : before, texture);
  symbols.end();
}

void Decoder::make_up_unit(const Slice& slice, const vector<std::byte>* before, vector<std::byte>& texture,
                           Chooser& chooser) {
  Symbols symbols(chooser);
  read_unit(symbols, slice, before, texture);
}

void Decoder::read_unit(Symbols& symbols, const Slice& slice, const vector<std::byte>* before,
                        vector<std::byte>& texture) {
  Beginning beginning;
  beginning.lossy = slice.coding >= 3;
  if (before != nullptr && beginning.lossy) {
    static const int least_ranges[] = {0, 8, 11, 16, 22, 31, 44, 62, 88, 124, 176, 248};
    const int q = symbols.next(components_[0].tables + kLossySets, kBitsAt + 3, 0xFFF);
    demand(q <= 11, "there is no such quantiser");
    beginning.least_range = least_ranges[q];
  }
  // Whose tables these bits have does not matter.
  if (beginning.lossy) beginning.content = symbols.next(components_[0].tables + kLossySets, kBitsAt + 1, 7) & 3;
  demand(beginning.content < 3, "there are no such tables");
  for (unsigned i = 0; i < slice.tiles; ++i) {
    Beginning of_tile = beginning;
    read_tile(symbols, {slice.tile + i, slice.sub_slices, slice.sub_slice, slice.coding, {}}, before, texture, of_tile);
  }
}

void Decoder::read_tile(Symbols& symbols, const Slice& slice, const vector<std::byte>* before,
                        vector<std::byte>& texture, Beginning& beginning) {
  const auto first = blocks_of(components_[0], slice);
  const int across = (first[1] - first[0] + 3) / 4, down = (first[3] - first[2] + 3) / 4;
  beginning.across = across;
  if (before != nullptr) {
    const std::array<int, 2> zero{0, 0};
    const int set = components_[0].tables + sets_of(beginning);
    for (int y = 0; y < down; ++y)
      for (int x = 0; x < across; ++x) {
        const size_t over = static_cast<size_t>(y - 1) * across + x;
        const auto left = x > 0 ? beginning.vectors.back() : zero;
        const auto above = y > 0 ? beginning.vectors[over] : zero;
        int context = (left == zero ? 1 : 0) + (above == zero ? 2 : 0);
        if (beginning.lossy)
          context +=
              kAreaAt + 4 * ((x > 0 && beginning.moved.back() ? 1 : 0) + (y > 0 && beginning.moved[over] ? 1 : 0));
        const int said = symbols.next(set, beginning.lossy ? context : kVectorAt + context, beginning.lossy ? 255 : 15);
        demand(said <= (beginning.lossy ? 7 : 3), "there is no such vector");
        const int from = said % 4;
        beginning.moved.push_back(said >= 4);
        ++seen_.vectors[from];
        auto own = from == 0 ? zero : from == 1 ? left : from == 2 ? above : symbols.vector_(set, false);
        if (from == 3 && beginning.lossy)
          for (const int axis : {0, 1}) own[axis] += x > 0 ? left[axis] : above[axis];
        beginning.vectors.push_back(own);
        seen_.long_distances += std::abs(own[0]) > 64 || std::abs(own[1]) > 32 ? 1 : 0;
      }
  }
  for (const Component& component : components_)
    ComponentReader(symbols, component, components_[0], blocks_of(component, slice), beginning, before, texture, seen_)
        .read();
}

void Decoder::decode(const vector<vector<std::byte>>& payloads, bool is_first, vector<std::byte>& texture) {
  const vector<std::byte> before = texture;
  vector<unsigned> eighths_told(tiles(), 0);
  unsigned next = 0;  // tiles come in order
  for (const auto& bytes : payloads) {
    const Payload payload = parse(bytes);
    for (const unsigned tile : payload.passed) {
      demand(eighths_told[tile] == 0 && !is_first, "a tile is told and passed over");
      eighths_told[tile] = 255;
    }
    uint32_t u = 0;
    for (const Slice& slice : payload.slices) {
      demand(slice.tile >= next, "tiles are not in order");
      next = slice.tile;
      const unsigned eighths = 8 / slice.sub_slices;
      const unsigned mask = ((1u << eighths) - 1) << eighths * slice.sub_slice;
      for (unsigned tile = slice.tile; tile < slice.tile + slice.tiles; ++tile) {
        demand((eighths_told[tile] & mask) == 0, "a tile is told twice");
        eighths_told[tile] |= mask;
      }
      decode_slice_plainly(slice, is_first ? nullptr : &before, texture);
      u = joined(u, check_of(slice, texture));
    }
    demand(u == payload.expected_units, "a check is wrong");
  }
  for (unsigned tile = 0; tile < tiles(); ++tile)
    for (unsigned eighth = 0; eighth < 8; ++eighth) {
      if (eighths_told[tile] >> eighth & 1) continue;
      for (const Component& component : components_) {
        const int rows = 8 / component.down;
        const int y = static_cast<int>(tile / across_) * rows + static_cast<int>(eighth) * rows / 8;
        demand(y >= component.blocks_y, "a tile is not told");
      }
    }
}

}  // namespace oracle
