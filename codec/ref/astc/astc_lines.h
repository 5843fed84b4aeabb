// astc_lines.h — the lines that a block's texels are approximated by: one for all, one through black, one with a
// channel coded separately, one for each of two partitions. If all texels are grey, all lines are grey.
#pragma once

#include <cstdint>

#include "astc_tables_view.h"
#include "astc_texels.h"

namespace texcast::ref::astc {

// For a kind of choice (kernels/astc.h).
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
  float inverse = 0;              // 1 / squared length of the direction
  float span() const { return greatest - least; }
  float squared_length() const { return (span() * inverse) * span(); }
};

// A choice of colours, without its layout. If there are two strands, they are those of the other channels and of the
// separate one, or those of the texels of the first and of the second partition.
struct Lines {
  int kind = TEXCAST_ASTC_SINGLE;
  int parameter = 0;  // DUAL: the separate channel; PAIR and GREYS: the number of the partition
  int strands = 1;
  uint64_t second = 0;  // PAIR and GREYS: texels of the second partition
  float rest = 0;       // squared distance of the texels from the lines
  std::array<Strand, 2> strand{};
};

// A partition's end points, colours minus the block's center: those of the outermost texels along its line.
struct Line {
  Channels low{}, high{};
};
Line line_of(const Lines& lines, int partition);

class LineFinder {
 public:
  LineFinder(const Texels& texels, const Tables& tables);
  const Moments& moments() const { return all_; }  // of all texels
  Lines find(int kind, int parameter) const;
  // The channel that is least correlated with the others.
  int channel_apart() const;
  // An estimate of a partition's residual error beside its lines.
  float rest_of_pair(int partition) const;
  // A bit for each texel that is beyond the mean along the line of all texels.
  uint64_t upper_half() const;

 private:
  void set_extent(Strand& strand, uint64_t inside) const;
  uint64_t everything() const;

  const Texels& texels_;
  const Tables& tables_;
  Moments all_;
};

}  // namespace texcast::ref::astc
