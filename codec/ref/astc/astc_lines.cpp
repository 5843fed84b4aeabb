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
  const float at_mean = dot(strand.mean, strand.direction);
  const float from = (strand.least - at_mean) * strand.inverse, to = (strand.greatest - at_mean) * strand.inverse;
  Line line;
  for (const size_t c : kChannels) {
    line.low[c] = strand.mean[c] + strand.direction[c] * from;
    line.high[c] = strand.mean[c] + strand.direction[c] * to;
  }
  return line;
}

// Covariances scaled to a trace of 1, and that trace divided by the count: the sum of squares around the mean.
struct Matrix {
  std::array<Channels, 4> rows{};
  float squares = 0;
};

Matrix matrix_of(const Moments& m, int left_out) {
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

Channels times(const Matrix& m, const Channels& v) {
  return {dot(m.rows[0], v), dot(m.rows[1], v), dot(m.rows[2], v), dot(m.rows[3], v)};
}

// The principal axis by the power method.
Channels axis_of(const Matrix& m) {
  size_t widest = 0;
  for (const size_t c : kChannels)
    if (m.rows[c][c] > m.rows[widest][widest]) widest = c;
  Channels v = m.rows[widest];
  for (int step = 0; step < TEXCAST_ASTC_POWERS; ++step) v = times(m, v);
  return v;
}

// For two channels: how far they are from being collinear.
float minor(const Matrix& m, size_t c, size_t d) { return m.rows[c][c] * m.rows[d][d] - m.rows[c][d] * m.rows[c][d]; }

Strand strand_of(const Moments& m, const Channels& direction) {
  Strand strand{.count = m.count, .direction = direction};
  const float share = reciprocal(m.count);
  for (const size_t c : kChannels) strand.mean[c] = m.sum[c] * share;
  strand.inverse = reciprocal(std::max(dot(direction, direction), kTiny));
  return strand;
}

// The sum of squares minus those along the line.
float rest_beside(const Matrix& m, const Strand& strand) {
  const float along = dot(times(m, strand.direction), strand.direction);
  return std::max(m.squares - m.squares * (along * strand.inverse), 0.0F);
}

// A line through black, to which alpha is added by regression.
Channels scaled_axis(const Texels& texels, const Moments& all, const Matrix& matrix) {
  const float share = reciprocal(all.count);
  const auto absolute = [&](size_t c) { return texels.center[c] + all.sum[c] * share; };
  const Channels mean = {absolute(0), absolute(1), absolute(2), 0};
  const Channels turned = times(matrix, mean);
  const float along = (turned[0] * mean[0] + turned[1] * mean[1]) + turned[2] * mean[2];
  Channels direction = mean;
  direction[3] = (turned[3] * dot(mean, mean)) * reciprocal(std::max(along, kLeastAlongGreys));
  return direction;
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

Moments moments_of(const Texels& texels, uint64_t inside) {
  Moments m;
  for (size_t i = 0; i < texels.all().size(); ++i) {
    if (!is_in(inside, i)) continue;
    const Channels& v = texels.values[i];
    m.count += 1;
    for (const size_t c : kChannels) {
      m.sum[c] += v[c];
      for (const size_t d : kChannels) m.products[c][d] += v[c] * v[d];
    }
  }
  return m;
}

Moments less(const Moments& all, const Moments& part) {
  Moments m = all;
  m.count -= part.count;
  for (const size_t c : kChannels) {
    m.sum[c] -= part.sum[c];
    for (const size_t d : kChannels) m.products[c][d] -= part.products[c][d];
  }
  return m;
}

LineFinder::LineFinder(const Texels& texels, const Tables& tables)
    : texels_(texels), tables_(tables), all_(moments_of(texels, everything())) {}

uint64_t LineFinder::everything() const { return ~uint64_t{0} >> (64 - texels_.count()); }

// Starts at the mean, so that a kernel's lanes outside of the set may hold it.
void LineFinder::set_extent(Strand& strand, uint64_t inside) const {
  strand.least = strand.greatest = dot(strand.mean, strand.direction);
  for (size_t i = 0; i < texels_.all().size(); ++i) {
    if (!is_in(inside, i)) continue;
    const float place = dot(texels_.values[i], strand.direction);
    strand.least = std::min(strand.least, place);
    strand.greatest = std::max(strand.greatest, place);
  }
}

uint64_t LineFinder::upper_half() const {
  const Strand strand = strand_of(all_, axis_of(matrix_of(all_, kNone)));
  const float at_mean = dot(strand.mean, strand.direction);
  uint64_t upper = 0;
  for (size_t i = 0; i < texels_.all().size(); ++i)
    if (dot(texels_.values[i], strand.direction) > at_mean) upper |= uint64_t{1} << i;
  return upper;
}

// Two channels are on a line if their minor is small. The sum of minors equals that of products of two principal
// variances, which is nearly the largest one times the others.
float LineFinder::rest_of_pair(int partition) const {
  const Moments second = moments_of(texels_, tables_.partition(partition));
  float rest = 0;
  for (const Moments& part : {less(all_, second), second}) {
    const Matrix m = matrix_of(part, kNone);
    const float minors =
        ((minor(m, 0, 1) + minor(m, 0, 2)) + minor(m, 1, 2)) + ((minor(m, 0, 3) + minor(m, 1, 3)) + minor(m, 2, 3));
    rest += minors * m.squares;
  }
  return rest;
}

int LineFinder::channel_apart() const {
  const Matrix m = matrix_of(all_, kNone);
  const float rg = minor(m, 0, 1), rb = minor(m, 0, 2), gb = minor(m, 1, 2);
  const float ra = minor(m, 0, 3), ga = minor(m, 1, 3), ba = minor(m, 2, 3);
  const float r = m.rows[0][0], g = m.rows[1][1], b = m.rows[2][2], a = m.rows[3][3];
  const std::array<float, 4> rest = {((gb + ga) + ba) * reciprocal(std::max((g + b) + a, kTiny)),
                                     ((rb + ra) + ba) * reciprocal(std::max((r + b) + a, kTiny)),
                                     ((rg + ra) + ga) * reciprocal(std::max((r + g) + a, kTiny)),
                                     ((rg + rb) + gb) * reciprocal(std::max((r + g) + b, kTiny))};
  int apart = 0;
  for (int c = 1; c < (texels_.has_alpha ? 4 : 3); ++c)
    if (rest[static_cast<size_t>(c)] < rest[static_cast<size_t>(apart)]) apart = c;
  return apart;
}

Lines LineFinder::find(int kind, int parameter) const {
  Lines lines{.kind = kind, .parameter = parameter};
  if (partitions_of(kind) == 2) {
    lines.strands = 2;
    lines.second = tables_.partition(parameter);
    const Moments second = moments_of(texels_, lines.second);
    const std::array<Moments, 2> parts = {less(all_, second), second};
    for (const size_t p : {size_t{0}, size_t{1}}) {
      Strand& strand = lines.strand[p];
      const Matrix matrix = matrix_of(parts[p], kNone);
      strand = strand_of(parts[p], axis_of(matrix));
      lines.rest += rest_beside(matrix, strand);
      set_extent(strand, p == 0 ? everything() & ~lines.second : lines.second);
    }
    return lines;
  }
  Strand& first = lines.strand[0];
  const bool is_dual = planes_of(kind) == 2;
  const Matrix matrix = matrix_of(all_, is_dual ? parameter : kNone);
  first = strand_of(all_, kind == TEXCAST_ASTC_SCALED ? scaled_axis(texels_, all_, matrix) : axis_of(matrix));
  lines.rest = rest_beside(matrix, first);
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
