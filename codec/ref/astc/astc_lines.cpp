#include "astc_lines.h"

#include <algorithm>

#include "ref/reciprocal.h"

namespace texcast::ref::astc {
namespace {

constexpr float kTiny = 1e-12F;
constexpr float kLeastAlongGreys = 1e-6F;
constexpr int kNone = -1;

bool is_in(uint64_t texels, size_t i) { return (texels >> i & 1) != 0; }

Line line_of(const Strand& strand) {
  Line line;
  for (const size_t c : kChannels) {
    line.low[c] = strand.mean[c] + strand.direction[c] * (strand.least * strand.inverse);
    line.high[c] = strand.mean[c] + strand.direction[c] * (strand.greatest * strand.inverse);
  }
  return line;
}

}  // namespace

Line line_of(const Lines& lines, int partition) {
  Line line = line_of(lines.strand[static_cast<size_t>(partition)]);
  if (planes_of(lines.kind) == 1) return line;
  const auto apart = static_cast<size_t>(lines.parameter);
  const Line other = line_of(lines.strand[1]);
  line.low[apart] = other.low[apart];
  line.high[apart] = other.high[apart];
  return line;
}

LineFinder::LineFinder(const Texels& texels, const Tables& tables)
    : texels_(texels), tables_(tables), all_(moments_of(everything())) {}

uint64_t LineFinder::everything() const { return ~uint64_t{0} >> (64 - texels_.count()); }

// Whole numbers, whose sums are exact in any order.
LineFinder::Moments LineFinder::moments_of(uint64_t inside) const {
  Moments m;
  for (size_t i = 0; i < texels_.all().size(); ++i) {
    if (!is_in(inside, i)) continue;
    const Channels& v = texels_.values[i];
    m.count += 1;
    for (const size_t c : kChannels) {
      m.sum[c] += v[c];
      for (const size_t d : kChannels) m.products[c][d] += v[c] * v[d];
    }
  }
  return m;
}

LineFinder::Moments LineFinder::less(const Moments& all, const Moments& part) {
  Moments m = all;
  m.count -= part.count;
  for (const size_t c : kChannels) {
    m.sum[c] -= part.sum[c];
    for (const size_t d : kChannels) m.products[c][d] -= part.products[c][d];
  }
  return m;
}

LineFinder::Matrix LineFinder::matrix_of(const Moments& m, int left_out) {
  Matrix matrix;
  for (const size_t c : kChannels)
    for (const size_t d : kChannels)
      if (static_cast<int>(c) != left_out && static_cast<int>(d) != left_out)
        matrix.rows[c][d] = m.count * m.products[c][d] - m.sum[c] * m.sum[d];
  const float trace = ((matrix.rows[0][0] + matrix.rows[1][1]) + matrix.rows[2][2]) + matrix.rows[3][3];
  const float scale = reciprocal(std::max(trace, 1.0F));
  for (Channels& row : matrix.rows)
    for (float& value : row) value *= scale;
  matrix.squares = trace * reciprocal(m.count);
  return matrix;
}

// The principal axis by powers, among greys with equal red, green and blue.
Channels LineFinder::axis_of(const Matrix& m, bool is_grey) {
  const auto grey = [](Channels v) {
    const float mean = ((v[0] + v[1]) + v[2]) * (1.0F / 3);
    return Channels{mean, mean, mean, v[3]};
  };
  size_t widest = 0;
  for (const size_t c : kChannels)
    if (m.rows[c][c] > m.rows[widest][widest]) widest = c;
  Channels v = m.rows[widest];
  if (is_grey) v = grey(v);
  for (int step = 0; step < TEXCAST_ASTC_POWERS; ++step) {
    v = {dot(m.rows[0], v), dot(m.rows[1], v), dot(m.rows[2], v), dot(m.rows[3], v)};
    if (is_grey) v = grey(v);
  }
  return v;
}

Strand LineFinder::strand_of(const Moments& m, const Channels& direction) {
  Strand strand{.count = m.count, .direction = direction};
  const float share = reciprocal(m.count);
  for (const size_t c : kChannels) strand.mean[c] = m.sum[c] * share;
  strand.inverse = reciprocal(std::max(dot(direction, direction), kTiny));
  return strand;
}

// Squares less those along the line.
float LineFinder::rest_beside(const Matrix& m, const Strand& strand) {
  const Channels& v = strand.direction;
  const Channels turned = {dot(m.rows[0], v), dot(m.rows[1], v), dot(m.rows[2], v), dot(m.rows[3], v)};
  return std::max(m.squares - m.squares * (dot(turned, v) * strand.inverse), 0.0F);
}

void LineFinder::set_extent(Strand& strand, uint64_t inside) const {
  const float at_mean = dot(strand.mean, strand.direction);
  strand.least = 1e30F;
  strand.greatest = -1e30F;
  for (size_t i = 0; i < texels_.all().size(); ++i) {
    if (!is_in(inside, i)) continue;
    const float place = dot(texels_.values[i], strand.direction) - at_mean;
    strand.least = std::min(strand.least, place);
    strand.greatest = std::max(strand.greatest, place);
  }
}

uint64_t LineFinder::upper_half() const {
  const Channels axis = axis_of(matrix_of(all_, kNone), false);
  const float at_mean = dot(all_.sum, axis) * reciprocal(all_.count);
  uint64_t upper = 0;
  for (size_t i = 0; i < texels_.all().size(); ++i)
    if (dot(texels_.values[i], axis) > at_mean) upper |= uint64_t{1} << i;
  return upper;
}

float LineFinder::rest_of_pair(int partition) const {
  const Moments second = moments_of(tables_.partition(partition));
  float rest = 0;
  for (const Moments& m : {less(all_, second), second}) {
    const Matrix matrix = matrix_of(m, kNone);
    rest += rest_beside(matrix, strand_of(m, axis_of(matrix, false)));
  }
  return rest;
}

// The greys nearest to the colours instead of them. Gives what that leaves.
float LineFinder::make_grey(Strand& strand) const {
  const auto absolute = [&](size_t c) { return texels_.center[c] + strand.mean[c]; };
  const float grey = ((absolute(0) + absolute(1)) + absolute(2)) * (1.0F / 3);
  float away = 0;
  for (size_t c = 0; c < 3; ++c) {
    const float difference = absolute(c) - grey;
    away += difference * difference;
    strand.mean[c] = grey - texels_.center[c];
  }
  return strand.count * away;
}

// A line through black, which alpha goes with as regression has it.
Channels LineFinder::scaled_axis(const Matrix& matrix) const {
  const float share = reciprocal(all_.count);
  const auto absolute = [&](size_t c) { return texels_.center[c] + all_.sum[c] * share; };
  const Channels mean = {absolute(0), absolute(1), absolute(2), 0};
  const Channels turned = {dot(matrix.rows[0], mean), dot(matrix.rows[1], mean), dot(matrix.rows[2], mean), 0};
  Channels direction = mean;
  direction[3] =
      (dot(matrix.rows[3], mean) * dot(mean, mean)) * reciprocal(std::max(dot(turned, mean), kLeastAlongGreys));
  return direction;
}

Lines LineFinder::find(int kind, int parameter) const {
  Lines lines{.kind = kind, .parameter = parameter};
  if (partitions_of(kind) == 2) {
    lines.strands = 2;
    lines.second = tables_.partition(parameter);
    const Moments second = moments_of(lines.second);
    const std::array<Moments, 2> parts = {less(all_, second), second};
    const bool is_grey = kind == TEXCAST_ASTC_GREYS;
    for (const size_t p : {size_t{0}, size_t{1}}) {
      Strand& strand = lines.strand[p];
      const Matrix matrix = matrix_of(parts[p], kNone);
      strand = strand_of(parts[p], axis_of(matrix, is_grey));
      lines.rest += rest_beside(matrix, strand);
      if (is_grey) lines.rest += make_grey(strand);
      set_extent(strand, p == 0 ? everything() & ~lines.second : lines.second);
    }
    return lines;
  }
  Strand& first = lines.strand[0];
  const bool is_dual = planes_of(kind) == 2;
  const Matrix matrix = matrix_of(all_, is_dual ? parameter : kNone);
  first =
      strand_of(all_, kind == TEXCAST_ASTC_SCALED ? scaled_axis(matrix) : axis_of(matrix, kind == TEXCAST_ASTC_GREY));
  lines.rest = rest_beside(matrix, first);
  if (kind == TEXCAST_ASTC_GREY) lines.rest += make_grey(first);
  set_extent(first, everything());
  if (is_dual) {
    lines.strands = 2;
    Channels apart{};
    apart[static_cast<size_t>(parameter)] = 1;
    lines.strand[1] = strand_of(all_, apart);
    set_extent(lines.strand[1], everything());
  }
  return lines;
}

}  // namespace texcast::ref::astc
