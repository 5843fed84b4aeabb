#include "astc_fit.h"

#include <algorithm>

#include "astc_steps.h"
#include "astc_waves.h"
#include "ref/reciprocal.h"

namespace texcast::ref::astc {
namespace {

// A byte's 8 bits, or its 6 upper ones, repeated.
float shortened(float value, bool to_six_bits) {
  const float bounded = std::min(std::max(value, 0.0F), 255.0F);
  if (!to_six_bits) return rounded(bounded);
  const int six = static_cast<int>(rounded(bounded * (63.0F / 255)));
  return static_cast<float>(six << 2 | six >> 4);
}

class Fit {
 public:
  Fit(const LineFinder& finder, const Texels& texels, const Tables& tables, const Choice& choice)
      : texels_(texels),
        tables_(tables),
        choice_(choice),
        layout_(tables.layout(choice.layout)),
        lines_(finder.find(choice.kind, choice.parameter)),
        partitions_(static_cast<size_t>(partitions_of(choice.kind))),
        planes_(static_cast<size_t>(planes_of(choice.kind))) {
    moments_[0] = finder.moments();
    if (partitions_ == 1) return;
    moments_[1] = moments_of(texels, lines_.second);
    moments_[0] = less(finder.moments(), moments_[1]);
  }

  Fitted run(int fits) {
    std::array<Line, 2> wanted{};
    std::array<Sums, 2> sums{};
    std::array<Ends, 2> ends{};
    for (size_t p = 0; p < partitions_; ++p) ends[p] = first_ends(line_of(lines_, static_cast<int>(p)));
    Fitted best;
    for (int round = 0; round < fits; ++round) {
      const Fitted placed = place(ends);
      for (size_t p = 0; p < partitions_; ++p) {
        sums[p] = sums_of(p);
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
  bool is_in(size_t texel, size_t partition) const {
    return partitions_ == 1 || (lines_.second >> texel & 1) == partition;
  }
  size_t plane_of(size_t channel) const {
    return planes_ == 2 && static_cast<int>(channel) == choice_.parameter ? 1 : 0;
  }
  bool is_whole() const { return layout_.width == texels_.side && layout_.height == texels_.side; }

  // Before there are weights. Uses as few bits as one kernel passes to the next.
  Ends first_ends(const Line& line) const {
    Ends ends;
    for (const size_t c : kChannels) {
      ends.low[c] = shortened(texels_.center[c] + line.low[c], texels_.has_alpha);
      ends.high[c] = shortened(texels_.center[c] + line.high[c], texels_.has_alpha);
    }
    // In the order in which most modes store them.
    if (partitions_ == 2 && light(ends.high) < light(ends.low)) std::swap(ends.low, ends.high);
    return ends;
  }

  // Both partitions share one mode.
  std::array<Ends, 2> store(const std::array<Sums, 2>& sums, const std::array<Line, 2>& lines) const {
    const EndsKind kind = choice_.kind == TEXCAST_ASTC_GREY || choice_.kind == TEXCAST_ASTC_GREYS ? EndsKind::grey
                          : choice_.kind == TEXCAST_ASTC_SCALED                                   ? EndsKind::scaled
                                                                                                  : EndsKind::rgb;
    const Storing how{kind, texels_.has_alpha, partitions_ == 1 || is_whole(), layout_.color_range};
    std::array<Ends, 2> ends{}, offset{};
    float error = 0, offset_error = 0;
    for (size_t p = 0; p < partitions_; ++p) {
      ends[p] = store_ends(tables_, sums[p], texels_.center, lines[p], how);
      error += ends[p].error;
      if (kind != EndsKind::rgb) continue;
      offset[p] = store_offset_ends(tables_, sums[p], texels_.center, lines[p], how);
      offset_error += offset[p].error;
    }
    return kind == EndsKind::rgb && offset_error < error ? offset : ends;
  }

  // Finds the weights nearest to the end points, in the grid's steps, and sets weights_ to the resulting weights of the
  // texels.
  Fitted place(const std::array<Ends, 2>& ends) {
    Fitted placed{.choice = choice_};
    for (size_t plane = 0; plane < planes_; ++plane) {
      std::array<Channels, 2> direction{};
      std::array<float, 2> from{}, unit{};
      for (size_t p = 0; p < partitions_; ++p) {
        Channels low{};
        for (const size_t c : kChannels) {
          low[c] = ends[p].low[c] - texels_.center[c];
          direction[p][c] = plane_of(c) == plane ? ends[p].high[c] - ends[p].low[c] : 0;
        }
        const float length = dot(direction[p], direction[p]);
        unit[p] = kPlaces * reciprocal(std::max(length, 1.0F));
        from[p] = dot(low, direction[p]);
      }
      Values places{};
      for (size_t i = 0; i < texels_.all().size(); ++i) {
        const size_t p = is_in(i, 0) ? 0 : 1;
        places[i] = (dot(texels_.values[i], direction[p]) - from[p]) * unit[p];
      }
      if (!is_whole()) places = through(places, false);
      Values weights{};
      for (int y = 0; y < layout_.height; ++y)
        for (int x = 0; x < layout_.width; ++x) {
          const auto at = static_cast<size_t>(texels_.side * y + x);
          const float place = rounded(std::min(std::max(places[at], 0.0F), kPlaces));
          const Step step = nearest_step(layout_, place);
          const auto last = static_cast<float>(tables_.last_step(layout_.weight_range));
          const float number = step.is_upper ? last - step.number : step.number;
          weights[at] = step.is_upper ? 64 - step.weight : step.weight;
          placed.steps[static_cast<size_t>(layout_.width * y + x) * planes_ + plane] = static_cast<uint8_t>(number);
        }
      if (!is_whole()) {
        weights = through(weights, true);
        for (float& weight : weights) weight = rounded(weight);
      }
      weights_[plane] = weights;
    }
    return placed;
  }

  // Converts texels to a grid's weights, or back to the texels' weights: vertically, then horizontally; SIDE per row.
  // The way back is exact, in sixteenths of sixteenths; the decoder rounds corners once more, by less than a step.
  Values through(const Values& values, bool is_back) const {
    const int side = texels_.side;
    const auto share = [&](int weights, int to, int from) {
      return is_back ? tables_.drawn(weights, from, to) : tables_.best(weights, to, from);
    };
    // Rows or columns, with the given distance between values.
    const auto pass = [&](const Values& from_values, int weights, int apart, int next) {
      Values to_values{};
      for (int line = 0; line < side; ++line)
        for (int to = 0; to < side; ++to) {
          float sum = 0;
          for (int from = 0; from < side; ++from) {
            const float term = from_values[static_cast<size_t>(next * line + apart * from)] * share(weights, to, from);
            sum = from == 0 ? term : sum + term;
          }
          to_values[static_cast<size_t>(next * line + apart * to)] = sum;
        }
      return to_values;
    };
    return pass(pass(values, layout_.height, side, 1), layout_.width, 1, side);
  }

  Sums sums_of(size_t partition) const {
    const Moments& m = moments_[partition];
    Sums sums{.count = m.count, .v = m.sum};
    for (const size_t c : kChannels) sums.vv[c] = m.products[c][c];
    for (size_t i = 0; i < texels_.all().size(); ++i) {
      if (!is_in(i, partition)) continue;
      for (const size_t c : kChannels) {
        const float w = weights_[plane_of(c)][i];
        sums.w[c] += w;
        sums.ww[c] += w * w;
        sums.wv[c] += w * texels_.values[i][c];
      }
    }
    return sums;
  }

  // The end points that fit the weights best; the present ones if all weights are equal.
  Line least_squares(const Sums& sums, const Ends& ends) const {
    Line line;
    for (const size_t c : kChannels) {
      const float determinant = sums.count * sums.ww[c] - sums.w[c] * sums.w[c];
      if (determinant > 1) {
        const float scale = reciprocal(determinant);
        const float low = (sums.ww[c] * sums.v[c] - sums.w[c] * sums.wv[c]) * scale;
        const float rise = (sums.count * sums.wv[c] - sums.w[c] * sums.v[c]) * scale;
        line.low[c] = low;
        line.high[c] = low + 64 * rise;
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
  const size_t partitions_, planes_;
  std::array<Moments, 2> moments_{};
  std::array<Values, 2> weights_{};  // 0..64
};

}  // namespace

Fitted fit(const LineFinder& finder, const Texels& texels, const Tables& tables, const Choice& choice, int fits) {
  return Fit(finder, texels, tables, choice).run(fits);
}

}  // namespace texcast::ref::astc
