#include "oracle_component.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <deque>

#include "oracle_sub_block.h"

namespace oracle {
namespace {

using std::vector;

// The contexts of the next sub-blocks depend on this.
struct State {
  int kind = 0, ends = 0, indices = 0, largest = 0;
};

int size_class(int difference) {
  const int size = std::abs(difference);
  return size >= 4 ? 3 : size >= 2 ? 2 : size;
}

int floor_half(int v, int by) { return by == 2 ? (v >= 0 ? v / 2 : -((1 - v) / 2)) : v; }
int rounded_part(int v, double of) {
  const int size = static_cast<int>(std::floor(std::abs(v) / of + 0.5));
  return v < 0 ? -size : size;
}

class ComponentReader {
 public:
  ComponentReader(const ComponentInput& input, Symbols& symbols, Head& head, vector<std::byte>& texture,
                  std::set<unsigned>& referenced, Decoder::Seen& seen)
      : symbols_(symbols),
        component_(input.component),
        shape_{component_.is_channel, component_.always_four},
        input_(input),
        rect_(input.rect),
        is_first_(&component_ == &input.first),
        head_(head),
        texture_(texture),
        referenced_(referenced),
        seen_(seen) {}

  void read() {
    for (int y = rect_[2]; y < rect_[3]; ++y)
      for (int x = rect_[0]; x < rect_[1]; ++x) {
        const uint64_t value = sub_block({x, y});
        const size_t at = component_.offset + (static_cast<size_t>(y) * component_.blocks_x + x) * component_.stride;
        for (int byte = 0; byte < 8; ++byte) texture_[at + byte] = static_cast<std::byte>(value >> 8 * byte & 0xFF);
      }
  }

 private:
  // A place, its vector in the component's texels (lossy: in halves), and its neighbours in the slice.
  struct Block {
    int x, y;
    int vx = 0, vy = 0;
    bool has_left = false, has_above = false;
    uint64_t left = 0, above = 0;
    State left_state{}, above_state{};
  };

  int set() const { return component_.tables + head_.first_set(); }
  int symbol(int context, unsigned valid = 0xFFFF) { return symbols_.next(set(), context, valid); }
  bool lossy() const { return head_.lossy; }
  bool intra() const { return input_.reference == nullptr; }
  bool is_in_plane(int x, int y) const {
    return x >= 0 && y >= 0 && x < component_.blocks_x && y < component_.blocks_y;
  }
  uint64_t reference(int x, int y) const {
    demand(is_in_plane(x, y), "a vector leads out of the plane");
    const int column = x / (16 / component_.across), row = y / (8 / component_.down);
    referenced_.insert(static_cast<unsigned>(row) * input_.tiles_across + static_cast<unsigned>(column));
    return Decoder::load(*input_.reference, component_, x, y);
  }
  State state_of(int x, int y) const {
    const auto found = states_.find({x, y});
    return found == states_.end() ? State{} : found->second;
  }

  uint64_t sub_block(Block b) {
    b.left_state = state_of(b.x - 1, b.y);
    b.above_state = state_of(b.x, b.y - 1);
    b.has_left = b.x > rect_[0];
    b.has_above = b.y > rect_[2];
    if (b.has_left) b.left = Decoder::load(texture_, component_, b.x - 1, b.y);
    if (b.has_above) b.above = Decoder::load(texture_, component_, b.x, b.y - 1);
    if (!intra()) {
      const int partition =
          (b.y - rect_[2]) * component_.down / 4 * head_.across + (b.x - rect_[0]) * component_.across / 4;
      b.vx = floor_half(head_.vectors.at(partition)[0], component_.across);
      b.vy = floor_half(head_.vectors.at(partition)[1], component_.down);
      if (lossy() && head_.copied.at(partition)) {
        states_[{b.x, b.y}] = State{};
        return copied_or_fitted(b);
      }
    }
    if (component_.is_opaque && !is_first_) {
      const auto& [mode, match_vector] = head_.modes.at({b.x, b.y});
      if (mode == 5 || mode == 6) hash_vector_ = match_vector;
    }
    const int kind = read_kind(b);
    demand(kind <= 6, "there is no such kind");
    ++seen_.kinds[kind];
    demand(!intra() || (kind >= 2 && kind <= 4), "a kind of inter slices in an intra slice");
    const uint64_t value = sub_block_of(kind, b);
    if (component_.is_opaque && is_first_) head_.modes[{b.x, b.y}] = {kind, hash_vector_};
    if (component_.is_opaque && kind >= 4) remember_block(value);
    return value;
  }

  uint64_t sub_block_of(int kind, const Block& b) {
    State& state = states_[{b.x, b.y}];
    state.kind = kind == 0 ? 0 : 1;
    switch (kind) {
      case 0:
        if (lossy()) return copied_or_fitted(b);
        demand(b.vx % 4 == 0 && b.vy % 4 == 0, "a motion copy by parts of a block");
        return reference(b.x + b.vx / 4, b.y + b.vy / 4);
      case 1: return reference(b.x, b.y);
      case 2: demand(b.has_left, "no left neighbour"); return b.left;
      case 3: demand(b.has_above, "none above"); return b.above;
      case 4:
        if (lossy() && is_first_) head_.coded[{b.x - rect_[0], b.y - rect_[2]}] = true;
        return component_.is_opaque ? opaque(b, state) : coded(b, state);
      case 6: hash_vector_ = symbols_.hash_vector(set(), {b.x, b.y}, {component_.blocks_x, component_.blocks_y}); break;
      default: break;
    }
    const uint64_t value = reference(b.x + hash_vector_[0], b.y + hash_vector_[1]);
    if (!component_.is_opaque) remember(shape_.ends(value));
    return value;
  }

  uint64_t opaque(const Block& b, State& state) {
    const uint64_t predictors[] = {intra() ? 0 : nearest_to(b), b.left, b.above};
    const int source = symbol(kSourceAt + (intra() ? 16 : 0) + 4 * b.left_state.ends + b.above_state.ends);
    ++seen_.sources[source];
    state.kind = source >= 4 ? 2 : 3;
    state.ends = source >= 4 ? 3 : source == 3 ? 2 : 1;
    if (source >= 4) return recent_blocks_[source - 4];
    uint64_t value = 0;
    if (source == 3) {
      int first = 0, previous = 0;
      for (int i = 0; i < 16; ++i) {
        int lowest_bit = 0;
        while (lowest_bit < 4 && (first >> lowest_bit & 1) == 0) ++lowest_bit;
        const int nibble = symbol(i == 0 ? kFirstNibbleAt : kNibbleAt + 16 * (15 * lowest_bit + i - 1) + previous);
        if (i == 0) first = nibble;
        previous = nibble;
        value += static_cast<uint64_t>(nibble) << 4 * i;
      }
      return value;
    }
    const int low = symbol(kMaskLowAt + source), high = symbol(kMaskHighAt + 16 * source + low);
    for (int i = 0; i < 8; ++i) {
      if (((i < 4 ? low >> i : high >> (i - 4)) & 1) == 0) continue;
      const int lower = symbol(kDifferenceLowAt + i), upper = symbol(kDifferenceHighAt + 16 * i + lower);
      value += static_cast<uint64_t>(16 * upper + lower) << 8 * i;
    }
    return value ^ predictors[source];
  }
  void remember_block(uint64_t value) {
    const auto last = recent_blocks_.end() - 1;
    recent_blocks_.erase(std::find(recent_blocks_.begin(), last, value));
    recent_blocks_.push_front(value);
  }
  uint64_t nearest_to(const Block& b) const {
    return reference(std::clamp(b.x + rounded_part(b.vx, lossy() ? 8 : 4), 0, component_.blocks_x - 1),
                     std::clamp(b.y + rounded_part(b.vy, lossy() ? 8 : 4), 0, component_.blocks_y - 1));
  }

  int read_kind(const Block& b) {
    const bool is_zero = b.vx == 0 && b.vy == 0;
    unsigned valid = 16u | (b.has_left ? 4u : 0u) | (b.has_above ? 8u : 0u);
    if (!intra()) valid |= 2u | 64u | (is_in_plane(b.x + hash_vector_[0], b.y + hash_vector_[1]) ? 32u : 0u);
    const int neighbours = 4 * b.left_state.kind + b.above_state.kind;
    if (!lossy()) {
      const int state = intra() ? 2 : is_zero ? 1 : 0;
      const bool is_copy = b.vx % 4 == 0 && b.vy % 4 == 0 && is_in_plane(b.x + b.vx / 4, b.y + b.vy / 4);
      if (!intra() && is_copy) valid |= 1u;
      if (component_.is_opaque && !is_first_)
        return symbol(kSecondModeAt + 16 * head_.modes.at({b.x, b.y}).first + neighbours, valid);
      return symbol(kKindAt + 16 * state + neighbours, valid);
    }
    bool is_coded = false;
    for (int j = 0; j < component_.down; ++j)
      for (int i = 0; i < component_.across; ++i)
        is_coded =
            is_coded || head_.coded[{(b.x - rect_[0]) * component_.across + i, (b.y - rect_[2]) * component_.down + j}];
    const int state = intra() ? 4 : (is_zero ? 1 : 0) + (!is_first_ && is_coded ? 2 : 0);
    if (!intra()) valid |= 1u;
    return symbol(kLossyKindAt + 16 * state + neighbours, valid);
  }

  // Lossy slices.
  uint64_t copied_or_fitted(const Block& b) const {
    if (b.vx % 8 == 0 && b.vy % 8 == 0 && is_in_plane(b.x + b.vx / 8, b.y + b.vy / 8))
      return reference(b.x + b.vx / 8, b.y + b.vy / 8);
    const Pixels pixels = pixels_at(b);
    const uint64_t ends = shape_.fitted(pixels);
    Texels levels;
    for (int i = 0; i < 16; ++i) levels.push_back(shape_.predicted(ends, pixels, i)[0]);
    return shape_.sub_block(ends, levels);
  }
  uint64_t widened(uint64_t ends) const {
    if (!shape_.is_channel) return ends;
    const int range = component_.across * component_.down > 1 ? head_.least_range * 3 / 4 : head_.least_range;
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

  uint64_t coded(const Block& b, State& state) {
    uint64_t nearest = 0;
    Pixels pixels{};
    if (!intra()) {
      nearest = nearest_to(b);
      pixels = pixels_at(b);  // counts as read whatever the modes are
    }
    const uint64_t ends = read_ends(b, nearest, pixels, state);
    remember(ends);
    return read_indices(b, nearest, pixels, ends, state);
  }

  uint64_t read_ends(const Block& b, uint64_t nearest, const Pixels& pixels, State& state) {
    const unsigned valid = intra() ? 0x7BF : lossy() ? 0xFFF : 0x7FF;
    const int mode = symbol(kEndsAt + (intra() ? 16 : 0) + 4 * b.left_state.ends + b.above_state.ends, valid);
    demand(mode <= (lossy() && !intra() ? 11 : 10), "there is no such mode of end points");
    ++seen_.end_points[mode];
    demand(mode != 6 || !intra(), "fitted end points in an intra slice");
    uint64_t ends = 0;
    if (mode == 11) {
      ends = widened(shape_.fitted(pixels));
    } else if (mode >= 7) {
      ends = shape_.ends(recent_[mode - 7]);
    } else if (mode == 6) {
      ends = lossy() ? widened(shape_.fitted(pixels)) : shape_.fitted(pixels);
    } else {
      const uint64_t sources[] = {nearest, b.left, b.above};
      ends = shape_.ends(sources[mode % 3]);
    }
    state.ends = mode == 0 ? 1 : mode == 3 ? 3 : 2;
    return mode >= 3 && mode <= 6 ? with_residual(ends, mode, b, state) : ends;
  }

  uint64_t read_indices(const Block& b, uint64_t nearest, const Pixels& pixels, uint64_t ends, State& state) {
    const bool has_texels = lossy() && shape_.is_channel, has_luma = has_texels && component_.tables == kChroma444;
    const int mode = symbol(kIndicesAt + (intra() ? 162 : 0) + (state.largest > 1 ? 81 : 0) + 9 * b.left_state.indices +
                                b.above_state.indices,
                            (intra() ? 0x21E : 0x3FF) | (has_luma ? 0xC00 : 0) | (has_texels ? 0x1000 : 0));
    demand(mode <= 9 || (has_luma && mode <= 11) || (has_texels && mode == 12), "there is no such mode of indices");
    ++seen_.indices[mode];
    demand(!intra() || (mode != 0 && (mode < 5 || mode >= 9)), "predicted indices in an intra slice");
    static const int classes[] = {1, 2, 3, 3, 3, 4, 5, 6, 7, 8, 5, 6, 7};
    state.indices = classes[mode];
    state.kind = mode <= 4 || mode == 10 || mode == 11 ? 2 : 3;
    if (mode == 1) {
      const int level = symbol(kLevelAt, (1u << shape_.levels()) - 1);
      demand(level < shape_.levels(), "there is no such level");
      return shape_.sub_block(ends, Texels(16, level));
    }
    if (mode >= 2 && mode <= 4) {
      const uint64_t sources[] = {nearest, b.left, b.above};
      return ends | shape_.index_field(sources[mode - 2]) << shape_.end_bits();
    }
    if (mode == 10 || mode == 11) return with_luma_indices(b, ends, mode == 11);
    if (mode == 12) return shape_.sub_block(ends, texel_by_texel());
    if (mode == 9) return shape_.sub_block(ends, shape_.is_channel ? guessed_levels(ends) : paired_levels());
    return shape_.sub_block(ends, ranked_levels(ends, pixels, mode));
  }

  uint64_t with_luma_indices(const Block& b, uint64_t ends, bool is_mirrored) const {
    const uint64_t of_luma = shape_.index_field(Decoder::load(texture_, input_.first, b.x, b.y));
    if (!is_mirrored) return ends | of_luma << shape_.end_bits();
    uint64_t value = ends;
    for (int i = 0; i < 16; ++i) {
      const uint64_t index = of_luma >> 3 * i & 7;
      value |= (index < 2 ? 1 - index : 9 - index) << (shape_.end_bits() + 3 * i);
    }
    return value;
  }

  Texels ranked_levels(uint64_t ends, const Pixels& pixels, int mode) {
    const bool carries = lossy() && mode != 0;
    const Texels ranks = mode == 0 ? Texels(16, 0) : read_ranks(mode - 5);
    Texels levels, errors;  // the errors of the prediction, in levels
    for (int i = 0; i < 16; ++i) {
      int n = 0;
      if (carries && i % 4 != 0) n += errors[i - 1];
      if (carries && i >= 4) n += errors[i - 4];
      levels.push_back(shape_.predicted(ends, pixels, i, n)[ranks[i]]);
      errors.push_back(std::min(levels[i], shape_.steps(ends)) - shape_.predicted(ends, pixels, i)[0]);
    }
    return levels;
  }

  Texels texel_by_texel() {
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

  uint64_t with_residual(uint64_t ends, int mode, const Block& b, State& state) {
    const int n = std::max(b.left_state.largest, b.above_state.largest);
    const int base = kDifferenceAt + 204 * (mode - 3);
    Values values = shape_.values_of(ends);
    const auto read = [&](int value, int context) {
      const int d = symbols_.residual(set(), base + context);
      values[value] += d;
      seen_.wrapped += values[value] < 0 || values[value] >> shape_.value_bits(value) != 0 ? 1 : 0;
      state.largest = std::max(state.largest, size_class(d));
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

  Pixels pixels_at(const Block& b) const {
    Pixels pixels{};
    for (int c = 0; c < shape_.channels(); ++c)
      for (int i = 0; i < 16; ++i) pixels[c][i] = pixel(b, i, c);
    return pixels;
  }
  // A channel of texel i at the vector.
  int pixel(const Block& b, int i, int channel) const {
    const int tx = 4 * b.x + i % 4, ty = 4 * b.y + i / 4;
    if (!lossy()) return texel(tx + b.vx, ty + b.vy, channel);
    const int px = tx + floor_half(b.vx, 2), py = ty + floor_half(b.vy, 2);
    const auto at = [&](int right, int down) { return texel(px + right, py + down, channel); };
    if (b.vx % 2 != 0 && b.vy % 2 != 0) return (at(0, 0) + at(1, 0) + at(0, 1) + at(1, 1) + 2) / 4;
    if (b.vx % 2 != 0) return (at(0, 0) + at(1, 0) + 1) / 2;
    if (b.vy % 2 != 0) return (at(0, 0) + at(0, 1) + 1) / 2;
    return at(0, 0);
  }
  int texel(int tx, int ty, int channel) const {
    tx = std::clamp(tx, 0, 4 * component_.blocks_x - 1);
    ty = std::clamp(ty, 0, 4 * component_.blocks_y - 1);
    const uint64_t value = reference(tx / 4, ty / 4), ends = shape_.ends(value);
    const int place = ty % 4 * 4 + tx % 4;
    const int index =
        static_cast<int>(shape_.index_field(value) >> place * shape_.index_bits()) & (shape_.levels() - 1);
    return shape_.decoded(ends, shape_.level_of(ends, index), channel);
  }
  Symbols& symbols_;
  const Decoder::Component& component_;
  const Shape shape_;
  const ComponentInput& input_;
  const std::array<int, 4> rect_;
  const bool is_first_;
  Head& head_;
  vector<std::byte>& texture_;
  std::set<unsigned>& referenced_;
  Decoder::Seen& seen_;
  std::map<std::pair<int, int>, State> states_;
  std::deque<uint64_t> recent_{0x0000FFFF, 0xFFFF0000, 0, 0};
  std::deque<uint64_t> recent_blocks_ = std::deque<uint64_t>(12, 0);
  std::array<int, 2> hash_vector_{0, 0};
};

}  // namespace

void read_component(const ComponentInput& input, Symbols& symbols, Head& head, vector<std::byte>& texture,
                    std::set<unsigned>& referenced, Decoder::Seen& seen) {
  ComponentReader(input, symbols, head, texture, referenced, seen).read();
}

}  // namespace oracle
