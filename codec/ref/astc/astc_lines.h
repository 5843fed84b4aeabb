// astc_lines.h — the lines that a block's texels may lie on: one for all, one of greys, one through black; one channel
// apart from the others; one for each of two partitions.
#pragma once

#include <cstdint>

#include "astc_tables_view.h"
#include "astc_texels.h"

namespace texcast::ref::astc {

// Of a kind of choice (kernels/astc.h).
constexpr int partitions_of(int kind) { return kind >= TEXCAST_ASTC_PAIR ? 2 : 1; }
constexpr int planes_of(int kind) { return kind == TEXCAST_ASTC_DUAL ? 2 : 1; }

// Texels that share weights: points of the line are mean + place * direction.
struct Strand {
  float count = 0;
  Channels mean{}, direction{};
  float least = 0, greatest = 0;  // place of the first and the last texel
  float inverse = 0;              // 1 / the direction's length squared
};

// What a choice of colours is but for its layout. Two strands: of the channels beside the one apart and of that one; of
// texels of the first and of the second partition.
struct Lines {
  int kind = TEXCAST_ASTC_SINGLE;
  int parameter = 0;  // of DUAL the channel apart, of PAIR and GREYS the number of the partition
  int strands = 1;
  uint64_t second = 0;  // of PAIR and GREYS: texels of the second partition
  float rest = 0;       // squared error beside the lines
  std::array<Strand, 2> strand{};
};

// A partition's end points, colours less the block's center: of the outermost texels along its line.
struct Line {
  Channels low{}, high{};
};
Line line_of(const Lines& lines, int partition);

class LineFinder {
 public:
  LineFinder(const Texels& texels, const Tables& tables);
  Lines find(int kind, int parameter) const;
  // What a partition would leave beside its lines.
  float rest_of_pair(int partition) const;
  // A bit for each texel that lies past the mean along the line of all.
  uint64_t upper_half() const;

 private:
  struct Moments {
    float count = 0;
    Channels sum{};
    std::array<Channels, 4> products{};
  };
  // Covariances with a trace of 1, and that trace divided by the count: the sum of squares around the mean.
  struct Matrix {
    std::array<Channels, 4> rows{};
    float squares = 0;
  };
  Moments moments_of(uint64_t inside) const;
  static Moments less(const Moments& all, const Moments& part);
  static Matrix matrix_of(const Moments& m, int left_out);
  static Strand strand_of(const Moments& m, const Channels& direction);
  static Channels axis_of(const Matrix& m, bool is_grey);
  static float rest_beside(const Matrix& m, const Strand& strand);
  float make_grey(Strand& strand) const;
  Channels scaled_axis(const Matrix& matrix) const;
  void set_extent(Strand& strand, uint64_t inside) const;
  uint64_t everything() const;

  const Texels& texels_;
  const Tables& tables_;
  Moments all_;
};

}  // namespace texcast::ref::astc
