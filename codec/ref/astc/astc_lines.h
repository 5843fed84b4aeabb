// astc_lines.h — the lines that a block's texels may lie on: one for all, one through black; one channel apart from the
// others; one for each of two partitions. Of grey texels all lines are of greys.
#pragma once

#include <cstdint>

#include "astc_tables_view.h"
#include "astc_texels.h"

namespace texcast::ref::astc {

// Of a kind of choice (kernels/astc.h).
constexpr int partitions_of(int kind) { return kind >= TEXCAST_ASTC_PAIR ? 2 : 1; }
constexpr int planes_of(int kind) { return kind == TEXCAST_ASTC_DUAL ? 2 : 1; }

// Sums over some texels: whole numbers, which are exact in any order.
struct Moments {
  float count = 0;
  Channels sum{};
  std::array<Channels, 4> products{};
};
Moments moments_of(const Texels& texels, uint64_t inside);
Moments less(const Moments& all, const Moments& part);

// Texels that share weights: points of the line are mean + place * direction.
struct Strand {
  float count = 0;
  Channels mean{}, direction{};
  float least = 0, greatest = 0;  // of the first and the last texel, times the direction
  float inverse = 0;              // 1 / the direction's length squared
  float span() const { return greatest - least; }
  float squared_length() const { return (span() * inverse) * span(); }
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
  const Moments& moments() const { return all_; }  // of all texels
  Lines find(int kind, int parameter) const;
  // The channel that the others have least in common with.
  int channel_apart() const;
  // About what a partition would leave beside its lines.
  float rest_of_pair(int partition) const;
  // A bit for each texel that lies past the mean along the line of all.
  uint64_t upper_half() const;

 private:
  void set_extent(Strand& strand, uint64_t inside) const;
  uint64_t everything() const;

  const Texels& texels_;
  const Tables& tables_;
  Moments all_;
};

}  // namespace texcast::ref::astc
