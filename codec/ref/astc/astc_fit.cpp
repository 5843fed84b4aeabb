#include "astc_fit.h"

#include <algorithm>
#include <cmath>

#include "astc_mode.h"
#include "astc_weights.h"
#include "ref/reciprocal.h"

namespace texcast::ref::astc {
namespace {

// Weights 0..64 of every texel.
using Weights = std::array<std::array<float, kMostTexels>, 2>;

class Fit {
 public:
  Fit(const Texels& texels, const Tables& tables, const Choice& choice)
      : texels_(texels),
        tables_(tables),
        choice_(choice),
        layout_(tables.layout(choice.layout)),
        lines_(LineFinder(texels, tables).find(choice.kind, choice.parameter)),
        partitions_(partitions_of(choice.kind)),
        planes_(planes_of(choice.kind)) {}

  Fitted run(int fits) {
    std::array<Line, 2> wanted = {line_of(lines_, 0), Line{}};
    if (partitions_ == 2) wanted[1] = line_of(lines_, 1);
    std::array<Sums, 2> sums{};
    for (size_t p = 0; p < 2; ++p) {
      // In the order in which most modes store them.
      const Channels &low = wanted[p].low, &high = wanted[p].high;
      if (partitions_ == 2 && (high[0] + high[1]) + high[2] < (low[0] + low[1]) + low[2])
        std::swap(wanted[p].low, wanted[p].high);
      sums[p] = distances_from(wanted[p]);
    }
    std::array<Ends, 2> ends = store(sums, wanted);
    Fitted best;
    for (int round = 0; round < fits; ++round) {
      const Fitted placed = place(ends);
      for (size_t p = 0; p < static_cast<size_t>(partitions_); ++p) {
        sums[p] = sums_of(static_cast<int>(p));
        wanted[p] = least_squares(sums[p], ends[p]);
      }
      ends = store(sums, wanted);
      const float error = partitions_ == 2 ? ends[0].error + ends[1].error : ends[0].error;
      if (error < best.error) {
        best = placed;
        best.ends = ends;
        best.error = error;
      }
    }
    return best;
  }

 private:
  bool is_in(size_t texel, int partition) const {
    return partitions_ == 1 || static_cast<int>(lines_.second >> texel & 1) == partition;
  }
  size_t plane_of(size_t channel) const {
    return planes_ == 2 && static_cast<int>(channel) == choice_.parameter ? 1 : 0;
  }

  // Sums by which the error of end points is how far they are from these.
  Sums distances_from(const Line& line) const {
    Sums sums;
    sums.first[0] = sums.second[0] = 4096;
    for (const size_t c : kChannels) {
      sums.low[c] = 64 * line.low[c];
      sums.high[c] = 64 * line.high[c];
    }
    return sums;
  }

  // Both partitions have one mode.
  std::array<Ends, 2> store(const std::array<Sums, 2>& sums, const std::array<Line, 2>& lines) const {
    const EndsKind kind = choice_.kind == TEXCAST_ASTC_GREY || choice_.kind == TEXCAST_ASTC_GREYS ? EndsKind::grey
                          : choice_.kind == TEXCAST_ASTC_SCALED                                   ? EndsKind::scaled
                                                                                                  : EndsKind::rgb;
    const bool is_full = layout_.width == texels_.side && layout_.height == texels_.side;
    const Storing how{kind, texels_.has_alpha, partitions_ == 1 || is_full, layout_.color_range};
    std::array<Ends, 2> ends{}, offset{};
    float error = 0, offset_error = 0;
    for (size_t p = 0; p < static_cast<size_t>(partitions_); ++p) {
      ends[p] = store_ends(tables_, sums[p], texels_.center, lines[p].low, lines[p].high, how);
      error += ends[p].error;
      if (kind != EndsKind::rgb) continue;
      offset[p] = store_offset_ends(tables_, sums[p], texels_.center, lines[p].low, lines[p].high, how);
      offset_error += offset[p].error;
    }
    return kind == EndsKind::rgb && offset_error < error ? offset : ends;
  }

  // The nearest weights to the end points, in the grid's steps; weights_ is then what they give each texel.
  Fitted place(const std::array<Ends, 2>& ends) {
    Fitted placed{.choice = choice_};
    const int side = texels_.side;
    for (int plane = 0; plane < planes_; ++plane) {
      const auto pl = static_cast<size_t>(plane);
      std::array<Channels, 2> direction{}, low{};
      std::array<float, 2> scale{};
      for (size_t p = 0; p < static_cast<size_t>(partitions_); ++p) {
        for (const size_t c : kChannels) {
          low[p][c] = ends[p].low[c] - texels_.center[c];
          direction[p][c] = plane_of(c) == pl ? ends[p].high[c] - ends[p].low[c] : 0;
        }
        const float length = dot(direction[p], direction[p]);
        scale[p] = length > 0 ? 64 * reciprocal(length) : 0;
      }
      std::array<float, kMostTexels> places{};
      for (size_t i = 0; i < texels_.all().size(); ++i) {
        const size_t p = is_in(i, 0) ? 0 : 1;
        const Channels& v = texels_.values[i];
        const Channels from = {v[0] - low[p][0], v[1] - low[p][1], v[2] - low[p][2], v[3] - low[p][3]};
        places[i] = dot(from, direction[p]) * scale[p];
      }
      std::array<int, kMostTexels> values{};
      for (int y = 0; y < layout_.height; ++y)
        for (int x = 0; x < layout_.width; ++x) {
          const int at = y * layout_.width + x;
          const int step = nearest_step(grid_place(places, x, y));
          values[static_cast<size_t>(at)] = tables_.weight(layout_.weight_range, step);
          placed.steps[static_cast<size_t>(at * planes_ + plane)] = static_cast<uint8_t>(step);
        }
      const AstcGrid grid{.width = layout_.width, .height = layout_.height};
      for (int i = 0; i < side * side; ++i)
        weights_[pl][static_cast<size_t>(i)] =
            static_cast<float>(astc_texel_weight(grid, {side, side}, values, 0, i % side, i / side));
    }
    return placed;
  }

  float grid_place(const std::array<float, kMostTexels>& places, int column, int row) const {
    const int side = texels_.side;
    if (layout_.width == side && layout_.height == side) return places[static_cast<size_t>(side * row + column)];
    float place = 0;
    for (int y = 0; y < side; ++y) {
      float along = 0;
      for (int x = 0; x < side; ++x)
        along += places[static_cast<size_t>(side * y + x)] * tables_.best(layout_.width, column, x);
      place += along * tables_.best(layout_.height, row, y);
    }
    return place;
  }

  int nearest_step(float place) const {
    const auto steps = static_cast<float>(tables_.last_step(layout_.weight_range));
    return static_cast<int>(std::floor(std::min(std::max(place, 0.0F), 64.0F) * (steps * (1.0F / 64)) + 0.5F));
  }

  // Whole numbers below 2^24.
  Sums sums_of(int partition) const {
    Sums sums{.apart = planes_ == 2 ? choice_.parameter : -1};
    for (size_t i = 0; i < texels_.all().size(); ++i) {
      if (!is_in(i, partition)) continue;
      for (size_t plane = 0; plane < static_cast<size_t>(planes_); ++plane) {
        const float w = weights_[plane][i], rest = 64 - w;
        sums.first[plane] += rest * rest;
        sums.both[plane] += w * rest;
        sums.second[plane] += w * w;
      }
      for (const size_t c : kChannels) {
        const float v = texels_.values[i][c], w = weights_[plane_of(c)][i];
        sums.low[c] += (64 - w) * v;
        sums.high[c] += w * v;
        sums.squares[c] += v * v;
      }
    }
    return sums;
  }

  // The end points that the weights fit best; where all weights are one, those that they were.
  Line least_squares(const Sums& sums, const Ends& ends) const {
    Line line;
    for (const size_t c : kChannels) {
      const size_t p = sums.plane(c);
      const float a = sums.first[p], b = sums.both[p], d = sums.second[p];
      const float determinant = a * d - b * b;
      if (determinant > 4096) {
        const float scale = 64 * reciprocal(determinant);
        line.low[c] = (d * sums.low[c] - b * sums.high[c]) * scale;
        line.high[c] = (a * sums.high[c] - b * sums.low[c]) * scale;
      } else {
        line.low[c] = ends.low[c] - texels_.center[c];
        line.high[c] = ends.high[c] - texels_.center[c];
      }
    }
    return line;
  }

  const Texels& texels_;
  const Tables& tables_;
  const Choice choice_;
  const Layout layout_;
  const Lines lines_;
  const int partitions_, planes_;
  Weights weights_{};
};

}  // namespace

Fitted fit(const Texels& texels, const Tables& tables, const Choice& choice, int fits) {
  return Fit(texels, tables, choice).run(fits);
}

}  // namespace texcast::ref::astc
